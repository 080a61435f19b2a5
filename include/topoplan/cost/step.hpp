// Seconds of one training step: layers, pipeline, data parallelism, optimizer; the slowest stage sets the pace.
#pragma once

#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/collective.hpp>
#include <topoplan/cost/layer.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/parameters.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace topoplan::inline v1 {

// Seconds of one step by what they are spent on, on the critical path.
struct step_time {
  double seconds = 0;
  time_parts layers;      // of the slowest stage, all micro-batches
  double again = 0;       // of that stage: recomputation, its communication included
  double ends = 0;        // embedding, head and loss, multi-token prediction
  double accumulate = 0;  // adding gradients of micro-batches
  double bubble = 0;      // the slowest stage waits for others
  double pp = 0;          // exposed sends and receives
  double dp = 0;          // exposed reduction of gradients and gathering of parameters, of tied token tables too
  double optimizer = 0;
  double fixed = 0;      // host work, once a step
  double straggler = 0;  // waiting for the slowest host
  hidden_time hidden;    // communication that other work covers, not part of seconds
  std::uint32_t slowest_stage = 0;
};

// Parameters that one rank holds of a layer.
struct rank_parameters {
  double dense = 0;
  double experts = 0;   // routed ones
  double adapters = 0;  // trained beside frozen ones
};

// What a stage's layers cost, shared by all plans that differ only in pipeline depth, batch and data parallelism.
struct priced_layers {
  std::vector<layer_time> kinds;            // by kind, one layer and micro-batch
  std::vector<rank_parameters> parameters;  // by kind, of one layer on one rank
  layer_time head;                          // head and loss, those of prediction layers too; one micro-batch
  layer_time prediction;                    // layers of multi-token prediction, one micro-batch
  layer_time embedding;                     // one micro-batch
  double head_parameters = 0;               // of one rank
  double embedding_parameters = 0;
  double table_parameters = 0;           // of the token table, without positions
  double expert_parameters_of_head = 0;  // of prediction layers
};

namespace detail {

inline void price_ends(const layer_pricing& p, priced_layers& out) noexcept {
  const double t = p.degrees.tp;
  const double h = p.model.hidden;
  const double words = p.model.vocabulary / t;
  const bool fused = loss_is_fused(p.settings);
  const double width = p.model.embedding_size != 0 ? p.model.embedding_size : h;
  double forward = half_linear(p.rates, p.tokens, words, width);
  if (p.model.embedding_size != 0 && p.model.embedding_size != p.model.hidden) forward += half_linear(p.rates, p.rows, width, h);
  // Bytes of a logit that a loss moves, both ways: read in 16 bits, written and read in 32, its gradient in 16; unfused losses
  // write and read two 32-bit copies more.
  const double loss = p.tokens * words * (fused ? 14 : 24) / p.rates.memory;
  layer_time& head = out.head;
  head.forward.matrices += forward;
  head.backward.matrices += forward * (1 + p.weight_pass);
  head.forward.pointwise += loss / 2;
  head.backward.pointwise += loss / 2;
  if (p.degrees.tp > 1) {
    // The parts of the token table are summed, and so are the head's input gradients; sequence parallelism scatters and gathers.
    const double state = p.tokens * h * half_precision_bytes;
    const auto once = [&](collective what) {
      return p.factors.tp_exposed_plain * collective_seconds(p.gpu.links, what, state, p.groups.tp);
    };
    if (p.settings.sequence_parallel) {
      out.embedding.forward.tp += once(collective::reduce_scatter);
      out.embedding.backward.tp += once(collective::all_gather);
      head.forward.tp += once(collective::all_gather);
      head.backward.tp += once(collective::reduce_scatter);
    } else {
      out.embedding.forward.tp += once(collective::all_reduce);
      head.backward.tp += once(collective::all_reduce);
    }
  }
  out.embedding.forward.pointwise += p.tokens * h * half_precision_bytes / p.rates.memory;
  out.embedding.backward.pointwise += 2 * p.tokens * h * half_precision_bytes / p.rates.memory;
  for (std::uint32_t i = 0; i < p.model.prediction_layers; ++i) {
    const layer_time& last = out.kinds[p.model.layers.back()];
    out.prediction.forward += last.forward;
    out.prediction.backward += last.backward;
    out.prediction.again += last.again;
    out.prediction.hidden += last.hidden;
    const double both = linear(p.rates, p.tokens, h / t, 2 * h);
    add_linear(out.prediction, both, 1 + p.weight_pass);
    head.forward.matrices += forward;
    head.backward.matrices += forward * (1 + p.weight_pass);
    head.forward.pointwise += loss / 2;
    head.backward.pointwise += loss / 2;
  }
}

// One data-parallel exchange of a rank: gradients out, parameters in.
struct replica_exchange {
  double reduce = 0;
  double gather = 0;
};

[[nodiscard]] inline replica_exchange exchange_of(const machine& m, const training& t, double parameters,
                                                  const group_shape& g) noexcept {
  if (parameters <= 0 || g.ranks <= 1) return {};
  const double gradients = parameters * t.reduction_bytes;
  if (t.sharding == sharding::none) return {collective_seconds(m.links, collective::all_reduce, gradients, g), 0};
  return {collective_seconds(m.links, collective::reduce_scatter, gradients, g),
          collective_seconds(m.links, collective::all_gather, parameters * half_precision_bytes, g)};
}

// Bytes that the optimizer moves for one parameter: the 32-bit gradient twice (its norm, the update), master copy and states read
// and written, the 16-bit parameter written.
[[nodiscard]] constexpr double optimizer_traffic(const training& t) noexcept {
  switch (t.optimizer) {
    case optimizer_kind::adam: return 34;
    case optimizer_kind::adam_bf16_moments: return 26;
    case optimizer_kind::adam_8bit: return 22;
    case optimizer_kind::sgd_momentum: return 26;
    case optimizer_kind::muon: return 26;
  }
  return 34;
}

}  // namespace detail

