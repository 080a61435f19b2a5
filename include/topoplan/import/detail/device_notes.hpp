// What a person should know of the devices of a host: GPUs with fewer NVLinks than the others, an order that isn't that of PCI.
#pragma once

#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/device_tree.hpp>
#include <topoplan/import/detail/nvswitch_groups.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/host_devices.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1::import::detail {

// How messages name a GPU of a host.
[[nodiscard]] inline std::string gpu_name(const host_device& device) {
  const std::string name = device.index ? "GPU" + std::to_string(*device.index) : "the GPU";
  return device.pci.empty() ? name : name + " (" + device.pci + ")";
}

// The CPUs of the NUMA node that a device hangs on.
[[nodiscard]] inline std::string cpus_of(const host_devices& host, const host_device& device) {
  for (auto up = device.parent; up; up = host.devices[*up].parent) {
    if (host.devices[*up].kind == device_kind::numa_node) return host.devices[*up].name;
  }
  return {};
}

inline void say_uneven_nvlinks(const host_devices& host, const std::vector<std::uint32_t>& gpus, const nvlink_counts& links,
                               std::vector<note>& notes) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) most = std::max(most, links.total(i));
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (links.total(i) == most) continue;
    const host_device& gpu = host.devices[gpus[i]];
    const std::string has = links.total(i) == 0 ? "no NVLink" : counted(links.total(i), "NVLink");
    notes.push_back({gpu.line, gpu_name(gpu) + " has " + has + ", another GPU of this host " + std::to_string(most)});
  }
}

// NVSwitches that no listed link joins, as on a DGX-2, whose links between its two boards no tool lists.
inline void say_separate_switches(const host_devices& host, std::vector<note>& notes) {
  const auto groups = nvswitch_groups(host).size();
  if (groups < 2) return;
  notes.push_back({0, "the NVSwitches fall into " + std::to_string(groups) +
                          " groups that no listed link joins; they count as one fabric, as NCCL takes them"});
}

inline void say_order(const host_devices& host, const std::vector<std::uint32_t>& gpus, std::vector<note>& notes) {
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    const host_device& gpu = host.devices[gpus[i]];
    const auto before = parse_pci(host.devices[gpus[i - 1]].pci);
    const auto here = parse_pci(gpu.pci);
    if (!before || !here || *before < *here) continue;
    notes.push_back({gpu.line, gpu_name(gpu) + " stands behind " + gpu_name(host.devices[gpus[i - 1]]) +
                                   ": the indices of the GPUs don't follow their PCI addresses"});
    return;
  }
}

}  // namespace topoplan::inline v1::import::detail
