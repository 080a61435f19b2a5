// What follows from a fabric, whichever tool printed it.
#pragma once

#include <topoplan/cluster/validate.hpp>
#include <topoplan/graph/fold.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/fabric_graph_of.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/ib_network.hpp>
#include <topoplan/import/ib_subnets.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

#include "fuzz.hpp"

namespace topoplan_fuzz {

namespace import = topoplan::import;

inline void check_fabric(const import::ib_fabric& fabric) {
  static const auto node = import::nvidia_smi_topo("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n", "node");
  std::set<std::pair<std::uint32_t, std::uint16_t>> ports;
  require(!fabric.cables.empty());
  for (const auto& cable : fabric.cables) {
    const auto& [a, b] = cable.ends;
    require(a.device < fabric.devices.size() && b.device < fabric.devices.size());
    require(ports.emplace(a.device, a.number).second);
    require((a.device == b.device && a.number == b.number) || ports.emplace(b.device, b.number).second);
  }
  for (const auto& idle : fabric.idle_ports) require(!ports.contains({idle.device, idle.number}));
  const auto merged = import::merge_subnets({fabric, {fabric.sources, {}, {}, {}, {}}});
  require(merged.devices.size() == fabric.devices.size() && merged.cables.size() == fabric.cables.size());

  const auto hosts = import::hosts_of(fabric);
  std::size_t placed = hosts.aggregation_nodes;
  for (const auto& host : hosts.hosts) placed += host.adapters.size();
  for (const auto& refusal : hosts.refused) placed += refusal.devices.size();
  require(placed == count(fabric, import::ib_kind::adapter));

  const auto network = import::network_of(fabric, hosts);
  const auto& tree = network.tree;
  require(!tree.hosts.empty() && network.capacity.size() == tree.switches.size());
  for (const auto& host : tree.hosts) require(host.leaf < network.groups.size() && tree.switches[host.leaf].level == 0);
  for (const auto& s : tree.switches) {
    require(!s.parent || (*s.parent < tree.switches.size() && tree.switches[*s.parent].level > s.level));
  }
  require(!validate(import::compose(node, tree)));
  (void)topoplan::fold(import::fabric_graph_of(fabric, hosts, node));
}

}  // namespace topoplan_fuzz
