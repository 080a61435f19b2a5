// Places units that are all alike in the slots of a pool.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/arrange.hpp>
#include <topoplan/solve/detail/fill.hpp>
#include <topoplan/solve/detail/host_domains.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/time_units.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/units.hpp>
#include <topoplan/solve/metrics.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// A way to seat all ranks, or the reason why there is none.
struct pool_answer {
  std::vector<std::uint32_t> gpu_of_rank;  // empty if there is none
  std::int64_t cost = 0;
  std::int64_t nanoseconds = 0;  // of a step, where the objective knows time
  bool exhaustive = false;
  bool level_symmetric = false;
  bool settled = false;  // no other way of cutting the ranks into runs is left
  refusal why;

  [[nodiscard]] detail::price costs() const noexcept { return {nanoseconds, cost}; }
};

// The lattice whose outside digits number the units of a scheme: of all axes or, where these have no common digits, of the dense
// ones; none if the units aren't boxes of its digits.
[[nodiscard]] inline std::optional<lattice> lattice_of(const bound_problem& b, const std::vector<edge_axis>& edges,
                                                       const confined_axes& confined, const unit_scheme& s) {
  const std::uint32_t run = std::max<std::uint32_t>(s.run, 1);
  const axis_set kept = b.p.nest == nesting::host_in_domain || !s.one_domain ? confined.host | confined.domain : confined.domain;
  for (const axis_set axes : {dense_axes | expert_axes, dense_axes}) {
    std::optional<lattice> lat = make_lattice(b.l, edges, axes, run);
    if (!lat) continue;
    lat->keep_below(run);
    for (const axis a : all_axes)
      if (kept.contains(a) && axes.contains(a)) lat->keep_axis(b.l.stride(a), b.l.degrees().of(a));
    if (lat->unit_size() == s.size) return lat;
  }
  return std::nullopt;
}

// The slots of the tree sorted by their first GPU's place in a list of hosts.
[[nodiscard]] inline std::vector<std::uint32_t> slots_by_host(const cluster& c, const slot_tree& tree,
                                                              const std::vector<std::uint32_t>& hosts) {
  std::vector<std::uint32_t> place(c.hosts.size(), 0);
  for (std::uint32_t i = 0; i < hosts.size(); ++i) place[hosts[i]] = i;
  std::vector<std::uint32_t> order(tree.slots());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&](std::uint32_t slot) {
    const std::uint32_t g = tree.gpus[std::size_t{slot} * tree.unit_size];
    return std::pair(place[c.gpus[g].host.value], g);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  return order;
}

// The GPU of every rank under an arrangement; inside hosts with several domains at the least cost.
[[nodiscard]] inline std::vector<std::uint32_t> seated(const bound_problem& b, const unit_scheme& s, const slot_tree& tree,
                                                       const arrangement& slot_of) {
  std::vector<std::uint32_t> gpus(b.l.world());
  for (std::uint32_t r = 0; r < b.l.world(); ++r)
    gpus[r] = tree.gpus[std::size_t{slot_of[s.unit_of[r]]} * s.size + s.position_of[r]];
  if (!s.one_domain) settle_hosts(b.c, b.l, b.price, confined_axes(b.options.confine, b.p).domain, gpus);
  return gpus;
}

[[nodiscard]] inline std::int64_t cost_of(const bound_problem& b, const std::vector<std::uint32_t>& gpus) {
  return cost_of(b.net, b.l, b.price, seats_of(b.c, gpus)).cost;
}

// Seats ranks and prices them.
inline void settle(const bound_problem& b, std::vector<std::uint32_t> gpus, pool_answer& answer) {
  answer.cost = cost_of(b, gpus);
  answer.nanoseconds = b.timed != nullptr ? b.timed->nanoseconds(groups_of(b.c, b.l, gpus)) : 0;
  answer.gpu_of_rank = std::move(gpus);
}

