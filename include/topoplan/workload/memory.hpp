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

// What a reading of "peak memory" counts: what the allocator holds, or all that the process holds of the GPU.
enum class memory_reading : std::uint8_t { allocator, process };

// Factors of the parts that no formula yields. source: published peaks, benchmarks/accuracy; the process factors are fitted on 31
// nvidia-smi readings of bigscience's tr11-176B-ml sweep, the logits follow from the tensors that a loss keeps.
struct memory_calibration {
  double context = 0.6e9;         // bytes, beside what the allocator counts
  double process_context = 10e9;  // bytes, with communicators and fragmentation of long runs
  double process_states = 1.05;
  double process_activations = 1.3;
  double logit_fused = 6;   // bytes of a logit: a 32-bit softmax that becomes the gradient, and a 16-bit copy
  double logit_plain = 14;  // the same with a loss that keeps its 32-bit softmax
  double usable = 0.99;     // of a GPU's memory: the driver keeps some
  double tight = 0.85;      // of the usable memory; the error of a peak is about 5 %, fragmentation comes on top
  double out = 1.05;        // of the usable memory
};

// Whether a plan's peak leaves room: `tight` means that the prediction can't tell.
enum class memory_verdict : std::uint8_t { fits, tight, out };

// "fits", "tight", "out of memory". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(memory_verdict v) noexcept {
  constexpr std::string_view names[] = {"fits", "tight", "out of memory"};
  return names[static_cast<std::size_t>(v)];
}

// Judges a peak against a GPU's memory. complexity: O(1). errors: none. units: bytes.
[[nodiscard]] constexpr memory_verdict judge_memory(double peak, double capacity, const memory_calibration& c = {}) noexcept {
  const double usable = capacity * c.usable;
  return peak > usable * c.out ? memory_verdict::out : peak > usable * c.tight ? memory_verdict::tight : memory_verdict::fits;
}

