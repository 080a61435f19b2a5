// The names that a value of a Slurm file lists, and what both readers of such files refuse.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/slurm_lines.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/hostlist.hpp>

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// The names of a value. A list that goes on behind a backslash is refused where it stands, not where the line begins.
[[nodiscard]] inline std::vector<std::string> names_of(const slurm_line& line, const slurm_pair& pair,
                                                       const hostlist_limits& left) {
  try {
    return expand_hostlist(pair.value, pair.value_at, left);
  } catch (const parse_error& e) {
    const auto at = line.at(e.where().source, pair.value_offset + e.where().column - pair.value_at.column);
    throw parse_error(at, e.expected(), e.found());
  }
}

// A list of names, expanded. `left` are the names that the whole input may still bring. errors: parse_error for ALL, too.
template <class Expand>
void append_names(std::string_view value, const location& at, const Expand& expand, std::vector<std::string>& names,
                  hostlist_limits& left) {
  if (equal_ignoring_case(value, "ALL")) {
    throw parse_error(at, "a list of names", "ALL, which only Slurm's own node table resolves");
  }
  auto more = expand();
  left.hosts -= more.size();
  for (const auto& name : more) left.characters -= name.size();
  names.insert(names.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Appends what a host or switch list holds.
inline void append_list(const slurm_line& line, const slurm_pair& pair, std::vector<std::string>& names, hostlist_limits& left) {
  append_names(pair.value, pair.value_at, [&] { return names_of(line, pair, left); }, names, left);
}

// The name of one switch or block. errors: parse_error for a list, or when there is one already.
[[nodiscard]] inline std::string only_name(const slurm_line& line, const slurm_pair& pair, std::string_view what,
                                           const std::string& already, const hostlist_limits& left) {
  auto names = names_of(line, pair, left);
  if (names.size() == 1 && already.empty()) return std::move(names.front());
  throw parse_error(pair.value_at, "the name of one " + std::string(what),
                    quoted(pair.value) + (names.size() > 1 ? ", which are " + std::to_string(names.size()) : ""));
}

// errors: always a parse_error at the first key of a line that `expected` doesn't describe: what the file is instead.
[[noreturn]] inline void refuse_other_plugin(const slurm_pair& first, const char* expected) {
  std::string found = quoted(first.key);
  if (first.key == "switchname") {
    found = "a topology/tree file; switches say how the network is built, not which hosts share NVLink: give it as the network";
  } else if (first.key == "blockname" || first.key == "blocksizes" || first.key == "aggregatedblock") {
    found =
        "a topology/block file; blocks say which hosts share NVLink, not how the network is built: give it as the NVLink "
        "domains";
  } else if (first.key == "ringname" || first.key == "torusname") {
    found = "a topology/" + first.key.substr(0, first.key.size() - 4) + " file, whose network is no tree and has no blocks";
  } else if (first.key == "include") {
    found = "Include, which isn't followed; put the file's text in its place";
  }
  throw parse_error(first.key_at, expected, found);
}

}  // namespace topoplan::inline v1::import::detail
