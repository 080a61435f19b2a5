// Which rail each leaf switch carries, from the place that its hosts' adapters have among the adapters of a host.
#pragma once

#include <topoplan/import/detail/ib_leaf_groups.hpp>
#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/ib_hosts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace topoplan::inline v1::import::detail {

struct ib_rails {
  std::uint16_t count = 1;
  std::vector<std::uint16_t> of_switch;        // 0 for what is no leaf
  std::vector<std::uint32_t> place_of_switch;  // among the adapters of most of its hosts; ib_none: no leaf
  bool told = true;                            // groups of different width could be matched rail by rail
};

// Where an adapter stands on its host: by its own number, else by its order. Only the order of places counts.
[[nodiscard]] inline std::uint32_t place_of(const ib_host& host, std::uint32_t adapter) {
  return host.adapters[adapter].position.value_or(adapter);
}

// What most hosts of the group have plugged in there; the lower place when several are equally common.
[[nodiscard]] inline std::uint32_t usual_place(const ib_switch& leaf, std::uint32_t group, const ib_groups& groups,
                                               const ib_hosts& hosts) {
  std::map<std::uint32_t, std::size_t> votes;
  for (const ib_host_port& port : leaf.ports) {
    if (groups.of_host[port.host] == group) ++votes[place_of(hosts.hosts[port.host], port.adapter)];
  }
  std::uint32_t usual = ib_none;
  std::size_t most = 0;
  for (const auto& [place, count] : votes) {
    if (count > most) usual = place;
    most = std::max(most, count);
  }
  return usual;
}

// Sorts the leafs of each group by rail. post: leafs of a group are on different rails; rails are 0 ... count-1.
// complexity: O(ports log ports).
[[nodiscard]] inline ib_rails find_rails(const ib_links& links, ib_groups& groups, const ib_hosts& hosts) {
  ib_rails rails;
  rails.of_switch.assign(links.switches.size(), 0);
  rails.place_of_switch.assign(links.switches.size(), ib_none);
  std::size_t widest = 1;
  std::vector<std::uint32_t> places;  // ascending, each once
  for (std::uint32_t g = 0; g < groups.leafs.size(); ++g) {
    for (const auto s : groups.leafs[g]) rails.place_of_switch[s] = usual_place(links.switches[s], g, groups, hosts);
    std::sort(groups.leafs[g].begin(), groups.leafs[g].end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(rails.place_of_switch[a], a) < std::tuple(rails.place_of_switch[b], b);
    });
    widest = std::max(widest, groups.leafs[g].size());
    for (const auto s : groups.leafs[g]) places.push_back(rails.place_of_switch[s]);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  rails.count = static_cast<std::uint16_t>(std::min<std::size_t>(widest, 0xffff));
  for (const auto& leafs : groups.leafs) {
    const bool distinct = std::adjacent_find(leafs.begin(), leafs.end(), [&](std::uint32_t a, std::uint32_t b) {
                            return rails.place_of_switch[a] == rails.place_of_switch[b];
                          }) == leafs.end();
    const bool by_place = distinct && places.size() == widest;
    rails.told = rails.told && (by_place || leafs.size() == widest);
    for (std::size_t i = 0; i < leafs.size(); ++i) {
      const auto place = std::lower_bound(places.begin(), places.end(), rails.place_of_switch[leafs[i]]);
      const auto rail = by_place ? static_cast<std::size_t>(place - places.begin()) : i;
      rails.of_switch[leafs[i]] = static_cast<std::uint16_t>(std::min<std::size_t>(rail, 0xffff));
    }
  }
  return rails;
}

}  // namespace topoplan::inline v1::import::detail
