// Floating-point operations of a transformer, per token: forward by block, training, what the hardware computes, and MFU.
#pragma once

#include <topoplan/workload/parameters.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace topoplan::inline v1 {

// Which pairs of tokens attention is counted for: `causal` counts what a token sees, half of the square, and is what flash
// attention computes; `full` counts the whole square, as the textbook identity and Megatron-LM's printed TFLOP/s do.
enum class attention_pairs : std::uint8_t { causal, full };

// Operations of one forward pass of one layer for one token; a multiplication and an addition are two.
// units: floating-point operations per token.
struct layer_flops {
  double attention_projections = 0;
  double attention_core = 0;  // scores, and their product with the values
  double state_space_projections = 0;
  double state_space_core = 0;  // convolution and chunked scan
  double mlp = 0;
  double router = 0;
  double routed_experts = 0;
  double shared_experts = 0;

  // What grows with the sequence or the chunk, not with the parameters. complexity: O(1). errors: none.
  [[nodiscard]] constexpr double core() const noexcept { return attention_core + state_space_core; }
  // The matrix multiplications with parameters. complexity: O(1). errors: none.
  [[nodiscard]] constexpr double linear() const noexcept {
    return attention_projections + state_space_projections + mlp + router + routed_experts + shared_experts;
  }
  // complexity: O(1). errors: none.
  [[nodiscard]] constexpr double total() const noexcept { return linear() + core(); }
};

namespace detail {

[[nodiscard]] constexpr double attention_matrix_elements(const attention_block& a, double hidden) noexcept {
  const double heads = a.heads;
  const double size = a.head_size;
  const double values = static_cast<double>(value_size(a));
  if (a.kind == attention_kind::grouped)
    return hidden * (heads * (size + values) + static_cast<double>(a.kv_heads) * (size + values));
  const double down = hidden * (static_cast<double>(a.kv_rank) + a.rope_size);
  const double up = static_cast<double>(a.kv_rank) * heads * (size - a.rope_size + values);
  const double queries = a.query_rank == 0 ? hidden * heads * size : a.query_rank * (hidden + heads * size);
  return queries + down + up + heads * values * hidden;
}

[[nodiscard]] constexpr double matrices(bool gated) noexcept { return gated ? 3 : 2; }

}  // namespace detail

// The tokens that a token sees on average in a sequence. A window counts what it leaves of the triangle, a chunk half its width.
// pre: sequence > 0. units: tokens. complexity: O(1). errors: none.
// source: a sum over positions i of min(i, w), as an integral: w - w^2/(2 s).
[[nodiscard]] constexpr double tokens_seen(const attention_block& a, std::uint32_t sequence, attention_pairs pairs) noexcept {
  const double s = sequence;
  const double w = a.window == 0 ? s : std::min<double>(a.window, s);
  if (pairs == attention_pairs::full) return w;
  return a.chunked ? w / 2 : w - w * w / (2 * s);
}

// One forward pass of one layer for one token of a sequence.
// pre: sequence > 0. units: floating-point operations per token. complexity: O(1), no allocation. errors: none.
// source: 2 operations an element of each matrix; attention 2 * tokens seen * heads * (head_size + value_size); Mamba-2 by Dao
//   and Gu, "Transformers are SSMs", 2024, section 6: within a chunk 2 * seen * (groups * state + heads * head_size), states and
//   their outputs 4 * heads * head_size * state, convolution 2 * width a channel.
[[nodiscard]] constexpr layer_flops forward_flops(const layer_kind& k, std::uint32_t hidden_size, std::uint32_t sequence,
                                                  attention_pairs pairs) noexcept {
  layer_flops f;
  const double hidden = hidden_size;
  if (k.mixer == mixer_kind::attention) {
    const attention_block& a = k.attention;
    f.attention_projections = 2 * detail::attention_matrix_elements(a, hidden);
    f.attention_core = 2 * tokens_seen(a, sequence, pairs) * a.heads *
                       (static_cast<double>(a.head_size) + static_cast<double>(detail::value_size(a)));
  }
  if (k.mixer == mixer_kind::state_space) {
    const state_space_block& s = k.state_space;
    const double inner = static_cast<double>(s.heads) * s.head_size;
    const double channels = inner + 2.0 * s.groups * s.state;
    const double chunk = std::min<double>(s.chunk, sequence);
    const double seen = pairs == attention_pairs::full ? chunk : chunk / 2;
    f.state_space_projections = 2 * hidden * (inner + channels + s.heads + inner);
    f.state_space_core =
        2 * seen * (static_cast<double>(s.groups) * s.state + inner) + 4 * inner * s.state + 2 * channels * s.convolution;
  }
  if (k.feed_forward == feed_forward_kind::mlp) f.mlp = 2 * detail::matrices(k.mlp.gated) * hidden * k.mlp.size;
  if (k.feed_forward == feed_forward_kind::experts) {
    const expert_block& e = k.experts;
    const double width = e.latent_size == 0 ? hidden : static_cast<double>(e.latent_size);
    f.router = 2 * hidden * e.experts + (e.latent_size == 0 ? 0 : 4 * hidden * width);
    f.routed_experts = 2 * detail::matrices(e.gated) * width * e.size * e.top_k;
    f.shared_experts = 2 * detail::matrices(e.gated) * hidden * e.shared_size + (e.shared_gate ? 2 * hidden : 0);
  }
  return f;
}

