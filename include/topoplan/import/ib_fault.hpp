// What is degraded in a fabric, each with its place.
#pragma once

#include <topoplan/import/ib_fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import {

// What is wrong.
enum class ib_fault_kind : std::uint8_t {
  missing_adapter,  // a host has fewer adapters on leafs than the other hosts of its leaf group
  missing_rail,     // a leaf group has fewer leafs than the others
  missing_uplink,   // a switch has fewer cables upward than its peers
  slow_cable,       // a cable is slower than its peers
  stray_cable,      // an adapter hangs on a leaf of another group, or of another rail than on the other hosts
  split_rail        // leafs of one rail have no path to each other, while those of another have
};

// As --json names it. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(ib_fault_kind kind) noexcept {
  constexpr std::string_view names[] = {"missing adapter", "missing rail", "missing uplink",
                                        "slow cable",      "stray cable",  "split rail"};
  return names[static_cast<std::size_t>(kind)];
}

// A fault, where the text shows it, and in words.
struct ib_fault {
  ib_fault_kind kind = ib_fault_kind::missing_adapter;
  std::optional<std::uint32_t> host;  // index into ib_hosts, when it is about one host
  std::uint32_t source = 0;           // index into the fabric's sources
  std::size_t line = 0;
  std::string text;

  friend bool operator==(const ib_fault&, const ib_fault&) = default;
};

}  // namespace topoplan::inline v1::import
