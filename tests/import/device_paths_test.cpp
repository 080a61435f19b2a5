#include <topoplan/import/device_paths.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "summary.hpp"

using namespace topoplan_test;
using import::device_kind;
using import::host_device;
using import::host_devices;
using import::node_topology_of;
using import::path_kind;
using topoplan::parse_error;

namespace {

std::uint32_t add(host_devices& host, device_kind kind, std::optional<std::uint32_t> parent, const std::string& pci = {},
                  std::optional<std::uint32_t> numa = {}) {
  host_device device;
  device.kind = kind;
  device.parent = parent;
  device.pci = pci;
  device.numa = numa;
  device.line = host.devices.size() + 1;
  host.devices.push_back(device);
  return static_cast<std::uint32_t>(host.devices.size() - 1);
}

// Two NUMA nodes; the first has a bridge with a bridge below, each with GPUs, and a GPU of its own.
host_devices tree(bool ports) {
  host_devices host;
  host.source = "tree";
  host.bridges_are_ports = ports;
  const auto near = add(host, device_kind::numa_node, {}, "", 0);
  const auto upper = add(host, device_kind::pci_bridge, near, "0000:01:00.0", 0);
  const auto lower = add(host, device_kind::pci_bridge, upper, "0000:02:00.0", 0);
  add(host, device_kind::gpu, lower, "0000:03:00.0", 0);
  add(host, device_kind::gpu, lower, "0000:04:00.0", 0);
  add(host, device_kind::gpu, upper, "0000:05:00.0", 0);
  add(host, device_kind::gpu, near, "0000:06:00.0", 0);
  const auto far = add(host, device_kind::numa_node, {}, "", 1);
  add(host, device_kind::gpu, far, "0000:81:00.0", 1);
  return host;
}

std::string row(const import::node_topology& node, std::size_t gpu) {
  std::string out;
  for (std::size_t other = 0; other < node.gpus.size(); ++other)
    out += (other == 0 ? "" : " ") + to_string(node.between(gpu, other));
  return out;
}

}  // namespace

TEST_CASE("where two devices meet is the path between them") {
  const auto switches = node_topology_of(tree(false));
  CHECK(row(switches, 0) == "X PIX PXB PHB SYS");
  CHECK(row(switches, 2) == "PXB PXB X PHB SYS");
  CHECK(row(switches, 4) == "SYS SYS SYS SYS X");
  const auto ports = node_topology_of(tree(true));
  CHECK(row(ports, 0) == "X PIX PIX NODE SYS");
}

TEST_CASE("without a NUMA node the path between roots is unknown, unless there is but one") {
  host_devices host;
  host.source = "roots";
  add(host, device_kind::gpu, add(host, device_kind::host_bridge, {}), "0000:01:00.0");
  add(host, device_kind::gpu, add(host, device_kind::host_bridge, {}), "0000:81:00.0");
  CHECK(row(node_topology_of(host), 0) == "X unknown");
  add(host, device_kind::numa_node, {}, "", 0);
  CHECK(row(node_topology_of(host), 0) == "X NODE");
  CHECK(nvlink_of(node_topology_of(host)) == "unknown");
  host.nvlinks_given = true;
  CHECK(nvlink_of(node_topology_of(host)) == "absent");
}

TEST_CASE("NVLinks: direct ones and those to switches add up, and no more than a cell holds") {
  auto host = tree(false);
  const auto one = add(host, device_kind::nvswitch, {});
  const auto other = add(host, device_kind::nvswitch, {});
  host.nvlinks = {{3, 4, 2, {}, 0}, {3, one, 6, {}, 0}, {4, one, 4, {}, 0}, {5, other, 6, {}, 0}, {one, other, 8, {}, 0}};
  const auto node = node_topology_of(host);
  CHECK(row(node, 0) == "X NV6 NV6 PHB SYS");
  CHECK(row(node, 1) == "NV6 X NV4 PHB SYS");
  CHECK(has_note(node.notes, "the GPU (0000:06:00.0) has no NVLink, another GPU of this host 8", 7));
  for (const auto& note : node.notes) CHECK(note.text.find("fall into") == std::string::npos);
  host.nvlinks = {{3, 4, 1000, {}, 0}};
  CHECK(node_topology_of(host).between(0, 1).nvlinks == 255);
}

TEST_CASE("the order is that of indices, else of addresses, never that of the file") {
  host_devices host;
  host.source = "order";
  const auto numa = add(host, device_kind::numa_node, {}, "", 0);
  const auto a = add(host, device_kind::gpu, numa, "0000:81:00.0");
  const auto b = add(host, device_kind::gpu, numa, "0000:01:00.0");
  CHECK(node_topology_of(host).gpus[0].pci == "0000:01:00.0");
  host.devices[a].index = 0;
  CHECK(node_topology_of(host).gpus[0].pci == "0000:01:00.0");
  host.devices[b].index = 2;
  const auto node = node_topology_of(host);
  CHECK(node.gpus[0].name == "GPU0");
  CHECK(node.gpus[0].pci == "0000:81:00.0");
  CHECK(node.gpus[1].name == "GPU2");
  CHECK(has_note(node.notes, "don't follow their PCI addresses", 3));
}

TEST_CASE("a host without a GPU, and one with too many devices, are refused") {
  host_devices host;
  host.source = "few";
  CHECK_THROWS_WITH_AS(static_cast<void>(node_topology_of(host)),
                       doctest::Contains("few: expected GPUs, found none; the host may have"), parse_error);
  add(host, device_kind::nic, {}, "0000:01:00.0");
  CHECK_THROWS_WITH_AS(static_cast<void>(node_topology_of(host)), doctest::Contains("found none, only 1 NIC"), parse_error);
  for (int i = 0; i < 256; ++i) add(host, device_kind::gpu, {}, "x");
  CHECK_THROWS_WITH_AS(static_cast<void>(node_topology_of(host)),
                       doctest::Contains("at most 256 GPUs and NICs on a host, found 257"), parse_error);
}
