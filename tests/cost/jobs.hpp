// Jobs for tests of the step model: a machine and a calibration without any loss, and jobs drawn at random.
#pragma once

#include <topoplan/cluster/presets.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/ideal_groups.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/step.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/legality.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "support/random.hpp"
#include "workload/models.hpp"

namespace topoplan_test {

// Everything that a prediction takes.
struct job {
  topoplan::transformer model;
  topoplan::training settings;
  topoplan::resolved_degrees degrees;
  topoplan::axis_groups groups;
  topoplan::machine gpu;
  topoplan::step_calibration factors;
};

inline topoplan::priced_layers price(const job& j) {
  return topoplan::price_layers(j.model, j.settings, j.degrees, j.groups, j.gpu, j.factors);
}

inline topoplan::step_time time_of(const job& j) {
  return topoplan::time_of_step(j.model, j.settings, j.degrees, j.groups, j.gpu, j.factors, price(j),
                                topoplan::split_layers(j.model, j.settings, j.degrees.pp));
}

// All that adds up to `seconds`.
inline double sum_of_parts(const topoplan::step_time& t) {
  return t.layers.total() + t.again + t.ends + t.accumulate + t.bubble + t.pp + t.dp + t.optimizer + t.fixed + t.straggler;
}

// Kernels reach the peak, nothing is exposed, and nothing is lost. Attention runs backward in twice the time of its forward
// pass, as the textbook counts it: its kernels do 2.5 times the work.
inline topoplan::step_calibration lossless() {
  topoplan::step_calibration c;
  c.matmul_16bit = c.matmul_fp8 = c.matmul_mxfp8 = c.matmul_nvfp4 = c.expert_matmul = c.attention = c.memory = 1;
  c.board = c.board_fp4 = c.gather_hidden = c.gather_hidden_prefetched = 1;
  c.dp_rate = c.gather_rate = std::numeric_limits<double>::infinity();
  c.attention_backward = 1.25;
  c.matmul_side = c.launch = c.layer = c.expert_layer = c.step = c.straggler = 0;
  c.tp_exposed = c.tp_exposed_plain = c.tp_exposed_backward = c.cp_exposed = c.expert_exposed = c.expert_exposed_overlapped = 0;
  c.pp_exposed = c.pp_exposed_plain = c.dp_exposed = 0;
  c.tp_across_domains = 1;
  return c;
}

inline topoplan::interconnect links_of(const char* cluster) { return topoplan::interconnect_of(topoplan::make_cluster(cluster)); }

// 10^15 operations a second in 16 bits, memory that takes no time, and the links of an H100 host.
inline topoplan::machine fast_memory() {
  topoplan::machine m;
  m.gpu = "test GPU";
  m.peak_16bit = 1e15;
  m.peak_fp8 = 2e15;
  m.peak_fp4 = 4e15;
  m.memory = 80e9;
  m.memory_rate = std::numeric_limits<double>::infinity();
  static const topoplan::interconnect links = links_of("dgx-h100:4");
  m.links = links;
  return m;
}

// The same with memory of 3 TB/s.
inline topoplan::machine usual_memory() {
  topoplan::machine m = fast_memory();
  m.memory_rate = 3e12;
  return m;
}

// Groups as a packed cluster of 1,024 GPUs, 8 a domain, would have them.
inline topoplan::axis_groups packed(const topoplan::resolved_degrees& d) {
  static const topoplan::cluster c = topoplan::make_cluster("dgx-h100:128");
  return topoplan::ideal_groups(c, d);
}

// A job of a Llama-like model of 8 B parameters on those degrees. pre: they resolve.
inline job llama_job(const topoplan::degrees& d, std::uint64_t ranks) {
  job j;
  j.model = llama_8b();
  j.degrees = topoplan::resolve(d, ranks);
  j.groups = packed(j.degrees);
  j.gpu = usual_memory();
  return j;
}

// A model of two kinds of layers that any tensor parallelism up to 8 divides.
inline topoplan::transformer random_model(random& rng) {
  topoplan::transformer t;
  t.hidden = 512 * static_cast<std::uint32_t>(rng.between(1, 16));
  t.vocabulary = 1024 * static_cast<std::uint32_t>(rng.between(1, 128));
  t.tied_embeddings = rng.below(2) == 0;
  t.prediction_layers = rng.below(4) == 0 ? 1 : 0;
  t.kinds = {random_layer(rng), random_layer(rng)};
  t.layers.assign(16, 0);
  for (auto& kind : t.layers) kind = static_cast<std::uint8_t>(rng.below(2));
  return t;
}

// A legal job: any settings, any degrees up to 8.
inline job random_job(random& rng) {
  const auto power = [&](std::uint64_t most) { return std::uint32_t{1} << static_cast<std::uint32_t>(rng.between(0, most)); };
  job j;
  j.gpu = usual_memory();
  for (;;) {
    j.model = rng.below(3) == 0 ? llama_8b() : rng.below(2) == 0 ? deepseek_v3() : random_model(rng);
    topoplan::training& t = j.settings;
    t = {};
    t.sequence = 1024 * power(3);
    t.micro_batch = power(2);
    t.precision = static_cast<topoplan::precision>(rng.below(5));
    t.recompute = static_cast<topoplan::recomputation>(rng.below(4));
    t.sharding = static_cast<topoplan::sharding>(rng.below(5));
    t.optimizer = static_cast<topoplan::optimizer_kind>(rng.below(5));
    t.sequence_parallel = rng.below(2) == 0;
    t.software = static_cast<topoplan::software_profile>(rng.below(4));
    t.tp_overlap = static_cast<topoplan::toggle>(rng.below(3));
    t.dp_overlap = static_cast<topoplan::toggle>(rng.below(3));
    t.expert_overlap = static_cast<topoplan::toggle>(rng.below(3));
    t.pipeline_overlap = static_cast<topoplan::toggle>(rng.below(3));
    t.tuning = rng.below(4) == 0 ? topoplan::finetuning::lora : topoplan::finetuning::full;
    t.cp_balanced = rng.below(4) != 0;
    const topoplan::degrees d{.tp = power(3), .cp = power(2), .ep = power(3), .expert_tp = power(1), .dp = 0, .pp = power(2)};
    t.virtual_stages = d.pp > 1 ? power(1) : 1;
    try {
      j.degrees = topoplan::resolve(d, std::uint64_t{d.tp} * d.cp * d.pp * power(3));
      t.global_batch = j.degrees.dp * t.micro_batch * d.pp * static_cast<std::uint32_t>(rng.between(1, 4));
      topoplan::check_trainable(j.model, t, j.degrees);
    } catch (const topoplan::error&) {
      continue;
    }
    j.groups = packed(j.degrees);
    for (double* exposed : {&j.factors.tp_exposed, &j.factors.tp_exposed_plain, &j.factors.cp_exposed, &j.factors.expert_exposed,
                            &j.factors.pp_exposed, &j.factors.dp_exposed})
      *exposed = 0.1 * static_cast<double>(rng.between(0, 15));
    return j;
  }
}

}  // namespace topoplan_test
