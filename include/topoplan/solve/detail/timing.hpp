// The time of a placement as numbers that compare the same everywhere.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/layout/layout.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// What an objective that knows time says of group shapes, so that no solver is a template.
struct timing {
  std::function<double(const axis_groups&)> seconds;
  std::function<double(const axis_groups&)> exposed;

  // Seconds in whole nanoseconds; the largest number where groups can't talk. complexity: O(1) and that of seconds.
  [[nodiscard]] std::int64_t nanoseconds(const axis_groups& g) const {
    const double s = seconds(g);
    constexpr double most = 9e18;
    return std::isfinite(s) && s * 1e9 < most ? std::llround(s * 1e9) : std::numeric_limits<std::int64_t>::max();
  }
};

// What plans are ordered by: the time of a step where it is known, then the cost of the edges.
struct price {
  std::int64_t nanoseconds = 0;
  std::int64_t cost = 0;

  friend bool operator==(const price&, const price&) = default;
  friend bool operator<(const price& a, const price& b) noexcept {
    return std::pair(a.nanoseconds, a.cost) < std::pair(b.nanoseconds, b.cost);
  }
};

}  // namespace topoplan::inline v1::detail
