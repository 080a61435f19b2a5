// Blocked orders: ways to walk through all units, axis by axis, with at most one axis cut into chunks per axis.
#pragma once

#include <topoplan/solve/detail/lattice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// An axis of the grid of units: unit / stride % extent.
struct walk_axis {
  std::uint32_t extent = 1;
  std::uint32_t stride = 1;
};

// The outside digits of a lattice as axes of the grid of units; digits of one dense axis that follow each other are joined
// while there are more than three. complexity: O(digits).
[[nodiscard]] inline std::vector<walk_axis> walk_axes(const lattice& lat, const layout& l) {
  struct owned {
    walk_axis a;
    axis owner;
  };
  std::vector<owned> found;
  std::uint32_t stride = 1;
  for (const digit& d : lat.digits) {
    if (d.inside) continue;
    axis owner = axis::tp;
    for (const axis a : {axis::tp, axis::cp, axis::dp, axis::pp})
      if (d.stride >= l.stride(a) && d.stride < l.stride(a) * l.degrees().of(a)) owner = a;
    found.push_back({{d.extent, stride}, owner});
    stride *= d.extent;
  }
  constexpr std::size_t few = 3;
  for (std::size_t i = 1; found.size() > few && i < found.size();)
    if (found[i].owner == found[i - 1].owner) {
      found[i - 1].a.extent *= found[i].a.extent;
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  std::vector<walk_axis> axes;
  for (const owned& o : found) axes.push_back(o.a);
  return axes;
}

// One loop of a walk: over the chunks of an axis, or over the values of a chunk.
struct walk_loop {
  walk_axis over;
  std::uint32_t chunk = 1;  // values of the axis in a chunk
  bool within = false;      // the values of a chunk; else the chunks
};

// A walk: loops, outermost first. Back and forth: every other pass of a loop runs backwards.
struct walk {
  std::vector<walk_loop> loops;
  bool back_and_forth = false;

  // Where a unit stands in the walk, as a number that sorts. complexity: O(loops).
  [[nodiscard]] std::uint64_t key(std::uint32_t unit) const noexcept {
    std::uint64_t key = 0;
    std::uint32_t turns = 0;
    for (const walk_loop& loop : loops) {
      const std::uint32_t value = unit / loop.over.stride % loop.over.extent;
      std::uint32_t at = value / loop.chunk;
      std::uint32_t count = (loop.over.extent + loop.chunk - 1) / loop.chunk;
      if (loop.within) {
        const std::uint32_t first = value - value % loop.chunk;
        at = value - first;
        count = std::min(loop.chunk, loop.over.extent - first);
      }
      if (back_and_forth && turns % 2 == 1) at = count - 1 - at;
      turns += at;
      key = key * (loop.within ? loop.chunk : count) + at;
    }
    return key;
  }
};

// The walks of a grid, plain ones first, then those with more cuts; at most `limit`.
// complexity: O(limit).
[[nodiscard]] inline std::vector<walk> walks_of(const std::vector<walk_axis>& axes, std::size_t limit) {
  // Chunk sizes of each axis: none first, then divisors, then the rest up to half.
  std::vector<std::vector<std::uint32_t>> chunks;
  for (const walk_axis& a : axes) {
    std::vector<std::uint32_t> sizes{1};
    for (const bool divides : {true, false})
      for (std::uint32_t s = 2; s <= a.extent / 2; ++s)
        if ((a.extent % s == 0) == divides && sizes.size() < 24) sizes.push_back(s);
    chunks.push_back(std::move(sizes));
  }
  // All choices, by the sum of their places in the lists.
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> choices{{0, {}}};
  for (const std::vector<std::uint32_t>& sizes : chunks) {
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>> longer;
    for (const auto& [sum, choice] : choices)
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        longer.emplace_back(sum + i, choice);
        longer.back().second.push_back(i);
      }
    choices = std::move(longer);
  }
  std::sort(choices.begin(), choices.end());
  std::vector<walk> walks;
  for (const auto& entry : choices) {
    // Loops as numbers: 2 * axis for the chunks (or the whole axis), 2 * axis + 1 for the values of a chunk.
    std::vector<std::size_t> loops;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      loops.push_back(2 * a);
      if (entry.second[a] > 0) loops.push_back(2 * a + 1);
    }
    std::sort(loops.begin(), loops.end());
    do {
      bool sound = true;  // the chunks of an axis outside of their values
      for (std::size_t i = 0; i < loops.size(); ++i)
        for (std::size_t j = i + 1; j < loops.size(); ++j) sound = sound && !(loops[i] % 2 == 1 && loops[j] + 1 == loops[i]);
      if (!sound) continue;
      walk w;
      for (const std::size_t loop : loops)
        w.loops.push_back({axes[loop / 2], chunks[loop / 2][entry.second[loop / 2]], loop % 2 == 1});
      for (const bool back_and_forth : {false, true}) {
        if (walks.size() == limit) return walks;
        w.back_and_forth = back_and_forth;
        walks.push_back(w);
      }
    } while (std::next_permutation(loops.begin(), loops.end()));
  }
  return walks;
}

}  // namespace topoplan::inline v1::detail
