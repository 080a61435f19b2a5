// Seconds of one layer and micro-batch, forward and backward, by what they are spent on.
#pragma once

#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/collective.hpp>
#include <topoplan/cost/detail/kernels.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/flops.hpp>
#include <topoplan/workload/parameters.hpp>
#include <topoplan/workload/traffic.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace topoplan::inline v1 {

// Seconds by what they are spent on. `tp`, `cp` and `ep` are the exposed parts of communication.
struct time_parts {
  double matrices = 0;
  double attention = 0;
  double pointwise = 0;  // norms, activations, residuals, casts, launches between kernels
  double experts = 0;    // routing and permutation
  double state_space = 0;
  double tp = 0;
  double cp = 0;
  double ep = 0;

  [[nodiscard]] constexpr double compute() const noexcept { return matrices + attention + pointwise + experts + state_space; }
  [[nodiscard]] constexpr double total() const noexcept { return compute() + tp + cp + ep; }
  constexpr time_parts& operator+=(const time_parts& o) noexcept {
    matrices += o.matrices;
    attention += o.attention;
    pointwise += o.pointwise;
    experts += o.experts;
    state_space += o.state_space;
    tp += o.tp;
    cp += o.cp;
    ep += o.ep;
    return *this;
  }
  friend constexpr time_parts operator*(double f, time_parts p) noexcept {
    p.matrices *= f;
    p.attention *= f;
    p.pointwise *= f;
    p.experts *= f;
    p.state_space *= f;
    p.tp *= f;
    p.cp *= f;
    p.ep *= f;
    return p;
  }
};

// Seconds of communication that other work covers, by axis.
struct hidden_time {
  double tp = 0;
  double cp = 0;
  double ep = 0;
  double pp = 0;
  double dp = 0;

  [[nodiscard]] constexpr double total() const noexcept { return tp + cp + ep + pp + dp; }
  constexpr hidden_time& operator+=(const hidden_time& o) noexcept {
    tp += o.tp;
    cp += o.cp;
    ep += o.ep;
    pp += o.pp;
    dp += o.dp;
    return *this;
  }
  friend constexpr hidden_time operator*(double f, hidden_time h) noexcept {
    h.tp *= f;
    h.cp *= f;
    h.ep *= f;
    h.pp *= f;
    h.dp *= f;
    return h;
  }
};

// One layer and micro-batch of one rank. `again` is what recomputation adds to the backward pass; `hidden` is the
// communication that other work covers.
struct layer_time {
  time_parts forward;
  time_parts backward;
  time_parts again;
  hidden_time hidden;

  [[nodiscard]] constexpr double total() const noexcept { return forward.total() + backward.total() + again.total(); }
};

