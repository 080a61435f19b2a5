// Experts of HuggingFace configurations: which layers hold them, how many there are and how wide they are.
#pragma once

#include <topoplan/import/detail/hf_keys.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import::detail {

// How a family names its experts, and which layers hold them.
enum class hf_experts : std::uint8_t {
  none,
  mixtral,      // num_local_experts of intermediate_size, in every layer
  olmoe,        // num_experts of intermediate_size, in every layer
  qwen,         // num_experts of moe_intermediate_size, by decoder_sparse_step and mlp_only_layers
  qwen_shared,  // with a gated shared expert
  deepseek,     // n_routed_experts of moe_intermediate_size and n_shared_experts, behind first_k_dense_replace layers
  llama4,       // num_local_experts and a shared one, by interleave_moe_layer_step or moe_layers
};

// The sizes that every family states. post: 1 <= top_k <= experts. errors: parse_error as hf_keys, and for a top_k above experts.
inline expert_block read_expert_counts(const hf_keys& keys, hf_names experts, hf_names top_k) {
  expert_block e;
  e.experts = keys.size(experts, hf_most_experts);
  e.top_k = keys.size(top_k, hf_most_experts);
  if (e.top_k > e.experts)
    keys.map().at(*keys.first(top_k)).refuse("at most the " + std::to_string(e.experts) + " experts for each token");
  return e;
}

// The experts of a layer of that family. errors: parse_error for missing and contradicting sizes.
inline expert_block read_experts(const hf_keys& keys, hf_experts how) {
  const hf_names per_token = {"num_experts_per_tok", "experts_per_token"};
  expert_block e;
  switch (how) {
    case hf_experts::none: break;
    case hf_experts::mixtral:
    case hf_experts::llama4:
      e = read_expert_counts(keys, {"num_local_experts"}, per_token);
      e.size = keys.size({"intermediate_size"}, hf_widest);
      e.shared_size = how == hf_experts::llama4 ? e.size : keys.number_or("shared_intermediate_size", hf_widest, 0);
      break;
    case hf_experts::olmoe:
      e = read_expert_counts(keys, {"num_experts"}, per_token);
      e.size = keys.size({"intermediate_size"}, hf_widest);
      break;
    case hf_experts::qwen:
    case hf_experts::qwen_shared:
      e = read_expert_counts(keys, {"num_experts", "num_local_experts"}, per_token);
      e.size = keys.size({"moe_intermediate_size"}, hf_widest);
      if (how == hf_experts::qwen_shared) {
        e.shared_size = keys.size({"shared_expert_intermediate_size"}, hf_widest);
        e.shared_gate = true;
      }
      break;
    case hf_experts::deepseek:
      e = read_expert_counts(keys, {"n_routed_experts"}, per_token);
      e.size = keys.size({"moe_intermediate_size"}, hf_widest);
      e.shared_size = e.size * keys.number_or("n_shared_experts", 1000, 0);
      break;
  }
  return e;
}

// True for every layer that holds experts. errors: parse_error for layers that aren't there.
inline std::vector<bool> read_expert_layers(const hf_keys& keys, hf_experts how, std::size_t layers) {
  std::vector<bool> sparse(layers, how != hf_experts::none);
  const auto each_named = [&](std::string_view name, bool value) {
    for (const auto& item : keys.list_or_none(name)) {
      const auto layer = item.count(hf_most_layers);
      if (layer >= layers) item.refuse("a layer of 0 to " + std::to_string(layers - 1));
      sparse[layer] = value;
    }
  };
  if (how == hf_experts::qwen || how == hf_experts::qwen_shared) {
    const std::size_t step = keys.size_or({"decoder_sparse_step"}, hf_most_layers, 1);
    for (std::size_t i = 0; i < layers; ++i) sparse[i] = (i + 1) % step == 0;
    each_named("mlp_only_layers", false);
  } else if (how == hf_experts::deepseek && keys.has("mlp_layer_types")) {
    const auto types = keys.list_or_none("mlp_layer_types");
    if (types.size() != layers) {
      keys.map()
          .at("mlp_layer_types")
          .refuse("one entry for each of the " + std::to_string(layers) + " layers", std::to_string(types.size()));
    }
    for (std::size_t i = 0; i < layers; ++i) {
      if (types[i].text() != "dense" && types[i].text() != "sparse") types[i].refuse("dense or sparse");
      sparse[i] = types[i].text() == "sparse";
    }
  } else if (how == hf_experts::deepseek) {
    const std::size_t dense = keys.number_or("first_k_dense_replace", hf_most_layers, 0);
    const std::size_t step = keys.size_or({"moe_layer_freq"}, hf_most_layers, 1);
    for (std::size_t i = 0; i < layers; ++i) sparse[i] = i >= dense && i % step == 0;
  } else if (how == hf_experts::llama4) {
    std::fill(sparse.begin(), sparse.end(), false);
    const std::size_t step = keys.size_or({"interleave_moe_layer_step"}, hf_most_layers, 1);
    if (keys.has("moe_layers")) each_named("moe_layers", true);
    else
      for (std::size_t i = step - 1; i < layers; i += step) sparse[i] = true;
  }
  return sparse;
}

}  // namespace topoplan::inline v1::import::detail
