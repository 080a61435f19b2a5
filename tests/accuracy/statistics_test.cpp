#include "statistics.hpp"

#include <topoplan/core/error.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

accuracy::posed_run run(int id, const std::string& group, double measured, std::uint32_t tp, std::uint32_t batch = 64) {
  accuracy::posed_run r;
  r.row_id = id;
  r.group = group;
  r.family = "H100";
  r.gpu = "h100-sxm";
  r.model = "model";
  r.model_shape.hidden = 1024;
  r.model_shape.layers.assign(4, 0);
  r.model_shape.kinds.resize(1);
  r.training.global_batch = batch;
  r.degrees.tp = tp;
  r.degrees.dp = 16 / tp;
  r.measured_seconds = measured;
  return r;
}

}  // namespace

TEST_CASE("ranks share the mean where values are equal") {
  const std::vector<double> values{3, 1, 3, 2, 3};
  CHECK(accuracy::ranks_of(values) == std::vector<double>{4, 1, 4, 2, 4});
}

TEST_CASE("rank correlation of hand-computed lists") {
  const std::vector<double> up{1, 2, 3, 4, 5};
  const std::vector<double> down{10, 8, 6, 4, 2};
  CHECK(*accuracy::rank_correlation(up, up) == doctest::Approx(1));
  CHECK(*accuracy::rank_correlation(up, down) == doctest::Approx(-1));
  // Sum of squared rank differences 4 of 5: 1 - 6 * 4 / (5 * 24).
  const std::vector<double> mixed{2, 1, 4, 3, 5};
  CHECK(*accuracy::rank_correlation(up, mixed) == doctest::Approx(0.8));
  // Ranks 1.5, 1.5, 3, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
  const std::vector<double> ties{7, 7, 8, 9};
  const std::vector<double> four{1, 2, 3, 4};
  CHECK(*accuracy::rank_correlation(ties, four) == doctest::Approx(0.948683));
  CHECK_FALSE(accuracy::rank_correlation(std::vector<double>{1, 2}, std::vector<double>{1, 2}).has_value());
  CHECK_FALSE(accuracy::rank_correlation(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}).has_value());
}

TEST_CASE("regret is what the pick costs over the best") {
  const std::vector<double> measured{10, 8, 9};
  CHECK(accuracy::regret_of(std::vector<double>{3, 1, 2}, measured) == doctest::Approx(0));
  CHECK(accuracy::regret_of(std::vector<double>{1, 3, 2}, measured) == doctest::Approx(0.25));
  CHECK(accuracy::regret_of(std::vector<double>{2, 3, 2}, measured) == doctest::Approx(0.25));
}

TEST_CASE("percentiles lie on straight lines between values") {
  CHECK(accuracy::percentile({4, 1, 3, 2}, 0.5) == doctest::Approx(2.5));
  CHECK(accuracy::percentile({4, 1, 3, 2}, 0.9) == doctest::Approx(3.7));
  CHECK(accuracy::percentile({5}, 0.9) == 5);
}

TEST_CASE("errors are summed up with their sign and their worst row") {
  const std::vector<double> errors{0.1, -0.3, 0.05, 0.05};
  const std::vector<int> rows{1, 2, 3, 4};
  const accuracy::error_summary s = accuracy::summarize(errors, rows);
  CHECK(s.runs == 4);
  CHECK(s.mean_absolute == doctest::Approx(0.125));
  CHECK(s.bias == doctest::Approx(-0.025));
  CHECK(s.median == doctest::Approx(0.075));
  CHECK(s.worst == doctest::Approx(-0.3));
  CHECK(s.worst_row == 2);
}

