// HuggingFace configurations with Mamba-2 blocks: Nemotron-H, whose layers are one block each, and Mamba-2 itself.
#pragma once

#include <topoplan/import/detail/hf_attention.hpp>
#include <topoplan/import/detail/hf_experts.hpp>
#include <topoplan/import/detail/hf_keys.hpp>
#include <topoplan/workload/transformer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import::detail {

// A layer that is one block: M Mamba-2, * attention, - feed-forward, E experts. errors: parse_error as hf_keys.
inline layer_kind read_hybrid_block(const hf_keys& keys, std::uint32_t hidden, char kind) {
  layer_kind k;
  k.norms = 1;
  k.mixer = kind == 'M' ? mixer_kind::state_space : kind == '*' ? mixer_kind::attention : mixer_kind::none;
  k.feed_forward = kind == '-' ? feed_forward_kind::mlp : kind == 'E' ? feed_forward_kind::experts : feed_forward_kind::none;
  if (kind == 'M') {
    state_space_block& s = k.state_space;
    s.heads = keys.size({"mamba_num_heads"}, hf_most_heads);
    s.head_size = keys.size({"mamba_head_dim"}, hf_most_heads);
    s.state = keys.size({"ssm_state_size"}, hf_most_heads);
    s.groups = keys.size({"n_groups", "mamba_n_groups"}, hf_most_heads);
    s.convolution = keys.size({"conv_kernel", "mamba_d_conv"}, 1024);
    s.chunk = keys.size({"chunk_size", "mamba_chunk_size"}, hf_widest);
    s.convolution_bias = keys.flag_or("use_conv_bias", true);
    s.projection_bias = keys.flag_or("use_bias", false);
    if (s.heads % s.groups != 0)
      keys.map()
          .at(*keys.first({"n_groups", "mamba_n_groups"}))
          .refuse("groups that divide the " + std::to_string(s.heads) + " heads");
  } else if (kind == '*') {
    k.attention =
        read_heads(keys, hidden, {"num_attention_heads"}, {"num_key_value_heads"}, 0, {"head_dim", "attention_head_dim"}, 128);
    k.attention.window = keys.size_or({"sliding_window"}, 1U << 30U, 0);
    k.attention.qkv_bias = k.attention.output_bias = keys.flag_or("attention_bias", false);
  } else if (kind == '-') {
    k.mlp = {.size = keys.size({"intermediate_size"}, hf_widest), .gated = false, .bias = keys.flag_or("mlp_bias", false)};
  } else {
    k.experts = read_expert_counts(keys, {"n_routed_experts"}, {"num_experts_per_tok"});
    k.experts.gated = false;
    k.experts.size = keys.size({"moe_intermediate_size"}, hf_widest);
    k.experts.shared_size = keys.size({"moe_shared_expert_intermediate_size"}, hf_widest);
    k.experts.latent_size = keys.size_or({"moe_latent_size"}, hf_widest, 0);
    k.experts.router_bias = true;
    if (keys.flag_or("mlp_bias", false)) keys.unsupported("mlp_bias", "biases of experts");
  }
  return k;
}

// The blocks of the layers as letters, from a pattern or a list. errors: parse_error for letters and names that mean no block.
inline std::string read_hybrid_pattern(const hf_keys& keys) {
  std::string pattern;
  if (keys.has("hybrid_override_pattern")) {
    pattern = keys.text_or("hybrid_override_pattern", "");
    const auto wrong = pattern.find_first_not_of("M*-E");
    if (wrong != std::string::npos) {
      keys.map()
          .at("hybrid_override_pattern")
          .refuse("M (Mamba-2), * (attention), - (feed-forward) or E (experts) for each layer", quoted(pattern.substr(wrong, 1)));
    }
    return pattern;
  }
  for (const auto& item : keys.list_or_none("layers_block_type")) {
    const auto& name = item.text();
    if (name == "mamba" || name == "linear_attention") pattern += 'M';
    else if (name == "attention" || name == "full_attention") pattern += '*';
    else if (name == "mlp") pattern += '-';
    else if (name == "moe") pattern += 'E';
    else item.refuse("mamba, attention, mlp or moe");
  }
  return pattern;
}

inline transformer read_nemotron_h(const hf_keys& keys) {
  transformer model;
  model.hidden = keys.size({"hidden_size"}, hf_widest);
  model.vocabulary = keys.size({"vocab_size"}, hf_most_rows);
  model.tied_embeddings = keys.flag_or("tie_word_embeddings", false);
  const auto pattern = read_hybrid_pattern(keys);
  if (pattern.empty()) keys.map().refuse("hybrid_override_pattern, which says what each layer is", "no such key");
  const auto layers = keys.size_or({"num_hidden_layers"}, hf_most_layers, static_cast<std::uint32_t>(pattern.size()));
  if (pattern.size() != layers) {
    keys.map()
        .at("num_hidden_layers")
        .refuse("as many layers as the pattern has, " + std::to_string(pattern.size()), std::to_string(layers));
  }
  std::string seen;  // each letter is read once
  std::uint8_t index[4] = {};
  for (const char letter : pattern) {
    auto at = seen.find(letter);
    if (at == std::string::npos) {
      at = seen.size();
      seen += letter;
      add_layer(keys, model, read_hybrid_block(keys, model.hidden, letter));
      index[at] = model.layers.back();
    } else {
      model.layers.push_back(index[at]);
    }
  }
  if (keys.number_or("num_nextn_predict_layers", 100, 0) != 0) {
    model.notes.push_back(
        "the layers of multi-token prediction (num_nextn_predict_layers) are left out: they have a pattern of their own, and "
        "the model's published size doesn't count them");
  }
  return model;
}

// source: configuration_mamba2.py and modeling_mamba2.py of huggingface/transformers 5.24.
inline transformer read_mamba2(const hf_keys& keys) {
  transformer model;
  model.hidden = keys.size({"hidden_size"}, hf_widest);
  model.vocabulary = keys.size({"vocab_size"}, hf_most_rows);
  model.tied_embeddings = keys.flag_or("tie_word_embeddings", false);
  layer_kind k;
  k.mixer = mixer_kind::state_space;
  k.feed_forward = feed_forward_kind::none;
  k.norms = 1;
  state_space_block& s = k.state_space;
  s.heads = keys.size({"num_heads"}, hf_most_heads);
  s.head_size = keys.size({"head_dim"}, hf_most_heads);
  s.state = keys.size({"state_size"}, hf_most_heads);
  s.groups = keys.size({"n_groups"}, hf_most_heads);
  s.convolution = keys.size({"conv_kernel"}, 1024);
  s.chunk = keys.size_or({"chunk_size"}, hf_widest, 256);
  s.convolution_bias = keys.flag_or("use_conv_bias", true);
  s.projection_bias = keys.flag_or("use_bias", false);
  if (s.heads % s.groups != 0) keys.map().at("n_groups").refuse("groups that divide the " + std::to_string(s.heads) + " heads");
  const auto layers = keys.size({"num_hidden_layers"}, hf_most_layers);
  model.kinds = {k};
  model.layers.assign(layers, 0);
  return model;
}

}  // namespace topoplan::inline v1::import::detail
