// Exact search over the arrangements of a few units: branch and bound on the tree of slots.
#pragma once

#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Places units one after another into containers. Of several untouched subtrees of one shape below a node only the first is
// tried, since they are interchangeable.
class exact_search {
 public:
  // What a whole arrangement costs beyond the edges between its units; at least 0.
  using surcharge = std::function<std::int64_t(const arrangement&)>;

  // `best` is a known arrangement and what it costs; the search looks for cheaper ones only.
  exact_search(const unit_graph& g, const slot_tree& tree, arrangement best, std::int64_t cost, std::uint64_t budget,
               surcharge more = {})
      : graph_(g),
        tree_(tree),
        best_(std::move(best)),
        best_cost_(cost),
        budget_(budget),
        more_(std::move(more)),
        slot_of_(g.units(), nowhere) {
    for (std::size_t l = 0; l < tree.levels(); ++l) used_.emplace_back(tree.nodes(l), 0);
    order_units();
    // Every edge that still has a free end costs at least the smallest distance between two slots.
    const bool shared = tree.nodes(0) < tree.slots();
    const std::int64_t least = tree.distance[shared || tree.levels() == 1 ? 0 : 1];
    rest_.assign(g.units() + 1, 0);
    std::vector<std::uint32_t> place(g.units());
    for (std::uint32_t i = 0; i < g.units(); ++i) place[order_[i]] = i;
    for (std::uint32_t i = g.units(); i-- > 0;) {
      rest_[i] = rest_[i + 1];
      for (const unit_graph::arc& a : g.of(order_[i]))
        if (place[a.to] < i) rest_[i] += a.weight * least;
    }
  }

  // post: true if every arrangement was compared or excluded, so that best() is optimal. complexity: O(budget * degree).
  [[nodiscard]] bool run() {
    place_unit(0, 0);
    return budget_ > 0;
  }
  [[nodiscard]] const arrangement& best() const noexcept { return best_; }
  [[nodiscard]] std::int64_t cost() const noexcept { return best_cost_; }

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  // Each unit after the one that talks most to those before it.
  void order_units() {
    std::vector<std::int64_t> pull(graph_.units(), 0);
    std::vector<bool> taken(graph_.units(), false);
    for (std::uint32_t i = 0; i < graph_.units(); ++i) {
      std::uint32_t next = nowhere;
      for (std::uint32_t u = 0; u < graph_.units(); ++u)
        if (!taken[u] && (next == nowhere || pull[u] > pull[next])) next = u;
      taken[next] = true;
      order_.push_back(next);
      for (const unit_graph::arc& a : graph_.of(next)) pull[a.to] += a.weight;
    }
  }

  void place_unit(std::uint32_t i, std::int64_t cost) {
    if (budget_ == 0) return;
    --budget_;
    if (cost + rest_[i] >= best_cost_) return;
    if (i == graph_.units()) {
      if (more_) cost += more_(slot_of_);
      if (cost >= best_cost_) return;
      best_ = slot_of_;
      best_cost_ = cost;
      return;
    }
    descend(tree_.levels() - 1, 0, i, cost);
  }

  // Tries every container below a node for the i-th unit.
  void descend(std::size_t level, std::uint32_t node, std::uint32_t i, std::int64_t cost) {
    const std::uint32_t first = tree_.begin[level][node];
    const std::uint32_t last = tree_.begin[level][node + 1];
    if (used_[level][node] == last - first) return;
    ++used_[level][node];
    if (level == 0) {
      const std::uint32_t slot = first + used_[0][node] - 1;
      slot_of_[order_[i]] = slot;
      for (const unit_graph::arc& a : graph_.of(order_[i]))
        if (slot_of_[a.to] != nowhere) cost += a.weight * tree_.distance[tree_.meet(slot, slot_of_[a.to])];
      place_unit(i + 1, cost);
      slot_of_[order_[i]] = nowhere;
    } else {
      std::uint32_t untouched = nowhere;  // shape of the last untouched child tried; children of one shape are neighbours
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
  arrangement best_;
  std::int64_t best_cost_;
  std::uint64_t budget_;
  surcharge more_;
  arrangement slot_of_;
  std::vector<std::vector<std::uint32_t>> used_;  // [level][node]: slots taken
  std::vector<std::uint32_t> order_;              // of units
  std::vector<std::int64_t> rest_;                // [i]: least cost of the edges that units i ... still add
};

}  // namespace topoplan::inline v1::detail
