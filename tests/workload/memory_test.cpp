#include <topoplan/workload/memory.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

#include "workload/models.hpp"

using namespace topoplan;
using doctest::Approx;

namespace {

// A model of 7.5 B parameters in one kind of layer and nothing else to speak of.
transformer gpt_7_5b() {
  transformer t;
  t.hidden = 4096;
  t.vocabulary = 8;
  t.end_norms = 0;
  t.tied_embeddings = true;
  layer_kind k;
  k.norms = 0;
  k.attention = {.heads = 32, .kv_heads = 32, .head_size = 128};
  k.mlp = {.size = 16384};
  t.kinds = {k};
  t.layers.assign(37, 0);
  return t;
}

stage_memory only_stage(const transformer& m, const training& t, const resolved_degrees& d) {
  return memory_of_stage(m, t, d, split_layers(m, t, d.pp), 0);
}

}  // namespace

TEST_CASE("states of mixed-precision Adam are 16 bytes a parameter, and ZeRO divides them by stages") {
  const transformer m = gpt_7_5b();
  const auto parameters = static_cast<double>(parameters_of(m).total());
  training t;
  t.gradient_bytes = 2;
  resolved_degrees d;
  d.dp = 64;
  // source: Rajbhandari et al., arXiv 1910.02054, figure 1: 120, 31.4, 16.6 and 1.9 GB for 7.5 B parameters on 64 GPUs.
  t.sharding = sharding::none;
  CHECK(only_stage(m, t, d).states() == Approx(16 * parameters));
  t.sharding = sharding::zero1;
  CHECK(only_stage(m, t, d).states() == Approx((4 + 12.0 / 64) * parameters));
  CHECK(only_stage(m, t, d).states() / parameters * 7.5 == Approx(31.4).epsilon(0.002));
  t.sharding = sharding::zero2;
  CHECK(only_stage(m, t, d).states() / parameters * 7.5 == Approx(16.6).epsilon(0.005));
  t.sharding = sharding::zero3;
  CHECK(only_stage(m, t, d).states() / parameters * 7.5 == Approx(1.88).epsilon(0.002));
}

TEST_CASE("activations of the unfused stack are Korthikanti's s b h (34 + 5 a s / h) / t") {
  transformer m = gpt_7_5b();
  m.hidden = 6144;
  m.kinds[0].attention = {.heads = 64, .kv_heads = 64, .head_size = 96};
  m.kinds[0].mlp.size = 24576;
  m.layers.assign(48, 0);
  training t;
  t.software = software_profile::megatron_2021;
  t.sequence = 2048;
  t.micro_batch = 4;
  resolved_degrees d;
  d.tp = 8;
  const double s = 2048;
  const double b = 4;
  const double h = 6144;
  const double a = 64;
  const double embedding = 2 * s * b * h / 8;
  CHECK(only_stage(m, t, d).activations - embedding == Approx(48 * s * b * h * (34 + 5 * a * s / h) / 8));
  t.sequence_parallel = false;
  CHECK(only_stage(m, t, d).activations - 8 * embedding == Approx(48 * s * b * h * (10 + 24 / 8.0 + 5 * a * s / h / 8)));
  t.recompute = recomputation::selective;
  CHECK(only_stage(m, t, d).activations - 8 * embedding == Approx(48 * s * b * h * (10 + 24 / 8.0)));
  t.recompute = recomputation::full;
  CHECK(only_stage(m, t, d).activations - 8 * embedding == Approx(48 * 2 * s * b * h));
}

TEST_CASE("1F1B keeps pp - i micro-batches on stage i, never more than there are") {
  const transformer m = topoplan_test::llama_8b();
  training t;
  t.global_batch = 64;
  resolved_degrees d;
  d.pp = 4;
  const stage_split split = split_layers(m, t, 4);
  const double last = memory_of_stage(m, t, d, split, 3).activations;
  CHECK(memory_of_stage(m, t, d, split, 1).activations == Approx(3 * last));
  CHECK(memory_of_stage(m, t, d, split, 2).activations == Approx(2 * last));
  t.global_batch = 2;
  CHECK(memory_of_stage(m, t, d, split, 1).activations == Approx(2 * last));
  // Interleaving keeps more: (p (v - 1) + 2 (p - i) - 1) / v of a stage.
  t.global_batch = 64;
  t.virtual_stages = 2;
  const stage_split chunks = split_layers(m, t, 4);
  CHECK(memory_of_stage(m, t, d, chunks, 1).activations == Approx((4 + 6 - 1) / 2.0 * last));
}

TEST_CASE("ZeRO-2 divides gradients, but under a pipeline they are whole until the last micro-batch") {
  const transformer m = gpt_7_5b();
  training t;
  t.sharding = sharding::zero2;
  resolved_degrees d;
  d.dp = 8;
  const auto parameters = static_cast<double>(parameters_of(m).total());
  CHECK(only_stage(m, t, d).gradients == Approx(4 * parameters / 8));
  d.pp = 37;
  const stage_split split = split_layers(m, t, 37);
  CHECK(memory_of_stage(m, t, d, split, 5).gradients ==
        Approx(4 * static_cast<double>(parameters_of(m.kinds[0], m.hidden).total())));
}

