// The traffic of a placement routed over a fabric graph: a second judge of loads, that knows nothing of tiers.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/graph/concepts.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/paths.hpp>
#include <topoplan/graph/route.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/objective.hpp>

#include <boost/graph/filtered_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

namespace detail {

template <class Graph> struct inside_host {
  const Graph* graph = nullptr;
  [[nodiscard]] bool operator()(const edge_of<Graph>& e) const {
    const link_kind kind = (*graph)[e].kind;
    return kind == link_kind::pcie || kind == link_kind::socket;
  }
};
template <class Graph> struct by_nvlink {
  const Graph* graph = nullptr;
  [[nodiscard]] bool operator()(const edge_of<Graph>& e) const { return (*graph)[e].kind == link_kind::nvlink; }
};

// What GPUs reach without a NIC, and the NIC each sends by: of the nearest ones of its host the one of its turn.
template <class Graph> class senders {
 public:
  explicit senders(const Graph& g) : graph_(g), island_(num_vertices(g), none) {
    std::uint32_t islands = 0;
    const boost::filtered_graph<Graph, by_nvlink<Graph>> nvlinks(g, {&g});
    for (std::uint32_t v = 0; v < num_vertices(g); ++v) {
      if (g[v].kind != vertex_kind::gpu) continue;
      gpus_.push_back(v);
      if (island_[v] != none) continue;
      const std::vector<std::uint32_t> away = hops(nvlinks, v);
      for (std::uint32_t w = 0; w < num_vertices(g); ++w)
        if (away[w] != unreachable) island_[w] = islands;
      ++islands;
    }
  }

  // The vertex of the n-th GPU. errors: invalid_argument if there are fewer.
  [[nodiscard]] std::uint32_t gpu(std::uint32_t n) const {
    if (n >= gpus_.size())
      throw invalid_argument("the placement names GPU " + std::to_string(n) + ", and the graph has " +
                             std::to_string(gpus_.size()) + " GPUs");
    return gpus_[n];
  }
  [[nodiscard]] std::uint32_t island(std::uint32_t vertex) const { return island_[vertex]; }
  [[nodiscard]] std::uint32_t nic(std::uint32_t vertex) {
    const auto [at, fresh] = nic_.try_emplace(vertex, none);
    if (!fresh) return at->second;
    const std::vector<std::uint32_t> away = hops(boost::filtered_graph<Graph, inside_host<Graph>>(graph_, {&graph_}), vertex);
    std::uint32_t nearest = unreachable;
    std::vector<std::uint32_t> nics;
    for (std::uint32_t v = 0; v < num_vertices(graph_); ++v) {
      if (graph_[v].kind != vertex_kind::nic || away[v] == unreachable || away[v] > nearest) continue;
      if (away[v] < nearest) nics.clear();
      nearest = away[v];
      nics.push_back(v);
    }
    if (nics.empty()) throw invalid_argument("vertex " + std::to_string(vertex) + " has no NIC on its host");
    return at->second = nics[graph_[vertex].index % nics.size()];
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  const Graph& graph_;
  std::vector<std::uint32_t> gpus_;
  std::vector<std::uint32_t> island_;
  std::map<std::uint32_t, std::uint32_t> nic_;
};

// Who of the ranks of an island sends what a has for b: the one whose GPU has b's place on its host, which NVLink reaches and
// whose NIC shares b's rail (NCCL's PXN); a itself if there is none. Several take turns.
template <class Graph>
[[nodiscard]] std::uint32_t relay(const Graph& g, const std::vector<std::uint32_t>& here, std::uint32_t a, std::uint32_t b) {
  if (g[a].index == g[b].index) return a;
  std::vector<std::uint32_t> found;
  for (const std::uint32_t m : here)
    if (g[m].index == g[b].index) found.push_back(m);
  return found.empty() ? a : found[a % found.size()];
}

}  // namespace detail

// The flows of all groups of an axis set at once, NIC to NIC, when every rank that sends outside its NVLink domain sends at the
// rate of its NIC. Rings go from domain to domain in the order of their first ranks, each rank to its like; all-to-all sends
// every peer elsewhere the same, by the member of the domain that shares the peer's rail if there is one.
// pre: gpu_of_rank numbers GPUs in the order of the graph's vertices; hosts are NVLink domains or lie in one.
// complexity: O(GPUs * vertices + ranks), for all-to-all O(ranks * group). errors: invalid_argument for a GPU that the graph
// doesn't have, a GPU without a NIC, and as layout::groups().
template <fabric_model Graph>
[[nodiscard]] std::vector<traffic_flow> flows_of(const Graph& g, const layout& l, std::span<const std::uint32_t> gpu_of_rank,
                                                 axis_set set, edge_pattern pattern, bytes_per_second nic_rate) {
  detail::senders<Graph> from(g);
  std::vector<traffic_flow> flows;
  const group_family family = l.groups(set);
  for (std::uint32_t i = 0; i < family.size(); ++i) {
    std::vector<std::uint32_t> islands;                           // in order of appearance
    std::map<std::uint32_t, std::vector<std::uint32_t>> members;  // of an island: vertices
    for (std::uint32_t m = 0; m < family.group_size(); ++m) {
      const std::uint32_t vertex = from.gpu(gpu_of_rank[family.member(i, m).value]);
      std::vector<std::uint32_t>& here = members[from.island(vertex)];
      if (here.empty()) islands.push_back(from.island(vertex));
      here.push_back(vertex);
    }
    if (islands.size() < 2) continue;
    for (std::size_t k = 0; k < islands.size(); ++k) {
      const std::vector<std::uint32_t>& here = members[islands[k]];
      if (pattern == edge_pattern::all_to_all) {
        const double elsewhere = static_cast<double>(family.group_size()) - static_cast<double>(here.size());
        for (const std::uint32_t other : islands)
          if (other != islands[k])
            for (const std::uint32_t a : here)
              for (const std::uint32_t b : members[other])
                flows.push_back(
                    {from.nic(detail::relay(g, here, a, b)), from.nic(b), bytes_per_second{nic_rate.value / elsewhere}});
        continue;
      }
      if (pattern == edge_pattern::chain && k + 1 == islands.size()) continue;
      const std::vector<std::uint32_t>& next = members[islands[(k + 1) % islands.size()]];
      for (std::size_t j = 0; j < here.size(); ++j)
        flows.push_back({from.nic(here[j]), from.nic(next[j % next.size()]), nic_rate});
    }
  }
  return flows;
}

}  // namespace topoplan::inline v1
