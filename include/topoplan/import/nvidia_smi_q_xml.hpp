// Reads the XML of `nvidia-smi -q -x`.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/inventory_fields.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/xml.hpp>
#include <topoplan/import/gpu_inventory.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1::import {

namespace detail {

// errors: parse_error for a clique or UUID that is none.
[[nodiscard]] inline gpu_fabric fabric_of_xml(const xml_document& document, xml_node fabric) {
  gpu_fabric read;
  if (!fabric) return read;
  read.line = document.line(fabric);
  for (const xml_node field : children_of(fabric)) {
    if (is_named(field, "health")) {
      read.health = available(text_of(field, "summary"));
      read.bandwidth = available(text_of(field, "bandwidth"));
    } else {
      set_fabric_field(read, field.name(), text_of(field), document.where(field));
    }
  }
  return read;
}

inline void check_link_width(const xml_document& document, xml_node gpu, const std::string& title, std::vector<note>& notes) {
  const xml_node widths = child_named(child_named(child_named(gpu, "pci"), "pci_gpu_link_info"), "link_widths");
  const auto width = [&](std::string_view name) {
    const auto text = text_of(widths, name);
    return number(text.substr(0, text.find('x')));
  };
  const auto most = width("max_link_width");
  const auto now = width("current_link_width");
  if (!most || !now || *now >= *most) return;
  notes.push_back(
      {document.line(widths), title + " runs its PCIe link at width " + std::to_string(*now) + " of " + std::to_string(*most)});
}

// The faults that the text form's reader tells too.
inline void check_health(const xml_document& document, xml_node gpu, const std::string& title, std::vector<note>& notes) {
  constexpr std::pair<const char*, const char*> faults[] = {{"remapped_rows", "remapped_row_pending"},
                                                            {"remapped_rows", "remapped_row_failure"},
                                                            {"gpu_reset_status", "reset_required"}};
  for (const auto& [section, field] : faults) {
    const xml_node found = child_named(child_named(gpu, section), field);
    if (equal_ignoring_case(text_of(found), "Yes")) notes.push_back({document.line(found), title + " reports " + field});
  }
  const xml_node action = child_named(gpu, "gpu_recovery_action");
  if (!is_not_available(text_of(action)) && text_of(action) != "None") {
    notes.push_back({document.line(action), title + " asks for recovery: " + quoted(text_of(action))});
  }
  for (const xml_node field : children_of(gpu)) {
    if (!is_failure(text_of(field))) continue;
    notes.push_back({document.line(field), title + " answers " + quoted(field.name()) + " with " + quoted(text_of(field))});
    return;
  }
}

// errors: parse_error for a GPU without a PCI address.
[[nodiscard]] inline inventory_gpu gpu_of_xml(const xml_document& document, xml_node element) {
  inventory_gpu gpu;
  gpu.line = document.line(element);
  const auto id = attribute(element, "id");
  const auto address = parse_pci(id);
  if (!address) throw parse_error(document.where(element), "a PCI address as id of <gpu>", quoted(id));
  gpu.pci = to_string(*address);
  gpu.model = available(text_of(element, "product_name"));
  gpu.uuid = available(text_of(element, "uuid"));
  gpu.minor = number(text_of(element, "minor_number"));
  gpu.memory = memory_of(text_of(child_named(element, "fb_memory_usage"), "total"));
  if (const auto mode = child_named(element, "mig_mode")) gpu.mig = mode_of(text_of(mode, "current_mig"));
  if (const auto mode = child_named(element, "ecc_mode")) gpu.ecc = mode_of(text_of(mode, "current_ecc"));
  for (const xml_node device : children_of(child_named(element, "mig_devices")))
    gpu.mig_devices += is_named(device, "mig_device") ? 1U : 0U;
  const xml_node platform = child_named(element, "platformInfo");
  gpu.chassis = available(text_of(platform, "chassis_serial_number"));
  gpu.slot = number(text_of(platform, "slot_number"));
  gpu.tray = number(text_of(platform, "tray_index"));
  gpu.host = number(text_of(platform, "host_id"));
  gpu.module = number(text_of(element, "gpu_module_id"));
  if (!gpu.module) gpu.module = number(text_of(platform, "module_id"));
  gpu.fabric = fabric_of_xml(document, child_named(element, "fabric"));
  return gpu;
}

}  // namespace detail

// Reads the GPUs of one host. The document types of drivers 470 to 610 (nvsmi_device_v11 to v13) are read.
// post: as nvidia_smi_q. complexity: O(text). errors: parse_error for text that isn't one well-formed <nvidia_smi_log> document,
// for
//   a GPU that is described twice or has no address; other tools' documents are refused by name.
[[nodiscard]] inline gpu_inventory nvidia_smi_q_xml(std::string_view text, std::string source) {
  const detail::xml_document document(text, std::move(source));
  document.require_root("nvidia_smi_log", "the output of `nvidia-smi -q -x` (<nvidia_smi_log>)");
  const auto root = document.root();
  gpu_inventory inventory;
  inventory.source = document.source();
  inventory.driver = detail::available(detail::text_of(root, "driver_version"));
  if (const auto attached = detail::child_named(root, "attached_gpus")) {
    inventory.attached = detail::number(detail::text_of(attached));
    if (!inventory.attached) {
      throw parse_error(document.where(attached), "a number of attached GPUs", quoted(detail::text_of(attached)));
    }
  }
  for (const auto element : detail::children_of(root)) {
    if (!detail::is_named(element, "gpu")) continue;
    inventory.gpus.push_back(detail::gpu_of_xml(document, element));
    const auto title = detail::title_of(inventory.gpus.back(), inventory.gpus.size() - 1);
    detail::check_link_width(document, element, title, inventory.notes);
    detail::check_health(document, element, title, inventory.notes);
  }
  detail::conclude(inventory);
  return inventory;
}

}  // namespace topoplan::inline v1::import