namespace detail {

// What a layer is priced with: one place for all that the functions below share.
struct layer_pricing {
  const transformer& model;
  const training& settings;
  const resolved_degrees& degrees;
  const axis_groups& groups;
  const machine& gpu;
  const step_calibration& factors;
  kernel_rates rates;
  double tokens;       // of a micro-batch on a tensor-parallel group
  double rows;         // tokens that pointwise work of one rank sees
  double weight_pass;  // weight gradients: 1, or 0 where weights are frozen
};

[[nodiscard]] inline bool frozen(const training& t) noexcept { return t.tuning != finetuning::full; }

[[nodiscard]] inline layer_pricing pricing_of(const transformer& model, const training& t, const resolved_degrees& d,
                                              const axis_groups& groups, const machine& m, const step_calibration& c) noexcept {
  const double tokens = tokens_per_pass(t, d.cp);
  const bool sharded = t.sequence_parallel && d.tp > 1;
  return {model, t, d, groups, m, c, rates_of(m, c, t), tokens, sharded ? tokens / d.tp : tokens, frozen(t) ? 0.0 : 1.0};
}

// Adds the time of linear layers to both passes.
inline void add_linear(layer_time& out, double forward, double backward_passes) noexcept {
  out.forward.matrices += forward;
  out.backward.matrices += forward * backward_passes;
}

inline void price_attention_core(const layer_pricing& p, const attention_block& a, layer_time& out) noexcept {
  const double heads = static_cast<double>(a.heads) / p.degrees.tp;
  const double sequence = p.settings.sequence;
  const double values = static_cast<double>(value_size(a));
  if (p.rates.fused_attention) {
    double keys = tokens_seen(a, p.settings.sequence, attention_pairs::causal);
    if (p.degrees.cp > 1 && !p.settings.cp_balanced) {
      // All wait for the context-parallel rank at the end of the sequence: its pairs are those that the tokens before it haven't.
      const std::uint32_t part = p.settings.sequence / p.degrees.cp;
      const std::uint32_t before = p.settings.sequence - part;
      keys = (sequence * keys - before * tokens_seen(a, before, attention_pairs::causal)) / part;
    }
    // A score costs its products and an exponential; at heads of 128 the two take as long.
    // source: Shah et al., "FlashAttention-3", 2024, section 3.2: exponentials against matrix throughput.
    constexpr double exponential = 128;
    const double work = 2 * p.tokens * keys * heads * (0.5 * (a.head_size + values) + exponential);
    out.forward.attention += work / p.rates.attention + p.rates.launch;
    out.backward.attention += 2.5 * work / p.rates.attention_backward + p.rates.launch;
    return;
  }
  // Unfused: scores of all pairs are computed, stored in 16 bits, and read again by softmax and dropout: 9 bytes a score forward
  // (read and written by scale, mask and softmax, then by dropout with its mask), 13 backward. Batched products of narrow heads
  // reach 0.6 of what large matrices do. source: Korthikanti et al., arXiv 2205.05198, section 4.1 for the tensors; 0.6 by fit.
  const double scores = p.tokens * sequence * heads;
  const double odd = a.head_size % 8 != 0 ? 4 : 1;  // no tensor cores: the kernels fall back
  const double products = odd * 2 * scores * (a.head_size + values) / (p.rates.half * 0.6);
  out.forward.attention += products + (2 * 2 + 9) * scores / p.rates.memory;
  out.backward.attention += 2 * products + (4 * 2 + 13) * scores / p.rates.memory;
}

inline void price_attention(const layer_pricing& p, const attention_block& a, layer_time& out) noexcept {
  const double t = p.degrees.tp;
  const double h = p.model.hidden;
  const double heads = a.heads / t;
  const double values = static_cast<double>(value_size(a));
  double forward = 0;
  if (a.kind == attention_kind::latent) {
    const double nope = a.head_size - a.rope_size;
    forward += a.query_rank != 0
                   ? linear(p.rates, p.rows, a.query_rank, h) + linear(p.rates, p.tokens, heads * a.head_size, a.query_rank)
                   : linear(p.rates, p.tokens, heads * a.head_size, h);
    forward += linear(p.rates, p.rows, a.kv_rank + a.rope_size, h);
    const double up = linear(p.rates, p.tokens, heads * (nope + values), a.kv_rank);
    forward += up;
    if (p.settings.recompute == recomputation::selective)
      out.again.matrices += up + (a.query_rank != 0 ? linear(p.rates, p.tokens, heads * a.head_size, a.query_rank) : 0);
  } else {
    const double kv = std::max(1.0, a.kv_heads / t);
    forward += linear(p.rates, p.tokens, heads * a.head_size + kv * (a.head_size + values), h);
  }
  forward += linear(p.rates, p.tokens, h, heads * values);
  add_linear(out, forward, 1 + p.weight_pass);
  price_attention_core(p, a, out);
  const double kv = a.kind == attention_kind::latent ? heads : std::max(1.0, a.kv_heads / t);
  const double moved = (5.25 * h * p.rows + p.tokens * a.head_size * (heads + 2 * kv)) * 2 * p.rates.pointwise;
  const double casts = (h * p.tokens + heads * values * p.tokens) * p.rates.quantization;
  out.forward.pointwise += (moved + casts) / p.rates.memory;
  out.backward.pointwise += 2 * (moved + casts) / p.rates.memory;
}

inline void price_state_space(const layer_pricing& p, const state_space_block& s, layer_time& out) noexcept {
  const double t = p.degrees.tp;
  const double h = p.model.hidden;
  const double inner = static_cast<double>(s.heads) * s.head_size / t;
  const double mixed = 2.0 * s.groups * s.state / std::min<double>(t, s.groups);
  const double forward = linear(p.rates, p.tokens, 2 * inner + mixed + s.heads / t, h) + linear(p.rates, p.tokens, h, inner);
  add_linear(out, forward, 1 + p.weight_pass);
  // Within a chunk every token meets half of the others; across chunks states are formed and read.
  const double chunk = s.chunk;
  const double scan = 2 * p.tokens * (chunk / 2 * (inner + mixed / 2) + 2 * inner * s.state);
  const double moved = p.tokens * (4 * inner + mixed) * 2 * 3 + 5.25 * h * p.rows * 2 * p.rates.pointwise;
  const double matrices = scan / (p.rates.half * 0.5);
  const double memory = moved / p.rates.memory;
  out.forward.state_space += p.factors.state_space * (matrices + memory);
  out.backward.state_space += p.factors.state_space * (2.5 * matrices + 2 * memory);
}

inline void price_mlp(const layer_pricing& p, double size, bool gated, layer_time& out) noexcept {
  const double f = size / p.degrees.tp;
  const double h = p.model.hidden;
  const double forward = linear(p.rates, p.tokens, (gated ? 2 : 1) * f, h) + linear(p.rates, p.tokens, h, f);
  add_linear(out, forward, 1 + p.weight_pass);
  const double moved = (5.25 * h * p.rows + (gated ? 3 : 2) * f * p.tokens) * 2 * p.rates.pointwise;
  const double casts = (h + (gated ? 2 : 1) * f) * p.tokens * p.rates.quantization;
  out.forward.pointwise += (moved + casts) / p.rates.memory;
  out.backward.pointwise += 2 * (moved + casts) / p.rates.memory;
}

inline void price_experts(const layer_pricing& p, const expert_block& e, layer_time& out) noexcept {
  const double h = e.latent_size != 0 ? e.latent_size : p.model.hidden;
  const double routed = p.tokens / p.degrees.tp * e.top_k;  // rows that one rank sends
  const double rows = routed * p.degrees.expert_tp;         // rows that its experts work on, with balanced routing
  const double local = std::max(1.0, static_cast<double>(e.experts) / p.degrees.ep);
  const double f = static_cast<double>(e.size) / p.degrees.expert_tp;
  const double rate = p.rates.linear * p.factors.expert_matmul;
  const double forward = matmul(p.rates, rate, p.rates.input_bytes, rows / local, (e.gated ? 2 : 1) * f, h, local) +
                         matmul(p.rates, rate, p.rates.input_bytes, rows / local, h, f, local);
  add_linear(out, forward, 1 + p.weight_pass);
  if (e.latent_size != 0) {
    const double projections = 2 * linear(p.rates, p.rows, e.latent_size, p.model.hidden);
    add_linear(out, projections, 1 + p.weight_pass);
  }
  const double router = half_linear(p.rates, p.tokens / p.degrees.tp, e.experts, p.model.hidden);
  add_linear(out, router, 1 + p.weight_pass);
  if (e.shared_size != 0) {
    layer_time shared;
    price_mlp(p, e.shared_size, e.gated, shared);
    out.forward += shared.forward;
    out.backward += shared.backward;
  } else {
    const double moved = 5.25 * p.model.hidden * p.rows * 2 * p.rates.pointwise;
    out.forward.pointwise += moved / p.rates.memory;
    out.backward.pointwise += 2 * moved / p.rates.memory;
  }
  const double release = p.settings.release_factor;
  // Biases of experts are added, and their gradients summed, in passes of their own.
  const double biases = e.bias ? 4 * (h + (e.gated ? 2 : 1) * f) : 0;
  const double moved = rows * (12 * h + 6 * f + biases) * p.factors.expert_traffic * release;
  const double casts = rows * (h + (e.gated ? 2 : 1) * f) * p.rates.quantization;
  out.forward.experts += (moved + casts) / p.rates.memory + p.factors.expert_layer * release;
  out.backward.experts += (1.7 * moved + 2 * casts) / p.rates.memory + p.factors.expert_layer * release;
}

// Seconds of an all-to-all of expert tokens: one copy of a token goes to each other domain that holds one of its experts.
[[nodiscard]] inline double expert_exchange(const layer_pricing& p, const message& m, std::uint32_t top_k) noexcept {
  const group_shape& g = p.groups.ep;
  if (g.in_domain()) return collective_seconds(p.gpu.links, collective::all_to_all, m.bytes, g);
  const double k = g.domains;
  const double copies = k * (1 - std::pow(1 - 1 / k, top_k)) * (k - 1) / k / top_k;
  const double inside = collective_seconds(p.gpu.links, collective::all_to_all, m.bytes, group_in_domain(g.per_domain));
  // The exchange model sends (n - d)/n of the buffer; scale the buffer so that what leaves is what the copies need.
  const double leaves = static_cast<double>(g.ranks - g.per_domain) / g.ranks;
  const double outside = collective_seconds(p.gpu.links, collective::all_to_all, m.bytes * copies / leaves, g);
  return std::max(inside, outside);
}

[[nodiscard]] inline const group_shape& shape_of(const axis_groups& g, axis a) noexcept {
  switch (a) {
    case axis::tp: return g.tp;
    case axis::cp: return g.cp;
    case axis::ep: return g.ep;
    case axis::dp: return g.dp_cp;
    case axis::pp: return g.pp;
    case axis::expert_tp: return g.expert_tp;
    case axis::expert_dp: return g.expert_dp;
  }
  return g.tp;
}

// What of a layer's forward pass the backward pass computes again, communication included.
[[nodiscard]] constexpr double repeated(recomputation r) noexcept {
  return r == recomputation::full ? 1 : r == recomputation::half ? 0.5 : 0;
}

// What of a message's time shows, forward and backward, and what would show if nothing overlapped: collectives inside a step
// take another time than alone.
struct exposure {
  double forward = 1;
  double backward = 1;
  double plain = 1;
};

[[nodiscard]] inline exposure exposure_of(const layer_pricing& p, const message& m) noexcept {
  const step_calibration& c = p.factors;
  if (m.over == axis::cp) return {c.cp_exposed, c.cp_exposed, 1};
  if (m.over == axis::ep) {
    const double part =
        is_on(p.settings.expert_overlap, false) ? std::min(c.expert_exposed_overlapped, c.expert_exposed) : c.expert_exposed;
    return {part, part, c.expert_exposed};
  }
  // With sequence parallelism gathers and scatters run beside their own matrices; an all-reduce of input gradients runs
  // beside the weight gradient.
  const double plain = c.tp_exposed_plain;
  if (!is_on(p.settings.tp_overlap, p.settings.software != software_profile::megatron_2021)) return {plain, plain, plain};
  if (m.what == collective::all_reduce) return {plain, plain * c.tp_exposed_backward, plain};
  return {c.tp_exposed, c.tp_exposed, plain};
}

inline void price_messages(const layer_pricing& p, const layer_kind& kind, layer_time& out) noexcept {
  const double again = repeated(p.settings.recompute);
  for (const message& m : traffic_of_layer(p.model, kind, p.settings, p.degrees)) {
    const group_shape& g = shape_of(p.groups, m.over);
    double once =
        m.over == axis::ep ? expert_exchange(p, m, kind.experts.top_k) : collective_seconds(p.gpu.links, m.what, m.bytes, g);
    const bool tensor = m.over == axis::tp || m.over == axis::expert_tp;
    if (tensor && !g.in_domain()) once *= p.factors.tp_across_domains;
    const exposure part = exposure_of(p, m);
    const double covered = once * ((1 + again) * m.forward * std::max(0.0, part.plain - part.forward) +
                                   m.backward * std::max(0.0, part.plain - part.backward));
    double time_parts::* const axis_part = tensor ? &time_parts::tp : m.over == axis::ep ? &time_parts::ep : &time_parts::cp;
    double hidden_time::* const hidden_part = tensor               ? &hidden_time::tp
                                              : m.over == axis::ep ? &hidden_time::ep
                                                                   : &hidden_time::cp;
    out.forward.*axis_part += once * m.forward * part.forward;
    out.backward.*axis_part += once * m.backward * part.backward;
    out.hidden.*hidden_part += covered;
  }
}

inline void price_recomputation(const layer_pricing& p, layer_time& out) noexcept {
  switch (p.settings.recompute) {
    case recomputation::none: return;
    case recomputation::full:
    case recomputation::half: out.again = repeated(p.settings.recompute) * out.forward; return;
    case recomputation::selective:
      if (p.rates.fused_attention) out.again.pointwise = out.forward.pointwise;
      else out.again.attention = out.forward.attention;
  }
}

// Frozen matrices: adapters run beside them, in 16 bits and with the gradients of both factors; those in 4 bits are widened
// before each pass, read once and written once.
inline void price_adapters(const layer_pricing& p, const layer_kind& kind, layer_time& out) noexcept {
  const double sizes = static_cast<double>(adapter_parameters(kind, p.model.hidden, 1)) / p.degrees.tp;
  if (sizes > 0) add_linear(out, half_linear(p.rates, p.tokens, sizes, p.settings.lora_rank), 2);
  if (p.settings.tuning != finetuning::qlora) return;
  const layer_parameters own = parameters_of(kind, p.model.hidden, {p.degrees.tp, p.degrees.ep, p.degrees.expert_tp});
  const double widened = static_cast<double>(own.total()) * (frozen_4bit_bytes + half_precision_bytes) / p.rates.memory;
  out.forward.pointwise += widened;
  out.backward.pointwise += widened;
}

[[nodiscard]] inline layer_time price_layer(const layer_pricing& p, const layer_kind& kind) noexcept {
  layer_time out;
  if (kind.mixer == mixer_kind::attention) price_attention(p, kind.attention, out);
  if (kind.mixer == mixer_kind::state_space) price_state_space(p, kind.state_space, out);
  if (kind.feed_forward == feed_forward_kind::mlp) price_mlp(p, kind.mlp.size, kind.mlp.gated, out);
  if (kind.feed_forward == feed_forward_kind::experts) price_experts(p, kind.experts, out);
  out.forward.pointwise += p.factors.layer;
  out.backward.pointwise += p.factors.layer;
  if (frozen(p.settings)) price_adapters(p, kind, out);
  price_messages(p, kind, out);
  price_recomputation(p, out);
  return out;
}

}  // namespace detail

}  // namespace topoplan::inline v1
