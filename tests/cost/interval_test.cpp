#include <topoplan/cost/interval.hpp>

#include <doctest/doctest.h>

#include "workload/models.hpp"

namespace {

using namespace topoplan;
using doctest::Approx;

constexpr gpu_family families[] = {gpu_family::ampere, gpu_family::hopper, gpu_family::blackwell, gpu_family::grace_blackwell,
                                   gpu_family::other};

TEST_CASE("experts are found in any layer kind") {
  CHECK_FALSE(has_experts(topoplan_test::llama_8b()));
  CHECK(has_experts(topoplan_test::deepseek_v3()));
  CHECK_FALSE(has_experts({}));
}

TEST_CASE("an interval holds the prediction and scales with it") {
  for (const transformer& model : {topoplan_test::llama_8b(), topoplan_test::deepseek_v3()}) {
    for (const gpu_family family : families) {
      machine m;
      m.family = family;
      const error_band band = band_of(family, has_experts(model));
      const interval i = interval_of(model, m, 4);
      CHECK(i.low == Approx(4 * band.low));
      CHECK(i.high == Approx(4 * band.high));
      CHECK(i.low > 0);
      CHECK(i.low < 4);
      CHECK(i.high > 4);
      CHECK(interval_of(model, m, 0) == interval{});
    }
  }
}

TEST_CASE("what no run tells of is wider than what runs tell") {
  for (const bool experts : {false, true}) {
    const error_band unknown = band_of(gpu_family::other, experts);
    CHECK(unknown.runs == 0);
    for (const gpu_family family : families) {
      const error_band band = band_of(family, experts);
      if (band.runs == 0) continue;
      CHECK(band.high / band.low < unknown.high / unknown.low);
    }
  }
}

}  // namespace
