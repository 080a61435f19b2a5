// How long one prediction takes, from scratch and inside a search that has layers priced and split; bars stand beside.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/cost/ideal_groups.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/prediction.hpp>
#include <topoplan/cost/step.hpp>
#include <topoplan/cost/step_table.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>

namespace {

using namespace topoplan;

struct workload {
  std::string_view name;
  transformer model;
  training settings;
  degrees asked;
  const char* cluster;
  std::uint64_t ranks;
};

// source: meta-llama/Llama-3.1-405B config.json.
transformer llama_405b() {
  transformer m;
  m.hidden = 16384;
  m.vocabulary = 128256;
  layer_kind k;
  k.attention = {.heads = 128, .kv_heads = 8, .head_size = 128, .value_size = 128};
  k.mlp = {.size = 53248, .gated = true};
  m.kinds = {k};
  m.layers.assign(126, 0);
  return m;
}

// source: deepseek-ai/DeepSeek-V3 config.json.
transformer deepseek_v3() {
  transformer m;
  m.hidden = 7168;
  m.vocabulary = 129280;
  layer_kind dense;
  dense.attention = {.kind = attention_kind::latent,
                     .heads = 128,
                     .kv_heads = 128,
                     .head_size = 192,
                     .value_size = 128,
                     .rope_size = 64,
                     .query_rank = 1536,
                     .kv_rank = 512};
  dense.mlp = {.size = 18432, .gated = true};
  layer_kind sparse = dense;
  sparse.feed_forward = feed_forward_kind::experts;
  sparse.experts = {.experts = 256, .top_k = 8, .size = 2048, .shared_size = 2048, .router_bias = true};
  m.kinds = {dense, sparse};
  m.layers.assign(61, 1);
  std::fill_n(m.layers.begin(), 3, std::uint8_t{0});
  m.prediction_layers = 1;
  return m;
}

// source: Brown et al., "Language models are few-shot learners", 2020, table 2.1.
transformer gpt3_175b() {
  transformer m;
  m.hidden = 12288;
  m.vocabulary = 51200;
  m.positions = 2048;
  m.tied_embeddings = true;
  layer_kind k;
  k.attention = {.heads = 96, .kv_heads = 96, .head_size = 128, .value_size = 128, .qkv_bias = true, .output_bias = true};
  k.mlp = {.size = 49152, .bias = true};
  k.norm_bias = true;
  m.kinds = {k};
  m.layers.assign(96, 0);
  return m;
}

// Seconds of one call, the median of many batches.
template <class Work> double median(int calls, const Work& work) {
  std::array<double, 101> batches{};
  for (double& b : batches) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) work();
    b = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
  }
  std::nth_element(batches.begin(), batches.begin() + batches.size() / 2, batches.end());
  return batches[batches.size() / 2];
}

bool row(std::string_view what, double seconds, double bar) {
  const bool met = seconds <= bar;
  std::printf("  %-44.*s %8.2f us   <= %g us  %s\n", static_cast<int>(what.size()), what.data(), seconds * 1e6, bar * 1e6,
              met ? "met" : "MISSED");
  return met;
}

bool measure(const workload& w) {
  const cluster c = make_cluster(w.cluster);
  const machine gpu = machine_of(c, interconnect_of(c));
  const step_calibration factors = calibration_of(gpu.family);
  const resolved_degrees d = resolve(w.asked, w.ranks);
  const axis_groups groups = ideal_groups(c, d);
  const double told = predict(w.model, w.settings, d, groups, gpu, factors).time.seconds;
  double kept = 0;
  const double scratch = median(200, [&] { kept += predict(w.model, w.settings, d, groups, gpu, factors).time.seconds; });
  const priced_layers priced = price_layers(w.model, w.settings, d, groups, gpu, factors);
  const stage_split split = split_layers(w.model, w.settings, d.pp);
  const double shared =
      median(1000, [&] { kept += time_of_step(w.model, w.settings, d, groups, gpu, factors, priced, split).seconds; });
  std::printf("%.*s: a step of %.2f s\n", static_cast<int>(w.name.size()), w.name.data(), told);
  const bool scratch_met = row("from scratch, with memory", scratch, 20e-6);
  const bool shared_met = row("layers priced and split before", shared, 2e-6);
  if (!(kept > 0)) std::printf("nothing was predicted\n");
  return scratch_met && shared_met;
}

bool measure_all() {
  training llama;
  llama.sequence = 8192;
  llama.global_batch = 2048;
  training sharded = llama;
  sharded.sharding = sharding::zero3;
  training deepseek;
  deepseek.sequence = 4096;
  deepseek.global_batch = 15360;
  deepseek.precision = precision::fp8;
  training gpt;
  gpt.sequence = 2048;
  gpt.global_batch = 1536;
  gpt.software = software_profile::megatron_2021;
  gpt.recompute = recomputation::full;
  const workload all[] = {
      {"Llama 3.1 405B, tp 8 pp 16 dp 128", llama_405b(), llama, {.tp = 8, .pp = 16}, "dgx-h100:2048", 16384},
      {"the same with fully sharded parameters", llama_405b(), sharded, {.tp = 8, .pp = 16}, "dgx-h100:2048", 16384},
      {"DeepSeek-V3, pp 16 dp 128 ep 64", deepseek_v3(), deepseek, {.ep = 64, .pp = 16}, "dgx-h100:256", 2048},
      {"GPT-3 175B, tp 8 pp 12 dp 16", gpt3_175b(), gpt, {.tp = 8, .pp = 12}, "dgx-a100:192", 1536},
  };
  bool met = true;
  for (const workload& w : all) met = measure(w) && met;
  // source: Calculon (Isaev et al., SC23) searching GPT-3 175B on 4,096 GPUs, measured on one core.
  std::printf("for comparison: Calculon evaluates about 500 configurations a second, 2000 us each\n");
  return met;
}

}  // namespace

int main() {
  try {
    return measure_all() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "topoplan-bench-predict: %s\n", e.what());
    return 2;
  }
}
