// Reads hwloc XML, as `lstopo file.xml` writes it: NUMA nodes, PCI, GPUs, NICs, and NVLinks from the distance matrix.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/hwloc_distances_xml.hpp>
#include <topoplan/import/detail/hwloc_xml.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/xml.hpp>
#include <topoplan/import/host_devices.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1::import {

// Reads the devices of one host, from files of hwloc 1 (no version), 2 and 3. GPUs are numbered as NVML numbers them (nvml0,
// ...); without NVML a GPU is known by its PCI class, and NVLinks aren't. post: each port of a PCI bridge is a pci_bridge; every
// device has the NUMA node and the package that hwloc finds it local to; where
//   some NICs have an RDMA device, those without are left out. complexity: O(text x packages + objects of the matrix^2).
// errors: parse_error for text that isn't one well-formed <topology> document, for a NUMA node twice and for a matrix whose sizes
// don't
//   fit; other tools' documents are refused by name.
[[nodiscard]] inline host_devices hwloc_xml(std::string_view text, std::string source) {
  const detail::xml_document document(text, std::move(source));
  document.require_root("topology", "an hwloc XML (<topology>)");
  const auto root = document.root();
  const auto version = detail::attribute(root, "version");
  if (!version.empty() && !version.starts_with("2.") && !version.starts_with("3.")) {
    throw parse_error(document.where(root), "version 2 or 3, or none as hwloc 1 writes", "version " + quoted(version));
  }
  detail::hwloc_reader reader(document);
  const auto machine = root.child("object");
  if (!machine) throw parse_error(document.where(root), "an <object> in <topology>", "none");
  reader.add_machine(machine);
  for (const auto matrix : detail::children_of(root)) {
    const bool of_distances = detail::is_named(matrix, "distances2") || detail::is_named(matrix, "distances2hetero");
    if (of_distances && detail::attribute(matrix, "name") == "NVLinkBandwidth")
      detail::add_nvlink_matrix(document, matrix, reader);
  }
  auto host = reader.take();
  if (devices_of(host, device_kind::gpu).empty()) {
    host.notes.push_back(
        {0, "no GPU is listed; hwloc finds them when it was built with PCI support and isn't told to leave I/O out"});
  }
  return host;
}

}  // namespace topoplan::inline v1::import
