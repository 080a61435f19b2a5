#include <topoplan/import/compose.hpp>
#include <topoplan/import/device_paths.hpp>
#include <topoplan/import/nccl_topology_xml.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::device_kind;
using import::host_devices;
using import::nccl_topology_hosts_xml;
using import::nccl_topology_xml;
using import::node_topology_of;
using topoplan::parse_error;

namespace {

host_devices small(const std::string& name) { return nccl_topology_xml(data_file("nccl/" + name), name); }

std::size_t count(const host_devices& host, device_kind kind) { return devices_of(host, kind).size(); }

const import::host_device& first(const host_devices& host, device_kind kind) {
  return host.devices[devices_of(host, kind).front()];
}

void check_tree(const host_devices& host) {
  bool sound = true;
  for (std::size_t d = 0; d < host.devices.size(); ++d) sound = sound && (!host.devices[d].parent || *host.devices[d].parent < d);
  for (const auto& bundle : host.nvlinks) sound = sound && bundle.a < bundle.b && bundle.b < host.devices.size();
  CHECK(sound);
}

struct expectation {
  std::string_view file;
  std::string_view kinds;  // NUMA nodes, bridges, GPUs, NICs, NVSwitches, unclear devices
  std::string_view pairs;
  std::string_view groups;
  std::string_view nvlink;
  std::string_view nics;
  std::string_view nearest;
  std::string_view numa;
};

std::string kinds_of(const host_devices& host) {
  std::string out;
  for (const auto kind : {device_kind::numa_node, device_kind::pci_bridge, device_kind::gpu, device_kind::nic,
                          device_kind::nvswitch, device_kind::unclear}) {
    out += (out.empty() ? "" : " ") + std::to_string(count(host, kind));
  }
  return out;
}

constexpr std::string_view four_pix = "PIX:0 PIX:1 PIX:2 PIX:3 PIX:4 PIX:5 PIX:6 PIX:7";
constexpr std::string_view eight_unnamed = "NIC0? NIC1? NIC2? NIC3? NIC4? NIC5? NIC6? NIC7?";
constexpr std::string_view eight_mlx = "mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7";

}  // namespace

TEST_CASE("a live dump: NVSwitches outside the file, two ports, a virtual NIC, a link lost") {
  const auto host = small("nvswitch_outside.xml");
  check_tree(host);
  CHECK(kinds_of(host) == "2 1 2 3 2 0");
  CHECK(host.host == "0x1f3a");
  CHECK(host.nvlinks_given);
  const auto& nic = first(host, device_kind::nic);
  CHECK(nic.name == "mlx5_0");
  CHECK(nic.pci == "0000:0c:00.0");
  CHECK(nic.id == "0xa088c20300000010");
  CHECK(nic.network->gigabits() == doctest::Approx(400));
  CHECK(nic.pcie->gigabytes() == doctest::Approx(63.015).epsilon(0.001));
  CHECK(nic.line == 15);
  const auto& nvswitch = first(host, device_kind::nvswitch);
  CHECK(nvswitch.pci == "0000:b8:00.0");
  CHECK(!nvswitch.parent);

  const auto node = node_topology_of(host);
  CHECK(pairs_of(node) == "NV5:1");
  CHECK(node.gpus[0].name == "GPU0");
  CHECK(node.gpus[0].pci == "0000:8f:00.0");
  CHECK(cpus_of(node) == "8-15 0-7");
  CHECK(numa_of(node) == "1 0");
  CHECK(nics_of(node) == "mlx5_0 mlx5_1");
  CHECK(nearest_of(node) == "SYS:0,1 PIX:0,1");
  CHECK(node.between_nics(0, 1).kind == import::path_kind::pix);
  CHECK(has_note(node.notes, "has 5 NVLinks, another GPU of this host 6", 6));
  CHECK(has_note(node.notes, "don't follow their PCI addresses", 6));
  CHECK(has_note(node.notes, "mlx5_1 has no speed", 16));
  CHECK(has_note(node.notes, "eth9 is no PCI device", 21));
  CHECK(has_note(node.notes, "NVSwitches known from the NVLinks to them only: 2", 0));
}

