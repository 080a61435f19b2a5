// Fields of a document that many readers need: names that must be texts, and what may be left out.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
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

// True for what every reader takes for a name: printable letters without blanks, so that a message may show it as it is.
// complexity: O(name). errors: none.
[[nodiscard]] inline bool is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= max_name_length &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

// For messages: what was expected of a name.
[[nodiscard]] inline std::string name_rule(std::string_view what) {
  return std::string(what) + ", a text of up to " + std::to_string(max_name_length) + " letters without blanks";
}

// Whether a number or truth value without quotes is a name, as it is written, or a sign of another format.
enum class unquoted : std::uint8_t { refused, taken };

// The name that a value is. post: is_name. complexity: O(name).
// errors: parse_error for what isn't a name, a list or a map; unless they're taken, for a number or truth value without quotes.
[[nodiscard]] inline const std::string& name_in(const document_reader& value, std::string_view what,
                                                unquoted scalars = unquoted::refused) {
  if (value.value().kind != document_kind::text || value.value().text.empty()) value.refuse(std::string(what) + ", a text");
  if (scalars == unquoted::refused && is_plain_scalar(value.value()))
    value.refuse(std::string(what) + ", a text", value.shown() + ", no text");
  if (!is_name(value.value().text)) value.refuse(name_rule(what), quoted(value.value().text));
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
