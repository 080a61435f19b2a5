// Refits two kinds of factors from a few runs of one's own: how near to the peak matrices come, and one exposure.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/step.hpp>
#include <topoplan/cost/user_calibration.hpp>
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

using step_factor = named_factor<step_calibration>;

// pre: the name is that of a factor.
[[nodiscard]] constexpr const step_factor& factor_named(std::string_view name) noexcept {
  return *std::find_if(step_factors.begin(), step_factors.end(), [&](const step_factor& f) { return f.name == name; });
}

inline constexpr std::array<step_factor, 4> matrix_factors{factor_named("matmul_16bit"), factor_named("matmul_fp8"),
                                                           factor_named("matmul_mxfp8"), factor_named("matmul_nvfp4")};

// Exposures, and the two factors that move as much: fixed times of experts, and what fused kernels move.
inline constexpr std::array<step_factor, 12> exposure_factors{
    factor_named("tp_exposed"),       factor_named("tp_exposed_plain"),
    factor_named("cp_exposed"),       factor_named("expert_exposed"),
    factor_named("expert_layer"),     factor_named("pp_exposed"),
    factor_named("pp_exposed_plain"), factor_named("dp_exposed"),
    factor_named("pointwise_fused"),  factor_named("expert_exposed_overlapped"),
    factor_named("gather_hidden"),    factor_named("gather_hidden_prefetched")};

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
                                   std::span<const step_factor> fitted) {
  constexpr double knee = 0.1;
  double sum = 0;
  for (const measured_run& r : runs) {
    const double e = std::abs(std::log(seconds_of(r, c) / r.seconds));
    sum += e < knee ? e * e : knee * (2 * e - knee);
  }
  for (const step_factor& f : fitted) {
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

// The best value of one factor between half and twice what it is and within its bounds, by golden section on its logarithm;
// what it is, if that is better.
inline void improve(std::span<const measured_run> runs, step_calibration& c, const step_calibration& start,
                    std::span<const step_factor> fitted, const step_factor& f) {
  constexpr double golden = 0.6180339887498949;
  double low = std::log(std::max(c.*f.value / 2, f.least));
  double high = std::log(std::min(c.*f.value * 2, f.most));
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
  const double found = (low + high) / 2;
  if (at(found) < misfit(runs, c, start, fitted)) c.*f.value = std::exp(found);
}

}  // namespace detail

// Refits the efficiency of the matrix formats that the runs use, and the one exposure that explains most of what is left.
// pre: the runs are of one GPU family; factors of start are within the bounds of step_factors. post: the fitted factors are
// within their bounds, all others are those of start; the misfit, which forgives outliers, isn't above that of start.
// complexity: O(exposures * rounds * factors * runs) predictions. errors: invalid_argument with fewer than 3 runs, a time that
// isn't positive, runs of several families, or a factor that starts at 0.
[[nodiscard]] inline calibration_fit calibrate(std::span<const measured_run> runs, const step_calibration& start) {
  if (runs.size() < 3)
    throw invalid_argument("calibrating takes 3 runs at least, there are " + std::to_string(runs.size()) +
                           "; runs that differ in degrees or micro-batch tell most");
  const auto check = [&](const detail::step_factor& f) {
    if (!(start.*f.value > 0))
      throw invalid_argument("calibrating starts from " + std::string(f.name) + " " + std::to_string(start.*f.value) +
                             "; a factor is refitted by a ratio, so that it starts above 0");
  };
  for (const detail::step_factor& f : detail::matrix_factors) check(f);
  for (const detail::step_factor& f : detail::exposure_factors) check(f);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!(runs[i].seconds > 0) || !std::isfinite(runs[i].seconds))
      throw invalid_argument("run " + std::to_string(i + 1) + ": the time of a step is a number of seconds above 0");
    if (runs[i].gpu.family != runs[0].gpu.family)
      throw invalid_argument("run " + std::to_string(i + 1) + " is of " + runs[i].gpu.gpu + ", run 1 of " + runs[0].gpu.gpu +
                             ": calibrate one GPU family at a time");
  }
  calibration_fit out{start, {}, detail::mean_error(runs, start), 0};
  std::vector<detail::step_factor> matrices;
  for (std::size_t i = 0; i < detail::matrix_factors.size(); ++i)
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const measured_run& r) { return detail::matrix_factor_of(r.settings.precision) == i; }))
      matrices.push_back(detail::matrix_factors[i]);

  double best = -1;
  for (const detail::step_factor& exposure : detail::exposure_factors) {
    std::vector<detail::step_factor> fitted = matrices;
    fitted.push_back(exposure);
    step_calibration trial = start;
    for (int round = 0; round < 3; ++round)
      for (const detail::step_factor& f : fitted) detail::improve(runs, trial, start, fitted, f);
    const double misfit = detail::misfit(runs, trial, start, fitted);
    if (best >= 0 && misfit >= best) continue;
    best = misfit;
    out.factors = trial;
    out.fitted.clear();
    for (const detail::step_factor& f : fitted) out.fitted.push_back(f.name);
  }
  out.error_after = detail::mean_error(runs, out.factors);
  return out;
}

}  // namespace topoplan::inline v1
