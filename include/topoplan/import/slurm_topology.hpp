// Reads Slurm's topology.conf for topology/tree, and what `scontrol show topology` prints of it.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/slurm_lines.hpp>
#include <topoplan/import/detail/switch_graph.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/network_tree.hpp>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// errors: parse_error when the line isn't of topology/tree; says what it is instead.
inline void refuse_other_plugins(const slurm_pair& first) {
  constexpr auto expected = "SwitchName=NAME, as topology/tree has it";
  if (first.key == "switchname") return;
  if (first.key == "blockname" || first.key == "blocksizes") {
    throw parse_error(
        first.key_at, expected,
        "a topology/block file; blocks say which hosts share NVLink, not how the network is built, so that it can't be the "
        "network");
  }
  if (first.key == "ringname" || first.key == "torusname") {
    throw parse_error(first.key_at, expected,
                      "a topology/" + first.key.substr(0, first.key.size() - 4) + " file, whose network is no tree");
  }
  if (first.key == "include") {
    throw parse_error(first.key_at, expected, "Include, which isn't followed; put the file's text in its place");
  }
  throw parse_error(first.key_at, expected, quoted(first.key));
}

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

// Appends what a host or switch list holds. `left` are the names that the whole file may still bring.
inline void append_list(const slurm_line& line, const slurm_pair& pair, std::vector<std::string>& names, hostlist_limits& left) {
  if (equal_ignoring_case(pair.value, "ALL")) {
    throw parse_error(pair.value_at, "a list of names", "ALL, which only Slurm's own node table resolves");
  }
  auto more = names_of(line, pair, left);
  left.hosts -= more.size();
  for (const auto& name : more) left.characters -= name.size();
  names.insert(names.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

[[nodiscard]] inline declared_switch switch_of(const slurm_line& line, const std::string& source, hostlist_limits& left) {
  const auto pairs = slurm_pairs(line, source);
  refuse_other_plugins(pairs.front());
  declared_switch found{{}, pairs.front().key_at, {}, {}};
  bool from_scontrol = false;
  const slurm_pair* nodes = nullptr;
  for (const slurm_pair& pair : pairs) {
    if (pair.key == "switchname") {
      const auto names = names_of(line, pair, left);
      if (names.size() != 1 || !found.name.empty()) {
        throw parse_error(pair.value_at, "the name of one switch", quoted(pair.value));
      }
      found.name = names.front();
    } else if (pair.key == "nodes") {
      nodes = &pair;
    } else if (pair.key == "switches") {
      append_list(line, pair, found.child_names, left);
    } else if (pair.key == "level") {
      from_scontrol = true;
    } else if (pair.key != "linkspeed") {
      throw parse_error(pair.key_at, "SwitchName, Nodes, Switches or LinkSpeed", quoted(pair.key));
    }
  }
  // `scontrol show topology` repeats on every switch the hosts of all switches below.
  if (nodes != nullptr && (found.child_names.empty() || !from_scontrol)) {
    if (!found.child_names.empty()) {
      throw parse_error(nodes->key_at, "Nodes or Switches of " + quoted(found.name) + ", as Slurm wants it", "both");
    }
    append_list(line, *nodes, found.host_names, left);
  }
  return found;
}

}  // namespace detail

// Reads the switches and hosts of a topology.conf. Keys in any case, comments, continuation lines, hostlists; LinkSpeed is
// ignored, as Slurm ignores it. Switches that list the same switches below (a fat tree's spines) become one group.
// post: every host hangs on one switch; parents form a tree, or several when the file has several roots, which a note says.
// complexity: O(names log names x levels). errors: parse_error for a block, ring or torus file, for a switch or host that stands
//   twice, an unknown child, a cycle, parents that are no tree, unknown keys, and a file without hosts.
[[nodiscard]] inline network_tree slurm_topology(std::string_view text, const std::string& source,
                                                 const hostlist_limits& limits = {}) {
  auto left = limits;
  std::vector<detail::declared_switch> switches;
  for (const auto& line : detail::slurm_lines(text, source)) switches.push_back(detail::switch_of(line, source, left));
  network_tree tree = detail::switch_graph(source, std::move(switches)).to_tree();
  if (tree.hosts.empty()) {
    throw parse_error({source, 0, 0}, "SwitchName=NAME Nodes=HOSTS",
                      tree.switches.empty() ? "no switch" : "switches without hosts");
  }
  if (const auto count = roots(tree); count > 1) {
    tree.notes.push_back(
        {0, std::to_string(count) + " switches have none above them: the file shows no path between their hosts"});
  }
  return tree;
}

}  // namespace topoplan::inline v1::import
