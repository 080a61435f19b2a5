// Places a job beside its spares: what stays free is set aside, and what that costs is told.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/detail/components.hpp>
#include <topoplan/solve/detail/judge.hpp>
#include <topoplan/solve/detail/largest_job.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/refuse.hpp>
#include <topoplan/solve/detail/reserve.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/units.hpp>
#include <topoplan/solve/detail/wording.hpp>
#include <topoplan/solve/detail/write_plan.hpp>
#include <topoplan/solve/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

[[nodiscard]] inline std::string spares_text(const std::vector<spare_rule>& rules) {
  std::vector<std::string> names;
  for (const spare_rule& r : rules) names.push_back(to_string(r));
  return "spares " + list_of(names, 8);
}

// How many ranks the rules keep in one host and in one domain. complexity: O(ranks * axes).
[[nodiscard]] inline confined_sizes sizes_of(const layout& l, std::span<const confinement> rules) {
  axis_set host;
  axis_set domain;
  for (const confinement& r : rules) {
    if (r.within == scope::host) host = host | r.axes;
    domain = domain | r.axes;
  }
  const auto size = [&](axis_set axes) {
    if (axes.empty()) return std::uint32_t{1};
    const std::vector<std::uint32_t> root = component_roots(l, axes);
    return static_cast<std::uint32_t>(std::count(root.begin(), root.end(), 0U));
  };
  return {size(host), size(domain)};
}

// Why a job has no room beside its spares, with what counting knows; nothing if counting finds room.
// complexity: O(spares * GPUs + ranks * axes).
[[nodiscard]] inline std::optional<refusal> refuse_spares(const cluster& c, const layout& l, const place_options& o,
                                                          confined_sizes sizes) {
  const auto room_beside = [&](std::span<const spare_rule> rules) {
    const reservation r = reserve(c, rules, sizes);
    std::uint64_t room = 0;
    for (const pool& p : pools_of(r.rest, network(c)))
      room = std::max(room, std::min<std::uint64_t>(ranks_with_room(r.rest, l, p, o.confine), r.seats));
    return room;
  };
  const std::uint64_t room = room_beside(o.spares);
  if (room >= l.world()) return std::nullopt;
  const reservation r = reserve(c, o.spares, sizes);
  refusal why;
  why.rule = spares_text(o.spares);
  if (!o.confine.empty()) why.rule += " with " + rules_text(o.confine);
  const std::size_t usable = usable_gpus(c);
  why.reason = "of " + count_of(usable, "usable GPU") + ' ' + std::to_string(usable - r.seats) + " stay free; the other " +
               std::to_string(r.seats) + " have room for " + std::to_string(room) + " of " + count_of(l.world(), "rank");
  if (sizes.domain > 1)
    why.reason += ", which come in groups of " + std::to_string(sizes.domain) + " that share an NVLink domain";
  // Domains that have room for fewer groups because of the spares.
  std::vector<std::uint32_t> before(c.domains, 0);
  std::vector<std::uint32_t> after(c.domains, 0);
  for (const gpu_id g : c.all_gpus()) {
    before[c.at(g).domain.value] += c.usable(g) ? 1U : 0U;
    after[c.at(g).domain.value] += r.rest.usable(g) ? 1U : 0U;
  }
  std::vector<std::string> where;
  for (std::uint32_t d = 0; d < c.domains && sizes.domain > 1 && where.size() < 5; ++d)
    if (after[d] / sizes.domain < before[d] / sizes.domain)
      where.push_back(person_name(c, domain_id{d}) + " has " + std::to_string(before[d]) + " usable, " +
                      std::to_string(after[d]) + " of them beside the spares");
  why.where = list_of(where);
  why.remedy = smaller_job(l, room);
  if (o.spares.size() == 1)
    for (spare_rule fewer = o.spares.front(); fewer.count > 1;) {
      --fewer.count;
      if (o.spares.front().count - fewer.count > 64 || room_beside({&fewer, 1}) < l.world()) continue;
      why.remedy += "; or " + spares_text({fewer});
      break;
    }
  // Counting proves it where it doesn't matter which GPUs of a place are spare.
  const spare_rule& only = o.spares.front();
  const bool alike =
      std::all_of(c.hosts.begin(), c.hosts.end(), [&](const host& h) { return h.gpu_count == c.hosts[0].gpu_count; });
  why.proven = o.spares.size() == 1 && (only.what == spare_kind::gpus || alike) &&
               (r.seats < l.world() || (sizes.host < 2 && only.per != spare_spread::leaf));
  return why;
}

