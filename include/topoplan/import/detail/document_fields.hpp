// Fields of a document that many readers need: names that must be texts, and what may be left out.
#pragma once

#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import::detail {

// True for a text that JSON and YAML read as a number or truth value unless it stands in quotes.
[[nodiscard]] inline bool is_plain_scalar(const document_value& value) noexcept {
  if (value.kind != document_kind::text || !value.plain) return false;
  const std::string_view text = value.text;
  if (text == "true" || text == "false" || text == "True" || text == "False") return true;
  const bool digit = std::any_of(text.begin(), text.end(), is_digit);
  return digit && text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

// The name that a value is. errors: parse_error for an empty text, a number or truth value without quotes, a list or map.
[[nodiscard]] inline const std::string& name_in(const document_reader& value, std::string_view what) {
  if (value.value().kind != document_kind::text || value.value().text.empty() || is_plain_scalar(value.value())) {
    value.refuse(std::string(what) + ", a text", is_plain_scalar(value.value()) ? value.shown() + ", no text" : std::string{});
  }
  return value.value().text;
}

// The name under a key, or nothing where the key is missing, null or empty. errors: as name_in.
[[nodiscard]] inline std::optional<std::string> name_at(const document_reader& map, std::string_view key) {
  if (!map.has(key)) return std::nullopt;
  const auto value = map.at(key);
  if (value.value().kind == document_kind::text && value.value().text.empty()) return std::nullopt;
  return name_in(value, key);
}

// The map or list under a key, or nothing where it is missing or null. errors: parse_error for another kind.
[[nodiscard]] inline std::optional<document_reader> part_at(const document_reader& map, std::string_view key,
                                                            document_kind kind) {
  if (!map.has(key)) return std::nullopt;
  const auto part = map.at(key);
  if (part.value().kind != kind) part.refuse(std::string(key) + (kind == document_kind::map ? ", a map" : ", a list"));
  return part;
}

}  // namespace topoplan::inline v1::import::detail
