// The least that a type needs to be a graph for fold, paths and cut, and types that lack one part each.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/property_map/property_map.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace topoplan_test {

struct tiny_traversal_tag : boost::vertex_list_graph_tag, boost::incidence_graph_tag {};

// A directed graph of numbered vertices; its functions are free and found by argument-dependent lookup.
struct tiny_graph {
  struct edge {
    std::size_t from = 0, to = 0;
    friend bool operator==(const edge&, const edge&) = default;
  };
  using vertex_descriptor = std::size_t;
  using edge_descriptor = edge;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using traversal_category = tiny_traversal_tag;
  using vertex_iterator = const std::size_t*;
  using out_edge_iterator = const edge*;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;

  std::vector<std::size_t> numbers;
  std::vector<std::vector<edge>> out;

  explicit tiny_graph(std::size_t count) : out(count) {
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(i);
  }
  void join(std::size_t a, std::size_t b) {
    out[a].push_back({a, b});
    out[b].push_back({b, a});
  }
  static vertex_descriptor null_vertex() { return static_cast<std::size_t>(-1); }

  friend std::pair<vertex_iterator, vertex_iterator> vertices(const tiny_graph& g) {
    return {g.numbers.data(), g.numbers.data() + g.numbers.size()};
  }
  friend std::size_t num_vertices(const tiny_graph& g) { return g.numbers.size(); }
  friend std::pair<out_edge_iterator, out_edge_iterator> out_edges(std::size_t v, const tiny_graph& g) {
    return {g.out[v].data(), g.out[v].data() + g.out[v].size()};
  }
  friend std::size_t out_degree(std::size_t v, const tiny_graph& g) { return g.out[v].size(); }
  friend std::size_t source(const edge& e, const tiny_graph&) { return e.from; }
  friend std::size_t target(const edge& e, const tiny_graph&) { return e.to; }
  friend boost::typed_identity_property_map<std::size_t> get(boost::vertex_index_t, const tiny_graph&) { return {}; }
};

// The parts of a graph by name, so that each test type can leave one out.
struct graph_types {
  using vertex_descriptor = int;
  struct edge {};
  using edge_descriptor = edge;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
};

struct no_vertices : graph_types {
  using traversal_category = tiny_traversal_tag;
  friend std::size_t num_vertices(const no_vertices&) { return 0; }
};
struct no_num_vertices : graph_types {
  using traversal_category = tiny_traversal_tag;
  friend std::pair<int*, int*> vertices(const no_num_vertices&) { return {}; }
};
struct vertices_of_other_type : graph_types {
  using traversal_category = tiny_traversal_tag;
  friend std::pair<void**, void**> vertices(const vertices_of_other_type&) { return {}; }
  friend std::size_t num_vertices(const vertices_of_other_type&) { return 0; }
};
struct vertices_not_a_pair : graph_types {
  using traversal_category = tiny_traversal_tag;
  friend std::vector<int> vertices(const vertices_not_a_pair&) { return {}; }
  friend std::size_t num_vertices(const vertices_not_a_pair&) { return 0; }
};
struct untagged_vertices : graph_types {
  using traversal_category = boost::incidence_graph_tag;
  friend std::pair<int*, int*> vertices(const untagged_vertices&) { return {}; }
  friend std::size_t num_vertices(const untagged_vertices&) { return 0; }
};

template <bool OutEdges, bool OutDegree, bool Source, bool Target, class Tag = boost::bidirectional_graph_tag>
struct incidence_parts : graph_types {
  using traversal_category = Tag;
  friend std::pair<edge*, edge*> out_edges(int, const incidence_parts&)
    requires OutEdges
  {
    return {};
  }
  friend std::size_t out_degree(int, const incidence_parts&)
    requires OutDegree
  {
    return 0;
  }
  friend int source(const edge&, const incidence_parts&)
    requires Source
  {
    return 0;
  }
  friend int target(const edge&, const incidence_parts&)
    requires Target
  {
    return 0;
  }
};

template <bool InEdges, bool InDegree> struct bidirectional_parts : incidence_parts<true, true, true, true> {
  friend std::pair<edge*, edge*> in_edges(int, const bidirectional_parts&)
    requires InEdges
  {
    return {};
  }
  friend std::size_t in_degree(int, const bidirectional_parts&)
    requires InDegree
  {
    return 0;
  }
};

struct edge_list_tag : boost::bidirectional_graph_tag, boost::edge_list_graph_tag {};
template <bool Edges, bool NumEdges> struct edge_list_parts : incidence_parts<true, true, true, true, edge_list_tag> {
  friend std::pair<edge*, edge*> edges(const edge_list_parts&)
    requires Edges
  {
    return {};
  }
  friend std::size_t num_edges(const edge_list_parts&)
    requires NumEdges
  {
    return 0;
  }
};

// A graph by a specialisation of boost::graph_traits; it names no types itself.
struct traits_from_outside {};

}  // namespace topoplan_test

template <> struct boost::graph_traits<topoplan_test::traits_from_outside> : boost::graph_traits<topoplan_test::tiny_graph> {};
