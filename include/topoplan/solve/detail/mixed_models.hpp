// Jobs that run on several GPU models: which part of the job gets which model.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/solve/detail/breaches.hpp>
#include <topoplan/solve/detail/components.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/wording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// The ranks that must share a GPU model when only groups of the axes in `mix` may hold several, as the smallest rank of every
// rank's set. Replicas that differ in dp differ in expert_dp too. complexity: O(ranks * axes).
[[nodiscard]] inline std::vector<std::uint32_t> one_model_roots(const layout& l, axis_set mix) {
  axis_set kept;
  for (const axis a : all_axes) {
    const bool mixed = mix.contains(a) || (a == axis::expert_dp && mix.contains(axis::dp));
    if (!mixed) kept = kept | a;
  }
  return component_roots(l, kept);
}

// One finding: every set of ranks that must share a model does. complexity: O(ranks * axes).
[[nodiscard]] inline finding check_mixed_models(const cluster& c, const layout& l, const seating& seats, axis_set mix) {
  finding f{.rule = "one GPU model but across " + to_string(mix), .breaches = {}, .text = {}};
  const std::vector<std::uint32_t> root = one_model_roots(l, mix);
  std::vector<bool> torn(root.size(), false);
  for (std::uint32_t r = 0; r < root.size(); ++r) {
    if (root[r] == r) ++f.checked;
    const std::uint32_t first = root[r];
    if (c.hosts[seats[r].host].model == c.hosts[seats[first].host].model || torn[first]) continue;
    torn[first] = true;
    note_breach(f, seats, {first, r}, [&] {
      return "rank " + std::to_string(r) + " sits on " + gpu_name(c, seats[r].gpu) + ", " +
             c.gpu_models[c.hosts[seats[r].host].model] + ", and rank " + std::to_string(first) + " of its set on " +
             c.gpu_models[c.hosts[seats[first].host].model];
    });
  }
  f.text = f.kept ? "each of " + count_of(f.checked, "set") + " of ranks sits on one model"
                  : std::to_string(f.broken) + " of " + count_of(f.checked, "set") + " of ranks mix models";
  return f;
}

// How fast a model is, for the order in which parts of a job get models: its 16-bit rate, or its memory where that isn't known.
[[nodiscard]] inline std::pair<double, double> rank_of_model(const cluster& c, std::uint16_t model) {
  const gpu_model* known = lookup_gpu(c.gpu_models[model]);
  if (known == nullptr) return {0, 0};
  return {known->bf16.known() ? known->bf16.value : 0.0, known->memory.known() ? known->memory.value : 0.0};
}

// Pools below one root, fastest model first; those of the cluster's first model first where the catalogue doesn't tell.
// complexity: O(pools log pools).
[[nodiscard]] inline std::vector<pool> by_model(const cluster& c, std::vector<pool> pools) {
  std::sort(pools.begin(), pools.end(), [&](const pool& a, const pool& b) {
    const auto x = rank_of_model(c, a.model);
    const auto y = rank_of_model(c, b.model);
    return x != y ? x > y : a.model < b.model;
  });
  return pools;
}

}  // namespace topoplan::inline v1::detail