// Prices the layers and the two ends of a model under these degrees: the part of a prediction that plans share.
// complexity: O(kinds). errors: none. source: detail/kernels.hpp and layer.hpp name theirs.
[[nodiscard]] inline priced_layers price_layers(const transformer& model, const training& t, const resolved_degrees& d,
                                                const axis_groups& groups, const machine& m, const step_calibration& c) {
  const detail::layer_pricing p = detail::pricing_of(model, t, d, groups, m, c);
  const tensor_split split{d.tp, d.ep, d.expert_tp};
  priced_layers out;
  out.kinds.reserve(model.kinds.size());
  out.parameters.reserve(model.kinds.size());
  for (const layer_kind& kind : model.kinds) {
    out.kinds.push_back(detail::price_layer(p, kind));
    const layer_parameters own = parameters_of(kind, model.hidden, split);
    const double adapters =
        detail::frozen(t) ? static_cast<double>(adapter_parameters(kind, model.hidden, t.lora_rank)) / d.tp : 0;
    out.parameters.push_back({static_cast<double>(own.dense()), static_cast<double>(own.routed_experts), adapters});
  }
  const end_parameters ends = end_parameters_of(model, d.tp);
  out.embedding_parameters = static_cast<double>(ends.embedding + ends.positions);
  out.table_parameters = static_cast<double>(ends.embedding);
  out.head_parameters = static_cast<double>(ends.head + ends.norms);
  if (model.prediction_layers != 0) {
    const layer_parameters own = prediction_parameters(model, split);
    out.head_parameters += model.prediction_layers * static_cast<double>(own.dense());
    out.expert_parameters_of_head = model.prediction_layers * static_cast<double>(own.routed_experts);
  }
  detail::price_ends(p, out);
  return out;
}

