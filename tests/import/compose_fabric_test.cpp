#include <topoplan/cluster/validate.hpp>
#include <topoplan/import/compose_fabric.hpp>
#include <topoplan/import/facts.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ib_summary.hpp"
#include "support/ib_net.hpp"

using namespace topoplan_test;
using import::cluster_parts;
using import::compose_fabric;
using import::hostfile;
using import::hosts_of;
using topoplan::cluster;
using topoplan::confidence;
using topoplan::host_id;
using topoplan::invalid_argument;

namespace {

cluster_parts parts_of(const std::string& hosts = {}, const std::string& gpu = "h100-sxm") {
  cluster_parts parts;
  parts.classes.push_back({{}, import::nvidia_smi_topo(data_file("topo/eight-rails.txt"), "eight-rails.txt")});
  if (!hosts.empty()) parts.hosts = hostfile(hosts, "hosts");
  parts.options.gpu = gpu;
  return parts;
}

cluster composed(const ib_net& net, const cluster_parts& parts) {
  const auto fabric = read_fabric(ib_net_writer(net).records(false), "net");
  auto c = compose_fabric(fabric, hosts_of(fabric), parts);
  CHECK_FALSE(validate(c));
  return c;
}

bool noted(const cluster& c, const std::string& part) {
  return std::any_of(c.notes.begin(), c.notes.end(), [&](const auto& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_SUITE_BEGIN("import/compose_fabric");

TEST_CASE("leaf groups, tiers, rails and rates come from the cables, in the order of the allocation") {
  const auto net = ib_net_of(graph_of({2, 4, 4, 1, 2}), "4xNDR");
  const auto c = composed(net, parts_of("gpu-006 gpu-001 GPU-005.x gpu-000"));
  REQUIRE(c.hosts.size() == 4);
  CHECK(c.hosts[0].name == "gpu-006");
  CHECK(c.hosts[2].name == "GPU-005.x");
  CHECK(c.hosts[0].leaf == c.hosts[2].leaf);
  CHECK(c.hosts[1].leaf == c.hosts[3].leaf);
  CHECK(c.hosts[0].leaf != c.hosts[1].leaf);
  CHECK(c.rails == 8);
  for (const auto& gpu : c.gpus) CHECK(gpu.rail == gpu.index);
  CHECK(c.domains == 4);
  CHECK(c.fabric == topoplan::fabric_kind::infiniband);
  CHECK(c.nic.rate.gigabits() == doctest::Approx(400));
  CHECK(c.nic.from.how == confidence::derived);
  CHECK(c.nvlink.from.how == confidence::catalogue);
  CHECK(c.tiers.back().nodes.size() == 1);
  CHECK(c.tiers[0].from.how == confidence::derived);
  CHECK(c.name == "eight-rails.txt + net + hosts");
}

TEST_CASE("oversubscription is that of the whole fabric, not of the hosts that the job has") {
  const auto half = ib_net_of(graph_of({2, 4, 2, 1, 1}), "4xNDR");
  const auto all = composed(half, parts_of());
  const auto some = composed(half, parts_of("gpu-001 gpu-004"));
  CHECK(all.tiers[0].oversubscription > 1);
  CHECK(some.tiers[0].oversubscription == doctest::Approx(all.tiers[0].oversubscription));
}

TEST_CASE("GPUs are in the same domains by the graph and by the parts") {
  const auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  const auto fabric = read_fabric(ib_net_writer(net).records(false), "net");
  const auto hosts = hosts_of(fabric);
  const auto parts = parts_of();
  const auto graph = fold(fabric_graph_of(fabric, hosts, parts));
  const auto c = compose_fabric(fabric, hosts, parts);
  REQUIRE(graph.gpus.size() == c.gpus.size());
  for (std::size_t g = 0; g < c.gpus.size(); ++g) CHECK(graph.gpus[g].domain == c.gpus[g].domain);
}

TEST_CASE("hosts of the fabric that no class describes don't matter when the job hasn't them") {
  auto net = ib_net_of(graph_of({1, 4, 1, 1, 1}), "4xNDR");
  for (auto& device : net.devices) {
    if (device.name.starts_with("gpu-003")) device.name.replace(0, 7, "storage");
  }
  auto parts = parts_of("gpu-000,gpu-002");
  parts.classes[0].hosts = hostfile("gpu-[000-002]", "class");
  const auto c = composed(net, parts);
  CHECK(c.hosts.size() == 2);
  parts.hosts = {};
  CHECK_THROWS_WITH_AS((void)composed(net, parts), doctest::Contains("host storage is described by none of eight-rails.txt"),
                       invalid_argument);
}

TEST_CASE("a host that the fabric lacks is named") {
  const auto net = ib_net_of(graph_of({1, 2, 1, 1, 1}), "4xNDR");
  CHECK_THROWS_WITH_AS((void)composed(net, parts_of("gpu-000\ngpu-777")), doctest::Contains("gpu-777 (hosts:2)"),
                       invalid_argument);
}

TEST_CASE("what is degraded in the fabric is said") {
  auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  net.cables.erase(net.cables.begin() + static_cast<std::ptrdiff_t>(net.between("gpu-002 mlx5_3", "leaf-su0-r3").front()));
  const auto c = composed(net, parts_of());
  CHECK(noted(c, "gpu-002"));
}

TEST_CASE("one missing adapter leaves the rails of all hosts as they are") {
  auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  for (auto& device : net.devices) {
    if (device.name == "gpu-002 mlx5_1") device.name = "other mlx5_0";
  }
  const auto c = composed(net, parts_of());
  REQUIRE(c.hosts.size() == 8);
  for (const auto& gpu : c.gpus) CHECK(gpu.rail == gpu.index);
  CHECK(noted(c, "net: host gpu-002 lacks mlx5_1, by which GPUs of eight-rails.txt send"));
  CHECK(noted(c, "1 host without most of the NICs by which GPUs send"));
  CHECK(c.nic.rate.gigabits() == doctest::Approx(400));
}

TEST_CASE("storage and login nodes of a fabric are no GPU hosts") {
  auto net = ib_net_of(graph_of({1, 4, 1, 1, 1}), "4xNDR");
  for (auto& device : net.devices) {
    if (device.name.starts_with("gpu-003 mlx5_")) device.name = "login-" + device.name.substr(13) + " mlx5_0";
  }
  const auto c = composed(net, parts_of());
  CHECK(c.hosts.size() == 3);
  CHECK(c.nic.rate.gigabits() == doctest::Approx(400));
  CHECK(noted(c, "8 hosts without most of the NICs by which GPUs send are taken for storage or login nodes and left out"));
  CHECK(noted(composed(net, parts_of("gpu-000 login-4")), "host login-4 lacks mlx5_1, mlx5_2"));
}

TEST_CASE("adapters that no GPU sends by don't count") {
  auto net = ib_net_of(graph_of({1, 4, 1, 1, 1}), "4xNDR");
  for (auto& device : net.devices) {
    if (device.name.starts_with("gpu-003 mlx5_"))
      device.name = "gpu-000 mlx5_" + std::to_string(8 + std::stoi(device.name.substr(13)));
  }
  const auto c = composed(net, parts_of());
  CHECK(c.hosts.size() == 3);
  CHECK(c.nic.rate.gigabits() == doctest::Approx(400));
  for (const auto& gpu : c.gpus) CHECK(gpu.rail == gpu.index);
}

TEST_CASE("hosts whose adapters have other names than the description are refused by name") {
  auto net = ib_net_of(graph_of({1, 4, 1, 1, 1}), "4xNDR");
  for (auto& device : net.devices) {
    if (device.name.starts_with("gpu-001 mlx5_"))
      device.name = "gpu-001 ibp" + std::to_string(24 + std::stoi(device.name.substr(13))) + "s0";
  }
  CHECK_THROWS_WITH_AS((void)composed(net, parts_of("gpu-000 gpu-001")),
                       doctest::Contains("and host gpu-001 has none of the NICs"), invalid_argument);
}

TEST_CASE("--nic against the cables") {
  const auto net = ib_net_of(graph_of({1, 2, 1, 1, 1}), "4xNDR");
  auto parts = parts_of();
  parts.options.nic_gigabits = 400;
  CHECK(composed(net, parts).nic.from.how == confidence::derived);
  parts.options.nic_gigabits = 200;
  CHECK_THROWS_WITH_AS((void)composed(net, parts),
                       "--nic and net disagree: 200 Gb/s against 400 Gb/s of the cables; leave --nic out", invalid_argument);
}

TEST_CASE("every host's facts name line and file") {
  const auto net = ib_net_of(graph_of({1, 2, 1, 1, 1}), "4xNDR");
  const auto fabric = read_fabric(ib_net_writer(net).records(false), "net");
  const auto hosts = hosts_of(fabric);
  auto parts = parts_of("gpu-001\ngpu-000");
  parts.network = network_of(fabric, hosts).tree;
  const auto facts = facts_of(parts);
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].name == "gpu-001");
  CHECK(facts[0].listed.place == "hosts:1");
  CHECK(facts[0].inside.place == "eight-rails.txt");
  CHECK(facts[0].leaf.place.starts_with("net:"));
  CHECK(facts[0].domain == import::fact{});
}

TEST_SUITE_END();
