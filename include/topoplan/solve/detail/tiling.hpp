// Level-symmetric arrangements: how each axis is factored over the levels of the tree, priced in closed form.
#pragma once

#include <topoplan/solve/detail/lattice.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// The best tiling found: units per node of every level, and for each digit its factor on every level.
struct tiling {
  std::vector<std::uint32_t> sizes;                 // [level]: children used of each node; of level 0: slots
  std::vector<std::vector<std::uint32_t>> factors;  // [level][digit]
  std::int64_t spread = 0;                          // cost above that of all edges meeting in a container
  bool whole_tree = false;                          // no slot stays empty
};

// Enumerates tilings. A shape (children used a level) must embed into the tree: every node used has that many usable
// children. For a shape the factors are enumerated level by level, innermost first; the fast part of a digit belongs to the
// inner level, which is best for rings and chains.
// source: an edge p to p + 1 of an axis stays inside a node if p + 1 isn't a multiple of F, the extent of the axis' digits
// that lie inside from the fastest on: a ring of k is cut k / F times, a chain once less; all pairs k (k - inside) / 2 times.
class tiling_search {
 public:
  tiling_search(const lattice& lat, const slot_tree& tree, std::uint32_t world, std::uint32_t units, std::uint64_t budget,
                std::size_t keep = 1)
      : lat_(lat), tree_(tree), world_(world), units_(units), budget_(budget), keep_(keep) {
    for (const digit& d : lat.digits) {
      inner_.push_back(d.inside ? d.extent : 1);
      left_.push_back(d.inside ? 1 : d.extent);
    }
  }

  // True if the search met every tiling. pre: best() has run.
  [[nodiscard]] bool complete() const noexcept { return budget_ > 0; }
  // The cheapest tilings, as many as are to be kept, cheapest first; none if no shape embeds.
  // complexity: O(budget * axes + shapes * nodes).
  [[nodiscard]] std::vector<tiling> best() {
    shape(0, 1);
    return std::move(best_);
  }

  // The slots of a shape, child by child. pre: the shape embeds. complexity: O(nodes + units).
  [[nodiscard]] std::vector<std::uint32_t> embed(const std::vector<std::uint32_t>& sizes) {
    sizes_ = sizes;
    for (std::size_t l = 0; l < tree_.levels(); ++l) count_usable(l);
    std::vector<std::uint32_t> slots;
    slots.reserve(units_);
    collect(tree_.levels() - 1, 0, slots);
    return slots;
  }

 private:
  // usable_[l][node]: children of the node (slots, for a container) that the shape can use.
  void count_usable(std::size_t level) {
    usable_.resize(std::max(usable_.size(), level + 1));
    std::vector<std::uint32_t>& count = usable_[level];
    count.assign(tree_.nodes(level), 0);
    if (level == 0) {
      for (std::uint32_t n = 0; n < count.size(); ++n) count[n] = tree_.begin[0][n + 1] - tree_.begin[0][n];
    } else {
      for (std::uint32_t child = 0; child < tree_.nodes(level - 1); ++child)
        if (usable_[level - 1][child] >= sizes_[level - 1]) ++count[tree_.up[level - 1][child]];
    }
  }

  void shape(std::size_t level, std::uint32_t product) {
    if (level == tree_.levels()) {
      if (product == units_) tile(0, 0);
      return;
    }
    sizes_.resize(level + 1);
    count_usable(level);
    const std::uint32_t most = *std::max_element(usable_[level].begin(), usable_[level].end());
    const std::uint32_t rest = units_ / product;
    const bool root = level + 1 == tree_.levels();
    for (std::uint32_t s = std::min(most, rest); s > 0; --s) {
      if (rest % s != 0 || (root && s != rest) || budget_ == 0) continue;
      std::uint64_t room = 0;
      for (const std::uint32_t n : usable_[level]) room += n >= s ? std::uint64_t{product} * s : 0;
      if (room < units_) continue;
      sizes_[level] = s;
      sizes_.resize(level + 1);
      shape(level + 1, product * s);
      count_usable(level);
    }
    sizes_.resize(level);
  }

  // Chooses the factors of a level, whose cost is then known.
  void tile(std::size_t level, std::int64_t spread) {
    if (level + 1 == tree_.levels()) {
      factors_.push_back(left_);
      const auto cheaper = [](std::int64_t x, const tiling& t) { return x < t.spread; };
      best_.insert(std::upper_bound(best_.begin(), best_.end(), spread, cheaper),
                   {sizes_, factors_, spread, tree_.slots() == units_});
      if (best_.size() > keep_) best_.pop_back();
      factors_.pop_back();
      return;
    }
    factors_.emplace_back(left_.size(), 1);
    choose(level, 0, sizes_[level], spread);
    factors_.pop_back();
  }

