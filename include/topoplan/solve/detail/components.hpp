// The sets of ranks that a rule keeps together: components of the union of group relations.
#pragma once

#include <topoplan/layout/layout.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

namespace topoplan::inline v1::detail {

// A union-find over ranks whose representative is the smallest rank of the set.
class components {
 public:
  explicit components(std::uint32_t world) : parent_(world) { std::iota(parent_.begin(), parent_.end(), 0U); }

  // Joins the ranks of each group of each axis of the set. complexity: O(world * axes), nearly.
  void join_groups(const layout& l, axis_set axes) {
    for (const axis a : all_axes) {
      const std::uint32_t degree = l.degrees().of(a);
      if (!axes.contains(a) || degree < 2) continue;
      const std::uint32_t stride = l.stride(a);
      const auto world = static_cast<std::uint32_t>(parent_.size());
      for (std::uint32_t block = 0; block < world; block += stride * degree)
        for (std::uint32_t r = block; r < block + stride * (degree - 1); ++r) join(r, r + stride);
    }
  }
  // Joins each run of `length` consecutive ranks. complexity: O(world), nearly.
  void join_runs(std::uint32_t length) {
    for (std::uint32_t r = 0; r + 1 < parent_.size(); ++r)
      if ((r + 1) % length != 0) join(r, r + 1);
  }

  void join(std::uint32_t a, std::uint32_t b) noexcept {
    a = find(a);
    b = find(b);
    if (a < b) parent_[b] = a;
    else parent_[a] = b;
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t r) noexcept {
    while (parent_[r] != r) {
      parent_[r] = parent_[parent_[r]];
      r = parent_[r];
    }
    return r;
  }

  // The smallest rank of every rank's set; ends the joining. complexity: O(world).
  [[nodiscard]] std::vector<std::uint32_t> roots() && {
    for (std::uint32_t r = 0; r < parent_.size(); ++r) parent_[r] = parent_[parent_[r]];
    return std::move(parent_);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

// The components of a set of axes, as the smallest rank of every rank's component. complexity: O(world * axes), nearly.
[[nodiscard]] inline std::vector<std::uint32_t> component_roots(const layout& l, axis_set axes) {
  components sets(l.world());
  sets.join_groups(l, axes);
  return std::move(sets).roots();
}

}  // namespace topoplan::inline v1::detail
