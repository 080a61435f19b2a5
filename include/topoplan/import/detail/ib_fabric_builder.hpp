// Puts devices and cables together as lines name them, from one end or from both.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// What names a device: a GUID, or the id of an ibsim file.
struct ib_key {
  std::uint64_t guid = 0;
  std::string_view id;  // used when guid is 0
};

class ib_fabric_builder {
 public:
  explicit ib_fabric_builder(std::string source) { fabric_.sources.push_back(std::move(source)); }

  [[nodiscard]] const std::string& source() const { return fabric_.sources.front(); }
  [[nodiscard]] const ib_device& at(std::uint32_t device) const { return fabric_.devices[device]; }

  // The device of that key, made when it is new. No kind: another line will say it.
  // errors: parse_error when it is of another kind elsewhere.
  std::uint32_t device(std::optional<ib_kind> kind, const ib_key& key, const location& where) {
    const auto next = static_cast<std::uint32_t>(fabric_.devices.size());
    const auto found =
        key.guid != 0 ? by_guid_.emplace(key.guid, next).first->second : by_id_.emplace(std::string(key.id), next).first->second;
    if (found < next) {
      ib_device& known = fabric_.devices[found];
      if (!kind) return found;
      if (!has_kind_[found]) known.kind = *kind;
      has_kind_[found] = true;
      if (known.kind != *kind) {
        throw parse_error(where, "one kind of device for " + name_of(known),
                          std::string(to_string(*kind)) + ", and line " + std::to_string(known.line) + " has " +
                              std::string(to_string(known.kind)));
      }
      return found;
    }
    ib_device made;
    made.kind = kind.value_or(ib_kind::adapter);
    made.guid = key.guid;
    if (key.guid == 0) made.id = std::string(key.id);
    made.line = where.line;
    fabric_.devices.push_back(std::move(made));
    has_record_.push_back(false);
    has_kind_.push_back(kind.has_value());
    return next;
  }

  // A record of its own says more than lines of its peers. `ports` of 0: not said.
  void record(std::uint32_t device, std::string_view description, std::uint32_t ports, std::size_t line) {
    ib_device& d = fabric_.devices[device];
    if (!has_record_[device]) {
      if (!d.description.empty() && !description.empty() && d.description != description) say_renamed(d, description, line);
      if (!description.empty()) d.description = description;
      d.line = line;
    }
    d.ports = std::max(d.ports, ports);
    has_record_[device] = true;
  }

  // How a peer calls it: believed until its own record comes.
  void call(std::uint32_t device, std::string_view description, std::size_t line) {
    ib_device& d = fabric_.devices[device];
    if (description.empty() || d.description == description) return;
    if (d.description.empty()) d.description = description;
    else say_renamed(d, description, line);
  }

  // `near` prints the line. True if the cable is new. errors: parse_error when a port has another peer elsewhere.
  bool cable(const ib_port& near, const ib_port& far, ib_rate rate, const location& where) {
    const auto next = static_cast<std::uint32_t>(fabric_.cables.size());
    const auto a = of_port_.emplace(key_of(near), next).first->second;
    const auto b = of_port_.emplace(key_of(far), next).first->second;
    if (a == next && b == next) {
      fabric_.cables.push_back({{near, far}, rate, 0, where.line});
      printed_.push_back(1);
      return true;
    }
    if (a != b) refuse_second_peer(near, far, a, b, where);
    ib_cable& known = fabric_.cables[a];
    const std::size_t end = same_port(known.ends[0], near) ? 0 : 1;
    merge_guid(known.ends[end], near);
    merge_guid(known.ends[1 - end], far);
    printed_[a] |= static_cast<std::uint8_t>(1U << end);
    if (rate == known.rate) return false;
    if (rate.known() && known.rate.known()) {
      disagreeing_.add(where.line, [&] {
        return port_name(near) + " runs at " + to_string(rate) + ", its other end, in line " + std::to_string(known.line) +
               ", at " + to_string(known.rate) + ": the lower rate counts";
      });
      if (data_rate(rate) < data_rate(known.rate)) known.rate = rate;
    } else if (rate.known()) {
      known.rate = rate;
    }
    return false;
  }

  void idle(std::uint32_t device, std::uint16_t number, std::size_t line) {
    fabric_.idle_ports.push_back({device, number, line});
  }

  // errors: parse_error for a text without cables, and for a device whose kind no line says. complexity: O(devices + cables).
  [[nodiscard]] ib_fabric take(const std::string& expected, bool peers_have_records) {
    for (std::size_t i = 0; i < fabric_.devices.size(); ++i) {
      const ib_device& d = fabric_.devices[i];
      if (!has_kind_[i])
        throw parse_error({source(), d.line, 0}, "a record of " + name_of(d) + ", which a port leads to", "none");
    }
    if (fabric_.cables.empty()) refuse_empty(expected);
    tidy_idle_ports();
    if (peers_have_records) say_what_is_cut();
    disagreeing_.move_to(fabric_.notes);
    renamed_.move_to(fabric_.notes);
    say_self_cables();
    const auto unknown =
        std::count_if(fabric_.cables.begin(), fabric_.cables.end(), [](const auto& c) { return !c.rate.known(); });
    if (unknown > 0) fabric_.notes.push_back({0, "the rate of " + std::to_string(unknown) + " cables isn't given"});
    return std::move(fabric_);
  }