  void choose(std::size_t level, std::size_t d, std::uint32_t size, std::int64_t spread) {
    if (budget_ == 0) return;
    if (d == left_.size()) {
      if (size != 1) return;
      --budget_;
      spread += (tree_.distance[level + 1] - tree_.distance[level]) * cut();
      if (best_.size() < keep_ || spread < best_.back().spread) tile(level + 1, spread);
      return;
    }
    const std::uint32_t most = std::gcd(left_[d], size);
    for (std::uint32_t f = most; f > 0; --f) {
      if (most % f != 0) continue;
      set(level, d, f);
      choose(level, d + 1, size / f, spread);
      unset(level, d, f);
    }
  }
  void set(std::size_t level, std::size_t d, std::uint32_t f) {
    factors_[level][d] = f;
    left_[d] /= f;
    inner_[d] *= f;
  }
  void unset(std::size_t level, std::size_t d, std::uint32_t f) {
    factors_[level][d] = 1;
    left_[d] *= f;
    inner_[d] /= f;
  }

  // Weight of the edges that leave the nodes whose digits are inner_.
  [[nodiscard]] std::int64_t cut() const {
    std::int64_t sum = 0;
    for (const digit_axis& a : lat_.axes) {
      std::uint64_t leading = 1;
      std::uint64_t inside = 1;
      bool whole = true;
      for (std::size_t d = a.first; d < a.last; ++d) {
        inside *= inner_[d];
        if (whole) leading *= inner_[d];
        whole = whole && inner_[d] == lat_.digits[d].extent;
      }
      const std::uint64_t k = a.edges.degree;
      if (inside == k) continue;
      const std::uint64_t crossing = a.edges.pattern == edge_pattern::ring    ? k / leading
                                     : a.edges.pattern == edge_pattern::chain ? k / leading - 1
                                                                              : k * (k - inside) / 2;
      sum += a.edges.weight * static_cast<std::int64_t>(world_ / k * crossing);
    }
    return sum;
  }

  void collect(std::size_t level, std::uint32_t node, std::vector<std::uint32_t>& slots) const {
    const std::uint32_t first = tree_.begin[level][node];
    if (level == 0) {
      for (std::uint32_t i = 0; i < sizes_[0]; ++i) slots.push_back(first + i);
      return;
    }
    std::uint32_t used = 0;
    for (std::uint32_t slot = first; slot < tree_.begin[level][node + 1] && used < sizes_[level];) {
      const std::uint32_t child = tree_.node_of(slot, level - 1);
      slot = tree_.begin[level - 1][child + 1];
      if (usable_[level - 1][child] < sizes_[level - 1]) continue;
      collect(level - 1, child, slots);
      ++used;
    }
  }

  const lattice& lat_;
  const slot_tree& tree_;
  std::uint32_t world_;
  std::uint32_t units_;
  std::uint64_t budget_;
  std::size_t keep_;
  std::vector<std::uint32_t> inner_;  // by digit: extent inside the nodes of the level at work
  std::vector<std::uint32_t> left_;   // by digit: extent still to be spread over the levels above
  std::vector<std::uint32_t> sizes_;
  std::vector<std::vector<std::uint32_t>> factors_;
  std::vector<std::vector<std::uint32_t>> usable_;
  std::vector<tiling> best_;  // by spread
};

// The slot of every unit under a tiling. complexity: O(units * digits * levels).
[[nodiscard]] inline arrangement arranged(const tiling& t, const lattice& lat, const std::vector<std::uint32_t>& embedded) {
  const std::size_t levels = t.sizes.size();
  // Slot index = sum over digits and levels of part * step.
  std::vector<std::vector<std::uint32_t>> step(lat.digits.size(), std::vector<std::uint32_t>(levels));
  std::uint32_t product = 1;
  for (std::size_t l = 0; l < levels; ++l)
    for (std::size_t d = 0; d < lat.digits.size(); ++d) {
      step[d][l] = product;
      product *= t.factors[l][d];
    }
  arrangement slot_of(embedded.size());
  for (std::uint32_t u = 0; u < slot_of.size(); ++u) {
    std::uint32_t rest = u;
    std::uint32_t index = 0;
    for (std::size_t d = 0; d < lat.digits.size(); ++d) {
      if (lat.digits[d].inside) continue;
      std::uint32_t value = rest % lat.digits[d].extent;
      rest /= lat.digits[d].extent;
      for (std::size_t l = 0; l < levels; ++l) {
        index += value % t.factors[l][d] * step[d][l];
        value /= t.factors[l][d];
      }
    }
    slot_of[u] = embedded[index];
  }
  return slot_of;
}

}  // namespace topoplan::inline v1::detail
