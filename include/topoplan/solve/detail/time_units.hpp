// The best arrangement of units by the time of a step.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cost/detail/uplinks.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/arrange.hpp>
#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/time_search.hpp>
#include <topoplan/solve/detail/timing.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/unit_loads.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

namespace time_effort {
inline constexpr std::uint64_t exact_nodes = 3'000'000;
inline constexpr std::uint64_t moves_per_unit = 300;
inline constexpr std::uint64_t most_moves = 150'000;
inline constexpr std::size_t climbed = 3;                     // arrangements that exchanges start from
inline constexpr std::uint64_t ranks_looked_at = 30'000'000;  // where each time is counted anew
}  // namespace time_effort

struct timed_units {
  arrangement slot_of;
  price costs;              // edges between units only
  bool exhaustive = false;  // no arrangement of these units in these slots is better
};

// Containers that a search by time may take for each other: as many slots, and the same capacities above. Equal numbers are
// alike. complexity: O(GPUs + containers * tiers).
[[nodiscard]] inline std::vector<std::uint32_t> makes_by_uplinks(const cluster& c, const std::vector<container>& slots) {
  const std::vector<std::vector<double>> uplinks = uplinks_of(c);
  std::map<std::vector<double>, std::uint32_t> known;
  std::vector<std::uint32_t> makes;
  for (const container& k : slots) {
    std::vector<double> key{static_cast<double>(k.gpus.size())};
    for (std::size_t t = 0; t < c.tiers.size(); ++t) key.push_back(uplinks[t][c.ancestor(host_id{k.host}, t)]);
    makes.push_back(known.emplace(std::move(key), static_cast<std::uint32_t>(known.size())).first->second);
  }
  return makes;
}

// What a search by time needs besides the tree.
struct timed_problem {
  const cluster& c;
  const layout& l;
  const timing& by;
  std::uint64_t seed = 1;
  // The GPU of every rank under an arrangement.
  std::function<std::vector<std::uint32_t>(const arrangement&)> seats;
};

// Times arrangements whose units share domains or rails: every one anew.
[[nodiscard]] inline timed_units climb_anew(const timed_problem& p, const slot_tree& tree, const unit_graph& graph,
                                            timed_units best) {
  const std::uint64_t moves = time_effort::ranks_looked_at / (std::uint64_t{8} * p.l.world() * (p.c.tiers.size() + 1));
  random_source random(p.seed);
  std::vector<std::uint32_t> unit_in(tree.slots(), nowhere);
  for (std::uint32_t u = 0; u < best.slot_of.size(); ++u) unit_in[best.slot_of[u]] = u;
  for (std::uint64_t i = 0; i < moves && tree.slots() > 1; ++i) {
    const auto u = static_cast<std::uint32_t>(random.below(best.slot_of.size()));
    const auto to = static_cast<std::uint32_t>(random.below(tree.slots()));
    const std::uint32_t from = best.slot_of[u];
    const std::uint32_t w = unit_in[to];
    if (to == from || tree.node_of(to, 0) == tree.node_of(from, 0)) continue;
    arrangement slots = best.slot_of;
    slots[u] = to;
    if (w != nowhere) slots[w] = from;
    const price here{p.by.nanoseconds(groups_of(p.c, p.l, p.seats(slots))), cost_of(graph, tree, slots)};
    if (!(here < best.costs)) continue;
    best.slot_of = std::move(slots);
    best.costs = here;
    unit_in[from] = w;
    unit_in[to] = u;
  }
  return best;
}

// The best of some arrangements, improved by exchanges; with few units that have places of their own, of all arrangements.
// pre: `known` isn't empty; the tree was made with makes_by_uplinks(). complexity: bounded by the numbers of `time_effort`.
[[nodiscard]] inline timed_units arrange_by_time(const timed_problem& p, const unit_scheme& s, const slot_tree& tree,
                                                 const unit_graph& graph, const std::vector<arrangement>& known) {
  unit_loads loads(p.c, p.l, s, tree);
  std::vector<timed_units> candidates;
  const auto order = [](const timed_units& a, const timed_units& b) {
    return a.costs == b.costs ? a.slot_of < b.slot_of : a.costs < b.costs;
  };
  if (!loads.applies()) {
    for (const arrangement& slots : known)
      candidates.push_back({slots, {p.by.nanoseconds(groups_of(p.c, p.l, p.seats(slots))), cost_of(graph, tree, slots)}});
    return climb_anew(p, tree, graph, *std::min_element(candidates.begin(), candidates.end(), order));
  }
  time_search search(graph, tree, loads, p.by);
  for (const arrangement& slots : known) candidates.push_back({slots, search.of(slots)});
  std::sort(candidates.begin(), candidates.end(), order);
  if (graph.units() <= effort::exact_units) {
    timed_units best = std::move(candidates.front());
    best.exhaustive = search.exhaust(best.slot_of, best.costs, time_effort::exact_nodes);
    if (best.exhaustive) return best;
    candidates.front() = std::move(best);
  }
  candidates.resize(std::min(candidates.size(), time_effort::climbed));
  const std::uint64_t moves = std::min(time_effort::moves_per_unit * graph.units(), time_effort::most_moves);
  random_source random(p.seed);
  for (timed_units& k : candidates) k.costs = search.climb(k.slot_of, random, moves);
  return *std::min_element(candidates.begin(), candidates.end(), order);
}

}  // namespace topoplan::inline v1::detail
