// From the devices of a host to what compose takes: GPUs and NICs in the tool's order, and the path between each two.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/device_notes.hpp>
#include <topoplan/import/detail/device_tree.hpp>
#include <topoplan/import/host_devices.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

inline constexpr std::size_t node_max_devices = 256;

[[nodiscard]] inline node_gpu node_gpu_of(const host_device& device, const host_devices& host, std::size_t position) {
  node_gpu gpu;
  gpu.name = "GPU" + std::to_string(device.index.value_or(static_cast<std::uint32_t>(position)));
  gpu.line = device.line;
  gpu.complete = true;
  gpu.numa = device.numa;
  gpu.cpus = cpus_of(host, device);
  gpu.pci = device.pci;
  gpu.uuid = device.id;
  gpu.model = device.model;
  return gpu;
}

[[nodiscard]] inline node_nic node_nic_of(const host_device& device, std::size_t position) {
  node_nic nic;
  nic.column = "NIC" + std::to_string(position);
  nic.device = device.name;
  nic.line = device.line;
  nic.complete = true;
  nic.pci = device.pci;
  nic.guid = device.id;
  nic.rate = device.network;
  return nic;
}

// errors: parse_error with what the file lists instead of GPUs.
inline void require_gpus(const host_devices& host, const std::vector<std::uint32_t>& gpus) {
  if (!gpus.empty()) return;
  const auto count = [&](device_kind kind) { return devices_of(host, kind).size(); };
  std::string found = "none";
  if (count(device_kind::unclear) > 0) {
    found += ", but " + std::to_string(count(device_kind::unclear)) + " PCI devices of which the file doesn't say what they are";
  } else if (count(device_kind::nic) > 0) {
    found += ", only " + counted(count(device_kind::nic), "NIC");
  }
  found +=
      "; the host may have GPUs all the same: give what `nvidia-smi topo -m` prints there, or a file that NCCL wrote to "
      "NCCL_TOPO_DUMP_FILE";
  throw parse_error({host.source, 0, 0}, "GPUs", found);
}

}  // namespace detail

// GPUs and NICs with the path between each two: by the PCI bridges, host bridges and NUMA nodes that they share, and between GPUs
// by NVLink where there is one. All NVSwitches of a host count as one fabric, as NCCL takes them.
// post: paths are symmetric; GPUs stand in the order of their index, else of their PCI address, never in that of the file; a NIC
//   without a PCI device (a virtual one) is left out with a note. complexity: O(devices^2 x depth).
// errors: parse_error for a file that lists no GPU, and for more than 256 GPUs and NICs.
[[nodiscard]] inline node_topology node_topology_of(const host_devices& host) {
  node_topology node;
  node.source = host.source;
  node.notes = host.notes;
  const auto gpus = detail::in_tool_order(host, device_kind::gpu);
  detail::require_gpus(host, gpus);
  auto nics = detail::in_tool_order(host, device_kind::nic);
  for (const auto nic : nics) {
    if (!host.devices[nic].pci.empty()) continue;
    const auto& device = host.devices[nic];
    node.notes.push_back({device.line, "NIC " + device.name + " is no PCI device but a virtual one; it is left out"});
  }
  std::erase_if(nics, [&](std::uint32_t nic) { return host.devices[nic].pci.empty(); });
  if (gpus.size() + nics.size() > detail::node_max_devices) {
    throw parse_error({host.source, 0, 0}, "at most " + std::to_string(detail::node_max_devices) + " GPUs and NICs on a host",
                      std::to_string(gpus.size() + nics.size()));
  }
  std::vector<std::uint32_t> order = gpus;
  order.insert(order.end(), nics.begin(), nics.end());
  for (std::size_t i = 0; i < gpus.size(); ++i) node.gpus.push_back(detail::node_gpu_of(host.devices[gpus[i]], host, i));
  for (std::size_t i = 0; i < nics.size(); ++i) node.nics.push_back(detail::node_nic_of(host.devices[nics[i]], i));

  const detail::device_tree tree(host);
  const detail::nvlink_counts links(host, gpus);
  node.paths.resize(order.size() * order.size());
  for (std::size_t a = 0; a < order.size(); ++a) {
    for (std::size_t b = 0; b < order.size(); ++b) {
      path& p = node.paths[a * order.size() + b];
      const bool both_gpus = a < gpus.size() && b < gpus.size() && a != b;
      p = both_gpus && links.joined(a, b) ? path{path_kind::nvlink, links.between(a, b)} : path{tree.between(order[a], order[b])};
    }
  }
  if (links.any()) node.nvlink = nvlink_view::shown;
  else if (host.nvlinks_given && gpus.size() > 1) node.nvlink = nvlink_view::absent;
  detail::say_uneven_nvlinks(host, gpus, links, node.notes);
  detail::say_separate_switches(host, node.notes);
  detail::say_order(host, gpus, node.notes);
  std::sort(node.notes.begin(), node.notes.end(),
            [](const note& a, const note& b) { return std::tie(a.line, a.text) < std::tie(b.line, b.text); });
  return node;
}

}  // namespace topoplan::inline v1::import
