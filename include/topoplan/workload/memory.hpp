// Bytes that a rank of each pipeline stage needs, part by part, and whether they fit.
#pragma once

#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/parameters.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/traffic.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace topoplan::inline v1 {

// What a rank of one stage holds at the peak of a step. units: bytes.
struct stage_memory {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;  // of all micro-batches in flight
  double logits = 0;
  double workspace = 0;  // gathered layers, recomputed layer, expert buffers
  double context = 0;    // CUDA context, communicators, and what the allocator can't use

  [[nodiscard]] constexpr double states() const noexcept { return weights + gradients + optimizer; }
  [[nodiscard]] constexpr double total() const noexcept { return states() + activations + logits + workspace + context; }
  friend bool operator==(const stage_memory&, const stage_memory&) = default;
};

// What a reading of "peak memory" counts: the allocator's own peak, or all that the process holds of the GPU.
enum class memory_reading : std::uint8_t { allocator, process };

// Factors of the parts that no formula yields. source: notes on published peaks; fitted on BigScience's 2022 readings (process).
struct memory_calibration {
  double context = 0.6e9;          // bytes, beside what the allocator counts
  double process_context = 4.2e9;  // bytes, with communicators and fragmentation of long runs
  double process_states = 1.13;
  double process_activations = 1.35;
  double logit_bytes = 10;  // of a logit: 32-bit values, their gradient and a 16-bit copy
  double tight = 0.89;      // of the usable memory; above, a run may fail by fragmentation
  double usable = 0.9905;   // of the memory that a data sheet names: 79.3 of 80 GiB
};

// Whether a plan's peak leaves room: `tight` means within the error of the prediction.
enum class memory_verdict : std::uint8_t { fits, tight, out };

// "fits", "tight", "out of memory". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(memory_verdict v) noexcept {
  constexpr std::string_view names[] = {"fits", "tight", "out of memory"};
  return names[static_cast<std::size_t>(v)];
}

// complexity: O(1). errors: none. units: bytes.
[[nodiscard]] constexpr memory_verdict judge_memory(double peak, double capacity, const memory_calibration& c = {}) noexcept {
  const double usable = capacity * c.usable;
  return peak > usable ? memory_verdict::out : peak > usable * c.tight ? memory_verdict::tight : memory_verdict::fits;
}

