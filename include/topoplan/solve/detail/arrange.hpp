// Finds an arrangement of units in the slots of one tree: orders, tilings, partition, exchange; exact search where it is small.
#pragma once

#include <topoplan/solve/detail/exact.hpp>
#include <topoplan/solve/detail/lattice.hpp>
#include <topoplan/solve/detail/local_search.hpp>
#include <topoplan/solve/detail/orders.hpp>
#include <topoplan/solve/detail/partition.hpp>
#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/tiling.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

struct arrange_problem {
  const slot_tree& tree;
  const lattice* digits = nullptr;                      // none if the axes have no common digits
  std::vector<walk_axis> walked;                        // of the units
  std::vector<std::vector<std::uint32_t>> slot_orders;  // to be tried with the units in rank order
  std::uint32_t world = 0;
  std::int64_t good_enough = 0;  // cost of the edges between units that no arrangement beats
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> moves;
};

struct arranged_units {
  arrangement slot_of;
  std::int64_t cost = 0;
  bool exhaustive = false;       // no arrangement of these units in these slots is cheaper
  bool level_symmetric = false;  // the best tiling of the whole tree, and the other searches found nothing better
};

// How much work a search may do, in elementary steps; all of it depends on the size of the problem only.
namespace effort {
inline constexpr std::uint32_t exact_units = 12;
inline constexpr std::uint64_t exact_nodes = 2'000'000;
inline constexpr std::uint64_t tilings = 300'000;
inline constexpr std::uint64_t walk_steps = 6'000'000;    // arcs looked at in one partition of the whole tree
inline constexpr std::uint64_t largest_search = 400'000;  // arcs beyond which no units are exchanged
inline constexpr std::uint64_t moves_per_unit = 2'000;
inline constexpr std::uint64_t fewest_moves = 60'000;
inline constexpr std::uint64_t most_moves = 2'000'000;
}  // namespace effort

// One search for a good arrangement.
class arranger {
 public:
  arranger(const unit_graph& g, const arrange_problem& p) : graph_(g), p_(p) {}

  [[nodiscard]] arranged_units run() {
    for (const std::vector<std::uint32_t>& order : p_.slot_orders) along(order);
    std::vector<std::uint32_t> straight(graph_.units());
    std::iota(straight.begin(), straight.end(), 0U);
    along(straight);
    const std::optional<std::int64_t> symmetric = tile();
    const bool small = graph_.arcs.size() <= effort::largest_search;
    if (!done()) partition();
    if (small && !done()) descend(best_.slot_of);
    if (graph_.units() <= effort::exact_units) exhaust();
    if (small && !done() && !best_.exhaustive) anneal();
    best_.level_symmetric = symmetric == best_.cost;
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool done() const noexcept { return best_.cost <= p_.good_enough; }

  void offer(arrangement slots) {
    const std::int64_t cost = cost_of(graph_, p_.tree, slots);
    if (!best_.slot_of.empty() && cost >= best_.cost) return;
    best_.slot_of = std::move(slots);
    best_.cost = cost;
  }
  void along(const std::vector<std::uint32_t>& slots) {
    offer({slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(graph_.units())});
  }

  // The cost of the best tiling, if all were met, all axes were priced and it takes the whole tree.
  std::optional<std::int64_t> tile() {
    if (p_.digits == nullptr || done()) return std::nullopt;
    tiling_search search(*p_.digits, p_.tree, p_.world, graph_.units(), effort::tilings);
    const std::optional<tiling> t = search.best();
    if (!t) return std::nullopt;
    arrangement slots = arranged(*t, *p_.digits, search.embed(t->sizes));
    const std::int64_t cost = cost_of(graph_, p_.tree, slots);
    offer(std::move(slots));
    return t->whole_tree && search.complete() && p_.digits->whole ? std::optional(cost) : std::nullopt;
  }

  void partition() {
    const std::uint64_t steps = graph_.arcs.size() + 16 * std::uint64_t{graph_.units()};
    const std::size_t limit = static_cast<std::size_t>(std::clamp<std::uint64_t>(effort::walk_steps / steps, 8, 1200));
    const std::vector<walk> walks = walks_of(p_.walked, limit);
    partitioner parts(graph_, p_.tree, walks);
    for (const slot_choice& choice : slot_choices(p_.tree, graph_.units(), steps > 50'000 ? 2 : 6)) {
      arrangement slots = parts.run(choice);
      if (steps < 50'000) descend(slots);
      offer(std::move(slots));
      if (done()) return;
    }
  }

  void descend(const arrangement& from) {
    exchange changed(graph_, p_.tree, from, kinds_);
    changed.descend(6);
    offer(changed.slots());
  }

  void exhaust() {
    exact_search exact(graph_, p_.tree, best_.slot_of, best_.cost, effort::exact_nodes);
    best_.exhaustive = exact.run();
    best_.slot_of = exact.best();
    best_.cost = exact.cost();
  }

  void anneal() {
    const std::uint64_t moves =
        p_.moves.value_or(std::clamp(effort::moves_per_unit * graph_.units(), effort::fewest_moves, effort::most_moves));
    if (moves == 0 || p_.tree.levels() < 2) return;
    std::int64_t lightest = 0;
    std::int64_t heaviest = 0;
    std::int64_t all = 0;
    for (const unit_graph::arc& a : graph_.arcs) {
      lightest = lightest == 0 ? a.weight : std::min(lightest, a.weight);
      heaviest = std::max(heaviest, a.weight);
      all += a.weight;
    }
    const std::int64_t step = std::max<std::int64_t>(1, p_.tree.distance[1] - p_.tree.distance[0]);
    const std::int64_t span = p_.tree.distance.back() - p_.tree.distance[0];
    random_source random(p_.seed);
    // From hot with half of the moves where that is affordable, then warm from the best so far.
    if (graph_.units() <= 160) {
      exchange changed(graph_, p_.tree, best_.slot_of, kinds_);
      changed.anneal(random, moves / 2, all / graph_.units() * span / 3, lightest * step / 10);
      changed.descend(6);
      offer(changed.slots());
    }
    exchange changed(graph_, p_.tree, best_.slot_of, kinds_);
    changed.anneal(random, moves / 2, heaviest * step / 2, lightest * step / 10);
    changed.descend(6);
    offer(changed.slots());
  }

  const unit_graph& graph_;
  const arrange_problem& p_;
  const slot_kinds kinds_;
  arranged_units best_;
};

// pre: the tree has a slot for every unit. complexity: bounded by the numbers of `effort`.
[[nodiscard]] inline arranged_units arrange(const unit_graph& g, const arrange_problem& p) { return arranger(g, p).run(); }

}  // namespace topoplan::inline v1::detail
