// An InfiniBand fabric as a discovery tool shows it: switches and adapters by GUID, and the cables between their ports.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/node_topology.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

// Generations of InfiniBand signalling, slowest first. `unknown`: the text doesn't say, or has a name that isn't known.
enum class ib_speed : std::uint8_t { unknown, sdr, ddr, qdr, fdr10, fdr, edr, hdr, ndr, xdr };

// As the tools print it. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(ib_speed speed) noexcept {
  constexpr std::string_view names[] = {"???", "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"};
  return names[static_cast<std::size_t>(speed)];
}

// Lanes and signalling of a link: 4xNDR.
struct ib_rate {
  std::uint8_t lanes = 0;  // 0: not said
  ib_speed speed = ib_speed::unknown;

  [[nodiscard]] constexpr bool known() const noexcept { return lanes != 0 && speed != ib_speed::unknown; }
  friend constexpr bool operator==(ib_rate, ib_rate) = default;
};

// As the tools print it: 4xNDR, 4x???. complexity: O(1). errors: none.
[[nodiscard]] inline std::string to_string(ib_rate rate) {
  return (rate.lanes == 0 ? std::string("?") : std::to_string(rate.lanes)) + 'x' + std::string(to_string(rate.speed));
}

// What a link carries in one direction, after line coding; 0 for a rate that isn't known.
// units: bytes per second. complexity: O(1). errors: none.
// source: InfiniBand Architecture Specification, volume 2: 8b/10b up to QDR, 64b/66b from FDR10 on; HDR and later as named.
[[nodiscard]] constexpr bytes_per_second data_rate(ib_rate rate) noexcept {
  constexpr double gigabits_per_lane[] = {0, 2, 4, 8, 10, 14.0625 * 64 / 66, 25, 50, 100, 200};
  return gigabits_per_second(gigabits_per_lane[static_cast<std::size_t>(rate.speed)]) * rate.lanes;
}

// What a device of the fabric is.
enum class ib_kind : std::uint8_t { adapter, fabric_switch, router };

// As messages name it. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(ib_kind kind) noexcept {
  constexpr std::string_view names[] = {"adapter", "switch", "router"};
  return names[static_cast<std::size_t>(kind)];
}

// A device. Descriptions aren't unique: only the GUID, or in an ibsim file the id, is.
struct ib_device {
  ib_kind kind = ib_kind::adapter;
  std::uint64_t guid = 0;    // of the node; `ibnetdiscover -p` and iblinkinfo print that of an adapter's port; 0: not said
  std::string id;            // of an ibsim file that numbers nothing: "Switch1"; else empty
  std::string description;   // "gpu-017 mlx5_3", "MT4129 ConnectX7 Mellanox Technologies"; may be empty
  std::uint32_t ports = 0;   // that it has, plugged or not; 0: not said
  std::uint32_t source = 0;  // index into the fabric's sources
  std::size_t line = 0;      // its own record, or the first line that names it

  friend bool operator==(const ib_device&, const ib_device&) = default;
};

// One end of a cable.
struct ib_port {
  std::uint32_t device = 0;
  std::uint16_t number = 0;
  std::uint64_t guid = 0;  // of an adapter's port; 0: not said

  friend bool operator==(const ib_port&, const ib_port&) = default;
};

// A cable, once, whether one end or both were printed.
struct ib_cable {
  std::array<ib_port, 2> ends;
  ib_rate rate;  // the lower one, where the ends don't agree
  std::uint32_t source = 0;
  std::size_t line = 0;  // where it is named first

  friend bool operator==(const ib_cable&, const ib_cable&) = default;
};

// A port that the tool lists without a peer: nothing is plugged in, or the other side is off.
struct ib_idle_port {
  std::uint32_t device = 0;
  std::uint16_t number = 0;
  std::size_t line = 0;

  friend bool operator==(const ib_idle_port&, const ib_idle_port&) = default;
};

// A plain value. Several outputs (subnets of a rail-only fabric) make one fabric through merge_subnets().
struct ib_fabric {
  std::vector<std::string> sources;  // one, or the outputs that were merged
  std::vector<ib_device> devices;    // in the order of the source
  std::vector<ib_cable> cables;      // in the order of the source
  std::vector<ib_idle_port> idle_ports;
  std::vector<note> notes;  // of several sources: each text begins with file and line

  friend bool operator==(const ib_fabric&, const ib_fabric&) = default;
};

// How many devices are of that kind. complexity: O(devices). errors: none.
[[nodiscard]] inline std::size_t count(const ib_fabric& fabric, ib_kind kind) {
  std::size_t found = 0;
  for (const ib_device& device : fabric.devices) found += device.kind == kind ? 1U : 0U;
  return found;
}

// The sources as one text: "rail0.txt, rail1.txt". complexity: O(text). errors: none.
[[nodiscard]] inline std::string source_of(const ib_fabric& fabric) {
  std::string text;
  for (const std::string& source : fabric.sources) (text += text.empty() ? "" : ", ") += source;
  return text;
}

// A GUID as the tools print it: 0x0002c90301000f00. complexity: O(1). errors: none.
[[nodiscard]] inline std::string guid_text(std::uint64_t guid) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "0x";
  for (unsigned shift = 64; shift > 0; shift -= 4) text += digits[(guid >> (shift - 4)) & 0xfU];
  return text;
}

// A device as messages name it: description and GUID, or id. complexity: O(description). errors: none.
[[nodiscard]] inline std::string name_of(const ib_device& device) {
  const std::string key = device.guid != 0 ? guid_text(device.guid) : device.id;
  if (device.description.empty()) return key;
  return quoted(device.description) + (key.empty() ? "" : " (" + key + ')');
}

// True for the adapter inside a switch that sums up SHARP reductions: no host has it. complexity: O(text). errors: none.
[[nodiscard]] inline bool is_aggregation_node(const ib_device& device) {
  return device.kind == ib_kind::adapter && device.description.find("Aggregation Node") != std::string::npos;
}

}  // namespace topoplan::inline v1::import
