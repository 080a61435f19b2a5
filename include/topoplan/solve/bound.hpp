// A lower bound on the cost of every placement that keeps the rules.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/cut_bound.hpp>
#include <topoplan/solve/detail/cut_levels.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/lattice.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/time_limit.hpp>
#include <topoplan/solve/detail/timing.hpp>
#include <topoplan/solve/detail/units.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/problem.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace topoplan::inline v1 {

namespace detail {

// What is known about every placement of a job on a pool.
struct bound_problem {
  const cluster& c;
  const network& net;
  const layout& l;
  const prices& price;
  const pool& p;
  const place_options& options;
  time_limit* limit = nullptr;    // of the search
  const timing* timed = nullptr;  // none: plans are compared by the cost of their edges alone
};

// Cost above that of all edges meeting in a domain that the axes of `families` can't avoid; each family is a set of axes of the
// lattice with disjoint digits. Only confinements of axes in `known` are used. `run`: consecutive ranks that every host holds
// whatever the placement, 1 if that isn't known.
[[nodiscard]] inline std::int64_t spread_bound(const bound_problem& b, const lattice& base, axis_set known, std::uint32_t run,
                                               const std::vector<std::vector<digit_axis>>& families) {
  std::int64_t step_of_weight = 0;
  for (const std::vector<digit_axis>& axes : families)
    for (const digit_axis& a : axes) step_of_weight = std::gcd(step_of_weight, a.edges.weight);
  if (step_of_weight == 0) return 0;
  const confined_axes confined(b.options.confine, b.p);
  const auto keep = [&](lattice& lat, axis_set set) {
    for (const axis a : all_axes)
      if (set.contains(a) && known.contains(a)) lat.keep_axis(b.l.stride(a), b.l.degrees().of(a));
  };
  const auto keep_runs = [&](lattice& lat) {
    if (!b.options.launcher.contiguous) return;
    std::uint32_t highest = run;
    for (const digit& d : lat.digits)
      if (d.inside) highest = std::max(highest, d.stride * d.extent);
    lat.keep_below(highest);
  };
  const bool wide = b.p.nest == nesting::host_in_domain;
  lattice blocks = base;
  keep(blocks, wide ? confined.host : confined.domain);
  if (wide) keep_runs(blocks);
  lattice units = blocks;
  keep(units, confined.host | confined.domain);
  if (!wide) keep_runs(units);
  std::int64_t sum = 0;
  for (const cut_level& level : cut_levels(b.c, b.p, b.price, blocks.unit_size(), units.unit_size())) {
    if (level.step == 0 || level.at.empty()) continue;
    double cut = 0;
    for (const std::vector<digit_axis>& axes : families)
      if (!axes.empty()) cut += least_cut(level.outer ? units : blocks, axes, level, b.l.world());
    // The cut is a multiple of step_of_weight.
    const double steps = cut / static_cast<double>(step_of_weight) * (1 - 1e-12) - 1e-6;
    sum += level.step * step_of_weight * static_cast<std::int64_t>(std::ceil(steps));
  }
  return sum;
}

// No placement of the job on the pool costs less. The dense and the expert axes are bounded apart and added up.
// complexity: O(GPUs of the pool), and with spares O(largest place * log).
[[nodiscard]] inline std::int64_t pool_bound(const bound_problem& b) {
  const std::vector<edge_axis> edges = edge_axes(b.l, b.price);
  const std::uint32_t world = b.l.world();
  std::int64_t sum = 0;
  for (const edge_axis& a : edges) {
    const std::int64_t k = a.degree;
    const std::int64_t per_group = a.pattern == edge_pattern::ring    ? k
                                   : a.pattern == edge_pattern::chain ? k - 1
                                                                      : k * (k - 1) / 2;
    sum += a.weight * per_group * (world / k) * b.price.distance[meeting::domain];
  }
  // With no GPU to spare and the same number on every host, a launcher with one agent a host has no choice of runs.
  std::uint32_t run = 1;
  if (b.options.launcher.contiguous && b.p.usable == world) {
    run = usable_on(b.c, b.p.hosts.front());
    for (const std::uint32_t h : b.p.hosts)
      if (usable_on(b.c, h) != run) run = 1;
  }
  const auto split = [](const lattice& lat) {
    std::vector<std::vector<digit_axis>> families(2);
    for (const digit_axis& a : lat.axes) families[dense_axes.contains(a.edges.of) ? 0 : 1].push_back(a);
    return families;
  };
  for (const std::uint32_t known_run : {run, 1U})
    if (const std::optional<lattice> all = make_lattice(b.l, edges, dense_axes | expert_axes, known_run))
      return sum + spread_bound(b, *all, dense_axes | expert_axes, known_run, split(*all));
  for (const axis_set side : {dense_axes, expert_axes})
    for (const std::uint32_t known_run : {run, 1U})
      if (const std::optional<lattice> part = make_lattice(b.l, edges, side, known_run)) {
        std::vector<std::vector<digit_axis>> families = split(*part);
        if (side == expert_axes) families[0].clear();  // pp, counted with the dense axes
        sum += spread_bound(b, *part, side, known_run, families);
        break;
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
