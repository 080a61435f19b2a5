// Assigns every rank of a job to a GPU: hard rules kept, the objective as low as it gets, or the reason why it can't be done.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/detail/place_job.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/problem.hpp>
#include <topoplan/solve/timed_objective.hpp>

#include <utility>

namespace topoplan::inline v1 {

// Places a job on a cluster. Without a dp the job takes every usable GPU; with one, what stays free is spare.
// pre: validate(c) finds nothing.
// post: a plan keeps every hard rule (check() says so) and its cost is what measure() says; it never costs more than the hosts
// in the order given, if that order keeps the rules; no placement that keeps the rules costs less than its lower bound;
// optimality bound_met or exhaustive is said only where it is shown. Of seats that cost the same, those that keep rails aligned
// are taken. Same input, same plan, on every machine.
// A refusal names the rule, the place and what would help; it also names what this solver can't treat: jobs that would mix GPU
// models or need several network roots, and NVLink domains that don't nest with hosts and leaf groups.
// complexity: O(ranks * axes + GPUs) for regular clusters; the search for others is bounded by the number of its moves.
// errors: invalid_argument for degrees or an order that are illegal or leave a remainder, and for an objective that isn't
// monotone.
template <objective Objective>
[[nodiscard]] placement place(const cluster& c, const degrees& d, const order& o, const place_options& options,
                              const Objective& price) {
  const layout l(resolve_for(d, usable_gpus(c)), o);
  const detail::prices edges = detail::priced(price, c.tiers.size());
  if constexpr (timed_objective<Objective>) {
    const detail::timing by{[&](const axis_groups& g) { return price.seconds(g); },
                            [&](const axis_groups& g) { return price.exposed(g); }};
    return detail::place_job(c, l, edges, price.str(), options, &by);
  } else {
    return detail::place_job(c, l, edges, price.str(), options);
  }
}
[[nodiscard]] inline placement place(const cluster& c, const degrees& d, const order& o = orders::megatron,
                                     const place_options& options = {}) {
  return place(c, d, o, options, default_objective{});
}

}  // namespace topoplan::inline v1
