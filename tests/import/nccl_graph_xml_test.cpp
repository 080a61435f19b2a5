#include <topoplan/import/nccl_graph_xml.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::nccl_graph_xml;
using topoplan::parse_error;

namespace {

// "4:2 1:0": pattern and channels listed, where the file promises as many.
std::string graphs_of(const import::nccl_graphs& read) {
  std::string out;
  for (const auto& graph : read.graphs) {
    out += (out.empty() ? "" : " ") + std::to_string(graph.pattern) + ":" + std::to_string(graph.channels.size());
    if (graph.nchannels != graph.channels.size()) out += "!" + std::to_string(graph.nchannels);
  }
  return out;
}

std::string hops_of(const std::vector<import::nccl_hop>& channel) {
  std::string out;
  for (const auto& hop : channel)
    out += (out.empty() ? "" : " ") + std::string(hop.net ? "net" : "gpu") + std::to_string(hop.dev);
  return out;
}

}  // namespace

TEST_CASE("channels in the order of the file; a graph without any; a promise not kept") {
  const auto read = nccl_graph_xml(data_file("nccl_graph/ring_and_empty.xml"), "graph.xml");
  CHECK(graphs_of(read) == "4:1!2 3:0");
  CHECK(hops_of(read.graphs[0].channels[0]) == "net3 gpu0 gpu1 net0");
  CHECK(read.graphs[0].typeintra == "SYS");
  CHECK(read.graphs[0].typeinter == "PIX");
  CHECK(has_note(read.notes, "graph 0 promises 2 channels and lists 1", 2));
}

TEST_CASE("what isn't a graph is refused by name") {
  CHECK_THROWS_WITH_AS(static_cast<void>(nccl_graph_xml("<system version=\"1\"><cpu/></system>", "s")),
                       doctest::Contains("found an NCCL topology XML (<system>)"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(nccl_graph_xml("<graphs version=\"2\"/>", "s")),
                       doctest::Contains("version 1, found version 2"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(nccl_graph_xml("<graphs version=\"1\"/>", "s")),
                       doctest::Contains("a <graph> in <graphs>"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(nccl_graph_xml("<graphs>\n<graph id=\"1\"/>\n<graph id=\"1\"/></graphs>", "s")),
                       doctest::Contains("s:3:1: expected each graph id once, found id 1 as in line 2"), parse_error);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(nccl_graph_xml("<graphs><graph id=\"1\"><channel><gpu/></channel></graph></graphs>", "s")),
      doctest::Contains("a number as dev of <gpu>"), parse_error);
}

TEST_CASE("damaged files") {
  check_survives([](const std::string& text, const std::string& source) { return nccl_graph_xml(text, source); },
                 data_file("nccl_graph/ring_and_empty.xml"));
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  const auto read = [](const std::string& name) {
    return nccl_graph_xml(import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/nccl-graph-xml/" + name), name);
  };
  const auto azure = read("azure-ncv4-graph.xml");
  CHECK(graphs_of(azure) == "4:2 1:4 3:4");
  for (const auto& graph : azure.graphs) {
    for (const auto& channel : graph.channels) {
      CHECK(channel.size() == 4);
      CHECK(hops_of(channel).find("net") == std::string::npos);
    }
  }
  const auto zero = read("nccl-1406-2gpu-net-zero-channels.xml");
  CHECK(graphs_of(zero) == "4:1 3:1 3:0 5:0");
  CHECK(hops_of(zero.graphs[0].channels[0]) == "net0 gpu0 net0");
  const auto older = read("nccl-524-4gpu-net3-no-latency.xml");
  CHECK(graphs_of(older) == "4:2 3:2 3:0");
  CHECK(hops_of(older.graphs[0].channels[0]) == "net3 gpu0 gpu1 gpu2 gpu3 net0");
}
