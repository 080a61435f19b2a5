// The sizes of the parallel axes, as a user gives them and with the derived ones filled in.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/layout/axis.hpp>

#include <cstdint>
#include <string>

namespace topoplan::inline v1 {

// The degrees of a job. expert_tp = 0 stands for "as tp" and dp = 0 for "whatever the ranks leave"; resolve() fills both in.
// expert_dp is always derived.
struct degrees {
  std::uint32_t tp = 1;
  std::uint32_t cp = 1;
  std::uint32_t ep = 1;
  std::uint32_t expert_tp = 0;
  std::uint32_t dp = 0;
  std::uint32_t pp = 1;

  friend constexpr bool operator==(const degrees&, const degrees&) = default;
};

// Degrees with nothing left open. Only resolve() and resolve_for() make them.
struct resolved_degrees {
  std::uint32_t tp = 1;
  std::uint32_t cp = 1;
  std::uint32_t ep = 1;
  std::uint32_t dp = 1;
  std::uint32_t pp = 1;
  std::uint32_t expert_tp = 1;
  std::uint32_t expert_dp = 1;

  // Number of ranks. post: tp*cp*dp*pp = expert_tp*ep*expert_dp*pp.
  [[nodiscard]] constexpr std::uint64_t world() const noexcept { return std::uint64_t{tp} * cp * dp * pp; }
  [[nodiscard]] constexpr std::uint32_t of(axis a) const noexcept {
    switch (a) {
      case axis::tp: return tp;
      case axis::cp: return cp;
      case axis::ep: return ep;
      case axis::dp: return dp;
      case axis::pp: return pp;
      case axis::expert_tp: return expert_tp;
      case axis::expert_dp: return expert_dp;
    }
    return 1;
  }

  friend constexpr bool operator==(const resolved_degrees&, const resolved_degrees&) = default;
};

// The most ranks of one job: every rank number and every product of degrees fits 32 bits.
inline constexpr std::uint64_t max_world = 1ULL << 31U;

namespace detail {
// A product that stops at max_world + 1, so that it can't wrap.
[[nodiscard]] constexpr std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) noexcept {
  if (a == 0 || b == 0) return 0;
  return a > max_world / b ? max_world + 1 : a * b;
}

inline void require_positive(const degrees& d) {
  const auto check = [](std::uint32_t value, const char* name) {
    if (value == 0) throw invalid_argument(std::string(name) + " is 0; a degree is at least 1");
  };
  check(d.tp, "tp");
  check(d.cp, "cp");
  check(d.ep, "ep");
  check(d.pp, "pp");
}
}  // namespace detail

// Fills in the open degrees for a job of exactly `world` ranks.
// post: result.world() == world and both decompositions cover it. complexity: O(1).
// errors: invalid_argument if a degree is 0, a given dp contradicts world, or world isn't divisible by tp*cp*pp or by
// expert_tp*ep*pp; the message holds the numbers and, for a remainder, the largest legal dp.
// source: Megatron-LM d98e8a64, megatron/core/parallel_state.py (dense and expert world checks).
[[nodiscard]] inline resolved_degrees resolve(const degrees& d, std::uint64_t world) {
  detail::require_positive(d);
  const std::uint32_t expert_tp = d.expert_tp == 0 ? d.tp : d.expert_tp;
  const std::uint64_t dense = detail::capped_product(detail::capped_product(d.tp, d.cp), d.pp);
  const std::uint64_t expert = detail::capped_product(detail::capped_product(expert_tp, d.ep), d.pp);
  const auto text = [](std::uint64_t n) { return std::to_string(n); };
  if (world == 0 || world > max_world)
    throw invalid_argument("world size " + text(world) + " is outside 1 ... " + text(max_world));
  if (world % dense != 0)
    throw invalid_argument("world size " + text(world) + " isn't divisible by tp*cp*pp = " + text(d.tp) + "*" + text(d.cp) + "*" +
                           text(d.pp) + " = " + text(dense) + "; the largest legal dp is " + text(world / dense));
  const std::uint64_t dp = world / dense;
  if (d.dp != 0 && d.dp != dp)
    throw invalid_argument("dp " + text(d.dp) + " contradicts world size " + text(world) +
                           " = tp*cp*dp*pp with tp*cp*pp = " + text(dense));
  if (world % expert != 0)
    throw invalid_argument("world size " + text(world) + " isn't divisible by expert_tp*ep*pp = " + text(expert_tp) + "*" +
                           text(d.ep) + "*" + text(d.pp) + " = " + text(expert));
  return {.tp = d.tp,
          .cp = d.cp,
          .ep = d.ep,
          .dp = static_cast<std::uint32_t>(dp),
          .pp = d.pp,
          .expert_tp = expert_tp,
          .expert_dp = static_cast<std::uint32_t>(world / expert)};
}

