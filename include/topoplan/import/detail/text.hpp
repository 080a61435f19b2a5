// How every text format is cut into lines and words: the one place that knows about BOMs, CRLF, NUL and terminal colours.
#pragma once

#include <topoplan/core/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// A line without its end. `ended` is false only for a last line that no newline follows, which may have been cut.
struct text_line {
  std::string_view text;
  std::size_t number = 0;
  bool ended = true;
};

[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
[[nodiscard]] constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// ASCII only: what a locale thinks is of no concern to a config file.
[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

[[nodiscard]] inline bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

[[nodiscard]] inline bool all_digits(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// The number that all of `text` is, or nothing. complexity: O(text.size()).
template <class Integer = std::uint32_t> [[nodiscard]] std::optional<Integer> number(std::string_view text) noexcept {
  Integer value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The index in names such as GPU12, or nothing.
[[nodiscard]] inline std::optional<std::uint32_t> numbered(std::string_view text, std::string_view stem) noexcept {
  if (!text.starts_with(stem) || text.size() == stem.size() || !is_digit(text[stem.size()])) return std::nullopt;
  return number(text.substr(stem.size()));
}

// Where `part`, a piece of `line`, begins: counted from 1.
[[nodiscard]] inline std::size_t column_of(std::string_view line, std::string_view part) noexcept {
  return static_cast<std::size_t>(part.data() - line.data()) + 1;
}

// The text without a UTF-8 byte order mark.
// errors: parse_error for UTF-16 (PowerShell's > writes it) and for NUL bytes, which no format here may hold.
[[nodiscard]] inline std::string_view plain_text(std::string_view text, const std::string& source) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw parse_error({source, 1, 1}, "UTF-8 text", "UTF-16, as PowerShell writes it; save the file as UTF-8");
  }
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    const auto before = text.substr(0, nul);
    const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const auto start = before.rfind('\n');
    const auto column = start == std::string_view::npos ? nul + 1 : nul - start;
    throw parse_error({source, line, column}, "text", "a NUL byte; the file is binary, UTF-16 or damaged");
  }
  return text;
}

// All lines of a text, ends (LF or CRLF) removed; views into `text`. errors: as plain_text. complexity: O(text.size()).
[[nodiscard]] inline std::vector<text_line> lines_of(std::string_view text, const std::string& source) {
  text = plain_text(text, source);
  std::vector<text_line> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const bool ended = end != std::string_view::npos;
    auto line = text.substr(0, end);
    text.remove_prefix(ended ? end + 1 : text.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({line, lines.size() + 1, ended});
  }
  return lines;
}

// True for what devices and columns are called: nothing that a message or a document would have to escape.
[[nodiscard]] inline bool is_plain_name(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || is_letter(c) || c == '_' || c == '-' || c == '.' || c == ':';
  });
}

// The blank-separated words of a line, as views into it.
[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && is_blank(line[at])) ++at;
    auto end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// The text without terminal control sequences (ESC [ ... letter), which nvidia-smi writes even into a file.
[[nodiscard]] inline std::string without_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') {
      out += text[at];
      continue;
    }
    if (at + 1 >= text.size() || text[at + 1] != '[') continue;
    auto end = at + 2;
    while (end < text.size() && static_cast<unsigned char>(text[end]) >= 0x20 && static_cast<unsigned char>(text[end]) < 0x40)
      ++end;
    at = std::min(end, text.size() - 1);
  }
  return out;
}

// Lines such as "job.sh:# GPU0 X NV4" without what stands before the matrix: a grep prefix, a comment sign, one blank.
[[nodiscard]] inline std::string without_comment_signs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    const bool ended = line.size() < text.size();
    text.remove_prefix(line.size() + (ended ? 1 : 0));
    const auto sign = line.find('#');
    const auto before = line.substr(0, sign);
    if (sign != std::string_view::npos && (before.empty() || before.ends_with(':')) && words_of(before).size() <= 1) {
      line.remove_prefix(sign + 1);
      if (line.starts_with(' ')) line.remove_prefix(1);
    }
    out += line;
    if (ended) out += '\n';
  }
  return out;
}

}  // namespace topoplan::inline v1::import::detail
