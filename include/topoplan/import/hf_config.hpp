// Reads a HuggingFace config.json: the transformer that it describes, exact to the last bias, or a refusal by name.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/hf_families.hpp>
#include <topoplan/import/detail/hf_family_table.hpp>
#include <topoplan/import/detail/hf_gpt_families.hpp>
#include <topoplan/import/detail/hf_keys.hpp>
#include <topoplan/import/detail/hf_state_space.hpp>
#include <topoplan/import/detail/hf_unsupported.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/json_document.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// A model type with towers for images beside the language model, and the type of the latter where it doesn't say so itself.
struct hf_nested {
  std::string_view type;
  std::string_view text_type;
};

inline constexpr hf_nested hf_nested_types[] = {
    {"gemma3", "gemma3_text"},         {"llama4", "llama4_text"},     {"qwen2_vl", "qwen2_vl_text"},
    {"qwen2_5_vl", "qwen2_5_vl_text"}, {"qwen3_vl", "qwen3_vl_text"}, {"qwen3_vl_moe", "qwen3_vl_moe_text"},
    {"mistral3", "mistral"},           {"kimi_k25", "kimi_k2"},
};

inline constexpr hf_nested hf_architectures[] = {
    {"LlamaForCausalLM", "llama"},
    {"MistralForCausalLM", "mistral"},
    {"MixtralForCausalLM", "mixtral"},
    {"Qwen2ForCausalLM", "qwen2"},
    {"Qwen3ForCausalLM", "qwen3"},
    {"Qwen3MoeForCausalLM", "qwen3_moe"},
    {"GemmaForCausalLM", "gemma"},
    {"Gemma2ForCausalLM", "gemma2"},
    {"Gemma3ForCausalLM", "gemma3_text"},
    {"Phi3ForCausalLM", "phi3"},
    {"GPT2LMHeadModel", "gpt2"},
    {"GPTNeoXForCausalLM", "gpt_neox"},
    {"OPTForCausalLM", "opt"},
    {"BloomForCausalLM", "bloom"},
    {"FalconForCausalLM", "falcon"},
    {"DeepseekV2ForCausalLM", "deepseek_v2"},
    {"DeepseekV3ForCausalLM", "deepseek_v3"},
    {"GptOssForCausalLM", "gpt_oss"},
};

// The type of a configuration that doesn't state it, if its class or its keys leave no doubt.
[[nodiscard]] inline std::optional<std::pair<std::string, std::string>> guess_hf_type(const hf_keys& keys) {
  const auto classes = keys.list_or_none("architectures");
  if (classes.size() == 1) {
    const auto& name = classes[0].text();
    const auto* at =
        std::find_if(std::begin(hf_architectures), std::end(hf_architectures), [&](const auto& a) { return a.type == name; });
    if (at != std::end(hf_architectures)) return std::pair{std::string(at->text_type), "its architecture is " + name};
  }
  if (keys.has("word_embed_proj_dim") && keys.has("ffn_dim") && keys.has("do_layer_norm_before"))
    return std::pair{std::string("opt"),
                     std::string("no other family has word_embed_proj_dim, ffn_dim and do_layer_norm_before")};
  return std::nullopt;
}

// Every model type that is read, for messages.
[[nodiscard]] inline std::string hf_known_types() {
  std::vector<std::string_view> names = {"nemotron_h", "mamba2"};
  for (const auto& f : hf_families) names.push_back(f.type);
  for (const auto& r : hf_gpt_readers) names.push_back(r.type);
  for (const auto& n : hf_nested_types) names.push_back(n.type);
  std::sort(names.begin(), names.end());
  std::string all;
  for (const auto name : names) (all += all.empty() ? "" : ", ") += name;
  return all;
}

// Reads the settings of a language model of that type. errors: parse_error, for an unknown type at `type_at`.
inline transformer read_hf_model(const hf_keys& keys, const document_reader& type_at) {
  const auto& type = keys.type();
  const auto is_type = [&](const auto& entry) { return entry.type == type; };
  const auto* family = std::find_if(std::begin(hf_families), std::end(hf_families), is_type);
  if (family != std::end(hf_families)) return read_family(keys, *family);
  const auto* reader = std::find_if(std::begin(hf_gpt_readers), std::end(hf_gpt_readers), is_type);
  if (reader != std::end(hf_gpt_readers)) return reader->read(keys);
  if (type == "nemotron_h") return read_nemotron_h(keys);
  if (type == "mamba2") return read_mamba2(keys);
  const auto* no = std::find_if(std::begin(hf_unsupported_types), std::end(hf_unsupported_types), is_type);
  if (no != std::end(hf_unsupported_types))
    type_at.refuse("a decoder-only transformer that is modelled", "model_type " + quoted(type) + ": " + std::string(no->feature));
  type_at.refuse("a model_type that is known (" + hf_known_types() + ")", quoted(type));
}

