// What a placement costs: the concept of an objective and the default one.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/layout/axis.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1 {

// Which members of a group exchange data: neighbours in a closed ring (a ring of two is one edge), neighbours in an open
// chain, or every pair.
enum class edge_pattern : std::uint8_t { ring, chain, all_to_all };

// "ring", "chain" or "all-to-all". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(edge_pattern p) noexcept {
  constexpr std::string_view names[] = {"ring", "chain", "all-to-all"};
  return names[static_cast<std::size_t>(p)];
}

// The levels at which two GPUs meet, innermost first: 0 the same NVLink domain, 1 the same host (but not the domain), 2 the
// same leaf group, 3 the next tier, and so on up to the last tier of the cluster.
namespace meeting {
inline constexpr std::size_t domain = 0;
inline constexpr std::size_t host = 1;
inline constexpr std::size_t first_tier = 2;
}  // namespace meeting

// An objective prices the edges of the groups of a job: cost = sum over axes of weight(axis) * sum over edges of
// distance(level at which the edge's two GPUs meet), in whole numbers, so that every compiler finds the same plan.
// semantics: weight() >= 0; 0 <= distance(l) <= distance(l + 1); str() is one sentence for a person.
template <class T>
concept objective = requires(const T& o, axis a, std::size_t level) {
  { o.weight(a) } -> std::same_as<std::int64_t>;
  { o.pattern(a) } -> std::same_as<edge_pattern>;
  { o.distance(level) } -> std::same_as<std::int64_t>;
  { o.str() } -> std::convertible_to<std::string>;
};

// The objective when no workload is given. Weights say which axis talks more on a step: tp 64 (several times a layer and
// never hidden), cp and ep 16 (once a layer), pp 4 (once a micro-batch), dp 1 (once a step, mostly hidden); expert_tp counts
// as tp, expert_dp as dp. Every axis is a ring but pp, a chain. Distances: same domain 1, same host 3, same leaf group 10,
// next tier 30, then 30 more a tier.
struct default_objective {
  [[nodiscard]] constexpr std::int64_t weight(axis a) const noexcept {
    switch (a) {
      case axis::tp:
      case axis::expert_tp: return 64;
      case axis::cp:
      case axis::ep: return 16;
      case axis::pp: return 4;
      case axis::dp:
      case axis::expert_dp: return 1;
    }
    return 0;
  }
  [[nodiscard]] constexpr edge_pattern pattern(axis a) const noexcept {
    return a == axis::pp ? edge_pattern::chain : edge_pattern::ring;
  }
  [[nodiscard]] constexpr std::int64_t distance(std::size_t level) const noexcept {
    constexpr std::int64_t inner[] = {1, 3, 10};
    return level < 3 ? inner[level] : static_cast<std::int64_t>(level - 2) * 30;
  }
  [[nodiscard]] std::string str() const {
    return "default: edges weighted tp 64, cp 16, ep 16, pp 4, dp 1 times distance (domain 1, host 3, leaf group 10, next tier "
           "30, then 30 more a tier); rings, pp a chain";
  }
};

// An objective whose numbers a user sets.
struct custom_objective {
  std::string name = "custom";
  std::array<std::int64_t, axis_count> weights{};     // indexed by axis
  std::array<edge_pattern, axis_count> patterns{};    // indexed by axis
  std::vector<std::int64_t> distances{1, 3, 10, 30};  // indexed by level; levels beyond repeat the last step

  [[nodiscard]] std::int64_t weight(axis a) const { return weights[static_cast<std::size_t>(a)]; }
  [[nodiscard]] edge_pattern pattern(axis a) const { return patterns[static_cast<std::size_t>(a)]; }
  // pre: distances isn't empty.
  [[nodiscard]] std::int64_t distance(std::size_t level) const {
    const std::size_t known = distances.size();
    if (level < known) return distances[level];
    const std::int64_t step = known < 2 ? 0 : distances[known - 1] - distances[known - 2];
    return distances[known - 1] + static_cast<std::int64_t>(level + 1 - known) * step;
  }
  [[nodiscard]] std::string str() const {
    std::string text = name + ": edges weighted";
    for (const axis a : all_axes)
      if (weight(a) != 0)
        ((((text += ' ') += to_string(a)) += ' ') += std::to_string(weight(a))) +=
            " (" + std::string(to_string(pattern(a))) + ")";
    text += " times distance";
    for (const std::int64_t d : distances) text += ' ' + std::to_string(d);
    return text;
  }
};

static_assert(objective<default_objective> && objective<custom_objective>);

namespace detail {

// An objective as numbers for one cluster, so that no solver is a template.
struct prices {
  std::array<std::int64_t, axis_count> weight{};
  std::array<edge_pattern, axis_count> pattern{};
  std::vector<std::int64_t> distance;  // by level; one more than the cluster has, for GPUs without a common network
};

// errors: invalid_argument if a weight is negative or the distances fall from one level to the next.
template <objective Objective> [[nodiscard]] prices priced(const Objective& o, std::size_t tiers) {
  prices p;
  for (const axis a : all_axes) {
    const auto i = static_cast<std::size_t>(a);
    p.weight[i] = o.weight(a);
    p.pattern[i] = o.pattern(a);
    if (p.weight[i] < 0)
      throw invalid_argument("the objective weighs " + std::string(to_string(a)) + " with " + std::to_string(p.weight[i]) +
                             "; weights are at least 0");
  }
  for (std::size_t level = 0; level <= meeting::first_tier + tiers; ++level) {
    const std::int64_t last = level == 0 ? 0 : p.distance.back();
    p.distance.push_back(o.distance(level));
    if (p.distance.back() < last)
      throw invalid_argument("the objective's distance falls from " + std::to_string(last) + " to " +
                             std::to_string(p.distance.back()) + " at level " + std::to_string(level) +
                             "; what lies further apart can't be nearer");
  }
  return p;
}

}  // namespace detail

}  // namespace topoplan::inline v1
