// From a network tree and the hosts of an allocation to the tiers of a cluster.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

[[nodiscard]] inline std::string place_of(const std::string& source, std::size_t line) { return location{source, line, 0}.str(); }

// The network's host for each host of the list.
// errors: invalid_argument for hosts that the network lacks, that it may mean several of, and two that are one.
// complexity: O(hosts).
[[nodiscard]] inline std::vector<std::uint32_t> hosts_in_network(const network_tree& network, const host_list& list) {
  host_names names;
  for (std::uint32_t i = 0; i < network.hosts.size(); ++i) names.add(network.hosts[i].name, i);
  std::vector<std::uint32_t> found;
  std::unordered_map<std::uint32_t, const listed_host*> taken;
  std::string missing;
  std::size_t missing_count = 0;
  for (const listed_host& host : list.hosts) {
    const auto match = names.find(host.name);
    if (match.none()) {
      if (++missing_count <= 5)
        missing += (missing.empty() ? "" : ", ") + host.name + " (" + place_of(list.source, host.line) + ")";
      continue;
    }
    if (match.ambiguous()) {
      throw invalid_argument(place_of(list.source, host.line) + ": host " + host.name + " may be " +
                             network.hosts[match.hosts[0]].name + " or " + network.hosts[match.hosts[1]].name + " of " +
                             network.source + "; give the full name");
    }
    const auto [other, fresh] = taken.emplace(match.hosts.front(), &host);
    if (!fresh) {
      throw invalid_argument(place_of(list.source, host.line) + ": " + host.name + " and " + other->second->name + " (" +
                             place_of(list.source, other->second->line) + ") are the same host of " + network.source + ", " +
                             network.hosts[match.hosts.front()].name);
    }
    found.push_back(match.hosts.front());
  }
  if (missing_count > 0) {
    if (missing_count > 5) missing += " and " + std::to_string(missing_count - 5) + " more";
    throw invalid_argument(std::to_string(missing_count) + " of " + std::to_string(list.hosts.size()) + " hosts of " +
                           list.source + " aren't in " + network.source + ": " + missing +
                           "; every host must hang on a switch there");
  }
  return found;
}

// The group of a switch at a level: itself, or the highest switch above it that isn't higher than the level. So a switch that
// hangs directly on a high one stands for itself on the levels between.
[[nodiscard]] inline std::uint32_t group_at(const network_tree& network, std::uint32_t s, std::uint32_t level) {
  while (network.switches[s].parent && network.switches[*network.switches[s].parent].level <= level)
    s = *network.switches[s].parent;
  return s;
}

// The tiers above the given hosts, each host's leaf group, and nothing of switches that carry none of them. Tiers end with the
// first that joins all hosts; without such a switch the last tier's groups have no path to each other.
// post: every tier node carries a host. complexity: O(hosts x levels). errors: none.
inline void add_tiers(cluster& c, const network_tree& network, const std::vector<std::uint32_t>& hosts) {
  std::vector<std::uint32_t> at;  // each host's group on the level below
  std::uint32_t highest = 0;
  at.reserve(hosts.size());
  for (const auto h : hosts) at.push_back(network.hosts[h].leaf);
  for (const network_switch& s : network.switches) highest = std::max(highest, s.level);
  for (std::uint32_t level = 0; level <= highest; ++level) {
    std::unordered_map<std::uint32_t, std::uint32_t> index;
    tier groups;
    groups.from = {confidence::assumed, network.source + " names the switches; their uplinks are taken for non-blocking"};
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      const auto group = group_at(network, at[h], level);
      const auto [known, fresh] = index.emplace(group, static_cast<std::uint32_t>(index.size()));
      if (fresh) groups.nodes.push_back({network.switches[group].name, 0});
      if (level == 0) c.hosts[h].leaf = known->second;
      else c.tiers.back().nodes[c.ancestor(host_id{static_cast<std::uint32_t>(h)}, level - 1)].parent = known->second;
      at[h] = group;
    }
    c.tiers.push_back(std::move(groups));
    if (c.tiers.back().nodes.size() == 1) break;
  }
  if (c.tiers.back().nodes.size() > 1 && !network.whole) {
    tier joined;
    joined.nodes.push_back({"above", 0});
    joined.from = {confidence::assumed, network.source + " names no switch above these groups; a non-blocking one is assumed"};
    c.tiers.push_back(std::move(joined));
  }
  for (std::size_t t = 0; t < c.tiers.size(); ++t) {
    constexpr std::string_view names[] = {"leaf", "pod", "zone", "region", "area"};
    c.tiers[t].name = t >= 2 && t + 1 == c.tiers.size() ? "core" : names[std::min<std::size_t>(t, 4)];
  }
}

// One leaf group that holds all hosts, for want of a network.
inline void add_assumed_tier(cluster& c) {
  tier leaf;
  leaf.name = "leaf";
  leaf.nodes.push_back({"network", 0});
  leaf.from = {confidence::assumed, "no network is given: all hosts are taken to hang on one switch"};
  c.tiers.push_back(std::move(leaf));
}

}  // namespace topoplan::inline v1::import::detail
