// The report on a layout that exists, whoever made it: verdict, cost, bound, where it loses, and a better order if one is known.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/select.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/layout_report.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/excess.hpp>
#include <topoplan/solve/detail/judge.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/write_plan.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/place.hpp>
#include <topoplan/solve/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

namespace detail {

// The hosts that hold ranks, as ranks first meet them. complexity: O(ranks + hosts).
[[nodiscard]] inline std::vector<host_id> hosts_met(const cluster& c, const seating& seats) {
  std::vector<host_id> hosts;
  std::vector<bool> met(c.hosts.size(), false);
  for (const seat& s : seats) {
    if (met[s.host]) continue;
    met[s.host] = true;
    hosts.emplace_back(s.host);
  }
  return hosts;
}

}  // namespace detail

// Reports on a layout: rank r runs on gpu_of_rank[r], and several ranks may share a GPU, which breaks a rule.
// `by` is what made the layout; the suggestion is what place() makes of the same job, on the hosts that hold ranks, with
// `options`.
// pre: validate(c) finds nothing.
// post: the verdict is that of check() and the cost that of measure(), where a rank map can hold the layout. advice is keep only
// for a layout that keeps the rules and costs no more than the suggestion; replace only with a suggestion that keeps them.
// excess[i] counts edges that meet at a level or further out, in the layout and in the suggestion.
// complexity: O(ranks * axes) beside place(). errors: invalid_argument if the ranks aren't those of the job, a GPU isn't one of
// the cluster, or the objective isn't monotone.
template <objective Objective = default_objective>
[[nodiscard]] layout_report lint_layout(const cluster& c, const layout& l, std::span<const gpu_id> gpu_of_rank,
                                        const launcher& by, const place_options& options = {}, const Objective& o = {}) {
  if (gpu_of_rank.size() != l.world())
    throw invalid_argument("a layout of " + std::to_string(gpu_of_rank.size()) + " ranks isn't one of a job of " +
                           std::to_string(l.world()));
  std::vector<std::uint32_t> gpus;
  gpus.reserve(gpu_of_rank.size());
  for (const gpu_id g : gpu_of_rank) {
    if (g.value >= c.gpus.size())
      throw invalid_argument("rank " + std::to_string(gpus.size()) + " sits on GPU " + std::to_string(g.value) + " of " + c.name +
                             ", which has " + std::to_string(c.gpus.size()));
    gpus.push_back(g.value);
  }
  const detail::network net(c);
  const detail::prices price = detail::priced(o, c.tiers.size());
  const detail::seating seats = detail::seats_of(c, gpus);

  layout_report report;
  report.verdict = detail::judge(c, net, l, seats, options.confine, by, {}, options.mix);
  report.launcher = by;
  report.confined = options.confine;
  report.objective = o.str();
  report.levels = meeting_levels(c);
  report.cost = detail::cost_of(net, l, price, seats);
  for (const crossings& x : report.cost.edges)
    if (x.levels.size() > report.levels.size()) report.levels.emplace_back("no common network");
  report.idle = detail::spares_of(c, gpus);

  const cluster on = select_hosts(c, std::span<const host_id>(detail::hosts_met(c, seats)));
  const resolved_degrees& d = l.degrees();
  const placement answer =
      place(on, {.tp = d.tp, .cp = d.cp, .ep = d.ep, .expert_tp = d.expert_tp, .dp = d.dp, .pp = d.pp}, l.order(), options, o);
  const bool kept = report.verdict.kept();
  if (answer) {
    report.suggested = *answer;
    report.lower_bound = answer->lower_bound;
    report.advice = kept && report.cost.cost <= answer->cost.cost ? advice::keep : advice::replace;
  } else {
    report.refused = answer.refused();
    report.lower_bound = lower_bound(on, l, options, o);
    report.advice = kept ? advice::keep : advice::none;
  }
  if (report.advice == advice::replace) {
    report.excess = detail::excess_of(price, report.cost, answer->cost);
    report.worst = detail::costly_groups(c, net, l, price, seats, report.excess);
  }
  return report;
}

}  // namespace topoplan::inline v1
