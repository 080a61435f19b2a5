// A document in one line, to compare with what a test expects.
#pragma once

#include <topoplan/import/document.hpp>

#include <cstddef>
#include <string>

namespace topoplan_test {

// Lists as [..], maps as {key:..}, plain texts as they are, quoted ones in quotes, nothing as ~.
inline std::string text_of(const topoplan::import::document_value& value) {
  using topoplan::import::document_kind;
  switch (value.kind) {
    case document_kind::none: return "~";
    case document_kind::text: return value.plain ? value.text : topoplan::quoted(value.text, 1000);
    case document_kind::list:
    case document_kind::map: break;
  }
  const bool map = value.kind == document_kind::map;
  std::string out = map ? "{" : "[";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0) out += ',';
    if (map) out += value.keys[i] + ":";
    out += text_of(value.items[i]);
  }
  return out + (map ? "}" : "]");
}

// "2:5" of a value.
inline std::string place_of(const topoplan::import::document_value& value) {
  return std::to_string(value.line) + ":" + std::to_string(value.column);
}

}  // namespace topoplan_test
