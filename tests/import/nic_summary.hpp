// What a test needs to say of a nic_inventory in one line each.
#pragma once

#include <topoplan/import/nic_inventory.hpp>

#include <string>
#include <vector>

#include "summary.hpp"

namespace topoplan_test {

// Runs of ports: state, layer and rate in Gb/s: "active InfiniBand 400x8".
inline std::string ports_of(const import::nic_inventory& nics) {
  constexpr const char* states[] = {"unknown", "down", "init", "armed", "active"};
  std::vector<std::string> all;
  for (const auto& device : nics.devices) {
    for (const auto& port : device.ports) {
      const auto rate = port.rate ? std::to_string(static_cast<int>(port.rate->gigabits() + 0.5)) : "-";
      all.push_back(std::string(states[static_cast<std::size_t>(port.state)]) + "/" + std::string(to_string(port.layer)) + "/" +
                    rate);
    }
  }
  return runs(all);
}

inline std::string names_of(const import::nic_inventory& nics) {
  std::string out;
  for (const auto& device : nics.devices) out += (out.empty() ? "" : " ") + device.name;
  return out;
}

inline std::string compute_of(const import::nic_inventory& nics) {
  std::string out;
  for (const auto& place : compute_ports(nics)) out += (out.empty() ? "" : " ") + nics.devices[place.device].name;
  return out;
}

}  // namespace topoplan_test
