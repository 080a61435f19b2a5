// Where every fact about every host of a composed cluster came from.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/gpu_fabric.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/network_tree.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// What an input says of a host, and where; both empty: no input says it.
struct fact {
  std::string value;  // "leaf1"
  std::string place;  // "topology.conf:7"

  friend bool operator==(const fact&, const fact&) = default;
};

// A host of the allocation.
struct host_facts {
  std::string name;
  fact listed;  // in the allocation
  fact inside;  // the node that it looks like
  fact leaf;    // the switch that it hangs on
  fact domain;  // the NVLink domain that it is in

  friend bool operator==(const host_facts&, const host_facts&) = default;
};

// The facts of each host of compose(parts), in its order. pre: compose(parts) succeeds.
// complexity: O(hosts). errors: as compose for hosts that a part lacks.
[[nodiscard]] inline std::vector<host_facts> facts_of(const cluster_parts& parts) {
  const host_list list = detail::list_of(parts);
  const class_of_host find_class(parts.classes);
  std::vector<std::uint32_t> in_network;
  if (parts.network) in_network = detail::hosts_in_network(*parts.network, list);
  host_names names;
  for (std::uint32_t i = 0; parts.domains && i < parts.domains->hosts.size(); ++i) names.add(parts.domains->hosts[i].name, i);
  std::vector<host_facts> facts;
  facts.reserve(list.hosts.size());
  for (std::size_t h = 0; h < list.hosts.size(); ++h) {
    const listed_host& listed = list.hosts[h];
    host_facts one;
    one.name = listed.name;
    one.listed = {"", detail::place_of(list.source, listed.line)};
    const node_class& like = parts.classes[find_class(listed.name)];
    one.inside = {std::to_string(like.node.gpus.size()) + " GPUs", like.node.source};
    for (const std::string& more : like.node.more_sources) one.inside.place += ", " + more;
    if (parts.network) {
      const network_host& host = parts.network->hosts[in_network[h]];
      one.leaf = {parts.network->switches[host.leaf].name,
                  detail::place_of(host.source.empty() ? parts.network->source : host.source, host.line)};
    }
    if (parts.domains) {
      const auto match = names.find(listed.name);
      const domain_host& host = parts.domains->hosts[match.hosts.front()];
      one.domain = {host.domain ? parts.domains->domains[*host.domain].name : std::string(to_string(host.standing)),
                    detail::place_of(parts.domains->source, host.line)};
    }
    facts.push_back(std::move(one));
  }
  return facts;
}

}  // namespace topoplan::inline v1::import
