// Tests of emit/plan_json.hpp: a plan's members, and the answer when there is no plan.
#include <topoplan/emit/plan_json.hpp>
#include <topoplan/import/rank_map_file.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "emit/support.hpp"
#include "support/rank_maps.hpp"

namespace {

using namespace topoplan;
using topoplan_test::regular_parts;
using topoplan_test::text_of;

plan example() {
  plan p = topoplan_test::bare_plan(regular_parts({.tp = 4, .pp = 2}, 2, 4).build(), launchers::torchrun);
  p.verdict.findings = {
      {.rule = "tp=domain", .hard = true, .kept = true, .checked = 2, .broken = 0, .breaches = {}, .text = "all inside"},
      {.rule = "soft", .hard = false, .kept = true, .checked = 1, .broken = 0, .breaches = {}, .text = ""},
      {.rule = "rails aligned",
       .hard = false,
       .kept = false,
       .checked = 4,
       .broken = 1,
       .breaches = {{{rank_id{1}, rank_id{5}}, {gpu_id{1}, gpu_id{6}}, "ranks 1 and 5"}},
       .text = "one pair crosses"}};
  p.confined = {rules::tp_in_domain, {axis_set{axis::ep, axis::expert_tp}, scope::host}};
  p.objective = "weights \"tp\" > pp";
  p.levels = {"domain", "leaf"};
  p.cost = {320, {{axis::tp, {6, 0}}, {axis::pp, {0, 4}}}};
  p.given_order = cost_report{400, {{axis::tp, {4, 2}}, {axis::pp, {0, 4}}}};
  p.given_order_keeps_rules = true;
  p.lower_bound = 256;
  p.optimality = optimality::level_symmetric;
  p.notes = {"spines are assumed"};
  return p;
}

TEST_CASE("a plan") {
  const plan p = example();
  const std::string text = text_of([&](std::ostream& out) { emit::plan_json(out, p); });
  const auto value = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& [key, member] : value.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"format", "version", "feasible", "verdict", "launcher", "confine", "prediction", "bound",
                                         "notes", "rank_map"});
  CHECK(value["format"] == "topoplan.plan");
  CHECK(value["version"] == 1);
  CHECK(value["feasible"] == true);
  CHECK(value["verdict"]["kept"] == true);
  CHECK(value["verdict"]["findings"].size() == 3);
  CHECK(value["verdict"]["findings"][2] ==
        nlohmann::ordered_json::parse(R"({"rule": "rails aligned", "hard": false, "kept": false, "checked": 4, "broken": 1,
          "text": "one pair crosses", "breaches": [{"ranks": [1, 5], "gpus": [1, 6], "text": "ranks 1 and 5"}]})"));
  CHECK(value["verdict"]["findings"][1]["hard"] == false);
  CHECK(value["verdict"]["findings"][1]["kept"] == true);
  CHECK(value["launcher"] == "torchrun");
  CHECK(value["confine"] == std::vector<std::string>{"tp=domain", "ep,expert_tp=host"});
  CHECK(value["prediction"] == nlohmann::ordered_json::parse(R"({"objective": "weights \"tp\" > pp", "levels": ["domain", "leaf"],
          "plan": {"cost": 320, "edges": {"tp": [6, 0], "pp": [0, 4]}},
          "given_order": {"cost": 400, "edges": {"tp": [4, 2], "pp": [0, 4]}},
          "given_order_keeps_rules": true, "keeps_given_order": false})"));
  CHECK(value["bound"] ==
        nlohmann::ordered_json::parse(R"({"lower_bound": 256, "gap": 0.25, "optimality": "best level-symmetric placement"})"));
  CHECK(value["notes"] == std::vector<std::string>{"spines are assumed"});
  CHECK(import::rank_map_file(value["rank_map"].dump(), "plan.json") == p.rank_map);
  CHECK(text_of([&](std::ostream& out) { emit::plan_json(out, placement(p)); }) == text);
}

TEST_CASE("a plan without a given order to compare with") {
  plan p = example();
  p.given_order.reset();
  const auto value = nlohmann::json::parse(text_of([&](std::ostream& out) { emit::plan_json(out, p); }));
  CHECK(value["prediction"]["given_order"].is_null());
}

TEST_CASE("no plan: why, in parts") {
  refusal why;
  why.rule = "tp=domain";
  why.reason = "needs 8";
  why.where = "gpu-017";
  why.remedy = "use tp 4";
  why.proven = false;
  const placement answer(why);
  const auto value = nlohmann::json::parse(text_of([&](std::ostream& out) { emit::plan_json(out, answer); }));
  CHECK(value["format"] == "topoplan.plan");
  CHECK(value["version"] == 1);
  CHECK(value["feasible"] == false);
  CHECK(value["refusal"]["rule"] == "tp=domain");
  CHECK(value["refusal"]["reason"] == "needs 8");
  CHECK(value["refusal"]["where"] == "gpu-017");
  CHECK(value["refusal"]["remedy"] == "use tp 4");
  CHECK(value["refusal"]["proven"] == false);
  CHECK(value["notes"].empty());
  CHECK(!value.contains("rank_map"));
}

}  // namespace