// The head's forward pass for one token; the embedding is a look-up and counts nothing, its projection to hidden does.
// units: floating-point operations per token. complexity: O(1). errors: none.
[[nodiscard]] constexpr double head_flops(const transformer& t) noexcept {
  const bool projected = t.embedding_size != 0 && t.embedding_size != t.hidden;
  const double width = projected ? t.embedding_size : t.hidden;
  return 2 * width * t.vocabulary + (projected ? 4 * width * t.hidden : 0);
}

// One forward pass of a model for one token, split where training treats the parts differently.
// units: floating-point operations per token.
struct model_flops {
  double layers_linear = 0;  // those of multi-token prediction included
  double layers_core = 0;
  double head = 0;  // once, and again for each layer of multi-token prediction

  // complexity: O(1). errors: none.
  [[nodiscard]] constexpr double total() const noexcept { return layers_linear + layers_core + head; }
};

// One forward pass of all layers, the head and multi-token prediction for one token.
// pre: sequence > 0, every entry of layers is an index into kinds. units: floating-point operations per token.
// complexity: O(layers), no allocation. errors: none.
[[nodiscard]] constexpr model_flops forward_flops(const transformer& t, std::uint32_t sequence, attention_pairs pairs) noexcept {
  std::array<double, 256> count{};
  for (const auto kind : t.layers) ++count[kind];
  if (!t.layers.empty()) count[t.layers.back()] += t.prediction_layers;
  model_flops f;
  for (std::size_t i = 0; i < t.kinds.size() && i < count.size(); ++i) {
    const auto layer = forward_flops(t.kinds[i], t.hidden, sequence, pairs);
    f.layers_linear += layer.linear() * count[i];
    f.layers_core += layer.core() * count[i];
  }
  f.layers_linear += 4.0 * t.hidden * t.hidden * t.prediction_layers;
  f.head = head_flops(t) * (1.0 + t.prediction_layers);
  return f;
}

// Model FLOPs: what training needs, whatever is recomputed: three forward passes, of which two are the backward pass. Adapters
// need no gradients of the frozen matrices, so that linear layers count twice, and themselves three times.
// pre: sequence > 0. units: floating-point operations per token. complexity: O(layers). errors: none.
// source: Narayanan et al., SC21; Korthikanti et al., "Reducing activation recomputation", 2022, appendix A, which count `full`.
[[nodiscard]] constexpr double training_flops_per_token(const transformer& t, const training& how,
                                                        attention_pairs pairs) noexcept {
  const auto f = forward_flops(t, how.sequence, pairs);
  if (how.tuning == finetuning::full) return 3 * f.total();
  double adapters = 0;
  for (const auto kind : t.layers) adapters += static_cast<double>(adapter_parameters(t.kinds[kind], t.hidden, how.lora_rank));
  return 2 * (f.layers_linear + f.head) + 3 * f.layers_core + 6 * adapters;
}

// What of the layers' forward pass the backward pass computes again, from 0 to 1: of linear layers, and of the cores.
struct recomputed_parts {
  double linear = 0;
  double core = 0;
};

// Selective recomputation repeats the attention core where attention is unfused (megatron_2021), elsewhere nothing that counts.
// complexity: O(1). errors: none.
[[nodiscard]] constexpr recomputed_parts recomputed(recomputation r, software_profile p) noexcept {
  switch (r) {
    case recomputation::none: return {};
    case recomputation::selective: return {0, p == software_profile::megatron_2021 ? 1.0 : 0.0};
    case recomputation::half: return {0.5, 0.5};
    case recomputation::full: return {1, 1};
  }
  return {};
}

// Hardware FLOPs: model FLOPs and what is recomputed; the scores that flash attention computes again inside its own backward
// kernel are left out, as the field leaves them out.
// pre: sequence > 0. units: floating-point operations per token. complexity: O(layers). errors: none.
[[nodiscard]] constexpr double hardware_flops_per_token(const transformer& t, const training& how,
                                                        attention_pairs pairs) noexcept {
  const auto again = recomputed(how.recompute, how.software);
  const auto f = forward_flops(t, how.sequence, pairs);
  return training_flops_per_token(t, how, pairs) + again.linear * f.layers_linear + again.core * f.layers_core;
}

// The textbook identity for a dense model: 6 P + 12 layers heads head_dim sequence. With the elements of all matrices that a
// token is multiplied with for P, the head among them, it equals training_flops_per_token with `full` exactly.
// units: floating-point operations per token. complexity: O(1). errors: none.
// source: Chowdhery et al., "PaLM", 2022, appendix B.
[[nodiscard]] constexpr double textbook_flops_per_token(double parameters, double layers, double heads, double head_size,
                                                        double sequence) noexcept {
  return 6 * parameters + 12 * layers * heads * head_size * sequence;
}

// Model FLOPs utilization: the part of the peak that a rate of tokens uses. With hardware FLOPs it is HFU.
// pre: gpus > 0, peak > 0. units: tokens per second, operations per token, operations per second of one GPU.
// complexity: O(1). errors: none. source: PaLM, appendix B: tokens/s * FLOPs per token / (N * peak).
[[nodiscard]] constexpr double mfu(double tokens_per_second, double flops_per_token, double gpus, double peak) noexcept {
  return tokens_per_second * flops_per_token / (gpus * peak);
}

}  // namespace topoplan::inline v1
