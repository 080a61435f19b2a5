// HuggingFace model types that are known and not modelled, each with the feature that stands in the way.
#pragma once

#include <string_view>

namespace topoplan::inline v1::import::detail {

struct hf_unsupported {
  std::string_view type;
  std::string_view feature;
};

inline constexpr std::string_view hf_two_stacks = "an encoder and a decoder";
inline constexpr std::string_view hf_encoder = "an encoder, no decoder-only transformer";
inline constexpr std::string_view hf_vision = "images, no language model";
inline constexpr std::string_view hf_mamba1 = "Mamba-1 blocks";
inline constexpr std::string_view hf_linear = "layers of linear attention";
inline constexpr std::string_view hf_sparse = "sparse attention with an indexer";

inline constexpr hf_unsupported hf_unsupported_types[] = {
    {"t5", hf_two_stacks},
    {"mt5", hf_two_stacks},
    {"umt5", hf_two_stacks},
    {"longt5", hf_two_stacks},
    {"switch_transformers", hf_two_stacks},
    {"t5gemma", hf_two_stacks},
    {"bart", hf_two_stacks},
    {"mbart", hf_two_stacks},
    {"pegasus", hf_two_stacks},
    {"marian", hf_two_stacks},
    {"m2m_100", hf_two_stacks},
    {"nllb_moe", hf_two_stacks},
    {"blenderbot", hf_two_stacks},
    {"led", hf_two_stacks},
    {"whisper", hf_two_stacks},
    {"encoder-decoder", hf_two_stacks},
    {"vision-encoder-decoder", hf_two_stacks},
    {"bert", hf_encoder},
    {"roberta", hf_encoder},
    {"xlm-roberta", hf_encoder},
    {"distilbert", hf_encoder},
    {"albert", hf_encoder},
    {"electra", hf_encoder},
    {"deberta", hf_encoder},
    {"deberta-v2", hf_encoder},
    {"modernbert", hf_encoder},
    {"wav2vec2", "audio, no language model"},
    {"hubert", "audio, no language model"},
    {"vit", hf_vision},
    {"clip", "two towers for images and text, no language model"},
    {"siglip", "two towers for images and text, no language model"},
    {"dinov2", hf_vision},
    {"swin", hf_vision},
    {"sam", hf_vision},
    {"mamba", hf_mamba1},
    {"falcon_mamba", hf_mamba1},
    {"jamba", hf_mamba1},
    {"zamba", "Mamba-1 blocks and layers that share weights"},
    {"zamba2", "layers that share weights"},
    {"bamba", "layers with Mamba-2 and attention blocks under names of their own"},
    {"granitemoehybrid", "layers with Mamba-2 and attention blocks under names of their own"},
    {"falcon_h1", "attention and Mamba-2 side by side in one layer"},
    {"rwkv", "RWKV's recurrence instead of attention"},
    {"recurrent_gemma", "recurrent layers"},
    {"xlstm", "recurrent layers"},
    {"lfm2", "convolution layers"},
    {"lfm2_moe", "convolution layers"},
    {"qwen3_next", hf_linear},
    {"qwen3_5", hf_linear},
    {"qwen3_5_moe", hf_linear},
    {"kimi_linear", hf_linear},
    {"minimax", hf_linear},
    {"minimax_m1", hf_linear},
    {"minimax_text_01", hf_linear},
    {"olmo_hybrid", hf_linear},
    {"deepseek_v32", hf_sparse},
    {"deepseek_v4", hf_sparse},
    {"glm_moe_dsa", hf_sparse},
    {"gemma3n", "embeddings of every layer and layers that share keys and values"},
    {"gemma4", "embeddings of every layer and layers that share keys and values"},
    {"mllama", "cross-attention to images"},
    {"openelm", "layers of different widths"},
    {"deci", "layers of different widths"},
    {"nemotron-nas", "layers of different widths"},
};

}  // namespace topoplan::inline v1::import::detail
