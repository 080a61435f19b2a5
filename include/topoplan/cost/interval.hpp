// How far off a predicted time may be: intervals from the errors on runs that the calibration hasn't seen.
#pragma once

#include <topoplan/cost/machine.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>

namespace topoplan::inline v1 {

// Seconds that bound a measured time in four runs of five.
struct interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const interval&, const interval&) = default;
};

// Measured over predicted time: one run in ten is below `low`, one in ten above `high`.
struct error_band {
  double low = 1;
  double high = 1;
  std::size_t runs = 0;  // that the band rests on
};

// True if a model has layers of experts. complexity: O(kinds). errors: none.
[[nodiscard]] inline bool has_experts(const transformer& model) noexcept {
  return std::any_of(model.kinds.begin(), model.kinds.end(),
                     [](const layer_kind& k) { return k.feed_forward == feed_forward_kind::experts; });
}

// The band of a family, for dense models and models with experts. complexity: O(1). errors: none.
// source: benchmarks/accuracy, 10th and 90th percentile of measured over predicted with each source left out of the fit.
[[nodiscard]] constexpr error_band band_of(gpu_family family, bool experts) noexcept {
  switch (family) {
    case gpu_family::ampere: return experts ? error_band{0.8, 1.4, 0} : error_band{0.943, 1.21, 197};
    case gpu_family::hopper: return experts ? error_band{0.835, 1.42, 31} : error_band{0.918, 1.13, 73};
    case gpu_family::blackwell: return experts ? error_band{0.856, 1.17, 44} : error_band{0.952, 1.1, 25};
    case gpu_family::grace_blackwell: return experts ? error_band{0.848, 1.38, 104} : error_band{0.781, 1.09, 63};
    case gpu_family::other: break;
  }
  return {0.6, 1.6, 0};
}

// The interval round a predicted time of a step. complexity: O(kinds). errors: none. units: seconds.
[[nodiscard]] inline interval interval_of(const transformer& model, const machine& m, double seconds) noexcept {
  const error_band band = band_of(m.family, has_experts(model));
  return {seconds * band.low, seconds * band.high};
}

}  // namespace topoplan::inline v1
