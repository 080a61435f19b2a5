// Reads Slurm's topology.conf for topology/tree, and what `scontrol show topology` prints of it.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/slurm_lines.hpp>
#include <topoplan/import/detail/slurm_names.hpp>
#include <topoplan/import/detail/switch_graph.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// True for what `sharp_cmd topology` writes in the place of hosts: the GUIDs of their InfiniBand ports.
[[nodiscard]] inline bool is_guid(std::string_view name) noexcept {
  return name.size() > 10 && name.size() <= 18 && name[0] == '0' && lower(name[1]) == 'x' &&
         std::all_of(name.begin() + 2, name.end(), [](char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); });
}

[[nodiscard]] inline declared_switch switch_of(const slurm_line& line, const std::string& source, hostlist_limits& left) {
  const auto pairs = slurm_pairs(line, source);
  if (pairs.front().key != "switchname") refuse_other_plugin(pairs.front(), "SwitchName=NAME, as topology/tree has it");
  declared_switch found{{}, pairs.front().key_at, {}, {}};
  bool from_scontrol = false;
  const slurm_pair* nodes = nullptr;
  for (const slurm_pair& pair : pairs) {
    if (pair.key == "switchname") {
      found.name = only_name(line, pair, "switch", found.name, left);
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
    const auto guid = std::find_if(found.host_names.begin(), found.host_names.end(), is_guid);
    if (guid != found.host_names.end()) {
      throw parse_error(nodes->value_at, "the names of hosts below " + quoted(found.name),
                        quoted(*guid) +
                            ", the GUID of a port, as `sharp_cmd topology` prints it; no host is called so: "
                            "ibnetdiscover names the hosts of the same fabric");
    }
  }
  return found;
}

}  // namespace detail

// Reads the switches and hosts of a topology.conf. Keys in any case, comments, continuation lines, hostlists; LinkSpeed is
// ignored, as Slurm ignores it. Switches that list the same switches below (a fat tree's spines) become one group.
// post: every host hangs on one switch; parents form a tree, or several when the file has several roots, which a note says.
// complexity: O(names log names x levels). errors: parse_error for a block, ring or torus file, for a switch or host that stands
//   twice, an unknown child, a cycle, parents that are no tree, unknown keys, port GUIDs in the place of hosts, and a file
//   without hosts.
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
  detail::say_roots(tree);
  return tree;
}

}  // namespace topoplan::inline v1::import
