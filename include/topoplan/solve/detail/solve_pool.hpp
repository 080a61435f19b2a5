// Places a job on one pool: which units, which slots, which arrangement.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/arrange.hpp>
#include <topoplan/solve/detail/fill.hpp>
#include <topoplan/solve/detail/refuse.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace topoplan::inline v1::detail {

// A way to seat all ranks, or the reason why there is none.
struct pool_answer {
  std::vector<std::uint32_t> gpu_of_rank;  // empty if there is none
  bool exhaustive = false;
  bool level_symmetric = false;
  refusal why;
};

// The lattice whose outside digits number the units of a scheme; none if there is no such lattice.
[[nodiscard]] inline std::optional<lattice> lattice_of(const bound_problem& b, const std::vector<edge_axis>& edges,
                                                       const confined_axes& confined, const unit_scheme& s) {
  std::optional<lattice> lat = make_lattice(b.l, edges, true, std::max<std::uint32_t>(s.run, 1));
  if (!lat) return std::nullopt;
  lat->keep_below(std::max<std::uint32_t>(s.run, 1));
  lat->keep_axes(b.l, b.p.nest == nesting::host_in_domain || !s.one_domain ? confined.host | confined.domain : confined.domain);
  if (lat->unit_size() != s.size) return std::nullopt;
  return lat;
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

// Places units that are all alike. pre: there is a slot for each.
[[nodiscard]] inline pool_answer place_units(const bound_problem& b, const unit_scheme& s, const std::vector<container>& slots,
                                             std::int64_t bound) {
  const std::vector<edge_axis> edges = edge_axes(b.l, b.price);
  const slot_tree tree = make_slot_tree(b.c, b.p, b.price, slots, s);
  const unit_graph graph = make_unit_graph(b.l, edges, s);
  const std::optional<lattice> digits = lattice_of(b, edges, confined_axes(b.options.confine, b.p), s);
  arrange_problem problem{.tree = tree,
                          .digits = digits ? &*digits : nullptr,
                          .slot_orders = {slots_by_host(b.c, tree, b.p.hosts)},
                          .world = b.l.world(),
                          .good_enough = bound - graph.inside * b.price.distance[meeting::domain],
                          .seed = b.options.seed,
                          .moves = b.options.moves};
  problem.slot_orders.push_back(slots_by_host(b.c, tree, by_natural_name(b.c, b.p.hosts)));
  const arranged_units found = arrange(graph, problem);
  pool_answer answer;
  answer.exhaustive = found.exhaustive;
  answer.level_symmetric = found.level_symmetric;
  answer.gpu_of_rank.resize(b.l.world());
  for (std::uint32_t r = 0; r < b.l.world(); ++r)
    answer.gpu_of_rank[r] = tree.gpus[std::size_t{found.slot_of[s.unit_of[r]]} * s.size + s.position_of[r]];
  return answer;
}

// The slots of the first way of cutting that leaves enough of them; empty if none does.
// post: `exact` says that no way of cutting leaves more slots in any container.
[[nodiscard]] inline std::vector<container> enough_slots(const bound_problem& b, const unit_scheme& s, bool& exact) {
  const std::vector<container> most = slots_of(b.c, b.p, s, cutting::any);
  const std::uint64_t room = slot_count(most, s);
  exact = false;
  if (room < s.units) return {};
  for (const cutting how : {cutting::first_window, cutting::aligned}) {
    std::vector<container> slots = slots_of(b.c, b.p, s, how);
    if (how == cutting::first_window && s.run == 0) continue;
    const std::uint64_t here = slot_count(slots, s);
    if (here < s.units) continue;
    exact = here == room;
    return slots;
  }
  exact = true;
  return most;
}

// pre: the pool has at least as many usable GPUs as there are ranks. complexity: bounded by the budgets of arrange().
[[nodiscard]] inline pool_answer solve_pool(const bound_problem& b, std::int64_t bound) {
  const confined_axes confined(b.options.confine, b.p);
  pool_answer answer;
  bool exact = false;
  if (!b.options.launcher.contiguous) {
    const std::optional<unit_scheme> s = free_units(b.l, confined, b.p.nest);
    if (!s) {
      answer.why = {rules_text(b.options.confine), "the groups that these rules keep together differ in size", "",
                    "this solver places groups of one size; choose degrees that divide each other"};
      return answer;
    }
    const std::vector<container> slots = enough_slots(b, *s, exact);
    if (slots.empty()) {
      answer.why = refuse_slots(b.c, b.l, b.p, b.options, *s, slots_of(b.c, b.p, *s, cutting::any));
      return answer;
    }
    answer = place_units(b, *s, slots, bound);
    answer.exhaustive = answer.exhaustive && exact && s->one_domain;
    return answer;
  }
  std::uint32_t most = 0;
  for (const std::uint32_t h : b.p.hosts) most = std::max(most, usable_on(b.c, h));
  for (std::uint32_t run = std::min(most, b.l.world()); run > 0; --run) {
    if (b.l.world() % run != 0) continue;
    const std::optional<unit_scheme> s = run_units(b.l, confined, b.p.nest, run);
    if (!s) continue;
    const std::vector<container> slots = enough_slots(b, *s, exact);
    if (slots.empty()) continue;
    return place_units(b, *s, slots, bound);
  }
  answer.why = refuse_launcher(b.options, false);
  return answer;
}

}  // namespace topoplan::inline v1::detail
