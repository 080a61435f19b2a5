// What a network carries at once: max-flow, bisection, and oversubscription as the graph has it.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/graph/concepts.hpp>
#include <topoplan/graph/detail/flow_network.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/graph/regular_fabric.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace topoplan::inline v1 {

// The rate that a graph carries from one set of vertices to another, all links at work. rate: edge to bytes_per_second; an
// edge of rate 0 carries nothing. Rates are taken in whole bytes per second.
// pre: the sets are disjoint. units: bytes per second. complexity: O(vertices^3), Boost's push-relabel on a copy.
// errors: invalid_argument when a set is empty or a vertex is in both.
template <fabric_model Graph, property_of<edge_of<Graph>, bytes_per_second> Rate>
[[nodiscard]] bytes_per_second max_flow(const Graph& g, std::span<const vertex_of<Graph>> from,
                                        std::span<const vertex_of<Graph>> to, const Rate& rate) {
  const auto index = get(boost::vertex_index, g);
  detail::flow_network network(num_vertices(g));
  for (auto [v, v_end] = vertices(g); v != v_end; ++v)
    for (auto [e, e_end] = out_edges(*v, g); e != e_end; ++e) {
      const auto edge = *e;
      network.add(static_cast<std::uint32_t>(get(index, source(edge, g))),
                  static_cast<std::uint32_t>(get(index, target(edge, g))),
                  static_cast<bytes_per_second>(detail::read(rate, edge)).value);
    }
  for (const auto v : from) network.add_source(static_cast<std::uint32_t>(get(index, v)));
  for (const auto v : to) network.add_sink(static_cast<std::uint32_t>(get(index, v)));
  return bytes_per_second{network.solve()};
}

// What two groups of NICs could send each other, and what the network between them carries.
struct cut_report {
  bytes_per_second offered;  // the smaller group's NICs together, one direction
  bytes_per_second carried;

  // 1: the network carries what the NICs offer; 2: half of it.
  [[nodiscard]] double oversubscription() const noexcept { return offered / carried; }
};

// Measures the network links between two groups of NICs. kind, link, rate: as for fold.
// pre: as max_flow. units: bytes per second. complexity: as max_flow. errors: as max_flow.
template <fabric_model Graph, property_of<edge_of<Graph>, link_kind> Link, property_of<edge_of<Graph>, bytes_per_second> Rate>
[[nodiscard]] cut_report network_cut(const Graph& g, std::span<const vertex_of<Graph>> nics_a,
                                     std::span<const vertex_of<Graph>> nics_b, const Link& link, const Rate& rate) {
  const auto network_rate = [&](const edge_of<Graph>& e) {
    return static_cast<link_kind>(detail::read(link, e)) == link_kind::network
               ? static_cast<bytes_per_second>(detail::read(rate, e))
               : bytes_per_second{};
  };
  const auto offered = [&](std::span<const vertex_of<Graph>> nics) {
    bytes_per_second sum;
    for (const auto v : nics)
      for (auto [e, e_end] = out_edges(v, g); e != e_end; ++e) sum = sum + network_rate(*e);
    return sum;
  };
  return {std::min(offered(nics_a), offered(nics_b)), max_flow(g, nics_a, nics_b, network_rate)};
}

// The network between the first half of the hosts and the second, in the order in which their NICs stand in the graph; of an
// odd number of hosts the last is left out. kind: vertex to vertex_kind; host: NIC to what names its host, comparable.
// units: bytes per second. complexity: as max_flow. errors: invalid_argument when fewer than two hosts have NICs.
template <fabric_model Graph, property_of<vertex_of<Graph>, vertex_kind> Kind, class Host,
          property_of<edge_of<Graph>, link_kind> Link, property_of<edge_of<Graph>, bytes_per_second> Rate>
[[nodiscard]] cut_report bisection(const Graph& g, const Kind& kind, const Host& host, const Link& link, const Rate& rate) {
  std::vector<vertex_of<Graph>> nics;
  std::vector<std::size_t> first;  // NIC of each host
  for (auto [v, v_end] = vertices(g); v != v_end; ++v) {
    if (static_cast<vertex_kind>(detail::read(kind, *v)) != vertex_kind::nic) continue;
    if (nics.empty() || !(detail::read(host, *v) == detail::read(host, nics.back()))) first.push_back(nics.size());
    nics.push_back(*v);
  }
  if (first.size() < 2)
    throw invalid_argument("a bisection needs NICs of at least two hosts, the graph has those of " +
                           std::to_string(first.size()));
  first.push_back(nics.size());
  const std::size_t half = (first.size() - 1) / 2;
  const std::span<const vertex_of<Graph>> all(nics);
  return network_cut(g, all.first(first[half]), all.subspan(first[half], first[2 * half] - first[half]), link, rate);
}

// The same for the library's own graphs. complexity: as above. errors: as above.
[[nodiscard]] inline cut_report bisection(const fabric_graph& g) {
  return bisection(g, get(&fabric_vertex::kind, g), get(&fabric_vertex::host, g), get(&fabric_edge::kind, g),
                   get(&fabric_edge::rate, g));
}
[[nodiscard]] inline cut_report bisection(const regular_fabric& g) {
  return bisection(g, get(&fabric_vertex::kind, g), get(&fabric_vertex::host, g), get(&fabric_edge::kind, g),
                   get(&fabric_edge::rate, g));
}

}  // namespace topoplan::inline v1
