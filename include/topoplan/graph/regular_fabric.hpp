// The graph of a preset without stored vertices or edges: everything is computed, and all of Boost.Graph runs on it.
#pragma once

#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/spec.hpp>
#include <topoplan/graph/detail/regular_iterators.hpp>
#include <topoplan/graph/detail/regular_shape.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/fabric_graph.hpp>

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/property_map/property_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1 {

// The graph of a spec: its GPUs, NVSwitches, NICs, host bridges and switches. Models VertexListGraph, EdgeListGraph,
// BidirectionalGraph, AdjacencyGraph and PropertyGraph with the bundles of a fabric_graph; directed, every link two arcs.
// Where a product's number of NVSwitches isn't known, one vertex with all links of a GPU stands for them. The link between
// the bridges of a host, for which no figure is published, is as wide as the links of the GPUs below one of them together.
// complexity: O(1) for every operation but iteration; memory in kilobytes whatever the size.
class regular_fabric {
 public:
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = fabric_arc;
  using directed_category = boost::bidirectional_tag;
  using edge_parallel_category = boost::disallow_parallel_edge_tag;
  using traversal_category = detail::regular_traversal_tag;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  using vertex_iterator = boost::counting_iterator<std::uint32_t>;
  using out_edge_iterator = detail::slot_iterator<fabric_arc, &detail::arc_out>;
  using in_edge_iterator = detail::slot_iterator<fabric_arc, &detail::arc_in>;
  using adjacency_iterator = detail::slot_iterator<std::uint32_t, &detail::far_end>;
  using edge_iterator = detail::arc_iterator;
  using vertex_bundled = fabric_vertex;
  using edge_bundled = fabric_edge;
  using vertex_property_type = fabric_vertex;
  using edge_property_type = fabric_edge;

  // errors: as make_cluster.
  explicit regular_fabric(const cluster_spec& spec) : spec_(spec), shape_(spec) {}
  explicit regular_fabric(std::string_view spec) : regular_fabric(parse_spec(spec)) {}

  [[nodiscard]] static constexpr vertex_descriptor null_vertex() noexcept { return no_host; }
  [[nodiscard]] const cluster_spec& spec() const noexcept { return spec_; }
  [[nodiscard]] const fabric_design& design() const noexcept { return shape_.design(); }
  [[nodiscard]] const detail::regular_shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::string host_name(std::uint32_t host) const { return detail::host_naming(spec_, shape_.system()).host(host); }

  // The bundles, computed.
  [[nodiscard]] fabric_vertex operator[](vertex_descriptor v) const { return shape_.vertex(v); }
  [[nodiscard]] fabric_edge operator[](const fabric_arc& e) const {
    fabric_edge edge = shape_.edge(e.from, e.slot);
    edge.link = std::min(shape_.first_arc(e.from) + e.slot, shape_.first_arc(e.to) + e.back_slot);
    return edge;
  }

  friend std::size_t num_vertices(const regular_fabric& g) { return g.shape_.vertices(); }
  friend std::size_t num_edges(const regular_fabric& g) { return g.shape_.arcs(); }
  friend std::pair<vertex_iterator, vertex_iterator> vertices(const regular_fabric& g) {
    return {vertex_iterator(0), vertex_iterator(g.shape_.vertices())};
  }
  friend std::pair<edge_iterator, edge_iterator> edges(const regular_fabric& g) {
    return {edge_iterator(g.shape_, 0), edge_iterator(g.shape_, g.shape_.vertices())};
  }
  friend std::size_t out_degree(std::uint32_t v, const regular_fabric& g) { return g.shape_.degree(v); }
  friend std::size_t in_degree(std::uint32_t v, const regular_fabric& g) { return g.shape_.degree(v); }
  friend std::size_t degree(std::uint32_t v, const regular_fabric& g) { return 2 * std::size_t{g.shape_.degree(v)}; }
  friend std::pair<out_edge_iterator, out_edge_iterator> out_edges(std::uint32_t v, const regular_fabric& g) {
    return {out_edge_iterator(g.shape_, v, 0), out_edge_iterator(g.shape_, v, g.shape_.degree(v))};
  }
  friend std::pair<in_edge_iterator, in_edge_iterator> in_edges(std::uint32_t v, const regular_fabric& g) {
    return {in_edge_iterator(g.shape_, v, 0), in_edge_iterator(g.shape_, v, g.shape_.degree(v))};
  }
  friend std::pair<adjacency_iterator, adjacency_iterator> adjacent_vertices(std::uint32_t v, const regular_fabric& g) {
    return {adjacency_iterator(g.shape_, v, 0), adjacency_iterator(g.shape_, v, g.shape_.degree(v))};
  }
  friend std::uint32_t source(const fabric_arc& e, const regular_fabric&) { return e.from; }
  friend std::uint32_t target(const fabric_arc& e, const regular_fabric&) { return e.to; }
  friend bool operator==(const regular_fabric& a, const regular_fabric& b) { return a.spec_ == b.spec_; }

 private:
  cluster_spec spec_;
  detail::regular_shape shape_;
};

// The arc of the same link that leads back. complexity: O(1). errors: none.
[[nodiscard]] inline fabric_arc reverse_arc(const fabric_arc& e) noexcept { return {e.to, e.from, e.back_slot, e.slot}; }

// The name of a vertex for people, as name_of of a fabric_graph. complexity: O(1). errors: none.
[[nodiscard]] inline std::string name_of(std::uint32_t v, const regular_fabric& g) {
  const fabric_vertex vertex = g[v];
  const std::string kind = std::string(to_string(vertex.kind)) + std::to_string(vertex.index);
  return vertex.host == no_host ? kind : g.host_name(vertex.host) + '.' + kind;
}

// Property maps of a regular_fabric: computed, read only.
namespace detail {

struct arc_index_map {
  using key_type = fabric_arc;
  using value_type = std::uint64_t;
  using reference = std::uint64_t;
  using category = boost::readable_property_map_tag;
  const regular_fabric* graph = nullptr;
  friend std::uint64_t get(const arc_index_map& map, const fabric_arc& e) {
    return map.graph->shape().first_arc(e.from) + e.slot;
  }
};

struct arc_reverse_map {
  using key_type = fabric_arc;
  using value_type = fabric_arc;
  using reference = fabric_arc;
  using category = boost::readable_property_map_tag;
  friend fabric_arc get(const arc_reverse_map&, const fabric_arc& e) { return reverse_arc(e); }
};

template <class Key, class Bundle, class Member> struct member_map {
  using key_type = Key;
  using value_type = Member;
  using reference = Member;
  using category = boost::readable_property_map_tag;
  const regular_fabric* graph = nullptr;
  Member Bundle::* member = nullptr;
  friend Member get(const member_map& map, const Key& key) { return (*map.graph)[key].*map.member; }
};

}  // namespace detail

// get(boost::vertex_index, g), get(boost::edge_index, g), get(boost::edge_reverse, g), get(&fabric_edge::rate, g), ...
// complexity: O(1), also to read. errors: none.
[[nodiscard]] inline boost::typed_identity_property_map<std::uint32_t> get(boost::vertex_index_t, const regular_fabric&) {
  return {};
}
[[nodiscard]] inline detail::arc_index_map get(boost::edge_index_t, const regular_fabric& g) { return {&g}; }
[[nodiscard]] inline detail::arc_reverse_map get(boost::edge_reverse_t, const regular_fabric&) { return {}; }
template <class Member>
[[nodiscard]] detail::member_map<std::uint32_t, fabric_vertex, Member> get(Member fabric_vertex::* member,
                                                                           const regular_fabric& g) {
  return {&g, member};
}
template <class Member>
[[nodiscard]] detail::member_map<fabric_arc, fabric_edge, Member> get(Member fabric_edge::* member, const regular_fabric& g) {
  return {&g, member};
}
template <class Tag, class Key> [[nodiscard]] auto get(Tag tag, const regular_fabric& g, const Key& key) {
  return get(get(tag, g), key);
}

// The same graph with every vertex and edge stored, in the same order.
// post: equal bundles, names and neighbours. complexity: O(vertices + arcs). errors: none.
[[nodiscard]] inline fabric_graph to_fabric_graph(const regular_fabric& g) {
  fabric_graph_builder builder(to_string(g.spec()));
  builder.set_gpu_model(std::string(g.shape().gpu().title));
  builder.set_fabric(g.design().fabric);
  builder.reserve(num_vertices(g), num_edges(g) / 2);
  for (std::uint32_t h = 0; h < g.shape().hosts(); ++h) builder.add_host(g.host_name(h));
  for (std::uint32_t v = 0; v < num_vertices(g); ++v) builder.add_vertex(g[v].kind, g[v].host);
  for (auto [at, end] = edges(g); at != end; ++at) {
    const fabric_edge edge = g[*at];
    if ((*at).from < (*at).to) builder.connect((*at).from, (*at).to, edge.kind, edge.rate, edge.count, edge.latency);
  }
  return builder.build();
}

}  // namespace topoplan::inline v1

namespace boost {

// How Boost's algorithms name the maps that get() returns.
template <> struct property_map<topoplan::regular_fabric, vertex_index_t> {
  using type = typed_identity_property_map<std::uint32_t>;
  using const_type = type;
};
// Arc numbers.
template <> struct property_map<topoplan::regular_fabric, edge_index_t> {
  using type = topoplan::detail::arc_index_map;
  using const_type = type;
};
// The arcs that lead back.
template <> struct property_map<topoplan::regular_fabric, edge_reverse_t> {
  using type = topoplan::detail::arc_reverse_map;
  using const_type = type;
};
// One field of the vertices.
template <class Member> struct property_map<topoplan::regular_fabric, Member topoplan::fabric_vertex::*> {
  using type = topoplan::detail::member_map<std::uint32_t, topoplan::fabric_vertex, Member>;
  using const_type = type;
};
// One field of the arcs.
template <class Member> struct property_map<topoplan::regular_fabric, Member topoplan::fabric_edge::*> {
  using type = topoplan::detail::member_map<topoplan::fabric_arc, topoplan::fabric_edge, Member>;
  using const_type = type;
};

}  // namespace boost
