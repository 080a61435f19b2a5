#include <topoplan/workload/flops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "models.hpp"
#include "support/random.hpp"

using namespace topoplan;
using namespace topoplan_test;
using doctest::Approx;

TEST_SUITE_BEGIN("workload/flops");

namespace {

training of_sequence(std::uint32_t sequence) {
  training t;
  t.sequence = sequence;
  return t;
}

}  // namespace

TEST_CASE("the textbook identity holds exactly for plain dense models, square counted in full") {
  topoplan_test::random rng(3);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    transformer t;
    layer_kind k;
    k.attention.heads = static_cast<std::uint32_t>(rng.between(1, 128));
    k.attention.kv_heads = static_cast<std::uint32_t>(rng.between(1, 128));
    k.attention.head_size = k.attention.value_size = static_cast<std::uint32_t>(rng.between(1, 256));
    k.mlp = {.size = static_cast<std::uint32_t>(rng.between(1, 50000)), .gated = rng.below(2) == 0};
    k.norms = 0;
    t.hidden = static_cast<std::uint32_t>(rng.between(1, 16384));
    t.vocabulary = static_cast<std::uint32_t>(rng.between(1, 200000));
    t.tied_embeddings = true;  // the table counts once, as the head that multiplies
    t.end_norms = 0;
    t.kinds = {k};
    t.layers.assign(rng.between(1, 150), 0);
    const auto sequence = static_cast<std::uint32_t>(rng.between(1, 131072));
    CHECK(training_flops_per_token(t, of_sequence(sequence), attention_pairs::full) ==
          Approx(textbook_flops_per_token(static_cast<double>(parameters_of(t).total()), static_cast<double>(t.layers.size()),
                                          k.attention.heads, k.attention.head_size, sequence))
              .epsilon(1e-12));
  }
  // An embedding of its own and the norms are parameters that nothing is multiplied with.
  const auto llama = llama_8b();
  const double multiplied = 8'030'261'248.0 - 128256.0 * 4096 - 65 * 4096;
  CHECK(training_flops_per_token(llama, of_sequence(8192), attention_pairs::full) ==
        textbook_flops_per_token(multiplied, 32, 32, 128, 8192));
  CHECK(training_flops_per_token(llama, of_sequence(8192), attention_pairs::causal) ==
        textbook_flops_per_token(multiplied, 32, 32, 128, 4096));
}

TEST_CASE("Megatron's formula for GPT: 96 s l h^2 (1 + s/6h + V/16lh) a sample, recomputation included") {
  transformer t;
  layer_kind k;
  k.attention = {.heads = 96, .kv_heads = 96, .head_size = 128, .value_size = 128};
  k.mlp.size = 4 * 12288;
  t.hidden = 12288;
  t.vocabulary = 51200;
  t.kinds = {k};
  t.layers.assign(96, 0);
  auto how = of_sequence(2048);
  how.recompute = recomputation::full;
  const double s = 2048, l = 96, h = 12288, v = 51200;
  CHECK(hardware_flops_per_token(t, how, attention_pairs::full) * s ==
        Approx(96 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))).epsilon(1e-12));
}

TEST_CASE("what is recomputed") {
  const auto t = llama_8b();
  auto how = of_sequence(4096);
  const auto f = forward_flops(t, 4096, attention_pairs::causal);
  const auto extra = [&](recomputation r, software_profile p) {
    how.recompute = r;
    how.software = p;
    return hardware_flops_per_token(t, how, attention_pairs::causal) - 3 * f.total();
  };
  CHECK(extra(recomputation::none, software_profile::megatron_core) == 0);
  CHECK(extra(recomputation::selective, software_profile::megatron_core) == 0);
  CHECK(extra(recomputation::selective, software_profile::megatron_2021) == Approx(f.layers_core));
  CHECK(extra(recomputation::half, software_profile::fsdp_eager) == Approx((f.layers_core + f.layers_linear) / 2));
  CHECK(extra(recomputation::full, software_profile::megatron_core) == Approx(f.layers_core + f.layers_linear));
}

