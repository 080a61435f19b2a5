// Reads NCCL graph XML (NCCL_GRAPH_DUMP_FILE): the channels that NCCL chose for one communicator. It describes no hardware.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/xml.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// What a channel passes: a GPU or a NIC, by NCCL's own number.
struct nccl_hop {
  bool net = false;
  std::uint32_t dev = 0;

  friend bool operator==(const nccl_hop&, const nccl_hop&) = default;
};

// One search result. `pattern` is NCCL's number: 1 balanced tree, 2 split tree, 3 tree, 4 ring, 5 NVLS, 6 CollNet direct.
struct nccl_graph {
  std::uint32_t id = 0;
  std::uint32_t pattern = 0;
  std::uint32_t nchannels = 0;  // what the file promises; 0: NCCL found none
  std::string typeintra;        // LOC, NVL, PIX, ..., SYS
  std::string typeinter;
  std::vector<std::vector<nccl_hop>> channels;  // each in the order of the traffic
  std::size_t line = 0;

  friend bool operator==(const nccl_graph&, const nccl_graph&) = default;
};

// A plain value.
struct nccl_graphs {
  std::string source;
  std::vector<nccl_graph> graphs;  // in the order of the file
  std::vector<note> notes;
};

namespace detail {

[[nodiscard]] inline std::vector<nccl_hop> nccl_channel_of(const xml_document& document, xml_node channel) {
  std::vector<nccl_hop> hops;
  for (const xml_node hop : children_of(channel)) {
    const bool net = is_named(hop, "net");
    if (!net && !is_named(hop, "gpu")) continue;
    const auto dev = document.numeric(hop, "dev");
    if (!dev) throw parse_error(document.where(hop), std::string("a number as dev of <") + hop.name() + ">", "none");
    hops.push_back({net, *dev});
  }
  return hops;
}

[[nodiscard]] inline nccl_graph nccl_graph_of(const xml_document& document, xml_node element) {
  nccl_graph graph;
  graph.line = document.line(element);
  graph.id = document.numeric(element, "id").value_or(0);
  graph.pattern = document.numeric(element, "pattern").value_or(0);
  graph.typeintra = document.printable(element, attribute(element, "typeintra"));
  graph.typeinter = document.printable(element, attribute(element, "typeinter"));
  for (const xml_node channel : children_of(element)) {
    if (is_named(channel, "channel")) graph.channels.push_back(nccl_channel_of(document, channel));
  }
  graph.nchannels = document.numeric(element, "nchannels").value_or(static_cast<std::uint32_t>(graph.channels.size()));
  return graph;
}

}  // namespace detail

// Reads the graphs of a communicator.
// post: channels hold GPUs and NICs in the order of the file; a graph that lists other than nchannels channels has a note.
// complexity: O(text). errors: parse_error for text that isn't one well-formed <graphs> document of version 1, for an id twice,
// and
//   for a hop without a number; a topology XML is refused by name.
[[nodiscard]] inline nccl_graphs nccl_graph_xml(std::string_view text, std::string source) {
  const detail::xml_document document(text, std::move(source));
  document.require_root("graphs", "an NCCL graph XML (<graphs>)");
  const auto root = document.root();
  if (const auto version = document.numeric(root, "version"); version && *version != 1) {
    throw parse_error(document.where(root), "version 1", "version " + std::to_string(*version));
  }
  nccl_graphs read;
  read.source = document.source();
  for (const auto element : detail::children_of(root)) {
    if (!detail::is_named(element, "graph")) continue;
    auto graph = detail::nccl_graph_of(document, element);
    const auto same =
        std::find_if(read.graphs.begin(), read.graphs.end(), [&](const auto& other) { return other.id == graph.id; });
    if (same != read.graphs.end()) {
      throw parse_error(document.where(element), "each graph id once",
                        "id " + std::to_string(graph.id) + " as in line " + std::to_string(same->line));
    }
    if (graph.nchannels != graph.channels.size()) {
      read.notes.push_back({graph.line, "graph " + std::to_string(graph.id) + " promises " + std::to_string(graph.nchannels) +
                                            " channels and lists " + std::to_string(graph.channels.size())});
    }
    read.graphs.push_back(std::move(graph));
  }
  if (read.graphs.empty()) throw parse_error(document.where(root), "a <graph> in <graphs>", "none");
  return read;
}

}  // namespace topoplan::inline v1::import
