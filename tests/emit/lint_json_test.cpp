// Tests of emit/lint_json.hpp: a report's members, with a suggestion and without one.
#include <topoplan/emit/lint_json.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "emit/support.hpp"
#include "support/rank_maps.hpp"

namespace {

using namespace topoplan;
using nlohmann::ordered_json;
using topoplan_test::regular_parts;
using topoplan_test::text_of;

layout_report example() {
  layout_report r;
  r.verdict.findings = {
      {.rule = "tp=domain", .hard = true, .kept = true, .checked = 2, .broken = 0, .breaches = {}, .text = "all inside"}};
  r.launcher = launchers::torchrun;
  r.confined = {rules::tp_in_domain};
  r.objective = "weights";
  r.levels = {"domain", "leaf", "core"};
  r.cost = {400, {{axis::tp, {6, 0, 0}}, {axis::pp, {0, 1, 3}}}};
  r.lower_bound = 320;
  r.suggested = topoplan_test::bare_plan(regular_parts({.tp = 4, .pp = 2}, 2, 4).build(), launchers::torchrun);
  r.suggested->cost = {320, {{axis::tp, {6, 0, 0}}, {axis::pp, {0, 4, 0}}}};
  r.suggested->optimality = optimality::bound_met;
  r.advice = advice::replace;
  r.excess = {{axis::pp, 2, 4, 3, 0, 240, true}};
  r.worst = {{axis::pp, {rank_id{1}, rank_id{5}}, {"a", "b\"c"}, 8, 2, 1, 120}};
  r.idle = {{"a", {6, 7}}};
  r.notes = {"slots are assumed"};
  return r;
}

ordered_json document(const layout_report& r) {
  return ordered_json::parse(text_of([&](std::ostream& out) { emit::lint_json(out, r, "hosts.txt"); }));
}

}  // namespace

TEST_CASE("a layout that a plan would replace") {
  const ordered_json value = document(example());
  std::vector<std::string> keys;
  for (const auto& [key, member] : value.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"format", "version", "feasible", "source", "launched_by", "summary", "advice", "verdict",
                                         "confine", "objective", "levels", "layout", "bound", "excess", "worst", "idle",
                                         "suggested", "notes"});
  CHECK(value["format"] == "topoplan.lint");
  CHECK(value["version"] == 1);
  CHECK(value["feasible"] == true);
  CHECK(value["source"] == "hosts.txt");
  CHECK(value["launched_by"] == "torchrun");
  CHECK(value["summary"] == "3 of 4 pp edges meet only at core, 0 need to");
  CHECK(value["advice"] == "replace");
  CHECK(value["verdict"]["findings"][0]["rule"] == "tp=domain");
  CHECK(value["confine"] == std::vector<std::string>{"tp=domain"});
  CHECK(value["layout"] == ordered_json::parse(R"({"cost": 400, "edges": {"tp": [6, 0, 0], "pp": [0, 1, 3]}})"));
  CHECK(value["bound"] == ordered_json::parse(R"({"lower_bound": 320, "gap": 0.25})"));
  CHECK(value["excess"] == ordered_json::parse(R"([{"axis": "pp", "level": 2, "edges": 4, "crossing": 3, "needed": 0,
      "more_cost": 240}])"));
  CHECK(value["worst"] ==
        ordered_json::parse(R"([{"axis": "pp", "ranks": [1, 5], "hosts": ["a", "b\"c"], "alike": 8, "level": 2, "edges": 1,
      "cost": 120}])"));
  CHECK(value["idle"] == ordered_json::parse(R"([{"host": "a", "gpus": [6, 7]}])"));
  CHECK(value["suggested"]["cost"] == 320);
  CHECK(value["suggested"]["edges"]["pp"] == std::vector<int>{0, 4, 0});
  CHECK(value["suggested"]["hosts"] == value["suggested"]["rank_map"]["hosts"]);
  CHECK(value["suggested"]["rank_map"]["world_size"] == 8);
  CHECK(value["notes"] == std::vector<std::string>{"slots are assumed"});
}

TEST_CASE("a layout that breaks a rule where nothing keeps it") {
  layout_report r = example();
  r.verdict.findings[0].kept = false;
  r.verdict.findings[0].text = "1 of 2 groups leave";
  r.suggested.reset();
  r.refused = refusal{"tp=domain", "too few", "gpu-017", "use tp 2", true};
  r.advice = advice::none;
  const ordered_json value = document(r);
  CHECK(value["feasible"] == false);
  CHECK(value["summary"] == "it breaks tp=domain: 1 of 2 groups leave");
  CHECK(value["suggested"].is_null());
  CHECK(value["refusal"] == ordered_json::parse(R"({"rule": "tp=domain", "reason": "too few", "where": "gpu-017",
      "remedy": "use tp 2", "proven": true})"));
}
