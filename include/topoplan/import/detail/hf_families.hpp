// Reads HuggingFace configurations of the families that are built as LLaMA is.
#pragma once

#include <topoplan/import/detail/hf_attention.hpp>
#include <topoplan/import/detail/hf_experts.hpp>
#include <topoplan/import/detail/hf_family_table.hpp>
#include <topoplan/import/detail/hf_keys.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace topoplan::inline v1::import::detail {

// Multi-head latent attention. errors: parse_error as hf_keys.
inline void read_latent_attention(const hf_keys& keys, transformer& model, attention_block& a) {
  a.kind = attention_kind::latent;
  a.kv_heads = a.heads;
  a.rope_size = keys.size({"qk_rope_head_dim"}, hf_most_heads);
  a.head_size = keys.size({"qk_nope_head_dim"}, hf_most_heads) + a.rope_size;
  a.value_size = keys.size({"v_head_dim"}, hf_most_heads);
  a.kv_rank = keys.size({"kv_lora_rank"}, hf_widest);
  a.query_rank = keys.size_or({"q_lora_rank"}, hf_widest, 0);
  if (!keys.has("q_lora_rank") && !keys.is_null("q_lora_rank"))
    model.notes.push_back("q_lora_rank is missing and was read as null: queries come straight from the hidden state");
}

// What single families have besides. errors: parse_error for what isn't modelled.
inline void read_peculiarities(const hf_keys& keys, const hf_family& family, transformer& model, layer_kind& k) {
  if (keys.type() == "gpt_oss") k.experts.bias = true;
  if (keys.type() == "minimax_m2") {
    k.experts.router_bias = keys.flag_or("use_routing_bias", true);
    const auto kind = keys.text_or("qk_norm_type", "per_layer");
    if (kind != "per_layer") keys.unsupported("qk_norm_type", "norms of queries and keys " + quoted(kind));
    if (keys.flag_or("use_mtp", false)) {
      model.prediction_layers = keys.size({"num_mtp_modules"}, 100) * keys.size_or({"mtp_transformer_layers"}, 100, 1);
    }
  }
  if (family.experts == hf_experts::deepseek) {
    const auto* name = keys.has("num_mtp_layers") ? "num_mtp_layers" : "num_nextn_predict_layers";
    model.prediction_layers = keys.number_or(name, 100, 0);
  }
  if (keys.type() == "smollm3" && keys.flag_or("use_sliding_window", false) && !keys.has("layer_types"))
    keys.unsupported("use_sliding_window", "sliding windows that no layer_types lay out");
  if (keys.type() == "baichuan" && !keys.has("max_position_embeddings") && keys.has("model_max_length"))
    model.notes.push_back("ALiBi instead of rotary embeddings, which changes no size");
}

// Reads a configuration of that family. complexity: O(layers). errors: parse_error.
inline transformer read_family(const hf_keys& keys, const hf_family& family) {
  transformer model;
  model.hidden = keys.size({"hidden_size"}, hf_widest);
  model.vocabulary = keys.size({"vocab_size"}, hf_most_rows);
  model.tied_embeddings = keys.flag_or("tie_word_embeddings", family.tied);
  model.head_bias = family.head_bias.of(keys);
  model.end_norms = family.end_norms;
  model.norm_bias = family.norm_bias;
  const std::size_t layers = keys.size({"num_hidden_layers", "num_layers"}, hf_most_layers);

  layer_kind k;
  const bool latent =
      keys.type() == "deepseek_v2" || keys.type() == "deepseek_v3" || keys.type() == "kimi_k2" || keys.type() == "glm4_moe_lite";
  const std::uint32_t size = latent ? 1 : family.head_size;
  if (latent) k.attention = read_heads(keys, model.hidden, {"num_attention_heads"}, {"num_key_value_heads"}, 0, {}, size);
  else
    k.attention =
        read_heads(keys, model.hidden, {"num_attention_heads"}, {"num_key_value_heads"}, family.kv_heads, {"head_dim"}, size);
  attention_block& a = k.attention;
  if (latent) read_latent_attention(keys, model, a);
  a.qkv_bias = family.qkv_bias.of(keys);
  a.output_bias = family.output_bias.of(keys);
  a.sinks = family.sinks;
  a.chunked = family.windows.kind == hf_windows::chunks_with_rope;
  if (family.qk_norm == hf_qk_norm::per_head && family.has_qk_norm.of(keys)) a.qk_norm = 2 * a.head_size;
  if (family.qk_norm == hf_qk_norm::per_layer && family.has_qk_norm.of(keys)) a.qk_norm = (a.heads + a.kv_heads) * a.head_size;
  k.parallel_block = family.parallel.of(keys);
  k.norms = k.parallel_block ? 1 : family.norms;
  k.norm_bias = family.norm_bias;

  const auto windows = read_windows(keys, family.windows, layers);
  const bool dense_only = family.experts == hf_experts::deepseek && !keys.has("n_routed_experts");
  const auto how = dense_only ? hf_experts::none : family.experts;
  const auto sparse = read_expert_layers(keys, how, layers);
  if (std::find(sparse.begin(), sparse.end(), true) != sparse.end()) k.experts = read_experts(keys, how);
  k.experts.router_bias = family.router_bias && how != hf_experts::none;
  const bool any_dense = std::find(sparse.begin(), sparse.end(), false) != sparse.end();
  if (any_dense) {
    const bool own = how == hf_experts::llama4;
    k.mlp = {.size = own ? keys.size({"intermediate_size_mlp"}, hf_widest) : keys.size({"intermediate_size"}, hf_widest),
             .gated = family.gated,
             .bias = family.mlp_bias.of(keys)};
  }
  read_peculiarities(keys, family, model, k);
  for (std::size_t i = 0; i < layers; ++i) {
    layer_kind layer = k;
    layer.attention.window = windows[i];
    layer.attention.chunked = a.chunked && windows[i] != 0;
    layer.feed_forward = sparse[i] ? feed_forward_kind::experts : feed_forward_kind::mlp;
    if (sparse[i]) layer.mlp = {};
    else layer.experts = {};
    add_layer(keys, model, layer);
  }
  return model;
}

}  // namespace topoplan::inline v1::import::detail
