// How much weight must leave a set of points of a grid whose lines are rings, chains or complete graphs.
#pragma once

#include <topoplan/solve/objective.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// One axis of the grid; every line of it has `length` points and edges of that weight.
struct grid_axis {
  std::uint32_t length = 1;
  double weight = 0;
  edge_pattern pattern = edge_pattern::ring;

  // Fewest edges that leave a line with m of its points in the set.
  [[nodiscard]] double leaving(std::uint32_t m) const noexcept {
    if (m == 0 || m >= length) return 0;
    if (pattern == edge_pattern::all_to_all) return static_cast<double>(m) * (length - m);
    return pattern == edge_pattern::ring ? 2 : 1;
  }
};

// A lower bound on the weight of the edges that leave any set of a given size.
// source: (1) entropy: for a uniform point of a set of s, Shearer's inequality bounds the conditional entropies, so with m_a
// the number of points of its a-line in the set, the means of log m_a add up to at most log s; edges leaving per point are at
// least the lower convex hull of leaving(m) / m over log m, and the steepest hull segments are spent first. (2) Two axes: a set
// without whole lines fits a rectangle of partial lines, so does its complement, or whole lines beside empty ones make every
// crossing line partial. (3) Each axis alone: a size that isn't a multiple of the length leaves a partial line.
class boundary_bound {
 public:
  explicit boundary_bound(const std::vector<grid_axis>& axes) {
    for (const grid_axis& a : axes) {
      points_ *= a.length;
      if (a.length > 1) axes_.push_back(a);
    }
    for (const grid_axis& a : axes_)
      if (a.weight > 0) add_hull(a);
    std::sort(segments_.begin(), segments_.end(), [](const segment& x, const segment& y) { return x.slope > y.slope; });
    double length = 0;
    double fall = 0;
    for (segment& s : segments_) {
      s.start = length;
      s.fallen = fall;
      length += s.length;
      fall += s.length * s.slope;
    }
  }

  [[nodiscard]] std::uint64_t points() const noexcept { return points_; }

  // pre: size <= points(). complexity: O(log segments), with two axes O(shorter length).
  [[nodiscard]] double at(std::uint64_t size) const {
    if (size == 0 || size >= points_) return 0;
    double bound = std::max(entropy(size), entropy(points_ - size));
    double alone = 0;
    for (const grid_axis& a : axes_) alone += a.weight * a.leaving(static_cast<std::uint32_t>(size % a.length));
    bound = std::max(bound, alone);
    if (axes_.size() == 2 && axes_[0].pattern != edge_pattern::all_to_all && axes_[1].pattern != edge_pattern::all_to_all)
      bound = std::max(bound, two_axes(size));
    return bound;
  }

 private:
  struct segment {
    double slope = 0;   // fall of the weight per point, per unit of log m
    double length = 0;  // in log m
    double start = 0;   // where it lies when the steepest segments come first
    double fallen = 0;  // fall of all segments before it
  };

  void add_hull(const grid_axis& a) {
    start_ += a.weight * a.leaving(1);
    struct corner {
      double x = 0;
      double y = 0;
    };
    std::vector<corner> hull;
    for (std::uint32_t m = 1; m <= a.length; ++m) {
      const corner next{std::log(static_cast<double>(m)), a.leaving(m) / m};
      while (hull.size() >= 2) {
        const corner& p = hull[hull.size() - 2];
        const corner& q = hull.back();
        if ((q.y - p.y) * (next.x - p.x) <= (next.y - p.y) * (q.x - p.x)) break;
        hull.pop_back();
      }
      hull.push_back(next);
    }
    for (std::size_t i = 1; i < hull.size(); ++i) {
      const double length = hull[i].x - hull[i - 1].x;
      segments_.push_back({a.weight * (hull[i - 1].y - hull[i].y) / length, length});
    }
  }

  [[nodiscard]] double entropy(std::uint64_t size) const {
    const double budget = std::log(static_cast<double>(size));
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), budget, [](double x, const segment& s) { return x < s.start; });
    double fall = 0;
    if (after != segments_.begin()) {
      const segment& s = *(after - 1);
      fall = s.fallen + std::min(budget - s.start, s.length) * s.slope;
    }
    return static_cast<double>(size) * std::max(0.0, start_ - fall);
  }

  [[nodiscard]] double two_axes(std::uint64_t size) const {
    const grid_axis& a = axes_[0];
    const grid_axis& b = axes_[1];
    const double line_a = a.weight * a.leaving(1);
    const double line_b = b.weight * b.leaving(1);
    const auto rectangle = [&](std::uint64_t s) {
      double best = std::numeric_limits<double>::infinity();
      const bool a_shorter = a.length < b.length;
      const std::uint64_t shorter = std::min(a.length, b.length);
      const std::uint64_t longer = std::max(a.length, b.length);
      for (std::uint64_t side = 1; side <= shorter; ++side) {
        const std::uint64_t other = (s + side - 1) / side;
        if (other > longer) continue;
        // A rectangle of `other` points along the longer axis and `side` along the shorter one has `side` lines of the longer.
        const auto lines_longer = static_cast<double>(side);
        const auto lines_shorter = static_cast<double>(other);
        best = std::min(
            best, a_shorter ? lines_shorter * line_a + lines_longer * line_b : lines_longer * line_a + lines_shorter * line_b);
      }
      return best;
    };
    const double whole_a = line_b * a.length + (size % a.length != 0 ? line_a : 0);
    const double whole_b = line_a * b.length + (size % b.length != 0 ? line_b : 0);
    return std::min({rectangle(size), rectangle(points_ - size), whole_a, whole_b});
  }

  std::uint64_t points_ = 1;
  std::vector<grid_axis> axes_;  // longer than one point
  std::vector<segment> segments_;
  double start_ = 0;  // weight that leaves a single point
};

}  // namespace topoplan::inline v1::detail