TEST_CASE("a mesh: the lesser of two counts, a link that one side tells, a GPU that isn't there, a CPU's end") {
  const auto host = small("mesh.xml");
  check_tree(host);
  const auto node = node_topology_of(host);
  CHECK(kinds_of(host) == "1 0 3 0 0 0");
  CHECK(pairs_of(node) == "NV1:1 NV2:1 PHB:1");
  CHECK(groups_of(node) == "0,1,2 mesh");
  CHECK(has_note(node.notes, "2 NVLinks to 0000:85:00.0, a GPU that isn't in the file", 7));
  CHECK(has_note(node.notes, "the lesser number counts", 12));
  CHECK(has_note(node.notes, "only GPU0 (0000:06:00.0) names the NVLinks between it and GPU2", 6));
}

TEST_CASE("a virtual machine hides the NVSwitch's address") {
  const auto host = small("hidden_switch.xml");
  const auto node = node_topology_of(host);
  CHECK(kinds_of(host) == "1 0 2 0 1 0");
  CHECK(first(host, device_kind::nvswitch).pci.empty());
  CHECK(pairs_of(node) == "NV12:1");
  CHECK(numa_of(node) == "?x2");
}

TEST_CASE("several hosts of one communicator") {
  const auto text = data_file("nccl/two_hosts.xml");
  const auto hosts = nccl_topology_hosts_xml(text, "two");
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].host == "0xaa01");
  CHECK(count(hosts[0], device_kind::gpu) == 2);
  CHECK(count(hosts[1], device_kind::gpu) == 1);
  CHECK(pairs_of(node_topology_of(hosts[0])) == "NV18:1");
  CHECK_THROWS_WITH_AS(static_cast<void>(nccl_topology_xml(text, "two")),
                       doctest::Contains("two:10: expected one host, found 2 hosts"), parse_error);
}

TEST_CASE("files that clouds ship") {
  const auto by_class = small("cloud_by_class.xml");
  check_tree(by_class);
  CHECK(kinds_of(by_class) == "1 1 2 1 0 0");
  const auto node = node_topology_of(by_class);
  CHECK(nvlink_of(node) == "unknown");
  CHECK(node.gpus[0].pci == "0000:0f:00.0");
  CHECK(node.nics[0].pci == "0000:0c:00.0");
  CHECK(pairs_of(node) == "PIX:1");
  CHECK(cpus_of(node) == "48-51x2");  // a short word of the mask has leading zeros
  CHECK(has_note(node.notes, "their indices and NVLinks aren't in the file", 5));

  const auto bare = small("cloud_without_class.xml");
  CHECK(kinds_of(bare) == "1 1 0 0 0 2");
  CHECK(has_note(bare.notes, "2 PCI devices without a class", 4));
  CHECK_THROWS_WITH_AS(static_cast<void>(node_topology_of(bare)),
                       doctest::Contains("expected GPUs, found none, but 2 PCI devices of which"), parse_error);
}

TEST_CASE("RCCL's xGMI stands where NVLink would, and is named") {
  const auto host = small("xgmi.xml");
  CHECK(pairs_of(node_topology_of(host)) == "NV1:1");
  CHECK(has_note(host.notes, "AMD GPUs, described by RCCL", 4));
}

