// Families of HuggingFace configurations with names of their own: GPT-2 and what came from it, OPT, BLOOM, Falcon, MPT, Phi.
#pragma once

#include <topoplan/import/detail/hf_attention.hpp>
#include <topoplan/import/detail/hf_experts.hpp>
#include <topoplan/import/detail/hf_keys.hpp>
#include <topoplan/workload/transformer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// The sizes that every one of these states, under its own names; LayerNorm with bias, plain feed-forward of four times the width
// unless it is stated. post: one layer kind, no layers yet.
inline transformer read_gpt_sizes(const hf_keys& keys, hf_names hidden, hf_names heads, hf_names inner, bool tied, bool bias) {
  transformer model;
  model.hidden = keys.size(hidden, hf_widest);
  model.vocabulary = keys.size({"vocab_size", "padded_vocab_size"}, hf_most_rows);
  model.tied_embeddings = keys.flag_or("tie_word_embeddings", tied);
  model.norm_bias = true;
  layer_kind k;
  k.norm_bias = true;
  k.attention = read_heads(keys, model.hidden, heads, {}, 0, {}, 0);
  k.attention.qkv_bias = k.attention.output_bias = bias;
  k.mlp = {.size = keys.size_or(inner, 4 * hf_widest, 4 * model.hidden), .gated = false, .bias = bias};
  model.kinds = {k};
  return model;
}

inline transformer read_gpt2(const hf_keys& keys) {
  if (keys.flag_or("add_cross_attention", false)) keys.unsupported("add_cross_attention", "cross-attention");
  auto model = read_gpt_sizes(keys, {"n_embd"}, {"n_head"}, {"n_inner"}, true, true);
  model.positions = keys.size({"n_positions", "n_ctx"}, hf_most_rows);
  if (keys.type() == "gpt_bigcode" && keys.flag_or("multi_query", true)) model.kinds[0].attention.kv_heads = 1;
  model.layers.assign(keys.size({"n_layer"}, hf_most_layers), 0);
  return model;
}

// GPT-J and CodeGen: no biases in attention, one norm before both blocks, a head with bias.
inline transformer read_gptj(const hf_keys& keys) {
  auto model = read_gpt_sizes(keys, {"n_embd"}, {"n_head"}, {"n_inner"}, false, true);
  auto& k = model.kinds[0];
  k.attention.qkv_bias = k.attention.output_bias = false;
  k.norms = 1;
  k.parallel_block = true;
  model.head_bias = true;
  model.layers.assign(keys.size({"n_layer"}, hf_most_layers), 0);
  return model;
}

inline transformer read_gpt_neox(const hf_keys& keys) {
  auto model = read_gpt_sizes(keys, {"hidden_size"}, {"num_attention_heads"}, {"intermediate_size"}, false, true);
  auto& k = model.kinds[0];
  k.attention.qkv_bias = k.attention.output_bias = keys.flag_or("attention_bias", true);
  k.parallel_block = keys.flag_or("use_parallel_residual", true);
  model.layers.assign(keys.size({"num_hidden_layers"}, hf_most_layers), 0);
  return model;
}

inline transformer read_opt(const hf_keys& keys) {
  const bool bias = keys.flag_or("enable_bias", true);
  auto model = read_gpt_sizes(keys, {"hidden_size"}, {"num_attention_heads"}, {"ffn_dim"}, true, bias);
  if (!keys.flag_or("layer_norm_elementwise_affine", true)) {
    model.kinds[0].norms = 0;
    model.end_norms = 0;
  }
  // Positions begin at 2. With the norm behind the blocks, the last block's norm is the final one.
  model.positions = keys.size({"max_position_embeddings"}, hf_most_rows) + 2;
  if (!keys.flag_or("do_layer_norm_before", true) || keys.flag_or("_remove_final_layer_norm", false)) model.end_norms = 0;
  const auto width = keys.size_or({"word_embed_proj_dim"}, hf_widest, model.hidden);
  model.embedding_size = width == model.hidden ? 0 : width;
  model.layers.assign(keys.size({"num_hidden_layers"}, hf_most_layers), 0);
  return model;
}

inline transformer read_bloom(const hf_keys& keys) {
  auto model = read_gpt_sizes(keys, {"hidden_size", "n_embed"}, {"n_head", "num_attention_heads"}, {}, true, true);
  model.end_norms = 2;  // one behind the embedding
  model.layers.assign(keys.size({"n_layer", "num_hidden_layers"}, hf_most_layers), 0);
  return model;
}

