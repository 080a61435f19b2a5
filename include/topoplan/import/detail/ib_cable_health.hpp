// Finds cables that are missing between switches, and cables that are slower than their peers.
#pragma once

#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/detail/name_list.hpp>
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

class ib_cable_examination {
 public:
  ib_cable_examination(const ib_fabric& fabric, const ib_hosts& hosts, const ib_links& links,
                       const std::vector<std::uint32_t>& level)
      : fabric_(fabric), hosts_(hosts), links_(links), level_(level) {}

  // complexity: O(cables log cables).
  [[nodiscard]] std::vector<ib_fault> faults() {
    look_at_uplinks();
    look_at_host_cables();
    look_at_switch_cables();
    return std::move(faults_);
  }

 private:
  void add(std::uint32_t device, std::string text) {
    const ib_device& d = fabric_.devices[device];
    faults_.push_back({ib_fault_kind::missing_uplink, {}, d.source, d.line, std::move(text)});
  }
  [[nodiscard]] const std::string& name(std::uint32_t s) const { return links_.switches[s].name; }

  [[nodiscard]] bool is_up(std::uint32_t from, std::uint32_t to) const {
    return level_[from] != ib_none && level_[to] != ib_none && level_[to] > level_[from];
  }

  void look_at_uplinks() {
    std::vector<std::size_t> up(links_.switches.size(), 0);
    std::map<std::uint32_t, tally<std::size_t>> of_level;
    for (std::uint32_t s = 0; s < up.size(); ++s) {
      for (const ib_neighbour& n : links_.switches[s].neighbours) up[s] += is_up(s, n.to) ? n.cables.size() : 0;
      if (level_[s] != ib_none) of_level[level_[s]].add(up[s]);
    }
    std::vector<bool> said(up.size(), false);
    for (std::uint32_t s = 0; s < up.size(); ++s) {
      if (level_[s] == ib_none) continue;
      const auto& peers = of_level.at(level_[s]);
      if (!peers.has_usual() || up[s] >= peers.usual()) continue;
      said[s] = true;
      add(links_.switches[s].device, name(s) + " has " + std::to_string(up[s]) + (up[s] == 1 ? " cable" : " cables") +
                                         " to the switches above it, and " + std::to_string(peers.of(peers.usual())) + " of " +
                                         std::to_string(peers.total()) + " like it have " + std::to_string(peers.usual()) +
                                         what_is_missing(s, up, peers.usual()));
    }
    look_at_bundles(said);
  }

  // Compared with a switch of the same level below one of the same switches.
  [[nodiscard]] std::string what_is_missing(std::uint32_t s, const std::vector<std::size_t>& up, std::size_t usual) const {
    std::size_t tries = 256;
    for (const ib_neighbour& above : links_.switches[s].neighbours) {
      if (!is_up(s, above.to)) continue;
      for (const ib_neighbour& peer : links_.switches[above.to].neighbours) {
        if (tries-- == 0) return {};
        if (level_[peer.to] == level_[s] && up[peer.to] >= usual) return difference(s, peer.to);
      }
    }
    return {};
  }

  [[nodiscard]] std::string difference(std::uint32_t s, std::uint32_t peer) const {
    name_list missing;
    for (const ib_neighbour& n : links_.switches[peer].neighbours) {
      if (!is_up(peer, n.to)) continue;
      const std::size_t cables = cables_between(s, n.to);
      if (cables >= n.cables.size()) continue;
      missing.add((cables == 0 ? "none" : std::to_string(cables) + " of " + std::to_string(n.cables.size())) + " to " +
                  name(n.to));
    }
    return missing.empty() ? "" : ": " + missing.text();
  }

  [[nodiscard]] std::size_t cables_between(std::uint32_t s, std::uint32_t to) const {
    const auto& all = links_.switches[s].neighbours;
    const auto found = std::lower_bound(all.begin(), all.end(), to, [](const auto& n, auto value) { return n.to < value; });
    return found == all.end() || found->to != to ? 0 : found->cables.size();
  }