TEST_CASE("a report: sweeps by time per sample, groups, intervals, verdicts") {
  std::vector<accuracy::posed_run> runs;
  runs.push_back(run(1, "sweep", 10, 1));
  runs.push_back(run(2, "sweep", 8, 2));
  runs.push_back(run(3, "sweep", 15, 4, 128));  // 7.5 for 64 samples: the best
  runs.push_back(run(4, "sweep", 12, 8));
  runs.push_back(run(5, "single", 5, 16));
  runs.back().moe = true;
  runs.push_back(run(6, "single", 0, 16));
  runs.back().out_of_memory = true;
  runs.push_back(run(7, "broken", 1, 1));
  runs[0].measured_peak_bytes = 100;
  runs[0].memory_reading = "allocator";
  std::vector<accuracy::unposed_run> not_posed{{8, "single", "a source", "a \"reason\""}};
  const accuracy::run_report r = accuracy::evaluate(std::move(runs), std::move(not_posed), [](const accuracy::posed_run& p) {
    if (p.row_id == 7) throw topoplan::invalid_argument("can't");
    const double predicted[] = {11, 7, 16, 12, 5, 6};
    accuracy::run_prediction out;
    out.seconds = predicted[p.row_id - 1];
    out.low = out.seconds * 0.95;
    out.high = out.seconds * 1.05;
    out.peak_bytes = 90;
    out.verdict = p.row_id == 6 ? "tight" : p.row_id == 5 ? "out of memory" : "fits";
    return out;
  });

  REQUIRE(r.sweeps.size() == 1);
  CHECK(r.sweeps[0].runs == 4);
  CHECK(r.sweeps[0].picked_row == 2);
  CHECK(r.sweeps[0].best_row == 3);
  CHECK(r.sweeps[0].regret == doctest::Approx(8 / 7.5 - 1));
  // Predicted ranks per sample 3, 1, 2, 4 against measured 3, 2, 1, 4.
  CHECK(*r.sweeps[0].rank_correlation == doctest::Approx(0.8));

  REQUIRE(r.groups.size() == 3);
  CHECK(r.groups[0].group == "broken");
  CHECK(r.groups[0].rows == 1);
  CHECK(r.groups[0].time.runs == 0);
  CHECK(r.groups[0].not_posed.at(0).why == "not predicted: can't");
  CHECK(r.groups[1].group == "single");
  CHECK(r.groups[1].rows == 3);
  CHECK(r.groups[1].time.runs == 1);
  CHECK_FALSE(r.groups[1].regret.has_value());
  CHECK(r.groups[2].time.mean_absolute == doctest::Approx((0.1 + 0.125 + 1.0 / 15 + 0) / 4));

  const accuracy::family_result& h = r.families[1];
  CHECK(h.family == "H100");
  CHECK(h.all.runs == 5);
  CHECK(h.dense.runs == 4);
  CHECK(h.moe.runs == 1);
  CHECK(h.with_interval == 5);
  CHECK(h.inside == 2);
  CHECK(r.families[0].all.runs == 0);

  CHECK(r.tp_across_hosts.runs == 1);
  REQUIRE(r.memory.size() == 1);
  CHECK(r.memory[0].peak.bias == doctest::Approx(-0.1));
  CHECK(r.verdicts.failed_tight == 1);
  CHECK(r.verdicts.fitted_out == 1);
  CHECK(r.verdicts.fitted_fits == 4);
  CHECK(r.verdicts.alarms == std::vector<int>{5});

  std::ostringstream json;
  accuracy::write_json(json, r, &r);
  const auto j = nlohmann::json::parse(json.str());
  CHECK(j["posed"] == 6);
  CHECK(j["groups"][1]["not_posed"][0]["why"] == "a \"reason\"");
  CHECK(j["groups"][0]["mean_absolute_error"].is_null());
  CHECK(j["sweeps"][0]["picked_row"] == 2);
  CHECK(j["families_source_left_out"][1]["inside_interval"] == 2);
  CHECK(j["verdicts"]["fitted"]["out"] == 1);

  std::ostringstream table;
  accuracy::print_report(table, r, &r);
  CHECK(table.str().find("row 7 broken: not predicted: can't") != std::string::npos);
  CHECK(table.str().find("largest regret of a sweep") != std::string::npos);
  CHECK(table.str().find("row 5 fitted and is said to be out of memory") != std::string::npos);
}