TEST_CASE("what isn't a topology is refused by name and place") {
  const auto refuse = [](const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(nccl_topology_xml(text, "t.xml")), doctest::Contains(message), parse_error);
  };
  refuse("", "t.xml:1:1: expected well-formed XML, found an empty text");
  refuse("plain text", "expected");
  refuse("<system version=\"1\">\n  <cpu numaid=\"0\" aff", "t.xml:2:");
  refuse("<system version=\"1\">\n  <cpu numaid=\"0\" aff", "the file was cut");
  refuse("<graphs version=\"1\"/>", "found an NCCL graph XML (<graphs>), which lists the channels");
  refuse("<nvidia_smi_log/>", "`nvidia-smi -q -x`");
  refuse("<topology/>", "an hwloc XML");
  refuse("<house/>", "a document of 'house'");
  refuse("<system version=\"1\"/>", "a <cpu> in <system>, found none");
  refuse("<system version=\"9\"><cpu/></system>", "version 1 (NCCL) or 2 (RCCL), found version 9");
  refuse("<system><cpu numaid=\"x\"/></system>", "as numaid of <cpu>, found 'x'");
  refuse("<system><cpu affinity=\"zz\"/></system>", "a mask of CPUs");
  refuse("<system><cpu numaid=\"0\"/>\n<cpu numaid=\"0\"/></system>", "t.xml:2:1: expected each NUMA node once");
  refuse("<system><cpu><pci busid=\"1b\"/></cpu></system>", "a PCI address such as");
  refuse("<system><cpu><pci busid=\"0:1:0.0\"/>\n<pci busid=\"0000:01:00.0\"/></cpu></system>",
         "each PCI device once, found 0000:01:00.0 as in line 1");
  refuse("<system><cpu><pci busid=\"0:1:0.0\"><gpu dev=\"0\"><nvlink target=\"0:1:0.0\" count=\"1\"/></gpu></pci></cpu></system>",
         "to itself");
  refuse(
      "<system><cpu><pci busid=\"0:1:0.0\"><gpu dev=\"0\"><nvlink target=\"0:2:0.0\" count=\"none\"/></gpu></pci></cpu></system>",
      "count");
  refuse("<system><cpu><pci busid=\"0:1:0.0\"><gpu dev=\"0\"/></pci><pci busid=\"0:2:0.0\"><gpu dev=\"0\"/></pci></cpu></system>",
         "each GPU once, found dev 0");
  refuse("<system><cpu/></system><system><cpu/></system>", "one XML document");
}

TEST_CASE("damaged files") {
  for (const auto* name : {"nvswitch_outside.xml", "mesh.xml", "two_hosts.xml", "cloud_by_class.xml"}) {
    INFO(name);
    check_survives(
        [](const std::string& text, const std::string& source) {
          for (const auto& host : nccl_topology_hosts_xml(text, source)) check_tree(host);
          return node_topology_of(nccl_topology_xml(text, source));
        },
        data_file(std::string("nccl/") + name));
  }
}

