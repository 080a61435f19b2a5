// Parameters of a transformer, exact to the last bias: by block, in all, active for a token, and held by one rank.
#pragma once

#include <topoplan/workload/transformer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace topoplan::inline v1 {

// Over how many ranks the matrices of a layer are divided.
struct tensor_split {
  std::uint32_t tp = 1;         // of everything but routed experts
  std::uint32_t ep = 1;         // routed experts are dealt out over that many ranks
  std::uint32_t expert_tp = 1;  // and each is divided over that many

  friend bool operator==(const tensor_split&, const tensor_split&) = default;
};

// Parameters of one layer, by block. units: parameters.
struct layer_parameters {
  std::uint64_t attention = 0;       // projections, their biases, norms of queries and keys and of latent vectors, sinks
  std::uint64_t state_space = 0;     // projections, convolution, norm, and three values a head
  std::uint64_t mlp = 0;             // the dense feed-forward block
  std::uint64_t router = 0;          // with its bias, and the projections to and from the experts' own width
  std::uint64_t routed_experts = 0;  // all of them
  std::uint64_t shared_experts = 0;  // with their gate
  std::uint64_t norms = 0;           // over the hidden width

  // complexity: O(1). errors: none.
  [[nodiscard]] constexpr std::uint64_t total() const noexcept { return dense() + routed_experts; }
  // All but routed experts. complexity: O(1). errors: none.
  [[nodiscard]] constexpr std::uint64_t dense() const noexcept {
    return attention + state_space + mlp + router + shared_experts + norms;
  }
  constexpr layer_parameters& operator+=(const layer_parameters& o) noexcept {
    attention += o.attention;
    state_space += o.state_space;
    mlp += o.mlp;
    router += o.router;
    routed_experts += o.routed_experts;
    shared_experts += o.shared_experts;
    norms += o.norms;
    return *this;
  }
  friend constexpr layer_parameters operator*(layer_parameters p, std::uint64_t n) noexcept {
    for (auto* part : {&p.attention, &p.state_space, &p.mlp, &p.router, &p.routed_experts, &p.shared_experts, &p.norms})
      *part *= n;
    return p;
  }
  friend bool operator==(const layer_parameters&, const layer_parameters&) = default;
};

// Parameters outside the layers. units: parameters.
struct end_parameters {
  std::uint64_t embedding = 0;  // the token table, and the projection to hidden where there is one
  std::uint64_t positions = 0;  // a learned position table
  std::uint64_t head = 0;       // nothing but its bias and projection when it uses the token table
  std::uint64_t norms = 0;      // final norm, and one behind the embedding

  // complexity: O(1). errors: none.
  [[nodiscard]] constexpr std::uint64_t total() const noexcept { return embedding + positions + head + norms; }
  friend bool operator==(const end_parameters&, const end_parameters&) = default;
};

// Parameters of a whole model. units: parameters.
struct model_parameters {
  layer_parameters layers;  // of all layers, without those of multi-token prediction
  end_parameters ends;
  std::uint64_t prediction = 0;  // multi-token prediction
  std::uint64_t active = 0;      // of `total()`, those that take part in the computation of one token

  // What a model's name states: without multi-token prediction. complexity: O(1). errors: none.
  [[nodiscard]] constexpr std::uint64_t total() const noexcept { return layers.total() + ends.total(); }
  friend bool operator==(const model_parameters&, const model_parameters&) = default;
};

