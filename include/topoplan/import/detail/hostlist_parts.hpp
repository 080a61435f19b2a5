// One item of a hostlist: its texts and brackets, the names that they make, and the way back.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// Longer runs of digits aren't counted in by anyone, and wouldn't fit.
inline constexpr std::size_t hostlist_max_digits = 18;
// What DNS takes, and far more brackets than a machine room has dimensions.
inline constexpr std::size_t hostlist_max_name = 255;
inline constexpr std::size_t hostlist_max_brackets = 8;

struct hostlist_range {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  std::uint64_t step = 1;
  std::size_t width = 1;  // numbers are padded with zeros to it
};

// A text and the bracket behind it; the last part of an item may have no bracket.
struct hostlist_part {
  std::string_view text;
  std::vector<hostlist_range> ranges;
};

struct hostlist_item {
  std::size_t start = 0;
  std::vector<hostlist_part> parts;
  std::size_t count = 1;       // names, saturated
  std::size_t characters = 0;  // of all names, an upper bound, saturated
};

// The expression and where it stands.
struct hostlist_cursor {
  std::string_view text;
  const location& from;

  [[nodiscard]] location at(std::size_t offset) const {
    const auto before = text.substr(0, offset);
    const auto newline = before.rfind('\n');
    const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t column = newline == std::string_view::npos ? from.column + offset : offset - newline;
    return {from.source, from.line + lines, column};
  }
  [[nodiscard]] std::string found(std::size_t offset) const {
    return offset < text.size() ? quoted(text.substr(offset, 1)) : "the end";
  }
};

[[nodiscard]] constexpr bool is_host_character(char c) noexcept {
  return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.';
}

[[nodiscard]] constexpr std::size_t saturated_product(std::size_t a, std::size_t b) noexcept {
  return b != 0 && a > std::numeric_limits<std::size_t>::max() / b ? std::numeric_limits<std::size_t>::max() : a * b;
}

// A number of a range; moves `at` behind it.
[[nodiscard]] inline std::string_view hostlist_digits(const hostlist_cursor& cursor, std::size_t& at) {
  const auto start = at;
  while (at < cursor.text.size() && is_digit(cursor.text[at])) ++at;
  if (at == start) throw parse_error(cursor.at(at), "a number", cursor.found(at));
  if (at - start > hostlist_max_digits) {
    throw parse_error(cursor.at(start), "a number of at most " + std::to_string(hostlist_max_digits) + " digits",
                      quoted(cursor.text.substr(start, at - start)));
  }
  return cursor.text.substr(start, at - start);
}

// "7", "001-003" or "0-10/2"; moves `at` behind it. The first number's width is the padding, as in Slurm.
[[nodiscard]] inline hostlist_range parse_hostlist_range(const hostlist_cursor& cursor, std::size_t& at) {
  const auto start = at;
  const auto first = hostlist_digits(cursor, at);
  hostlist_range range{number<std::uint64_t>(first).value_or(0), 1, 1, first.size()};
  if (at >= cursor.text.size() || cursor.text[at] != '-') return range;
  const auto last = number<std::uint64_t>(hostlist_digits(cursor, ++at)).value_or(0);
  if (last < range.first) {
    throw parse_error(cursor.at(start), "a range that rises", quoted(cursor.text.substr(start, at - start)));
  }
  if (at < cursor.text.size() && cursor.text[at] == '/') {
    const auto step_at = ++at;
    range.step = number<std::uint64_t>(hostlist_digits(cursor, at)).value_or(0);
    if (range.step == 0) throw parse_error(cursor.at(step_at), "a step of at least 1", "0");
  }
  range.count = (last - range.first) / range.step + 1;
  return range;
}

// The ranges of a bracket; `at` stands on '[' and moves behind ']'.
[[nodiscard]] inline std::vector<hostlist_range> parse_bracket(const hostlist_cursor& cursor, std::size_t& at) {
  const auto open = at++;
  std::vector<hostlist_range> ranges;
  for (;; ++at) {
    ranges.push_back(parse_hostlist_range(cursor, at));
    if (at < cursor.text.size() && cursor.text[at] == ',') continue;
    if (at < cursor.text.size() && cursor.text[at] == ']') break;
    throw parse_error(cursor.at(at), "',' or ']' for the bracket of column " + std::to_string(cursor.at(open).column),
                      cursor.found(at));
  }
  ++at;
  return ranges;
}

