// Where a layout costs more than a plan: by axis and level, and the groups that cost most.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/layout_report.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/objective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

inline constexpr std::size_t shown_groups = 6;

// Edges that meet at `level` or further out.
[[nodiscard]] inline std::uint64_t beyond(const crossings& x, std::size_t level) {
  if (level >= x.levels.size()) return 0;
  return std::accumulate(x.levels.begin() + static_cast<std::ptrdiff_t>(level), x.levels.end(), std::uint64_t{0});
}

// For every axis the level at which its further crossings cost most; axes with the costliest first.
// pre: both reports are of one job and one objective. complexity: O(axes * levels).
[[nodiscard]] inline std::vector<excess_crossings> excess_of(const prices& p, const cost_report& layout,
                                                             const cost_report& plan) {
  std::vector<excess_crossings> all;
  for (std::size_t a = 0; a < layout.edges.size(); ++a) {
    const crossings& here = layout.edges[a];
    const std::int64_t weight = p.weight[static_cast<std::size_t>(here.of)];
    excess_crossings worst;
    for (std::size_t level = 1; level < here.levels.size(); ++level) {
      const std::uint64_t crossing = beyond(here, level);
      const std::uint64_t needed = beyond(plan.edges[a], level);
      if (crossing <= needed) continue;
      const std::int64_t step = p.distance[level] - p.distance[level - 1];
      const std::int64_t more = weight * step * static_cast<std::int64_t>(crossing - needed);
      if (more <= worst.more_cost) continue;
      worst = {here.of, level, beyond(here, 0), crossing, needed, more, beyond(here, level + 1) == 0};
    }
    if (worst.more_cost > 0) all.push_back(worst);
  }
  std::sort(all.begin(), all.end(), [](const excess_crossings& a, const excess_crossings& b) {
    return std::tuple(-a.more_cost, a.of) < std::tuple(-b.more_cost, b.of);
  });
  return all;
}

// The groups of these axes that cross the level where their axis loses, the costliest first, a few of them.
// complexity: O(ranks * axes), for an all-to-all axis times its degree.
[[nodiscard]] inline std::vector<costly_group> costly_groups(const cluster& c, const network& net, const layout& l,
                                                             const prices& p, const seating& seats,
                                                             const std::vector<excess_crossings>& excess) {
  std::vector<costly_group> worst;
  const auto before = [](const costly_group& a, const costly_group& b) {
    return std::tuple(-a.cost, a.of, a.ranks.front().value) < std::tuple(-b.cost, b.of, b.ranks.front().value);
  };
  for (const edge_axis& a : edge_axes(l, p)) {
    const auto loses = std::find_if(excess.begin(), excess.end(), [&](const excess_crossings& e) { return e.of == a.of; });
    if (loses == excess.end()) continue;
    struct sum {
      std::int64_t cost = 0;
      std::uint64_t edges = 0;
      std::size_t level = 0;
    };
    std::vector<sum> sums(l.world());  // by the first rank of the group
    for_each_edge(a, l.world(), [&](std::uint32_t r, std::uint32_t s) {
      const std::size_t level = net.level(seats[r], seats[s]);
      sum& group = sums[r - r / a.stride % a.degree * a.stride];
      group.cost += a.weight * p.distance[level];
      if (level > group.level) group = {group.cost, 0, level};
      if (level == group.level) ++group.edges;
    });
    // Groups of neighbouring ranks that sit on the same hosts, such as those of the lanes of a tp group, are told once.
    const auto as_before = [&](std::uint32_t first) {
      if (first % a.stride == 0 || sums[first].cost != sums[first - 1].cost) return false;
      for (std::uint32_t i = 0; i < a.degree; ++i)
        if (seats[first + i * a.stride].host != seats[first - 1 + i * a.stride].host) return false;
      return true;
    };
    const std::uint32_t span = a.stride * a.degree;
    for (std::uint32_t block = 0; block < l.world(); block += span)
      for (std::uint32_t first = block, next = block; first < block + a.stride; first = next) {
        for (next = first + 1; next < block + a.stride && as_before(next);) ++next;
        const sum& s = sums[first];
        if (s.level < loses->level) continue;
        costly_group g{a.of, {rank_id{first}}, {}, next - first, s.level, s.edges, s.cost};
        if (worst.size() == shown_groups && !before(g, worst.back())) continue;
        worst.insert(std::upper_bound(worst.begin(), worst.end(), g, before), std::move(g));
        if (worst.size() > shown_groups) worst.pop_back();
      }
  }
  for (costly_group& g : worst) {
    const std::uint32_t stride = l.stride(g.of);
    const std::uint32_t first = g.ranks.front().value;
    for (std::uint32_t i = 1; i < l.degrees().of(g.of); ++i) g.ranks.emplace_back(first + i * stride);
    std::vector<bool> met(c.hosts.size(), false);
    for (const rank_id r : g.ranks) {
      const std::uint32_t h = seats[r.value].host;
      if (!met[h]) g.hosts.push_back(c.hosts[h].name);
      met[h] = true;
    }
  }
  return worst;
}

}  // namespace topoplan::inline v1::detail
