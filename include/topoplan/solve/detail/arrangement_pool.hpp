// The arrangements that a search has met: the cheapest, and the cheapest few of every kind.
#pragma once

#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Where an arrangement comes from; those of one origin resemble each other.
enum class origin : std::uint8_t { order, walk, tiling, partition, exchange };

class arrangement_pool {
 public:
  // `a_kind`: arrangements of each origin that are remembered, at least 1.
  arrangement_pool(const unit_graph& g, const slot_tree& tree, std::size_t a_kind) : graph_(&g), tree_(&tree), a_kind_(a_kind) {}

  struct entry {
    std::int64_t cost = 0;
    origin from = origin::order;
    arrangement slot_of;
  };

  // Remembers an arrangement unless as many of its origin are cheaper, or one costs the same. post: its cost.
  // complexity: O(arcs * levels).
  std::int64_t offer(arrangement slot_of, origin from) {
    const std::int64_t cost = cost_of(*graph_, *tree_, slot_of);
    offer(std::move(slot_of), cost, from);
    return cost;
  }
  // The same if the cost is known.
  void offer(arrangement slot_of, std::int64_t cost, origin from) {
    std::size_t alike = 0;
    auto at = entries_.begin();
    for (; at != entries_.end() && at->cost <= cost; ++at) {
      if (at->from != from) continue;
      if (at->cost == cost || ++alike == a_kind_) return;
    }
    at = entries_.insert(at, {cost, from, std::move(slot_of)});
    ++alike;
    for (++at; at != entries_.end();) {
      if (at->from == from && ++alike > a_kind_) at = entries_.erase(at);
      else ++at;
    }
  }

  // pre: something was offered. Of equals the one that came first.
  [[nodiscard]] const arrangement& best() const noexcept { return entries_.front().slot_of; }
  [[nodiscard]] std::int64_t cost() const noexcept {
    return entries_.empty() ? std::numeric_limits<std::int64_t>::max() : entries_.front().cost;
  }

  // The best of every origin and then the best others, no two equal, at most `keep`, cheapest first.
  // complexity: O(keep * units).
  [[nodiscard]] std::vector<arrangement> kept(std::size_t keep) const {
    std::vector<const entry*> chosen;
    const auto choose = [&](const entry& e) {
      const auto same = [&](const entry* other) { return other->slot_of == e.slot_of; };
      if (chosen.size() < keep && std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(&e);
    };
    std::array<bool, 5> met{};
    for (const entry& e : entries_)
      if (!std::exchange(met[static_cast<std::size_t>(e.from)], true)) choose(e);
    for (const entry& e : entries_) choose(e);
    std::sort(chosen.begin(), chosen.end());
    std::vector<arrangement> slots;
    for (const entry* e : chosen) slots.push_back(e->slot_of);
    return slots;
  }

 private:
  const unit_graph* graph_;
  const slot_tree* tree_;
  std::size_t a_kind_;
  std::vector<entry> entries_;
};

}  // namespace topoplan::inline v1::detail
