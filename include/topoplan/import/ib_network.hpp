// What an InfiniBand fabric means for its hosts: leaf groups, rails and tiers, derived from its cables, and what is degraded.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/ib_cable_health.hpp>
#include <topoplan/import/detail/ib_capacity.hpp>
#include <topoplan/import/detail/ib_health.hpp>
#include <topoplan/import/detail/ib_leaf_groups.hpp>
#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/detail/ib_rails.hpp>
#include <topoplan/import/detail/ib_tiers.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_fault.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// Leaf switches that the same hosts hang on, and those hosts.
struct ib_leaf_group {
  std::vector<std::uint32_t> switches;  // devices of the fabric, by rail
  std::vector<std::uint16_t> rails;     // of each switch, ascending
  std::vector<std::uint32_t> hosts;     // ascending

  friend bool operator==(const ib_leaf_group&, const ib_leaf_group&) = default;
};

// A plain value. groups[i] is tree.switches[i]; its hosts are those of ib_hosts, in the same order.
struct ib_network {
  std::vector<ib_leaf_group> groups;
  std::uint16_t rails = 1;
  network_tree tree;                  // leaf groups, and the groups of switches above them
  std::vector<ib_capacity> capacity;  // of each of tree.switches
  std::vector<ib_fault> faults;       // what is degraded; tree.notes says it too

  friend bool operator==(const ib_network& a, const ib_network& b) {
    return a.groups == b.groups && a.rails == b.rails && a.tree.switches == b.tree.switches && a.tree.hosts == b.tree.hosts &&
           a.capacity == b.capacity && a.faults == b.faults;
  }
};

// Leafs are the switches that hosts hang on. Leafs that more than half of the hosts of one of them share are a group; a host is
// in the group of most of its ports. Rails are told by the place of the adapters on their hosts, tiers by distance from the
// leafs; names of switches decide nothing. Switches on a level that the same groups hang on count as one. post: tree.hosts are
// the hosts with a cable to a switch; its notes are those of the fabric, the hosts and the faults. complexity: O((devices +
// cables) log devices). errors: parse_error for a fabric without a switch, or without a host on one.
[[nodiscard]] inline ib_network network_of(const ib_fabric& fabric, const ib_hosts& hosts) {
  ib_network network;
  std::vector<note> notes;
  const auto links = detail::links_of(fabric, hosts, notes);
  if (links.switches.empty()) {
    throw parse_error({source_of(fabric), 0, 0}, "a switch", "adapters that are cabled to each other");
  }
  auto groups = detail::group_leafs(links);
  if (groups.leafs.empty()) {
    throw parse_error({source_of(fabric), 0, 0}, "an adapter of a host that has a name",
                      hosts.refused.empty() ? "none"
                                            : "adapters called " + quoted(hosts.refused.front().name) + ", which " +
                                                  hosts.refused.front().why + "; give a table of GUIDs and hosts");
  }
  const auto rails = detail::find_rails(links, groups, hosts);
  const auto level = detail::switch_levels(links, groups);
  network.tree = detail::ib_tree_builder(fabric, hosts, links, groups, level).build();
  network.rails = rails.count;
  for (std::size_t g = 0; g < groups.leafs.size(); ++g) {
    ib_leaf_group group;
    for (const auto s : groups.leafs[g]) {
      group.switches.push_back(links.switches[s].device);
      group.rails.push_back(rails.of_switch[s]);
    }
    group.hosts = groups.hosts[g];
    network.groups.push_back(std::move(group));
  }
  network.capacity = detail::capacities(fabric, links, groups, level, network.tree);
  detail::ib_examination examination(fabric, hosts, links, groups, rails);
  if (const auto parts = examination.parts(); !parts.empty()) notes.push_back({0, parts});
  network.faults = examination.faults();
  for (ib_fault& fault : detail::ib_cable_examination(fabric, hosts, links, level).faults()) {
    network.faults.push_back(std::move(fault));
  }

  network.tree.notes = fabric.notes;
  const auto add = [&](const std::vector<note>& more) {
    network.tree.notes.insert(network.tree.notes.end(), more.begin(), more.end());
  };
  add(hosts.notes);
  add(notes);
  add(detail::notes_of(fabric, network.faults));
  if (!rails.told) add({{0, "the leaf groups have different numbers of switches, and adapters don't tell which rail is which"}});
  return network;
}

}  // namespace topoplan::inline v1::import
