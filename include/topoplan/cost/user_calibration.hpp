// What a user's own measurements replace, as one value: figures of links, factors of GPU families, factors of memory.
#pragma once

#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/step_table.hpp>
#include <topoplan/workload/memory.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// A factor by the name that files and messages use, with the values that make sense for it.
template <class Factors> struct named_factor {
  std::string_view name;
  double Factors::* value;
  double least = 0;
  double most = 0;
};

namespace detail {

inline constexpr double most_efficiency = 2;  // peaks of data sheets are beaten where clocks or links are better than stated
inline constexpr double most_share = 10;      // exposures and multiples of the least traffic
inline constexpr double most_seconds = 10;

}  // namespace detail

// The factors of a family, in the order of step_calibration. units: as there.
inline constexpr std::array<named_factor<step_calibration>, step_calibration_size> step_factors{{
    {"matmul_16bit", &step_calibration::matmul_16bit, 0.01, detail::most_efficiency},
    {"matmul_fp8", &step_calibration::matmul_fp8, 0.01, detail::most_efficiency},
    {"matmul_mxfp8", &step_calibration::matmul_mxfp8, 0.01, detail::most_efficiency},
    {"matmul_nvfp4", &step_calibration::matmul_nvfp4, 0.01, detail::most_efficiency},
    {"matmul_side", &step_calibration::matmul_side, 0, 100'000},
    {"board", &step_calibration::board, 0.1, detail::most_share},
    {"board_fp4", &step_calibration::board_fp4, 0.1, detail::most_share},
    {"expert_matmul", &step_calibration::expert_matmul, 0.01, detail::most_efficiency},
    {"attention", &step_calibration::attention, 0.01, detail::most_efficiency},
    {"attention_backward", &step_calibration::attention_backward, 0.01, detail::most_share},
    {"state_space", &step_calibration::state_space, 0.1, detail::most_share},
    {"memory", &step_calibration::memory, 0.01, detail::most_efficiency},
    {"pointwise_2021", &step_calibration::pointwise_2021, 0, detail::most_share},
    {"pointwise_fused", &step_calibration::pointwise_fused, 0, detail::most_share},
    {"pointwise_eager", &step_calibration::pointwise_eager, 0, 5 * detail::most_share},
    {"quantization", &step_calibration::quantization, 0, detail::most_share},
    {"launch", &step_calibration::launch, 0, detail::most_seconds},
    {"layer", &step_calibration::layer, 0, detail::most_seconds},
    {"expert_layer", &step_calibration::expert_layer, 0, detail::most_seconds},
    {"expert_traffic", &step_calibration::expert_traffic, 0, detail::most_share},
    {"step", &step_calibration::step, 0, detail::most_seconds},
    {"straggler", &step_calibration::straggler, 0, 1},
    {"tp_exposed", &step_calibration::tp_exposed, 0, detail::most_share},
    {"tp_exposed_plain", &step_calibration::tp_exposed_plain, 0, detail::most_share},
    {"tp_exposed_backward", &step_calibration::tp_exposed_backward, 0, detail::most_share},
    {"tp_across_domains", &step_calibration::tp_across_domains, 0, detail::most_share},
    {"cp_exposed", &step_calibration::cp_exposed, 0, detail::most_share},
    {"expert_exposed", &step_calibration::expert_exposed, 0, detail::most_share},
    {"expert_exposed_overlapped", &step_calibration::expert_exposed_overlapped, 0, detail::most_share},
    {"pp_exposed_plain", &step_calibration::pp_exposed_plain, 0, detail::most_share},
    {"pp_exposed", &step_calibration::pp_exposed, 0, detail::most_share},
    {"dp_rate", &step_calibration::dp_rate, 0.01, detail::most_efficiency},
    {"dp_exposed", &step_calibration::dp_exposed, 0, detail::most_share},
    {"gather_rate", &step_calibration::gather_rate, 0.01, detail::most_efficiency},
    {"gather_hidden", &step_calibration::gather_hidden, 0, 1},
    {"gather_hidden_prefetched", &step_calibration::gather_hidden_prefetched, 0, 1},
    {"power", &step_calibration::power, 0, detail::most_share},
}};

// The factors of memory, in the order of memory_calibration. units: as there.
inline constexpr std::array<named_factor<memory_calibration>, 9> memory_factors{{
    {"context", &memory_calibration::context, 0, 1e12},
    {"process_context", &memory_calibration::process_context, 0, 1e12},
    {"process_states", &memory_calibration::process_states, 0.1, detail::most_share},
    {"process_activations", &memory_calibration::process_activations, 0.1, detail::most_share},
    {"logit_fused", &memory_calibration::logit_fused, 0, 100},
    {"logit_plain", &memory_calibration::logit_plain, 0, 100},
    {"usable", &memory_calibration::usable, 0.01, 1.2},
    {"tight", &memory_calibration::tight, 0.01, 2},
    {"out", &memory_calibration::out, 0.01, 2},
}};
static_assert(step_factors.back().value == &step_calibration::power, "every factor has its name, in the order of the members");
static_assert(sizeof(memory_calibration) == memory_factors.size() * sizeof(double), "every factor of memory has its name");

// All families that have factors, and the key that files give each. complexity: O(1). errors: none.
inline constexpr std::array<gpu_family, 5> gpu_families{gpu_family::ampere, gpu_family::hopper, gpu_family::blackwell,
                                                        gpu_family::grace_blackwell, gpu_family::other};
[[nodiscard]] constexpr std::string_view key_of(gpu_family f) noexcept {
  constexpr std::string_view keys[] = {"ampere", "hopper", "blackwell", "grace-blackwell", "other"};
  return keys[static_cast<std::size_t>(f)];
}

// Factors of one family in place of topoplan's.
struct family_factors {
  gpu_family family = gpu_family::hopper;
  step_calibration factors;
};

// A user's calibration. What it doesn't hold stays as topoplan ships it.
struct user_calibration {
  link_calibration links;
  std::vector<family_factors> steps;  // each family once
  memory_calibration memory;

  // The factors that apply to a family. complexity: O(families). errors: none.
  [[nodiscard]] step_calibration factors_of(gpu_family family) const noexcept {
    for (const family_factors& own : steps)
      if (own.family == family) return own.factors;
    return calibration_of(family);
  }
  // True if the factors of a family are the user's own. complexity: O(families). errors: none.
  [[nodiscard]] bool replaces(gpu_family family) const noexcept {
    return std::any_of(steps.begin(), steps.end(), [&](const family_factors& own) { return own.family == family; });
  }
};

// Equal in every factor. complexity: O(factors). errors: none.
[[nodiscard]] inline bool operator==(const family_factors& a, const family_factors& b) noexcept {
  return a.family == b.family && std::all_of(step_factors.begin(), step_factors.end(),
                                             [&](const auto& f) { return a.factors.*f.value == b.factors.*f.value; });
}
[[nodiscard]] inline bool operator==(const user_calibration& a, const user_calibration& b) noexcept {
  return a.links == b.links && a.steps == b.steps &&
         std::all_of(memory_factors.begin(), memory_factors.end(),
                     [&](const auto& f) { return a.memory.*f.value == b.memory.*f.value; });
}

}  // namespace topoplan::inline v1
