// The places of a pool level by level, with how many units each can hold at most.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/objective.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// One level of the tree of places: what an edge costs more when it leaves a place, and how many places hold how many units.
struct cut_level {
  std::int64_t step = 0;
  bool outer = true;                          // counted in units; else in blocks
  std::map<std::uint64_t, std::uint64_t> at;  // capacity -> places
};

// The levels below the root, innermost first, for blocks that lie in one inner place (of host and domain the smaller) and
// units that lie in one outer place, by their numbers of ranks. Capacities are nested floors: blocks into inner places, units
// into outer ones. complexity: O(GPUs of the pool + domains of the cluster + hosts * tiers).
[[nodiscard]] inline std::vector<cut_level> cut_levels(const cluster& c, const pool& p, const prices& price, std::uint64_t block,
                                                       std::uint64_t unit) {
  const bool wide = p.nest == nesting::host_in_domain;
  std::vector<std::uint64_t> in_domain(c.domains, 0);  // blocks
  std::vector<std::uint64_t> in_host(c.hosts.size(), 0);
  std::vector<std::uint32_t> leaf_of(c.domains, 0);
  std::vector<std::uint64_t> usable(c.domains, 0);
  for (const std::uint32_t h : p.hosts) {
    std::vector<std::uint32_t> met;
    std::uint64_t here = 0;
    std::uint32_t domain_of_host = 0;
    for (const gpu_id g : c.gpus_of(host_id{h})) {
      if (!c.usable(g)) continue;
      const std::uint32_t d = c.at(g).domain.value;
      if (usable[d] == 0) met.push_back(d);
      leaf_of[d] = c.hosts[h].leaf;
      ++usable[d];
      ++here;
      domain_of_host = d;
    }
    if (wide) {
      in_host[h] = here / block;
      in_domain[domain_of_host] += in_host[h];
    } else {
      for (const std::uint32_t d : met) {
        in_domain[d] = usable[d] / block;
        in_host[h] += in_domain[d];
      }
    }
  }
  const std::uint64_t blocks_a_unit = unit / block;
  std::vector<cut_level> levels;
  std::vector<std::uint64_t> units(c.tiers[0].nodes.size(), 0);  // by leaf group
  cut_level domains{price.distance[wide ? meeting::first_tier : meeting::host] - price.distance[meeting::domain], wide, {}};
  for (std::uint32_t d = 0; d < c.domains; ++d) {
    if (usable[d] == 0) continue;
    const std::uint64_t holds = wide ? in_domain[d] / blocks_a_unit : in_domain[d];
    if (holds > 0) ++domains.at[holds];
    if (wide) units[leaf_of[d]] += holds;
  }
  levels.push_back(std::move(domains));
  if (!wide) {
    cut_level hosts{price.distance[meeting::first_tier] - price.distance[meeting::host], true, {}};
    for (const std::uint32_t h : p.hosts) {
      const std::uint64_t holds = in_host[h] / blocks_a_unit;
      if (holds > 0) ++hosts.at[holds];
      units[c.hosts[h].leaf] += holds;
    }
    levels.push_back(std::move(hosts));
  }
  for (std::size_t t = 0; t + 1 < c.tiers.size(); ++t) {
    cut_level tier{price.distance[meeting::first_tier + t + 1] - price.distance[meeting::first_tier + t], true, {}};
    std::vector<std::uint64_t> above(c.tiers[t + 1].nodes.size(), 0);
    for (std::size_t n = 0; n < units.size(); ++n) {
      if (units[n] > 0) ++tier.at[units[n]];
      above[c.tiers[t].nodes[n].parent] += units[n];
    }
    units = std::move(above);
    levels.push_back(std::move(tier));
  }
  return levels;
}

}  // namespace topoplan::inline v1::detail
