// Adds to the description of a node what other tools on it say: models, faults, rates, ports that are down.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/gpu_fabric.hpp>
#include <topoplan/import/gpu_inventory.hpp>
#include <topoplan/import/nic_inventory.hpp>
#include <topoplan/import/node_topology.hpp>
#include <topoplan/import/nvidia_smi_nvlink.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

inline void add_other_notes(node_topology& node, const std::string& source, const std::vector<note>& notes) {
  for (const note& n : notes) node.other_notes.push_back(location{source, n.line, 0}.str() + ": " + n.text);
}

[[nodiscard]] inline invalid_argument disagree(const node_topology& node, std::size_t line, const std::string& other,
                                               std::size_t other_line, const std::string& on) {
  return invalid_argument(location{other, other_line, 0}.str() + " and " + location{node.source, line, 0}.str() +
                          " disagree: " + on);
}

// The GPU of the node that an address, else a UUID, else the place in the order names.
[[nodiscard]] inline std::optional<std::size_t> gpu_named(const node_topology& node, const std::string& pci,
                                                          const std::string& uuid, std::optional<std::size_t> place) {
  for (std::size_t g = 0; g < node.gpus.size(); ++g) {
    if (!pci.empty() && node.gpus[g].pci == pci) return g;
    if (!uuid.empty() && node.gpus[g].uuid == uuid) return g;
  }
  const bool known_by_address = !pci.empty() && !node.gpus.empty() && !node.gpus.front().pci.empty();
  if (known_by_address || !place || *place >= node.gpus.size()) return std::nullopt;
  return place;
}

// errors: invalid_argument where the node knows another model.
inline void set_model(node_topology& node, std::size_t gpu, const std::string& model, const std::string& source,
                      std::size_t line) {
  node_gpu& to = node.gpus[gpu];
  if (model.empty()) return;
  if (!to.model.empty() && to.model != model) {
    throw disagree(node, to.line, source, line, to.name + " is " + quoted(model) + " there and " + quoted(to.model) + " here");
  }
  if (to.model.empty() && node.model_from.empty()) node.model_from = source;
  to.model = model;
}

[[nodiscard]] inline std::string fault_of(const inventory_gpu& gpu) {
  if (gpu.mig == gpu_mode::on) return "in MIG mode";
  switch (standing_of(gpu.fabric)) {
    case fabric_standing::not_ready: return "still registering with its NVLink fabric";
    case fabric_standing::failed: return "not registered with its NVLink fabric: " + gpu.fabric.status;
    default: return {};
  }
}

// The port that carries a device's traffic: an active one, else the first.
[[nodiscard]] inline const nic_port* port_of(const nic_device& device) {
  const auto active =
      std::find_if(device.ports.begin(), device.ports.end(), [](const auto& p) { return p.state == port_state::active; });
  if (active != device.ports.end()) return &*active;
  return device.ports.empty() ? nullptr : &device.ports.front();
}

[[nodiscard]] inline const nic_device* device_of(const nic_inventory& nics, const node_nic& nic) {
  for (const nic_device& device : nics.devices) {
    const bool same = (!nic.device.empty() && equal_ignoring_case(device.name, nic.device)) ||
                      (!nic.pci.empty() && device.pci == nic.pci) ||
                      (!nic.guid.empty() && (device.system_guid == nic.guid || device.node_guid == nic.guid));
    if (same) return &device;
  }
  return nullptr;
}

}  // namespace detail

// The node with the addresses, UUIDs and models of its GPUs, and why one can hold no rank (MIG, a fabric that isn't ready).
// GPUs are matched by address, or by order where the node has none. complexity: O(gpus^2).
// errors: invalid_argument when the two describe other GPUs, or more here than there.
[[nodiscard]] inline node_topology with_gpus(node_topology node, const gpu_inventory& inventory) {
  const std::size_t described = inventory.gpus.size();
  if (described > node.gpus.size() || (is_complete(inventory) && described != node.gpus.size())) {
    throw detail::disagree(node, 0, inventory.source, 0,
                           detail::counted(described, "GPU") + " there, " + detail::counted(node.gpus.size(), "GPU") + " here");
  }
  const bool in_order = described == node.gpus.size();
  const node_topology before = node;
  for (std::size_t i = 0; i < described; ++i) {
    const inventory_gpu& gpu = inventory.gpus[i];
    const auto at = detail::gpu_named(before, gpu.pci, gpu.uuid, in_order ? std::optional(i) : std::nullopt);
    if (!at) {
      if (!before.gpus.front().pci.empty() && !gpu.pci.empty()) {
        throw detail::disagree(node, 0, inventory.source, gpu.line, "GPU " + gpu.pci + " is only there");
      }
      node.other_notes.push_back(location{inventory.source, gpu.line, 0}.str() + ": of " +
                                 detail::counted(node.gpus.size(), "GPU") + " only " + std::to_string(described) +
                                 " are described, so that none of them can be told from the others");
      break;
    }
    detail::set_model(node, *at, gpu.model, inventory.source, gpu.line);
    node_gpu& to = node.gpus[*at];
    if (!gpu.pci.empty()) to.pci = gpu.pci;
    if (!gpu.uuid.empty()) to.uuid = gpu.uuid;
    to.fault = detail::fault_of(gpu);
  }
  node.more_sources.push_back(inventory.source);
  detail::add_other_notes(node, inventory.source, inventory.notes);
  return node;
}