// A plan of the rest of a cluster as a plan of the whole.
[[nodiscard]] inline plan beside_spares(const cluster& c, const cluster& rest, plan p, const place_options& o) {
  const layout l = p.rank_map.layout();
  const seating seats = seats_of(c, p.rank_map);
  std::vector<std::uint32_t> gpu_of_rank;
  gpu_of_rank.reserve(seats.size());
  for (const seat& s : seats) gpu_of_rank.push_back(s.gpu);
  p.rank_map = written_map(c, l, gpu_of_rank);
  p.verdict = judge(c, network(c), l, seats, o.confine, o.launcher, o.spares, o.mix);
  p.spares = o.spares;
  const std::vector<std::string> hidden = exclusions(rest);
  std::erase_if(p.notes, [&](const std::string& note) { return std::find(hidden.begin(), hidden.end(), note) != hidden.end(); });
  std::vector<std::string> notes = exclusions(c);
  p.notes.insert(p.notes.begin(), notes.begin(), notes.end());
  return p;
}

// True if the first plan is the better one.
[[nodiscard]] inline bool cheaper(const plan& a, const plan& b) {
  if (a.step && b.step && a.step->seconds != b.step->seconds) return a.step->seconds < b.step->seconds;
  return a.cost.cost < b.cost.cost;
}

// `solve` places a layout on a cluster under options without spares.
// complexity: that of `solve`, twice; with hosts that may be free anywhere four times.
template <class Solve>
[[nodiscard]] placement place_spared(const cluster& c, const layout& l, const place_options& o, const Solve& solve) {
  const confined_sizes sizes = sizes_of(l, o.confine);
  place_options bare = o;
  bare.spares.clear();
  if (std::optional<refusal> why = refuse_spares(c, l, o, sizes)) return std::move(*why);
  const bool hosts_anywhere = std::any_of(o.spares.begin(), o.spares.end(), [](const spare_rule& s) {
    return s.per == spare_spread::cluster && s.what == spare_kind::hosts;
  });
  std::optional<plan> best;
  std::optional<refusal> why;
  for (const spare_hosts how : {spare_hosts::of_large_leaves, spare_hosts::of_small_leaves, spare_hosts::searched}) {
    if (!hosts_anywhere && how != spare_hosts::of_large_leaves) continue;
    const reservation r = reserve(c, o.spares, sizes, how);
    if (r.seats < l.world()) continue;
    const placement answer = solve(r.rest, l, bare);
    if (!answer) {
      if (!why) why = answer.refused();
      continue;
    }
    plan found = beside_spares(c, r.rest, *answer, o);
    if (!found.verdict.kept() || (best && !cheaper(found, *best))) continue;
    best = std::move(found);
  }
  if (!best) {
    why->rule = spares_text(o.spares) + " with " + why->rule;
    why->reason = "beside the spares: " + why->reason;
    why->proven = false;
    return std::move(*why);
  }
  const placement free = solve(c, l, bare);
  spare_report cost;
  const resolved_degrees& d = l.degrees();
  const std::uint64_t replica = std::uint64_t{d.tp} * d.cp * d.pp;
  const reservation r = reserve(c, o.spares, sizes);
  cost.ranks = replica * largest_dp(r.rest, l, o.confine, r.seats / replica);
  cost.ranks_without = replica * largest_dp(c, l, o.confine, max_world / replica);
  if (free) {
    cost.cost_without = free->cost.cost;
    cost.step_without = free->step;
  }
  best->given_up = cost;
  return std::move(*best);
}

}  // namespace topoplan::inline v1::detail