namespace detail {

[[nodiscard]] constexpr std::uint64_t share(std::uint64_t whole, std::uint64_t parts) noexcept {
  return (whole + parts - 1) / parts;
}
[[nodiscard]] constexpr std::uint64_t value_size(const attention_block& a) noexcept {
  return a.value_size == 0 ? a.head_size : a.value_size;
}

[[nodiscard]] constexpr std::uint64_t attention_parameters(const attention_block& a, std::uint64_t hidden,
                                                           std::uint64_t tp) noexcept {
  const std::uint64_t heads = share(a.heads, tp);
  const std::uint64_t queries = heads * a.head_size;
  const std::uint64_t out = heads * value_size(a);
  std::uint64_t n = out * hidden + (a.output_bias ? hidden : 0) + a.qk_norm + (a.sinks ? heads : 0);
  if (a.kind == attention_kind::grouped) {
    const std::uint64_t kv = share(a.kv_heads, tp) * (a.head_size + value_size(a));
    return n + (queries + kv) * (hidden + (a.qkv_bias ? 1 : 0));
  }
  // What leads down to the latent vectors is on every rank, with their norms; what leads up is divided by heads.
  const std::uint64_t down = a.kv_rank + a.rope_size;
  n += hidden * down + a.kv_rank + (a.qkv_bias ? down : 0);
  n += a.kv_rank * heads * (a.head_size - a.rope_size + value_size(a));
  if (a.query_rank == 0) return n + hidden * queries;
  return n + hidden * a.query_rank + (a.qkv_bias ? a.query_rank : 0) + a.query_rank + a.query_rank * queries;
}

[[nodiscard]] constexpr std::uint64_t state_space_parameters(const state_space_block& s, std::uint64_t hidden,
                                                             std::uint64_t tp) noexcept {
  const std::uint64_t heads = share(s.heads, tp);
  const std::uint64_t inner = heads * s.head_size;
  const std::uint64_t channels = inner + 2 * share(s.groups, tp) * s.state;
  const std::uint64_t in = inner + channels + heads;
  return hidden * in + inner * hidden + channels * (s.convolution + (s.convolution_bias ? 1U : 0U)) + 3 * heads + inner +
         (s.projection_bias ? in + hidden : 0);
}

// A feed-forward block of that width, of which a rank holds the part `size`.
[[nodiscard]] constexpr std::uint64_t feed_forward_parameters(std::uint64_t size, std::uint64_t hidden, bool gated,
                                                              bool bias) noexcept {
  const std::uint64_t up = gated ? 2 : 1;
  return (up + 1) * size * hidden + (bias ? up * size + hidden : 0);
}

}  // namespace detail

// The parameters that one rank holds of a layer; without a split, those of the layer. Matrices between the hidden width and
// heads or an intermediate width are divided, norms, routers and the down projections of latent attention are on every rank,
// as are the key and value heads of which there are fewer than ranks. Where a split doesn't divide, the rank that holds most.
// pre: every split > 0. units: parameters. complexity: O(1), no allocation. errors: none.
// source: the modules of huggingface/transformers; Megatron-LM core/transformer for what is divided.
[[nodiscard]] constexpr layer_parameters parameters_of(const layer_kind& k, std::uint64_t hidden,
                                                       const tensor_split& split = {}) noexcept {
  layer_parameters p;
  p.norms = k.norms * hidden * (k.norm_bias ? 2U : 1U);
  if (k.mixer == mixer_kind::attention) p.attention = detail::attention_parameters(k.attention, hidden, split.tp);
  if (k.mixer == mixer_kind::state_space) p.state_space = detail::state_space_parameters(k.state_space, hidden, split.tp);
  if (k.feed_forward == feed_forward_kind::mlp)
    p.mlp = detail::feed_forward_parameters(detail::share(k.mlp.size, split.tp), hidden, k.mlp.gated, k.mlp.bias);
  if (k.feed_forward == feed_forward_kind::experts) {
    const expert_block& e = k.experts;
    const std::uint64_t width = e.latent_size == 0 ? hidden : e.latent_size;
    p.router = e.experts * (hidden + (e.router_bias ? 1U : 0U)) + (e.latent_size == 0 ? 0 : 2 * hidden * width);
    p.routed_experts = detail::share(e.experts, split.ep) *
                       detail::feed_forward_parameters(detail::share(e.size, split.expert_tp), width, e.gated, e.bias);
    if (e.shared_size != 0) {
      p.shared_experts = detail::feed_forward_parameters(detail::share(e.shared_size, split.tp), hidden, e.gated, e.bias) +
                         (e.shared_gate ? hidden : 0);
    }
  }
  return p;
}

