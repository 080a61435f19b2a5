// Improving an arrangement by exchanging units: greedy swaps and seeded annealing.
#pragma once

#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Slots may differ in kind (say, in the number of ranks they take); only slots of one kind are exchanged. Empty: one kind.
using slot_kinds = std::vector<std::uint32_t>;

// An arrangement under change, with its inverse.
class exchange {
 public:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  exchange(const unit_graph& g, const slot_tree& tree, arrangement start, const slot_kinds& kinds)
      : graph_(&g), tree_(&tree), kinds_(&kinds), slot_of_(std::move(start)), unit_in_(tree.slots(), nobody) {
    for (std::uint32_t u = 0; u < slot_of_.size(); ++u) unit_in_[slot_of_[u]] = u;
  }

  [[nodiscard]] const arrangement& slots() const noexcept { return slot_of_; }
  [[nodiscard]] bool exchangeable(std::uint32_t a, std::uint32_t b) const noexcept {
    return kinds_->empty() || (*kinds_)[a] == (*kinds_)[b];
  }

  // Exchanges what is in two slots; one of them may be empty. post: the change of cost. complexity: O(degree * levels).
  std::int64_t swap(std::uint32_t a, std::uint32_t b) {
    const std::int64_t change = change_of(a, b);
    exchange_units(a, b);
    return change;
  }

  // Passes over all units; each moves to the best slot near one of its neighbours while that lowers the cost.
  // post: the sum of all changes, at most 0. complexity: O(units * degree^2 * slots of a node * levels) a pass.
  std::int64_t descend(std::size_t passes) {
    std::int64_t sum = 0;
    for (std::size_t pass = 0; pass < passes; ++pass) {
      std::int64_t gain = 0;
      for (std::uint32_t u = 0; u < slot_of_.size(); ++u) gain += improve(u);
      if (gain == 0) break;
      sum += gain;
    }
    return sum;
  }

  // Annealing from temperature `hot` to `cold` (both in units of cost) with that many moves.
  // post: the sum of all changes. complexity: O(moves * degree * levels).
  std::int64_t anneal(random_source& random, std::uint64_t moves, std::int64_t hot, std::int64_t cold);

 private:
  // What an exchange would change. The edge between the two keeps its distance.
  [[nodiscard]] std::int64_t change_of(std::uint32_t a, std::uint32_t b) const noexcept {
    const std::uint32_t u = unit_in_[a];
    const std::uint32_t w = unit_in_[b];
    return moved(u, a, b, w) + moved(w, b, a, u);
  }
  [[nodiscard]] std::int64_t moved(std::uint32_t unit, std::uint32_t from, std::uint32_t to, std::uint32_t other) const noexcept {
    if (unit == nobody) return 0;
    std::int64_t sum = 0;
    for (const unit_graph::arc& arc : graph_->of(unit))
      if (arc.to != other) {
        const std::uint32_t at = slot_of_[arc.to];
        sum += arc.weight * (tree_->distance[tree_->meet(to, at)] - tree_->distance[tree_->meet(from, at)]);
      }
    return sum;
  }
  void exchange_units(std::uint32_t a, std::uint32_t b) noexcept {
    const std::uint32_t u = unit_in_[a];
    const std::uint32_t w = unit_in_[b];
    put(u, b);
    put(w, a);
  }
  void put(std::uint32_t u, std::uint32_t slot) noexcept {
    unit_in_[slot] = u;
    if (u != nobody) slot_of_[u] = slot;
  }
  // The smallest node above a slot that holds another slot.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> company(std::uint32_t slot, std::size_t more = 0) const noexcept {
    for (std::size_t l = 0; l < tree_->levels(); ++l) {
      const std::uint32_t n = tree_->node_of(slot, l);
      if (tree_->begin[l][n + 1] - tree_->begin[l][n] == 1) continue;
      if (more-- == 0) return {tree_->begin[l][n], tree_->begin[l][n + 1]};
    }
    return {0, tree_->slots()};
  }

  std::int64_t improve(std::uint32_t u) {
    const std::uint32_t from = slot_of_[u];
    std::int64_t best = 0;
    std::uint32_t target = from;
    constexpr std::size_t most_neighbours = 12;
    std::size_t seen = 0;
    std::pair<std::uint32_t, std::uint32_t> last{0, 0};
    for (const unit_graph::arc& a : graph_->of(u)) {
      const auto range = company(slot_of_[a.to]);
      if (range == last) continue;
      last = range;
      if (++seen > most_neighbours) break;
      for (std::uint32_t s = range.first; s < range.second; ++s) {
        if (s == from || !exchangeable(s, from)) continue;
        const std::int64_t change = change_of(from, s);
        if (change < best) {
          best = change;
          target = s;
        }
      }
    }
    if (target != from) swap(from, target);
    return best;
  }

  const unit_graph* graph_;
  const slot_tree* tree_;
  const slot_kinds* kinds_;
  arrangement slot_of_;
  std::vector<std::uint32_t> unit_in_;
};

