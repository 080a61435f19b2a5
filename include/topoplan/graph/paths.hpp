// Paths in a fabric: hops, and the widest path.
#pragma once

#include <topoplan/core/units.hpp>
#include <topoplan/graph/concepts.hpp>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/two_bit_color_map.hpp>
#include <boost/graph/visitors.hpp>
#include <boost/pending/queue.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace topoplan::inline v1 {

// The distance of a vertex that can't be reached.
inline constexpr std::uint32_t unreachable = std::numeric_limits<std::uint32_t>::max();

// Links from a vertex to every vertex, by vertex number. To leave kinds of links out, pass a boost::filtered_graph.
// post: 0 for `from`, unreachable where no path leads. complexity: O(vertices + edges). errors: none.
template <fabric_model Graph> [[nodiscard]] std::vector<std::uint32_t> hops(const Graph& g, vertex_of<Graph> from) {
  const auto index = get(boost::vertex_index, g);
  std::vector<std::uint32_t> distance(num_vertices(g), unreachable);
  const auto distances = boost::make_iterator_property_map(distance.begin(), index);
  boost::put(distances, from, 0U);
  boost::queue<vertex_of<Graph>> open;
  boost::breadth_first_visit(g, from, open, boost::make_bfs_visitor(boost::record_distances(distances, boost::on_tree_edge())),
                             boost::two_bit_color_map<std::remove_const_t<decltype(index)>>(num_vertices(g), index));
  return distance;
}

// One path and the rate of its narrowest link.
template <class Vertex> struct widest_path_result {
  std::vector<Vertex> vertices;  // from the first to the last; empty when no path leads there
  bytes_per_second rate;         // infinite for the path of one vertex, 0 when there is none
};

namespace detail {

// Dijkstra's algorithm on (max, min) instead of (min, +): the rate of the widest path to each vertex.
// source: Pollack, "The maximum capacity through a network", Operations Research 8, 1960.
template <class Graph, class Rate>
[[nodiscard]] std::vector<double> widest_from(const Graph& g, vertex_of<Graph> from, const Rate& rate) {
  const auto index = get(boost::vertex_index, g);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> widest(num_vertices(g), 0.0);
  const auto weight = boost::make_function_property_map<edge_of<Graph>, double>(
      [&](const edge_of<Graph>& e) { return static_cast<bytes_per_second>(read(rate, e)).value; });
  boost::dijkstra_shortest_paths(
      g, from, boost::dummy_property_map(), boost::make_iterator_property_map(widest.begin(), index), weight, index,
      std::greater<>(), [](double path, double link) { return std::min(path, link); }, 0.0, infinite, boost::dijkstra_visitor<>(),
      boost::two_bit_color_map<std::remove_const_t<decltype(index)>>(num_vertices(g), index));
  return widest;
}

// True for edges of at least that rate. Boost's filtered_graph wants to be able to make one from nothing.
template <class Rate> struct at_least {
  const Rate* rate = nullptr;
  double least = 0;
  template <class Edge> [[nodiscard]] bool operator()(const Edge& e) const {
    return static_cast<bytes_per_second>(read(*rate, e)).value >= least;
  }
};

}  // namespace detail

// The largest rate that one path gives, from a vertex to every vertex, by vertex number. Several paths together: max_flow of
// graph/cut.hpp. rate: edge to bytes_per_second. units: bytes per second.
// post: infinite for `from`, 0 where no path leads. complexity: O((vertices + edges) log vertices).
// errors: none.
template <fabric_model Graph, property_of<edge_of<Graph>, bytes_per_second> Rate>
[[nodiscard]] std::vector<bytes_per_second> widest_paths(const Graph& g, vertex_of<Graph> from, const Rate& rate) {
  std::vector<bytes_per_second> result;
  for (const double r : detail::widest_from(g, from, rate)) result.emplace_back(r);
  return result;
}

// Of the widest paths between two vertices one with the fewest links. rate: edge to bytes_per_second.
// complexity: O((vertices + edges) log vertices). errors: none.
template <fabric_model Graph, property_of<edge_of<Graph>, bytes_per_second> Rate>
[[nodiscard]] widest_path_result<vertex_of<Graph>> widest_path(const Graph& g, vertex_of<Graph> from, vertex_of<Graph> to,
                                                               const Rate& rate) {
  const auto index = get(boost::vertex_index, g);
  widest_path_result<vertex_of<Graph>> path;
  path.rate = bytes_per_second{detail::widest_from(g, from, rate)[static_cast<std::size_t>(get(index, to))]};
  if (path.rate.value <= 0) return path;
  std::vector<vertex_of<Graph>> before(num_vertices(g));
  const auto befores = boost::make_iterator_property_map(before.begin(), index);
  const boost::filtered_graph<Graph, detail::at_least<Rate>> wide(g, {&rate, path.rate.value});
  boost::queue<vertex_of<Graph>> open;
  boost::breadth_first_visit(wide, from, open,
                             boost::make_bfs_visitor(boost::record_predecessors(befores, boost::on_tree_edge())),
                             boost::two_bit_color_map<std::remove_const_t<decltype(index)>>(num_vertices(g), index));
  for (vertex_of<Graph> v = to; v != from; v = get(befores, v)) path.vertices.push_back(v);
  path.vertices.push_back(from);
  std::reverse(path.vertices.begin(), path.vertices.end());
  return path;
}

}  // namespace topoplan::inline v1
