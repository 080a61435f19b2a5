// What lies between GPUs as groups see it: the uplinks of tiers, and what is reached without a NIC.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace topoplan::inline v1::detail {

// What the uplinks of every tier node carry, by tier and node: what its GPUs could send over the oversubscription, cordoned ones
// included, since their cables are there; 0 where nothing leads up. units: rates of a NIC. complexity: O(hosts * tiers).
[[nodiscard]] inline std::vector<std::vector<double>> uplinks_of(const cluster& c) {
  std::vector<std::vector<double>> uplinks;
  for (const tier& t : c.tiers) uplinks.emplace_back(t.nodes.size(), 0.0);
  for (std::size_t t = 0; t + 1 < c.tiers.size(); ++t) {
    for (const host_id h : c.all_hosts()) uplinks[t][c.ancestor(h, t)] += c.at(h).gpu_count;
    for (double& u : uplinks[t]) u /= c.tiers[t].oversubscription;
  }
  return uplinks;
}

// By GPU, what it reaches without a NIC: its domain if that holds whole hosts, else its host; hosts are numbered behind the
// domains. complexity: O(GPUs).
[[nodiscard]] inline std::vector<std::uint32_t> islands_of(const cluster& c) {
  std::vector<std::uint32_t> size(c.domains, 0);
  for (const gpu& g : c.gpus) ++size[g.domain.value];
  std::vector<std::uint32_t> island;
  island.reserve(c.gpus.size());
  for (const gpu& g : c.gpus) {
    const bool whole = size[g.domain.value] >= c.at(g.host).gpu_count;
    island.push_back(whole ? g.domain.value : c.domains + g.host.value);
  }
  return island;
}

}  // namespace topoplan::inline v1::detail