// The item that begins at `at`, which moves behind it: up to a comma, a blank or the end.
// errors: parse_error. complexity: O(its text).
[[nodiscard]] inline hostlist_item parse_hostlist_item(const hostlist_cursor& cursor, std::size_t& at) {
  hostlist_item item;
  item.start = at;
  std::size_t length = 0;
  while (at < cursor.text.size() && cursor.text[at] != ',' && cursor.text[at] != '\n' && !is_blank(cursor.text[at])) {
    const auto start = at;
    while (at < cursor.text.size() && is_host_character(cursor.text[at])) ++at;
    hostlist_part part{cursor.text.substr(start, at - start), {}};
    length += part.text.size();
    if (at < cursor.text.size() && cursor.text[at] == '[') {
      part.ranges = parse_bracket(cursor, at);
      std::uint64_t count = 0;
      std::size_t width = 0;
      for (const hostlist_range& range : part.ranges) {
        count += range.count;  // at most 10^18 each, and ranges are few: the text holds them
        const std::uint64_t last = range.first + (range.count - 1) * range.step;
        width = std::max({width, range.width, std::to_string(last).size()});
        if (count > std::numeric_limits<std::uint64_t>::max() / 4) break;
      }
      item.count = saturated_product(item.count, static_cast<std::size_t>(count));
      length += width;
    } else if (at == start) {
      throw parse_error(cursor.at(at), "a host name, ',' or '['", cursor.found(at));
    }
    item.parts.push_back(std::move(part));
    if (length > hostlist_max_name || item.parts.size() > hostlist_max_brackets + 1) {
      throw parse_error(cursor.at(item.start),
                        "names of at most " + std::to_string(hostlist_max_name) + " characters and " +
                            std::to_string(hostlist_max_brackets) + " brackets",
                        quoted(cursor.text.substr(item.start, at - item.start)));
    }
  }
  item.characters = saturated_product(item.count, length);
  return item;
}

inline void append_number(std::string& out, std::uint64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// Appends the names that the parts from `part` on make behind `prefix`; the last bracket varies fastest.
inline void append_names(const hostlist_item& item, std::vector<std::string>& names, std::size_t part, std::string& prefix) {
  if (part == item.parts.size()) {
    names.push_back(prefix);
    return;
  }
  const auto kept = prefix.size();
  prefix += item.parts[part].text;
  const auto with_text = prefix.size();
  if (item.parts[part].ranges.empty()) append_names(item, names, part + 1, prefix);
  for (const hostlist_range& range : item.parts[part].ranges) {
    for (std::uint64_t i = 0; i < range.count; ++i) {
      append_number(prefix, range.first + i * range.step, range.width);
      append_names(item, names, part + 1, prefix);
      prefix.resize(with_text);
    }
  }
  prefix.resize(kept);
}

// pre: item.count names fit into memory.
inline void append_names(const hostlist_item& item, std::vector<std::string>& names) {
  std::string prefix;
  append_names(item, names, 0, prefix);
}

// A name around one of its numbers.
struct split_name {
  std::string_view before;
  std::string_view digits;
  std::string_view after;
};

// `a` around the only number in which `b` differs from it, or around the last one when they are equal; nothing when they differ
// elsewhere, or have no number that can be counted in.
[[nodiscard]] inline std::optional<split_name> split_where_different(std::string_view a, std::string_view b) {
  std::size_t from = 0;
  if (a == b) {
    const auto last = a.find_last_of("0123456789");
    if (last == std::string_view::npos) return std::nullopt;
    from = last;
  } else {
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    from = static_cast<std::size_t>(differ - a.begin());
    if (from >= a.size() || !is_digit(a[from])) {  // one number goes on where the other ends
      if (from == 0 || !is_digit(a[from - 1])) return std::nullopt;
      --from;
    }
  }
  while (from > 0 && is_digit(a[from - 1])) --from;
  auto end = from;
  while (end < a.size() && is_digit(a[end])) ++end;
  if (end - from > hostlist_max_digits) return std::nullopt;
  return split_name{a.substr(0, from), a.substr(from, end - from), a.substr(end)};
}

// The number that `name` has where `split` has its, or nothing when they differ elsewhere.
[[nodiscard]] inline std::string_view number_in(std::string_view name, const split_name& split) noexcept {
  if (name.size() <= split.before.size() + split.after.size() || !name.starts_with(split.before) ||
      !name.ends_with(split.after)) {
    return {};
  }
  const auto digits = name.substr(split.before.size(), name.size() - split.before.size() - split.after.size());
  return all_digits(digits) && digits.size() <= hostlist_max_digits ? digits : std::string_view{};
}

// Writes the first names as one item, as many as differ in one number only. Returns how many. pre: names isn't empty.
[[nodiscard]] inline std::size_t fold_run(std::span<const std::string> names, std::string& out) {
  std::optional<split_name> split;
  if (names.size() > 1) split = split_where_different(names[0], names[1]);
  if (!split || number_in(names[1], *split).empty()) {
    out += names[0];
    return 1;
  }
  std::vector<std::string_view> digits;
  for (const std::string& name : names) {
    const auto found = number_in(name, *split);
    if (found.empty()) break;
    digits.push_back(found);
  }
  (out += split->before) += '[';
  for (std::size_t first = 0; first < digits.size();) {
    auto next = number<std::uint64_t>(digits[first]).value_or(0);
    std::size_t last = first;
    for (std::string expected; last + 1 < digits.size(); ++last) {
      expected.clear();
      append_number(expected, ++next, digits[first].size());
      if (digits[last + 1] != expected) break;
    }
    if (first > 0) out += ',';
    out += digits[first];
    if (last > first) (out += '-') += digits[last];
    first = last + 1;
  }
  (out += ']') += split->after;
  return digits.size();
}

}  // namespace topoplan::inline v1::import::detail
