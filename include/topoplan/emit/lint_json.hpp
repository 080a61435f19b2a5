// The lint document, `topoplan.lint` version 1: what is found on a layout that exists, and the plan that would replace it.
//
//   { "format": "topoplan.lint", "version": 1, "feasible": true,           false: a hard rule is broken
//     "source": "hosts.txt", "launched_by": "torchrun",
//     "summary": "80 of 144 pp edges meet only at core, 0 need to",
//     "advice": "replace",                                                  or "keep", or "none": no placement is known
//     "verdict": {...}, "confine": ["tp=domain"],                           as in topoplan.plan
//     "objective": "...", "levels": ["domain", "host", "leaf", "core"],
//     "layout": {"cost": 400, "edges": {"tp": [112, 0, 0, 0], "pp": [0, 0, 0, 48]}},
//     "bound": {"lower_bound": 320, "gap": 0.25},
//     "excess": [{"axis": "pp", "level": 3, "edges": 144, "crossing": 80, "needed": 0, "more_cost": 6400}],
//                                             edges that meet at that level or further out, here and in the suggestion
//     "worst": [{"axis": "pp", "ranks": [...], "hosts": [...], "alike": 8, "level": 3, "edges": 1, "cost": 240}],
//     "idle": [{"host": "gpu-017", "gpus": [6, 7]}],                        usable GPUs without a rank
//     "suggested": null, or
//       {"cost": 320, "edges": {...}, "optimality": "...", "hosts": ["gpu-003", ...], "rank_map": {...}},
//     "refusal": {...},                                                     as in topoplan.plan, where there is no suggestion
//     "notes": ["..."] }
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/emit/detail/json_writer.hpp>
#include <topoplan/emit/plan_json.hpp>
#include <topoplan/emit/rank_map_json.hpp>
#include <topoplan/plan/layout_report.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/rules.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

namespace topoplan::inline v1::emit {

namespace detail {

inline void write_excess(json_writer& json, const layout_report& r) {
  json.key("excess");
  json.open('[', spread::lines);
  for (const excess_crossings& e : r.excess) {
    json.open('{');
    json.member("axis", to_string(e.of));
    json.member("level", e.level);
    json.member("edges", e.edges);
    json.member("crossing", e.crossing);
    json.member("needed", e.needed);
    json.member("more_cost", e.more_cost);
    json.close();
  }
  json.close();
  json.key("worst");
  json.open('[', spread::lines);
  for (const costly_group& g : r.worst) {
    json.open('{');
    json.member("axis", to_string(g.of));
    json.column("ranks", g.ranks.size(), [&](std::size_t i) { return g.ranks[i].value; });
    json.column("hosts", g.hosts.size(), [&](std::size_t i) { return std::string_view(g.hosts[i]); });
    json.member("alike", g.alike);
    json.member("level", g.level);
    json.member("edges", g.edges);
    json.member("cost", g.cost);
    json.close();
  }
  json.close();
}

inline void write_idle(json_writer& json, const layout_report& r) {
  json.key("idle");
  json.open('[', spread::lines);
  for (const spare& s : r.idle) {
    json.open('{');
    json.member("host", s.host);
    json.column("gpus", s.gpus.size(), [&](std::size_t i) { return s.gpus[i]; });
    json.close();
  }
  json.close();
}

inline void write_suggestion(json_writer& json, const layout_report& r) {
  json.key("suggested");
  if (!r.suggested) {
    json.null();
  } else {
    const plan& p = *r.suggested;
    json.open('{', spread::lines);
    json.member("cost", p.cost.cost);
    write_edges(json, p.cost);
    json.member("optimality", to_string(p.optimality));
    json.column("hosts", p.rank_map.hosts(),
                [&](std::size_t i) { return p.rank_map.host_name(host_id{static_cast<std::uint32_t>(i)}); });
    json.key("rank_map");
    write_rank_map(json, p.rank_map, [] {});
    json.close();
  }
  if (r.refused) write_refusal(json, *r.refused);
}

}  // namespace detail

// Writes the report on a layout. `source` is what it was read from.
// post: one JSON document and a line feed. complexity: O(ranks). errors: none of its own (what fails is the stream's state).
inline void lint_json(std::ostream& out, const layout_report& r, std::string_view source) {
  detail::json_writer json(out);
  json.open('{', detail::spread::lines);
  json.member("format", "topoplan.lint");
  json.member("version", 1);
  json.member("feasible", r.verdict.kept());
  json.member("source", source);
  json.member("launched_by", r.launcher.name);
  json.member("summary", r.summary());
  json.member("advice", to_string(r.advice));
  detail::write_verdict(json, r.verdict);
  json.column("confine", r.confined.size(), [&](std::size_t i) { return to_string(r.confined[i]); });
  json.member("objective", r.objective);
  json.column("levels", r.levels.size(), [&](std::size_t i) { return std::string_view(r.levels[i]); });
  json.key("layout");
  detail::write_cost(json, r.cost);
  json.key("bound");
  json.open('{');
  json.member("lower_bound", r.lower_bound);
  json.member("gap", r.gap());
  json.close();
  detail::write_excess(json, r);
  detail::write_idle(json, r);
  detail::write_suggestion(json, r);
  json.column("notes", r.notes.size(), [&](std::size_t i) { return std::string_view(r.notes[i]); });
  json.close();
  json.finish();
}

}  // namespace topoplan::inline v1::emit