namespace annealing {

// -ln((i + 1/2) / 256) in 1024ths, in whole numbers: log2 by repeated squaring of a 32-bit fraction.
[[nodiscard]] constexpr std::int64_t minus_log(std::uint32_t i) noexcept {
  std::uint64_t x = (std::uint64_t{2} * i + 1) << 23U;  // (i + 1/2) / 256 with 32 bits of fraction
  std::int64_t halvings = 0;                            // of log2, in 2^-16ths
  while (x < (std::uint64_t{1} << 31U)) {
    x <<= 1U;
    halvings += 1 << 16;
  }
  for (std::int64_t bit = 1 << 15; bit > 0; bit >>= 1) {  // x in [1/2, 1)
    x = (x >> 1U) * (x >> 1U) >> 30U;
    if (x < (std::uint64_t{1} << 31U)) {
      x <<= 1U;
      halvings += bit;
    }
  }
  return halvings * 45426 / (1 << 16) * 1024 / (1 << 16);  // 45426 / 65536 = ln 2
}

[[nodiscard]] constexpr std::array<std::int64_t, 256> make_table() noexcept {
  std::array<std::int64_t, 256> t{};
  for (std::uint32_t i = 0; i < 256; ++i) t[i] = minus_log(i);
  return t;
}
inline constexpr std::array<std::int64_t, 256> table = make_table();

}  // namespace annealing

// What temperatures are counted in.
struct weight_scale {
  std::int64_t lightest = 0;
  std::int64_t heaviest = 0;
  std::int64_t mean = 0;  // of what a unit's edges weigh together
  std::int64_t step = 1;  // of distance, at the lowest level that separates slots
  std::int64_t span = 0;  // from the lowest level to the highest
};

// pre: there are arcs, and the tree has two levels or more. complexity: O(arcs).
[[nodiscard]] inline weight_scale scale_of(const unit_graph& g, const slot_tree& tree) {
  weight_scale s{.lightest = g.arcs.front().weight};
  for (const unit_graph::arc& a : g.arcs) {
    s.lightest = std::min(s.lightest, a.weight);
    s.heaviest = std::max(s.heaviest, a.weight);
    s.mean += a.weight;
  }
  s.mean /= g.units();
  s.step = std::max<std::int64_t>(1, tree.distance[1] - tree.distance[0]);
  s.span = tree.distance.back() - tree.distance[0];
  return s;
}

inline std::int64_t exchange::anneal(random_source& random, std::uint64_t moves, std::int64_t hot, std::int64_t cold) {
  if (slot_of_.empty() || tree_->slots() < 2) return 0;
  constexpr std::int64_t scale = 1024;  // temperatures carry 10 bits of fraction
  hot = std::max<std::int64_t>(hot, 1) * scale;
  cold = std::max<std::int64_t>(cold, 1) * scale / 4;
  std::uint64_t stages = 1;
  for (std::int64_t t = hot; t > cold; t -= t / 8) ++stages;
  std::int64_t sum = 0;
  std::int64_t temperature = hot;
  for (std::uint64_t stage = 0; stage < stages; ++stage, temperature -= temperature / 8)
    for (std::uint64_t i = 0; i < moves / stages; ++i) {
      const auto u = static_cast<std::uint32_t>(random.below(slot_of_.size()));
      const std::uint32_t from = slot_of_[u];
      std::pair<std::uint32_t, std::uint32_t> range{0, tree_->slots()};
      const auto arcs = graph_->of(u);
      if (!arcs.empty() && random.below(100) < 85) {
        // One draw a statement: compilers evaluate arguments in orders of their own.
        const std::size_t more = random.below(4) == 0 ? 1 : 0;
        range = company(slot_of_[arcs[static_cast<std::size_t>(random.below(arcs.size()))].to], more);
      }
      const auto to = static_cast<std::uint32_t>(range.first + random.below(range.second - range.first));
      if (to == from || !exchangeable(from, to)) continue;
      const std::int64_t change = change_of(from, to);
      if (change > 0 && change * scale * scale > temperature * annealing::table[random.below(256)]) continue;
      exchange_units(from, to);
      sum += change;
    }
  return sum;
}

}  // namespace topoplan::inline v1::detail
