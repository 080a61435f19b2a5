// Finds an arrangement of units in the slots of one tree: orders, tilings, partition, exchange; exact search where it is small.
#pragma once

#include <topoplan/solve/detail/arrangement_pool.hpp>
#include <topoplan/solve/detail/exact.hpp>
#include <topoplan/solve/detail/lattice.hpp>
#include <topoplan/solve/detail/local_search.hpp>
#include <topoplan/solve/detail/orders.hpp>
#include <topoplan/solve/detail/partition.hpp>
#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/tiling.hpp>
#include <topoplan/solve/detail/time_limit.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/problem.hpp>

#include <algorithm>
#include <array>
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
  search_effort effort = search_effort::standard;
  bool exact = true;            // few units: all arrangements are compared
  std::size_t keep = 0;         // arrangements wanted besides the best
  time_limit* limit = nullptr;  // none: no limit
};

struct arranged_units {
  arrangement slot_of;
  std::int64_t cost = 0;
  bool exhaustive = false;       // no arrangement of these units in these slots is cheaper
  bool level_symmetric = false;  // the best tiling of the whole tree, and the other searches found nothing better
  // Up to `keep` arrangements that are good and different in kind, cheapest first: orders, walks, tilings, partitions,
  // exchanges. No two are equal.
  std::vector<arrangement> kept;
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
// Moves of annealing, where the caller doesn't say.
[[nodiscard]] constexpr std::uint64_t moves_for(std::uint64_t units, std::optional<std::uint64_t> given) noexcept {
  return given.value_or(std::clamp(moves_per_unit * units, fewest_moves, most_moves));
}
inline constexpr std::uint64_t polishing_moves_per_unit = 20'000;  // from each start
inline constexpr std::uint64_t fewest_polishing_moves = 800'000;
inline constexpr std::uint32_t large_polishing = 400;              // units
inline constexpr std::uint64_t most_polishing_steps = 34'000'000;  // arcs looked at from each start
}  // namespace effort

// One search for a good arrangement.
class arranger {
 public:
  arranger(const unit_graph& g, const arrange_problem& p) : graph_(g), p_(p), met_(g, p.tree, p.keep > 0 ? 8 : 4) {}

  [[nodiscard]] arranged_units run() {
    for (const std::vector<std::uint32_t>& order : p_.slot_orders) along(order);
    std::vector<std::uint32_t> straight(graph_.units());
    std::iota(straight.begin(), straight.end(), 0U);
    along(straight);
    const std::optional<std::int64_t> symmetric = tile();
    const bool small = graph_.arcs.size() <= effort::largest_search;
    if (more()) partition();
    if (small && !done() && !late()) descend(met_.best());
    arranged_units result;
    if (p_.exact && graph_.units() <= effort::exact_units && !late()) result.exhaustive = exhaust();
    if (small && !done() && !result.exhaustive && !late()) anneal();
    if (small && !done() && !result.exhaustive && p_.effort == search_effort::thorough) polish();
    result.slot_of = met_.best();
    result.cost = met_.cost();
    result.level_symmetric = symmetric == met_.cost();
    if (p_.keep > 0) result.kept = met_.kept(p_.keep);
    return result;
  }

 private:
  [[nodiscard]] bool done() const noexcept { return met_.cost() <= p_.good_enough; }
  [[nodiscard]] bool late() const noexcept { return p_.limit != nullptr && p_.limit->over(); }
  // True if other kinds of arrangements are worth a look.
  [[nodiscard]] bool more() const noexcept { return (p_.keep > 0 || !done()) && !late(); }

  void along(const std::vector<std::uint32_t>& slots) {
    met_.offer({slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(graph_.units())}, origin::order);
  }

  // The cost of the best tiling, if all were met, all axes were priced and it takes the whole tree.
  std::optional<std::int64_t> tile() {
    if (p_.digits == nullptr || !more()) return std::nullopt;
    tiling_search search(*p_.digits, p_.tree, p_.world, graph_.units(), effort::tilings, p_.keep > 0 ? 8 : 1);
    const std::vector<tiling> found = search.best();
    std::optional<std::int64_t> whole;
    for (const tiling& t : found) {
      const std::int64_t cost = met_.offer(arranged(t, *p_.digits, search.embed(t.sizes)), origin::tiling);
      if (&t == &found.front() && t.whole_tree && search.complete() && p_.digits->whole) whole = cost;
    }
    return whole;
  }

