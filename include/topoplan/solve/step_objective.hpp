// The objective from the cost model: the time of a training step, with the communication that nothing hides.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/ideal_groups.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/step.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/timed_objective.hpp>
#include <topoplan/workload/legality.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace topoplan::inline v1 {

// The time of a step by cost/step.hpp. All groups of an axis run at once; what they share (NICs, uplinks of leaf groups and
// upper tiers, the spine where they cross rails) slows all of them.
// The weights of the edges, which guide the search and settle ties, say how much longer the step takes when the links of one axis
// have half their rate; an axis whose time is hidden, or stays in NVLink, weighs 1.
class step_objective {
 public:
  // pre: c is valid; m is the machine of its GPUs. complexity: O(layers + pp * kinds), O(tiers). errors: invalid_argument where
  // the model can't be trained so (check_trainable()).
  step_objective(const cluster& c, transformer model, const training& settings, const resolved_degrees& d, machine m,
                 const step_calibration& calibration)
      : model_(std::move(model)),
        settings_(settings),
        degrees_(d),
        machine_(std::move(m)),
        calibration_(calibration),
        split_(checked_split(model_, settings_, d)) {
    weigh(ideal_groups(c, d));
  }

  [[nodiscard]] std::int64_t weight(axis a) const noexcept { return weights_[static_cast<std::size_t>(a)]; }
  [[nodiscard]] edge_pattern pattern(axis a) const noexcept {
    if (a == axis::pp) return settings_.virtual_stages > 1 ? edge_pattern::ring : edge_pattern::chain;
    return a == axis::ep ? edge_pattern::all_to_all : edge_pattern::ring;
  }
  [[nodiscard]] std::int64_t distance(std::size_t level) const noexcept { return default_objective{}.distance(level); }
  [[nodiscard]] std::string str() const {
    std::string text = "time of a step of " + model_.name + "; ties and the search by edges weighted";
    for (const axis a : all_axes)
      if (degrees_.of(a) > 1) ((((text += ' ') += to_string(a)) += ' ') += std::to_string(weight(a)));
    return text + " (what half the rate costs), times distance";
  }

  // Seconds of a step. complexity: O(layers + pp * kinds). errors: none.
  [[nodiscard]] double seconds(const axis_groups& g) const { return time(g).seconds; }
  // Of these, communication that nothing hides. complexity: as seconds(). errors: none.
  [[nodiscard]] double exposed(const axis_groups& g) const {
    const step_time t = time(g);
    return t.layers.tp + t.layers.cp + t.layers.ep + t.pp + t.dp;
  }

 private:
  [[nodiscard]] static stage_split checked_split(const transformer& model, const training& settings, const resolved_degrees& d) {
    check_trainable(model, settings, d);
    return split_layers(model, settings, d.pp);
  }

  [[nodiscard]] step_time time(const axis_groups& g) const {
    return time_of_step(model_, settings_, degrees_, g, machine_, calibration_,
                        price_layers(model_, settings_, degrees_, g, machine_, calibration_), split_);
  }

  // Weights are whole, the lightest of the axes that cost time 16, so that a ratio of 17 to 16 shows.
  void weigh(const axis_groups& best) {
    std::array<double, axis_count> slower{};
    const auto measure = [&](axis a, auto... members) {
      axis_groups fast = best;
      const auto spread = [](group_shape& g) {
        if (g.ranks < 2 || !g.in_domain()) return;
        g.domains = g.hosts = 2;  // what it costs to leave NVLink, with half of the group in either domain
        g.per_domain = g.per_host = std::max(1U, g.ranks / 2);
      };
      (spread(fast.*members), ...);
      axis_groups slow = fast;
      const auto load = [](group_shape& g) { g.ring_load = g.tree_load = g.exchange_load = 2; };
      (load(slow.*members), ...);
      const auto level = [](group_shape& g) { g.ring_load = g.tree_load = g.exchange_load = 1; };
      (level(fast.*members), ...);
      slower[static_cast<std::size_t>(a)] = std::max(0.0, seconds(slow) - seconds(fast));
    };
    measure(axis::tp, &axis_groups::tp);
    measure(axis::cp, &axis_groups::cp);
    measure(axis::dp, &axis_groups::dp, &axis_groups::dp_cp);
    measure(axis::pp, &axis_groups::pp);
    measure(axis::ep, &axis_groups::ep);
    measure(axis::expert_tp, &axis_groups::expert_tp);
    measure(axis::expert_dp, &axis_groups::expert_dp);
    constexpr double negligible = 1e-6;  // seconds
    double least = std::numeric_limits<double>::infinity();
    for (const double s : slower)
      if (s > negligible) least = std::min(least, s);
    for (const axis a : all_axes) {
      const auto i = static_cast<std::size_t>(a);
      weights_[i] = 1;
      if (slower[i] > negligible)
        weights_[i] = static_cast<std::int64_t>(std::llround(std::min(16 * slower[i] / least, 16'000.0)));
    }
  }

  transformer model_;
  training settings_;
  resolved_degrees degrees_;
  machine machine_;
  step_calibration calibration_;
  stage_split split_;
  std::array<std::int64_t, axis_count> weights_{};
};

static_assert(timed_objective<step_objective>);

}  // namespace topoplan::inline v1
