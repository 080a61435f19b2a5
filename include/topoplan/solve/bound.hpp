// A lower bound on the cost of every placement that keeps the rules.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/boundary.hpp>
#include <topoplan/solve/detail/cut_levels.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/lattice.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/units.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/problem.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

namespace topoplan::inline v1 {

namespace detail {

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

// What is known about every placement of a job on a pool.
struct bound_problem {
  const cluster& c;
  const network& net;
  const layout& l;
  const prices& price;
  const pool& p;
  const place_options& options;
};

// complexity: O(GPUs of the pool), and with spares O(largest place * log).
[[nodiscard]] inline std::int64_t pool_bound(const bound_problem& b) {
  const std::vector<edge_axis> edges = edge_axes(b.l, b.price);
  const std::uint32_t world = b.l.world();
  std::int64_t sum = 0;
  std::int64_t unit_of_weight = 0;
  for (const edge_axis& a : edges) {
    const std::int64_t k = a.degree;
    const std::int64_t per_group = a.pattern == edge_pattern::ring    ? k
                                   : a.pattern == edge_pattern::chain ? k - 1
                                                                      : k * (k - 1) / 2;
    sum += a.weight * per_group * (world / k) * b.price.distance[meeting::domain];
    unit_of_weight = std::gcd(unit_of_weight, a.weight);
  }
  if (unit_of_weight == 0) return sum;

  const confined_axes confined(b.options.confine, b.p);
  const bool wide = b.p.nest == nesting::host_in_domain;
  // With no GPU to spare and the same number on every host, a launcher with one agent a host has no choice of runs.
  std::uint32_t run = 1;
  if (b.options.launcher.contiguous && b.p.usable == world) {
    run = usable_on(b.c, b.p.hosts.front());
    for (const std::uint32_t h : b.p.hosts)
      if (usable_on(b.c, h) != run) run = 1;
  }
  std::optional<lattice> base = make_lattice(b.l, edges, true, run);
  bool with_expert = true;
  if (!base) {
    run = 1;
    base = make_lattice(b.l, edges, true);
  }
  if (!base) {
    with_expert = false;
    base = make_lattice(b.l, edges, false);
  }
  if (!base) return sum;
  const auto keep = [&](lattice& lat, axis_set set) { lat.keep_axes(b.l, with_expert ? set : set - expert_only_axes); };
  const auto keep_runs = [&](lattice& lat) {
    if (!b.options.launcher.contiguous) return;
    std::uint32_t highest = run;
    for (const digit& d : lat.digits)
      if (d.inside) highest = std::max(highest, d.stride * d.extent);
    lat.keep_below(highest);
  };
  lattice blocks = *base;
  keep(blocks, wide ? confined.host : confined.domain);
  if (wide) keep_runs(blocks);
  lattice units = blocks;
  keep(units, confined.host | confined.domain);
  if (!wide) keep_runs(units);

  std::vector<digit_axis> dense;
  std::vector<digit_axis> expert;
  for (const digit_axis& a : base->axes) (dense_axes.contains(a.edges.of) ? dense : expert).push_back(a);
  const std::vector<cut_level> levels = cut_levels(b.c, b.p, b.price, blocks.unit_size(), units.unit_size());
  for (const cut_level& level : levels) {
    if (level.step == 0 || level.at.empty()) continue;
    const lattice& lat = level.outer ? units : blocks;
    double cut = 0;
    for (const std::vector<digit_axis>& axes : {dense, expert})
      if (!axes.empty()) cut += least_cut(lat, axes, level, world);
    const auto whole = static_cast<double>(unit_of_weight);
    sum += level.step * unit_of_weight * static_cast<std::int64_t>(std::ceil(cut / whole * (1 - 1e-12) - 1e-6));
  }
  return sum;
}

}  // namespace detail

// A cost below which no placement of the job goes that keeps the rules, whoever made it.
// post: at most the cost of any such placement; 0 if the job fits nowhere, or where NVLink domains don't nest with hosts and
// leaf groups. complexity: O(GPUs + ranks), and with spares O(largest place * log). errors: invalid_argument if the objective
// isn't monotone.
template <objective Objective = default_objective>
[[nodiscard]] std::int64_t lower_bound(const cluster& c, const layout& l, const place_options& options = {},
                                       const Objective& o = {}) {
  const detail::network net(c);
  const detail::prices price = detail::priced(o, c.tiers.size());
  std::optional<std::int64_t> least;
  std::vector<detail::pool> pools = detail::pools_of(c, net);
  for (detail::pool& p : pools) {
    if (p.usable < l.world()) continue;
    if (detail::settle_nesting(c, p)) return 0;
    const std::int64_t here = detail::pool_bound({c, net, l, price, p, options});
    least = std::min(least.value_or(here), here);
  }
  return least.value_or(0);
}

}  // namespace topoplan::inline v1
