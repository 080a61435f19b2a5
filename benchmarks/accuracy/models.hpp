// The shapes of models by name: what a table of runs leaves out of them.
#pragma once

#include <topoplan/workload/transformer.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace accuracy {

// How the feed-forward block of a dense layer is built.
enum class mlp_form : std::uint8_t { plain, gated };

// What is known of a model by its name. A cell of a row wins over it; 0: not known here.
struct known_model {
  std::string_view words;  // names begin with one of these, '|' between them; letters and digits only, small
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t mlp = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_size = 0;
  std::uint32_t vocabulary = 0;
  mlp_form form = mlp_form::gated;
  bool biases = false;
  bool tied = false;
  std::uint32_t experts = 0;
  std::uint32_t top_k = 0;
  std::uint32_t expert_size = 0;
  std::uint32_t shared_size = 0;
  std::uint32_t latent_size = 0;    // that routed experts work on
  std::uint32_t leading_dense = 0;  // dense layers before those of experts
  std::uint32_t query_rank = 0;     // of latent attention; with kv_rank, head_size is queries and keys, 128 + 64
  std::uint32_t kv_rank = 0;
  std::uint32_t prediction = 0;  // layers of multi-token prediction where the software builds them
  std::uint32_t window = 0;      // of every second layer
  bool gpt_oss_biases = false;
  std::string_view pattern = {};  // of a hybrid: M Mamba-2, E experts, * attention, - dense; one letter a layer
  std::uint32_t state_heads = 0;  // Mamba-2, head size 64, 8 groups, state 128
  std::string_view source = {};
};

[[nodiscard]] std::span<const known_model> known_models();

// The cells of a row that describe the model; 0: blank.
struct model_cells {
  std::string name;
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t mlp = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t vocabulary = 0;
  std::uint32_t experts = 0;
  std::uint32_t top_k = 0;
  std::uint32_t positions = 0;  // sequence length, for learned positions
  bool prediction = false;      // the software builds layers of multi-token prediction
  bool parallel_block = false;
};

// A shape, or why there is none; `assumed` names what neither the row nor the table of models says.
struct model_shape {
  std::optional<topoplan::transformer> shape;
  std::string why;
  std::string assumed;
};

// complexity: O(layers). errors: none.
[[nodiscard]] model_shape shape_of(const model_cells& cells);

// The name as the table has it: small letters and digits. complexity: O(length). errors: none.
[[nodiscard]] std::string folded_name(std::string_view name);

}  // namespace accuracy
