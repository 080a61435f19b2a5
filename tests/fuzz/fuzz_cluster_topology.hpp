// The promises that every reader of networks and domains keeps, whatever it read.
#pragma once

#include <topoplan/import/cluster_topology.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "fuzz.hpp"

namespace topoplan_fuzz {

inline void check(const topoplan::import::domain_table& table) {
  require(!table.hosts.empty());
  std::size_t members = 0;
  for (std::uint32_t d = 0; d < table.domains.size(); ++d) {
    require(!table.domains[d].hosts.empty());
    for (const auto host : table.domains[d].hosts) require(host < table.hosts.size() && table.hosts[host].domain == d);
    members += table.domains[d].hosts.size();
  }
  for (const auto& host : table.hosts) members -= host.domain ? 1U : 0U;
  require(members == 0);
}

inline void check(const topoplan::import::network_tree& tree) {
  require(!tree.hosts.empty());
  for (const auto& host : tree.hosts) require(host.leaf < tree.switches.size());
  for (const auto& s : tree.switches) {
    require(!s.parent || (*s.parent < tree.switches.size() && tree.switches[*s.parent].level > s.level));
  }
}

inline void check(const topoplan::import::host_states& states) {
  require(!states.hosts.empty());
  std::set<std::string> names;
  for (const auto& host : states.hosts)
    require(names.insert(host.name).second && (!host.cordoned.empty() || host.gpus || host.usable));
}

// Something is known, or the reader has refused.
inline void check(const topoplan::import::cluster_topology& topology) {
  require(topology.network || topology.domains);
  if (topology.network) check(*topology.network);
  if (topology.domains) check(*topology.domains);
  if (topology.states) check(*topology.states);
}

}  // namespace topoplan_fuzz
