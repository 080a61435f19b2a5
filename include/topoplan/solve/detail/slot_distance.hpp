// The distance of two slots without a walk up the tree.
#pragma once

#include <topoplan/solve/detail/slot_tree.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace topoplan::inline v1::detail {

// Every slot has a code: the place of each of its nodes among its siblings, from the root down, in fields of fixed width. The
// highest bit in which two codes differ tells the level at which their slots meet.
class slot_distance {
 public:
  explicit slot_distance(const slot_tree& tree) : code_(tree.slots(), 0) {
    const std::size_t levels = tree.levels();
    by_bits_.fill(tree.distance.back());
    by_bits_[0] = tree.distance[0];
    std::size_t bits = 0;
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      std::vector<std::uint32_t> place(tree.nodes(l), 0);
      std::uint32_t most = 0;
      for (std::uint32_t n = 1; n < tree.nodes(l); ++n) {
        place[n] = tree.up[l][n] == tree.up[l][n - 1] ? place[n - 1] + 1 : 0;
        most = place[n] > most ? place[n] : most;
      }
      const auto width = static_cast<std::size_t>(std::bit_width(most));
      if (bits + width > 64) {  // more levels than a code has room for
        code_.clear();
        levels_of_ = &tree;
        return;
      }
      for (std::uint32_t s = 0; s < code_.size() && width > 0; ++s) code_[s] |= std::uint64_t{place[tree.node_of(s, l)]} << bits;
      for (std::size_t i = 0; i < width; ++i) by_bits_[++bits] = tree.distance[l + 1];
    }
  }

  // Slots of one container have equal codes; where there are no codes, the slot itself.
  [[nodiscard]] std::uint64_t code(std::uint32_t slot) const noexcept { return levels_of_ == nullptr ? code_[slot] : slot; }
  // Of two codes. complexity: O(1).
  [[nodiscard]] std::int64_t operator()(std::uint64_t a, std::uint64_t b) const noexcept {
    if (levels_of_ != nullptr)
      return levels_of_->distance[levels_of_->meet(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b))];
    return by_bits_[static_cast<std::size_t>(std::bit_width(a ^ b))];
  }

 private:
  std::vector<std::uint64_t> code_;  // by slot
  std::array<std::int64_t, 65> by_bits_{};
  const slot_tree* levels_of_ = nullptr;
};

}  // namespace topoplan::inline v1::detail
