#include <topoplan/core/error.hpp>
#include <topoplan/cost/calibrate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cost/jobs.hpp"

using namespace topoplan;
using doctest::Approx;
using topoplan_test::job;
using topoplan_test::llama_job;

namespace {

measured_run run_of(const job& j, const step_calibration& truth) {
  measured_run r{j.model, j.settings, j.degrees, j.groups, j.gpu, 0};
  r.seconds = detail::seconds_of(r, truth);
  return r;
}

// Runs that differ in tensor parallelism and micro-batch, as steps of a machine with these factors.
std::vector<measured_run> runs_of(const step_calibration& truth, precision format = precision::bf16) {
  std::vector<measured_run> runs;
  for (const std::uint32_t tp : {1U, 2U, 4U, 8U}) {
    job j = llama_job({.tp = tp}, 16);
    j.settings.precision = format;
    j.settings.global_batch = 64;
    for (const std::uint32_t micro_batch : {1U, 2U}) {
      j.settings.micro_batch = micro_batch;
      runs.push_back(run_of(j, truth));
    }
  }
  return runs;
}

bool fitted(const calibration_fit& fit, std::string_view name) {
  return std::find(fit.fitted.begin(), fit.fitted.end(), name) != fit.fitted.end();
}

}  // namespace

TEST_CASE("a slower machine is recognised: efficiency and the exposure that differ come back") {
  const step_calibration start;
  step_calibration truth = start;
  truth.matmul_16bit *= 0.8;
  truth.tp_exposed *= 1.6;
  const calibration_fit fit = calibrate(runs_of(truth), start);
  CHECK(fit.error_before > 0.1);
  CHECK(fit.error_after < 0.1 * fit.error_before);
  CHECK(fitted(fit, "matmul_16bit"));
  CHECK(fitted(fit, "tp_exposed"));
  CHECK(fit.fitted.size() == 2);
  CHECK(fit.factors.matmul_16bit == Approx(truth.matmul_16bit).epsilon(0.02));
  CHECK(fit.factors.tp_exposed == Approx(truth.tp_exposed).epsilon(0.1));
}

TEST_CASE("only the formats that the runs use are fitted, all other factors stay") {
  const step_calibration start;
  step_calibration truth = start;
  truth.matmul_fp8 *= 1.25;
  truth.memory *= 0.7;  // what no fitted factor stands for
  std::vector<measured_run> runs = runs_of(truth, precision::fp8);
  const calibration_fit fit = calibrate(runs, start);
  CHECK(fitted(fit, "matmul_fp8"));
  CHECK_FALSE(fitted(fit, "matmul_16bit"));
  CHECK(fit.error_after < fit.error_before);
  for (const auto& f : step_factors)
    if (!fitted(fit, f.name)) CHECK(fit.factors.*f.value == start.*f.value);
}

TEST_CASE("right factors stay right") {
  const step_calibration start;
  const calibration_fit fit = calibrate(runs_of(start), start);
  CHECK(fit.error_before == Approx(0));
  CHECK(fit.error_after < 1e-3);
  CHECK(fit.factors.matmul_16bit == Approx(start.matmul_16bit).epsilon(1e-3));
}

TEST_CASE("one run that went wrong doesn't spoil the others") {
  const step_calibration start;
  step_calibration truth = start;
  truth.matmul_16bit *= 0.8;
  std::vector<measured_run> runs = runs_of(truth);
  runs[3].seconds *= 3;
  CHECK(calibrate(runs, start).factors.matmul_16bit == Approx(truth.matmul_16bit).epsilon(0.05));
}

TEST_CASE("fitted factors stay within the bounds that a file of them may hold") {
  const step_calibration start;
  std::vector<measured_run> runs = runs_of(start);
  for (const double wrong : {0.02, 50.0}) {
    for (measured_run& r : runs) r.seconds *= wrong;
    const calibration_fit fit = calibrate(runs, start);
    for (const auto& f : step_factors) {
      CHECK(fit.factors.*f.value >= f.least);
      CHECK(fit.factors.*f.value <= f.most);
    }
    CHECK(std::isfinite(fit.error_after));
  }
}

TEST_CASE("a factor of 0 has no ratio to refit: it is refused by name") {
  step_calibration start;
  const std::vector<measured_run> runs = runs_of(start);
  for (const auto* factors : {"tp_exposed", "matmul_fp8", "gather_hidden"}) {
    start = {};
    start.*detail::factor_named(factors).value = 0;
    CHECK_THROWS_WITH_AS((void)calibrate(runs, start), doctest::Contains(factors), invalid_argument);
  }
}

TEST_CASE("exposures of fully sharded runs are among those that are fitted") {
  const step_calibration start;
  step_calibration truth = start;
  truth.gather_hidden *= 0.5;
  std::vector<measured_run> runs;
  for (const std::uint32_t dp : {8U, 16U, 64U, 256U}) {
    job j = llama_job({}, dp);
    j.settings.software = software_profile::fsdp_compiled;
    j.settings.sharding = sharding::zero3;
    runs.push_back(run_of(j, truth));
  }
  const calibration_fit fit = calibrate(runs, start);
  CHECK(fitted(fit, "gather_hidden"));
  CHECK(fit.error_after < 0.15 * fit.error_before);
}

TEST_CASE("too few runs, several families and impossible times are refused") {
  const step_calibration start;
  std::vector<measured_run> runs = runs_of(start);
  CHECK_THROWS_WITH_AS((void)calibrate({runs.data(), 2}, start), doctest::Contains("3 runs at least, there are 2"),
                       invalid_argument);
  CHECK_THROWS_AS((void)calibrate({}, start), invalid_argument);
  runs[1].gpu.family = gpu_family::ampere;
  runs[1].gpu.gpu = "A100";
  CHECK_THROWS_WITH_AS((void)calibrate(runs, start), doctest::Contains("run 2 is of A100, run 1 of test GPU"), invalid_argument);
  runs[1].gpu.family = runs[0].gpu.family;
  for (const double bad : {0.0, -1.0, std::nan(""), static_cast<double>(INFINITY)}) {
    runs[2].seconds = bad;
    CHECK_THROWS_WITH_AS((void)calibrate(runs, start), doctest::Contains("run 3: the time of a step"), invalid_argument);
  }
}
