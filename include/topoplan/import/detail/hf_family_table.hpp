// The families of HuggingFace configurations that are built as LLaMA is: what each names differently and takes for granted.
#pragma once

#include <topoplan/import/detail/hf_attention.hpp>
#include <topoplan/import/detail/hf_experts.hpp>

#include <cstdint>
#include <string_view>

namespace topoplan::inline v1::import::detail {

// Which norms of queries and keys there are.
enum class hf_qk_norm : std::uint8_t {
  none,
  per_head,  // one weight an element of a head, for queries and for keys
  per_layer  // one weight an element of all heads
};

// Traits of a family; the defaults are LLaMA's.
struct hf_family {
  std::string_view type;
  bool tied = false;  // when tie_word_embeddings is missing
  hf_switch qkv_bias = {"attention_bias"};
  hf_switch output_bias = {"attention_bias"};
  hf_switch mlp_bias = {};
  bool gated = true;
  std::uint32_t kv_heads = 0;   // when num_key_value_heads is missing; 0: as heads
  std::uint32_t head_size = 0;  // when head_dim is missing; 0: hidden over heads
  hf_qk_norm qk_norm = hf_qk_norm::none;
  hf_switch has_qk_norm = {{}, true};
  std::uint32_t norms = 2;
  bool norm_bias = false;
  std::uint32_t end_norms = 1;
  hf_switch parallel = {};  // one norm feeds attention and feed-forward
  hf_window_rule windows = {};
  hf_experts experts = hf_experts::none;
  bool router_bias = false;
  bool sinks = false;
  hf_switch head_bias = {};
};

// source: configuration_*.py and modeling_*.py of huggingface/transformers 5.24; baichuan, exaone, internlm2 and qwen: the code
//   that their models bring along.
inline constexpr hf_family hf_families[] = {
    {.type = "llama", .mlp_bias = {"mlp_bias"}},
    {.type = "mistral", .qkv_bias = {}, .output_bias = {}, .kv_heads = 8, .windows = {hf_windows::every_layer, 4096}},
    {.type = "ministral3",
     .qkv_bias = {},
     .output_bias = {},
     .kv_heads = 8,
     .head_size = 128,
     .windows = {hf_windows::every_layer}},
    {.type = "mixtral",
     .qkv_bias = {},
     .output_bias = {},
     .kv_heads = 8,
     .windows = {hf_windows::every_layer},
     .experts = hf_experts::mixtral},
    {.type = "qwen2", .qkv_bias = {{}, true}, .output_bias = {}, .windows = {hf_windows::if_used, 4096, 28}},
    {.type = "qwen2_vl_text", .qkv_bias = {{}, true}, .output_bias = {}, .windows = {hf_windows::if_used, 4096, 80}},
    {.type = "qwen2_5_vl_text", .qkv_bias = {{}, true}, .output_bias = {}, .windows = {hf_windows::if_used, 4096, 80}},
    {.type = "qwen2_moe",
     .qkv_bias = {"qkv_bias", true},
     .output_bias = {},
     .windows = {hf_windows::if_used, 4096, 28},
     .experts = hf_experts::qwen_shared},
    {.type = "qwen3", .head_size = 128, .qk_norm = hf_qk_norm::per_head, .windows = {hf_windows::if_used, 4096, 28}},
    {.type = "qwen3_vl_text", .head_size = 128, .qk_norm = hf_qk_norm::per_head},
    {.type = "qwen3_moe",
     .kv_heads = 4,
     .qk_norm = hf_qk_norm::per_head,
     .windows = {hf_windows::if_used, 4096, 0},
     .experts = hf_experts::qwen},
    {.type = "qwen3_vl_moe_text", .kv_heads = 16, .qk_norm = hf_qk_norm::per_head, .experts = hf_experts::qwen},
    {.type = "gemma", .tied = true, .head_size = 256},
    {.type = "gemma2", .tied = true, .head_size = 256, .norms = 4, .windows = {hf_windows::pattern, 4096, 2}},
    {.type = "gemma3_text",
     .tied = true,
     .head_size = 256,
     .qk_norm = hf_qk_norm::per_head,
     .norms = 4,
     .windows = {hf_windows::pattern, 4096, 6}},
    {.type = "phi3", .qkv_bias = {}, .output_bias = {}, .windows = {hf_windows::every_layer}},
    {.type = "phimoe",
     .kv_heads = 8,
     .norm_bias = true,
     .windows = {hf_windows::every_layer},
     .experts = hf_experts::mixtral,
     .head_bias = {"lm_head_bias"}},
    {.type = "olmo", .norms = 0, .end_norms = 0},
    {.type = "olmo2", .qk_norm = hf_qk_norm::per_layer},
    {.type = "olmo3", .qk_norm = hf_qk_norm::per_layer, .windows = {hf_windows::pattern, 4096, 4}},
    {.type = "olmoe", .qk_norm = hf_qk_norm::per_layer, .experts = hf_experts::olmoe},
    {.type = "glm", .qkv_bias = {"attention_bias", true}, .output_bias = {}, .kv_heads = 2, .head_size = 128},
    {.type = "glm4", .qkv_bias = {"attention_bias", true}, .output_bias = {}, .kv_heads = 2, .head_size = 128, .norms = 4},
    {.type = "glm4_moe",
     .output_bias = {},
     .kv_heads = 8,
     .qk_norm = hf_qk_norm::per_head,
     .has_qk_norm = {"use_qk_norm"},
     .experts = hf_experts::deepseek,
     .router_bias = true},
    {.type = "cohere",
     .tied = true,
     .qk_norm = hf_qk_norm::per_layer,
     .has_qk_norm = {"use_qk_norm"},
     .norms = 1,
     .parallel = {{}, true}},
    {.type = "cohere2", .tied = true, .norms = 1, .parallel = {{}, true}, .windows = {hf_windows::pattern, 4096, 4}},
    {.type = "starcoder2",
     .tied = true,
     .qkv_bias = {"use_bias", true},
     .output_bias = {"use_bias", true},
     .mlp_bias = {"use_bias", true},
     .gated = false,
     .kv_heads = 2,
     .norm_bias = true,
     .windows = {hf_windows::every_layer}},
    {.type = "nemotron", .mlp_bias = {"mlp_bias"}, .gated = false, .norm_bias = true},
    {.type = "arcee", .mlp_bias = {"mlp_bias"}, .gated = false},
    {.type = "granite", .mlp_bias = {"mlp_bias"}},
    {.type = "granitemoe", .experts = hf_experts::mixtral},
    {.type = "granitemoeshared", .experts = hf_experts::mixtral},
    {.type = "stablelm",
     .qkv_bias = {"use_qkv_bias"},
     .output_bias = {},
     .qk_norm = hf_qk_norm::per_layer,
     .has_qk_norm = {"qk_layernorm"},
     .norm_bias = true,
     .parallel = {"use_parallel_residual"}},
    {.type = "smollm3", .tied = true, .mlp_bias = {"mlp_bias"}, .kv_heads = 4},
    {.type = "seed_oss",
     .qkv_bias = {"attention_bias", true},
     .output_bias = {"attention_out_bias"},
     .mlp_bias = {"mlp_bias"},
     .kv_heads = 8,
     .head_size = 128},
    {.type = "ernie4_5",
     .tied = true,
     .qkv_bias = {"use_bias"},
     .output_bias = {"use_bias"},
     .mlp_bias = {"use_bias"},
     .kv_heads = 2,
     .head_size = 128},
    {.type = "hunyuan_v1_dense", .qk_norm = hf_qk_norm::per_head},
    {.type = "exaone", .qkv_bias = {}, .output_bias = {}},
    {.type = "exaone4",
     .qkv_bias = {},
     .output_bias = {},
     .qk_norm = hf_qk_norm::per_head,
     .windows = {hf_windows::pattern, 4096, 4}},
    {.type = "internlm2", .qkv_bias = {"bias"}, .output_bias = {"bias"}},
    {.type = "baichuan", .qkv_bias = {}, .output_bias = {}},
    {.type = "gpt_oss",
     .qkv_bias = {"attention_bias", true},
     .output_bias = {"attention_bias", true},
     .kv_heads = 8,
     .head_size = 64,
     .windows = {hf_windows::pattern, 128, 2},
     .experts = hf_experts::mixtral,
     .router_bias = true,
     .sinks = true},
    {.type = "llama4_text",
     .kv_heads = 8,
     .head_size = 128,
     .windows = {hf_windows::chunks_with_rope, 8192},
     .experts = hf_experts::llama4},
    {.type = "minimax_m2",
     .qkv_bias = {},
     .output_bias = {},
     .kv_heads = 8,
     .head_size = 128,
     .qk_norm = hf_qk_norm::per_layer,
     .has_qk_norm = {"use_qk_norm", true},
     .experts = hf_experts::mixtral},
    {.type = "deepseek", .experts = hf_experts::deepseek},
    {.type = "deepseek_v2", .experts = hf_experts::deepseek},
    {.type = "deepseek_v3", .experts = hf_experts::deepseek, .router_bias = true},
    {.type = "glm4_moe_lite", .experts = hf_experts::deepseek, .router_bias = true},
    {.type = "kimi_k2", .experts = hf_experts::deepseek, .router_bias = true},
};

}  // namespace topoplan::inline v1::import::detail
