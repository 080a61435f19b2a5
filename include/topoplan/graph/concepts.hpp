// The graph concepts of Boost.Graph as C++20 concepts that answer false for what isn't a graph.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace topoplan::inline v1 {

// Opt-in for a graph type whose boost::graph_traits is specialised from outside, instead of naming its types itself.
template <class Graph> inline constexpr bool enable_graph = false;

namespace detail {

template <class Graph>
concept names_graph_types = requires {
  typename Graph::vertex_descriptor;
  typename Graph::edge_descriptor;
  typename Graph::directed_category;
  typename Graph::edge_parallel_category;
  typename Graph::traversal_category;
};

}  // namespace detail

// boost::graph_traits<Graph> can be asked; for any other type that question is a hard error.
template <class Graph>
concept has_graph_traits = enable_graph<std::remove_cvref_t<Graph>> || detail::names_graph_types<std::remove_cvref_t<Graph>>;

template <class Graph> using vertex_of = typename boost::graph_traits<Graph>::vertex_descriptor;
template <class Graph> using edge_of = typename boost::graph_traits<Graph>::edge_descriptor;

namespace detail {

template <class Graph, class Tag>
concept traversed_as = std::convertible_to<typename boost::graph_traits<Graph>::traversal_category, Tag>;

// A pair of iterators over Value, as Boost.Graph returns ranges.
template <class Pair, class Value>
concept iterator_pair_over = requires(Pair pair) {
  { *pair.first } -> std::convertible_to<Value>;
  { pair.first != pair.second } -> std::convertible_to<bool>;
  ++pair.first;
};

}  // namespace detail

// vertices(g), num_vertices(g). The calls of these concepts are found by argument-dependent lookup.
template <class Graph>
concept vertex_list_graph =
    has_graph_traits<Graph> && detail::traversed_as<Graph, boost::vertex_list_graph_tag> && requires(const Graph& g) {
      { vertices(g) } -> detail::iterator_pair_over<vertex_of<Graph>>;
      { num_vertices(g) } -> std::convertible_to<std::size_t>;
    };

// out_edges(v, g), out_degree(v, g), source(e, g), target(e, g).
template <class Graph>
concept incidence_graph = has_graph_traits<Graph> && detail::traversed_as<Graph, boost::incidence_graph_tag> &&
                          requires(const Graph& g, vertex_of<Graph> v, edge_of<Graph> e) {
                            { out_edges(v, g) } -> detail::iterator_pair_over<edge_of<Graph>>;
                            { out_degree(v, g) } -> std::convertible_to<std::size_t>;
                            { source(e, g) } -> std::convertible_to<vertex_of<Graph>>;
                            { target(e, g) } -> std::convertible_to<vertex_of<Graph>>;
                          };

// incidence_graph, and in_edges(v, g), in_degree(v, g).
template <class Graph>
concept bidirectional_graph = incidence_graph<Graph> && detail::traversed_as<Graph, boost::bidirectional_graph_tag> &&
                              requires(const Graph& g, vertex_of<Graph> v) {
                                { in_edges(v, g) } -> detail::iterator_pair_over<edge_of<Graph>>;
                                { in_degree(v, g) } -> std::convertible_to<std::size_t>;
                              };

// edges(g), num_edges(g), source(e, g), target(e, g).
template <class Graph>
concept edge_list_graph = has_graph_traits<Graph> && detail::traversed_as<Graph, boost::edge_list_graph_tag> &&
                          requires(const Graph& g, edge_of<Graph> e) {
                            { edges(g) } -> detail::iterator_pair_over<edge_of<Graph>>;
                            { num_edges(g) } -> std::convertible_to<std::size_t>;
                            { source(e, g) } -> std::convertible_to<vertex_of<Graph>>;
                            { target(e, g) } -> std::convertible_to<vertex_of<Graph>>;
                          };

namespace detail {

// Boost's adjacency_list with lists of vertices is a hard error for get(boost::vertex_index, g) unless it has that property.
template <class Graph>
concept index_may_be_asked = !std::is_pointer_v<vertex_of<Graph>> || !requires { typename Graph::vertex_property_type; } ||
                             boost::lookup_one_property<typename Graph::vertex_property_type, boost::vertex_index_t>::found;

}  // namespace detail

// get(boost::vertex_index, g) numbers the vertices 0 ... num_vertices(g)-1.
template <class Graph>
concept indexed_graph = has_graph_traits<Graph> && detail::index_may_be_asked<std::remove_cvref_t<Graph>> &&
                        requires(const Graph& g, vertex_of<Graph> v) {
                          { get(get(boost::vertex_index, g), v) } -> std::convertible_to<std::size_t>;
                        };

// What fold, paths and cut read: a graph whose links are arcs in both directions (a Boost graph with undirectedS, or two
// arcs a link), with numbered vertices.
template <class Graph>
concept fabric_model = vertex_list_graph<Graph> && incidence_graph<Graph> && indexed_graph<Graph>;

namespace detail {

namespace boost_get {
using boost::get;
// get of a Boost map with a key of another graph is a hard error, so the map's key type is looked at first.
template <class Map, class Key>
concept fits = !requires { typename Map::key_type; } || std::is_void_v<typename Map::key_type> ||
               std::convertible_to<const Key&, typename Map::key_type>;
template <class Map, class Key>
concept readable = fits<Map, Key> && requires(const Map& map, const Key& key) { get(map, key); };
template <class Map, class Key> decltype(auto) read(const Map& map, const Key& key) {
  if constexpr (std::is_pointer_v<Map>) return map[key];
  else return get(map, key);
}
}  // namespace boost_get

// Reads a property: from a Boost property map, or by calling a function.
template <class Map, class Key>
  requires boost_get::readable<Map, Key> || std::invocable<const Map&, const Key&>
decltype(auto) read(const Map& map, const Key& key) {
  if constexpr (boost_get::readable<Map, Key>) return boost_get::read(map, key);
  else return map(key);
}

}  // namespace detail

// A property of Key that converts to Value: a readable Boost property map (get(map, key)), else a function of the key.
template <class Map, class Key, class Value>
concept property_of = requires(const Map& map, const Key& key) {
  { detail::read(map, key) } -> std::convertible_to<Value>;
};

}  // namespace topoplan::inline v1
