// What exact searches share: the order in which units are placed, and the places that are worth a try for each.
#pragma once

#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace topoplan::inline v1::detail {

// The slot of a unit that isn't placed yet.
inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

// Each unit after the one that talks most to those before it, and what the rest of them cost at least.
struct placing_order {
  std::vector<std::uint32_t> units;
  std::vector<std::int64_t> rest;  // [i]: least cost of the edges that units[i] ... still add

  // complexity: O(units^2 + arcs).
  placing_order(const unit_graph& g, const slot_tree& tree) {
    std::vector<std::int64_t> pull(g.units(), 0);
    std::vector<std::uint32_t> place(g.units(), nowhere);
    for (std::uint32_t i = 0; i < g.units(); ++i) {
      std::uint32_t next = nowhere;
      for (std::uint32_t u = 0; u < g.units(); ++u)
        if (place[u] == nowhere && (next == nowhere || pull[u] > pull[next])) next = u;
      place[next] = i;
      units.push_back(next);
      for (const unit_graph::arc& a : g.of(next)) pull[a.to] += a.weight;
    }
    // Every edge that still has a free end costs at least the smallest distance between two slots.
    const bool shared = tree.nodes(0) < tree.slots();
    const std::int64_t least = tree.distance[shared || tree.levels() == 1 ? 0 : 1];
    rest.assign(g.units() + 1, 0);
    for (std::uint32_t i = g.units(); i-- > 0;) {
      rest[i] = rest[i + 1];
      for (const unit_graph::arc& a : g.of(units[i]))
        if (place[a.to] < i) rest[i] += a.weight * least;
    }
  }
};

// What a unit in a slot adds to the cost: its edges to the units that are placed. complexity: O(degree * levels).
[[nodiscard]] inline std::int64_t added_cost(const unit_graph& g, const slot_tree& tree, const arrangement& slot_of,
                                             std::uint32_t unit, std::uint32_t slot) {
  std::int64_t sum = 0;
  for (const unit_graph::arc& a : g.of(unit))
    if (slot_of[a.to] != nowhere) sum += a.weight * tree.distance[tree.meet(slot, slot_of[a.to])];
  return sum;
}

// The slots that are free, container by container.
class open_places {
 public:
  explicit open_places(const slot_tree& tree) : tree_(tree) {
    for (std::size_t l = 0; l < tree.levels(); ++l) used_.emplace_back(tree.nodes(l), 0);
  }

  // Calls visit(slot) with the next slot of every container that has one; it is taken while visit runs. Of several untouched
  // subtrees of one shape below a node only the first is tried, since they are interchangeable. complexity: O(containers).
  template <class Visit> void each(const Visit& visit) { descend(tree_.levels() - 1, 0, visit); }

 private:
  template <class Visit> void descend(std::size_t level, std::uint32_t node, const Visit& visit) {
    const std::uint32_t first = tree_.begin[level][node];
    const std::uint32_t last = tree_.begin[level][node + 1];
    if (used_[level][node] == last - first) return;
    ++used_[level][node];
    if (level == 0) {
      visit(first + used_[0][node] - 1);
    } else {
      std::uint32_t untouched = nowhere;  // shape of the last untouched child tried; children of one shape are neighbours
      for (std::uint32_t slot = first; slot < last;) {
        const std::uint32_t child = tree_.node_of(slot, level - 1);
        slot = tree_.begin[level - 1][child + 1];
        if (used_[level - 1][child] == 0) {
          if (untouched == tree_.shape[level - 1][child]) continue;
          untouched = tree_.shape[level - 1][child];
        }
        descend(level - 1, child, visit);
      }
    }
    --used_[level][node];
  }

  const slot_tree& tree_;
  std::vector<std::vector<std::uint32_t>> used_;  // [level][node]: slots taken
};

}  // namespace topoplan::inline v1::detail