  [[nodiscard]] std::vector<note>& notes() noexcept { return fabric_.notes; }

 private:
  [[nodiscard]] static std::uint64_t key_of(const ib_port& port) noexcept {
    return std::uint64_t{port.device} << 16U | port.number;
  }
  [[nodiscard]] static bool same_port(const ib_port& a, const ib_port& b) noexcept { return key_of(a) == key_of(b); }
  static void merge_guid(ib_port& port, const ib_port& seen) noexcept {
    if (port.guid == 0) port.guid = seen.guid;
  }

  [[nodiscard]] std::string port_name(const ib_port& port) const {
    return name_of(fabric_.devices[port.device]) + " port " + std::to_string(port.number);
  }

  void say_renamed(const ib_device& d, std::string_view description, std::size_t line) {
    renamed_.add(line,
                 [&] { return name_of(d) + " is called " + quoted(description) + " here: it is taken for the same device"; });
  }

  [[noreturn]] void refuse_second_peer(const ib_port& near, const ib_port& far, std::uint32_t a, std::uint32_t b,
                                       const location& where) const {
    const auto next = static_cast<std::uint32_t>(fabric_.cables.size());
    const ib_port& port = a < next ? near : far;
    const ib_cable& known = fabric_.cables[a < next ? a : b];
    const ib_port& peer = same_port(known.ends[0], port) ? known.ends[1] : known.ends[0];
    throw parse_error(where, "one peer of " + port_name(port),
                      port_name(a < next ? far : near) + ", and line " + std::to_string(known.line) + " has " + port_name(peer) +
                          "; two scans in one text?");
  }

  [[noreturn]] void refuse_empty(const std::string& expected) const {
    const auto adapters = count(fabric_, ib_kind::adapter);
    const auto switches = count(fabric_, ib_kind::fabric_switch);
    if (fabric_.devices.empty()) throw parse_error({source(), 0, 0}, expected, "none");
    const auto counted = [](std::size_t n, std::string_view what) {
      return std::to_string(n) + ' ' + std::string(what) + (n == 1 ? "" : what.ends_with('h') ? "es" : "s");
    };
    const auto idle = fabric_.idle_ports.size();
    throw parse_error(
        {source(), 0, 0}, expected,
        counted(adapters, "adapter") + ", " + counted(switches, "switch") + " and no cable" +
            (idle == 0 ? ": the scan found nothing beyond them" : ", only " + counted(idle, "port") + " without a peer"));
  }

  // Once each, and none that a peer names.
  void tidy_idle_ports() {
    auto& idle_ports = fabric_.idle_ports;
    std::set<std::pair<std::uint32_t, std::uint16_t>> seen;
    std::erase_if(idle_ports, [&](const ib_idle_port& idle) { return !seen.emplace(idle.device, idle.number).second; });
    note_pile contradicted;
    std::erase_if(idle_ports, [&](const ib_idle_port& idle) {
      const ib_port port{idle.device, idle.number, 0};
      const auto cable = of_port_.find(key_of(port));
      if (cable == of_port_.end()) return false;
      contradicted.add(idle.line, [&] {
        return port_name(port) + " has no peer here, and has one in line " + std::to_string(fabric_.cables[cable->second].line) +
               ": the cable counts";
      });
      return true;
    });
    contradicted.move_to(fabric_.notes);
  }

  void say_what_is_cut() {
    note_pile strangers;
    for (std::uint32_t i = 0; i < fabric_.devices.size(); ++i) {
      const ib_device& d = fabric_.devices[i];
      if (has_record_[i]) continue;
      strangers.add(d.line, [&] { return name_of(d) + " is named by its peers only: the text is cut or filtered"; });
    }
    strangers.move_to(fabric_.notes);
    note_pile halves;
    for (std::size_t i = 0; i < fabric_.cables.size(); ++i) {
      const ib_cable& cable = fabric_.cables[i];
      if (printed_[i] == 3 || !has_record_[cable.ends[0].device] || !has_record_[cable.ends[1].device]) continue;
      if (same_port(cable.ends[0], cable.ends[1])) continue;
      halves.add(cable.line, [&] {
        return "the cable from " + port_name(cable.ends[0]) + " to " + port_name(cable.ends[1]) +
               " isn't printed by its other end: the text is cut or edited";
      });
    }
    halves.move_to(fabric_.notes);
  }

  void say_self_cables() {
    note_pile loops;
    for (const ib_cable& cable : fabric_.cables) {
      if (cable.ends[0].device != cable.ends[1].device) continue;
      loops.add(cable.line, [&] {
        return "a cable joins ports " + std::to_string(cable.ends[0].number) + " and " + std::to_string(cable.ends[1].number) +
               " of " + name_of(fabric_.devices[cable.ends[0].device]) + " with each other";
      });
    }
    loops.move_to(fabric_.notes);
  }

  ib_fabric fabric_;
  std::vector<bool> has_record_;
  std::vector<bool> has_kind_;
  std::vector<std::uint8_t> printed_;  // of each cable: bit i, its end i printed it
  std::unordered_map<std::uint64_t, std::uint32_t> by_guid_;
  std::unordered_map<std::string, std::uint32_t> by_id_;
  std::unordered_map<std::uint64_t, std::uint32_t> of_port_;  // device and number to cable
  note_pile disagreeing_;
  note_pile renamed_;
};

}  // namespace topoplan::inline v1::import::detail
