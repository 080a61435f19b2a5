// Searches among arrangements of units by the time of a step: exchanges from a good start, and all of them where they are few.
#pragma once

#include <topoplan/solve/detail/exact_places.hpp>
#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/timing.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/unit_loads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace topoplan::inline v1::detail {

// Times arrangements of one job, exchange by exchange.
class time_search {
 public:
  // pre: loads.applies().
  time_search(const unit_graph& g, const slot_tree& tree, unit_loads& loads, const timing& by)
      : graph_(g), tree_(tree), loads_(loads), by_(by), unit_in_(tree.slots(), nowhere) {}

  // The price of an arrangement, counted anew. complexity: O(arcs * tiers).
  [[nodiscard]] price of(const arrangement& slots) {
    clear();
    for (std::uint32_t u = 0; u < slots.size(); ++u) put(u, slots[u]);
    return {now(), cost_of(graph_, tree_, slots)};
  }

  // Exchanges that lower the time, or at the same time the cost of the edges, as long as any of `moves` random ones does.
  // post: the price of the result, never above that of the start. complexity: O(moves * (neighbours * tiers + axes * nodes)).
  [[nodiscard]] price climb(arrangement& slots, random_source& random, std::uint64_t moves) {
    price best = of(slots);
    if (slots.empty() || tree_.slots() < 2) return best;
    for (std::uint64_t i = 0; i < moves; ++i) {
      const auto u = static_cast<std::uint32_t>(random.below(slots.size()));
      const std::uint32_t from = slots[u];
      std::uint32_t to = static_cast<std::uint32_t>(random.below(tree_.slots()));
      const auto arcs = graph_.of(u);
      if (!arcs.empty() && random.below(4) != 0) {
        // Into the smallest place with company around a neighbour.
        const std::uint32_t other = slots[arcs[static_cast<std::size_t>(random.below(arcs.size()))].to];
        for (std::size_t l = 0; l < tree_.levels(); ++l) {
          const std::uint32_t n = tree_.node_of(other, l);
          const std::uint32_t size = tree_.begin[l][n + 1] - tree_.begin[l][n];
          if (size == 1) continue;
          to = tree_.begin[l][n] + static_cast<std::uint32_t>(random.below(size));
          break;
        }
      }
      if (to == from) continue;
      const std::uint32_t w = unit_in_[to];
      const std::int64_t edges = edges_of(slots, u, w);
      exchange(slots, u, from, w, to);
      const price here{now(), best.cost - edges + edges_of(slots, u, w)};
      if (best < here) exchange(slots, u, to, w, from);
      else best = here;
    }
    return best;
  }

  // Compares all arrangements but those that can't be better. `slots` is a known one with its price; it is replaced by a better
  // one. post: true if none is better. complexity: O(budget * (neighbours * tiers + axes * nodes)).
  // pre: slots of one container are alike, and containers of one shape.
  [[nodiscard]] bool exhaust(arrangement& slots, price& best, std::uint64_t budget) {
    clear();
    exhaustion e{placing_order(graph_, tree_), open_places(tree_), arrangement(graph_.units(), nowhere), slots, best, budget};
    place_unit(e, 0, 0);
    return e.budget > 0;
  }

 private:
  void clear() {
    for (std::uint32_t u = 0; u < graph_.units(); ++u)
      if (loads_.slot_of(u) != nowhere) loads_.lift(u);
    std::fill(unit_in_.begin(), unit_in_.end(), nowhere);
  }
  void put(std::uint32_t unit, std::uint32_t slot) {
    loads_.put(unit, slot);
    unit_in_[slot] = unit;
  }
  void exchange(arrangement& slots, std::uint32_t u, std::uint32_t from, std::uint32_t w, std::uint32_t to) {
    loads_.lift(u);
    if (w != nowhere) loads_.lift(w);
    unit_in_[from] = nowhere;
    put(u, to);
    slots[u] = to;
    if (w == nowhere) return;
    put(w, from);
    slots[w] = from;
  }
  [[nodiscard]] std::int64_t edges_of(const arrangement& slots, std::uint32_t u, std::uint32_t w) const {
    std::int64_t sum = cost_at(graph_, tree_, slots, u, slots[u]);
    if (w != nowhere) sum += cost_at(graph_, tree_, slots, w, slots[w]);
    return sum;
  }
  // Few different loads occur, so that most times are known.
  [[nodiscard]] std::int64_t now() {
    const axis_groups& g = loads_.groups();
    if (fresh_ && g == last_) return last_time_;
    fresh_ = true;
    last_ = g;
    return last_time_ = by_.nanoseconds(g);
  }

  // The state of one exhaust().
  struct exhaustion {
    placing_order order;
    open_places open;
    arrangement slot_of;
    arrangement& result;
    price& best;
    std::uint64_t budget;
  };

  void place_unit(exhaustion& e, std::uint32_t i, std::int64_t cost) {
    if (e.budget == 0) return;
    --e.budget;
    const price least{now(), cost + e.order.rest[i]};
    if (!(least < e.best)) return;
    if (i == graph_.units()) {
      e.best = least;
      e.result = e.slot_of;
      return;
    }
    const std::uint32_t unit = e.order.units[i];
    e.open.each([&](std::uint32_t slot) {
      e.slot_of[unit] = slot;
      loads_.put(unit, slot);
      place_unit(e, i + 1, cost + added_cost(graph_, tree_, e.slot_of, unit, slot));
      loads_.lift(unit);
      e.slot_of[unit] = nowhere;
    });
  }

  const unit_graph& graph_;
  const slot_tree& tree_;
  unit_loads& loads_;
  const timing& by_;
  std::vector<std::uint32_t> unit_in_;
  axis_groups last_;
  std::int64_t last_time_ = 0;
  bool fresh_ = false;
};

}  // namespace topoplan::inline v1::detail
