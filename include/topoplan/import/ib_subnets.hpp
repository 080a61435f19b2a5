// Puts the discoveries of several InfiniBand subnets together: a rail-only fabric has one for each rail or group of rails.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class ib_subnet_merger {
 public:
  void add(ib_fabric fabric) {
    const auto first_source = static_cast<std::uint32_t>(merged_.sources.size());
    for (std::string& source : fabric.sources) merged_.sources.push_back(std::move(source));
    std::vector<std::uint32_t> place;
    for (ib_device& device : fabric.devices) place.push_back(add_device(std::move(device), first_source));
    for (ib_cable& cable : fabric.cables) {
      for (ib_port& end : cable.ends) end.device = place[end.device];
      cable.source += first_source;
      add_cable(cable);
    }
    for (ib_idle_port& idle : fabric.idle_ports) {
      idle.device = place[idle.device];
      if (!of_port_.contains(key_of({idle.device, idle.number, 0}))) merged_.idle_ports.push_back(idle);
    }
    const bool one = merged_.sources.size() == first_source + 1;
    for (note& n : fabric.notes) {
      if (one) n.text = location{merged_.sources.back(), n.line, 0}.str() + ": " + n.text;
      merged_.notes.push_back({0, std::move(n.text)});
    }
  }

  [[nodiscard]] ib_fabric take() {
    std::erase_if(merged_.idle_ports,
                  [&](const ib_idle_port& idle) { return of_port_.contains(key_of({idle.device, idle.number, 0})); });
    return std::move(merged_);
  }

 private:
  [[nodiscard]] static std::uint64_t key_of(const ib_port& port) noexcept {
    return std::uint64_t{port.device} << 16U | port.number;
  }

  // A device without a GUID is known by an id that other sources may use for another one.
  [[nodiscard]] std::uint32_t add_device(ib_device device, std::uint32_t first_source) {
    const auto next = static_cast<std::uint32_t>(merged_.devices.size());
    device.source += first_source;
    const auto index = device.guid == 0 ? next : of_guid_.emplace(device.guid, next).first->second;
    if (index == next) {
      merged_.devices.push_back(std::move(device));
      return next;
    }
    ib_device& known = merged_.devices[index];
    if (known.kind != device.kind) {
      throw parse_error(where(device.source, device.line), "one kind of device for " + name_of(known),
                        std::string(to_string(device.kind)) + ", and " + where(known.source, known.line).str() + " has " +
                            std::string(to_string(known.kind)));
    }
    known.ports = std::max(known.ports, device.ports);
    if (known.description.empty()) known.description = std::move(device.description);
    return index;
  }

  void add_cable(const ib_cable& cable) {
    const auto next = static_cast<std::uint32_t>(merged_.cables.size());
    const auto a = of_port_.emplace(key_of(cable.ends[0]), next).first->second;
    const auto b = of_port_.emplace(key_of(cable.ends[1]), next).first->second;
    if (a == next && b == next) {
      merged_.cables.push_back(cable);
      return;
    }
    ib_cable& known = merged_.cables[std::min(a, b)];
    if (a != b) {
      throw parse_error(where(cable.source, cable.line), "the cable that " + where(known.source, known.line).str() + " has there",
                        "another one: " + name_of(merged_.devices[cable.ends[0].device]) + " to " +
                            name_of(merged_.devices[cable.ends[1].device]) + "; the scans aren't of one moment");
    }
    if (cable.rate.known() && (!known.rate.known() || data_rate(cable.rate) < data_rate(known.rate))) known.rate = cable.rate;
  }

  [[nodiscard]] location where(std::uint32_t source, std::size_t line) const { return {merged_.sources[source], line, 0}; }

  ib_fabric merged_;
  std::unordered_map<std::uint64_t, std::uint32_t> of_guid_;
  std::unordered_map<std::uint64_t, std::uint32_t> of_port_;
};

}  // namespace detail

// One fabric of all outputs. Devices with one GUID are one device, scans of one subnet from two places agree; hosts are joined
// later, by name. post: each device and cable once; every note says which source it is about.
// complexity: O(devices + cables). errors: invalid_argument for no fabric; parse_error where two outputs contradict each other.
[[nodiscard]] inline ib_fabric merge_subnets(std::vector<ib_fabric> fabrics) {
  if (fabrics.empty()) throw invalid_argument("merge_subnets wants at least one fabric");
  if (fabrics.size() == 1) return std::move(fabrics.front());
  detail::ib_subnet_merger merger;
  for (ib_fabric& fabric : fabrics) merger.add(std::move(fabric));
  return merger.take();
}

// A place in one of the sources. pre: source < fabric.sources.size(). complexity: O(text). errors: none.
[[nodiscard]] inline location place_in(const ib_fabric& fabric, std::uint32_t source, std::size_t line) {
  return {fabric.sources[source], line, 0};
}

}  // namespace topoplan::inline v1::import