// The parameters outside the layers that one rank of the first stage (embedding, positions) and of the last (head, norms) holds.
// pre: tp > 0. units: parameters. complexity: O(1), no allocation. errors: none.
[[nodiscard]] constexpr end_parameters end_parameters_of(const transformer& t, std::uint64_t tp = 1) noexcept {
  const bool projected = t.embedding_size != 0 && t.embedding_size != t.hidden;
  const std::uint64_t width = projected ? t.embedding_size : t.hidden;
  const std::uint64_t projection = projected ? width * t.hidden : 0;
  const std::uint64_t rows = detail::share(t.vocabulary, tp);
  end_parameters p;
  p.embedding = rows * width + projection;
  p.positions = std::uint64_t{t.positions} * t.hidden;
  p.head = (t.tied_embeddings ? 0 : rows * width) + (t.head_bias ? rows : 0) + projection;
  p.norms = std::uint64_t{t.end_norms} * t.hidden * (t.norm_bias ? 2U : 1U);
  return p;
}

// The parameters of a layer that take part in the computation of one token.
// units: parameters. complexity: O(1), no allocation. errors: none.
[[nodiscard]] constexpr std::uint64_t active_parameters(const layer_kind& k, std::uint64_t hidden) noexcept {
  const auto p = parameters_of(k, hidden);
  if (p.routed_experts == 0) return p.total();
  return p.dense() + p.routed_experts / k.experts.experts * k.experts.top_k;
}

// The parameters of one layer of multi-token prediction that one rank holds: a layer of the last layer's kind, the projection
// from 2 hidden to hidden, divided as a column-parallel matrix, and three norms.
// pre: the model has layers. units: parameters. complexity: O(1), no allocation. errors: none.
// source: DeepSeek-V3 technical report, section 2.2; Megatron-LM core/transformer/multi_token_prediction.py.
[[nodiscard]] constexpr layer_parameters prediction_parameters(const transformer& t, const tensor_split& split = {}) noexcept {
  const std::uint64_t hidden = t.hidden;
  auto p = parameters_of(t.kinds[t.layers.back()], hidden, split);
  p.mlp += 2 * hidden * detail::share(hidden, split.tp);
  p.norms += 3 * hidden * (t.norm_bias ? 2U : 1U);
  return p;
}

// The parameters of a model. pre: every entry of layers is an index into kinds.
// units: parameters. complexity: O(layers), no allocation. errors: none.
[[nodiscard]] constexpr model_parameters parameters_of(const transformer& t) noexcept {
  std::array<std::uint64_t, 256> count{};
  for (const auto kind : t.layers) ++count[kind];
  model_parameters p;
  p.ends = end_parameters_of(t);
  p.active = p.ends.total();
  for (std::size_t i = 0; i < t.kinds.size() && i < count.size(); ++i) {
    p.layers += parameters_of(t.kinds[i], t.hidden) * count[i];
    p.active += active_parameters(t.kinds[i], t.hidden) * count[i];
  }
  if (t.prediction_layers != 0 && !t.layers.empty()) p.prediction = prediction_parameters(t).total() * t.prediction_layers;
  return p;
}

// The parameters of adapters of low rank beside every matrix of attention and of the dense feed-forward block; state space
// blocks and experts have none. pre: rank > 0. units: parameters. complexity: O(1), no allocation. errors: none.
// source: Hu et al., "LoRA", 2021: rank * (rows + columns) a matrix; fused matrices count as one, as Megatron-Bridge adapts them.
[[nodiscard]] constexpr std::uint64_t adapter_parameters(const layer_kind& k, std::uint64_t hidden, std::uint64_t rank) noexcept {
  std::uint64_t sizes = 0;
  if (k.mixer == mixer_kind::attention) {
    const attention_block& a = k.attention;
    const std::uint64_t queries = std::uint64_t{a.heads} * a.head_size;
    const std::uint64_t values = std::uint64_t{a.heads} * detail::value_size(a);
    sizes += values + hidden;
    if (a.kind == attention_kind::grouped) {
      sizes += hidden + queries + std::uint64_t{a.kv_heads} * (a.head_size + detail::value_size(a));
    } else {
      sizes += a.query_rank == 0 ? hidden + queries : hidden + a.query_rank + a.query_rank + queries;
      sizes += hidden + a.kv_rank + a.rope_size + a.kv_rank + std::uint64_t{a.heads} * (a.head_size - a.rope_size) + values;
    }
  }
  if (k.feed_forward == feed_forward_kind::mlp) sizes += 2 * hidden + (k.mlp.gated ? 3U : 2U) * std::uint64_t{k.mlp.size};
  return rank * sizes;
}

}  // namespace topoplan::inline v1
