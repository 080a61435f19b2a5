// Puts nodes, an InfiniBand fabric, NVLink domains and an allocation together: what hangs on what is read off a graph of the
// cables.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/graph/fold.hpp>
#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/fabric_graph_of.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/ib_network.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// The tiers that the graph shows, with the names of the switches where the tree has one for the whole group.
inline void take_tiers(cluster& c, cluster folded) {
  for (std::size_t h = 0; h < c.hosts.size(); ++h) {
    for (std::size_t t = 0; t < folded.tiers.size() && t < c.tiers.size(); ++t) {
      const host_id id{static_cast<std::uint32_t>(h)};
      if (c.tiers[t].nodes.size() != folded.tiers[t].nodes.size()) break;
      folded.tiers[t].nodes[folded.ancestor(id, t)].name = c.tiers[t].nodes[c.ancestor(id, t)].name;
    }
  }
  for (std::size_t h = 0; h < c.hosts.size(); ++h) c.hosts[h].leaf = folded.hosts[h].leaf;
  const auto joined = std::find_if(folded.tiers.begin(), folded.tiers.end(), [](const tier& t) { return t.nodes.size() == 1; });
  if (joined != folded.tiers.end()) {
    joined->nodes.front().parent = 0;
    folded.tiers.erase(joined + 1, folded.tiers.end());
  }
  c.tiers = std::move(folded.tiers);
}

// The oversubscription of the whole fabric, whose other hosts send, too: that of the busiest group that carries a host.
inline void take_capacity(cluster& c, const ib_network& network, const std::vector<std::uint32_t>& in_network) {
  for (std::uint32_t t = 0; t < c.tiers.size(); ++t) {
    double busiest = 0;
    for (const auto h : in_network) {
      const ib_capacity& capacity = network.capacity[group_at(network.tree, network.tree.hosts[h].leaf, t)];
      if (capacity.upward.value > 0) busiest = std::max(busiest, capacity.from_below.value / capacity.upward.value);
    }
    if (busiest > 0) c.tiers[t].oversubscription = busiest;
  }
}

}  // namespace detail

// As compose(parts), but that the fabric is the network: leaf groups, tiers, their oversubscription, rails and the rate of the
// NICs come out of fold over the graph of the hosts' links and the fabric's cables. parts.network isn't looked at. What is
// degraded in the fabric (a link down or slow, a rail that is missing, cables out of order) is in the notes.
// post: as compose; figures of the network are `derived` where the text gives rates. complexity: O((GPUs + cables) log devices).
// errors: as compose, network_of and fabric_graph_of.
[[nodiscard]] inline cluster compose_fabric(const ib_fabric& fabric, const ib_hosts& hosts, cluster_parts parts) {
  const ib_network network = network_of(fabric, hosts);
  parts.network = network.tree;
  cluster c = compose(parts);
  cluster folded = fold(fabric_graph_of(fabric, hosts, parts));
  if (folded.hosts.size() != c.hosts.size() || folded.gpus.size() != c.gpus.size()) {
    throw invalid_argument(c.name + ": " + std::to_string(folded.hosts.size()) + " hosts hang on the fabric, of " +
                           std::to_string(c.hosts.size()));
  }
  c.fabric = fabric_kind::infiniband;
  c.rails = folded.rails;
  for (std::size_t g = 0; g < c.gpus.size(); ++g) c.gpus[g].rail = folded.gpus[g].rail;
  const bool rated =
      std::any_of(fabric.cables.begin(), fabric.cables.end(), [](const auto& cable) { return cable.rate.known(); });
  if (rated && folded.nic.rate.value > 0) c.nic = folded.nic;
  for (std::string& text : folded.notes) c.notes.push_back(source_of(fabric) + ": " + std::move(text));
  detail::take_tiers(c, std::move(folded));
  detail::take_capacity(c, network, detail::hosts_in_network(network.tree, detail::list_of(parts)));
  if (const auto broken = validate(c)) throw invalid_argument(c.name + ": " + *broken);
  return c;
}

}  // namespace topoplan::inline v1::import
