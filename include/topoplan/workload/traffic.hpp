// What a training step sends over each axis: which collective, how many bytes, how often, and what can hide it.
#pragma once

#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/parameters.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace topoplan::inline v1 {

// The operations that training uses, named as NCCL names them.
enum class collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all, send_recv };

// "all-reduce", "all-gather", ... complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(collective c) noexcept {
  constexpr std::string_view names[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "send-recv"};
  return names[static_cast<std::size_t>(c)];
}

// What can run while bytes are on their way.
enum class hidden_behind : std::uint8_t { own_matrices, attention, other_micro_batch };

// One kind of message of one layer and micro-batch. units: bytes as nccl-tests counts them: the whole buffer.
struct message {
  axis over = axis::tp;
  collective what = collective::all_reduce;
  double bytes = 0;
  double forward = 0;   // times a forward pass
  double backward = 0;  // times a backward pass
  hidden_behind behind = hidden_behind::own_matrices;
};

// The messages of one layer, at most six.
struct layer_traffic {
  std::array<message, 6> messages{};
  std::size_t count = 0;

  constexpr void add(const message& m) noexcept { messages[count++] = m; }
  [[nodiscard]] constexpr const message* begin() const noexcept { return messages.data(); }
  [[nodiscard]] constexpr const message* end() const noexcept { return messages.data() + count; }
};

// Tokens of a micro-batch on the ranks of one tensor-parallel group. units: tokens. complexity: O(1). errors: none.
[[nodiscard]] constexpr double tokens_per_pass(const training& t, std::uint32_t cp) noexcept {
  return static_cast<double>(t.micro_batch) * t.sequence / cp;
}

namespace detail {

inline constexpr double half_precision_bytes = 2;  // of an activation on the wire

// Elements of keys and values of one token and a rank's heads, at least one, that context parallelism passes on.
[[nodiscard]] constexpr double key_value_elements(const attention_block& a, double tp) noexcept {
  return std::max(1.0, a.kv_heads / tp) * static_cast<double>(a.head_size + value_size(a));
}

// Gathers and scatters around one block of column- and row-parallel matrices. Sequence parallelism gathers the input of the
// column-parallel matrix once more for its weight gradient; 0.3 of that gather isn't hidden behind that gradient's neighbour.
constexpr void add_tp_block(layer_traffic& out, const training& t, axis over, double bytes, double blocks) noexcept {
  if (t.sequence_parallel) {
    out.add({over, collective::all_gather, bytes, blocks, 1.3 * blocks, hidden_behind::own_matrices});
    out.add({over, collective::reduce_scatter, bytes, blocks, blocks, hidden_behind::own_matrices});
  } else {
    out.add({over, collective::all_reduce, bytes, blocks, blocks, hidden_behind::own_matrices});
  }
}

}  // namespace detail

// What one layer of that kind sends in a forward and a backward pass of one micro-batch, per rank.
// units: bytes. complexity: O(1). errors: none.
// source: Korthikanti et al., arXiv 2205.05198, section 4 (tensor and sequence parallelism); Megatron-Core's all-to-all token
// dispatcher (experts); Llama 3, arXiv 2407.21783, section 3.3 (context parallelism).
[[nodiscard]] constexpr layer_traffic traffic_of_layer(const transformer& model, const layer_kind& kind, const training& t,
                                                       const resolved_degrees& d) noexcept {
  layer_traffic out;
  const double tokens = tokens_per_pass(t, d.cp);
  const double state = tokens * model.hidden * detail::half_precision_bytes;
  double blocks = kind.mixer == mixer_kind::none ? 0 : 1;
  if (kind.feed_forward == feed_forward_kind::mlp ||
      (kind.feed_forward == feed_forward_kind::experts && kind.experts.shared_size != 0))
    blocks += 1;
  if (kind.parallel_block && blocks > 1) blocks = 1;
  if (d.tp > 1 && blocks > 0) detail::add_tp_block(out, t, axis::tp, state, blocks);
  if (kind.feed_forward == feed_forward_kind::experts) {
    const double routed = tokens / d.tp * kind.experts.top_k;
    const double width = kind.experts.latent_size != 0 ? kind.experts.latent_size : model.hidden;
    if (d.ep > 1)
      out.add({axis::ep, collective::all_to_all, routed * width * detail::half_precision_bytes, 2, 2,
               hidden_behind::other_micro_batch});
    if (d.expert_tp > 1) {
      out.add({axis::expert_tp, collective::all_gather, routed * d.expert_tp * width * detail::half_precision_bytes, 1, 1,
               hidden_behind::own_matrices});
      out.add({axis::expert_tp, collective::reduce_scatter, routed * d.expert_tp * width * detail::half_precision_bytes, 1, 1,
               hidden_behind::own_matrices});
    }
  }
  if (d.cp > 1 && kind.mixer == mixer_kind::attention)
    out.add({axis::cp, collective::send_recv,
             tokens * detail::key_value_elements(kind.attention, d.tp) * detail::half_precision_bytes, d.cp - 1.0,
             2 * (d.cp - 1.0), hidden_behind::attention});
  return out;
}

}  // namespace topoplan::inline v1
