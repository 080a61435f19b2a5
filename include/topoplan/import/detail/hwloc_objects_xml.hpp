// What an object of an hwloc XML says of itself: its infos, and the OS devices that a PCI device has.
#pragma once

#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/xml.hpp>

#include <string_view>

namespace topoplan::inline v1::import::detail {

// The value of an <info> of an object, or nothing.
[[nodiscard]] inline std::string_view hwloc_info(xml_node object, std::string_view name) {
  for (const xml_node info : object.children("info")) {
    if (attribute(info, "name") == name) return attribute(info, "value");
  }
  return {};
}

[[nodiscard]] inline xml_node hwloc_os_device(xml_node object, std::string_view stem) {
  for (const xml_node child : object.children("object")) {
    if (attribute(child, "type") == "OSDev" && numbered(attribute(child, "name"), stem)) return child;
  }
  return {};
}

// An OpenFabrics device: osdev_type 3 of hwloc 2, bit 5 of hwloc 3, and always with GUIDs or the state of a port.
[[nodiscard]] inline xml_node hwloc_rdma_device(xml_node object) {
  for (const xml_node child : object.children("object")) {
    if (attribute(child, "type") != "OSDev") continue;
    const bool told = !hwloc_info(child, "NodeGUID").empty() || !hwloc_info(child, "Port1State").empty();
    if (told || attribute(child, "subtype") == "OpenFabrics" || attribute(child, "name").starts_with("mlx")) return child;
  }
  return {};
}

[[nodiscard]] inline bool hwloc_rdma_below(xml_node node) {
  for (const xml_node child : node.children()) {
    if (attribute(child, "type") == "PCIDev" && hwloc_rdma_device(child)) return true;
    if (hwloc_rdma_below(child)) return true;
  }
  return false;
}

}  // namespace topoplan::inline v1::import::detail