namespace detail {

// One stage: what a micro-batch and what its parameters cost.
struct stage_cost {
  layer_time layers;
  layer_time ends;
  double send = 0;
  double accumulate = 0;
  double dense = 0;     // parameters of one rank
  double experts = 0;   // parameters of one rank
  double adapters = 0;  // parameters of one rank
  [[nodiscard]] double micro_batch() const noexcept { return layers.total() + ends.total() + send + accumulate; }
};

inline void add(layer_time& to, double times, const layer_time& what) noexcept {
  to.forward += times * what.forward;
  to.backward += times * what.backward;
  to.again += times * what.again;
  to.hidden += times * what.hidden;
}

// Fully sharded data parallelism: parameters are gathered for each pass of each micro-batch, layer by layer; gradients of those
// that aren't frozen are scattered.
[[nodiscard]] inline double gather_seconds(const machine& m, const training& t, const stage_cost& s, double layers,
                                           const axis_groups& g, double passes) noexcept {
  const auto of = [&](double parameters, const group_shape& shape) {
    if (parameters <= 0 || shape.ranks <= 1 || layers <= 0) return 0.0;
    const double gathers = t.sharding == sharding::zero3 ? 2 : 1;
    const double one = parameters / layers;
    return layers * passes *
           (gathers * collective_seconds(m.links, collective::all_gather, one * half_precision_bytes, shape) +
            (frozen(t) ? 0 : collective_seconds(m.links, collective::reduce_scatter, one * t.reduction_bytes, shape)));
  };
  if (t.software != software_profile::megatron_2021) return of(s.dense, g.dp_cp) + of(s.experts, g.expert_dp);
  // Stacks of 2021 gather through one NIC of a host, however many it has.
  group_shape narrow = g.dp_cp;
  narrow.per_domain = narrow.per_host = 1;
  narrow.domains = narrow.hosts = narrow.ranks;
  return of(s.dense + s.experts, narrow);
}

}  // namespace detail

