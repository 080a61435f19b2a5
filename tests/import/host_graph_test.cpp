#include <topoplan/graph/fold.hpp>
#include <topoplan/import/host_graph.hpp>
#include <topoplan/import/hwloc_xml.hpp>
#include <topoplan/import/nccl_topology_xml.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"

using namespace topoplan_test;
using import::host_graph_of;
using import::hwloc_xml;
using import::nccl_topology_hosts_xml;
using import::nccl_topology_xml;
using topoplan::gigabytes_per_second;
using topoplan::vertex_kind;

namespace {

std::size_t count(const topoplan::fabric_graph& g, vertex_kind kind) {
  std::size_t found = 0;
  for (std::uint32_t v = 0; v < num_vertices(g); ++v) found += g[v].kind == kind ? 1U : 0U;
  return found;
}

std::string domains_of(const topoplan::cluster& c) {
  std::vector<std::string> all;
  for (const auto& gpu : c.gpus) all.push_back(std::to_string(gpu.domain.value));
  return runs(all);
}

std::string read(const std::string& name) { return import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/" + name); }

}  // namespace

TEST_CASE("a host whose NVSwitches aren't in the file folds into one domain") {
  const auto host = nccl_topology_xml(data_file("nccl/nvswitch_outside.xml"), "n.xml");
  const auto g = host_graph_of(host, "dgx", gigabytes_per_second(25));
  CHECK(count(g, vertex_kind::gpu) == 2);
  CHECK(count(g, vertex_kind::nvswitch) == 2);
  CHECK(count(g, vertex_kind::nic) == 2);
  CHECK(count(g, vertex_kind::host_bridge) == 2);
  const auto c = fold(g);
  CHECK(c.hosts.front().name == "dgx");
  CHECK(domains_of(c) == "0x2");
  CHECK(c.nvlink.rate.gigabytes() == doctest::Approx(150));
  CHECK_THROWS_WITH_AS(static_cast<void>(host_graph_of(host, "dgx")), doctest::Contains("that of one link must be given"),
                       topoplan::invalid_argument);
}

TEST_CASE("hosts of one file share the NVSwitches that stand in none of them") {
  const auto hosts = nccl_topology_hosts_xml(data_file("nccl/two_hosts.xml"), "n.xml");
  const std::vector<std::string> names = {"tray-1", "tray-2"};
  const auto g = host_graph_of(hosts, names, gigabytes_per_second(50));
  CHECK(count(g, vertex_kind::nvswitch) == 1);
  const auto c = fold(g);
  CHECK(c.hosts.size() == 2);
  CHECK(domains_of(c) == "0x3");
  CHECK_THROWS_AS(static_cast<void>(host_graph_of(hosts, std::vector<std::string>{"one"}, gigabytes_per_second(50))),
                  topoplan::invalid_argument);
}

TEST_CASE("hwloc's bandwidths are the rates; pairs without links between them are domains of their own") {
  const auto c = fold(host_graph_of(hwloc_xml(data_file("hwloc/small.xml"), "h.xml"), "four"));
  CHECK(domains_of(c) == "0x2 1x2");
  CHECK(c.nvlink.rate.gigabytes() == doctest::Approx(75));
}

TEST_CASE("the reference files fold") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  const auto h100 =
      host_graph_of(nccl_topology_xml(read("nccl-topo-xml/oci-h100-topology.xml"), "oci"), "oci", gigabytes_per_second(25));
  CHECK(count(h100, vertex_kind::nvswitch) == 4);
  CHECK(domains_of(fold(h100)) == "0x8");
  CHECK(fold(h100).nvlink.rate.gigabytes() == doctest::Approx(450));
  const auto hives = fold(
      host_graph_of(nccl_topology_xml(read("nccl-topo-xml/rccl-collnet_n4.xml"), "hives"), "hives", gigabytes_per_second(50)));
  CHECK(domains_of(hives) == "0x4 1x4");
  const auto dgx2 = host_graph_of(hwloc_xml(read("hwloc/dgx2-16gpu-12nvswitch.xml"), "dgx2"), "dgx2");
  CHECK(count(dgx2, vertex_kind::nvswitch) == 12);
  CHECK(domains_of(fold(dgx2)) == "0x16");
  CHECK(fold(dgx2).nvlink.rate.gigabytes() == doctest::Approx(150));
}