  // Where switches of a level have different numbers of uplinks: fewer parallel cables to one switch than its others have.
  void look_at_bundles(const std::vector<bool>& said) {
    for (std::uint32_t top = 0; top < links_.switches.size(); ++top) {
      tally<std::size_t> widths;
      for (const ib_neighbour& n : links_.switches[top].neighbours) {
        if (is_up(n.to, top)) widths.add(n.cables.size());
      }
      if (!widths.has_usual()) continue;
      for (const ib_neighbour& n : links_.switches[top].neighbours) {
        if (!is_up(n.to, top) || said[n.to] || n.cables.size() >= widths.usual()) continue;
        add(links_.switches[n.to].device,
            name(n.to) + " has " + std::to_string(n.cables.size()) + (n.cables.size() == 1 ? " cable to " : " cables to ") +
                name(top) + ", and " + std::to_string(widths.of(widths.usual())) + " of " + std::to_string(widths.total()) +
                " switches have " + std::to_string(widths.usual()));
      }
    }
  }

  void say_slow(std::uint32_t cable, const tally<double>& peers, const ib_rate& usual, const std::string& whose,
                std::optional<std::uint32_t> host) {
    const ib_cable& c = fabric_.cables[cable];
    faults_.push_back({ib_fault_kind::slow_cable, host, c.source, c.line,
                       whose + " runs at " + to_string(c.rate) + ", and " + std::to_string(peers.of(peers.usual())) + " of " +
                           std::to_string(peers.total()) + " like it at " + to_string(usual)});
  }

  // Rates of a set of cables, those that aren't known left out.
  struct rates {
    tally<double> values;
    std::map<double, ib_rate> names;
    void add(const ib_rate& rate) {
      if (!rate.known()) return;
      values.add(data_rate(rate).value);
      names.emplace(data_rate(rate).value, rate);
    }
    [[nodiscard]] bool is_slow(const ib_rate& rate) const {
      return rate.known() && values.has_usual() && data_rate(rate).value < values.usual();
    }
    [[nodiscard]] const ib_rate& usual() const { return names.at(values.usual()); }
  };

  // Against the cables of the same leaf, where it has a few: whole leafs of an older generation aren't at fault.
  void look_at_host_cables() {
    rates all;
    std::vector<rates> on(links_.switches.size());
    for (std::uint32_t s = 0; s < on.size(); ++s) {
      for (const ib_host_port& port : links_.switches[s].ports) {
        on[s].add(fabric_.cables[port.cable].rate);
        all.add(fabric_.cables[port.cable].rate);
      }
    }
    for (std::uint32_t s = 0; s < on.size(); ++s) {
      const rates& peers = on[s].values.total() > 2 ? on[s] : all;
      for (const ib_host_port& port : links_.switches[s].ports) {
        if (!peers.is_slow(fabric_.cables[port.cable].rate)) continue;
        const ib_host& host = hosts_.hosts[port.host];
        const std::string& adapter = host.adapters[port.adapter].name;
        say_slow(port.cable, peers.values, peers.usual(),
                 "the cable from " + host.name + (adapter.empty() ? "" : ' ' + adapter) + " to " + name(s), port.host);
      }
    }
  }

  void look_at_switch_cables() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, rates> of_levels;
    const auto each = [&](const auto& visit) {
      for (std::uint32_t s = 0; s < links_.switches.size(); ++s) {
        for (const ib_neighbour& n : links_.switches[s].neighbours) {
          if (n.to < s || level_[s] == ib_none || level_[n.to] == ib_none) continue;
          auto& peers = of_levels[std::minmax(level_[s], level_[n.to])];
          for (const auto cable : n.cables) visit(s, n.to, cable, peers);
        }
      }
    };
    each([&](std::uint32_t, std::uint32_t, std::uint32_t cable, rates& peers) { peers.add(fabric_.cables[cable].rate); });
    each([&](std::uint32_t a, std::uint32_t b, std::uint32_t cable, const rates& peers) {
      if (!peers.is_slow(fabric_.cables[cable].rate)) return;
      const bool upward = level_[a] <= level_[b];
      say_slow(cable, peers.values, peers.usual(), "a cable from " + name(upward ? a : b) + " to " + name(upward ? b : a), {});
    });
  }

  const ib_fabric& fabric_;
  const ib_hosts& hosts_;
  const ib_links& links_;
  const std::vector<std::uint32_t>& level_;
  std::vector<ib_fault> faults_;
};

}  // namespace topoplan::inline v1::import::detail
