// The rank numbers of a job as digits that every axis is made of.
#pragma once

#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/edges.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace topoplan::inline v1::detail {

struct digit {
  std::uint32_t extent = 1;
  std::uint32_t stride = 1;
  bool inside = false;  // of a unit: all values of the digit lie in the same unit
};

// An axis as a run of digits, slowest last.
struct digit_axis {
  edge_axis edges;
  std::size_t first = 0;
  std::size_t last = 0;  // one past
};

// Every digit belongs to exactly one axis of the dense and one of the expert decomposition.
struct lattice {
  std::vector<digit> digits;     // by stride
  std::vector<digit_axis> axes;  // those with edges
  bool whole = true;             // no axis with edges is left out

  // Marks the digits below a stride as inside units.
  void keep_below(std::uint32_t stride) noexcept {
    for (digit& d : digits) d.inside = d.inside || d.stride < stride;
  }
  // Marks the digits of an axis as inside units.
  void keep_axis(std::uint32_t stride, std::uint32_t degree) noexcept {
    for (digit& d : digits) d.inside = d.inside || (d.stride >= stride && d.stride < stride * degree);
  }
  // Ranks of a unit.
  [[nodiscard]] std::uint32_t unit_size() const noexcept {
    std::uint32_t product = 1;
    for (const digit& d : digits) product *= d.inside ? d.extent : 1;
    return product;
  }
};

// The coarsest digits that all axes of a set and a cut at stride `run` are made of; none if strides don't divide each other, so
// that there are none. complexity: O(1).
[[nodiscard]] inline std::optional<lattice> make_lattice(const layout& l, const std::vector<edge_axis>& edges, axis_set axes,
                                                         std::uint32_t run = 1) {
  std::vector<std::uint32_t> cuts{1, l.world(), run};
  for (const axis a : all_axes) {
    if (l.degrees().of(a) < 2 || !axes.contains(a)) continue;
    cuts.push_back(l.stride(a));
    cuts.push_back(l.stride(a) * l.degrees().of(a));
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  lattice lat;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i + 1] % cuts[i] != 0) return std::nullopt;
    lat.digits.push_back({cuts[i + 1] / cuts[i], cuts[i]});
  }
  for (const edge_axis& e : edges) {
    if (!axes.contains(e.of)) {
      lat.whole = false;
      continue;
    }
    const auto at = [&](std::uint64_t stride) {
      std::size_t i = 0;
      while (i < lat.digits.size() && lat.digits[i].stride < stride) ++i;
      return i;
    };
    lat.axes.push_back({e, at(e.stride), at(std::uint64_t{e.stride} * e.degree)});
  }
  return lat;
}

}  // namespace topoplan::inline v1::detail
