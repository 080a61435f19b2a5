// The plan document, `topoplan.plan` version 1: a rank map with its verdict, its cost and how far from the best it is; or why
// there is none.
//
//   { "format": "topoplan.plan", "version": 1, "feasible": true,
//     "verdict": {"kept": true, "findings": [
//       {"rule": "tp=domain", "hard": true, "kept": true, "checked": 16, "broken": 0, "text": "...",
//        "breaches": [{"ranks": [...], "gpus": [...], "text": "..."}]}]},
//     "launcher": "torchrun", "confine": ["tp=domain"],
//     "prediction": {"objective": "...", "levels": ["domain", "leaf"],
//       "plan": {"cost": 320, "edges": {"tp": [112, 0], "pp": [0, 48]}},     edges of an axis that meet at each level
//       "given_order": {"cost": 400, "edges": {...}} or null,                the hosts in the order the user gave
//       "given_order_keeps_rules": true, "keeps_given_order": false,
//       "step": {"seconds": 1.2, "exposed": 0.1},                            with a workload only: what plans are compared by
//       "given_order_step": {...} or null},
//     "bound": {"lower_bound": 320, "gap": 0, "optimality": "optimal (lower bound met)"},   with a workload also "least_step"
//     with spare rules: "spares": ["8/domain"] beside "confine", and
//     "given_up": {"ranks": 256, "ranks_without": 288, "cost_without": 310},    what the job could have without them
//     "notes": ["..."],
//     "rank_map": {...} }                                                    as rank_map_json() writes it
//
// Without a plan: "feasible": false, "refusal": {"rule", "reason", "where", "remedy", "proven"} and "notes": [].
#pragma once

#include <topoplan/emit/detail/json_writer.hpp>
#include <topoplan/emit/rank_map_json.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/plan/verdict.hpp>

#include <cstddef>
#include <ostream>
#include <string_view>

namespace topoplan::inline v1::emit {

namespace detail {

inline void write_finding(json_writer& json, const finding& f) {
  json.open('{');
  json.member("rule", f.rule);
  json.member("hard", f.hard);
  json.member("kept", f.kept);
  json.member("checked", f.checked);
  json.member("broken", f.broken);
  json.member("text", f.text);
  json.key("breaches");
  json.open('[');
  for (const breach& b : f.breaches) {
    json.open('{');
    json.column("ranks", b.ranks.size(), [&](std::size_t i) { return b.ranks[i].value; });
    json.column("gpus", b.gpus.size(), [&](std::size_t i) { return b.gpus[i].value; });
    json.member("text", b.text);
    json.close();
  }
  json.close();
  json.close();
}

inline void write_verdict(json_writer& json, const verdict& v) {
  json.key("verdict");
  json.open('{', spread::lines);
  json.member("kept", v.kept());
  json.key("findings");
  json.open('[', spread::lines);
  for (const finding& f : v.findings) write_finding(json, f);
  json.close();
  json.close();
}

inline void write_edges(json_writer& json, const cost_report& c) {
  json.key("edges");
  json.open('{');
  for (const crossings& edges : c.edges)
    json.column(to_string(edges.of), edges.levels.size(), [&](std::size_t i) { return edges.levels[i]; });
  json.close();
}

inline void write_cost(json_writer& json, const cost_report& c) {
  json.open('{');
  json.member("cost", c.cost);
  write_edges(json, c);
  json.close();
}

inline void write_step(json_writer& json, std::string_view key, const std::optional<step_estimate>& e) {
  json.key(key);
  if (!e) return json.null();
  json.open('{');
  json.member("seconds", e->seconds);
  json.member("exposed", e->exposed);
  json.close();
}

inline void write_prediction(json_writer& json, const plan& p) {
  json.key("prediction");
  json.open('{', spread::lines);
  json.member("objective", p.objective);
  json.column("levels", p.levels.size(), [&](std::size_t i) { return std::string_view(p.levels[i]); });
  json.key("plan");
  write_cost(json, p.cost);
  json.key("given_order");
  if (p.given_order) write_cost(json, *p.given_order);
  else json.null();
  json.member("given_order_keeps_rules", p.given_order_keeps_rules);
  json.member("keeps_given_order", p.keeps_given_order);
  if (p.step) {
    write_step(json, "step", p.step);
    write_step(json, "given_order_step", p.given_step);
  }
  json.close();
}

inline void write_refusal(json_writer& json, const refusal& why) {
  json.key("refusal");
  json.open('{', spread::lines);
  json.member("rule", why.rule);
  json.member("reason", why.reason);
  json.member("where", why.where);
  json.member("remedy", why.remedy);
  json.member("proven", why.proven);
  json.close();
}

inline void write_head(json_writer& json, bool feasible) {
  json.open('{', spread::lines);
  json.member("format", "topoplan.plan");
  json.member("version", 1);
  json.member("feasible", feasible);
}

}  // namespace detail

// Writes a plan. post: one JSON document and a line feed. complexity: O(ranks).
// errors: none of its own (what fails is the stream's state).
inline void plan_json(std::ostream& out, const plan& p) {
  detail::json_writer json(out);
  detail::write_head(json, true);
  detail::write_verdict(json, p.verdict);
  json.member("launcher", p.launcher.name);
  if (!p.spares.empty()) json.column("spares", p.spares.size(), [&](std::size_t i) { return to_string(p.spares[i]); });
  json.column("confine", p.confined.size(), [&](std::size_t i) { return to_string(p.confined[i]); });
  detail::write_prediction(json, p);
  json.key("bound");
  json.open('{');
  json.member("lower_bound", p.lower_bound);
  if (p.step) detail::write_step(json, "least_step", p.least_step);
  json.member("gap", p.gap());
  json.member("optimality", to_string(p.optimality));
  json.close();
  if (p.given_up) {
    json.key("given_up");
    json.open('{');
    json.member("ranks", p.given_up->ranks);
    json.member("ranks_without", p.given_up->ranks_without);
    json.member("cost_without", p.given_up->cost_without);
    json.close();
  }
  json.column("notes", p.notes.size(), [&](std::size_t i) { return std::string_view(p.notes[i]); });
  json.key("rank_map");
  detail::write_rank_map(json, p.rank_map, [] {});
  json.close();
  json.finish();
}

// Writes the answer of place(): the plan, or why there is none.
// post: one JSON document and a line feed. complexity: O(ranks). errors: none of its own.
inline void plan_json(std::ostream& out, const placement& answer) {
  if (answer) return plan_json(out, *answer);
  detail::json_writer json(out);
  detail::write_head(json, false);
  detail::write_refusal(json, answer.refused());
  json.column("notes", 0, [](std::size_t) { return 0; });
  json.close();
  json.finish();
}

}  // namespace topoplan::inline v1::emit
