#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/boundary.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/random.hpp"

using namespace topoplan;
using topoplan::detail::boundary_bound;
using topoplan::detail::grid_axis;

namespace {

struct edge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double weight = 0;
};

// The edges of a grid, line by line.
std::vector<edge> edges_of(const std::vector<grid_axis>& axes, std::uint32_t points) {
  std::vector<edge> edges;
  std::uint32_t stride = 1;
  for (const grid_axis& a : axes) {
    for (std::uint32_t p = 0; p < points; ++p) {
      const std::uint32_t at = p / stride % a.length;
      const std::uint32_t first = p - at * stride;
      if (a.pattern == edge_pattern::all_to_all) {
        for (std::uint32_t q = at + 1; q < a.length; ++q) edges.push_back({p, first + q * stride, a.weight});
      } else if (at + 1 < a.length) {
        edges.push_back({p, p + stride, a.weight});
      } else if (a.pattern == edge_pattern::ring) {
        edges.push_back({p, first, a.weight});
      }
    }
    stride *= a.length;
  }
  return edges;
}

// The least weight that leaves any set, by size: all subsets are compared.
std::vector<double> least_boundaries(const std::vector<edge>& edges, std::uint32_t points) {
  std::vector<double> least(points + 1, std::numeric_limits<double>::infinity());
  for (std::uint32_t set = 0; set < (1U << points); ++set) {
    double leaving = 0;
    for (const edge& e : edges)
      if (((set >> e.a ^ set >> e.b) & 1U) != 0) leaving += e.weight;
    double& best = least[static_cast<std::size_t>(std::popcount(set))];
    best = std::min(best, leaving);
  }
  return least;
}

void check_boundary(const std::vector<grid_axis>& axes) {
  std::string text;
  std::uint32_t points = 1;
  for (const grid_axis& a : axes) {
    points *= a.length;
    text += std::to_string(a.length) + ' ' + std::string(to_string(a.pattern)) + " x" + std::to_string(a.weight) + ", ";
  }
  CAPTURE(text);
  const boundary_bound bound(axes);
  REQUIRE(bound.points() == points);
  const std::vector<double> least = least_boundaries(edges_of(axes, points), points);
  for (std::uint32_t size = 0; size <= points; ++size) {
    CAPTURE(size);
    CHECK(bound.at(size) <= least[size] + 1e-9);
    CHECK(bound.at(size) >= 0);
  }
}

}  // namespace

TEST_CASE("boundary_bound: never above the least boundary of any set") {
  topoplan_test::random random(11);
  const std::vector<edge_pattern> patterns{edge_pattern::ring, edge_pattern::chain, edge_pattern::all_to_all};
  int checked = 0;
  while (checked < 60) {
    std::vector<grid_axis> axes;
    std::uint32_t points = 1;
    for (std::uint64_t n = random.between(1, 4); n > 0; --n) {
      axes.push_back(
          {static_cast<std::uint32_t>(random.between(2, 7)), static_cast<double>(random.between(0, 5)), random.pick(patterns)});
      points *= axes.back().length;
    }
    if (points > 13) continue;
    check_boundary(axes);
    ++checked;
  }
}

TEST_CASE("boundary_bound: exact for boxes of two rings and for single lines") {
  const boundary_bound grid({{16, 3, edge_pattern::ring}, {8, 1, edge_pattern::ring}});
  CHECK(grid.at(16 * 2) == doctest::Approx(16 * 2));        // two whole long lines: every short line is cut twice
  CHECK(grid.at(8 * 2) == doctest::Approx(2 * 6 + 8 * 2));  // a box of 8 along the long lines and 2 across
  CHECK(grid.at(4) == doctest::Approx(2 * 3 + 4 * 2));      // one line of four
  const boundary_bound line({{10, 2, edge_pattern::chain}});
  CHECK(line.at(3) == doctest::Approx(2));
  CHECK(line.at(10) == doctest::Approx(0));
}

TEST_CASE("least_boundary: with spare room never above any choice of sizes") {
  topoplan_test::random random(5);
  for (int round = 0; round < 40; ++round) {
    const std::vector<grid_axis> axes{{static_cast<std::uint32_t>(random.between(2, 5)), 2, edge_pattern::ring},
                                      {static_cast<std::uint32_t>(random.between(2, 4)), 1, edge_pattern::chain}};
    const boundary_bound bound(axes);
    const auto points = static_cast<std::uint32_t>(bound.points());
    std::map<std::uint64_t, std::uint64_t> places;
    std::vector<std::uint32_t> capacities;
    std::uint32_t room = 0;
    while (room < points || capacities.size() < 3) {
      capacities.push_back(static_cast<std::uint32_t>(random.between(1, points)));
      room += capacities.back();
      ++places[capacities.back()];
    }
    if (capacities.size() > 5) continue;
    const double claimed = detail::least_boundary(bound, places, points);
    // All ways to fill the places.
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> sizes(capacities.size(), 0);
    const auto fill = [&](const auto& self, std::size_t i, std::uint32_t left, double sum) -> void {
      if (i == capacities.size()) {
        if (left == 0) least = std::min(least, sum);
        return;
      }
      for (std::uint32_t s = 0; s <= std::min(capacities[i], left); ++s) self(self, i + 1, left - s, sum + bound.at(s));
    };
    fill(fill, 0, points, 0);
    CHECK(claimed <= least + 1e-9);
    CHECK(claimed >= 0);
  }
}
