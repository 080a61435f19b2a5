// What a test needs to say of an InfiniBand fabric in one line each.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_network.hpp>
#include <topoplan/import/iblinkinfo.hpp>
#include <topoplan/import/ibnetdiscover.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"

namespace topoplan_test {

inline import::ib_fabric read_fabric(const std::string& text, const std::string& source) {
  return text.find("==(") == std::string::npos ? import::ibnetdiscover(text, source) : import::iblinkinfo(text, source);
}

// "2 switches 3 adapters 1 routers 7 cables 0 idle"
inline std::string counts_of(const import::ib_fabric& f) {
  const auto routers = count(f, import::ib_kind::router);
  return std::to_string(count(f, import::ib_kind::fabric_switch)) + " switches " +
         std::to_string(count(f, import::ib_kind::adapter)) + " adapters " +
         (routers == 0 ? "" : std::to_string(routers) + " routers ") + std::to_string(f.cables.size()) + " cables " +
         std::to_string(f.idle_ports.size()) + " idle";
}

// How many cables have each rate: "4xEDR:3 4x???:1".
inline std::string rates_of(const import::ib_fabric& f) {
  std::map<std::string, std::size_t> count;
  for (const auto& cable : f.cables) ++count[to_string(cable.rate)];
  std::string out;
  for (const auto& [rate, cables] : count) out += (out.empty() ? "" : " ") + rate + ':' + std::to_string(cables);
  return out;
}

// The cables by the descriptions of their ends, whatever order they were read in.
inline std::multiset<std::string> cables_of(const import::ib_fabric& f) {
  std::multiset<std::string> all;
  for (const auto& cable : f.cables) {
    std::vector<std::string> ends;
    for (const auto& end : cable.ends) ends.push_back(f.devices[end.device].description + '[' + std::to_string(end.number) + ']');
    std::sort(ends.begin(), ends.end());
    all.insert(ends[0] + " - " + ends[1] + ' ' + to_string(cable.rate));
  }
  return all;
}

// What every reader promises: ends that exist, each port in one cable, GUIDs that are unique.
inline bool is_sound(const import::ib_fabric& f) {
  bool sound = f.sources.size() > 0 && !f.cables.empty();
  std::set<std::pair<std::uint32_t, std::uint16_t>> ports;
  for (const auto& cable : f.cables) {
    for (const auto& end : cable.ends) sound = sound && end.device < f.devices.size();
    const auto& [a, b] = cable.ends;
    sound = sound && ports.emplace(a.device, a.number).second;
    if (a.device != b.device || a.number != b.number) sound = sound && ports.emplace(b.device, b.number).second;
  }
  for (const auto& idle : f.idle_ports)
    sound = sound && idle.device < f.devices.size() && !ports.contains({idle.device, idle.number});
  std::set<std::uint64_t> guids;
  for (const auto& device : f.devices) {
    sound = sound && (device.guid == 0 ? !device.id.empty() : guids.insert(device.guid).second);
    sound = sound && device.source < f.sources.size();
  }
  return sound;
}

// The message of the parse_error that a reader throws; empty if it throws none.
template <class Read> std::string refusal(const Read& read) {
  try {
    read();
  } catch (const topoplan::parse_error& e) {
    return e.what();
  }
  return {};
}

// The groups of a tree with their hosts: "leaf-[0-1]{a,b}<spine".
inline std::string tree_text(const import::network_tree& tree) {
  std::string out;
  std::vector<std::string> hosts(tree.switches.size());
  for (const auto& host : tree.hosts) hosts[host.leaf] += (hosts[host.leaf].empty() ? "" : ",") + host.name;
  for (std::size_t s = 0; s < tree.switches.size(); ++s) {
    if (hosts[s].empty()) continue;
    out += (out.empty() ? "" : " ") + tree.switches[s].name + '{' + hosts[s] + '}';
    for (auto above = tree.switches[s].parent; above; above = tree.switches[*above].parent)
      out += '<' + tree.switches[*above].name;
  }
  return out;
}

inline std::size_t count_faults(const import::ib_network& network, import::ib_fault_kind kind) {
  return static_cast<std::size_t>(
      std::count_if(network.faults.begin(), network.faults.end(), [&](const auto& fault) { return fault.kind == kind; }));
}

inline bool has_fault(const import::ib_network& network, import::ib_fault_kind kind, std::string_view part) {
  return std::any_of(network.faults.begin(), network.faults.end(),
                     [&](const auto& fault) { return fault.kind == kind && fault.text.find(part) != std::string::npos; });
}

}  // namespace topoplan_test
