// A fabric seen from its switches: which switches are neighbours, by how many cables, and whose adapters hang on each.
#pragma once

#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_hosts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

inline constexpr std::uint32_t ib_none = std::numeric_limits<std::uint32_t>::max();

// A port of a host on a switch.
struct ib_host_port {
  std::uint32_t host = 0;
  std::uint32_t adapter = 0;  // of the host
  std::uint32_t cable = 0;
};

// Cables between two switches.
struct ib_neighbour {
  std::uint32_t to = 0;
  std::vector<std::uint32_t> cables;
};

struct ib_switch {
  std::uint32_t device = 0;
  std::string name;                      // unique among the switches
  std::vector<ib_host_port> ports;       // by host
  std::vector<std::uint32_t> hosts;      // ascending, each once
  std::vector<ib_neighbour> neighbours;  // ascending
};

struct ib_links {
  std::vector<ib_switch> switches;
  std::vector<std::vector<std::uint32_t>> leafs_of;  // of each host: the switches that it hangs on, ascending, each once
};

// "MF0;A09-LEAF-04:MQM9701/U1", as managed switches call themselves, is A09-LEAF-04. A GUID follows where names repeat.
inline void name_switches(const ib_fabric& fabric, std::vector<ib_switch>& switches) {
  std::unordered_map<std::string, std::size_t> used;
  for (ib_switch& s : switches) {
    const ib_device& device = fabric.devices[s.device];
    std::string name = device.description;
    if (const auto colon = name.rfind(':'); name.starts_with("MF0;") && colon != std::string::npos) {
      const auto slash = name.find('/', colon);
      const std::string chip = slash == std::string::npos || name.substr(slash) == "/U1" ? "" : name.substr(slash);
      name = name.substr(4, colon - 4) + chip;
    }
    s.name = name.empty() ? (device.guid != 0 ? guid_text(device.guid) : device.id) : name;
    ++used[s.name];
  }
  for (ib_switch& s : switches) {
    const ib_device& device = fabric.devices[s.device];
    if (used[s.name] > 1) s.name += ' ' + (device.guid != 0 ? guid_text(device.guid) : device.id);
  }
}

// complexity: O(devices + cables log cables).
[[nodiscard]] inline ib_links links_of(const ib_fabric& fabric, const ib_hosts& hosts, std::vector<note>& notes) {
  ib_links links;
  std::vector<std::uint32_t> switch_of(fabric.devices.size(), ib_none);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> owner(fabric.devices.size(), {ib_none, 0});
  for (std::uint32_t d = 0; d < fabric.devices.size(); ++d) {
    if (fabric.devices[d].kind != ib_kind::fabric_switch) continue;
    switch_of[d] = static_cast<std::uint32_t>(links.switches.size());
    links.switches.push_back({d, {}, {}, {}, {}});
  }
  for (std::uint32_t h = 0; h < hosts.hosts.size(); ++h) {
    for (std::uint32_t a = 0; a < hosts.hosts[h].adapters.size(); ++a) owner[hosts.hosts[h].adapters[a].device] = {h, a};
  }
  links.leafs_of.resize(hosts.hosts.size());
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> toward(links.switches.size());  // other switch, cable
  note_pile direct;
  for (std::uint32_t c = 0; c < fabric.cables.size(); ++c) {
    const ib_cable& cable = fabric.cables[c];
    const auto a = cable.ends[0].device;
    const auto b = cable.ends[1].device;
    if (a == b) continue;
    if (switch_of[a] != ib_none && switch_of[b] != ib_none) {
      toward[switch_of[a]].emplace_back(switch_of[b], c);
      toward[switch_of[b]].emplace_back(switch_of[a], c);
      continue;
    }
    if (switch_of[a] == ib_none && switch_of[b] == ib_none) {
      direct.add(fabric.sources.size() > 1 ? 0 : cable.line, [&] {
        return name_of(fabric.devices[a]) + " and " + name_of(fabric.devices[b]) + " are cabled to each other, past all switches";
      });
      continue;
    }
    const auto s = switch_of[a] != ib_none ? switch_of[a] : switch_of[b];
    const auto [host, adapter] = owner[switch_of[a] != ib_none ? b : a];
    if (host != ib_none) links.switches[s].ports.push_back({host, adapter, c});
  }
  direct.move_to(notes);
  for (std::uint32_t s = 0; s < links.switches.size(); ++s) {
    ib_switch& here = links.switches[s];
    std::sort(here.ports.begin(), here.ports.end(), [](const ib_host_port& x, const ib_host_port& y) {
      return std::tuple(x.host, x.adapter, x.cable) < std::tuple(y.host, y.adapter, y.cable);
    });
    for (const ib_host_port& port : here.ports) {
      if (!here.hosts.empty() && here.hosts.back() == port.host) continue;
      here.hosts.push_back(port.host);
      links.leafs_of[port.host].push_back(s);
    }
    std::sort(toward[s].begin(), toward[s].end());
    for (const auto& [to, cable] : toward[s]) {
      if (here.neighbours.empty() || here.neighbours.back().to != to) here.neighbours.push_back({to, {}});
      here.neighbours.back().cables.push_back(cable);
    }
  }
  name_switches(fabric, links.switches);
  return links;
}

}  // namespace topoplan::inline v1::import::detail