// Fills in the open degrees for a cluster with `gpus` usable GPUs: a given dp says the world size (and the rest are spares);
// without one, the job takes every GPU and the division must leave no remainder.
// post: result.world() == gpus, or == tp*cp*dp*pp for a given dp (also when that exceeds gpus: seats are place()'s question).
// complexity: O(gpus / (tp*cp*pp)) when it has to name the largest legal dp, else O(1).
// errors: as resolve(); a remainder, dense or expert, names the largest legal dp for these GPUs.
[[nodiscard]] inline resolved_degrees resolve_for(const degrees& d, std::uint64_t gpus) {
  detail::require_positive(d);
  const std::uint32_t expert_tp = d.expert_tp == 0 ? d.tp : d.expert_tp;
  const std::uint64_t dense = detail::capped_product(detail::capped_product(d.tp, d.cp), d.pp);
  const std::uint64_t expert = detail::capped_product(detail::capped_product(expert_tp, d.ep), d.pp);
  const auto text = [](std::uint64_t n) { return std::to_string(n); };
  const auto largest_dp = [&] {
    for (std::uint64_t dp = gpus / dense; dp > 0; --dp)
      if (dense * dp % expert == 0) return dp;
    return std::uint64_t{0};
  };
  const auto advice = [&](std::uint64_t dp) {
    return dp == 0 ? "no dp fits " + text(gpus) + " GPUs"
                   : "the largest legal dp on " + text(gpus) + " GPUs is " + text(dp) + ", which leaves " +
                         text(gpus - dense * dp) + " GPUs as spares";
  };
  const std::string products = "tp*cp*pp = " + text(d.tp) + "*" + text(d.cp) + "*" + text(d.pp) + " = " + text(dense);
  const std::string experts = "expert_tp*ep*pp = " + text(expert_tp) + "*" + text(d.ep) + "*" + text(d.pp) + " = " + text(expert);
  if (d.dp != 0) {
    const std::uint64_t world = detail::capped_product(dense, d.dp);
    if (world > max_world)
      throw invalid_argument(products + " times dp " + text(d.dp) + " exceeds the limit of " + text(max_world) + " ranks");
    if (world % expert != 0)
      throw invalid_argument("dp " + text(d.dp) + " gives a world of " + text(world) + " ranks, which isn't divisible by " +
                             experts + "; " + advice(largest_dp()));
    return resolve(d, world);
  }
  if (gpus < dense) throw invalid_argument(products + " needs at least that many GPUs, and " + text(gpus) + " are usable");
  if (gpus % dense != 0)
    throw invalid_argument(text(gpus) + " usable GPUs aren't divisible by " + products + "; " + advice(largest_dp()));
  if (gpus % expert != 0)
    throw invalid_argument(text(gpus) + " usable GPUs aren't divisible by " + experts + "; " + advice(largest_dp()));
  return resolve(d, gpus);
}

}  // namespace topoplan::inline v1
