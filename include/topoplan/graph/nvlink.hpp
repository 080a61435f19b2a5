// NVLink domains as a graph shows them: which GPUs NVLinks join, and how fully.
#pragma once

#include <topoplan/core/units.hpp>
#include <topoplan/graph/concepts.hpp>
#include <topoplan/graph/detail/union_find.hpp>
#include <topoplan/graph/elements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// GPUs that NVLinks join, directly or through NVSwitches or each other.
template <class Vertex> struct nvlink_domain {
  std::vector<Vertex> gpus;          // in the order of the graph's vertices
  std::vector<Vertex> slower;        // those whose NVLinks together carry less than `rate`
  bool switched = false;             // an NVSwitch is in it
  std::uint64_t unjoined_pairs = 0;  // of a domain without NVSwitch: pairs that no NVLink joins
  bytes_per_second rate;             // of the GPU with the most: all its NVLinks, one direction

  // True if every GPU reaches every other at its full rate. A mesh in which some pairs aren't joined, such as the hybrid
  // cube mesh of 8 V100, doesn't.
  [[nodiscard]] bool all_to_all() const noexcept { return slower.empty() && unjoined_pairs == 0; }
};

// The connected components of the NVLinks, each with what its GPUs get; a GPU without NVLink is a domain of its own.
// kind: vertex to vertex_kind; link: edge to link_kind; rate: edge to bytes_per_second.
// post: every GPU is in one domain; domains stand in the order of their first GPU. complexity: O(vertices + edges) and sorting
// the neighbours of GPUs in meshes. errors: none.
template <fabric_model Graph, property_of<vertex_of<Graph>, vertex_kind> Kind, property_of<edge_of<Graph>, link_kind> Link,
          property_of<edge_of<Graph>, bytes_per_second> Rate>
[[nodiscard]] std::vector<nvlink_domain<vertex_of<Graph>>> nvlink_domains(const Graph& g, const Kind& kind, const Link& link,
                                                                          const Rate& rate) {
  using vertex = vertex_of<Graph>;
  const auto index = get(boost::vertex_index, g);
  const auto number = [&](vertex v) { return static_cast<std::uint32_t>(get(index, v)); };
  detail::union_find joined(num_vertices(g));
  std::vector<vertex> gpus;
  std::vector<double> rates;         // by GPU
  std::vector<std::uint64_t> peers;  // by GPU: other GPUs that a link joins it with
  std::vector<bool> at_switch;       // by GPU
  std::vector<std::uint32_t> seen;
  for (auto [v, v_end] = vertices(g); v != v_end; ++v) {
    const vertex_kind own = detail::read(kind, *v);
    if (own != vertex_kind::gpu && own != vertex_kind::nvswitch) continue;
    double sum = 0;
    bool switched = false;
    seen.clear();
    for (auto [e, e_end] = out_edges(*v, g); e != e_end; ++e) {
      const auto edge = *e;
      if (static_cast<link_kind>(detail::read(link, edge)) != link_kind::nvlink) continue;
      const vertex to = target(edge, g);
      joined.unite(number(*v), number(to));
      sum += static_cast<bytes_per_second>(detail::read(rate, edge)).value;
      if (static_cast<vertex_kind>(detail::read(kind, to)) == vertex_kind::nvswitch) switched = true;
      else seen.push_back(number(to));
    }
    if (own != vertex_kind::gpu) continue;
    std::sort(seen.begin(), seen.end());
    gpus.push_back(*v);
    rates.push_back(sum);
    peers.push_back(static_cast<std::uint64_t>(std::unique(seen.begin(), seen.end()) - seen.begin()));
    at_switch.push_back(switched);
  }

  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> domain_at(num_vertices(g), none);
  std::vector<nvlink_domain<vertex>> domains;
  std::vector<std::uint64_t> joined_ends;  // by domain
  std::vector<std::uint32_t> domain_of(gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::uint32_t& at = domain_at[joined.root(number(gpus[i]))];
    if (at == none) {
      at = static_cast<std::uint32_t>(domains.size());
      domains.emplace_back();
      joined_ends.push_back(0);
    }
    domain_of[i] = at;
    nvlink_domain<vertex>& d = domains[at];
    d.gpus.push_back(gpus[i]);
    d.switched = d.switched || at_switch[i];
    d.rate = std::max(d.rate, bytes_per_second{rates[i]});
    joined_ends[at] += peers[i];
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    nvlink_domain<vertex>& d = domains[domain_of[i]];
    // Shares of a rate may not add up to the last bit.
    if (rates[i] < d.rate.value * (1 - 1e-9)) d.slower.push_back(gpus[i]);
  }
  for (std::size_t d = 0; d < domains.size(); ++d) {
    const std::uint64_t size = domains[d].gpus.size();
    if (!domains[d].switched) domains[d].unjoined_pairs = (size * (size - 1) - joined_ends[d]) / 2;
  }
  return domains;
}

}  // namespace topoplan::inline v1
