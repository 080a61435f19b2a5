// What a test needs to say of a domain_table and a network_tree in one line each, and the promises that every one keeps.
#pragma once

#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/network_tree.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"

namespace topoplan_test {

// "rack1: tray[01-18]; rack2: tray[19-36]".
inline std::string domains_of(const import::domain_table& table) {
  std::string out;
  for (const auto& domain : table.domains) {
    std::vector<std::string> names;
    for (const auto host : domain.hosts) names.push_back(table.hosts[host].name);
    out += (out.empty() ? "" : "; ") + domain.name + ": " + import::fold_hostlist(names);
  }
  return out;
}

// Hosts without a domain, and why.
inline std::string others_of(const import::domain_table& table) {
  std::string out;
  for (const auto& host : table.hosts) {
    if (!host.domain) out += (out.empty() ? "" : "; ") + host.name + ": " + std::string(to_string(host.standing));
  }
  return out;
}

// "leaf1<spine1<core": the switches above a host.
inline std::string above(const import::network_tree& tree, std::string_view host) {
  for (const auto& h : tree.hosts) {
    if (h.name != host) continue;
    std::string out = tree.switches[h.leaf].name;
    for (auto s = tree.switches[h.leaf].parent; s; s = tree.switches[*s].parent) out += "<" + tree.switches[*s].name;
    return out;
  }
  return "no such host";
}

inline std::string notes_of(const std::vector<import::note>& notes) {
  std::string out;
  for (const auto& note : notes) out += std::to_string(note.line) + ": " + note.text + "\n";
  return out;
}

inline void check_table(const import::domain_table& table) {
  bool sound = !table.hosts.empty();
  std::size_t members = 0;
  std::set<std::string> names;
  std::uint32_t first = 0;
  for (std::uint32_t d = 0; d < table.domains.size(); ++d) {
    const auto& hosts = table.domains[d].hosts;
    sound = sound && !hosts.empty() && hosts.front() >= first;
    if (!hosts.empty()) first = hosts.front();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      sound = sound && (i == 0 || hosts[i - 1] < hosts[i]) && hosts[i] < table.hosts.size() && table.hosts[hosts[i]].domain == d;
    }
    members += hosts.size();
  }
  for (const auto& host : table.hosts) {
    members -= host.domain ? 1U : 0U;
    sound = sound && host.domain.has_value() == (host.standing == import::fabric_standing::in_domain);
    sound = sound && names.insert(host.name).second;
  }
  CHECK(sound);
  CHECK(members == 0);
}

inline void check_tree(const import::network_tree& tree) {
  bool sound = !tree.hosts.empty();
  std::set<std::string> names;
  for (const auto& h : tree.hosts) {
    sound = sound && h.leaf < tree.switches.size() && names.insert(h.name).second;
  }
  for (const auto& s : tree.switches) {
    sound = sound && (!s.parent || (*s.parent < tree.switches.size() && tree.switches[*s.parent].level > s.level));
  }
  CHECK(sound);
}

}  // namespace topoplan_test