namespace detail {

// Bytes that one layer keeps for its backward pass of one micro-batch, without recomputation, and what is kept of it with.
struct layer_activations {
  double whole = 0;
  double kept = 0;
};

[[nodiscard]] constexpr double expert_activations(const expert_block& e, double hidden, double tokens, const resolved_degrees& d,
                                                  double sharded) noexcept {
  const double width = e.latent_size != 0 ? e.latent_size : hidden;
  const double matrices_out = e.gated ? 3 : 2;
  const double rows = tokens / d.tp * e.top_k * d.expert_tp;
  return 2 * hidden * 2 * sharded + rows * 2 * (2 * width + matrices_out * e.size / d.expert_tp) +
         tokens / d.tp * 2 * matrices_out * e.shared_size * (d.tp > 1 ? 1 : 1) + tokens / d.tp * e.experts * 8.0;
}

[[nodiscard]] constexpr layer_activations activations_of(const transformer& model, const layer_kind& k, const training& t,
                                                         const resolved_degrees& d) noexcept {
  const double tokens = tokens_per_pass(t, d.cp);
  const double h = model.hidden;
  const double sharded = t.sequence_parallel ? tokens / d.tp : tokens;  // tokens of what norms and residuals keep
  layer_activations out;
  if (t.software == software_profile::megatron_2021) {
    const double scores = 5.0 * t.micro_batch * t.sequence * t.sequence * k.attention.heads / d.tp;
    const double linear = h * (10 * sharded + 24 * tokens / d.tp);
    out.whole = linear + scores;
    out.kept = t.recompute == recomputation::full        ? 2 * h * sharded
               : t.recompute == recomputation::selective ? linear
               : t.recompute == recomputation::half      ? 0.5 * out.whole + h * sharded
                                                         : out.whole;
    return out;
  }
  double pointwise = 0;  // what selective recomputation gives back: outputs of norms and of the activation
  if (k.mixer == mixer_kind::attention) {
    const attention_block& a = k.attention;
    const double value = static_cast<double>(value_size(a));
    const double heads = static_cast<double>(a.heads) / d.tp;
    const double kv = a.kind == attention_kind::latent ? heads : std::max(1.0, static_cast<double>(a.kv_heads) / d.tp);
    out.whole += 2 * (2 * h * sharded + tokens * (heads * (a.head_size + value) + kv * (a.head_size + value)));
    if (a.kind == attention_kind::latent) out.whole += 2 * sharded * (a.query_rank + a.kv_rank + a.rope_size);
    pointwise += 2 * h * sharded;
  }
  if (k.mixer == mixer_kind::state_space) {
    const state_space_block& s = k.state_space;
    const double inner = static_cast<double>(s.heads) * s.head_size / d.tp;
    out.whole += 2 * (2 * h * sharded + tokens * (4 * inner + 2.0 * s.groups * s.state / d.tp));
    pointwise += 2 * h * sharded;
  }
  if (k.feed_forward == feed_forward_kind::mlp) {
    const double f = static_cast<double>(k.mlp.size) / d.tp;
    out.whole += 2 * (2 * h * sharded + tokens * (k.mlp.gated ? 3 : 2) * f);
    pointwise += 2 * (h * sharded + tokens * f);
  }
  if (k.feed_forward == feed_forward_kind::experts) {
    out.whole += expert_activations(k.experts, h, tokens, d, sharded);
    pointwise += 2 * h * sharded + 2 * tokens / d.tp * k.experts.top_k * k.experts.size;
  }
  switch (t.recompute) {
    case recomputation::none: out.kept = out.whole; break;
    case recomputation::selective: out.kept = out.whole - pointwise; break;
    case recomputation::half: out.kept = 0.5 * out.whole + h * sharded; break;
    case recomputation::full: out.kept = 2 * h * sharded; break;
  }
  return out;
}

// Bytes of the optimizer's states for one parameter that it trains, 32-bit master copy included.
[[nodiscard]] constexpr double optimizer_bytes(const training& t) noexcept {
  const double master = t.master_weights ? 4 : 0;
  switch (t.optimizer) {
    case optimizer_kind::adam: return master + 8;
    case optimizer_kind::adam_bf16_moments: return master + 4;
    case optimizer_kind::adam_8bit: return master + 2;
    case optimizer_kind::sgd_momentum:
    case optimizer_kind::muon: return master + 4;
  }
  return master + 8;
}

// Adds the states of parameters that `replicas` ranks share.
constexpr void add_states(stage_memory& m, const training& t, double parameters, double trained, double replicas) noexcept {
  if (t.tuning != finetuning::full) {
    m.weights += (t.tuning == finetuning::qlora ? 0.53 : 2.0) * parameters / (t.sharding >= sharding::zero3_kept ? replicas : 1);
    m.weights += 2 * trained;
    m.gradients += t.gradient_bytes * trained;
    m.optimizer += optimizer_bytes(t) * trained / (t.sharding == sharding::none ? 1 : replicas);
    return;
  }
  switch (t.sharding) {
    case sharding::none:
      m.weights += 2 * parameters;
      m.gradients += t.gradient_bytes * parameters;
      m.optimizer += optimizer_bytes(t) * parameters;
      break;
    case sharding::zero1:
      m.weights += 2 * parameters;
      m.gradients += t.gradient_bytes * parameters;
      m.optimizer += optimizer_bytes(t) * parameters / replicas;
      break;
    case sharding::zero2:
      m.weights += 2 * parameters;
      m.gradients += t.gradient_bytes * parameters / replicas;
      m.optimizer += optimizer_bytes(t) * parameters / replicas;
      break;
    case sharding::zero3_kept:
    case sharding::zero3:
      // The sharded copy is the 32-bit one, and so are its gradients.
      m.weights += (t.master_weights ? 0 : 2) * parameters / replicas;
      m.gradients += 4 * parameters / replicas;
      m.optimizer += optimizer_bytes(t) * parameters / replicas;
      break;
  }
}

// Micro-batches whose activations stage i holds at once, counted in whole stages.
[[nodiscard]] constexpr double in_flight(std::uint32_t stage, std::uint32_t pp, double virtual_stages,
                                         double micro_batches) noexcept {
  const double p = pp;
  if (virtual_stages <= 1) return std::min(p - stage, micro_batches);
  return std::min(micro_batches, (p * (virtual_stages - 1) + 2 * (p - stage) - 1) / virtual_stages);
}

}  // namespace detail

