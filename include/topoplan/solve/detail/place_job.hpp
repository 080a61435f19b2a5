// The body of place(): every pool is solved, the given order is a candidate, the judge decides.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/fill.hpp>
#include <topoplan/solve/detail/judge.hpp>
#include <topoplan/solve/detail/place_mixed.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/refuse.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/solve_pool.hpp>
#include <topoplan/solve/detail/time_bound.hpp>
#include <topoplan/solve/detail/time_limit.hpp>
#include <topoplan/solve/detail/timing.hpp>
#include <topoplan/solve/detail/write_plan.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/problem.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// A seating with what the judge says about it.
struct candidate {
  std::vector<std::uint32_t> gpu_of_rank;
  topoplan::verdict verdict;
  cost_report cost;
  std::optional<axis_groups> groups;  // where the objective knows time
  std::int64_t nanoseconds = 0;

  [[nodiscard]] detail::price costs() const noexcept { return {nanoseconds, cost.cost}; }
};

[[nodiscard]] inline candidate judged(const cluster& c, const network& net, const layout& l, const prices& price,
                                      const place_options& o, axis_set mix, const timing* timed,
                                      std::vector<std::uint32_t> gpu_of_rank) {
  const seating seats = seats_of(c, gpu_of_rank);
  candidate k{std::move(gpu_of_rank), judge(c, net, l, seats, o.confine, o.launcher, {}, mix), cost_of(net, l, price, seats), {}};
  if (timed != nullptr) {
    k.groups = groups_of(c, l, k.gpu_of_rank);
    k.nanoseconds = timed->nanoseconds(*k.groups);
  }
  return k;
}

[[nodiscard]] inline step_estimate estimate(const timing& by, const axis_groups& g) { return {by.seconds(g), by.exposed(g)}; }

// complexity: see place().
[[nodiscard]] inline placement place_job(const cluster& c, const layout& l, const prices& price,
                                         const std::string& objective_text, const place_options& o, const timing* timed = nullptr,
                                         bool merge_models = false) {
  time_limit limit(o.time_limit);
  const network net(c);
  const std::uint32_t world = l.world();
  const std::size_t usable = usable_gpus(c);
  if (usable < world) return refuse_seats(c, l, usable);
  std::vector<pool> pools = pools_of(c, net);
  std::vector<pool> models;  // of a job on several
  if ((merge_models || pools.front().usable < world) && !o.mix.empty()) {
    auto [all, parts] = merged_pool(c, pools);
    if (all.usable >= world) {
      pools.assign(1, std::move(all));
      models = std::move(parts);
    }
  }
  if (pools.front().usable < world) return refuse_pools(c, l, pools);

  const axis_set mix = models.empty() ? axis_set{} : o.mix;
  std::optional<candidate> given;
  {
    std::vector<std::uint32_t> hosts(c.hosts.size());
    std::iota(hosts.begin(), hosts.end(), 0U);
    given = judged(c, net, l, price, o, mix, timed, filled(c, hosts, world));
  }
  const bool given_fits = given->verdict.kept();

  std::optional<candidate> best;
  std::optional<refusal> why;
  std::optional<refusal> unsearched;
  std::int64_t bound = std::numeric_limits<std::int64_t>::max();
  std::optional<step_estimate> least;
  bool exhaustive = true;
  bool symmetric = false;
  for (pool& p : pools) {
    if (p.usable < world) continue;
    if (std::optional<refusal> untreated = settle_nesting(c, p)) {
      unsearched = untreated;
      if (!why) why = std::move(untreated);
      exhaustive = false;
      bound = 0;
      continue;
    }
    const bound_problem problem{c, net, l, price, p, o, &limit, timed};
    const std::int64_t here = pool_bound(problem);
    bound = std::min(bound, here);
    if (const std::optional<axis_groups> ideal = timed != nullptr ? least_groups(problem) : std::nullopt)
      if (const step_estimate e = estimate(*timed, *ideal); !least || e.seconds < least->seconds) least = e;
    pool_answer answer = models.empty() ? solve_pool(problem, here) : solve_mixed(problem, models);
    if (answer.gpu_of_rank.empty()) {
      exhaustive = exhaustive && answer.why.proven;
      if (!why) why = std::move(answer.why);
      continue;
    }
    exhaustive = exhaustive && answer.exhaustive;
    candidate found = judged(c, net, l, price, o, mix, timed, std::move(answer.gpu_of_rank));
    if (!found.verdict.kept()) throw error("place() broke a rule that it was to keep; please report this cluster and job");
    if (best && !(found.costs() < best->costs())) continue;
    symmetric = answer.level_symmetric;
    best = std::move(found);
  }
  if (!best && !given_fits) {
    if (!o.mix.empty() && models.empty() && pools.size() > 1) return place_job(c, l, price, objective_text, o, timed, true);
    return std::move(*why);
  }
  std::vector<std::string> notes = exclusions(c);
  if (unsearched) notes.push_back("not searched: " + unsearched->reason + "; " + unsearched->where);
  if (limit.cut()) notes.push_back("the search was cut by its time limit: the same seed may give another plan");
  const bool keeps = given_fits && (!best || !(best->costs() < given->costs()));
  if (keeps) {
    symmetric = symmetric && best && best->costs() == given->costs();
    exhaustive = exhaustive && best && best->costs() == given->costs();
    best = given;
  }

  plan made{.rank_map = written_map(c, l, best->gpu_of_rank),
            .verdict = std::move(best->verdict),
            .launcher = o.launcher,
            .confined = o.confine,
            .objective = objective_text,
            .levels = meeting_levels(c),
            .cost = std::move(best->cost),
            .given_order = std::move(given->cost),
            .given_order_keeps_rules = given_fits,
            .keeps_given_order = keeps || best->gpu_of_rank == given->gpu_of_rank,
            .lower_bound = bound,
            .notes = std::move(notes)};
  assert(made.cost.cost >= bound);
  if (timed != nullptr) {
    made.step = estimate(*timed, *best->groups);
    if (given_fits) made.given_step = estimate(*timed, *given->groups);
    if (least && !unsearched) made.least_step = least;
  }
  // A nanosecond is less than what the last digits of a sum are worth.
  const bool met =
      timed == nullptr ? made.cost.cost == bound : made.least_step && made.step->seconds <= made.least_step->seconds + 1e-9;
  made.optimality = met          ? optimality::bound_met
                    : exhaustive ? optimality::exhaustive
                    : symmetric  ? optimality::level_symmetric
                                 : optimality::heuristic;
  if (made.keeps_given_order && !unsearched)
    made.notes.push_back("the order you gave is kept: it is " + std::string(to_string(made.optimality)));
  else if (!given_fits) made.notes.push_back("the order you gave breaks a rule, so it isn't an alternative");
  return made;
}

}  // namespace topoplan::inline v1::detail
