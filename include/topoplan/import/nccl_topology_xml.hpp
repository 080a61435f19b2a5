// Reads NCCL topology XML: what NCCL_TOPO_DUMP_FILE holds, and the files that clouds ship for NCCL_TOPO_FILE. RCCL's too.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/nccl_xml.hpp>
#include <topoplan/import/detail/xml.hpp>
#include <topoplan/import/host_devices.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// Reads the devices of every host in the file: one, or with multi-node NVLink those of the communicator, told apart by host_hash.
// A dump holds the GPUs and NICs that the job used, not all that a host has. NVSwitches are made of the NVLinks that end on them.
// post: hosts in the order of the file; a <cpu> is a numa_node, a PCI bridge stands for a whole switch.
// complexity: O(text). errors: parse_error for text that isn't one well-formed <system> document of version 1 (NCCL) or 2 (RCCL),
//   or that names a device twice; a graph XML and other tools' documents are refused by name.
[[nodiscard]] inline std::vector<host_devices> nccl_topology_hosts_xml(std::string_view text, std::string source) {
  const std::string expected = "an NCCL topology XML (<system>)";
  const detail::xml_document document(text, std::move(source));
  document.require_root("system", expected);
  const auto root = document.root();
  if (const auto version = document.numeric(root, "version"); version && *version != 1 && *version != 2) {
    throw parse_error(document.where(root), "version 1 (NCCL) or 2 (RCCL)", "version " + std::to_string(*version));
  }
  std::vector<detail::nccl_xml_host> readers;
  std::map<std::string, std::size_t> by_hash;
  for (const auto cpu : detail::children_of(root)) {
    if (!detail::is_named(cpu, "cpu")) continue;
    const auto hash = document.printable(cpu, detail::attribute(cpu, "host_hash"));
    const auto [found, fresh] = by_hash.emplace(hash, readers.size());
    if (fresh) readers.emplace_back(document, hash);
    readers[found->second].add_cpu(cpu);
  }
  if (readers.empty()) throw parse_error(document.where(root), "a <cpu> in <system>", "none");
  std::vector<host_devices> hosts;
  hosts.reserve(readers.size());
  for (auto& reader : readers) hosts.push_back(reader.take());
  return hosts;
}

// Reads the devices of the one host in the file.
// post, complexity: as nccl_topology_hosts_xml. errors: as it, and parse_error for a file of several hosts.
[[nodiscard]] inline host_devices nccl_topology_xml(std::string_view text, std::string source) {
  auto hosts = nccl_topology_hosts_xml(text, std::move(source));
  if (hosts.size() > 1) {
    throw parse_error({hosts.front().source, hosts[1].devices.front().line, 0}, "one host",
                      std::to_string(hosts.size()) + " hosts with different host_hash: the dump of a job over multi-node NVLink");
  }
  return std::move(hosts.front());
}

}  // namespace topoplan::inline v1::import