  void partition() {
    const std::uint64_t steps = graph_.arcs.size() + 16 * std::uint64_t{graph_.units()};
    const std::size_t limit = static_cast<std::size_t>(std::clamp<std::uint64_t>(effort::walk_steps / steps, 8, 1200));
    const std::vector<walk> walks = walks_of(p_.walked, limit);
    if (p_.keep > 0) follow(walks);
    partitioner parts(graph_, p_.tree, walks);
    for (const slot_choice& choice : slot_choices(p_.tree, graph_.units(), steps > 50'000 ? 2 : 6)) {
      arrangement slots = parts.run(choice);
      if (steps < 50'000) descend(slots);
      met_.offer(std::move(slots), origin::partition);
      if (!more()) return;
    }
  }

  // Each walk through the whole tree.
  void follow(const std::vector<walk>& walks) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> walked(graph_.units());
    for (const walk& w : walks) {
      for (std::uint32_t u = 0; u < walked.size(); ++u) walked[u] = {w.key(u), u};
      std::sort(walked.begin(), walked.end());
      arrangement slots(walked.size());
      for (std::uint32_t i = 0; i < walked.size(); ++i) slots[walked[i].second] = i;
      met_.offer(std::move(slots), origin::walk);
    }
  }

  void descend(const arrangement& from) {
    exchange changed(graph_, p_.tree, from, kinds_);
    changed.descend(6);
    met_.offer(changed.slots(), origin::exchange);
  }

  // True if no arrangement is cheaper than the best that is now known.
  bool exhaust() {
    exact_search exact(graph_, p_.tree, met_.best(), met_.cost(), effort::exact_nodes);
    const bool complete = exact.run();
    if (exact.cost() < met_.cost()) met_.offer(exact.best(), exact.cost(), origin::exchange);
    return complete;
  }

  void anneal() {
    const std::uint64_t moves = effort::moves_for(graph_.units(), p_.moves);
    if (moves == 0 || p_.tree.levels() < 2 || graph_.arcs.empty()) return;
    const weight_scale s = scale_of(graph_, p_.tree);
    random_source random(p_.seed);
    // From hot with half of the moves where that is affordable, then warm from the best so far.
    if (graph_.units() <= 160) {
      exchange changed(graph_, p_.tree, met_.best(), kinds_);
      changed.anneal(random, moves / 2, s.mean * s.span / 3, s.lightest * s.step / 10);
      changed.descend(6);
      met_.offer(changed.slots(), origin::exchange);
    }
    exchange changed(graph_, p_.tree, met_.best(), kinds_);
    changed.anneal(random, moves / 2, s.heaviest * s.step / 2, s.lightest * s.step / 10);
    changed.descend(6);
    met_.offer(changed.slots(), origin::exchange);
  }

  // Annealing from several of the best, at several temperatures.
  void polish() {
    if (p_.tree.levels() < 2 || graph_.arcs.empty()) return;
    const weight_scale s = scale_of(graph_, p_.tree);
    const bool large = graph_.units() > effort::large_polishing;  // needs long runs more than many of them
    const std::uint64_t degree = std::max<std::uint64_t>(8, graph_.arcs.size() / graph_.units());
    const std::uint64_t moves =
        p_.moves.value_or(std::min(std::max(effort::polishing_moves_per_unit * graph_.units(), effort::fewest_polishing_moves),
                                   effort::most_polishing_steps / degree * (large ? 2 : 1)));
    random_source random(p_.seed + 1);
    const std::int64_t base = s.heaviest * s.step;
    const std::array<std::int64_t, 4> hots =
        large ? std::array<std::int64_t, 4>{base / 4, base / 8, base / 2, base / 4}
              : std::array<std::int64_t, 4>{base * 6 / 10, base * 3 / 2, s.mean * s.span / 3, base * 3};
    for (std::size_t round = 0; round < 2; ++round) {
      const std::vector<arrangement> starts = met_.kept(large ? 2 : 4);
      for (std::size_t i = 0; i < starts.size(); ++i) {
        if (done() || late()) return;
        exchange changed(graph_, p_.tree, starts[i], kinds_);
        changed.anneal(random, moves, hots[(i + round) % 4], std::max<std::int64_t>(1, s.lightest * s.step / 12));
        changed.descend(6);
        met_.offer(changed.slots(), origin::exchange);
      }
    }
  }

  const unit_graph& graph_;
  const arrange_problem& p_;
  const slot_kinds kinds_;
  arrangement_pool met_;
};

// pre: the tree has a slot for every unit. complexity: bounded by the numbers of `effort`.
[[nodiscard]] inline arranged_units arrange(const unit_graph& g, const arrange_problem& p) { return arranger(g, p).run(); }

}  // namespace topoplan::inline v1::detail
