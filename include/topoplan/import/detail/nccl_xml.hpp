// From the <cpu> elements of an NCCL topology XML to the devices of one host.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/cpu_mask.hpp>
#include <topoplan/import/detail/guid.hpp>
#include <topoplan/import/detail/nvlink_ends.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/xml.hpp>
#include <topoplan/import/host_devices.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1::import::detail {

class nccl_xml_host {
 public:
  nccl_xml_host(const xml_document& document, std::string host) : document_(document) {
    host_.source = document.source();
    host_.host = std::move(host);
  }

  // errors: parse_error with the element's line. complexity: O(elements).
  void add_cpu(xml_node cpu) {
    host_device node;
    node.kind = device_kind::numa_node;
    node.line = document_.line(cpu);
    if (const auto numa = document_.numeric<std::int64_t>(cpu, "numaid"); numa && *numa >= 0) {
      node.index = node.numa = static_cast<std::uint32_t>(*numa);
    }
    if (const auto mask = attribute(cpu, "affinity"); !mask.empty()) {
      const auto bits = bits_of_mask(mask);
      if (!bits) throw parse_error(document_.where(cpu), "a mask of CPUs in hex words as affinity", quoted(mask));
      node.name = as_list(*bits);
    }
    if (node.index && !numa_lines_.emplace(*node.index, node.line).second) {
      throw parse_error(document_.where(cpu), "each NUMA node once",
                        "NUMA node " + std::to_string(*node.index) + " as in line " + std::to_string(numa_lines_[*node.index]));
    }
    const auto at = push(std::move(node));
    add_children(cpu, at, host_.devices[at].numa);
  }

  // errors: parse_error for NVLinks that contradict each other.
  [[nodiscard]] host_devices take() {
    resolve(ends_, host_);
    const auto gpus = devices_of(host_, device_kind::gpu);
    host_.nvlinks_given = !gpus.empty() && described_ == gpus.size();
    if (described_ < gpus.size()) {
      host_.notes.push_back(
          {host_.devices[gpus.front()].line,
           "GPUs are told by their PCI class, as in files that clouds ship: their indices and NVLinks aren't in the file"});
    }
    const auto unclear = devices_of(host_, device_kind::unclear);
    if (!unclear.empty()) {
      host_.notes.push_back(
          {host_.devices[unclear.front()].line,
           std::to_string(unclear.size()) + " PCI devices without a class: whether GPU or NIC, only the host itself knows"});
    }
    if (gpus.empty()) host_.notes.push_back({0, "no GPU is listed; NCCL finds them when it runs, so the host may have some"});
    if (amd_ != 0) host_.notes.push_back({amd_, "AMD GPUs, described by RCCL: xGMI links stand where NVLinks would"});
    return std::move(host_);
  }

 private:
  std::uint32_t push(host_device device) {
    host_.devices.push_back(std::move(device));
    return static_cast<std::uint32_t>(host_.devices.size() - 1);
  }

  void add_children(xml_node element, std::uint32_t parent, std::optional<std::uint32_t> numa) {
    for (const xml_node child : children_of(element)) {
      if (is_named(child, "pci")) add_pci(child, parent, numa);
      else if (is_named(child, "nic")) add_nic(child, parent, numa, {}, {});
    }
  }

  void add_pci(xml_node pci, std::uint32_t parent, std::optional<std::uint32_t> numa) {
    const auto id = attribute(pci, "busid");
    const auto address = parse_pci(id);
    if (!address) throw parse_error(document_.where(pci), "a PCI address such as 0000:1b:00.0 as busid", quoted(id));
    host_device device;
    device.parent = parent;
    device.numa = numa;
    device.pci = to_string(*address);
    device.line = document_.line(pci);
    device.pcie = pcie_rate(attribute(pci, "link_speed"), number(attribute(pci, "link_width")));
    if (const auto [known, fresh] = pci_lines_.emplace(device.pci, device.line); !fresh) {
      throw parse_error(document_.where(pci), "each PCI device once",
                        device.pci + " as in line " + std::to_string(known->second));
    }
    const auto class_kind = kind_of_class(attribute(pci, "class"));
    const xml_node gpu = child_named(pci, "gpu");
    const xml_node nic = child_named(pci, "nic");
    if (nic) {
      const auto at = add_nic(nic, parent, numa, device.pci, device.pcie);
      return add_children_of_device(pci, at.value_or(parent), numa);
    }
    if (gpu || class_kind == pci_kind::gpu) device.kind = device_kind::gpu;
    else if (child_named(pci, "pci") || class_kind == pci_kind::bridge) device.kind = device_kind::pci_bridge;
    else if (class_kind == pci_kind::nic) device.kind = device_kind::nic;
    else if (class_kind == pci_kind::nvswitch) device.kind = device_kind::nvswitch;
    else if (class_kind == pci_kind::other) return;
    const auto at = push(std::move(device));
    if (gpu) add_gpu(gpu, at);
    add_children_of_device(pci, at, numa);
  }