// Whether the table of tokens is the head, where a configuration says so at two places.
inline void check_nested_ties(const hf_keys& outer, const hf_keys& inner) {
  if (!outer.has("tie_word_embeddings") || !inner.has("tie_word_embeddings")) return;
  const bool without = outer.flag_or("tie_word_embeddings", false);
  if (without == inner.flag_or("tie_word_embeddings", false)) return;
  inner.map()
      .at("tie_word_embeddings")
      .refuse("tie_word_embeddings as line " + std::to_string(outer.map().at("tie_word_embeddings").line()) + " says, " +
              (without ? "true" : "false"));
}

}  // namespace detail

// Reads a configuration. Keys that change no size are skipped. Of a model for images and text it is the language model; what is
// left out, and what was concluded from other keys, stands in `notes`.
// post: at least one layer, every entry of layers is an index into kinds. complexity: O(values + layers).
// errors: parse_error with the line: a model type that isn't known or has blocks that aren't modelled, by name; a key that is
//   missing, no number, or out of range; keys that contradict each other.
// source: the configuration classes of huggingface/transformers 5.24, whose values for missing keys are taken.
[[nodiscard]] inline transformer hf_config(const document& d) {
  const document_reader root(d);
  const detail::hf_keys untyped(root, "");
  std::vector<std::string> notes;
  auto type = untyped.text_or("model_type", "");
  if (type.empty()) {
    const auto guess = detail::guess_hf_type(untyped);
    if (!guess) root.refuse("model_type, which says what the other keys mean", "no such key");
    type = guess->first;
    notes.push_back("model_type is missing; read as " + type + ", since " + guess->second);
  }
  const auto type_at = untyped.has("model_type") ? root.at("model_type") : root;
  if (untyped.flag_or("is_encoder_decoder", false))
    root.at("is_encoder_decoder")
        .refuse("a decoder-only transformer", "model_type " + quoted(type) + " with an encoder and a decoder");

  const auto* nested = std::find_if(std::begin(detail::hf_nested_types), std::end(detail::hf_nested_types),
                                    [&](const auto& n) { return n.type == type; });
  transformer model;
  if (nested == std::end(detail::hf_nested_types)) {
    model = detail::read_hf_model({root, type}, type_at);
  } else if (!untyped.has("text_config")) {
    if (type == "mistral3" || type == "kimi_k25") root.refuse("text_config of a model_type " + quoted(type), "no such key");
    model = detail::read_hf_model({root, std::string(nested->text_type)}, type_at);
  } else {
    const auto part = untyped.part("text_config");
    const detail::hf_keys text(part.map(), part.text_or("model_type", nested->text_type));
    detail::check_nested_ties(untyped, text);
    model = detail::read_hf_model(text, text.has("model_type") ? part.map().at("model_type") : type_at);
    const bool stated = text.has("tie_word_embeddings") || untyped.has("tie_word_embeddings");
    if (!stated && (type == "mistral3" || type == "kimi_k25")) {
      part.map().refuse("tie_word_embeddings, for which versions of model_type " + quoted(type) + " take different values",
                        "no such key");
    }
    if (!text.has("tie_word_embeddings")) model.tied_embeddings = untyped.flag_or("tie_word_embeddings", type == "gemma3");
  }
  if (untyped.has("vision_config") || nested != std::end(detail::hf_nested_types))
    notes.push_back("the tower for images and its projector, if any, are left out: the language model is what is planned");
  model.name = type;
  model.notes.insert(model.notes.begin(), notes.begin(), notes.end());
  return model;
}

// Reads a configuration from its text. Python writes Infinity and NaN, which JSON doesn't have; as values they count as null.
// complexity: O(text + layers). errors: parse_error as above and for what isn't JSON.
[[nodiscard]] inline transformer hf_config(std::string_view text, const std::string& source) {
  std::string plain(text);
  bool in_text = false;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    if (plain[at] == '"') in_text = !in_text;
    else if (in_text && plain[at] == '\\') ++at;
    if (in_text) continue;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (std::string_view(plain).substr(at, word.size()) != word) continue;
      // As long as before, so that columns stay; NaN becomes 0, which is one letter.
      plain.replace(at, word.size(),
                    std::string(word.size() < 4 ? "0" : "null").append(word.size() - (word.size() < 4 ? 1U : 4U), ' '));
    }
  }
  return hf_config(json_document(plain, source));
}

}  // namespace topoplan::inline v1::import
