// Searches among arrangements of units by the time of a step: exchanges from a good start, and all of them where they are few.
#pragma once

#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/timing.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/unit_loads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Times arrangements of one job, exchange by exchange.
class time_search {
 public:
  // pre: loads.applies().
  time_search(const unit_graph& g, const slot_tree& tree, unit_loads& loads, const timing& by)
      : graph_(g), tree_(tree), loads_(loads), by_(by), unit_in_(tree.slots(), unit_loads::nowhere) {}

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
    used_.clear();
    for (std::size_t l = 0; l < tree_.levels(); ++l) used_.emplace_back(tree_.nodes(l), 0);
    order_units();
    work_.assign(graph_.units(), unit_loads::nowhere);
    best_ = &best;
    result_ = &slots;
    budget_ = budget;
    next(0, 0);
    return budget_ > 0;
  }

 private:
  void clear() {
    for (std::uint32_t u = 0; u < graph_.units(); ++u)
      if (loads_.slot_of(u) != unit_loads::nowhere) loads_.lift(u);
    std::fill(unit_in_.begin(), unit_in_.end(), unit_loads::nowhere);
  }
  void put(std::uint32_t unit, std::uint32_t slot) {
    loads_.put(unit, slot);
    unit_in_[slot] = unit;
  }
  void exchange(arrangement& slots, std::uint32_t u, std::uint32_t from, std::uint32_t w, std::uint32_t to) {
    loads_.lift(u);
    if (w != unit_loads::nowhere) loads_.lift(w);
    unit_in_[from] = unit_loads::nowhere;
    put(u, to);
    slots[u] = to;
    if (w == unit_loads::nowhere) return;
    put(w, from);
    slots[w] = from;
  }
  [[nodiscard]] std::int64_t edges_of(const arrangement& slots, std::uint32_t u, std::uint32_t w) const {
    std::int64_t sum = cost_at(graph_, tree_, slots, u, slots[u]);
    if (w != unit_loads::nowhere) sum += cost_at(graph_, tree_, slots, w, slots[w]);
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

  void order_units() {
    std::vector<std::int64_t> pull(graph_.units(), 0);
    std::vector<bool> taken(graph_.units(), false);
    order_.clear();
    for (std::uint32_t i = 0; i < graph_.units(); ++i) {
      std::uint32_t chosen = unit_loads::nowhere;
      for (std::uint32_t u = 0; u < graph_.units(); ++u)
        if (!taken[u] && (chosen == unit_loads::nowhere || pull[u] > pull[chosen])) chosen = u;
      taken[chosen] = true;
      order_.push_back(chosen);
      for (const unit_graph::arc& a : graph_.of(chosen)) pull[a.to] += a.weight;
    }
    const bool shared = tree_.nodes(0) < tree_.slots();
    const std::int64_t least = tree_.distance[shared || tree_.levels() == 1 ? 0 : 1];
    std::vector<std::uint32_t> place(graph_.units());
    for (std::uint32_t i = 0; i < graph_.units(); ++i) place[order_[i]] = i;
    rest_.assign(graph_.units() + 1, 0);
    for (std::uint32_t i = graph_.units(); i-- > 0;) {
      rest_[i] = rest_[i + 1];
      for (const unit_graph::arc& a : graph_.of(order_[i]))
        if (place[a.to] < i) rest_[i] += a.weight * least;
    }
  }

  void next(std::uint32_t i, std::int64_t cost) {
    if (budget_ == 0) return;
    --budget_;
    const price least{now(), cost + rest_[i]};
    if (!(least < *best_)) return;
    if (i == graph_.units()) {
      *best_ = least;
      *result_ = work_;
      return;
    }
    descend(tree_.levels() - 1, 0, i, cost);
  }

  // Of several untouched subtrees of one shape only the first is tried: they are interchangeable.
  void descend(std::size_t level, std::uint32_t node, std::uint32_t i, std::int64_t cost) {
    const std::uint32_t first = tree_.begin[level][node];
    const std::uint32_t last = tree_.begin[level][node + 1];
    if (used_[level][node] == last - first) return;
    ++used_[level][node];
    if (level == 0) {
      const std::uint32_t unit = order_[i];
      const std::uint32_t slot = first + used_[0][node] - 1;
      work_[unit] = slot;
      for (const unit_graph::arc& a : graph_.of(unit))
        if (work_[a.to] != unit_loads::nowhere && a.to != unit) cost += a.weight * tree_.distance[tree_.meet(slot, work_[a.to])];
      loads_.put(unit, slot);
      next(i + 1, cost);
      loads_.lift(unit);
      work_[unit] = unit_loads::nowhere;
    } else {
      std::uint32_t untouched = unit_loads::nowhere;
      for (std::uint32_t slot = first; slot < last;) {
        const std::uint32_t child = tree_.node_of(slot, level - 1);
        slot = tree_.begin[level - 1][child + 1];
        if (used_[level - 1][child] == 0) {
          if (untouched == tree_.shape[level - 1][child]) continue;
          untouched = tree_.shape[level - 1][child];
        }
        descend(level - 1, child, i, cost);
      }
    }
    --used_[level][node];
  }

  const unit_graph& graph_;
  const slot_tree& tree_;
  unit_loads& loads_;
  const timing& by_;
  std::vector<std::uint32_t> unit_in_;
  axis_groups last_;
  std::int64_t last_time_ = 0;
  bool fresh_ = false;

  std::vector<std::vector<std::uint32_t>> used_;
  std::vector<std::uint32_t> order_;
  std::vector<std::int64_t> rest_;
  arrangement work_;
  price* best_ = nullptr;
  arrangement* result_ = nullptr;
  std::uint64_t budget_ = 0;
};

}  // namespace topoplan::inline v1::detail
