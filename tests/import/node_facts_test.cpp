#include <topoplan/cluster/validate.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/node_facts.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "summary.hpp"

using namespace topoplan_test;
using import::gpu_inventory;
using import::nic_inventory;
using import::node_topology;
using import::nvlink_status;
using topoplan::cluster;
using topoplan::gigabits_per_second;
using topoplan::gpu_health;
using topoplan::invalid_argument;

namespace {

node_topology eight() { return import::nvidia_smi_topo(data_file("topo/eight-rails.txt"), "topo.txt"); }

gpu_inventory inventory(std::size_t gpus) {
  gpu_inventory all;
  all.source = "q.txt";
  all.attached = static_cast<std::uint32_t>(gpus);
  for (std::size_t g = 0; g < gpus; ++g) {
    import::inventory_gpu gpu;
    gpu.pci = "0000:" + std::to_string(10 + g) + ":00.0";
    gpu.uuid = "GPU-" + std::to_string(g);
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.line = 10 * g + 1;
    all.gpus.push_back(gpu);
  }
  return all;
}

// Ports of the node's NICs, all active InfiniBand at 400 Gb/s.
nic_inventory ports_of(const node_topology& node) {
  nic_inventory nics;
  nics.source = "ibstat.txt";
  for (std::size_t i = 0; i < node.nics.size(); ++i) {
    import::nic_device device;
    device.name = node.nics[i].device;
    device.type = "MT4129";
    device.line = 20 * i + 1;
    import::nic_port port;
    port.state = import::port_state::active;
    port.rate = gigabits_per_second(400);
    port.layer = import::link_layer::infiniband;
    port.line = device.line + 5;
    device.ports.push_back(port);
    nics.devices.push_back(device);
  }
  return nics;
}

cluster composed(node_topology node, const std::string& gpu = {}) {
  import::cluster_parts parts;
  parts.classes.push_back({{}, std::move(node)});
  parts.hosts = import::hostfile("a", "hosts");
  parts.options.gpu = gpu;
  auto c = compose(parts);
  CHECK_FALSE(validate(c));
  return c;
}

std::string notes_of(const cluster& c) {
  std::string out;
  for (const auto& note : c.notes) out += note + '\n';
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("import/node_facts");

TEST_CASE("nvidia-smi -q names the product, the addresses and the UUIDs") {
  const auto c = composed(with_gpus(eight(), inventory(8)));
  CHECK(c.gpu_models.front() == "H100-SXM 80GB");
  CHECK(c.nvlink.from.how == topoplan::confidence::catalogue);
  REQUIRE(c.uuid.size() == 8);
  CHECK(c.uuid[3] == "GPU-3");
  CHECK(c.pci[7] == "0000:17:00.0");
}

TEST_CASE("GPUs are matched by address where the node knows addresses, else by order") {
  auto node = eight();
  auto facts = inventory(8);
  std::reverse(facts.gpus.begin(), facts.gpus.end());
  CHECK(with_gpus(node, facts).gpus[0].uuid == "GPU-7");
  for (std::size_t g = 0; g < 8; ++g) node.gpus[g].pci = "0000:" + std::to_string(10 + g) + ":00.0";
  CHECK(with_gpus(node, facts).gpus[0].uuid == "GPU-0");
  facts.gpus[2].pci = "0000:99:00.0";
  CHECK_THROWS_WITH_AS((void)with_gpus(node, facts), "q.txt:51 and topo.txt disagree: GPU 0000:99:00.0 is only there",
                       invalid_argument);
}

TEST_CASE("a GPU in MIG mode, or whose fabric isn't ready, takes no rank") {
  auto facts = inventory(8);
  facts.gpus[2].mig = import::gpu_mode::on;
  facts.gpus[5].fabric.state = import::fabric_state::in_progress;
  const auto c = composed(with_gpus(eight(), facts));
  for (std::size_t g = 0; g < 8; ++g) CHECK((c.gpus[g].health == gpu_health::ok) == (g != 2 && g != 5));
  CHECK(notes_of(c).find("topo.txt: GPU2 takes no rank: it is in MIG mode") != std::string::npos);
  import::cluster_parts two;
  two.classes.push_back({{}, with_gpus(eight(), facts)});
  two.hosts = import::hostfile("a b", "hosts");
  CHECK(notes_of(compose(two)).find("GPU2 of each of the 2 hosts like it takes no rank") != std::string::npos);
  CHECK(notes_of(c).find("GPU5 takes no rank: it is still registering with its NVLink fabric") != std::string::npos);
}

TEST_CASE("GPUs that two inputs count differently are refused") {
  CHECK_THROWS_WITH_AS((void)with_gpus(eight(), inventory(4)), "q.txt and topo.txt disagree: 4 GPUs there, 8 GPUs here",
                       invalid_argument);
  CHECK_THROWS_AS((void)with_gpus(eight(), inventory(9)), invalid_argument);
  auto cut = inventory(3);
  cut.attached = 8;
  const auto node = with_gpus(eight(), cut);
  CHECK(node.gpus[0].uuid.empty());
  CHECK(node.other_notes.size() == 1);
}

TEST_CASE("models that disagree are named") {
  CHECK_THROWS_WITH_AS((void)composed(with_gpus(eight(), inventory(8)), "a100-sxm-80gb"),
                       doctest::Contains("--gpu and q.txt disagree"), invalid_argument);
  auto mixed = inventory(8);
  mixed.gpus[1].model = "NVIDIA A100-SXM4-80GB";
  CHECK_THROWS_WITH_AS((void)composed(with_gpus(eight(), mixed)), doctest::Contains("several models"), invalid_argument);
  nvlink_status status;
  status.source = "nvlink.txt";
  import::nvlink_gpu gpu;
  gpu.model = "NVIDIA H200";
  gpu.line = 4;
  status.gpus.push_back(gpu);
  CHECK_THROWS_WITH_AS((void)with_nvlinks(with_gpus(eight(), inventory(8)), status), doctest::Contains("nvlink.txt:4 and"),
                       invalid_argument);
  auto unknown = inventory(8);
  for (auto& g : unknown.gpus) g.model = "NVIDIA X1 Prototype";
  const auto c = composed(with_gpus(eight(), unknown));
  CHECK(c.gpu_models.front() == "NVIDIA X1 Prototype");
  CHECK(c.nvlink.from.how == topoplan::confidence::assumed);
}

TEST_CASE("ibstat gives rates, and says what is down, slow or missing") {
  const auto node = eight();
  REQUIRE(node.nics.size() >= 8);
  CHECK(composed(with_nics(node, ports_of(node))).nic.from.how == topoplan::confidence::derived);
  CHECK(composed(with_nics(node, ports_of(node))).fabric == topoplan::fabric_kind::infiniband);
  auto nics = ports_of(node);
  nics.devices[1].ports[0].state = import::port_state::down;
  nics.devices[1].ports[0].rate.reset();
  nics.devices[1].ports[0].physical = "Polling";
  nics.devices[2].ports[0].rate = gigabits_per_second(200);
  const auto gone = nics.devices[3].name;
  nics.devices.erase(nics.devices.begin() + 3);
  const auto degraded = with_nics(node, nics);
  const auto c = composed(degraded);
  CHECK(notes_of(c).find("ibstat.txt:26: " + node.nics[1].device + " is down (Polling)") != std::string::npos);
  CHECK(notes_of(c).find("ibstat.txt:46: " + node.nics[2].device + " runs at 200 of 400 Gb/s") != std::string::npos);
  CHECK(notes_of(c).find("ibstat.txt: " + gone + " of topo.txt isn't listed") != std::string::npos);
  CHECK(degraded.nics[1].rate->value == 0);
}

TEST_CASE("the slowest rail is what a GPU can count on") {
  const auto node = eight();
  auto nics = ports_of(node);
  nics.devices[2].ports[0].rate = gigabits_per_second(200);
  CHECK(composed(with_nics(node, nics)).nic.rate.gigabits() == doctest::Approx(200));
}

TEST_CASE("Ethernet ports are RoCE, other hosts' devices are refused") {
  const auto node = eight();
  auto nics = ports_of(node);
  for (auto& device : nics.devices) device.ports[0].layer = import::link_layer::ethernet;
  CHECK(with_nics(node, nics).fabric == topoplan::fabric_kind::roce);
  for (auto& device : nics.devices) device.name += "x";
  CHECK_THROWS_WITH_AS((void)with_nics(node, nics), doctest::Contains("ibstat.txt:1 and topo.txt disagree: no NIC of one is in"),
                       invalid_argument);
}

TEST_CASE("NVLinks that carry no traffic are said") {
  nvlink_status status;
  status.source = "nvlink.txt";
  for (std::uint32_t g = 0; g < 8; ++g) {
    import::nvlink_gpu gpu;
    gpu.index = g;
    gpu.line = 20 * g + 1;
    gpu.answer = import::nvlink_answer::listed;
    for (std::uint32_t l = 0; l < 18; ++l) gpu.links.push_back({l, topoplan::gigabytes_per_second(26.562)});
    status.gpus.push_back(gpu);
  }
  CHECK(with_nvlinks(eight(), status).other_notes.empty());
  for (std::size_t l = 0; l < 6; ++l) status.gpus[4].links[l].rate.reset();
  status.gpus[6].answer = import::nvlink_answer::mig;
  const auto node = with_nvlinks(eight(), status);
  REQUIRE(node.other_notes.size() == 2);
  CHECK(node.other_notes[0] == "nvlink.txt:81: GPU4 has 12 active NVLinks, and topo.txt shows NV18");
  CHECK(node.gpus[6].fault == "in MIG mode");
  status.gpus.push_back(status.gpus.back());
  CHECK_THROWS_AS((void)with_nvlinks(eight(), status), invalid_argument);
}

TEST_CASE("GPUs without a name aren't one model where their NVLinks differ") {
  auto slow = eight();
  slow.source = "slow.txt";
  for (auto& p : slow.paths) {
    if (p.kind == import::path_kind::nvlink) p.nvlinks = 12;
  }
  import::cluster_parts parts;
  parts.classes.push_back({import::hostfile("a", "class"), eight()});
  parts.classes.push_back({import::hostfile("b", "class"), slow});
  parts.hosts = import::hostfile("a b", "hosts");
  const auto c = compose(parts);
  CHECK(c.gpu_models == std::vector<std::string>{"unknown GPU", "unknown GPU of slow.txt"});
  CHECK(c.hosts[0].model != c.hosts[1].model);
}

TEST_CASE("rates of some NICs stand for the others, and uneven ones are said") {
  const auto node = eight();
  auto nics = ports_of(node);
  nics.devices.pop_back();
  CHECK(composed(with_nics(node, nics)).nic.from.how == topoplan::confidence::derived);
  nics.devices[0].ports[0].rate = gigabits_per_second(100);
  const auto c = composed(with_nics(node, nics));
  CHECK(c.nic.rate.gigabits() == doctest::Approx(100));
  CHECK(notes_of(c).find("topo.txt: the NICs that GPUs send by run at 100 to 400 Gb/s") != std::string::npos);
}

TEST_CASE("hosts of several classes: each its inside, the lowest rates for all") {
  const auto small = import::nvidia_smi_topo(data_file("topo/pairs-annotated.txt"), "small.txt");
  import::cluster_parts parts;
  parts.classes.push_back({{}, with_gpus(eight(), inventory(8))});
  parts.classes.push_back({import::hostfile("b,C", "class"), small});
  parts.hosts = import::hostfile("a b c.x d", "hosts");
  const auto c = compose(parts);
  CHECK_FALSE(validate(c));
  CHECK(c.hosts[0].gpu_count == 8);
  CHECK(c.hosts[1].gpu_count == small.gpus.size());
  CHECK(c.hosts[2].gpu_count == small.gpus.size());
  CHECK(c.hosts[3].gpu_count == 8);
  CHECK(c.gpu_models == std::vector<std::string>{"H100-SXM 80GB", "unknown GPU"});
  CHECK(c.hosts[1].model == 1);
  CHECK(c.nvlink.rate < topoplan::gigabytes_per_second(450));
  CHECK(notes_of(c).find("NVLink isn't equally fast on all hosts") != std::string::npos);
  CHECK(c.uuid.empty());
  parts.hosts = import::hostfile("a d", "hosts");
  const auto one = compose(parts);
  CHECK(one.nvlink.rate.gigabytes() == doctest::Approx(450));
  CHECK(one.gpu_models.size() == 1);
  CHECK(notes_of(one).find("small.txt: no host of the cluster looks like it: none of b... is in hosts") != std::string::npos);
  parts.hosts = import::hostfile("a b c.x d", "hosts");
  parts.classes[0].hosts = import::hostfile("a", "class");
  CHECK_THROWS_WITH_AS((void)compose(parts), doctest::Contains("host d is described by none of topo.txt, small.txt"),
                       invalid_argument);
  parts.classes[0].hosts = import::hostfile("a b d", "class");
  CHECK_THROWS_WITH_AS((void)compose(parts), "host b is described by topo.txt and by small.txt", invalid_argument);
  parts.classes[0].hosts = parts.classes[1].hosts = {};
  CHECK_THROWS_WITH_AS((void)compose(parts), doctest::Contains("both describe every host"), invalid_argument);
  parts.classes.clear();
  CHECK_THROWS_WITH_AS((void)compose(parts), "no description of a node (--node-topology)", invalid_argument);
}

TEST_SUITE_END();
