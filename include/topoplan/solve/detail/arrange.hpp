// Finds an arrangement of units in the slots of one tree: tilings, orders, exchange, exact search where it is small.
#pragma once

#include <topoplan/solve/detail/exact.hpp>
#include <topoplan/solve/detail/lattice.hpp>
#include <topoplan/solve/detail/local_search.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/tiling.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

struct arrange_problem {
  const slot_tree& tree;
  const lattice* digits = nullptr;                      // none if the axes have no common digits
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

inline constexpr std::uint32_t exact_units = 12;
inline constexpr std::uint64_t exact_budget = 3'000'000;
inline constexpr std::uint64_t tiling_budget = 300'000;

// pre: the tree has a slot for every unit. complexity: bounded by the budgets above and about 3000 moves a unit.
[[nodiscard]] inline arranged_units arrange(const unit_graph& g, const arrange_problem& p) {
  arranged_units best;
  const auto offer = [&](arrangement slots) {
    const std::int64_t cost = cost_of(g, p.tree, slots);
    if (!best.slot_of.empty() && cost >= best.cost) return false;
    best = {std::move(slots), cost};
    return true;
  };
  for (const std::vector<std::uint32_t>& order : p.slot_orders)
    offer({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(g.units())});
  arrangement straight(g.units());
  std::iota(straight.begin(), straight.end(), 0U);
  offer(std::move(straight));
  std::int64_t symmetric = 0;
  bool whole_tree = false;
  if (p.digits != nullptr && best.cost > p.good_enough) {
    tiling_search search(*p.digits, p.tree, p.world, g.units(), tiling_budget);
    if (const std::optional<tiling> t = search.best()) {
      arrangement slots = arranged(*t, *p.digits, search.embed(t->sizes));
      symmetric = cost_of(g, p.tree, slots);
      whole_tree = t->whole_tree;
      offer(std::move(slots));
    }
  }
  if (best.cost > p.good_enough) {
    const slot_kinds one_kind;
    exchange changed(g, p.tree, best.slot_of, one_kind);
    changed.descend(4);
    offer(changed.slots());
  }
  if (g.units() <= exact_units) {
    exact_search exact(g, p.tree, best.slot_of, best.cost, exact_budget);
    best.exhaustive = exact.run();
    if (exact.cost() < best.cost) best = {exact.best(), exact.cost(), best.exhaustive};
  }
  best.level_symmetric = whole_tree && best.cost == symmetric;
  return best;
}

}  // namespace topoplan::inline v1::detail
