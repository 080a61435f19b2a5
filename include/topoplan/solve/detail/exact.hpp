// Exact search over the arrangements of a few units: branch and bound on the tree of slots.
#pragma once

#include <topoplan/solve/detail/exact_places.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Places units one after another into containers.
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
        slot_of_(g.units(), nowhere),
        order_(g, tree),
        open_(tree) {}

  // post: true if every arrangement was compared or excluded, so that best() is optimal. complexity: O(budget * degree).
  [[nodiscard]] bool run() {
    place_unit(0, 0);
    return budget_ > 0;
  }
  [[nodiscard]] const arrangement& best() const noexcept { return best_; }
  [[nodiscard]] std::int64_t cost() const noexcept { return best_cost_; }

 private:
  void place_unit(std::uint32_t i, std::int64_t cost) {
    if (budget_ == 0) return;
    --budget_;
    if (cost + order_.rest[i] >= best_cost_) return;
    if (i == graph_.units()) {
      if (more_) cost += more_(slot_of_);
      if (cost >= best_cost_) return;
      best_ = slot_of_;
      best_cost_ = cost;
      return;
    }
    const std::uint32_t unit = order_.units[i];
    open_.each([&](std::uint32_t slot) {
      slot_of_[unit] = slot;
      place_unit(i + 1, cost + added_cost(graph_, tree_, slot_of_, unit, slot));
      slot_of_[unit] = nowhere;
    });
  }

  const unit_graph& graph_;
  const slot_tree& tree_;
  arrangement best_;
  std::int64_t best_cost_;
  std::uint64_t budget_;
  surcharge more_;
  arrangement slot_of_;
  placing_order order_;
  open_places open_;
};

}  // namespace topoplan::inline v1::detail
