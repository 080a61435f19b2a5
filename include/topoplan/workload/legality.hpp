// Whether a model can be trained with these degrees and settings, by Megatron's rules.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace topoplan::inline v1 {

namespace detail {

[[nodiscard]] inline std::string indivisible(const std::string& what, std::uint64_t value, const std::string& by,
                                             std::uint64_t divisor) {
  return what + " " + std::to_string(value) + " isn't divisible by " + by + " " + std::to_string(divisor);
}

[[nodiscard]] inline std::string why_not_layer(const layer_kind& k, const resolved_degrees& d) {
  if (k.mixer == mixer_kind::attention) {
    if (k.attention.heads == 0 || k.attention.head_size == 0) return "a layer's attention has no heads";
    if (k.attention.heads % d.tp != 0) return indivisible("the number of attention heads", k.attention.heads, "tp", d.tp);
    const std::uint32_t kv = k.attention.kv_heads;
    if (k.attention.kind == attention_kind::grouped && kv % d.tp != 0 && d.tp % kv != 0)
      return "the number of key-value heads " + std::to_string(kv) + " and tp " + std::to_string(d.tp) +
             " don't divide each other";
  }
  if (k.mixer == mixer_kind::state_space &&
      (k.state_space.heads == 0 || k.state_space.head_size == 0 || k.state_space.groups == 0))
    return "a state space layer has no heads or no groups";
  if (k.mixer == mixer_kind::state_space && (k.state_space.heads % d.tp != 0 || k.state_space.groups % d.tp != 0))
    return "the " + std::to_string(k.state_space.heads) + " heads and " + std::to_string(k.state_space.groups) +
           " groups of the state space layers don't divide by tp " + std::to_string(d.tp);
  if (k.feed_forward == feed_forward_kind::mlp && k.mlp.size == 0) return "the feed-forward width is 0";
  if (k.feed_forward == feed_forward_kind::mlp && k.mlp.size % d.tp != 0)
    return indivisible("the feed-forward width", k.mlp.size, "tp", d.tp);
  if (k.feed_forward == feed_forward_kind::experts) {
    if (k.experts.size == 0) return "the width of an expert is 0";
    if (k.experts.top_k == 0 || k.experts.top_k > k.experts.experts)
      return "a token goes to " + std::to_string(k.experts.top_k) + " of " + std::to_string(k.experts.experts) + " experts";
    if (k.experts.experts % d.ep != 0) return indivisible("the number of experts", k.experts.experts, "ep", d.ep);
    if (k.experts.size % d.expert_tp != 0) return indivisible("the width of an expert", k.experts.size, "expert_tp", d.expert_tp);
    if (k.experts.shared_size % d.tp != 0)
      return indivisible("the width of the shared experts", k.experts.shared_size, "tp", d.tp);
  }
  return {};
}

}  // namespace detail

// Why the model can't be trained so, in one sentence; empty when it can.
// complexity: O(kinds). errors: none.
// source: Megatron-LM megatron/training/arguments.py and core/transformer/transformer_config.py.
[[nodiscard]] inline std::string why_not_trainable(const transformer& model, const training& t, const resolved_degrees& d) {
  using detail::indivisible;
  bool experts = false;
  for (const layer_kind& k : model.kinds) {
    if (std::string why = detail::why_not_layer(k, d); !why.empty()) return why;
    experts = experts || k.feed_forward == feed_forward_kind::experts;
  }
  if (experts && d.tp > 1 && !t.sequence_parallel)
    return "a model with experts and tp " + std::to_string(d.tp) + " needs sequence parallelism";
  if (!experts && d.ep > 1) return "ep is " + std::to_string(d.ep) + ", but the model has no experts";
  if (t.micro_batch == 0) return "the micro-batch is 0";
  if (t.sequence == 0) return "the sequence length is 0";
  const std::uint64_t parts = d.cp > 1 && t.cp_balanced ? 2ULL * d.cp : d.cp;
  if (t.sequence % parts != 0)
    return indivisible("the sequence length", t.sequence, d.cp > 1 && t.cp_balanced ? "2 cp =" : "cp", parts);
  if (t.sequence_parallel && t.sequence / d.cp % d.tp != 0)
    return indivisible("the sequence of a context-parallel rank", t.sequence / d.cp, "tp", d.tp);
  const std::uint64_t step = std::uint64_t{d.dp} * t.micro_batch;
  if (t.global_batch % step != 0)
    return indivisible("the global batch", t.global_batch,
                       "dp " + std::to_string(d.dp) + " * micro-batch " + std::to_string(t.micro_batch) + " =", step);
  if (t.virtual_stages > 1) {
    if (d.pp < 2) return "virtual stages need pp above 1; pp is " + std::to_string(d.pp);
    const std::uint64_t micro_batches = t.global_batch == 0 ? 1 : t.global_batch / step;
    if (micro_batches % d.pp != 0)
      return indivisible("the interleaved schedule needs whole rounds: the number of micro-batches", micro_batches, "pp", d.pp);
  }
  if (std::string why = why_not_split(model, t, d.pp); !why.empty()) return why;
  if (model.vocabulary == 0 || model.hidden == 0 || model.layers.empty()) return "the model has no layers or no vocabulary";
  return {};
}

// Refuses a job that Megatron would refuse. errors: invalid_argument with the rule and the numbers. complexity: O(kinds).
inline void check_trainable(const transformer& model, const training& t, const resolved_degrees& d) {
  if (const std::string why = why_not_trainable(model, t, d); !why.empty())
    throw invalid_argument((model.name.empty() ? std::string("this model") : model.name) + ": " + why);
}

}  // namespace topoplan::inline v1
