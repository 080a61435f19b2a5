// The largest job of given degrees that has room, by counting.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace topoplan::inline v1::detail {

// The degrees with another dp, as they were given.
[[nodiscard]] constexpr degrees with_dp(const resolved_degrees& d, std::uint32_t dp) noexcept {
  return {.tp = d.tp, .cp = d.cp, .ep = d.ep, .expert_tp = d.expert_tp, .dp = dp, .pp = d.pp};
}

// Replicas that dp grows and shrinks by. complexity: O(1).
[[nodiscard]] inline std::uint32_t dp_step(const resolved_degrees& d) {
  const world_divisors by(with_dp(d, d.dp));
  return static_cast<std::uint32_t>(by.expert / greatest_common_divisor(by.dense, by.expert));
}

// The layout with another dp; none if the order can't express it.
[[nodiscard]] inline std::optional<layout> with_dp(const layout& l, std::uint32_t dp) {
  const resolved_degrees& d = l.degrees();
  try {
    return layout(resolve(with_dp(d, dp), std::uint64_t{d.tp} * d.cp * d.pp * dp), l.order());
  } catch (const invalid_argument&) {
    return std::nullopt;
  }
}

// How many ranks have room in a pool when groups stay as whole as the rules want, whatever the launcher.
// complexity: O(GPUs + ranks * axes).
[[nodiscard]] inline std::uint64_t ranks_with_room(const cluster& c, const layout& l, pool p,
                                                   std::span<const confinement> rules) {
  if (settle_nesting(c, p)) return p.usable;
  const std::optional<unit_scheme> s = free_units(l, confined_axes(rules, p), p.nest);
  return s ? slot_count(slots_of(c, p, *s, cutting::any), *s) * s->size : 0;
}

// The largest dp, at most `limit`, whose groups have room in one pool, whatever the launcher; 0 if there is none.
// complexity: O(pools * tries * (GPUs + ranks * axes)); two tries are the rule.
[[nodiscard]] inline std::uint32_t largest_dp(const cluster& c, const layout& l, std::span<const confinement> rules,
                                              std::uint64_t limit) {
  const world_divisors by(with_dp(l.degrees(), 0));
  const std::uint32_t step = dp_step(l.degrees());
  std::uint32_t best = 0;
  for (const pool& p : pools_of(c, network(c))) {
    auto dp = static_cast<std::uint32_t>(std::min(by.largest_dp(std::min<std::uint64_t>(p.usable, max_world)), limit));
    dp -= dp % step;
    while (dp > best) {
      const std::optional<layout> tried = with_dp(l, dp);
      const std::uint64_t room = tried ? ranks_with_room(c, *tried, p, rules) : 0;
      if (tried && room >= tried->world()) best = dp;
      else dp = std::min(dp - step, room == 0 ? dp : static_cast<std::uint32_t>(by.largest_dp(room)));
    }
  }
  return best;
}

}  // namespace topoplan::inline v1::detail
