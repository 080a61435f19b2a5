// Improving an arrangement by exchanging units: greedy swaps and seeded annealing.
#pragma once

#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/slot_distance.hpp>
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
      : graph_(&g),
        kinds_(&kinds),
        distance_(tree),
        slot_of_(std::move(start)),
        at_(slot_of_.size()),
        unit_in_(tree.slots(), nobody),
        company_(tree.slots()) {
    for (std::uint32_t u = 0; u < slot_of_.size(); ++u) put(u, slot_of_[u]);
    for (std::uint32_t s = 0; s < tree.slots(); ++s) company_[s] = {company(tree, s, 0), company(tree, s, 1)};
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
  // Slots first ... second - 1.
  using range = std::pair<std::uint32_t, std::uint32_t>;

  // What an exchange would change. The edge between the two keeps its distance.
  [[nodiscard]] std::int64_t change_of(std::uint32_t a, std::uint32_t b) const noexcept {
    const std::uint64_t from = distance_.code(a);
    const std::uint64_t to = distance_.code(b);
    if (from == to) return 0;
    const std::uint32_t u = unit_in_[a];
    const std::uint32_t w = unit_in_[b];
    return moved(u, from, to, w) + moved(w, to, from, u);
  }
  [[nodiscard]] std::int64_t moved(std::uint32_t unit, std::uint64_t from, std::uint64_t to, std::uint32_t other) const noexcept {
    if (unit == nobody) return 0;
    std::int64_t sum = 0;
    for (const unit_graph::arc& arc : graph_->of(unit))
      if (arc.to != other) sum += arc.weight * (distance_(to, at_[arc.to]) - distance_(from, at_[arc.to]));
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
    if (u == nobody) return;
    slot_of_[u] = slot;
    at_[u] = distance_.code(slot);
  }
  // The smallest node above a slot that holds another slot, or so many such nodes further up.
  [[nodiscard]] static range company(const slot_tree& tree, std::uint32_t slot, std::size_t more) noexcept {
    for (std::size_t l = 0; l < tree.levels(); ++l) {
      const std::uint32_t n = tree.node_of(slot, l);
      if (tree.begin[l][n + 1] - tree.begin[l][n] == 1) continue;
      if (more-- == 0) return {tree.begin[l][n], tree.begin[l][n + 1]};
    }
    return {0, tree.slots()};
  }

  std::int64_t improve(std::uint32_t u) {
    const std::uint32_t from = slot_of_[u];
    std::int64_t best = 0;
    std::uint32_t target = from;
    constexpr std::size_t most_neighbours = 12;
    std::size_t seen = 0;
    range last{0, 0};
    for (const unit_graph::arc& a : graph_->of(u)) {
      const range near = company_[slot_of_[a.to]][0];
      if (near == last) continue;
      last = near;
      if (++seen > most_neighbours) break;
      for (std::uint32_t s = near.first; s < near.second; ++s) {
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
  const slot_kinds* kinds_;
  slot_distance distance_;
  arrangement slot_of_;
  std::vector<std::uint64_t> at_;       // by unit: the code of its slot
  std::vector<std::uint32_t> unit_in_;  // by slot
  std::vector<std::array<range, 2>> company_;
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

inline std::int64_t exchange::anneal(random_source& random, std::uint64_t moves, std::int64_t hot, std::int64_t cold) {
  const auto slots = static_cast<std::uint32_t>(unit_in_.size());
  if (slot_of_.empty() || slots < 2) return 0;
  constexpr std::int64_t scale = 1024;  // temperatures carry 10 bits of fraction
  hot = std::max<std::int64_t>(hot, 1) * scale;
  cold = std::max<std::int64_t>(cold, 1) * scale / 4;
  std::uint64_t stages = 1;
  for (std::int64_t t = hot; t > cold; t -= t / 8) ++stages;
  std::int64_t sum = 0;
  std::int64_t temperature = hot;
  std::array<std::int64_t, 256> most{};  // what a change may cost, by chance
  for (std::uint64_t stage = 0; stage < stages; ++stage, temperature -= temperature / 8) {
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = temperature * annealing::table[i] / (scale * scale);
    for (std::uint64_t i = 0; i < moves / stages; ++i) {
      const auto u = static_cast<std::uint32_t>(random.below(slot_of_.size()));
      const std::uint32_t from = slot_of_[u];
      range near{0, slots};
      const auto arcs = graph_->of(u);
      if (!arcs.empty() && random.below(100) < 85) {
        const std::uint32_t beside = slot_of_[arcs[static_cast<std::size_t>(random.below(arcs.size()))].to];
        near = company_[beside][random.below(4) == 0 ? 1 : 0];
      }
      const auto to = static_cast<std::uint32_t>(near.first + random.below(near.second - near.first));
      if (to == from || !exchangeable(from, to)) continue;
      const std::int64_t change = change_of(from, to);
      if (change > 0 && change > most[random.below(256)]) continue;
      exchange_units(from, to);
      sum += change;
    }
  }
  return sum;
}

}  // namespace topoplan::inline v1::detail
