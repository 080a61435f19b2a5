// The RDMA devices of one host, as ibstat, ibv_devinfo or ibdev2netdev list them.
#pragma once

#include <topoplan/core/units.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace topoplan::inline v1::import {

// The state of the port itself. That of its network interface is another thing: an InfiniBand port works without one.
enum class port_state : std::uint8_t { unknown, down, initializing, armed, active };

// What the port speaks.
enum class link_layer : std::uint8_t { unknown, infiniband, ethernet };

// As messages name it. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(link_layer layer) noexcept {
  constexpr std::string_view names[] = {"unknown", "InfiniBand", "Ethernet"};
  return names[static_cast<std::size_t>(layer)];
}

// A port. Empty or nothing: the tool doesn't say.
struct nic_port {
  std::uint32_t number = 1;
  port_state state = port_state::unknown;
  std::string physical;                  // LinkUp, Polling, Disabled
  std::optional<bytes_per_second> rate;  // only of a port that isn't down: the tools print a made-up one for those
  std::optional<std::uint32_t> lanes;    // of the link: 4 as a rule, 2 on a split port
  link_layer layer = link_layer::unknown;
  std::string guid;  // 0x...; empty also where it is zero
  std::optional<std::uint32_t> lid;
  std::string netdev;  // ib0
  std::optional<bool> netdev_up;
  std::size_t line = 0;

  friend bool operator==(const nic_port&, const nic_port&) = default;
};

// A device: one function of an adapter.
struct nic_device {
  std::string name;  // mlx5_0
  std::string type;  // MT4129
  std::string pci;
  std::string node_guid;    // 0x...
  std::string system_guid;  // 0x...; equal for the devices of one adapter
  std::string transport;    // InfiniBand, iWARP
  std::optional<std::uint32_t> promised_ports;
  std::vector<nic_port> ports;
  std::size_t line = 0;

  friend bool operator==(const nic_device&, const nic_device&) = default;
};

// A plain value.
struct nic_inventory {
  std::string source;
  std::vector<nic_device> devices;  // in the order of the text: often mlx5_10 before mlx5_2
  std::vector<note> notes;
};

// A port by the place of its device and its own in there.
struct port_place {
  std::size_t device = 0;
  std::size_t port = 0;

  friend bool operator==(const port_place&, const port_place&) = default;
};

// The ports that the compute network hangs on: those of the device types that reach the highest rate, the ones that are down too;
// where InfiniBand and Ethernet reach it both, InfiniBand. Management and storage NICs are slower.
// post: in the order of the devices; empty when no rate and no InfiniBand is known. complexity: O(ports^2). errors: none.
[[nodiscard]] inline std::vector<port_place> compute_ports(const nic_inventory& nics) {
  const auto rank_of = [&](const std::string& type, const nic_port& like) {
    double rate = 0;
    for (const nic_device& device : nics.devices) {
      for (const nic_port& port : device.ports) {
        if (device.type == type && port.layer == like.layer && port.rate) rate = std::max(rate, port.rate->value);
      }
    }
    return std::tuple{rate, like.layer == link_layer::infiniband};
  };
  std::tuple<double, bool> best{0, false};
  std::vector<port_place> places;
  for (std::size_t d = 0; d < nics.devices.size(); ++d) {
    for (std::size_t p = 0; p < nics.devices[d].ports.size(); ++p) {
      const auto rank = rank_of(nics.devices[d].type, nics.devices[d].ports[p]);
      if (rank == std::tuple{0.0, false} || rank < best) continue;
      if (rank > best) places.clear();
      best = rank;
      places.push_back({d, p});
    }
  }
  return places;
}

}  // namespace topoplan::inline v1::import
