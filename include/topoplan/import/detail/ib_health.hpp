// Finds what is degraded in a fabric by comparing hosts, leafs and cables with their peers.
#pragma once

#include <topoplan/import/detail/ib_leaf_groups.hpp>
#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/detail/ib_rails.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/tally.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_fault.hpp>
#include <topoplan/import/ib_hosts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class ib_examination {
 public:
  ib_examination(const ib_fabric& fabric, const ib_hosts& hosts, const ib_links& links, const ib_groups& groups,
                 const ib_rails& rails)
      : fabric_(fabric), hosts_(hosts), links_(links), groups_(groups), rails_(rails) {}

  // In words, how many parts the leafs of one group are in that no switch joins, as in a rail-only fabric; empty for one.
  [[nodiscard]] std::string parts() const {
    auto joined = joined_switches();
    std::map<std::uint32_t, name_list> rails;  // of the parts of the first group that has several
    for (const auto& leafs : groups_.leafs) {
      rails.clear();
      for (const auto s : leafs) rails[joined.find(s)].add(std::to_string(rails_.of_switch[s]));
      if (rails.size() > 1) break;
    }
    if (rails.size() < 2) return {};
    name_list parts("; ");
    for (const auto& [part, numbers] : rails) parts.add("rails " + numbers.text());
    return "the switches are in " + std::to_string(rails.size()) +
           " parts that only hosts join, as in a rail-only fabric: " + parts.text();
  }

  // complexity: O(cables log cables).
  [[nodiscard]] std::vector<ib_fault> faults() {
    look_at_hosts();
    look_at_groups();
    look_at_stray_cables();
    look_at_rails();
    return std::move(faults_);
  }

 private:
  void add(ib_fault_kind kind, std::uint32_t source, std::size_t line, std::string text, std::optional<std::uint32_t> host = {}) {
    faults_.push_back({kind, host, source, line, std::move(text)});
  }
  void add_at_device(ib_fault_kind kind, std::uint32_t device, std::string text, std::optional<std::uint32_t> host = {}) {
    add(kind, fabric_.devices[device].source, fabric_.devices[device].line, std::move(text), host);
  }
  [[nodiscard]] const std::string& name(std::uint32_t s) const { return links_.switches[s].name; }

  // "leaf-r3 (rail 3)"
  [[nodiscard]] std::string leaf_name(std::uint32_t s) const {
    return name(s) + (rails_.count > 1 ? " (rail " + std::to_string(rails_.of_switch[s]) + ')' : "");
  }

  [[nodiscard]] std::vector<std::size_t> ports_of_hosts() const {
    std::vector<std::size_t> ports(hosts_.hosts.size(), 0);
    for (const ib_switch& s : links_.switches) {
      for (const ib_host_port& port : s.ports) ++ports[port.host];
    }
    return ports;
  }

  // Against the hosts of the group, or, where it has one or two, against all.
  void look_at_hosts() {
    const auto ports = ports_of_hosts();
    tally<std::size_t> all;
    for (std::uint32_t h = 0; h < ports.size(); ++h) {
      if (groups_.of_host[h] != ib_none) all.add(ports[h]);
    }
    for (std::uint32_t g = 0; g < groups_.hosts.size(); ++g) {
      tally<std::size_t> here;
      for (const auto h : groups_.hosts[g]) here.add(ports[h]);
      const auto& peers = here.total() > 2 ? here : all;
      for (const auto h : groups_.hosts[g]) {
        if (peers.has_usual() && ports[h] < peers.usual()) say_fewer_adapters(h, g, ports[h], peers);
      }
    }
  }

  void say_fewer_adapters(std::uint32_t h, std::uint32_t g, std::size_t ports, const tally<std::size_t>& peers) {
    name_list missing;
    const auto& leafs = links_.leafs_of[h];
    for (const auto s : groups_.leafs[g]) {
      if (missing.full()) break;
      if (!std::binary_search(leafs.begin(), leafs.end(), s)) missing.add(leaf_name(s));
    }
    add_at_device(ib_fault_kind::missing_adapter, hosts_.hosts[h].adapters.front().device,
                  hosts_.hosts[h].name + " has " + std::to_string(ports) + (ports == 1 ? " adapter" : " adapters") +
                      " on leaf switches, and " + std::to_string(peers.of(peers.usual())) + " of " +
                      std::to_string(peers.total()) + " hosts have " + std::to_string(peers.usual()) +
                      (missing.empty() ? "" : ": none on " + missing.text()),
                  h);
  }

  void look_at_groups() {
    tally<std::size_t> widths;
    for (std::uint32_t g = 0; g < groups_.leafs.size(); ++g) {
      if (!is_of_spines(g)) widths.add(groups_.leafs[g].size());
    }
    for (std::uint32_t g = 0; g < groups_.leafs.size(); ++g) {
      const auto& leafs = groups_.leafs[g];
      if (is_of_spines(g) || !widths.has_usual() || leafs.size() >= widths.usual()) continue;
      name_list rails;
      for (std::uint16_t r = 0; r < rails_.count && rails_.told && !rails.full(); ++r) {
        const bool has = std::any_of(leafs.begin(), leafs.end(), [&](auto s) { return rails_.of_switch[s] == r; });
        if (!has) rails.add(std::to_string(r));
      }
      add_at_device(ib_fault_kind::missing_rail, links_.switches[leafs.front()].device,
                    "the leaf group of " + name(leafs.front()) + " has " + std::to_string(leafs.size()) +
                        (leafs.size() == 1 ? " leaf" : " leafs") + ", and " + std::to_string(widths.of(widths.usual())) + " of " +
                        std::to_string(widths.total()) + " groups have " + std::to_string(widths.usual()) +
                        (rails.empty() ? "" : ": rail " + rails.text() + " is missing"));
    }
  }

  [[nodiscard]] bool is_of_spines(std::uint32_t g) const {
    return std::all_of(groups_.leafs[g].begin(), groups_.leafs[g].end(), [&](auto s) { return groups_.above[s]; });
  }

  // A host with few of the group's adapters is another kind of machine, whose adapters stand elsewhere.
  void look_at_stray_cables() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> leaf_of;  // group and place
    for (std::uint32_t g = 0; g < groups_.leafs.size(); ++g) {
      for (const auto s : groups_.leafs[g]) leaf_of.emplace(std::pair(g, rails_.place_of_switch[s]), s);
    }
    for (std::uint32_t s = 0; s < links_.switches.size(); ++s) {
      const auto group = groups_.of_switch[s];
      for (const ib_host_port& port : links_.switches[s].ports) {
        const ib_host& host = hosts_.hosts[port.host];
        if (groups_.of_host[port.host] != group) {
          say_stray(port, s, "is of another leaf group than most of its adapters");
          continue;
        }
        const auto place = place_of(host, port.adapter);
        const auto leafs = groups_.leafs[group].size();
        if (leafs < 2 || place == rails_.place_of_switch[s] || 2 * links_.leafs_of[port.host].size() <= leafs) continue;
        const auto other = leaf_of.find({group, place});
        if (other != leaf_of.end()) say_stray(port, s, "isn't " + leaf_name(other->second) + ", as on the other hosts");
      }
    }
  }

  void say_stray(const ib_host_port& port, std::uint32_t s, const std::string& why) {
    const ib_host& host = hosts_.hosts[port.host];
    const ib_cable& cable = fabric_.cables[port.cable];
    add(ib_fault_kind::stray_cable, cable.source, cable.line,
        "adapter " + host.adapters[port.adapter].name + " of " + host.name + " hangs on " + leaf_name(s) + ", which " + why,
        port.host);
  }

  [[nodiscard]] disjoint_sets joined_switches() const {
    disjoint_sets joined(links_.switches.size());
    for (std::uint32_t s = 0; s < links_.switches.size(); ++s) {
      for (const ib_neighbour& n : links_.switches[s].neighbours) joined.join(s, n.to);
    }
    return joined;
  }

  // Rails that fall apart where others hold together.
  void look_at_rails() {
    auto joined = joined_switches();
    std::map<std::uint16_t, std::map<std::uint32_t, std::uint32_t>> parts;  // of each rail: sets, each with its first leaf
    for (const auto& leafs : groups_.leafs) {
      for (const auto s : leafs) parts[rails_.of_switch[s]].emplace(joined.find(s), s);
    }
    std::size_t fewest = ib_none;
    for (const auto& [rail, sets] : parts) fewest = std::min(fewest, sets.size());
    for (const auto& [rail, sets] : parts) {
      if (sets.size() == fewest) continue;
      name_list leafs;
      for (const auto& [set, first] : sets) leafs.add(name(first));
      add_at_device(ib_fault_kind::split_rail, links_.switches[sets.begin()->second].device,
                    "rail " + std::to_string(rail) + " is in " + std::to_string(sets.size()) +
                        " parts without a path to each other (" + leafs.text() + "), and other rails in " +
                        std::to_string(fewest));
    }
  }

  const ib_fabric& fabric_;
  const ib_hosts& hosts_;
  const ib_links& links_;
  const ib_groups& groups_;
  const ib_rails& rails_;
  std::vector<ib_fault> faults_;
};

// The first few of each kind. post: with several sources the text says which.
[[nodiscard]] inline std::vector<note> notes_of(const ib_fabric& fabric, const std::vector<ib_fault>& faults) {
  std::map<ib_fault_kind, note_pile> piles;
  const bool several = fabric.sources.size() > 1;
  for (const ib_fault& fault : faults) {
    piles[fault.kind].add(several ? 0 : fault.line, [&] {
      return several ? location{fabric.sources[fault.source], fault.line, 0}.str() + ": " + fault.text : fault.text;
    });
  }
  std::vector<note> notes;
  for (auto& [kind, pile] : piles) pile.move_to(notes);
  return notes;
}

}  // namespace topoplan::inline v1::import::detail