  void add_children_of_device(xml_node pci, std::uint32_t at, std::optional<std::uint32_t> numa) {
    for (const xml_node child : children_of(pci)) {
      if (is_named(child, "pci")) add_pci(child, at, numa);
    }
  }

  void add_gpu(xml_node gpu, std::uint32_t at) {
    ++described_;
    if (amd_ == 0 && gpu.attribute("gcn")) amd_ = document_.line(gpu);
    if (const auto dev = document_.numeric<std::int64_t>(gpu, "dev"); dev && *dev >= 0 && *dev < 1024) {
      host_.devices[at].index = static_cast<std::uint32_t>(*dev);
      if (const auto [known, fresh] = gpu_lines_.emplace(*dev, document_.line(gpu)); !fresh) {
        throw parse_error(document_.where(gpu), "each GPU once",
                          "dev " + std::to_string(*dev) + " as in line " + std::to_string(known->second));
      }
    }
    for (const xml_node link : children_of(gpu)) {
      const bool xgmi = is_named(link, "xgmi");
      if (!xgmi && !is_named(link, "nvlink")) continue;
      if (xgmi && amd_ == 0) amd_ = document_.line(link);
      const auto count = document_.numeric(link, "count");
      if (!count || *count == 0 || *count > 1024) {
        throw parse_error(document_.where(link), "a number of links as count, 1 to 1024", quoted(attribute(link, "count")));
      }
      ends_.push_back({at, document_.printable(link, attribute(link, "target")),
                       document_.printable(link, attribute(link, "tclass")), *count, document_.line(link)});
    }
  }

  // The first of the NICs that it adds: a card with two ports has two.
  std::optional<std::uint32_t> add_nic(xml_node nic, std::uint32_t parent, std::optional<std::uint32_t> numa,
                                       const std::string& pci, std::optional<bytes_per_second> pcie) {
    std::optional<std::uint32_t> first;
    for (const xml_node net : children_of(nic)) {
      if (!is_named(net, "net")) continue;
      host_device device;
      device.kind = device_kind::nic;
      device.parent = parent;
      device.numa = numa;
      device.pci = pci;
      device.pcie = pcie;
      device.line = document_.line(net);
      device.name = document_.printable(net, attribute(net, "name"));
      device.id = system_guid(device.name, attribute(net, "guid"));
      if (const auto dev = document_.numeric<std::int64_t>(net, "dev"); dev && *dev >= 0 && *dev < 65536) {
        device.index = static_cast<std::uint32_t>(*dev);
      }
      device.port = document_.numeric(net, "port");
      const auto speed = document_.numeric<std::int64_t>(net, "speed");
      if (speed && *speed > 0) device.network = gigabits_per_second(static_cast<double>(*speed) / 1000);
      else host_.notes.push_back({device.line, "NIC " + device.name + " has no speed: its link may be down"});
      const auto at = push(std::move(device));
      if (!first) first = at;
    }
    return first;
  }

  // NCCL prints a verbs device's system image GUID with its bytes reversed; other plugins number their devices.
  [[nodiscard]] static std::string system_guid(std::string_view name, std::string_view text) {
    const auto printed = guid_of(text);
    if (!name.starts_with("mlx") || printed.empty()) return {};
    std::string guid = "0x";
    for (std::size_t at = printed.size(); at > 2; at -= 2) guid += printed.substr(at - 2, 2);
    return guid;
  }

  const xml_document& document_;
  host_devices host_;
  std::map<std::string, std::size_t> pci_lines_;
  std::map<std::uint32_t, std::size_t> numa_lines_;
  std::map<std::int64_t, std::size_t> gpu_lines_;
  std::vector<nvlink_end> ends_;
  std::size_t described_ = 0;  // GPUs with a <gpu> element
  std::size_t amd_ = 0;        // line of the first sign of RCCL
};

}  // namespace topoplan::inline v1::import::detail
