// From the objects of an hwloc XML to the devices of a host.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/cpu_mask.hpp>
#include <topoplan/import/detail/guid.hpp>
#include <topoplan/import/detail/hwloc_objects_xml.hpp>
#include <topoplan/import/detail/nic_fields.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/xml.hpp>
#include <topoplan/import/host_devices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class hwloc_reader {
 public:
  explicit hwloc_reader(const xml_document& document) : document_(document) {
    host_.source = document.source();
    host_.bridges_are_ports = true;
  }

  // errors: parse_error with the element's line. complexity: O(elements x packages).
  void add_machine(xml_node machine) {
    const auto product = hwloc_info(machine, "DMIProductName");
    host_.host = document_.printable(machine, product);
    find_places(machine);
    walk(machine, machine);
  }

  // What a distance matrix calls an object, such as OSDev:802, or nothing.
  [[nodiscard]] std::optional<std::uint32_t> device(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] host_devices& host() noexcept { return host_; }

  // post: where some NICs do RDMA, those that don't are left out, as other tools do.
  [[nodiscard]] host_devices take() {
    if (dropped_ > 0) {
      host_.notes.push_back({0, "network devices without RDMA are left out: " + std::to_string(dropped_)});
    }
    return std::move(host_);
  }

 private:
  using bits = std::vector<std::uint32_t>;
  struct place {
    std::uint32_t index;
    bits mask;
  };

  [[nodiscard]] bits mask_of(xml_node object, const char* name) const {
    const auto text = attribute(object, name);
    if (text.empty()) return {};
    auto mask = bits_of_mask(text);
    if (!mask) throw parse_error(document_.where(object), std::string("a mask in hex words as ") + name, quoted(text));
    return *std::move(mask);
  }

  void find_places(xml_node object) {
    const auto type = attribute(object, "type");
    const auto index = document_.numeric(object, "os_index");
    if (index && (type == "Package" || type == "Socket")) packages_.push_back({*index, mask_of(object, "cpuset")});
    if (index && type == "NUMANode") {
      host_device node;
      node.kind = device_kind::numa_node;
      node.index = node.numa = index;
      node.name = as_list(mask_of(object, "cpuset"));
      node.line = document_.line(object);
      if (numa_nodes_.contains(*index)) {
        throw parse_error(document_.where(object), "each NUMA node once", "NUMA node " + std::to_string(*index) + " twice");
      }
      numa_nodes_.emplace(*index, push(std::move(node)));
    }
    for (const xml_node child : object.children("object")) find_places(child);
  }

  // `local` is the nearest object above that isn't I/O: its CPUs and memory are those that the devices below are near to.
  void walk(xml_node object, xml_node local) {
    for (const xml_node child : object.children("object")) {
      const auto type = attribute(child, "type");
      const bool io = type == "Bridge" || type == "PCIDev" || type == "OSDev";
      if (io) add_io(child, local_place(local));
      else walk(child, child);
    }
  }

  struct io_place {
    std::optional<std::uint32_t> parent;
    std::optional<std::uint32_t> numa;
    std::optional<std::uint32_t> package;
  };

  [[nodiscard]] io_place local_place(xml_node local) const {
    io_place at;
    const auto nodes = mask_of(local, "nodeset");
    if (nodes.size() == 1) at.numa = nodes.front();
    if (attribute(local, "type") == "NUMANode") at.numa = document_.numeric(local, "os_index");
    if (at.numa) {
      if (const auto found = numa_nodes_.find(*at.numa); found != numa_nodes_.end()) at.parent = found->second;
    }
    const auto cpus = mask_of(local, "cpuset");
    std::size_t near = 0;
    for (const place& package : packages_) {
      bits both;
      std::set_intersection(cpus.begin(), cpus.end(), package.mask.begin(), package.mask.end(), std::back_inserter(both));
      if (both.empty()) continue;
      ++near;
      at.package = package.index;
    }
    if (near != 1) at.package.reset();
    return at;
  }

  void add_io(xml_node object, io_place at) {
    const auto type = attribute(object, "type");
    if (type == "OSDev") return add_os_device(object, at);
    host_device device;
    device.parent = at.parent;
    device.numa = at.numa;
    device.package = at.package;
    device.line = document_.line(object);
    if (const auto address = parse_pci(attribute(object, "pci_busid"))) device.pci = to_string(*address);
    if (const auto speed = leading_number(attribute(object, "pci_link_speed")); speed && speed->first > 0) {
      device.pcie = gigabytes_per_second(speed->first);
    }
    if (type == "Bridge") {
      device.kind = attribute(object, "bridge_type").starts_with("0-") ? device_kind::host_bridge : device_kind::pci_bridge;
      at.parent = push(std::move(device));
    } else if (!describe_pci(object, device)) {
      return;
    } else {
      at.parent = push(std::move(device));
      name_device(object, *at.parent);
    }
    for (const xml_node child : object.children("object")) {
      if (attribute(child, "type") != "OSDev") add_io(child, at);
    }
  }

  // False for what isn't a GPU, a NIC or an NVSwitch. pci_type: "0302 [10de:1db8] [10de:131d] a1 00".
  bool describe_pci(xml_node object, host_device& device) {
    const auto type = attribute(object, "pci_type");
    const auto vendor = type.size() > 10 ? type.substr(6, 4) : std::string_view{};
    const bool nvidia = equal_ignoring_case(vendor, "10de");
    const auto kind = kind_of_class(type.substr(0, 4));
    const xml_node nvml = hwloc_os_device(object, "nvml");
    if (nvml || hwloc_os_device(object, "cuda") || hwloc_os_device(object, "rsmi") ||
        (kind == pci_kind::gpu && (nvidia || equal_ignoring_case(vendor, "1002")))) {
      device.kind = device_kind::gpu;
      if (const auto at = numbered(attribute(nvml, "name"), "nvml"); at && *at < 1024) device.index = at;
      const auto& source = nvml ? nvml : hwloc_os_device(object, "cuda");
      device.model = document_.printable(object, hwloc_info(source, "GPUModel"));
      device.id = document_.printable(object, hwloc_info(nvml, "NVIDIAUUID"));
      device.name = document_.printable(object, attribute(nvml, "name"));
      return true;
    }
    if (attribute(object, "subtype") == "NVSwitch" || (kind == pci_kind::nvswitch && nvidia)) {
      device.kind = device_kind::nvswitch;
      return true;
    }
    if (kind != pci_kind::nic) return false;
    device.kind = device_kind::nic;
    const xml_node rdma = hwloc_rdma_device(object);
    if (!rdma && rdma_seen(object)) {
      ++dropped_;
      return false;
    }
    device.name = document_.printable(object, attribute(rdma ? rdma : object.child("object"), "name"));
    device.id = guid_of(hwloc_info(rdma, "SysImageGUID"));
    const auto state = hwloc_info(rdma, "Port1State");
    if (!state.empty() && state != "4") {
      host_.notes.push_back({device.line, "NIC " + device.name + ": port 1 isn't active"});
    }
    return true;
  }

  // A GPU or NIC whose PCI device was left out of the file hangs directly on a CPU object.
  void add_os_device(xml_node object, const io_place& at) {
    if (!numbered(attribute(object, "name"), "nvml")) return;
    host_device device;
    device.kind = device_kind::gpu;
    device.parent = at.parent;
    device.numa = at.numa;
    device.package = at.package;
    device.line = document_.line(object);
    device.index = numbered(attribute(object, "name"), "nvml");
    device.model = document_.printable(object, hwloc_info(object, "GPUModel"));
    device.id = document_.printable(object, hwloc_info(object, "NVIDIAUUID"));
    device.name = document_.printable(object, attribute(object, "name"));
    remember(object, push(std::move(device)));
  }

  void name_device(xml_node object, std::uint32_t at) {
    remember(object, at);
    for (const xml_node child : object.children("object")) {
      if (attribute(child, "type") == "OSDev") remember(child, at);
    }
  }

  void remember(xml_node object, std::uint32_t at) {
    by_name_.emplace(std::string(attribute(object, "type")) + ':' + std::string(attribute(object, "gp_index")), at);
  }

  [[nodiscard]] bool rdma_seen(xml_node object) {
    if (!any_rdma_) any_rdma_ = hwloc_rdma_below(object.root());
    return *any_rdma_;
  }
  std::uint32_t push(host_device device) {
    host_.devices.push_back(std::move(device));
    return static_cast<std::uint32_t>(host_.devices.size() - 1);
  }

  const xml_document& document_;
  host_devices host_;
  std::vector<place> packages_;
  std::map<std::uint32_t, std::uint32_t> numa_nodes_;  // OS index to device
  std::map<std::string, std::uint32_t> by_name_;
  std::optional<bool> any_rdma_;
  std::size_t dropped_ = 0;
};

}  // namespace topoplan::inline v1::import::detail
