// The sizes of the parallel axes, as a user gives them and with the derived ones filled in.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/host_device.hpp>
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

  // Number of ranks. post: tp*cp*dp*pp = expert_tp*ep*expert_dp*pp. complexity: O(1). errors: none.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint64_t world() const noexcept { return std::uint64_t{tp} * cp * dp * pp; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::uint32_t of(axis a) const noexcept {
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

[[nodiscard]] constexpr std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) noexcept {
  while (b != 0) {
    const std::uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// "2*3*4 = 24", for a product that capped_product() made.
[[nodiscard]] inline std::string product_text(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint64_t product) {
  return std::to_string(a) + "*" + std::to_string(b) + "*" + std::to_string(c) + " = " +
         (product > max_world ? "more than " + std::to_string(max_world) : std::to_string(product));
}

// What a world must be a multiple of: once for the dense decomposition, once for the expert one.
struct world_divisors {
  topoplan::degrees given;
  std::uint32_t expert_tp = 1;
  std::uint64_t dense = 1;
  std::uint64_t expert = 1;

  explicit world_divisors(const topoplan::degrees& d) : given(d), expert_tp(d.expert_tp == 0 ? d.tp : d.expert_tp) {
    const auto check = [](std::uint32_t value, const char* name) {
      if (value == 0) throw invalid_argument(std::string(name) + " is 0; a degree is at least 1");
    };
    check(d.tp, "tp");
    check(d.cp, "cp");
    check(d.ep, "ep");
    check(d.pp, "pp");
    dense = capped_product(capped_product(d.tp, d.cp), d.pp);
    expert = capped_product(capped_product(expert_tp, d.ep), d.pp);
  }

  [[nodiscard]] std::string dense_text() const { return "tp*cp*pp = " + product_text(given.tp, given.cp, given.pp, dense); }
  [[nodiscard]] std::string expert_text() const {
    return "expert_tp*ep*pp = " + product_text(expert_tp, given.ep, given.pp, expert);
  }
  // The largest dp whose world is at most `limit` ranks and a multiple of both products; 0 if there is none.
  [[nodiscard]] std::uint64_t largest_dp(std::uint64_t limit) const noexcept {
    const std::uint64_t step = expert / greatest_common_divisor(dense, expert);
    return limit / dense / step * step;
  }
};
}  // namespace detail

// Fills in the open degrees for a job of exactly `world` ranks.
// post: result.world() == world and both decompositions cover it. complexity: O(1).
// errors: invalid_argument if a degree is 0, a given dp contradicts world, or world isn't divisible by tp*cp*pp or by
// expert_tp*ep*pp; the message holds the numbers and, for a remainder, the largest legal dp.
// source: Megatron-LM d98e8a64, megatron/core/parallel_state.py (dense and expert world checks).
[[nodiscard]] inline resolved_degrees resolve(const degrees& d, std::uint64_t world) {
  const detail::world_divisors by(d);
  const auto text = [](std::uint64_t n) { return std::to_string(n); };
  const auto advice = [&] {
    const std::uint64_t dp = by.largest_dp(world);
    return dp == 0 ? "; no dp gives a world of at most " + text(world) + " ranks"
                   : "; the largest legal dp is " + text(dp) + " (" + text(by.dense * dp) + " ranks)";
  };
  if (world == 0 || world > max_world)
    throw invalid_argument("world size " + text(world) + " is outside 1 ... " + text(max_world));
  if (world % by.dense != 0)
    throw invalid_argument("world size " + text(world) + " isn't divisible by " + by.dense_text() + advice());
  const std::uint64_t dp = world / by.dense;
  if (d.dp != 0 && d.dp != dp)
    throw invalid_argument("dp " + text(d.dp) + " contradicts world size " + text(world) + ": with " + by.dense_text() +
                           ", dp is " + text(dp));
  if (world % by.expert != 0)
    throw invalid_argument("world size " + text(world) + " isn't divisible by " + by.expert_text() + advice());
  return {.tp = d.tp,
          .cp = d.cp,
          .ep = d.ep,
          .dp = static_cast<std::uint32_t>(dp),
          .pp = d.pp,
          .expert_tp = by.expert_tp,
          .expert_dp = static_cast<std::uint32_t>(world / by.expert)};
}

// Fills in the open degrees for a cluster with `gpus` usable GPUs: a given dp says the world size (and the rest are spares);
// without one, the job takes every GPU and the division must leave no remainder.
// post: result.world() == gpus, or == tp*cp*dp*pp for a given dp (also when that exceeds gpus: seats are place()'s question).
// complexity: O(1).
// errors: as resolve(); a remainder, dense or expert, names the largest legal dp for these GPUs.
[[nodiscard]] inline resolved_degrees resolve_for(const degrees& d, std::uint64_t gpus) {
  const detail::world_divisors by(d);
  const auto text = [](std::uint64_t n) { return std::to_string(n); };
  const auto advice = [&] {
    const std::uint64_t dp = by.largest_dp(gpus);
    return dp == 0 ? "; no dp fits " + text(gpus) + " GPUs"
                   : "; the largest legal dp on " + text(gpus) + " GPUs is " + text(dp) + ", which leaves " +
                         text(gpus - by.dense * dp) + " GPUs as spares";
  };
  if (d.dp != 0) {
    const std::uint64_t world = detail::capped_product(by.dense, d.dp);
    if (world > max_world)
      throw invalid_argument(by.dense_text() + " times dp " + text(d.dp) + " exceeds the limit of " + text(max_world) + " ranks");
    if (world % by.expert != 0)
      throw invalid_argument("dp " + text(d.dp) + " gives a world of " + text(world) + " ranks, which isn't divisible by " +
                             by.expert_text() + advice());
    return resolve(d, world);
  }
  if (gpus < by.dense)
    throw invalid_argument(by.dense_text() + " needs at least that many GPUs, and " + text(gpus) + " are usable");
  if (gpus % by.dense != 0) throw invalid_argument(text(gpus) + " usable GPUs aren't divisible by " + by.dense_text() + advice());
  if (gpus % by.expert != 0)
    throw invalid_argument(text(gpus) + " usable GPUs aren't divisible by " + by.expert_text() + advice());
  return resolve(d, gpus);
}

}  // namespace topoplan::inline v1
