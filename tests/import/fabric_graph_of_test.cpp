#include <topoplan/cluster/validate.hpp>
#include <topoplan/graph/fold.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/fabric_graph_of.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "ib_summary.hpp"
#include "support/ib_net.hpp"

using namespace topoplan_test;
using import::fabric_graph_of;
using import::hosts_of;
using topoplan::cluster;
using topoplan::fold;

namespace {

const import::node_topology& node() {
  static const auto read = import::nvidia_smi_topo(data_file("topo/eight-rails.txt"), "eight-rails.txt");
  return read;
}

cluster folded(const std::string& text, const import::compose_options& options = {}) {
  const auto f = read_fabric(text, "net");
  return fold(fabric_graph_of(f, hosts_of(f), node(), {}, options));
}

// Structure without names of the source: hosts, domains, rails, groups, oversubscription, NIC rate.
std::string structure_of(const cluster& c) {
  std::string out;
  for (const auto& host : c.hosts) out += host.name + '@' + std::to_string(host.leaf) + ' ';
  for (const auto& gpu : c.gpus) out += std::to_string(gpu.domain.value) + '/' + std::to_string(gpu.rail) + ' ';
  for (const auto& tier : c.tiers) {
    out += '|' + std::to_string(tier.oversubscription);
    for (const auto& one : tier.nodes) out += ' ' + std::to_string(one.parent);
  }
  return out + " rails " + std::to_string(c.rails) + " nic " + std::to_string(c.nic.rate.gigabits());
}

}  // namespace

TEST_SUITE_BEGIN("import/fabric_graph_of");

TEST_CASE("what a tool prints of a fabric folds into the cluster that it was printed from") {
  for (const auto& shape :
       {rail_fabric{2, 4, 4, 1, 1}, rail_fabric{2, 4, 4, 1, 2}, rail_fabric{3, 2, 2, 2, 8}, rail_fabric{1, 2, 1, 1, 1}}) {
    const auto graph = graph_of(shape);
    const auto net = ib_net_of(graph, "4xNDR");
    const auto expected = structure_of(fold(graph));
    const ib_net_writer writer(net);
    for (const auto& text : {writer.records(false), writer.report(), writer.link_info(false), writer.link_info(true)}) {
      const auto c = folded(text);
      CHECK_FALSE(validate(c));
      CHECK(structure_of(c) == expected);
    }
  }
}

TEST_CASE("the graph and the tree say the same: fold against compose") {
  const auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  const auto f = read_fabric(ib_net_writer(net).records(false), "net");
  const auto hosts = hosts_of(f);
  const auto by_graph = fold(fabric_graph_of(f, hosts, node()));
  const auto by_tree = import::compose(node(), network_of(f, hosts).tree);
  REQUIRE(by_graph.hosts.size() == by_tree.hosts.size());
  for (std::size_t h = 0; h < by_graph.hosts.size(); ++h) {
    CHECK(by_graph.hosts[h].name == by_tree.hosts[h].name);
    CHECK(by_graph.hosts[h].leaf == by_tree.hosts[h].leaf);
  }
  REQUIRE(by_graph.gpus.size() == by_tree.gpus.size());
  for (std::size_t g = 0; g < by_graph.gpus.size(); ++g) {
    CHECK(by_graph.gpus[g].rail == by_tree.gpus[g].rail);
    CHECK(by_graph.gpus[g].domain == by_tree.gpus[g].domain);
  }
  CHECK(by_graph.tiers.size() == by_tree.tiers.size());
  CHECK(by_graph.rails == by_tree.rails);
}

TEST_CASE("rates come from the cables, NVLink from the product") {
  const auto net = ib_net_of(graph_of({1, 2, 1, 1, 1}), "4xHDR");
  const auto c = folded(ib_net_writer(net).records(), {.gpu = "H100-SXM"});
  CHECK(c.nic.rate.gigabits() == doctest::Approx(200));
  CHECK(c.nvlink.rate.gigabytes() == doctest::Approx(450));
  CHECK(c.fabric == topoplan::fabric_kind::infiniband);
  CHECK(c.gpu_models[0].find("H100") != std::string::npos);
  const auto unknown = folded(data_file("ibnetdiscover/eight-ports.net"), {.gpu = "", .nic_gigabits = 400});
  CHECK(unknown.nic.rate.gigabits() == doctest::Approx(400));
}

TEST_CASE("a stray cable doesn't make one leaf group of two") {
  auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  const auto a = net.between("gpu-001 mlx5_0", "leaf-su0-r0").front();
  const auto b = net.between("gpu-004 mlx5_0", "leaf-su1-r0").front();
  std::swap(net.cables[a].b, net.cables[b].b);
  const auto c = folded(ib_net_writer(net).records(false));
  CHECK(c.tiers[0].nodes.size() == 2);
  CHECK_FALSE(validate(c));
}

TEST_CASE("domains over several hosts come from their table") {
  const auto net = ib_net_of(graph_of({1, 4, 1, 1, 1}), "4xNDR");
  const auto f = read_fabric(ib_net_writer(net).records(false), "net");
  import::domain_table table;
  table.source = "domains.txt";
  table.domains.resize(2);
  for (std::uint32_t h = 0; h < 4; ++h) table.hosts.push_back({"GPU-00" + std::to_string(h), h / 2, {}, 0, 0, h + 1});
  const auto c = fold(fabric_graph_of(f, hosts_of(f), node(), table));
  CHECK(c.domains == 2);
  CHECK(c.gpus[0].domain == c.gpus[15].domain);
  CHECK(c.gpus[0].domain != c.gpus[16].domain);
  table.hosts.pop_back();
  CHECK_THROWS_WITH_AS((void)fabric_graph_of(f, hosts_of(f), node(), table),
                       "host gpu-003 of net is not in domains.txt, which gives the NVLink domains", topoplan::invalid_argument);
}

TEST_CASE("a node that doesn't fit the fabric is refused") {
  const auto net = ib_net_of(graph_of({1, 2, 1, 1, 1}), "4xNDR");
  auto renamed = net;
  for (auto& device : renamed.devices) {
    if (const auto at = device.name.find(" mlx5_"); at != std::string::npos) device.name.replace(at, 6, " other-");
  }
  const auto f = read_fabric(ib_net_writer(renamed).records(), "net");
  CHECK_THROWS_WITH_AS(
      (void)fabric_graph_of(f, hosts_of(f), node()),
      doctest::Contains("eight-rails.txt and net disagree: GPU0 sends by mlx5_0, and host gpu-000 has none of the "
                        "NICs that GPUs send by; in the fabric it has other-0"),
      topoplan::invalid_argument);
}

TEST_SUITE_END();