inline transformer read_falcon(const hf_keys& keys) {
  auto model = read_gpt_sizes(keys, {"hidden_size", "n_embed"}, {"num_attention_heads", "n_head"}, {"ffn_hidden_size"}, true,
                              keys.flag_or("bias", false));
  auto& k = model.kinds[0];
  const bool decoder = keys.flag_or("new_decoder_architecture", keys.type() == "RefinedWeb");
  const std::uint32_t heads = k.attention.heads;
  if (decoder) {
    k.attention = read_heads(keys, model.hidden, {"num_attention_heads", "n_head"}, {"num_kv_heads", "n_head_kv"}, 0, {}, 0);
    k.attention.qkv_bias = k.attention.output_bias = k.mlp.bias;
    k.parallel_block = true;
    k.norms = keys.size_or({"num_ln_in_parallel_attn"}, 2, 2);
  } else {
    k.attention.kv_heads = keys.flag_or("multi_query", true) ? 1 : heads;
    k.parallel_block = keys.flag_or("parallel_attn", true);
    k.norms = k.parallel_block ? 1 : 2;
  }
  model.layers.assign(keys.size({"num_hidden_layers", "n_layer"}, hf_most_layers), 0);
  return model;
}

inline transformer read_mpt(const hf_keys& keys) {
  const bool bias = !keys.flag_or("no_bias", true);
  auto model = read_gpt_sizes(keys, {"d_model"}, {"n_heads"}, {}, true, bias);
  auto& k = model.kinds[0];
  k.norm_bias = model.norm_bias = bias;
  k.mlp.size = model.hidden * keys.size_or({"expansion_ratio"}, 64, 4);
  bool alibi = true;
  if (keys.has("attn_config")) {
    const auto attention = keys.part("attn_config");
    alibi = attention.flag_or("alibi", true);
    if (attention.flag_or("qk_ln", false)) attention.unsupported("qk_ln", "norms of queries and keys");
    const auto kind = attention.text_or("attn_type", "multihead_attention");
    if (kind == "multiquery_attention") k.attention.kv_heads = 1;
    else if (kind != "multihead_attention") attention.unsupported("attn_type", "attention " + quoted(kind));
  }
  if (!alibi && keys.flag_or("learned_pos_emb", true)) model.positions = keys.size({"max_seq_len"}, hf_most_rows);
  model.layers.assign(keys.size({"n_layers"}, hf_most_layers), 0);
  return model;
}

inline transformer read_phi(const hf_keys& keys) {
  auto model = read_gpt_sizes(keys, {"hidden_size"}, {"num_attention_heads"}, {"intermediate_size"}, false, true);
  auto& k = model.kinds[0];
  k.attention = read_heads(keys, model.hidden, {"num_attention_heads"}, {"num_key_value_heads"}, 0, {}, 0);
  k.attention.qkv_bias = k.attention.output_bias = true;
  if (keys.flag_or("qk_layernorm", false)) k.attention.qk_norm = 4 * k.attention.head_size;  // weight and bias, each twice
  k.norms = 1;
  k.parallel_block = true;
  model.head_bias = true;
  model.layers.assign(keys.size({"num_hidden_layers"}, hf_most_layers), 0);
  return model;
}

// ChatGLM2 and 3, and GLM-4 in that form. source: modeling_chatglm.py of THUDM/chatglm3-6b.
inline transformer read_chatglm(const hf_keys& keys) {
  const bool bias = keys.flag_or("add_bias_linear", false);
  auto model = read_gpt_sizes(keys, {"hidden_size"}, {"num_attention_heads"}, {"ffn_hidden_size"}, false, bias);
  auto& k = model.kinds[0];
  if (keys.flag_or("multi_query_attention", false)) {
    k.attention = read_heads(keys, model.hidden, {"num_attention_heads"}, {"multi_query_group_num"}, 1, {"kv_channels"}, 0);
  } else {
    k.attention = read_heads(keys, model.hidden, {"num_attention_heads"}, {}, 0, {"kv_channels"}, 0);
  }
  k.attention.qkv_bias = bias || keys.flag_or("add_qkv_bias", false);
  k.attention.output_bias = bias;
  k.mlp.size = keys.size({"ffn_hidden_size"}, hf_widest);
  k.mlp.gated = true;
  k.norm_bias = model.norm_bias = !keys.flag_or("rmsnorm", true);
  if (!keys.flag_or("post_layer_norm", true)) model.end_norms = 0;
  model.layers.assign(keys.size({"num_layers"}, hf_most_layers), 0);
  return model;
}

