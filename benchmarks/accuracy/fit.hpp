// Fits the factors of a calibration to runs: the most probable ones, given how far factors of a GPU family usually lie apart.
#pragma once

#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/workload/stages.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pose.hpp"

namespace accuracy {

// A posed run with everything that a prediction takes.
struct problem {
  const posed_run* run = nullptr;
  topoplan::machine gpu;
  topoplan::axis_groups groups;
  topoplan::stage_split split;
  std::string configuration;  // equal for repeats of one job with another release
};

// errors: topoplan::error when the run's layers don't split or its machine isn't known.
[[nodiscard]] problem problem_of(const posed_run& run);

// Seconds of a step. complexity: O(pp * kinds). errors: none.
[[nodiscard]] double seconds_of(const problem& p, const topoplan::step_calibration& c);

// The runs that calibrate: of each group, model, GPU, number format and degrees the first in the file; the others only judge.
// complexity: O(n log n). errors: none.
[[nodiscard]] std::vector<const problem*> calibration_set(std::span<const problem> problems);

// What a factor is before any run of the family is seen: a mean and a standard deviation of its logarithm.
struct prior {
  std::string_view name;
  double topoplan::step_calibration::* factor;
  double mean;
  double deviation;
};
[[nodiscard]] std::span<const prior> all_priors();

// The factors that runs of a family can tell anything about.
[[nodiscard]] std::vector<const prior*> factors_of(std::string_view family);

// The calibration that a family starts from. complexity: O(factors). errors: none.
[[nodiscard]] topoplan::step_calibration unfitted(std::string_view family);

// The most probable factors: least squares of log errors that grow only linearly beyond 5 %, repeats of one configuration
// sharing one vote, and of what factors deviate from their priors; Levenberg and Marquardt's method.
// pre: the problems are of that family. complexity: O(iterations * factors * runs) predictions. errors: none.
[[nodiscard]] topoplan::step_calibration fit(std::span<const problem* const> runs, std::string_view family);

}  // namespace accuracy