// Hosts as containers whose domains may differ: with few units, all arrangements are compared by what they really cost.
inline void place_exactly(const bound_problem& b, const unit_scheme& s, const std::vector<container>& slots,
                          const unit_graph& graph, pool_answer& answer) {
  host_domains inside(b.c, b.l, b.price, confined_axes(b.options.confine, b.p).domain);
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> makes;
  for (const container& k : slots)
    makes.push_back(known.emplace(inside.sizes(k.host), static_cast<std::uint32_t>(known.size())).first->second);
  slot_tree tree = make_slot_tree(b.c, b.p, b.price, slots, s.size, container_kind::split_host, makes);
  const std::int64_t near = b.price.distance[meeting::domain];
  tree.distance[0] = near;  // never too much; what is missing is added for whole arrangements
  bool exact = true;
  const auto more = [&](const arrangement& slot_of) {
    std::vector<std::vector<std::uint32_t>> ranks_in(tree.nodes(0));
    for (std::uint32_t r = 0; r < b.l.world(); ++r) ranks_in[tree.node_of(slot_of[s.unit_of[r]], 0)].push_back(r);
    std::int64_t sum = 0;
    for (std::uint32_t k = 0; k < ranks_in.size(); ++k) {
      if (ranks_in[k].empty()) continue;
      const std::uint32_t g = tree.gpus[std::size_t{tree.begin[0][k]} * s.size];
      const host_domains::seated best = inside.seat(b.c.gpus[g].host.value, ranks_in[k]);
      exact = exact && best.exact;
      sum += best.cost - near * best.weight;
    }
    return sum;
  };
  exact_search search(graph, tree, {}, answer.cost - graph.inside * near, effort::exact_nodes / 8, more);
  answer.exhaustive = search.run() && exact;
  if (search.best().empty()) return;
  answer.gpu_of_rank = seated(b, s, tree, search.best());
  answer.cost = cost_of(b, answer.gpu_of_rank);
}

inline constexpr std::size_t kept_for_time = 32;  // arrangements that are judged by time

// Places units that are all alike. pre: there is a slot for each.
[[nodiscard]] inline pool_answer place_units(const bound_problem& b, const unit_scheme& s, const std::vector<container>& slots,
                                             std::int64_t bound) {
  const std::vector<edge_axis> edges = edge_axes(b.l, b.price);
  const slot_tree tree =
      make_slot_tree(b.c, b.p, b.price, slots, s.size, s.one_domain ? container_kind::domain : container_kind::split_host,
                     b.timed != nullptr ? makes_by_uplinks(b.c, slots) : std::vector<std::uint32_t>{});
  const unit_graph graph = make_unit_graph(b.l, edges, s);
  const std::optional<lattice> digits = lattice_of(b, edges, confined_axes(b.options.confine, b.p), s);
  arrange_problem problem{.tree = tree,
                          .digits = digits ? &*digits : nullptr,
                          .walked = digits ? walk_axes(*digits, b.l) : std::vector<walk_axis>{},
                          .slot_orders = {slots_by_host(b.c, tree, b.p.hosts)},
                          .world = b.l.world(),
                          .good_enough = bound - graph.inside * b.price.distance[meeting::domain],
                          .seed = b.options.seed,
                          .moves = b.options.moves,
                          .effort = b.options.effort,
                          .limit = b.limit};
  problem.slot_orders.push_back(slots_by_host(b.c, tree, by_natural_name(b.c, b.p.hosts)));
  if (b.timed != nullptr) problem.keep = kept_for_time;
  const arranged_units found = arrange(graph, problem);
  pool_answer answer;
  if (b.timed != nullptr) {
    const auto seats = [&](const arrangement& slot_of) { return seated(b, s, tree, slot_of); };
    const timed_units best = arrange_by_time({b.c, b.l, *b.timed, b.options.seed, seats}, s, tree, graph, found.kept);
    answer.exhaustive = best.exhaustive && s.one_domain;
    settle(b, seats(best.slot_of), answer);
    return answer;
  }
  answer.exhaustive = found.exhaustive && s.one_domain;
  answer.level_symmetric = found.level_symmetric;
  settle(b, seated(b, s, tree, found.slot_of), answer);
  if (!s.one_domain && s.units <= effort::exact_units && answer.cost > bound) place_exactly(b, s, slots, graph, answer);
  return answer;
}

// Places units of one scheme: on slots that keep rails aligned, and on any slots where that leaves more of them; the cheaper
// one, of equals the aligned one. post: none if there aren't enough slots. complexity: bounded by the numbers of `effort`.
[[nodiscard]] inline std::optional<pool_answer> place_scheme(const bound_problem& b, const unit_scheme& s, std::int64_t bound) {
  const std::vector<container> most = slots_of(b.c, b.p, s, cutting::any);
  const std::uint64_t room = slot_count(most, s);
  if (room < s.units) return std::nullopt;
  std::optional<pool_answer> best;
  for (const cutting how : {cutting::first_window, cutting::aligned}) {
    if (how == cutting::first_window && s.run == 0) continue;
    const std::vector<container> slots = slots_of(b.c, b.p, s, how);
    if (slot_count(slots, s) < s.units) continue;
    best = place_units(b, s, slots, bound);
    if (slot_count(slots, s) == room) return best;
    best->exhaustive = false;
    break;
  }
  pool_answer loose = place_units(b, s, most, bound);
  if (!best || loose.costs() < best->costs()) return loose;
  best->exhaustive = loose.exhaustive && loose.costs() == best->costs();
  return best;
}

}  // namespace topoplan::inline v1::detail