TEST_CASE("tokens seen: a sum over the sequence") {
  for (const std::uint32_t s : {64U, 1000U, 4096U}) {
    for (const std::uint32_t w : {0U, 1U, 64U, 500U, 4096U, 8192U}) {
      CAPTURE(s);
      CAPTURE(w);
      attention_block a;
      a.window = w;
      const double window = w == 0 ? s : std::min(w, s);
      double sum = 0;  // position i + 1/2 sees that many at most
      for (std::uint32_t i = 0; i < s; ++i) sum += std::min(i + 0.5, window);
      CHECK(tokens_seen(a, s, attention_pairs::causal) == Approx(sum / s).epsilon(1e-9));
      CHECK(tokens_seen(a, s, attention_pairs::full) == window);
      if (w == 0 || s % std::min(w, s) != 0) continue;
      a.chunked = true;
      sum = 0;
      for (std::uint32_t i = 0; i < s; ++i) sum += i % std::min(w, s) + 0.5;
      CHECK(tokens_seen(a, s, attention_pairs::causal) == Approx(sum / s).epsilon(1e-9));
    }
  }
}

TEST_CASE("latent attention, experts, multi-token prediction: DeepSeek-V3 by hand") {
  const auto t = deepseek_v3();
  const auto f = forward_flops(t.kinds[1], t.hidden, 4096, attention_pairs::causal);
  CHECK(f.attention_projections == 2.0 * (7168 * 1536 + 1536 * 24576 + 7168 * 576 + 512 * 32768 + 16384 * 7168));
  CHECK(f.attention_core == 2.0 * 2048 * 128 * (192 + 128));
  CHECK(f.router == 2.0 * 7168 * 256);
  CHECK(f.routed_experts == 2.0 * 8 * 3 * 7168 * 2048);
  CHECK(f.shared_experts == 2.0 * 3 * 7168 * 2048);
  CHECK(f.mlp == 0);
  auto plain = t;
  plain.prediction_layers = 0;
  const auto with = forward_flops(t, 4096, attention_pairs::causal);
  const auto without = forward_flops(plain, 4096, attention_pairs::causal);
  CHECK(with.total() - without.total() == Approx(f.total() + 2.0 * 129280 * 7168 + 4.0 * 7168 * 7168));
  // 37 B active parameters, of which the embedding multiplies nothing.
  const double expected = 2.0 * (static_cast<double>(parameters_of(plain).active) - 129280.0 * 7168);
  CHECK(without.layers_linear + without.head == Approx(expected).epsilon(1e-4));
}

TEST_CASE("a Mamba-2 block by hand") {
  layer_kind k;
  k.mixer = mixer_kind::state_space;
  k.feed_forward = feed_forward_kind::none;
  k.state_space = {.heads = 256, .head_size = 64, .state = 256, .groups = 8, .convolution = 4, .chunk = 128};
  const auto f = forward_flops(k, 8192, 8192, attention_pairs::full);
  CHECK(f.state_space_projections == 2.0 * 8192 * (2 * 16384 + 2 * 8 * 256 + 256) + 2.0 * 16384 * 8192);
  CHECK(f.state_space_core == 2.0 * 128 * (8 * 256 + 16384) + 4.0 * 16384 * 256 + 2.0 * 4 * (16384 + 2 * 8 * 256));
  const auto causal = forward_flops(k, 8192, 8192, attention_pairs::causal);
  CHECK(f.state_space_core - causal.state_space_core == 128.0 * (8 * 256 + 16384));
  CHECK(forward_flops(k, 8192, 1 << 20, attention_pairs::full).total() == f.total());  // linear in the sequence
}

TEST_CASE("adapters: frozen matrices count twice") {
  const auto t = llama_8b();
  auto how = of_sequence(4096);
  how.tuning = finetuning::lora;
  how.lora_rank = 32;
  const auto f = forward_flops(t, 4096, attention_pairs::causal);
  const double adapters = 32.0 * 32 * (10240 + 8192 + 4096 + 28672 + 18432);
  CHECK(training_flops_per_token(t, how, attention_pairs::causal) ==
        Approx(2 * (f.layers_linear + f.head) + 3 * f.layers_core + 6 * adapters));
}

TEST_CASE("a projected embedding is multiplied twice") {
  transformer t;
  t.hidden = 1024;
  t.vocabulary = 50272;
  t.embedding_size = 512;
  CHECK(head_flops(t) == 2.0 * 512 * 50272 + 4.0 * 512 * 1024);
}

TEST_CASE("MFU of a published run: Llama 3 405B, 8,192 GPUs, 430 TFLOP/s of 989 is 43 %") {
  // Llama 3 report, table 4: 16 M tokens a step, sequence 8192.
  const double flops = 430e12 * 8192;
  CHECK(mfu(1000, flops / 1000, 8192, 989.5e12) == Approx(0.4346).epsilon(1e-3));
}
