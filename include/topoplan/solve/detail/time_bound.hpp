// Group shapes that no placement improves on: what the least time of a step is taken of.
#pragma once

#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/detail/group_axes.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace topoplan::inline v1::detail {

// The most ranks of one group of a set that lie in one unit. complexity: O(ranks).
[[nodiscard]] inline std::uint32_t together_in_unit(const layout& l, const unit_scheme& s, axis_set set) {
  const group_family family = l.groups(set);
  std::vector<std::uint32_t> count(s.units, 0);
  std::uint32_t most = 0;
  for (std::uint32_t g = 0; g < family.size(); ++g) {
    for (std::uint32_t i = 0; i < family.group_size(); ++i) most = std::max(most, ++count[s.unit_of[family.member(g, i).value]]);
    for (std::uint32_t i = 0; i < family.group_size(); ++i) count[s.unit_of[family.member(g, i).value]] = 0;
  }
  return most;
}

// Shapes of groups that share as much of a domain or host as rules and sizes allow, each axis as if it had the cluster to itself,
// with no uplink in demand. post: none where rules keep sets of different sizes together, or the job has no room.
// complexity: O(ranks * axes + GPUs).
[[nodiscard]] inline std::optional<axis_groups> least_groups(const bound_problem& b) {
  const std::optional<unit_scheme> s = free_units(b.l, confined_axes(b.options.confine, b.p), b.p.nest);
  if (!s) return std::nullopt;
  std::uint32_t slots = 0;  // of the largest container
  for (const container& k : slots_of(b.c, b.p, *s, cutting::any))
    slots = std::max(slots, static_cast<std::uint32_t>(k.gpus.size()) / s->size);
  if (slots == 0) return std::nullopt;
  std::vector<std::uint32_t> usable(b.c.domains, 0);
  for (const gpu_id g : b.c.all_gpus())
    if (b.c.usable(g)) ++usable[b.c.at(g).domain.value];
  const std::uint32_t largest_domain = *std::max_element(usable.begin(), usable.end());
  const auto shape = [&](axis_set set) {
    group_shape g;
    g.ranks = b.l.groups(set).group_size();
    if (g.ranks < 2) return group_shape{};
    const std::uint32_t most = std::min(g.ranks, slots * together_in_unit(b.l, *s, set));  // in one domain or host
    g.domains = (g.ranks + most - 1) / most;
    g.per_domain = g.ranks / g.domains;
    if (g.ranks <= largest_domain && most >= g.ranks) return group_in_domain(g.ranks);
    g.hosts = g.domains;
    g.per_host = g.per_domain;
    return g;
  };
  axis_groups g;
  for (const axis_group& one : all_axis_groups) g.*one.shape = shape(one.over);
  return g;
}

}  // namespace topoplan::inline v1::detail
