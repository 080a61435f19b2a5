// Disjoint sets of numbers that can be united.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// The root of a set is its smallest member. complexity: O(log n) amortised for each call.
// source: Tarjan, van Leeuwen, "Worst-case analysis of set union algorithms", J. ACM 31, 1984 (path halving).
class union_find {
 public:
  explicit union_find(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }

  [[nodiscard]] std::uint32_t root(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a > b) std::swap(a, b);
    parent_[b] = a;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace topoplan::inline v1::detail
