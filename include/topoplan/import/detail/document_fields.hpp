// Fields of a document that many readers need: names that must be texts, and what may be left out.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <charconv>
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
  double number{};
  const auto sign = !text.empty() && (text.front() == '-' || text.front() == '+') ? 1U : 0U;
  if (text.size() <= sign || !(is_digit(text[sign]) || text[sign] == '.')) return false;
  return std::from_chars(text.data() + sign, text.data() + text.size(), number).ptr == text.data() + text.size();
}

inline constexpr std::size_t max_name_length = 1000;

// The name that a value is: printable, so that a message may show it as it is.
// errors: parse_error for an empty text, blanks, a number or truth value without quotes, a list or map. complexity: O(name).
[[nodiscard]] inline const std::string& name_in(const document_reader& value, std::string_view what) {
  if (value.value().kind != document_kind::text || value.value().text.empty()) value.refuse(std::string(what) + ", a text");
  if (is_plain_scalar(value.value())) value.refuse(std::string(what) + ", a text", value.shown() + ", no text");
  const std::string& name = value.value().text;
  const bool printable = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!printable || name.size() > max_name_length) {
    value.refuse(std::string(what) + ", a text of up to " + std::to_string(max_name_length) + " letters without blanks",
                 quoted(name));
  }
  return name;
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