// Seconds of one step, from priced layers.
// pre: split is of the same model and pp; priced was made with the same tp, cp, ep, expert_tp and settings, and groups.
// complexity: O(pp * kinds). errors: none (a global batch that doesn't divide is rounded up to whole micro-batches).
// source: 1F1B and interleaved schedules, Narayanan et al., arXiv 2104.04473: micro-batches times the slowest stage, plus the
// other stages once, over the number of virtual stages.
[[nodiscard]] inline step_time time_of_step(const transformer& model, const training& t, const resolved_degrees& d,
                                            const axis_groups& groups, const machine& m, const step_calibration& c,
                                            const priced_layers& priced, const stage_split& split) {
  using detail::stage_cost;
  const bool old = t.software == software_profile::megatron_2021;
  const bool fully_sharded = t.sharding == sharding::zero3 || t.sharding == sharding::zero3_kept;
  const double v = std::max(1U, t.virtual_stages);
  const auto micro_batches = static_cast<double>(micro_batches_per_step(t, d.dp));
  const double memory_rate = m.memory_rate * c.memory;

  double send = 0;
  double hidden_send = 0;
  if (d.pp > 1) {
    const double state = tokens_per_pass(t, d.cp) * model.hidden * detail::half_precision_bytes;
    const bool scattered = d.tp > 1 && (t.sequence_parallel || old);
    double once = collective_seconds(m.links, collective::send_recv, scattered ? state / d.tp : state, groups.pp);
    if (scattered && !t.sequence_parallel) once += collective_seconds(m.links, collective::all_gather, state, groups.tp);
    const bool overlapped = is_on(t.pipeline_overlap, !old && v > 1);
    const double exposed = overlapped ? c.pp_exposed : c.pp_exposed_plain;
    send = 2 * v * once * exposed;
    hidden_send = 2 * v * once * std::max(0.0, (overlapped ? c.pp_exposed_plain : exposed) - exposed);
  }

  step_time out;
  stage_cost slowest;
  double slowest_time = -1;
  double all_stages = 0;
  double most_dense = 0;
  double most_experts = 0;
  double most_adapters = 0;
  double gather = 0;
  double time = 0;
  for (std::uint32_t stage = 0; stage < d.pp; ++stage) {
    const std::span<const std::uint32_t> count = split.of(stage);
    // Most stages in the middle hold the same layers as the one before.
    if (stage > 1 && stage + 1 < d.pp && std::equal(count.begin(), count.end(), split.of(stage - 1).begin())) {
      all_stages += time;
      continue;
    }
    stage_cost s;
    double layers = 0;
    for (std::size_t k = 0; k < count.size(); ++k) {
      if (count[k] == 0) continue;
      detail::add(s.layers, count[k], priced.kinds[k]);
      s.dense += count[k] * priced.parameters[k].dense;
      s.experts += count[k] * priced.parameters[k].experts;
      s.adapters += count[k] * priced.parameters[k].adapters;
      layers += count[k];
    }
    if (stage == 0) {
      detail::add(s.ends, 1, priced.embedding);
      s.dense += priced.embedding_parameters;
    }
    if (stage + 1 == d.pp) {
      detail::add(s.layers, 1, priced.prediction);
      detail::add(s.ends, 1, priced.head);
      s.dense += priced.head_parameters;
      if (model.tied_embeddings && d.pp > 1) s.dense += priced.table_parameters;
      s.experts += priced.expert_parameters_of_head;
    }
    s.send = send;
    // A 16-bit gradient is read, the sum read and written; kernels that add it in place save half of a pass.
    if (!detail::frozen(t)) s.accumulate = (s.dense + s.experts) * (2 + t.gradient_bytes * (old ? 2 : 1.5)) / memory_rate;
    time = s.micro_batch();
    all_stages += time;
    if (time > slowest_time) {
      slowest_time = time;
      slowest = s;
      out.slowest_stage = stage;
    }
    most_dense = std::max(most_dense, s.dense);
    most_experts = std::max(most_experts, s.experts);
    most_adapters = std::max(most_adapters, s.adapters);
    if (fully_sharded)
      gather = std::max(gather, detail::gather_seconds(m, t, s, layers + 1, groups, d.pp > 1 ? 1 : micro_batches));
  }

  out.layers = micro_batches * (slowest.layers.forward);
  out.layers += micro_batches * slowest.layers.backward;
  out.again = micro_batches * slowest.layers.again.total();
  out.ends = micro_batches * slowest.ends.total();
  out.pp = micro_batches * send;
  out.accumulate = micro_batches * slowest.accumulate;
  out.hidden = micro_batches * slowest.layers.hidden;
  out.hidden += micro_batches * slowest.ends.hidden;
  out.hidden.pp = micro_batches * hidden_send;
  out.bubble = (all_stages - slowest_time) / v;
  const double pipeline = micro_batches * slowest_time + out.bubble;

  // Frozen parameters send nothing and have no states; their adapters do.
  const bool frozen = detail::frozen(t);
  const double trained_dense = frozen ? most_adapters : most_dense;
  const double trained_experts = frozen ? 0 : most_experts;
  if (fully_sharded) {
    const double comm = gather / c.gather_rate;
    const bool prefetched = t.software == software_profile::megatron_core || old;
    // The first gather and the last scatter have nothing to hide behind.
    const double part = std::min(0.97, prefetched ? c.gather_hidden_prefetched : c.gather_hidden);
    const double hidden = part * std::min(pipeline, comm);
    out.dp = comm - hidden;
    out.hidden.dp = hidden;
  } else {
    const detail::replica_exchange dense = detail::exchange_of(m, t, trained_dense, groups.dp_cp);
    const detail::replica_exchange experts = detail::exchange_of(m, t, trained_experts, groups.expert_dp);
    // Sharded gradients leave after each micro-batch; under a pipeline they are kept whole until the last.
    const double times = t.sharding == sharding::zero2 && d.pp == 1 ? micro_batches : 1;
    const double comm = (times * (dense.reduce + experts.reduce) + dense.gather + experts.gather) / c.dp_rate;
    const bool overlapped = is_on(t.dp_overlap, !old);
    const double shows = std::min(1.0, c.dp_exposed);
    out.dp = overlapped ? shows * comm + std::max(0.0, (1 - shows) * comm - times * slowest_time) : comm;
    out.hidden.dp = comm - out.dp;
  }
  if (model.tied_embeddings && d.pp > 1) {
    // First and last stage add up their gradients of the token table, when both are done.
    group_shape ends = groups.pp;
    ends.ranks = 2;
    ends.domains = std::min(2U, ends.domains);
    ends.hosts = std::min(2U, ends.hosts);
    ends.per_domain = 2 / ends.domains;
    ends.per_host = 2 / ends.hosts;
    if (!frozen) out.dp += collective_seconds(m.links, collective::all_reduce, priced.table_parameters * t.reduction_bytes, ends);
  }
  const bool sharded_states = t.sharding != sharding::none;
  const double local =
      trained_dense / (sharded_states ? groups.dp_cp.ranks : 1) + trained_experts / (sharded_states ? groups.expert_dp.ranks : 1);
  out.optimizer = local * detail::optimizer_traffic(t) / memory_rate;
  out.fixed = c.step;
  const double sum = pipeline + out.dp + out.optimizer + out.fixed;
  const double hosts = std::max(1.0, static_cast<double>(d.world()) / 8);
  out.straggler = sum * c.straggler * std::log2(hosts);
  out.seconds = sum + out.straggler;
  return out;
}

}  // namespace topoplan::inline v1
