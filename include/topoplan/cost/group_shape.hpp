// How the ranks of one communicator sit on the machine: all that the time of a collective depends on besides the bytes.
#pragma once

#include <cstdint>

namespace topoplan::inline v1 {

// Where the groups of one axis sit. Values are those of the slowest group. `tier_load` is the rate that all groups of the axis
// together ask of the busiest switch uplink while every rank sends at the rate of its NIC, over what that uplink has: up to 1
// nothing is slower, 7 means a seventh of the rate.
struct group_shape {
  std::uint32_t ranks = 1;       // of one group
  std::uint32_t per_domain = 1;  // fewest ranks of the group in one NVLink domain that holds any
  std::uint32_t per_host = 1;    // fewest ranks of the group on one host that holds any
  std::uint32_t domains = 1;     // NVLink domains that the group touches
  std::uint32_t hosts = 1;       // hosts that the group touches
  double nic_share = 1;          // part of a GPU's NIC rate that a rank has: below 1 where GPUs with one NIC send together
  double ring_load = 0;          // tier_load of rings and pipelines: neighbours in rank order
  double tree_load = 0;          // tier_load of an all-reduce by trees
  double exchange_load = 0;      // tier_load of all-to-all

  // True if NVLink alone carries the group.
  [[nodiscard]] constexpr bool in_domain() const noexcept { return domains <= 1; }

  friend bool operator==(const group_shape&, const group_shape&) = default;
};

// A group of that many ranks within one NVLink domain. post: in_domain(). complexity: O(1). errors: none.
[[nodiscard]] constexpr group_shape group_in_domain(std::uint32_t ranks) noexcept {
  group_shape g;
  g.ranks = g.per_domain = g.per_host = ranks;
  return g;
}

}  // namespace topoplan::inline v1
