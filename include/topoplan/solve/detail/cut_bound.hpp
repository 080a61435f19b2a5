// The least weight of edges cut at one level of the tree of places.
#pragma once

#include <topoplan/solve/detail/boundary.hpp>
#include <topoplan/solve/detail/cut_levels.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/lattice.hpp>
#include <topoplan/solve/objective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace topoplan::inline v1::detail {

// The smallest sum of bounds when `total` points are spread over places of these capacities: with sizes that must be full the
// sum itself, else the best Lagrangian relaxation of the total.
// complexity: O(sizes), with spare room O(largest capacity * 60).
[[nodiscard]] inline double least_boundary(const boundary_bound& bound, const std::map<std::uint64_t, std::uint64_t>& places,
                                           std::uint64_t total) {
  std::uint64_t room = 0;
  for (const auto& [capacity, count] : places) room += capacity * count;
  double full = 0;
  if (room <= total) {
    for (const auto& [capacity, count] : places) full += static_cast<double>(count) * bound.at(capacity);
    return full;
  }
  const std::uint64_t most = std::min(places.rbegin()->first, bound.points());
  std::vector<double> at(most + 1);
  for (std::uint64_t q = 0; q <= most; ++q) at[q] = bound.at(q);
  const auto relaxed = [&](double price) {
    double sum = price * static_cast<double>(total);
    double least = 0;
    std::uint64_t q = 0;
    for (const auto& [capacity, count] : places) {
      for (; q <= std::min(capacity, most); ++q) least = std::min(least, at[q] - price * static_cast<double>(q));
      sum += static_cast<double>(count) * least;
    }
    return sum;
  };
  double low = 0;
  double high = at.size() > 1 ? 2 * at[1] + 1 : 1;
  for (int i = 0; i < 60; ++i) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    if (relaxed(a) < relaxed(b)) low = a;
    else high = b;
  }
  return std::max(0.0, relaxed((low + high) / 2));
}

// The grid of units that one set of axes sees. Weights are those of one line of units.
// pre: the axes' digits are disjoint. complexity: O(digits * axes).
[[nodiscard]] inline std::vector<grid_axis> grid_of(const lattice& lat, const std::vector<digit_axis>& axes, bool closed) {
  std::vector<grid_axis> grid;
  std::vector<bool> taken(lat.digits.size(), false);
  const double unit = lat.unit_size();
  for (const digit_axis& a : axes) {
    std::uint32_t before = 1;  // inside digits below the first outside one
    std::uint32_t length = 1;
    std::uint32_t inside = 1;
    bool after = false;  // an inside digit above an outside one
    bool torn = false;   // and an outside one above that
    std::size_t first = a.last;
    for (std::size_t d = a.first; d < a.last; ++d) {
      const digit& x = lat.digits[d];
      if (x.inside) {
        inside *= x.extent;
        if (length == 1) before *= x.extent;
        else after = true;
        continue;
      }
      if (length == 1) first = d;
      torn = torn || after;
      length *= x.extent;
    }
    if (length == 1) continue;
    edge_pattern pattern = a.edges.pattern;
    const auto weight = static_cast<double>(a.edges.weight);
    if (pattern == edge_pattern::all_to_all) {
      for (std::size_t d = a.first; d < a.last; ++d) taken[d] = taken[d] || !lat.digits[d].inside;
      grid.push_back({length, weight * unit * inside, pattern});
      continue;
    }
    if (torn) {  // keep the steps of the lowest outside digit only
      taken[first] = true;
      grid.push_back({lat.digits[first].extent, weight * unit / before, edge_pattern::chain});
      continue;
    }
    for (std::size_t d = a.first; d < a.last; ++d) taken[d] = taken[d] || !lat.digits[d].inside;
    if (closed && a.edges.degree > 2) pattern = edge_pattern::ring;
    grid.push_back({length, weight * unit / before, pattern});
  }
  for (std::size_t d = 0; d < lat.digits.size(); ++d)
    if (!taken[d] && !lat.digits[d].inside) grid.push_back({lat.digits[d].extent, 0, edge_pattern::chain});
  return grid;
}

// Least weight cut at one level for a set of axes with disjoint digits; also with every chain closed to a ring, less the one
// edge that closes it in each group.
[[nodiscard]] inline double least_cut(const lattice& lat, const std::vector<digit_axis>& axes, const cut_level& level,
                                      std::uint32_t world) {
  const boundary_bound open(grid_of(lat, axes, false));
  const double best = least_boundary(open, level.at, open.points()) / 2;
  double closing = 0;
  for (const digit_axis& a : axes)
    if (a.edges.pattern == edge_pattern::chain && a.edges.degree > 2)
      closing += static_cast<double>(a.edges.weight) * (world / a.edges.degree);
  if (closing == 0) return best;
  return std::max(best, least_boundary(boundary_bound(grid_of(lat, axes, true)), level.at, open.points()) / 2 - closing);
}

}  // namespace topoplan::inline v1::detail