// The memory of one rank of a stage.
// pre: split is of the same model and d.pp; stage < d.pp. units: bytes. complexity: O(kinds). errors: none.
// source: activations by Korthikanti et al., arXiv 2205.05198, section 4, rewritten for fused attention; states by Rajbhandari
// et al., arXiv 1910.02054, section 3; micro-batches in flight by Narayanan et al., arXiv 2104.04473, section 2.2.
[[nodiscard]] inline stage_memory memory_of_stage(const transformer& model, const training& t, const resolved_degrees& d,
                                                  const stage_split& split, std::uint32_t stage,
                                                  const memory_calibration& c = {}) {
  stage_memory m;
  const tensor_split ranks{d.tp, d.ep, d.expert_tp};
  const double replicas = static_cast<double>(d.dp) * d.cp;
  const double expert_replicas = std::max(1U, d.expert_dp);
  const double samples = t.global_batch != 0 ? t.global_batch : static_cast<double>(t.micro_batch) * d.dp;
  const double micro_batches = std::max(1.0, std::ceil(samples / (static_cast<double>(d.dp) * t.micro_batch) - 1e-9));
  const double tokens = tokens_per_pass(t, d.cp);

  double dense = 0;
  double experts = 0;
  double kept = 0;
  double largest_layer = 0;  // parameters
  double largest_whole = 0;
  double largest_kept = 0;
  double adapters = 0;
  const auto count = split.of(stage);
  const auto add_layer = [&](const layer_kind& k, double times) {
    const layer_parameters p = parameters_of(k, model.hidden, ranks);
    dense += times * static_cast<double>(p.dense());
    experts += times * static_cast<double>(p.routed_experts);
    largest_layer = std::max(largest_layer, static_cast<double>(p.total()));
    const detail::layer_activations a = detail::activations_of(model, k, t, d);
    kept += times * a.kept;
    largest_whole = std::max(largest_whole, a.whole);
    largest_kept = std::max(largest_kept, a.kept);
    if (t.tuning != finetuning::full)
      adapters += times * static_cast<double>(adapter_parameters(k, model.hidden, t.lora_rank)) / d.tp;
  };
  for (std::size_t k = 0; k < count.size(); ++k)
    if (count[k] != 0) add_layer(model.kinds[k], count[k]);
  const end_parameters ends = end_parameters_of(model, d.tp);
  const bool first = stage == 0;
  const bool last = stage + 1 == d.pp;
  if (first) dense += static_cast<double>(ends.embedding + ends.positions);
  if (last) {
    dense += static_cast<double>(ends.head + ends.norms);
    if (model.tied_embeddings && d.pp > 1) dense += static_cast<double>(ends.embedding);
    for (std::uint32_t i = 0; i < model.prediction_layers; ++i) add_layer(model.kinds[model.layers.back()], 1);
    m.logits = tokens * model.vocabulary / d.tp * c.logit_bytes * (1 + model.prediction_layers);
  }
  detail::add_states(m, t, dense, adapters, replicas);
  detail::add_states(m, t, experts, 0, expert_replicas);
  m.activations = kept * detail::in_flight(stage, d.pp, std::max(1U, t.virtual_stages), micro_batches);
  if (first) m.activations += 2 * tokens * model.hidden / (t.sequence_parallel ? d.tp : 1);
  if (t.recompute == recomputation::full || t.recompute == recomputation::half) m.workspace += largest_whole - largest_kept;
  if (t.sharding >= sharding::zero3_kept) {
    // Two layers are gathered at a time; under a pipeline the stage's parameters and 32-bit gradients stay whole.
    m.workspace += d.pp > 1                        ? 6 * (dense + experts)
                   : t.sharding == sharding::zero3 ? 2 * 2 * largest_layer
                                                   : 2 * (dense + experts);
  }
  m.context = c.context;
  return m;
}

// The same peak as a reading of that kind shows it. units: bytes. complexity: O(1). errors: none.
[[nodiscard]] constexpr double reading_of(const stage_memory& m, memory_reading r, const memory_calibration& c = {}) noexcept {
  if (r == memory_reading::allocator) return m.total();
  return c.process_context + c.process_states * m.states() + c.process_activations * (m.activations + m.logits + m.workspace);
}

}  // namespace topoplan::inline v1
