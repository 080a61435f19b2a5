// Tests of emit/calibration_json.hpp: what is written, and that reading it back yields an equal value.
#include <topoplan/emit/calibration_json.hpp>
#include <topoplan/import/calibration_file.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "emit/support.hpp"
#include "support/random.hpp"

using namespace topoplan;

namespace {

std::string written(const user_calibration& c) {
  return topoplan_test::text_of([&](std::ostream& out) { emit::calibration_json(out, c); });
}

}  // namespace

TEST_CASE("nothing of one's own is a document with no parts") {
  CHECK(written({}) == "{\n  \"format\": \"topoplan.calibration\",\n  \"version\": 1\n}\n");
}

TEST_CASE("a document with all parts") {
  user_calibration c;
  c.links.rows.push_back({.fabric = fabric_class::roce, .what = collective::all_gather, .first = 12.5e-6, .efficiency = 0.8});
  c.steps.push_back({gpu_family::grace_blackwell, calibration_of(gpu_family::grace_blackwell)});
  c.memory.context = 2e9;
  const auto value = nlohmann::json::parse(written(c));
  CHECK(value["links"] ==
        nlohmann::json::parse(R"([{"fabric": "roce", "collective": "all-gather", "latency_us": 12.5, "efficiency": 0.8}])"));
  CHECK(value["steps"].size() == 1);
  CHECK(value["steps"]["grace-blackwell"].size() == step_factors.size());
  CHECK(value["steps"]["grace-blackwell"]["launch"] == calibration_of(gpu_family::grace_blackwell).launch);
  CHECK(value["memory"] == nlohmann::json::parse(R"({"context": 2000000000})"));
  CHECK(import::calibration_file(written(c), "own.json") == c);
}

TEST_CASE("microseconds are the seconds' digits with the point moved") {
  using emit::detail::microseconds_text;
  CHECK(microseconds_text(0) == "0");
  CHECK(microseconds_text(12.5e-6) == "12.5");
  CHECK(microseconds_text(1e-6) == "1");
  CHECK(microseconds_text(3e-5) == "30");
  CHECK(microseconds_text(1.25e-7) == "0.125");
  CHECK(microseconds_text(1.25e-8) == "0.0125");
  CHECK(microseconds_text(1) == "1000000");
  CHECK(microseconds_text(1.5e-30) == "1.5e-24");
}

TEST_CASE("written and read back, any value is equal") {
  topoplan_test::random random(11);
  const auto within = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random.below(1U << 30U)) / (1U << 30U);
  };
  for (int round = 0; round < 200; ++round) {
    user_calibration c;
    for (std::uint32_t i = 0; i < random.below(4); ++i) {
      link_override row;
      if (random.below(2) == 0) row.family = static_cast<link_family>(random.below(link_family_count));
      else row.fabric = static_cast<fabric_class>(random.below(fabric_class_count));
      row.what = static_cast<collective>(random.below(interconnect::collectives));
      row.first = std::pow(10, within(-12, 0)) * within(0.1, 1);
      if (random.below(2) == 0) row.step = within(0, 1e-4);
      if (random.below(2) == 0) row.efficiency = within(0.001, 2);
      if (random.below(2) == 0) row.half_size = within(0, 1e12);
      if (random.below(2) == 0) row.power = within(0.01, 4);
      c.links.rows.push_back(row);
    }
    for (const gpu_family family : gpu_families) {
      if (random.below(2) == 0) continue;
      family_factors own{family, {}};
      for (const auto& f : step_factors) own.factors.*f.value = within(f.least, f.most);
      c.steps.push_back(own);
    }
    for (const auto& f : memory_factors)
      if (random.below(2) == 0) c.memory.*f.value = within(f.least, f.most);
    CHECK(import::calibration_file(written(c), "own.json") == c);
  }
}
