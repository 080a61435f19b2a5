// Routes traffic over the shortest paths of a fabric graph: the load of every link and direction, and the hottest of them.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/graph/concepts.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/paths.hpp>

#include <boost/graph/filtered_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// What one vertex sends to another. units: bytes per second.
struct traffic_flow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bytes_per_second rate;
};

// How flows spread over paths of equal length: every link gets its share of its rate (adaptive routing, packet spraying), or
// each of several connections of a flow hashes its way at every switch (ECMP).
enum class path_split : std::uint8_t { shares, hashed };

// The rule of the switches.
struct routing {
  path_split split = path_split::shares;
  std::uint32_t connections = 16;  // of one flow, hashed apart
  std::uint64_t seed = 1;          // of the hash
};

// The load of every arc by its number in edges(g). units: bytes per second.
struct routed_traffic {
  std::vector<double> load;
  std::optional<std::size_t> hottest;  // the arc with the largest load over its rate; none if nothing is sent
  double hottest_ratio = 0;            // that load over that rate
};

namespace detail {

// Links that join NICs and switches, of Graphs whose edges carry a fabric_edge.
template <class Graph> struct in_network {
  const Graph* graph = nullptr;
  [[nodiscard]] bool operator()(const edge_of<Graph>& e) const { return (*graph)[e].kind == link_kind::network; }
};

// A hash that is the same everywhere. source: the finaliser of splitmix64, Steele, Lea, Flood, OOPSLA 2014.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

// One destination's shortest paths as arcs that come nearer to it.
template <class Graph> class next_hops {
 public:
  next_hops(const Graph& g, const std::vector<std::vector<std::pair<std::size_t, edge_of<Graph>>>>& out, vertex_of<Graph> to)
      : graph_(g), out_(out), away_(hops(boost::filtered_graph<Graph, in_network<Graph>>(g, {&g}), to)) {}

  [[nodiscard]] std::uint32_t away(vertex_of<Graph> v) const { return away_[v]; }
  template <class Visit> void each(vertex_of<Graph> v, const Visit& visit) const {
    for (const auto& [number, e] : out_[v])
      if (away_[target(e, graph_)] != unreachable && away_[target(e, graph_)] + 1 == away_[v])
        visit(number, target(e, graph_), graph_[e].rate.value);
  }

 private:
  const Graph& graph_;
  const std::vector<std::vector<std::pair<std::size_t, edge_of<Graph>>>>& out_;
  std::vector<std::uint32_t> away_;
};

}  // namespace detail

// Routes flows between NICs over network links, each on all of its shortest paths.
// pre: a link is two arcs of equal rate; vertices are numbers. post: flows from a vertex to itself load nothing; at every switch
// what comes in goes out. complexity: O(destinations * (vertices + arcs)), hashed times connections.
// errors: invalid_argument for a flow without a path, naming its vertices.
template <fabric_model Graph>
[[nodiscard]] routed_traffic route(const Graph& g, std::span<const traffic_flow> flows, const routing& how = {}) {
  std::vector<std::vector<std::pair<std::size_t, edge_of<Graph>>>> out(num_vertices(g));
  std::vector<double> rate;
  for (auto [at, end] = edges(g); at != end; ++at) {
    if (g[*at].kind == link_kind::network) out[source(*at, g)].emplace_back(rate.size(), *at);
    rate.push_back(g[*at].rate.value);
  }
  routed_traffic result;
  result.load.assign(rate.size(), 0.0);
  std::map<std::uint32_t, std::vector<std::size_t>> flows_to;
  for (std::size_t i = 0; i < flows.size(); ++i)
    if (flows[i].from != flows[i].to && flows[i].rate.value > 0) flows_to[flows[i].to].push_back(i);
  std::vector<double> waiting(num_vertices(g), 0.0);
  for (const auto& [to, of] : flows_to) {
    const detail::next_hops<Graph> hop(g, out, to);
    for (const std::size_t i : of)
      if (hop.away(flows[i].from) == unreachable)
        throw invalid_argument("no path through the network leads from vertex " + std::to_string(flows[i].from) + " to vertex " +
                               std::to_string(to));
    if (how.split == path_split::hashed) {
      for (const std::size_t i : of)
        for (std::uint32_t k = 0; k < how.connections; ++k) {
          const std::uint64_t id = detail::mixed(how.seed ^ detail::mixed(i * std::uint64_t{how.connections} + k));
          for (std::uint32_t v = flows[i].from; v != to;) {
            double all = 0;
            hop.each(v, [&](std::size_t, std::uint32_t, double r) { all += r; });
            double left = static_cast<double>(detail::mixed(id ^ detail::mixed(v)) >> 11U) * 0x1p-53 * all;
            std::pair<std::size_t, std::uint32_t> taken{0, v};
            hop.each(v, [&](std::size_t number, std::uint32_t next, double r) {
              if (left >= 0) taken = {number, next};
              left -= r;
            });
            result.load[taken.first] += flows[i].rate.value / how.connections;
            v = taken.second;
          }
        }
      continue;
    }
    // Vertices from the farthest to the nearest: all that waits at one goes on at once.
    std::vector<std::vector<std::uint32_t>> at;
    const auto add = [&](std::uint32_t v, double r) {
      if (v == to) return;
      const std::uint32_t away = hop.away(v);
      if (at.size() <= away) at.resize(away + 1);
      if (waiting[v] == 0) at[away].push_back(v);
      waiting[v] += r;
    };
    for (const std::size_t i : of) add(flows[i].from, flows[i].rate.value);
    for (std::size_t away = at.size(); away-- > 1;)
      for (const std::uint32_t v : at[away]) {
        double all = 0;
        hop.each(v, [&](std::size_t, std::uint32_t, double r) { all += r; });
        const double here = std::exchange(waiting[v], 0.0);
        hop.each(v, [&](std::size_t number, std::uint32_t next, double r) {
          result.load[number] += here * r / all;
          add(next, here * r / all);
        });
      }
  }
  for (std::size_t i = 0; i < rate.size(); ++i)
    if (result.load[i] > 0 && rate[i] > 0 && result.load[i] / rate[i] > result.hottest_ratio) {
      result.hottest = i;
      result.hottest_ratio = result.load[i] / rate[i];
    }
  return result;
}

// "leaf3 -> spine2": an arc by its number in edges(g). pre: there is such an arc. complexity: O(arc). errors: none.
template <fabric_model Graph> [[nodiscard]] std::string arc_name(const Graph& g, std::size_t arc) {
  auto at = edges(g).first;
  std::advance(at, static_cast<std::ptrdiff_t>(arc));
  return name_of(source(*at, g), g) + " -> " + name_of(target(*at, g), g);
}

}  // namespace topoplan::inline v1