TEST_CASE("ends: the last stage holds the logits, the first the embedding, both when tied") {
  transformer m = topoplan_test::llama_8b();
  training t;
  resolved_degrees d;
  d.pp = 2;
  const stage_split split = split_layers(m, t, 2);
  const double end = 128256.0 * 4096;
  const double layers = 16 * static_cast<double>(parameters_of(m.kinds[0], 4096).total());
  CHECK(memory_of_stage(m, t, d, split, 0).weights == Approx(2 * (layers + end)));
  CHECK(memory_of_stage(m, t, d, split, 1).weights == Approx(2 * (layers + end + 4096)));
  CHECK(memory_of_stage(m, t, d, split, 0).logits == 0);
  CHECK(memory_of_stage(m, t, d, split, 1).logits == Approx(4096.0 * 128256 * memory_calibration{}.logit_fused));
  m.tied_embeddings = true;
  CHECK(memory_of_stage(m, t, d, split, 1).weights == Approx(2 * (layers + end + 4096)));
}

TEST_CASE("frozen weights keep no gradients; 4-bit ones are those of the layers, tables and head stay in 16 bits") {
  const transformer m = topoplan_test::llama_8b();
  training t;
  t.sharding = sharding::none;
  const resolved_degrees d;
  const double full = only_stage(m, t, d).states();
  t.tuning = finetuning::lora;
  const stage_memory lora = only_stage(m, t, d);
  CHECK(lora.states() < 0.2 * full);
  CHECK(lora.weights > 2 * 8.0e9);
  t.tuning = finetuning::qlora;
  const double ends = static_cast<double>(end_parameters_of(m).total());
  const double layers = static_cast<double>(parameters_of(m).total()) - ends;
  const double adapters = 32 * static_cast<double>(adapter_parameters(m.kinds[0], m.hidden, t.lora_rank));
  CHECK(only_stage(m, t, d).weights == Approx(4.127 / 8 * layers + 2 * ends + 2 * adapters));
  CHECK(lora.weights == Approx(2 * (layers + ends + adapters)));
}

TEST_CASE("the verdict has three states, and the middle one is a margin on both sides") {
  const memory_calibration c;
  const double gib80 = 80 * 1073741824.0;
  CHECK(judge_memory(60e9, gib80) == memory_verdict::fits);
  CHECK(judge_memory(gib80 * c.usable * 0.95, gib80) == memory_verdict::tight);
  CHECK(judge_memory(gib80, gib80) == memory_verdict::tight);
  CHECK(judge_memory(gib80 * c.usable * c.out * 1.001, gib80) == memory_verdict::out);
  CHECK(to_string(memory_verdict::out) == "out of memory");
}

TEST_CASE("narrow formats keep narrow inputs, and selective recomputation gives back what it computes again") {
  transformer m = topoplan_test::llama_8b();
  training t;
  const resolved_degrees d;
  const double wide = only_stage(m, t, d).activations;
  t.precision = precision::fp8;
  const double narrow = only_stage(m, t, d).activations;
  // Of a layer's 16-bit elements a token, inputs of four linear layers: hidden, heads * size (kept beside), hidden, width.
  const double h = 4096;
  const double f = 14336;
  CHECK(wide - narrow == Approx(32 * 4096.0 * (h - h + h + f)));
  t.recompute = recomputation::selective;
  CHECK(narrow - only_stage(m, t, d).activations == Approx(32 * 4096.0 * (2 * h + f)));
  m = topoplan_test::deepseek_v3();
  t.precision = precision::bf16;
  t.recompute = recomputation::none;
  const double all = only_stage(m, t, d).activations;
  t.recompute = recomputation::selective;
  // The up projections of latent attention: 128 heads of 192 for queries and keys, 128 for values.
  CHECK(all - only_stage(m, t, d).activations > 61 * 4096.0 * 2 * 128 * (192 + 192 + 128));
}

TEST_CASE("sequence parallelism holds what it gathers, and an end the gradient of its table") {
  const transformer m = topoplan_test::llama_8b();
  training t;
  resolved_degrees d;
  const double table = 2 * 128256.0 * 4096;
  CHECK(only_stage(m, t, d).workspace == Approx(table));
  t.gradient_bytes = 2;
  CHECK(only_stage(m, t, d).workspace == 0);
  d.tp = 8;
  CHECK(only_stage(m, t, d).workspace == Approx(3 * 2 * 4096.0 * 4096));
  t.sequence_parallel = false;
  CHECK(only_stage(m, t, d).workspace == 0);
}

TEST_CASE("no part of the memory grows when more ranks share the work") {
  topoplan_test::random rng(11);
  for (int i = 0; i < 300; ++i) {
    const transformer m = i % 2 == 0 ? topoplan_test::llama_8b() : topoplan_test::deepseek_v3();
    training t;
    t.sequence = 1024U << rng.below(4);
    t.micro_batch = 1U << rng.below(3);
    t.recompute = static_cast<recomputation>(rng.below(4));
    t.sharding = static_cast<sharding>(rng.below(5));
    resolved_degrees d;
    d.tp = d.expert_tp = 1U << rng.below(3);
    t.gradient_bytes = i % 3 == 0 ? 2 : 4;
    d.dp = 8;
    d.expert_dp = 8;
    const stage_memory narrow = only_stage(m, t, d);
    resolved_degrees wide = d;
    wide.tp = wide.expert_tp = 2 * d.tp;
    const stage_memory half = only_stage(m, t, wide);
    CHECK(half.states() < narrow.states());
    CHECK(half.activations < narrow.activations);
    resolved_degrees more = d;
    more.dp = more.expert_dp = 16;
    CHECK(only_stage(m, t, more).states() <= narrow.states());
    CHECK(std::isfinite(narrow.total()));
    CHECK(narrow.workspace >= 0);
  }
}
