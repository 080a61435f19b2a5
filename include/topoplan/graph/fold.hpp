// From a graph to the cluster that it shows.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/graph/concepts.hpp>
#include <topoplan/graph/detail/folder.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/graph/regular_fabric.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1 {

// The cluster that a graph shows. kind: vertex to vertex_kind; host: GPU, NIC or bridge to its host's name or number; link:
// edge to link_kind; rate: edge to bytes_per_second, of one direction; each a Boost property map or a function.
//  - Hosts stand in the order of their first GPU, the GPUs of a host in the order of the graph's vertices (PCI order).
//  - Domains are the connected components of NVLinks. Meshes that don't join every pair, GPUs with slower or no NVLinks are
//    named in the notes; in a domain that spans hosts a GPU without NVLink is marked unhealthy.
//  - A NIC's rail is the place of its leaf switches among those of its host; a GPU takes the rail of the NIC next to it.
//  - Hosts whose NICs share a leaf switch form a leaf group; groups whose switches share a switch above form the next tier.
//    Oversubscription is that of the busiest switch: rate of its links from below over rate of its links upward.
// pre: every link has arcs in both directions. post: validate(result) finds no_number if rates are positive.
// complexity: O(vertices + edges), with a logarithm for rails and groups. errors: invalid_argument when there is no GPU.
template <fabric_model Graph, property_of<vertex_of<Graph>, vertex_kind> Kind, host_property_of<vertex_of<Graph>> Host,
          property_of<edge_of<Graph>, link_kind> Link, property_of<edge_of<Graph>, bytes_per_second> Rate>
[[nodiscard]] cluster fold(const Graph& g, const Kind& kind, const Host& host, const Link& link, const Rate& rate,
                           const fold_options& options = {}) {
  return detail::folder<Graph, Kind, Host, Link, Rate>(g, kind, host, link, rate, options).fold();
}

// The same for the library's own graphs, which know their names. complexity: as above. errors: as above.
[[nodiscard]] inline cluster fold(const fabric_graph& g) {
  const fabric_labels& labels = g[boost::graph_bundle];
  return fold(g, get(&fabric_vertex::kind, g), get(&fabric_vertex::host, g), get(&fabric_edge::kind, g),
              get(&fabric_edge::rate, g), {labels.name, labels.gpu_model, labels.fabric, labels.hosts});
}
[[nodiscard]] inline cluster fold(const regular_fabric& g) {
  fold_options options{to_string(g.spec()), std::string(g.shape().gpu().title), g.design().fabric, {}};
  for (std::uint32_t h = 0; h < g.shape().hosts(); ++h) options.host_names.push_back(g.host_name(h));
  return fold(g, get(&fabric_vertex::kind, g), get(&fabric_vertex::host, g), get(&fabric_edge::kind, g),
              get(&fabric_edge::rate, g), options);
}

}  // namespace topoplan::inline v1
