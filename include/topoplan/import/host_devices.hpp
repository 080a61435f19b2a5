// The inside of one host as a graph: NUMA nodes, bridges, GPUs, NICs and NVSwitches, and the NVLinks between them.
#pragma once

#include <topoplan/core/units.hpp>
#include <topoplan/import/node_topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

// What a device of a host is. `unclear`: the file gives its place on the bus and nothing else.
enum class device_kind : std::uint8_t { numa_node, host_bridge, pci_bridge, gpu, nic, nvswitch, unclear };

// As messages name it. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(device_kind kind) noexcept {
  constexpr std::string_view names[] = {"NUMA node", "host bridge", "PCI bridge", "GPU", "NIC", "NVSwitch", "unclear PCI device"};
  return names[static_cast<std::size_t>(kind)];
}

// A device, and what the file says of it. What it doesn't say is empty, or nothing.
struct host_device {
  device_kind kind = device_kind::unclear;
  std::optional<std::uint32_t> parent;  // what it hangs on: an index below its own; nothing: a root, or not in the file
  std::optional<std::uint32_t> index;   // the tool's own number: the 0 of GPU0, of NUMA node 0, of net dev 0
  std::string pci;                      // 0000:1b:00.0
  std::string name;                     // mlx5_0, nvml0; of a NUMA node its CPUs: 0-51,104-155
  std::string model;                    // of a GPU
  std::string id;                       // UUID of a GPU, system image GUID of a NIC: 0x...
  std::optional<std::uint32_t> port;    // of a NIC with several
  std::optional<std::uint32_t> numa;
  std::optional<std::uint32_t> package;     // CPU package (socket) that it is local to
  std::optional<bytes_per_second> pcie;     // its link upward, one direction
  std::optional<bytes_per_second> network;  // a NIC's own rate
  std::size_t line = 0;

  friend bool operator==(const host_device&, const host_device&) = default;
};

// The NVLinks between two devices: GPUs, or a GPU and an NVSwitch, or two NVSwitches. AMD's xGMI stands here too.
struct nvlink_bundle {
  std::uint32_t a = 0;
  std::uint32_t b = 0;                   // more than a
  std::uint32_t count = 0;               // 0: joined, by how many links isn't said
  std::optional<bytes_per_second> rate;  // of the whole bundle, one direction
  std::size_t line = 0;

  friend bool operator==(const nvlink_bundle&, const nvlink_bundle&) = default;
};

// A plain value: parents stand before their children.
struct host_devices {
  std::string source;
  std::string host;  // a hash or product name that the file gives; empty: none
  std::vector<host_device> devices;
  std::vector<nvlink_bundle> nvlinks;
  bool nvlinks_given = false;      // a live dump: links that aren't listed aren't there
  bool bridges_are_ports = false;  // each pci_bridge is one port (hwloc); else a whole switch (NCCL)
  std::vector<note> notes;

  friend bool operator==(const host_devices&, const host_devices&) = default;
};

// The devices of one kind, as indices. post: ascending. complexity: O(devices). errors: none.
[[nodiscard]] inline std::vector<std::uint32_t> devices_of(const host_devices& host, device_kind kind) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < host.devices.size(); ++i) {
    if (host.devices[i].kind == kind) found.push_back(i);
  }
  return found;
}

}  // namespace topoplan::inline v1::import
