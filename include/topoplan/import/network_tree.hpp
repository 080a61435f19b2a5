// The network above the hosts as a tree of switch groups, whatever format told it.
#pragma once

#include <topoplan/import/node_topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// A switch, or several that have the same switches below them: traffic between two hosts may take any of those.
struct network_switch {
  std::string name;  // of several: their names as a hostlist, "spine[1-4]"
  std::size_t line = 0;
  std::optional<std::uint32_t> parent;  // nothing: a root
  std::uint32_t level = 0;              // 0: no switch below; else one more than the highest below
  std::uint32_t count = 1;              // switches that it stands for

  friend bool operator==(const network_switch&, const network_switch&) = default;
};

// A host and the switch above it.
struct network_host {
  std::string name;
  std::uint32_t leaf = 0;  // index of the switch that it hangs on
  std::size_t line = 0;
  std::string source = {};  // of several that make the tree; empty: the tree's

  friend bool operator==(const network_host&, const network_host&) = default;
};

// A plain value. Roots have no path to each other as far as the source says, unless it names no more than the lower levels.
struct network_tree {
  std::string source;
  std::vector<network_switch> switches;  // in the order of the source
  std::vector<network_host> hosts;       // in the order of the source; each once
  std::vector<note> notes;
  bool whole = true;  // false: labels of the lower levels, above which there is a network that they don't name
};

// How many switches have none above. complexity: O(switches). errors: none.
[[nodiscard]] inline std::size_t roots(const network_tree& network) {
  std::size_t count = 0;
  for (const network_switch& s : network.switches) count += s.parent ? 0U : 1U;
  return count;
}

}  // namespace topoplan::inline v1::import
