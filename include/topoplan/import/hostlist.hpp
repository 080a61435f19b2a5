// Slurm hostlist expressions, `gpu-[001-003,007]`: to names, and names back to the shortest such text.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/hostlist_parts.hpp>
#include <topoplan/import/detail/text.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

// What an expression may expand to. A typing error such as [1-999999999] is refused before it takes memory.
struct hostlist_limits {
  std::size_t hosts = 2'000'000;
  std::size_t characters = 200'000'000;  // of all names together
};

// Expands an expression: names and brackets, separated by commas or blanks. `from` says where the text stands.
// post: the sequence that `scontrol show hostnames` prints, where that accepts the expression, duplicates included; with three
//   and more brackets in a name the last one varies fastest, then the one before (scontrol varies the first before the middle).
//   Text after the last bracket and steps ([0-10/2]) mean what ClusterShell's nodeset takes them for.
// complexity: O(characters of the result). errors: parse_error with the column for an unclosed or empty bracket, a range that
//   falls, a character that no host name has, and a result over the limits.
[[nodiscard]] inline std::vector<std::string> expand_hostlist(std::string_view expression, const location& from,
                                                              const hostlist_limits& limits = {}) {
  std::vector<std::string> names;
  std::size_t characters = 0;
  const detail::hostlist_cursor cursor{expression, from};
  for (std::size_t at = 0; at < expression.size();) {
    if (detail::is_blank(expression[at]) || expression[at] == ',' || expression[at] == '\n') {
      ++at;
      continue;
    }
    const auto item = detail::parse_hostlist_item(cursor, at);
    if (item.count > limits.hosts - names.size() || item.characters > limits.characters - characters) {
      throw parse_error(
          cursor.at(item.start),
          "at most " + std::to_string(limits.hosts) + " hosts and " + std::to_string(limits.characters) + " characters",
          "more from " + quoted(expression.substr(item.start, at - item.start)));
    }
    characters += item.characters;
    detail::append_names(item, names);
  }
  return names;
}

// As above, for an expression that is an input of its own. complexity, errors: as above; NUL bytes are refused too.
[[nodiscard]] inline std::vector<std::string> expand_hostlist(std::string_view expression, const std::string& source = "hostlist",
                                                              const hostlist_limits& limits = {}) {
  return expand_hostlist(detail::plain_text(expression, source), location{source, 1, 1}, limits);
}

// The names as an expression, order and duplicates kept: neighbours that differ in one number share a bracket.
// post: expand_hostlist(fold_hostlist(names)) == names, for names that expand_hostlist can yield.
// complexity: O(characters). errors: none.
[[nodiscard]] inline std::string fold_hostlist(std::span<const std::string> names) {
  std::string out;
  for (std::size_t first = 0; first < names.size();) {
    if (!out.empty()) out += ',';
    first += detail::fold_run(names.subspan(first), out);
  }
  return out;
}

}  // namespace topoplan::inline v1::import
