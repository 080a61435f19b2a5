#include <topoplan/core/error.hpp>
#include <topoplan/cost/prediction.hpp>
#include <topoplan/workload/flops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "cost/jobs.hpp"

using namespace topoplan;
using doctest::Approx;
using topoplan_test::job;
using topoplan_test::llama_job;

namespace {

prediction predicted(const job& j) { return predict(j.model, j.settings, j.degrees, j.groups, j.gpu, j.factors); }

}  // namespace

TEST_CASE("a prediction is the step's time, its interval, and the memory of each stage") {
  topoplan_test::random rng(41);
  for (int i = 0; i < 300; ++i) {
    const job j = topoplan_test::random_job(rng);
    const prediction p = predicted(j);
    CHECK(p.time.seconds == topoplan_test::time_of(j).seconds);
    CHECK(p.range == interval_of(j.model, j.gpu, p.time.seconds));
    CHECK(p.range.low < p.time.seconds);
    CHECK(p.range.high > p.time.seconds);
    CHECK(p.memory.size() == j.degrees.pp);
    const stage_split split = split_layers(j.model, j.settings, j.degrees.pp);
    for (std::uint32_t s = 0; s < j.degrees.pp; ++s) {
      CHECK(p.memory[s] == memory_of_stage(j.model, j.settings, j.degrees, split, s));
      CHECK(p.memory[s].total() <= p.memory[p.fullest_stage].total());
    }
    CHECK(p.capacity == j.gpu.memory);
    CHECK(p.verdict == judge_memory(p.memory[p.fullest_stage].total(), p.capacity));
  }
}

TEST_CASE("tokens a second are the batch over the step, MFU is FLOPs over the peak of the format") {
  topoplan_test::random rng(42);
  for (int i = 0; i < 300; ++i) {
    const job j = topoplan_test::random_job(rng);
    const prediction p = predicted(j);
    const auto gpus = static_cast<double>(j.degrees.world());
    const double tokens = static_cast<double>(j.settings.global_batch) * j.settings.sequence;
    CHECK(p.tokens_per_second_per_gpu * gpus * p.time.seconds == Approx(tokens));
    const double flops = training_flops_per_token(j.model, j.settings, attention_pairs::full);
    CHECK(p.model_flops_per_second_per_gpu == Approx(p.tokens_per_second_per_gpu * flops));
    const bool half = j.settings.precision == precision::bf16 || j.settings.precision == precision::fp16;
    const double peak = half ? 1e15 : j.settings.precision == precision::nvfp4 ? 4e15 : 2e15;
    CHECK(p.mfu == Approx(mfu(tokens / p.time.seconds, flops, gpus, peak)));
    CHECK(p.mfu_16bit == Approx(mfu(tokens / p.time.seconds, flops, gpus, 1e15)));
  }
}

TEST_CASE("N GPUs are tp * cp * pp * dp: half the time on twice as many is the same rate of each") {
  job j = llama_job({.cp = 2}, 2);
  j.gpu = topoplan_test::fast_memory();
  j.factors = topoplan_test::lossless();
  j.settings.global_batch = 64;
  const prediction few = predicted(j);
  j.degrees = resolve({.cp = 2}, 16);
  j.groups = topoplan_test::packed(j.degrees);
  const prediction many = predicted(j);
  CHECK(many.time.seconds == Approx(few.time.seconds / 8));
  CHECK(many.tokens_per_second_per_gpu == Approx(few.tokens_per_second_per_gpu));
  CHECK(many.mfu == Approx(few.mfu));
}

TEST_CASE("MFU of a lossless step is above 1 only by the half of the square that attention leaves out") {
  job j = llama_job({}, 8);
  j.gpu = topoplan_test::fast_memory();
  j.factors = topoplan_test::lossless();
  const double full = training_flops_per_token(j.model, j.settings, attention_pairs::full);
  const double causal = training_flops_per_token(j.model, j.settings, attention_pairs::causal);
  CHECK(predicted(j).mfu == Approx(full / causal));
}

TEST_CASE("one micro-batch a replica where no global batch is said") {
  job j = llama_job({}, 8);
  const prediction p = predicted(j);
  j.settings.global_batch = 8;
  CHECK(predicted(j).tokens_per_second_per_gpu == p.tokens_per_second_per_gpu);
}

TEST_CASE("jobs that can't be trained so are refused with the rule") {
  job j = llama_job({}, 8);
  j.settings.global_batch = 12;
  CHECK_THROWS_WITH_AS((void)predicted(j), doctest::Contains("llama: the global batch 12 isn't divisible by dp 8"),
                       invalid_argument);
  j.settings.global_batch = 0;
  j.settings.micro_batch = 0;
  CHECK_THROWS_WITH_AS((void)predicted(j), doctest::Contains("the micro-batch is 0"), invalid_argument);
  j.settings.micro_batch = 1;
  j.settings.virtual_stages = 2;
  CHECK_THROWS_AS((void)predicted(j), invalid_argument);
  j.settings.virtual_stages = 1;
  j.model.layers.clear();
  CHECK_THROWS_AS((void)predicted(j), invalid_argument);
}

TEST_CASE("a GPU without the number format is refused by name") {
  job j = llama_job({}, 8);
  j.gpu.peak_fp4 = 0;
  j.settings.precision = precision::nvfp4;
  CHECK_THROWS_WITH_AS((void)predicted(j), "test GPU computes no nvfp4 matrix multiplication", invalid_argument);
  j.gpu.peak_fp8 = 0;
  j.settings.precision = precision::fp8;
  CHECK_THROWS_WITH_AS((void)predicted(j), doctest::Contains("fp8"), invalid_argument);
  j.settings.precision = precision::mxfp8;
  CHECK_THROWS_AS((void)predicted(j), invalid_argument);
  j.settings.precision = precision::bf16;
  CHECK(predicted(j).time.seconds > 0);
  j.gpu.peak_16bit = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS((void)predicted(j), invalid_argument);
}

TEST_CASE("a plan is out of memory when its fullest stage is, whichever that is") {
  job j = llama_job({.pp = 4}, 4);
  j.settings.global_batch = 64;
  const prediction p = predicted(j);
  double most = 0;
  for (const stage_memory& m : p.memory) most = std::max(most, m.total());
  j.gpu.memory = most / 2;
  CHECK(predicted(j).verdict == memory_verdict::out);
  j.gpu.memory = 10 * most;
  CHECK(predicted(j).verdict == memory_verdict::fits);
  j.gpu.memory = most;
  CHECK(predicted(j).verdict == memory_verdict::tight);
}

TEST_CASE("plans are tied when each time lies in the interval of the other") {
  prediction a;
  a.time.seconds = 1;
  a.range = {0.9, 1.2};
  prediction b;
  b.time.seconds = 1.1;
  b.range = {0.99, 1.3};
  CHECK(tied(a, a));
  CHECK(tied(a, b));
  CHECK(tied(b, a));
  b.range.low = 1.01;
  CHECK_FALSE(tied(a, b));
  CHECK_FALSE(tied(b, a));
}
