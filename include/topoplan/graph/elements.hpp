// What the vertices and edges of a fabric graph are.
#pragma once

#include <topoplan/core/units.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace topoplan::inline v1 {

// What a vertex is. `core` is every switch above the spines.
enum class vertex_kind : std::uint8_t { gpu, nvswitch, nic, host_bridge, leaf, spine, core };

// "gpu", "nvswitch", ... complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(vertex_kind kind) noexcept {
  constexpr std::string_view names[] = {"gpu", "nvswitch", "nic", "bridge", "leaf", "spine", "core"};
  return names[static_cast<std::size_t>(kind)];
}

// What an edge is. `pcie` joins GPUs, NICs and host bridges, over PCIe or NVLink-C2C; `socket` joins the bridges of a host.
enum class link_kind : std::uint8_t { nvlink, pcie, socket, network };

// "nvlink", "pcie", ... complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(link_kind kind) noexcept {
  constexpr std::string_view names[] = {"nvlink", "pcie", "socket", "network"};
  return names[static_cast<std::size_t>(kind)];
}

// The host of a vertex that belongs to none: switches outside the hosts, NVSwitches that several hosts share.
inline constexpr std::uint32_t no_host = std::numeric_limits<std::uint32_t>::max();

// The bundle of a vertex.
struct fabric_vertex {
  vertex_kind kind = vertex_kind::gpu;
  std::uint32_t host = no_host;
  std::uint32_t index = 0;  // among the vertices of its kind on its host; without a host, in the graph

  friend bool operator==(const fabric_vertex&, const fabric_vertex&) = default;
};

// The bundle of an edge. A link between two vertices is two arcs, one a direction, with the same link number; parallel links
// are one link with their count.
struct fabric_edge {
  link_kind kind = link_kind::network;
  bytes_per_second rate;    // of all `count` links together, in the arc's direction
  seconds latency;          // 0: unknown
  std::uint32_t count = 1;  // 0: unknown
  std::uint64_t link = 0;   // the number that both arcs share

  friend bool operator==(const fabric_edge&, const fabric_edge&) = default;
};

}  // namespace topoplan::inline v1
