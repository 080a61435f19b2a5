#include <topoplan/workload/parameters.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "models.hpp"
#include "support/random.hpp"

using namespace topoplan;
using namespace topoplan_test;

TEST_SUITE_BEGIN("workload/parameters");

TEST_CASE("published totals") {
  CHECK(parameters_of(llama_8b()).total() == 8'030'261'248);
  CHECK(parameters_of(gpt2()).total() == 124'439'808);
  const auto v3 = parameters_of(deepseek_v3());
  CHECK(v3.total() == 671'026'419'200);
  // One layer with experts, the projection and three norms: 11.5 of the 14 B that the report gives the module with its own
  // copies of embedding and head.
  CHECK(v3.prediction == 187'107'328 + 2 * 7168 + 11'320'164'352 + 256 + 2 * 7168 * 7168 + 3 * 7168);
  CHECK(v3.active == v3.total() - std::uint64_t{58} * (256 - 8) * 3 * 7168 * 2048);
  CHECK(v3.active / 1'000'000'000 == 37);
}

TEST_CASE("a layer by block") {
  const auto p = parameters_of(deepseek_v3().kinds[1], 7168);
  CHECK(p.attention == 7168 * 1536 + 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 + 512 * 128 * 256 + 128 * 128 * 7168);
  CHECK(p.router == 256 * 7168 + 256);
  CHECK(p.routed_experts == std::uint64_t{256} * 3 * 7168 * 2048);
  CHECK(p.shared_experts == 3 * 7168 * 2048);
  CHECK(p.norms == 2 * 7168);
  CHECK(p.mlp == 0);
  CHECK(p.state_space == 0);
  CHECK(p.total() == p.dense() + p.routed_experts);

  layer_kind mamba;
  mamba.mixer = mixer_kind::state_space;
  mamba.feed_forward = feed_forward_kind::none;
  mamba.norms = 1;
  mamba.state_space = {.heads = 256, .head_size = 64, .state = 256, .groups = 8};
  // in 8192 x (2 x 16384 + 2 x 8 x 256 + 256), out 16384 x 8192, convolution of 4 with bias over 20480 channels, A, D and dt a
  // head, the gated norm.
  CHECK(parameters_of(mamba, 8192).state_space == 8192 * (32768 + 4096 + 256) + 16384 * 8192 + 20480 * 5 + 3 * 256 + 16384);
  mamba.state_space.projection_bias = true;
  mamba.state_space.convolution_bias = false;
  CHECK(parameters_of(mamba, 8192).state_space ==
        8192 * (32768 + 4096 + 256) + 16384 * 8192 + 20480 * 4 + 3 * 256 + 16384 + 37120 + 8192);
}

TEST_CASE("biases, sinks, latent experts, projected embeddings") {
  layer_kind k;
  k.attention = {.heads = 4,
                 .kv_heads = 2,
                 .head_size = 16,
                 .value_size = 16,
                 .qkv_bias = true,
                 .output_bias = true,
                 .qk_norm = 32,
                 .sinks = true};
  k.mlp = {.size = 100, .gated = true, .bias = true};
  k.norm_bias = true;
  auto p = parameters_of(k, 50);
  CHECK(p.attention == 50 * 64 + 64 + 2 * (50 * 32 + 32) + 64 * 50 + 50 + 32 + 4);
  CHECK(p.mlp == 3 * 50 * 100 + 2 * 100 + 50);
  CHECK(p.norms == 2 * 2 * 50);

  k.feed_forward = feed_forward_kind::experts;
  k.experts = {.experts = 8,
               .top_k = 2,
               .size = 30,
               .gated = false,
               .bias = true,
               .shared_size = 60,
               .shared_gate = true,
               .latent_size = 10};
  p = parameters_of(k, 50);
  CHECK(p.mlp == 0);
  CHECK(p.router == 8 * 50 + 2 * 50 * 10);
  CHECK(p.routed_experts == 8 * (2 * 10 * 30 + 30 + 10));
  CHECK(p.shared_experts == 2 * 50 * 60 + 60 + 50 + 50);
  CHECK(active_parameters(k, 50) == p.dense() + 2 * (2 * 10 * 30 + 30 + 10));

  transformer t;
  t.hidden = 1024;
  t.vocabulary = 50272;
  t.positions = 2050;
  t.embedding_size = 512;
  t.tied_embeddings = true;
  t.end_norms = 0;
  CHECK(end_parameters_of(t) == end_parameters{50272 * 512 + 512 * 1024, 2050 * 1024, 512 * 1024, 0});
  t.tied_embeddings = false;
  t.head_bias = true;
  CHECK(end_parameters_of(t).head == 50272 * 512 + 50272 + 512 * 1024);
}

TEST_CASE("what one rank holds: the ranks together hold the model, with what all of them have counted once more each") {
  topoplan_test::random rng(7);
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(round);
    const auto k = random_layer(rng);
    const std::uint64_t hidden = 8 * rng.between(1, 64);
    const tensor_split split{std::uint32_t{1} << rng.below(4), std::uint32_t{1} << rng.below(4),
                             std::uint32_t{1} << rng.below(4)};
    const auto whole = parameters_of(k, hidden);
    const auto part = parameters_of(k, hidden, split);
    const std::uint64_t more = split.tp - 1;

    std::uint64_t on_all = 0;
    if (k.mixer == mixer_kind::attention) {
      const auto& a = k.attention;
      on_all += a.qk_norm + (a.output_bias ? hidden : 0);
      if (a.kind == attention_kind::latent) {
        const std::uint64_t down = a.kv_rank + a.rope_size;
        on_all += hidden * down + a.kv_rank + (a.qkv_bias ? down : 0);
        if (a.query_rank != 0) on_all += hidden * a.query_rank + a.query_rank + (a.qkv_bias ? a.query_rank : 0);
      }
      const std::uint64_t copies = a.kind == attention_kind::grouped && a.kv_heads < split.tp
                                       ? (split.tp - a.kv_heads) * (hidden + (a.qkv_bias ? 1 : 0)) * (a.head_size + a.value_size)
                                       : 0;
      CHECK(part.attention * split.tp == whole.attention + more * on_all + copies);
    } else {
      const auto& s = k.state_space;
      const std::uint64_t copied = s.groups < split.tp ? split.tp - s.groups : 0;
      const std::uint64_t copies =
          copied * 2 * s.state * (hidden + s.convolution + (s.convolution_bias ? 1 : 0) + (s.projection_bias ? 1 : 0));
      CHECK(part.state_space * split.tp == whole.state_space + more * (s.projection_bias ? hidden : 0) + copies);
    }
    if (k.feed_forward == feed_forward_kind::mlp) {
      CHECK(part.mlp * split.tp == whole.mlp + more * (k.mlp.bias ? hidden : 0));
    } else {
      const auto& e = k.experts;
      const std::uint64_t width = e.latent_size == 0 ? hidden : e.latent_size;
      CHECK(part.router == whole.router);
      CHECK(part.routed_experts * split.ep * split.expert_tp ==
            whole.routed_experts + (e.bias ? (split.expert_tp - 1) * e.experts * width : 0));
      if (e.shared_size != 0) {
        CHECK(part.shared_experts * split.tp ==
              whole.shared_experts + more * ((e.bias ? hidden : 0) + (e.shared_gate ? hidden : 0)));
      }
    }
    CHECK(part.norms == whole.norms);
  }
}

TEST_CASE("where a split doesn't divide, the rank that holds most") {
  layer_kind k;
  k.attention = {.heads = 28, .kv_heads = 4, .head_size = 128, .value_size = 128};
  k.mlp = {.size = 18944, .gated = true};
  const auto p = parameters_of(k, 3584, {.tp = 8});
  CHECK(p.attention == 4 * 128 * 3584 + 2 * 128 * 3584 + 4 * 128 * 3584);
  CHECK(p.mlp == 3 * 2368 * 3584);
  CHECK(end_parameters_of(gpt2(), 8).embedding == 6283 * 768);
}

TEST_CASE("adapters: rank x (rows + columns) a matrix") {
  const auto llama = llama_8b();
  CHECK(adapter_parameters(llama.kinds[0], 4096, 16) ==
        16 * ((4096 + 6144) + (4096 + 4096) + (4096 + 2 * 14336) + (14336 + 4096)));
  const auto v3 = deepseek_v3();
  CHECK(adapter_parameters(v3.kinds[1], 7168, 8) ==
        8 * ((7168 + 1536) + (1536 + 24576) + (7168 + 576) + (512 + 32768) + (16384 + 7168)));
}
