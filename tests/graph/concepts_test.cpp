#include <topoplan/graph/concepts.hpp>
#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/graph/regular_fabric.hpp>

#include <boost/concept/assert.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/property_map/property_map.hpp>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/tiny_graph.hpp"

using topoplan::fabric_graph;
using topoplan::regular_fabric;
using topoplan_test::tiny_graph;
namespace t = topoplan_test;

template <> inline constexpr bool topoplan::enable_graph<topoplan_test::traits_from_outside> = true;

TEST_SUITE_BEGIN("graph/concepts");

TEST_CASE("what isn't a graph is answered with false, not with an error") {
  static_assert(!topoplan::has_graph_traits<int>);
  static_assert(!topoplan::has_graph_traits<std::vector<int>>);
  static_assert(!topoplan::has_graph_traits<std::string&>);
  static_assert(!topoplan::vertex_list_graph<int>);
  static_assert(!topoplan::incidence_graph<std::string>);
  static_assert(!topoplan::bidirectional_graph<void*>);
  static_assert(!topoplan::edge_list_graph<double>);
  static_assert(!topoplan::indexed_graph<t::graph_types>);
  static_assert(!topoplan::fabric_model<std::vector<std::vector<int>>>);
  static_assert(!topoplan::has_graph_traits<t::graph_types>);  // names no traversal category
}

TEST_CASE("the least that is asked for is enough") {
  static_assert(topoplan::has_graph_traits<tiny_graph>);
  static_assert(topoplan::has_graph_traits<const tiny_graph&>);
  static_assert(topoplan::vertex_list_graph<tiny_graph>);
  static_assert(topoplan::incidence_graph<tiny_graph>);
  static_assert(topoplan::indexed_graph<tiny_graph>);
  static_assert(topoplan::fabric_model<tiny_graph>);
  static_assert(!topoplan::bidirectional_graph<tiny_graph>);
  static_assert(!topoplan::edge_list_graph<tiny_graph>);
  static_assert(topoplan::has_graph_traits<t::traits_from_outside>);
}

TEST_CASE("each part that is missing makes it false") {
  static_assert(!topoplan::vertex_list_graph<t::no_vertices>);
  static_assert(!topoplan::vertex_list_graph<t::no_num_vertices>);
  static_assert(!topoplan::vertex_list_graph<t::vertices_of_other_type>);
  static_assert(!topoplan::vertex_list_graph<t::vertices_not_a_pair>);
  static_assert(!topoplan::vertex_list_graph<t::untagged_vertices>);

  static_assert(topoplan::incidence_graph<t::incidence_parts<true, true, true, true>>);
  static_assert(!topoplan::incidence_graph<t::incidence_parts<false, true, true, true>>);
  static_assert(!topoplan::incidence_graph<t::incidence_parts<true, false, true, true>>);
  static_assert(!topoplan::incidence_graph<t::incidence_parts<true, true, false, true>>);
  static_assert(!topoplan::incidence_graph<t::incidence_parts<true, true, true, false>>);
  static_assert(!topoplan::incidence_graph<t::incidence_parts<true, true, true, true, boost::vertex_list_graph_tag>>);

  static_assert(topoplan::bidirectional_graph<t::bidirectional_parts<true, true>>);
  static_assert(!topoplan::bidirectional_graph<t::bidirectional_parts<false, true>>);
  static_assert(!topoplan::bidirectional_graph<t::bidirectional_parts<true, false>>);

  static_assert(topoplan::edge_list_graph<t::edge_list_parts<true, true>>);
  static_assert(!topoplan::edge_list_graph<t::edge_list_parts<false, true>>);
  static_assert(!topoplan::edge_list_graph<t::edge_list_parts<true, false>>);
  static_assert(!topoplan::edge_list_graph<t::incidence_parts<true, true, true, true>>);

  static_assert(!topoplan::fabric_model<t::incidence_parts<true, true, true, true>>);
}

TEST_CASE("Boost's own graphs model what they should") {
  using list = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  using directed = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  using linked = boost::adjacency_list<boost::listS, boost::listS, boost::directedS>;
  static_assert(topoplan::fabric_model<list>);
  static_assert(topoplan::fabric_model<directed>);
  static_assert(topoplan::edge_list_graph<list>);
  static_assert(topoplan::bidirectional_graph<list>);
  static_assert(!topoplan::bidirectional_graph<directed>);
  static_assert(topoplan::incidence_graph<linked>);
  static_assert(!topoplan::indexed_graph<linked>);
  struct keep_all {
    bool operator()(const fabric_graph::edge_descriptor&) const { return true; }
  };
  static_assert(topoplan::fabric_model<boost::filtered_graph<fabric_graph, keep_all>>);
}

TEST_CASE("fabric_graph and regular_fabric model our concepts and Boost's") {
  static_assert(topoplan::fabric_model<fabric_graph>);
  static_assert(topoplan::edge_list_graph<fabric_graph>);
  static_assert(topoplan::fabric_model<regular_fabric>);
  static_assert(topoplan::edge_list_graph<regular_fabric>);
  static_assert(topoplan::bidirectional_graph<regular_fabric>);

  boost::function_requires<boost::VertexListGraphConcept<fabric_graph>>();
  boost::function_requires<boost::IncidenceGraphConcept<fabric_graph>>();
  boost::function_requires<boost::AdjacencyGraphConcept<fabric_graph>>();
  boost::function_requires<boost::EdgeListGraphConcept<fabric_graph>>();
  boost::function_requires<boost::VertexListGraphConcept<regular_fabric>>();
  boost::function_requires<boost::IncidenceGraphConcept<regular_fabric>>();
  boost::function_requires<boost::BidirectionalGraphConcept<regular_fabric>>();
  boost::function_requires<boost::AdjacencyGraphConcept<regular_fabric>>();
  boost::function_requires<boost::EdgeListGraphConcept<regular_fabric>>();
  boost::function_requires<
      boost::ReadablePropertyGraphConcept<regular_fabric, std::uint32_t, topoplan::vertex_kind topoplan::fabric_vertex::*>>();
  boost::function_requires<boost::ReadablePropertyGraphConcept<regular_fabric, std::uint32_t, boost::vertex_index_t>>();
  boost::function_requires<boost::ReadablePropertyGraphConcept<regular_fabric, topoplan::fabric_arc, boost::edge_index_t>>();
  boost::function_requires<boost::VertexListGraphConcept<tiny_graph>>();
  boost::function_requires<boost::IncidenceGraphConcept<tiny_graph>>();
}

TEST_CASE("a property is a Boost property map or a function, and converts") {
  using topoplan::property_of;
  static_assert(property_of<const double*, std::size_t, double>);
  static_assert(property_of<boost::typed_identity_property_map<int>, int, int>);
  static_assert(!property_of<boost::typed_identity_property_map<int>, int, std::string>);
  const auto square = [](int x) { return x * x; };
  static_assert(property_of<decltype(square), int, long>);
  static_assert(!property_of<decltype(square), std::string, long>);
  static_assert(!property_of<int, int, int>);
  static_assert(!property_of<boost::associative_property_map<std::map<std::string, int>>, std::vector<int>, int>);
  CHECK(topoplan::detail::read(square, 7) == 49);
  const std::vector<double> values{1.5, 2.5};
  CHECK(topoplan::detail::read(values.data(), std::size_t{1}) == 2.5);
  std::map<std::string, int> ages{{"a", 3}};
  CHECK(topoplan::detail::read(boost::associative_property_map<std::map<std::string, int>>(ages), std::string("a")) == 3);
}