// The node with the rates and GUIDs of its NICs, and what its network speaks. NICs are matched by name, address or GUID.
// post: a NIC whose port is down has rate 0, and a note; so has one that is slower than the fastest, and one that isn't listed.
// complexity: O(nics^2). errors: invalid_argument when no NIC of the node is listed.
[[nodiscard]] inline node_topology with_nics(node_topology node, const nic_inventory& nics) {
  const auto compute = compute_ports(nics);
  bytes_per_second fastest;
  fabric_kind fabric = fabric_kind::unknown;
  for (const port_place place : compute) {
    const nic_port& port = nics.devices[place.device].ports[place.port];
    if (port.rate) fastest = std::max(fastest, *port.rate);
    if (port.layer == link_layer::infiniband) fabric = fabric_kind::infiniband;
    if (port.layer == link_layer::ethernet && nics.devices[place.device].transport != "iWARP") fabric = fabric_kind::roce;
  }
  std::size_t matched = 0;
  for (node_nic& nic : node.nics) {
    const nic_device* device = detail::device_of(nics, nic);
    const nic_port* port = device == nullptr ? nullptr : detail::port_of(*device);
    if (device == nullptr) {
      node.other_notes.push_back(location{nics.source, 0, 0}.str() + ": " + name_of(nic) + " of " + node.source +
                                 " isn't listed");
      continue;
    }
    ++matched;
    if (!device->node_guid.empty()) nic.guid = device->node_guid;
    if (port == nullptr) continue;
    const bool computes = std::any_of(compute.begin(), compute.end(),
                                      [&](const port_place place) { return &nics.devices[place.device] == device; });
    if (port->rate) nic.rate = port->rate;
    if (port->state == port_state::down || port->state == port_state::initializing) nic.rate = bytes_per_second{};
    const std::string where = location{nics.source, port->line, 0}.str() + ": " + device->name;
    if (computes && nic.rate && nic.rate->value == 0) {
      node.other_notes.push_back(where + " is down" + (port->physical.empty() ? "" : " (" + port->physical + ")"));
    } else if (computes && nic.rate && *nic.rate < fastest) {
      node.other_notes.push_back(where + " runs at " + std::to_string(static_cast<int>(nic.rate->gigabits())) + " of " +
                                 std::to_string(static_cast<int>(fastest.gigabits())) + " Gb/s");
    }
  }
  if (matched == 0 && !node.nics.empty() && !nics.devices.empty()) {
    throw detail::disagree(
        node, 0, nics.source, nics.devices.front().line,
        "no NIC of one is in the other: " + nics.devices.front().name + " there, " + name_of(node.nics.front()) + " here");
  }
  if (fabric != fabric_kind::unknown) node.fabric = fabric;
  node.more_sources.push_back(nics.source);
  detail::add_other_notes(node, nics.source, nics.notes);
  return node;
}

// The node with the models of its GPUs; NVLinks that carry no traffic though the node shows them are notes, and a GPU in MIG
// mode can hold no rank. GPUs are matched by UUID, else by number. complexity: O(gpus^2).
// errors: invalid_argument when there are more GPUs than the node has.
[[nodiscard]] inline node_topology with_nvlinks(node_topology node, const nvlink_status& status) {
  if (status.gpus.size() > node.gpus.size()) {
    throw detail::disagree(
        node, 0, status.source, 0,
        detail::counted(status.gpus.size(), "GPU") + " there, " + detail::counted(node.gpus.size(), "GPU") + " here");
  }
  const node_topology before = node;
  for (const nvlink_gpu& gpu : status.gpus) {
    const auto at = detail::gpu_named(before, {}, gpu.uuid, gpu.index);
    if (!at) throw detail::disagree(node, 0, status.source, gpu.line, "GPU " + std::to_string(gpu.index) + " is only there");
    detail::set_model(node, *at, gpu.model, status.source, gpu.line);
    node_gpu& to = node.gpus[*at];
    if (!gpu.uuid.empty()) to.uuid = gpu.uuid;
    if (gpu.answer == nvlink_answer::mig) to.fault = "in MIG mode";
    std::uint32_t shown = 0;
    for (std::size_t other = 0; other < node.gpus.size(); ++other) {
      const path p = node.between(*at, other);
      if (p.kind == path_kind::nvlink) shown = std::max<std::uint32_t>(shown, p.nvlinks);
    }
    const auto active = active_nvlinks(gpu);
    if (active && *active < shown) {
      node.other_notes.push_back(location{status.source, gpu.line, 0}.str() + ": " + to.name + " has " +
                                 detail::counted(*active, "active NVLink") + ", and " + node.source + " shows NV" +
                                 std::to_string(shown));
    }
  }
  node.more_sources.push_back(status.source);
  detail::add_other_notes(node, status.source, status.notes);
  return node;
}

}  // namespace topoplan::inline v1::import