// Qwen of the first generation. source: modeling_qwen.py of Qwen/Qwen-7B: intermediate_size counts gate and value together.
inline transformer read_qwen(const hf_keys& keys) {
  auto model = read_gpt_sizes(keys, {"hidden_size"}, {"num_attention_heads"}, {"intermediate_size"}, false, false);
  auto& k = model.kinds[0];
  const auto size = keys.size({"intermediate_size"}, hf_widest);
  if (size % 2 != 0) keys.map().at("intermediate_size").refuse("an even intermediate_size");
  if (keys.has("kv_channels")) k.attention = read_heads(keys, model.hidden, {"num_attention_heads"}, {}, 0, {"kv_channels"}, 0);
  k.mlp = {.size = size / 2, .gated = true, .bias = !keys.flag_or("no_bias", true)};
  k.attention.qkv_bias = true;
  k.attention.output_bias = k.mlp.bias;
  k.norm_bias = model.norm_bias = false;
  model.layers.assign(keys.size({"num_hidden_layers"}, hf_most_layers), 0);
  return model;
}

inline transformer read_dbrx(const hf_keys& keys) {
  auto model = read_gpt_sizes(keys, {"d_model"}, {"n_heads"}, {}, false, false);
  auto& k = model.kinds[0];
  const auto kv = keys.part("attn_config").size({"kv_n_heads"}, hf_most_heads);
  if (k.attention.heads % kv != 0) {
    keys.map().at("attn_config").at("kv_n_heads").refuse("a divisor of the " + std::to_string(k.attention.heads) + " heads");
  }
  k.attention.kv_heads = kv;
  const auto experts = keys.part("ffn_config");
  k.feed_forward = feed_forward_kind::experts;
  k.mlp = {};
  k.experts = read_expert_counts(experts, {"moe_num_experts"}, {"moe_top_k"});
  k.experts.size = experts.size({"ffn_hidden_size"}, hf_widest);
  k.norm_bias = model.norm_bias = false;
  model.layers.assign(keys.size({"n_layers"}, hf_most_layers), 0);
  return model;
}

// GPT-Neo: no biases for queries, keys and values; local layers see 256 tokens.
inline transformer read_gpt_neo(const hf_keys& keys) {
  auto model = read_gpt_sizes(keys, {"hidden_size"}, {"num_heads", "num_attention_heads"}, {"intermediate_size"}, true, true);
  auto k = model.kinds[0];
  model.kinds.clear();
  k.attention.qkv_bias = false;
  model.positions = keys.size({"max_position_embeddings"}, hf_most_rows);
  const std::size_t layers = keys.size({"num_layers", "num_hidden_layers"}, hf_most_layers);
  const auto window = keys.size_or({"window_size"}, 1U << 30U, 256);
  std::vector<bool> local;
  for (const auto& group : keys.list_or_none("attention_types")) {
    if (group.size() != 2) group.refuse("a list of kinds and how often it stands");
    const auto times = group[1].count(hf_most_layers);
    for (std::uint32_t n = 0; n < times && local.size() <= layers; ++n) {
      for (std::size_t i = 0; i < group[0].size(); ++i) {
        const auto& kind = group[0][i].text();
        if (kind != "global" && kind != "local") group[0][i].refuse("global or local");
        local.push_back(kind == "local");
      }
    }
  }
  if (!keys.has("attention_types")) {
    for (std::size_t i = 0; i < layers; ++i) local.push_back(i % 2 == 1);
  }
  if (local.size() != layers) {
    keys.map()
        .at("attention_types")
        .refuse("kinds of attention for " + std::to_string(layers) + " layers", std::to_string(local.size()));
  }
  for (const bool is_local : local) {
    k.attention.window = is_local ? window : 0;
    add_layer(keys, model, k);
  }
  return model;
}

// What reads a configuration of that type.
struct hf_reader {
  std::string_view type;
  transformer (*read)(const hf_keys&);
};

// source: configuration_*.py and modeling_*.py of huggingface/transformers 5.24, where nothing else is said.
inline constexpr hf_reader hf_gpt_readers[] = {
    {"gpt2", read_gpt2},
    {"gpt_bigcode", read_gpt2},
    {"gptj", read_gptj},
    {"codegen", read_gptj},
    {"gpt_neox", read_gpt_neox},
    {"gpt_neo", read_gpt_neo},
    {"opt", read_opt},
    {"bloom", read_bloom},
    {"falcon", read_falcon},
    {"RefinedWeb", read_falcon},
    {"RefinedWebModel", read_falcon},
    {"mpt", read_mpt},
    {"phi", read_phi},
    {"chatglm", read_chatglm},
    {"qwen", read_qwen},
    {"dbrx", read_dbrx},
};

}  // namespace topoplan::inline v1::import::detail
