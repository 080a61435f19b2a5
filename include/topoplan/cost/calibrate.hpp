// Refits two kinds of factors from a few runs of one's own: how near to the peak matrices come, and one exposure.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/step.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// One run of the user's own and what its steps took.
struct measured_run {
  transformer model;
  training settings;
  resolved_degrees degrees;
  axis_groups groups;
  machine gpu;
  double seconds = 0;  // of one step, measured
};

// What calibrate() found.
struct calibration_fit {
  step_calibration factors;
  std::vector<std::string_view> fitted;  // names of the factors that changed
  double error_before = 0;               // mean of |predicted / measured - 1| over the runs
  double error_after = 0;
};

namespace detail {

struct calibration_factor {
  std::string_view name;
  double step_calibration::* value;
};

inline constexpr std::array<calibration_factor, 4> matrix_factors{{{"matmul_16bit", &step_calibration::matmul_16bit},
                                                                   {"matmul_fp8", &step_calibration::matmul_fp8},
                                                                   {"matmul_mxfp8", &step_calibration::matmul_mxfp8},
                                                                   {"matmul_nvfp4", &step_calibration::matmul_nvfp4}}};

inline constexpr std::array<calibration_factor, 9> exposure_factors{{{"tp_exposed", &step_calibration::tp_exposed},
                                                                     {"tp_exposed_plain", &step_calibration::tp_exposed_plain},
                                                                     {"cp_exposed", &step_calibration::cp_exposed},
                                                                     {"expert_exposed", &step_calibration::expert_exposed},
                                                                     {"expert_layer", &step_calibration::expert_layer},
                                                                     {"pp_exposed", &step_calibration::pp_exposed},
                                                                     {"pp_exposed_plain", &step_calibration::pp_exposed_plain},
                                                                     {"dp_exposed", &step_calibration::dp_exposed},
                                                                     {"pointwise_fused", &step_calibration::pointwise_fused}}};

[[nodiscard]] inline std::size_t matrix_factor_of(precision p) noexcept {
  switch (p) {
    case precision::bf16:
    case precision::fp16: return 0;
    case precision::fp8: return 1;
    case precision::mxfp8: return 2;
    case precision::nvfp4: return 3;
  }
  return 0;
}

[[nodiscard]] inline double seconds_of(const measured_run& r, const step_calibration& c) {
  const priced_layers priced = price_layers(r.model, r.settings, r.degrees, r.groups, r.gpu, c);
  return time_of_step(r.model, r.settings, r.degrees, r.groups, r.gpu, c, priced, split_layers(r.model, r.settings, r.degrees.pp))
      .seconds;
}

// Mean of squared log errors, growing only linearly beyond 10 %, with a weak pull towards where the factors started.
[[nodiscard]] inline double misfit(std::span<const measured_run> runs, const step_calibration& c, const step_calibration& start,
                                   std::span<const calibration_factor> fitted) {
  constexpr double knee = 0.1;
  double sum = 0;
  for (const measured_run& r : runs) {
    const double e = std::abs(std::log(seconds_of(r, c) / r.seconds));
    sum += e < knee ? e * e : knee * (2 * e - knee);
  }
  for (const calibration_factor& f : fitted) {
    const double moved = std::log(c.*f.value / start.*f.value);
    sum += 0.003 * moved * moved;
  }
  return sum;
}

[[nodiscard]] inline double mean_error(std::span<const measured_run> runs, const step_calibration& c) {
  double sum = 0;
  for (const measured_run& r : runs) sum += std::abs(seconds_of(r, c) / r.seconds - 1);
  return sum / static_cast<double>(runs.size());
}

// The best value of one factor between half and twice what it is, by golden section on its logarithm.
inline void improve(std::span<const measured_run> runs, step_calibration& c, const step_calibration& start,
                    std::span<const calibration_factor> fitted, const calibration_factor& f) {
  constexpr double golden = 0.6180339887498949;
  const double centre = std::log(c.*f.value);
  double low = centre - std::log(2.0);
  double high = centre + std::log(2.0);
  const auto at = [&](double x) {
    step_calibration trial = c;
    trial.*f.value = std::exp(x);
    return misfit(runs, trial, start, fitted);
  };
  double a = high - golden * (high - low);
  double b = low + golden * (high - low);
  double fa = at(a);
  double fb = at(b);
  for (int i = 0; i < 24; ++i) {
    if (fa <= fb) {
      high = b;
      b = a;
      fb = fa;
      a = high - golden * (high - low);
      fa = at(a);
    } else {
      low = a;
      a = b;
      fa = fb;
      b = low + golden * (high - low);
      fb = at(b);
    }
  }
  c.*f.value = std::exp((low + high) / 2);
}

}  // namespace detail

// Refits the efficiency of the matrix formats that the runs use, and the one exposure that explains most of what is left.
// pre: the runs are of one GPU family. post: error_after <= error_before on a misfit that forgives outliers; all other factors
// are those of start. complexity: O(runs * 24 * rounds) predictions. errors: invalid_argument with fewer than 3 runs, a time
// that isn't positive, runs of several families, or a factor that starts at 0.
[[nodiscard]] inline calibration_fit calibrate(std::span<const measured_run> runs, const step_calibration& start) {
  if (runs.size() < 3)
    throw invalid_argument("calibrating takes 3 runs at least, there are " + std::to_string(runs.size()) +
                           "; runs that differ in degrees or micro-batch tell most");
  const auto check = [&](const detail::calibration_factor& f) {
    if (!(start.*f.value > 0))
      throw invalid_argument("calibrating starts from " + std::string(f.name) + " " + std::to_string(start.*f.value) +
                             "; a factor is refitted by a ratio, so that it starts above 0");
  };
  for (const detail::calibration_factor& f : detail::matrix_factors) check(f);
  for (const detail::calibration_factor& f : detail::exposure_factors) check(f);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!(runs[i].seconds > 0) || !std::isfinite(runs[i].seconds))
      throw invalid_argument("run " + std::to_string(i + 1) + ": the time of a step is a number of seconds above 0");
    if (runs[i].gpu.family != runs[0].gpu.family)
      throw invalid_argument("run " + std::to_string(i + 1) + " is of " + runs[i].gpu.gpu + ", run 1 of " + runs[0].gpu.gpu +
                             ": calibrate one GPU family at a time");
  }
  calibration_fit out{start, {}, detail::mean_error(runs, start), 0};
  std::vector<detail::calibration_factor> matrices;
  for (std::size_t i = 0; i < detail::matrix_factors.size(); ++i)
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const measured_run& r) { return detail::matrix_factor_of(r.settings.precision) == i; }))
      matrices.push_back(detail::matrix_factors[i]);

  double best = -1;
  for (const detail::calibration_factor& exposure : detail::exposure_factors) {
    std::vector<detail::calibration_factor> fitted = matrices;
    fitted.push_back(exposure);
    step_calibration trial = start;
    for (int round = 0; round < 3; ++round)
      for (const detail::calibration_factor& f : fitted) detail::improve(runs, trial, start, fitted, f);
    const double misfit = detail::misfit(runs, trial, start, fitted);
    if (best >= 0 && misfit >= best) continue;
    best = misfit;
    out.factors = trial;
    out.fitted.clear();
    for (const detail::calibration_factor& f : fitted) out.fitted.push_back(f.name);
  }
  out.error_after = detail::mean_error(runs, out.factors);
  return out;
}

}  // namespace topoplan::inline v1
