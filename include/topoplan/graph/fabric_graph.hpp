// A cluster's hardware as an explicit Boost.Graph graph with bundled properties, and its builder.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/graph/elements.hpp>

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// What belongs to the graph as a whole.
struct fabric_labels {
  std::string name;
  std::vector<std::string> hosts;  // names, by fabric_vertex::host
  std::string gpu_model;           // as gpu_models of a cluster
  topoplan::fabric_kind fabric = fabric_kind::unknown;
  std::vector<std::pair<std::uint32_t, std::string>> given;  // vertices that have a name of their own, ascending

  friend bool operator==(const fabric_labels&, const fabric_labels&) = default;
};

// Directed: every link is two arcs. Boost's CSR keeps all properties in two arrays, where adjacency_list would allocate once
// an edge.
using fabric_graph =
    boost::compressed_sparse_row_graph<boost::directedS, fabric_vertex, fabric_edge, fabric_labels, std::uint32_t, std::uint32_t>;

// The name of a vertex for people: the one it was given, else "gpu-017.gpu3", "leaf12".
// pre: v is a vertex of the graph. complexity: O(log(names given)). errors: none.
[[nodiscard]] inline std::string name_of(std::uint32_t v, const fabric_graph& g) {
  const fabric_labels& labels = g[boost::graph_bundle];
  const auto at = std::lower_bound(labels.given.begin(), labels.given.end(), v,
                                   [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
  if (at != labels.given.end() && at->first == v) return at->second;
  const fabric_vertex& vertex = g[v];
  const std::string kind = std::string(to_string(vertex.kind)) + std::to_string(vertex.index);
  return vertex.host == no_host ? kind : labels.hosts[vertex.host] + '.' + kind;
}

// Puts a fabric_graph together. Vertices are numbered in the order in which they are added, and so are hosts; the GPUs and
// NICs of a host are added in PCI order.
class fabric_graph_builder {
 public:
  // complexity: O(1), all of them. errors: connect and the add functions throw invalid_argument when they name a host or a
  // vertex that isn't there, connect also when a link joins a vertex to itself.
  explicit fabric_graph_builder(std::string name = {}) { labels_.name = std::move(name); }

  void set_gpu_model(std::string model) { labels_.gpu_model = std::move(model); }
  void set_fabric(fabric_kind kind) { labels_.fabric = kind; }
  void reserve(std::size_t vertices, std::size_t links) {
    vertices_.reserve(vertices);
    arcs_.reserve(2 * links);
    bundles_.reserve(2 * links);
  }

  std::uint32_t add_host(std::string name) {
    labels_.hosts.push_back(std::move(name));
    per_host_.emplace_back();
    return static_cast<std::uint32_t>(labels_.hosts.size() - 1);
  }
  std::uint32_t add_gpu(std::uint32_t host) { return add_vertex(vertex_kind::gpu, host); }
  std::uint32_t add_nic(std::uint32_t host) { return add_vertex(vertex_kind::nic, host); }
  std::uint32_t add_host_bridge(std::uint32_t host) { return add_vertex(vertex_kind::host_bridge, host); }
  std::uint32_t add_nvswitch(std::uint32_t host = no_host) { return add_vertex(vertex_kind::nvswitch, host); }
  // kind: leaf, spine or core.
  std::uint32_t add_switch(vertex_kind kind, std::string name = {}) { return add_vertex(kind, no_host, std::move(name)); }
  std::uint32_t add_vertex(vertex_kind kind, std::uint32_t host, std::string name = {}) {
    if (host != no_host && host >= labels_.hosts.size())
      throw invalid_argument("a " + std::string(to_string(kind)) + " is added to host " + std::to_string(host) +
                             ", but there are " + std::to_string(labels_.hosts.size()));
    auto& counts = host == no_host ? free_ : per_host_[host];
    const auto v = static_cast<std::uint32_t>(vertices_.size());
    vertices_.push_back({kind, host, counts[static_cast<std::size_t>(kind)]++});
    if (!name.empty()) labels_.given.emplace_back(v, std::move(name));
    return v;
  }

  // Joins two vertices. rate: of all count links together, in each direction.
  void connect(std::uint32_t a, std::uint32_t b, link_kind kind, bytes_per_second rate, std::uint32_t count = 1,
               seconds latency = {}) {
    if (a >= vertices_.size() || b >= vertices_.size())
      throw invalid_argument("a link joins vertices " + std::to_string(a) + " and " + std::to_string(b) + ", but there are " +
                             std::to_string(vertices_.size()));
    if (a == b) throw invalid_argument("a link joins vertex " + std::to_string(a) + " to itself");
    const fabric_edge edge{kind, rate, latency, count, arcs_.size() / 2};
    arcs_.emplace_back(a, b);
    arcs_.emplace_back(b, a);
    bundles_.insert(bundles_.end(), 2, edge);
  }

  // The graph; the builder is empty afterwards. post: the arcs of a vertex stand in the order in which it was connected.
  // complexity: O(vertices + links). errors: none.
  [[nodiscard]] fabric_graph build() {
    fabric_graph g(boost::edges_are_unsorted_multi_pass, arcs_.begin(), arcs_.end(), bundles_.begin(),
                   static_cast<std::uint32_t>(vertices_.size()), std::move(labels_));
    for (std::size_t v = 0; v < vertices_.size(); ++v) g[static_cast<std::uint32_t>(v)] = vertices_[v];
    *this = fabric_graph_builder();
    return g;
  }

 private:
  static constexpr std::size_t kinds = 7;

  fabric_labels labels_;
  std::vector<fabric_vertex> vertices_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs_;
  std::vector<fabric_edge> bundles_;
  std::vector<std::array<std::uint32_t, kinds>> per_host_;
  std::array<std::uint32_t, kinds> free_{};
};

// For every arc, by its edge index, the arc of the same link that leads back: the reverse-edge map that Boost's max-flow
// algorithms ask for, through make_iterator_property_map. complexity: O(vertices + arcs). errors: none.
[[nodiscard]] inline std::vector<fabric_graph::edge_descriptor> reverse_arcs(const fabric_graph& g) {
  using arc = fabric_graph::edge_descriptor;
  std::vector<arc> first(num_edges(g) / 2), reverse(num_edges(g));
  std::vector<bool> seen(first.size(), false);
  const auto index = get(boost::edge_index, g);
  for (auto [at, end] = edges(g); at != end; ++at) {
    const std::uint64_t link = g[*at].link;
    if (!seen[link]) {
      seen[link] = true;
      first[link] = *at;
    } else {
      reverse[get(index, *at)] = first[link];
      reverse[get(index, first[link])] = *at;
    }
  }
  return reverse;
}

}  // namespace topoplan::inline v1
