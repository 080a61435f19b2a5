// What a test needs to say of networks and domains in one line each, and what holds for all of them.
#pragma once

#include <topoplan/cluster/validate.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"

namespace topoplan_test {

// "leaf1 < spine1 < core": the switches above a host.
inline std::string path_above(const import::network_tree& tree, std::string_view host) {
  for (const auto& h : tree.hosts) {
    if (h.name != host) continue;
    std::string out = tree.switches[h.leaf].name;
    for (auto s = tree.switches[h.leaf].parent; s; s = tree.switches[*s].parent) out += " < " + tree.switches[*s].name;
    return out;
  }
  return "no such host";
}
inline std::string path_above(const std::optional<import::network_tree>& tree, std::string_view host) {
  return tree ? path_above(*tree, host) : "no network";
}

// "B1: n1 n2; B2: n3", then " | n4: not told" for those without a domain.
inline std::string domains_in(const import::domain_table& table) {
  std::string out;
  for (const auto& domain : table.domains) {
    out += (out.empty() ? "" : "; ") + domain.name + ":";
    for (const auto host : domain.hosts) out += " " + table.hosts[host].name;
  }
  for (const auto& host : table.hosts) {
    if (!host.domain) out += " | " + host.name + ": " + std::string(to_string(host.standing));
  }
  return out;
}
inline std::string domains_in(const std::optional<import::domain_table>& table) {
  return table ? domains_in(*table) : "no domains";
}

// The promises of both values; a network makes a valid cluster.
inline bool is_sound(const import::cluster_topology& topology) {
  static const auto node = import::nvidia_smi_topo("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV4\tPIX\nGPU1\tNV4\t X \tPIX\n", "node");
  bool sound = topology.network || topology.domains;
  if (topology.network) {
    const auto& tree = *topology.network;
    std::set<std::string> names;
    sound = sound && !tree.hosts.empty();
    for (const auto& host : tree.hosts) sound = sound && host.leaf < tree.switches.size() && names.insert(host.name).second;
    std::set<std::string> switches;
    for (const auto& s : tree.switches) {
      sound = sound && switches.insert(s.name).second;
      sound = sound && (!s.parent || (*s.parent < tree.switches.size() && tree.switches[*s.parent].level > s.level));
    }
    try {
      sound = sound && !validate(import::compose(node, tree));
    } catch (const topoplan::invalid_argument&) {  // names that differ only in case
    }
  }
  if (topology.domains) {
    const auto& table = *topology.domains;
    std::size_t members = 0;
    std::size_t placed = 0;
    for (std::uint32_t d = 0; d < table.domains.size(); ++d) {
      sound = sound && !table.domains[d].hosts.empty();
      for (const auto host : table.domains[d].hosts) sound = sound && table.hosts[host].domain == d;
      members += table.domains[d].hosts.size();
    }
    for (const auto& host : table.hosts) {
      placed += host.domain ? 1U : 0U;
      sound = sound && host.domain.has_value() == (host.standing == import::fabric_standing::in_domain);
    }
    sound = sound && members == placed;
  }
  return sound;
}

// The documents of a text that holds some.
inline std::vector<import::document> some_documents(const std::string& text, const std::string& source) {
  auto documents = import::yaml_documents(text, source);
  if (documents.empty()) throw topoplan::parse_error({source, 0, 0}, "a document", "none");
  return documents;
}

// The reader, checking what it yields. For check_survives.
template <class Reader> auto checked(const Reader& reader) {
  return [reader](const std::string& text, const std::string& source) {
    auto topology = reader(text, source);
    CHECK(is_sound(topology));
    return topology;
  };
}

// A file of the reference folder, or nothing where there is no such folder.
inline std::optional<std::string> reference_file(const std::string& name) {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: " << name << " isn't read");
    return std::nullopt;
  }
  return import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/" + name);
}

}  // namespace topoplan_test
