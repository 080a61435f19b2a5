// Ranks as strides: recognises a list that advances by strides, and writes the groups of an axis set that way.
#pragma once

#include <topoplan/layout/algebra.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/layout.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// A list of ranks as its first rank and a layout.
struct strided_ranks {
  std::uint64_t first = 0;
  strided_layout offsets;

  friend bool operator==(const strided_ranks&, const strided_ranks&) = default;
};

// Recognises a list of ranks that advances by strides.
// post: if there is a result, ranks[i] == first + offsets(i) for every i and offsets has the fewest modes; if there is none, no
// layout describes the list. complexity: O(ranks). errors: none.
[[nodiscard]] inline std::optional<strided_ranks> recognise_strides(std::span<const std::uint32_t> ranks) {
  if (ranks.empty()) return std::nullopt;
  std::vector<strided_mode> modes;
  for (std::size_t block = 1; block < ranks.size();) {
    if (ranks[block] < ranks[0]) return std::nullopt;
    const std::uint64_t stride = ranks[block] - ranks[0];
    std::size_t extent = 2;
    while (extent * block < ranks.size() && ranks[extent * block] == ranks[0] + extent * stride) ++extent;
    if (ranks.size() % (extent * block) != 0) return std::nullopt;
    modes.push_back({extent, stride});
    block *= extent;
  }
  std::uint64_t last = 0;
  for (const strided_mode& m : modes) last += (m.extent - 1) * m.stride;
  if (last >= max_world) return std::nullopt;
  strided_ranks found{ranks[0], strided_layout(std::move(modes))};
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != found.first + found.offsets(i)) return std::nullopt;
  return found;
}

// The groups of an axis set as strides: `inner` are the members of a group, `outer` the first ranks of the groups.
// post: l.groups(set).member(g, i).value == outer(g) + inner(i). complexity: O(axes).
// errors: invalid_argument if the set is empty or mixes dense and expert axes.
[[nodiscard]] inline division group_strides(const layout& l, axis_set set) {
  static_cast<void>(l.groups(set));  // refuses what isn't a set of one decomposition
  const axis_set numbered = set.within(dense_axes) ? dense_axes : expert_axes;
  std::vector<axis> axes;
  for (const axis a : all_axes)
    if (numbered.contains(a) && l.degrees().of(a) > 1) axes.push_back(a);
  std::sort(axes.begin(), axes.end(), [&](axis a, axis b) { return l.stride(a) < l.stride(b); });
  std::vector<strided_mode> inner;
  std::vector<strided_mode> outer;
  for (const axis a : axes) (set.contains(a) ? inner : outer).push_back({l.degrees().of(a), l.stride(a)});
  return {coalesce(strided_layout(std::move(inner))), coalesce(strided_layout(std::move(outer)))};
}

}  // namespace topoplan::inline v1
