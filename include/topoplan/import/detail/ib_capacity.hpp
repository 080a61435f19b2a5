// What a group of switches can carry from below and upward.
#pragma once

#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/ib_leaf_groups.hpp>
#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/detail/ib_tiers.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/network_tree.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace topoplan::inline v1::import {

// Rates of all cables together, one direction. 0 upward: nothing above.
struct ib_capacity {
  bytes_per_second from_below;
  bytes_per_second upward;

  friend bool operator==(const ib_capacity&, const ib_capacity&) = default;
};

namespace detail {

// Of each of tree.switches. pre: tree holds the leaf groups first, children before parents. complexity: O(cables).
[[nodiscard]] inline std::vector<ib_capacity> capacities(const ib_fabric& fabric, const ib_links& links, const ib_groups& groups,
                                                         const std::vector<std::uint32_t>& level, const network_tree& tree) {
  std::vector<ib_capacity> capacity(tree.switches.size());
  std::vector<std::uint32_t> at(links.switches.size(), ib_none);  // node of the tree that a switch is in
  const auto rate = [&](std::uint32_t cable) { return data_rate(fabric.cables[cable].rate); };
  for (std::uint32_t s = 0; s < links.switches.size(); ++s) {
    if (groups.of_switch[s] == ib_none) continue;
    if (!groups.above[s]) at[s] = groups.of_switch[s];
    for (const ib_host_port& port : links.switches[s].ports) {
      auto& below = capacity[groups.of_switch[s]].from_below;
      below = below + rate(port.cable);
    }
  }
  // A spine is in the first group above one that a switch below it is in.
  for (std::uint32_t depth = 1; depth <= ib_most_levels; ++depth) {
    for (std::uint32_t s = 0; s < links.switches.size(); ++s) {
      if (level[s] != depth) continue;
      for (const ib_neighbour& n : links.switches[s].neighbours) {
        if (level[n.to] + 1 != depth || at[n.to] == ib_none) continue;
        at[s] = tree.switches[at[n.to]].parent.value_or(at[n.to]);
        break;
      }
    }
  }
  for (std::uint32_t s = 0; s < links.switches.size(); ++s) {
    for (const ib_neighbour& n : links.switches[s].neighbours) {
      if (level[s] == ib_none || level[n.to] == ib_none || level[n.to] <= level[s] || at[s] == ib_none || at[s] == at[n.to])
        continue;
      for (const auto cable : n.cables) {
        capacity[at[s]].upward = capacity[at[s]].upward + rate(cable);
        if (at[n.to] != ib_none) capacity[at[n.to]].from_below = capacity[at[n.to]].from_below + rate(cable);
      }
    }
  }
  return capacity;
}

}  // namespace detail

}  // namespace topoplan::inline v1::import
