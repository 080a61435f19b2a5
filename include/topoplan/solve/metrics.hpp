// The judge of a rank map: its verdict and its cost, from the cluster and the map alone.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/rank_map/rank_map.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/judge.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/objective.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace topoplan::inline v1 {

// The names of the levels that a cost report counts, innermost first: domain, host, then the tiers of the cluster.
// complexity: O(tiers). errors: none.
[[nodiscard]] inline std::vector<std::string> meeting_levels(const cluster& c) {
  std::vector<std::string> names{"domain", "host"};
  for (const tier& t : c.tiers) names.push_back(t.name);
  return names;
}

namespace detail {

// The cost of a seating. complexity: O(ranks * axes), for an all-to-all axis times its degree.
[[nodiscard]] inline cost_report cost_of(const network& net, const layout& l, const prices& p, const seating& seats) {
  cost_report report;
  for (const edge_axis& a : edge_axes(l, p)) {
    std::vector<std::uint64_t> at(p.distance.size(), 0);
    for_each_edge(a, l.world(), [&](std::uint32_t r, std::uint32_t s) { ++at[net.level(seats[r], seats[s])]; });
    for (std::size_t level = 0; level < at.size(); ++level)
      report.cost += a.weight * p.distance[level] * static_cast<std::int64_t>(at[level]);
    if (at.back() == 0) at.pop_back();
    report.edges.push_back({a.of, std::move(at)});
  }
  return report;
}

}  // namespace detail

// What a rank map costs, recomputed from the map.
// post: edges[i].levels counts by meeting_levels(c), with one entry more if GPUs without a common network talk; an axis whose
// groups are those of an earlier one isn't counted twice.
// complexity: O(hosts + ranks * axes), for an all-to-all axis times its degree.
// errors: invalid_argument if the map names a host or GPU that the cluster doesn't have, or the objective isn't monotone.
template <objective Objective = default_objective>
[[nodiscard]] cost_report measure(const cluster& c, const rank_map_view& map, const Objective& o = {}) {
  return detail::cost_of(detail::network(c), map.layout(), detail::priced(o, c.tiers.size()), detail::seats_of(c, map));
}

// The verdict on a rank map, recomputed from the map: one rank a GPU, healthy GPUs, one network, each confinement, what the
// launcher can express, what stays free, and, as information only, whether every group uses the same rails on all of its hosts.
// post: result.kept() if and only if every hard rule is kept; each finding counts all that breaks it and shows the first few.
// complexity: O(hosts + ranks * axes).
// errors: invalid_argument if the map names a host or GPU that the cluster doesn't have.
[[nodiscard]] inline verdict check(const cluster& c, const rank_map_view& map, std::span<const confinement> confined,
                                   const launcher& by, std::span<const spare_rule> spares = {}, axis_set mix = {}) {
  return detail::judge(c, detail::network(c), map.layout(), detail::seats_of(c, map), confined, by, spares, mix);
}

}  // namespace topoplan::inline v1
