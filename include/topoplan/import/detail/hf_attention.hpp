// What the families of HuggingFace configurations share: heads, windows by layer, and layers as they are added to a model.
#pragma once

#include <topoplan/import/detail/hf_keys.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// A switch of a family: a key, and what it means when it is missing. No key: a fixed trait.
struct hf_switch {
  std::string_view key = {};
  bool otherwise = false;

  [[nodiscard]] bool of(const hf_keys& keys) const { return key.empty() ? otherwise : keys.flag_or(key, otherwise); }
};

// Adds a layer; layers of one kind share an entry. errors: parse_error for more kinds than an index of one byte tells apart.
inline void add_layer(const hf_keys& keys, transformer& model, const layer_kind& kind) {
  auto at = std::find(model.kinds.begin(), model.kinds.end(), kind);
  if (at == model.kinds.end()) {
    if (model.kinds.size() > 255) keys.map().refuse("at most 256 kinds of layers", "more");
    at = model.kinds.insert(at, kind);
  }
  model.layers.push_back(static_cast<std::uint8_t>(at - model.kinds.begin()));
}

// Heads and their sizes. `kv_otherwise` and `size_otherwise`: what a family takes for a missing key; 0: as many as heads, and
// the hidden width over the heads. post: kv_heads divides heads. errors: parse_error for sizes that contradict each other.
inline attention_block read_heads(const hf_keys& keys, std::uint32_t hidden, hf_names heads_names, hf_names kv_names,
                                  std::uint32_t kv_otherwise, hf_names size_names, std::uint32_t size_otherwise) {
  attention_block a;
  a.heads = keys.size(heads_names, hf_most_heads);
  a.kv_heads = keys.size_or(kv_names, hf_most_heads, kv_otherwise == 0 ? a.heads : kv_otherwise);
  a.head_size = keys.size_or(size_names, hf_most_heads, size_otherwise);
  const auto heads_at = keys.map().at(*keys.first(heads_names));
  if (a.heads % a.kv_heads != 0) {
    const auto by = keys.first(kv_names);
    (by ? keys.map().at(*by) : heads_at)
        .refuse("heads for keys and values that divide the " + std::to_string(a.heads) + " heads for queries",
                std::to_string(a.kv_heads));
  }
  if (a.head_size == 0) {
    if (hidden % a.heads != 0)
      heads_at.refuse("heads that divide the hidden width " + std::to_string(hidden) + ", or head_dim beside them");
    a.head_size = hidden / a.heads;
  }
  a.value_size = a.head_size;
  return a;
}

// How a family without a list of layer types lays out windows.
enum class hf_windows : std::uint8_t {
  none,
  every_layer,       // sliding_window
  if_used,           // use_sliding_window; from layer max_window_layers on
  pattern,           // every n-th layer sees everything, the others a window
  chunks_with_rope,  // attention_chunk_size on the layers that have rotary embeddings
};

struct hf_window_rule {
  hf_windows kind = hf_windows::none;
  std::uint32_t size = 0;     // when the key is missing; 0: no window
  std::uint32_t pattern = 0;  // when sliding_window_pattern is missing
};

// The window of each layer; 0: everything. errors: parse_error for kinds of attention that aren't modelled, and for lists whose
// length isn't the number of layers.
inline std::vector<std::uint32_t> read_windows(const hf_keys& keys, const hf_window_rule& rule, std::size_t layers) {
  std::vector<std::uint32_t> windows(layers, 0);
  const bool chunks = rule.kind == hf_windows::chunks_with_rope;
  const std::string_view key = chunks ? "attention_chunk_size" : "sliding_window";
  const std::uint32_t size = keys.is_null(key) ? 0 : keys.size_or({key}, 1U << 30U, rule.size);
  const auto length_of = [&](const std::vector<document_reader>& list, std::string_view name) {
    if (list.size() != layers)
      keys.map().at(name).refuse("one entry of " + std::string(name) + " for each of the " + std::to_string(layers) + " layers",
                                 std::to_string(list.size()));
  };
  if (keys.has("layer_types")) {
    const auto types = keys.list_or_none("layer_types");
    length_of(types, "layer_types");
    for (std::size_t i = 0; i < layers; ++i) {
      const auto& type = types[i].text();
      if (type == "full_attention") continue;
      if (type != (chunks ? "chunked_attention" : "sliding_attention"))
        types[i].refuse("full_attention or " + std::string(chunks ? "chunked_attention" : "sliding_attention") +
                        "; other layers of model_type " + quoted(keys.type()) + " aren't modelled");
      if (size == 0) types[i].refuse("full_attention where " + std::string(key) + " isn't set");
      windows[i] = size;
    }
    return windows;
  }
  switch (rule.kind) {
    case hf_windows::none: break;
    case hf_windows::every_layer: std::fill(windows.begin(), windows.end(), size); break;
    case hf_windows::if_used: {
      if (!keys.flag_or("use_sliding_window", false)) break;
      const std::size_t from = keys.number_or("max_window_layers", hf_most_layers, rule.pattern);
      for (std::size_t i = from; i < layers; ++i) windows[i] = size;
      break;
    }
    case hf_windows::pattern: {
      std::uint32_t period = rule.pattern;
      std::string letters;  // EXAONE writes "LLLG": local and global
      if (keys.has("sliding_window_pattern")) {
        const auto at = keys.map().at("sliding_window_pattern");
        if (at.value().kind == document_kind::text && !at.value().plain) letters = at.text();
        else period = keys.size({"sliding_window_pattern"}, hf_most_layers);
        if (letters.find_first_not_of("LG") != std::string::npos || (letters.empty() && !at.value().plain))
          at.refuse("sliding_window_pattern, a number or letters L and G");
      }
      for (std::size_t i = 0; i < layers; ++i) {
        const bool local = letters.empty() ? (i + 1) % period != 0 : letters[i % letters.size()] == 'L';
        if (local) windows[i] = size;
      }
      break;
    }
    case hf_windows::chunks_with_rope: {
      const auto rotary = keys.list_or_none("no_rope_layers");  // 1 where there are rotary embeddings, despite the name
      if (!rotary.empty()) length_of(rotary, "no_rope_layers");
      const std::uint32_t interval = keys.size_or({"no_rope_layer_interval"}, hf_most_layers, 4);
      for (std::size_t i = 0; i < layers; ++i) {
        if (rotary.empty() ? (i + 1) % interval != 0 : rotary[i].count(1) == 1) windows[i] = size;
      }
      break;
    }
  }
  return windows;
}

}  // namespace topoplan::inline v1::import::detail
