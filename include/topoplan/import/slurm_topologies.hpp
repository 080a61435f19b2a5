// Reads Slurm's topology.yaml, which holds several topologies of a cluster.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/document_names.hpp>
#include <topoplan/import/detail/slurm_block_builder.hpp>
#include <topoplan/import/detail/slurm_yaml_entry.hpp>
#include <topoplan/import/detail/switch_graph.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// errors: parse_error for another shape, and as switch_graph.
[[nodiscard]] inline network_tree tree_in(const document_reader& part, const std::string& source, hostlist_limits& left) {
  refuse_other_keys(part, {"switches"});
  const auto list = part.at("switches");
  std::vector<declared_switch> switches;
  for (std::size_t i = 0; i < list.size(); ++i) {
    refuse_other_keys(list[i], {"switch", "children", "nodes"});
    declared_switch found{name_in(list[i].at("switch"), "the name of a switch", unquoted::taken), list[i].where(), {}, {}};
    if (list[i].has("children")) append_hostlist(list[i].at("children"), found.child_names, left);
    if (list[i].has("nodes")) append_hostlist(list[i].at("nodes"), found.host_names, left);
    if (!found.child_names.empty() && !found.host_names.empty()) {
      list[i].refuse("nodes or children of " + quoted(found.name) + ", as Slurm wants it", "both");
    }
    switches.push_back(std::move(found));
  }
  network_tree tree = switch_graph(source, std::move(switches)).to_tree();
  if (tree.hosts.empty()) list.refuse("switches with nodes", tree.switches.empty() ? "no switch" : "switches without any");
  say_roots(tree);
  return tree;
}

// errors: parse_error for another shape, and as slurm_block_builder.
[[nodiscard]] inline domain_table blocks_in(const document_reader& part, const std::string& source, hostlist_limits& left) {
  refuse_other_keys(part, {"block_sizes", "blocks"});
  slurm_block_builder blocks(source);
  if (part.has("block_sizes")) {
    const auto sizes = part.at("block_sizes");
    for (std::size_t i = sizes.size(); i-- > 0;) {
      const auto size = sizes[i].count(std::numeric_limits<std::uint32_t>::max());
      if (size == 0) sizes[i].refuse("a number of hosts");
      blocks.base(size);
    }
  }
  const auto list = part.at("blocks");
  for (std::size_t i = 0; i < list.size(); ++i) {
    refuse_other_keys(list[i], {"block", "nodes"});
    std::vector<std::string> hosts;
    if (list[i].has("nodes")) append_hostlist(list[i].at("nodes"), hosts, left);
    blocks.add(name_in(list[i].at("block"), "the name of a block", unquoted::taken), hosts, list[i].where());
  }
  return blocks.take();
}

[[nodiscard]] inline bool same_hosts(const network_tree& network, const domain_table& domains) {
  if (network.hosts.size() != domains.hosts.size()) return false;
  std::vector<std::string_view> in_network;
  std::vector<std::string_view> in_domains;
  for (const auto& host : network.hosts) in_network.push_back(host.name);
  for (const auto& host : domains.hosts) in_domains.push_back(host.name);
  std::sort(in_network.begin(), in_network.end());
  std::sort(in_domains.begin(), in_domains.end());
  return in_network == in_domains;
}

// Adds the domains of the one block topology that has the hosts of the network. errors: as blocks_in.
inline void add_matching_blocks(cluster_topology& topology, const std::vector<slurm_yaml_entry>& entries,
                                const std::string& source, hostlist_limits& left) {
  std::size_t matches = 0;
  for (const auto& entry : entries) {
    if (entry.kind != "block") continue;
    auto domains = blocks_in(entry.part, source, left);
    if (!same_hosts(*topology.network, domains)) continue;
    domains.notes.insert(domains.notes.begin(), {entry.line, "the block topology " + entry.name +
                                                                 " has the hosts of the tree: its blocks are the domains"});
    if (++matches == 1) topology.domains = std::move(domains);
  }
  if (matches < 2) return;
  topology.domains.reset();
  topology.network->notes.push_back({0, std::to_string(matches) +
                                            " block topologies have the hosts of the tree, which is why none "
                                            "gives the domains; read the one that is meant by its name"});
}

}  // namespace detail

// Reads one topology of a topology.yaml: the one that is called `name`; without a name the only one, or the first with
// cluster_default. A tree is a network, a block topology tells the domains. With a tree come the domains of the block topology
// that has the same hosts, if there is just one such. What a flat topology says, that all hosts are equal, is neither: it is
// refused.
// post: as slurm_topology and slurm_blocks; a note names the other topologies of the document.
// complexity: O(names log names x levels). errors: parse_error for another shape, unknown keys, an entry with two kinds or none,
//   several entries when none is named and none is the default, the name of none, a flat, ring or torus3d topology when it is the
//   one that is meant, and as slurm_topology and slurm_blocks.
[[nodiscard]] inline cluster_topology slurm_topology_yaml(const document& d, std::string_view name = {},
                                                          const hostlist_limits& limits = {}) {
  const auto entries = detail::slurm_yaml_entries(d);
  const auto& chosen = detail::choose_topology(entries, name, d.source);
  auto left = limits;
  cluster_topology topology;
  if (chosen.kind == "tree") {
    topology.network = detail::tree_in(chosen.part, d.source, left);
    detail::add_matching_blocks(topology, entries, d.source, left);
  } else if (chosen.kind == "block") {
    topology.domains = detail::blocks_in(chosen.part, d.source, left);
  } else {
    const std::string what = chosen.kind == "flat" ? ", which is flat: it says that all hosts are equal, and no more"
                                                   : ", a " + std::string(chosen.kind) + ", whose network is no tree";
    chosen.part.refuse(
        "a tree or block topology",
        quoted(chosen.name) + what + (entries.size() > 1 ? "; others are " + detail::names_of_topologies(entries, &chosen) : ""));
  }
  if (entries.size() > 1) {
    auto& notes = topology.network ? topology.network->notes : topology.domains->notes;
    notes.insert(notes.begin(), {chosen.line, "topology " + chosen.name + " of " + std::to_string(entries.size()) +
                                                  " is read; others are " + detail::names_of_topologies(entries, &chosen)});
  }
  return topology;
}

}  // namespace topoplan::inline v1::import