TEST_CASE("a dump goes through compose: domains, rails, rates") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  const auto file = std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/nccl-topo-xml/oci-h100-topology.xml";
  const auto node = node_topology_of(nccl_topology_xml(import::read_file(file), "oci"));
  const auto cluster = compose(node, {}, {"hosts", {{"a", 1, {}}, {"b", 2, {}}}}, {"h100-sxm", 200});
  CHECK(cluster.gpus.size() == 16);
  CHECK(cluster.domains == 2);
  CHECK(cluster.rails == 8);
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  const std::string folder = std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/nccl-topo-xml/";
  const std::vector<expectation> files = {
      {"aws-p4d-24xl-topo.xml", "2 4 8 4 0 0", "PHB:8 PIX:4 SYS:16", "", "unknown", "NIC0? NIC1? NIC2? NIC3?",
       "PIX:0x2 PIX:1x2 PIX:2x2 PIX:3x2", "0x4 1x4"},
      {"azure-ndv2-topo.xml", "2 0 8 1 0 0", "PHB:12 SYS:16", "", "unknown", "NIC0?", "PHB:0x4 SYS:0x4", "0x4 1x4"},
      {"azure-ndv5-topo.xml", "2 8 8 8 0 0", "PHB:12 SYS:16", "", "unknown", eight_unnamed, four_pix, "0x4 1x4"},
      {"nccl-test-ndv5-topo-new.xml", "2 8 8 8 0 0", "PHB:12 SYS:16", "", "unknown", eight_unnamed, four_pix, "0x4 1x4"},
      {"oci-b4-flattened.xml", "4 4 8 8 0 0", "PIX:4 SYS:24", "", "unknown", eight_unnamed,
       "PIX:0,1x2 PIX:2,3x2 PIX:4,5x2 PIX:6,7x2", "3x2 1x2 7x2 5x2"},
      {"oci-h100-topology.xml", "2 24 8 16 4 0", "NV18:28", "0,1,2,3,4,5,6,7 NV18", "shown",
       "mlx5_0 mlx5_1 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7 mlx5_8 mlx5_9 mlx5_10 mlx5_12 mlx5_13 mlx5_14 mlx5_15 mlx5_16 mlx5_17",
       "PXB:0,1 PXB:2,3 PXB:4,5 PXB:6,7 PXB:8,9 PXB:10,11 PXB:12,13 PXB:14,15", "0x4 1x4"},
      {"rccl-3p_pcie.xml", "2 3 3 1 0 0", "PHB:1 SYS:2", "", "absent", "mlx5_0", "PHB:0 SYS:0x2", "0 1x2"},
      {"rccl-4p3l.xml", "1 6 4 2 0 0", "NV1:6", "0,1,2,3 NV1", "shown", "enp96s0f0", "PHB:0x4", "0x4"},
      {"rccl-8p_940.xml", "2 24 8 8 0 0", "NV1:28", "0,1,2,3,4,5,6,7 NV1", "shown", eight_mlx,
       "PXB:0 PXB:1 PXB:2 PXB:3 PXB:4 PXB:5 PXB:6 PXB:7", "0x4 1x4"},
      {"rccl-collnet_n4.xml", "4 20 8 4 0 0", "NV1:12 SYS:16", "0,1,2,3 NV1; 4,5,6,7 NV1", "shown", "mlx5_1 mlx5_3 mlx5_5 mlx5_7",
       "PXB:0x2 PXB:1x2 PXB:2x2 PXB:3x2", "0x2 1x2 2x2 3x2"},
  };
  for (const auto& expected : files) {
    INFO(expected.file);
    const auto host = nccl_topology_xml(import::read_file(folder + std::string(expected.file)), std::string(expected.file));
    check_tree(host);
    CHECK(kinds_of(host) == expected.kinds);
    const auto node = node_topology_of(host);
    CHECK(pairs_of(node) == expected.pairs);
    CHECK(groups_of(node) == expected.groups);
    CHECK(nvlink_of(node) == expected.nvlink);
    CHECK(nics_of(node) == expected.nics);
    CHECK(nearest_of(node) == expected.nearest);
    CHECK(numa_of(node) == expected.numa);
  }
  const auto read = [&](const std::string& name) { return nccl_topology_xml(import::read_file(folder + name), name); };
  CHECK(kinds_of(read("aws-p5-48xl-topo.xml")) == "2 8 0 0 0 32");
  CHECK(kinds_of(read("aws-g5-48xl-topo.xml")) == "2 0 0 0 0 9");
  CHECK_THROWS_WITH_AS(static_cast<void>(node_topology_of(read("aws-p5-48xl-topo.xml"))),
                       doctest::Contains("the host may have GPUs all the same"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(node_topology_of(read("aws-g5-48xl-topo.xml"))), doctest::Contains("9 PCI devices"),
                       parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(read("dgx1v-4gpu-truncated.xml")), doctest::Contains("dgx1v-4gpu-truncated.xml:16:"),
                       parse_error);
  const auto oci = read("oci-h100-topology.xml");
  for (const auto nic : devices_of(oci, device_kind::nic)) CHECK(oci.devices[nic].network->gigabits() == doctest::Approx(180));
  CHECK(first(oci, device_kind::nic).id == "0x946dae030050709a");
  CHECK(has_note(read("rccl-3p_pcie.xml").notes, "AMD GPUs", 9));
  CHECK(has_note(node_topology_of(read("rccl-4p3l.xml")).notes, "veth608058c is no PCI device", 53));
}
