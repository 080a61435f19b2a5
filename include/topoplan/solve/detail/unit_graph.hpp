// The edges between units, summed over their ranks, and the cost of an arrangement of units in slots.
#pragma once

#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace topoplan::inline v1::detail {

// Neighbours of every unit with weights, in one array; every edge stands at both of its ends.
struct unit_graph {
  struct arc {
    std::uint32_t to = 0;
    std::int64_t weight = 0;
  };
  std::vector<std::uint32_t> begin;  // one entry more than units
  std::vector<arc> arcs;             // of unit u: begin[u] ... begin[u + 1] - 1, by neighbour
  std::int64_t inside = 0;           // weight of the edges within units

  [[nodiscard]] std::uint32_t units() const noexcept { return static_cast<std::uint32_t>(begin.size() - 1); }
  [[nodiscard]] std::span<const arc> of(std::uint32_t unit) const noexcept {
    return {arcs.data() + begin[unit], arcs.data() + begin[unit + 1]};
  }
};

// complexity: O(ranks * axes + arcs log degree); an all-to-all axis counts with its degree.
[[nodiscard]] inline unit_graph make_unit_graph(const layout& l, const std::vector<edge_axis>& axes, const unit_scheme& s) {
  std::vector<std::uint32_t> rank_at(l.world());
  for (std::uint32_t r = 0; r < l.world(); ++r) rank_at[s.unit_of[r] * s.size + s.position_of[r]] = r;
  unit_graph g;
  g.begin.reserve(s.units + 1);
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> arc_to(s.units, none);  // index of the arc of the unit at work
  std::int64_t twice_inside = 0;
  for (std::uint32_t u = 0; u < s.units; ++u) {
    const auto first = static_cast<std::uint32_t>(g.arcs.size());
    g.begin.push_back(first);
    for (std::uint32_t i = 0; i < s.size; ++i)
      for (const edge_axis& a : axes)
        if (a.weight > 0)
          for_each_neighbour(a, rank_at[u * s.size + i], [&](std::uint32_t other) {
            const std::uint32_t v = s.unit_of[other];
            if (v == u) {
              twice_inside += a.weight;
              return;
            }
            if (arc_to[v] == none || arc_to[v] < first) {
              arc_to[v] = static_cast<std::uint32_t>(g.arcs.size());
              g.arcs.push_back({v, 0});
            }
            g.arcs[arc_to[v]].weight += a.weight;
          });
    std::sort(g.arcs.begin() + first, g.arcs.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    for (std::size_t i = first; i < g.arcs.size(); ++i) arc_to[g.arcs[i].to] = none;
  }
  g.begin.push_back(static_cast<std::uint32_t>(g.arcs.size()));
  g.inside = twice_inside / 2;
  return g;
}

// Which slot each unit has.
using arrangement = std::vector<std::uint32_t>;

// The cost of the edges between units. complexity: O(arcs * levels).
[[nodiscard]] inline std::int64_t cost_of(const unit_graph& g, const slot_tree& tree, const arrangement& slot_of) {
  std::int64_t sum = 0;
  for (std::uint32_t u = 0; u < g.units(); ++u)
    for (const unit_graph::arc& a : g.of(u))
      if (a.to > u) sum += a.weight * tree.distance[tree.meet(slot_of[u], slot_of[a.to])];
  return sum;
}

// What the edges of one unit would cost if it sat in `slot`. complexity: O(degree * levels).
[[nodiscard]] inline std::int64_t cost_at(const unit_graph& g, const slot_tree& tree, const arrangement& slot_of,
                                          std::uint32_t unit, std::uint32_t slot) {
  std::int64_t sum = 0;
  for (const unit_graph::arc& a : g.of(unit)) sum += a.weight * tree.distance[tree.meet(slot, slot_of[a.to])];
  return sum;
}

}  // namespace topoplan::inline v1::detail