namespace detail {

// Bytes that one layer keeps for its backward pass of one micro-batch, without recomputation, and what is kept of it with.
struct layer_activations {
  double whole = 0;
  double kept = 0;
};

// Bytes of an element that a linear layer keeps of its input: as it multiplied it, scales of blocks included.
[[nodiscard]] constexpr double kept_input_bytes(precision p) noexcept {
  switch (p) {
    case precision::bf16:
    case precision::fp16: return 2;
    case precision::fp8: return 1;
    case precision::mxfp8: return 1 + 1.0 / 32;
    case precision::nvfp4: return 0.5 + 1.0 / 16;
  }
  return 2;
}

// One layer while it is summed up. `given_back` is what selective recomputation computes again: outputs of norms and
// activations, and the up projections of latent attention.
struct activation_sum {
  double whole = 0;
  double given_back = 0;
};

constexpr void add_attention(activation_sum& out, const attention_block& a, double hidden, double tokens, double sharded,
                             double input, double tp) noexcept {
  const double value = static_cast<double>(value_size(a));
  const double heads = static_cast<double>(a.heads) / tp;
  const bool latent = a.kind == attention_kind::latent;
  const double kv = latent ? heads : std::max(1.0, static_cast<double>(a.kv_heads) / tp);
  const double core = 2 * tokens * (heads * a.head_size + kv * (a.head_size + value));
  out.whole += (2 + input) * hidden * sharded + core + (input < 2 ? 2 + input : 2) * tokens * heads * value;
  out.given_back += input * hidden * sharded;
  if (latent) {
    out.whole += 2 * sharded * (a.query_rank + a.kv_rank + a.rope_size);
    out.given_back += core;
  }
}

constexpr void add_feed_forward(activation_sum& out, double size, bool gated, double rows, double input) noexcept {
  out.whole += rows * size * (2 * (gated ? 2 : 1) + input);
  out.given_back += rows * size * input;
}

[[nodiscard]] constexpr layer_activations activations_of(const transformer& model, const layer_kind& k, const training& t,
                                                         const resolved_degrees& d) noexcept {
  const double tokens = tokens_per_pass(t, d.cp);
  const double h = model.hidden;
  const double sharded = t.sequence_parallel ? tokens / d.tp : tokens;  // tokens of what norms and residuals keep
  layer_activations out;
  const bool plain = k.mixer == mixer_kind::attention && k.feed_forward == feed_forward_kind::mlp;
  if (t.software == software_profile::megatron_2021 && plain) {
    const double scores = 5 * tokens * t.sequence * k.attention.heads / d.tp;
    const double linear = h * (10 * sharded + 24 * tokens / d.tp);
    out.whole = linear + scores;
    out.kept = t.recompute == recomputation::full        ? 2 * h * sharded
               : t.recompute == recomputation::selective ? linear
               : t.recompute == recomputation::half      ? 0.5 * out.whole + h * sharded
                                                         : out.whole;
    return out;
  }
  const double input = kept_input_bytes(t.precision);
  activation_sum sum;
  if (k.mixer == mixer_kind::attention) add_attention(sum, k.attention, h, tokens, sharded, input, d.tp);
  if (k.mixer == mixer_kind::state_space) {
    const state_space_block& s = k.state_space;
    const double inner = static_cast<double>(s.heads) * s.head_size / d.tp;
    sum.whole += (2 + input) * h * sharded + 2 * tokens * (4 * inner + 2.0 * s.groups * s.state / std::min(d.tp, s.groups));
    sum.given_back += input * h * sharded;
  }
  if (k.feed_forward != feed_forward_kind::none) {
    sum.whole += (2 + input) * h * sharded;
    sum.given_back += input * h * sharded;
  }
  if (k.feed_forward == feed_forward_kind::mlp)
    add_feed_forward(sum, static_cast<double>(k.mlp.size) / d.tp, k.mlp.gated, tokens, input);
  if (k.feed_forward == feed_forward_kind::experts) {
    const expert_block& e = k.experts;
    const double rows = tokens / d.tp * e.top_k * d.expert_tp;
    const double width = e.latent_size != 0 ? e.latent_size : h;
    sum.whole += rows * width * input + tokens / d.tp * e.experts * 8.0;  // 32-bit logits and probabilities of the router
    add_feed_forward(sum, static_cast<double>(e.size) / d.expert_tp, e.gated, rows, input);
    if (e.shared_size != 0) add_feed_forward(sum, static_cast<double>(e.shared_size) / d.tp, e.gated, tokens, input);
  }
  out.whole = sum.whole;
  switch (t.recompute) {
    case recomputation::none: out.kept = out.whole; break;
    case recomputation::selective: out.kept = out.whole - sum.given_back; break;
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
constexpr void add_states(stage_memory& m, const training& t, double parameters, double trained, double replicas,
                          double frozen_bytes, bool pipeline) noexcept {
  if (t.tuning != finetuning::full) {
    m.weights += frozen_bytes * parameters / (t.sharding >= sharding::zero3_kept ? replicas : 1);
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
      // Under a pipeline gradients are whole until the step's last micro-batch.
      m.gradients += t.gradient_bytes * parameters / (pipeline ? 1 : replicas);
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
  const auto micro_batches = static_cast<double>(micro_batches_per_step(t, d.dp));
  const double tokens = tokens_per_pass(t, d.cp);

  double dense = 0;
  double at_ends = 0;  // of dense: tables, head and norms outside the layers, which stay in 16 bits when layers are frozen in 4
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
  if (first) at_ends += static_cast<double>(ends.embedding + ends.positions);
  if (last) {
    at_ends += static_cast<double>(ends.head + ends.norms);
    if (model.tied_embeddings && d.pp > 1) at_ends += static_cast<double>(ends.embedding);
    for (std::uint32_t i = 0; i < model.prediction_layers; ++i) add_layer(model.kinds[model.layers.back()], 1);
    const bool fused = loss_is_fused(t);
    m.logits = tokens * model.vocabulary / d.tp * (fused ? c.logit_fused : c.logit_plain) * (1 + model.prediction_layers);
  }
  const double layer_bytes = t.tuning == finetuning::qlora ? frozen_4bit_bytes : 2;
  detail::add_states(m, t, dense, adapters, replicas, layer_bytes, d.pp > 1);
  detail::add_states(m, t, at_ends, 0, replicas, 2, d.pp > 1);
  detail::add_states(m, t, experts, 0, expert_replicas, layer_bytes, d.pp > 1);
  dense += at_ends;
  m.activations = kept * detail::in_flight(stage, d.pp, std::max(1U, t.virtual_stages), micro_batches);
  if (first) m.activations += 2 * tokens * model.hidden / (t.sequence_parallel ? d.tp : 1);
  if (t.recompute == recomputation::full || t.recompute == recomputation::half) m.workspace += largest_whole - largest_kept;
  // A gradient is made in 16 bits before it is added to a wider one: that of the widest matrix, at an end.
  if ((first || last) && t.gradient_bytes > 2 && t.tuning == finetuning::full)
    m.workspace += 2 * static_cast<double>(model.vocabulary) * model.hidden / d.tp;
  // Sequence parallelism gathers a layer's input, its gradient, and sums its output before it scatters it.
  if (t.sequence_parallel && d.tp > 1) m.workspace += 3 * 2 * tokens * model.hidden;
  if (t.sharding >= sharding::zero3_kept) {
    // Two layers are gathered at a time, one layer's gradients are whole as they are made and, in 32 bits, as they are reduced;
    // under a pipeline the stage's parameters and the sums of its gradients stay whole.
    if (t.tuning == finetuning::full) m.workspace += 6 * largest_layer;
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
