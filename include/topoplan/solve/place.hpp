// Assigns every rank of a job to a GPU: hard rules kept, the objective as low as it gets, or the reason why it can't be done.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/solve/detail/place_job.hpp>
#include <topoplan/solve/detail/place_spared.hpp>
#include <topoplan/solve/detail/reserve.hpp>
#include <topoplan/solve/detail/wording.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/problem.hpp>
#include <topoplan/solve/timed_objective.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// The degrees of a job on a cluster beside its spares: without a dp the job takes every usable GPU that isn't set aside.
// complexity: O(GPUs + spares * hosts of a place). errors: as resolve_for(); the message says what the spares leave.
[[nodiscard]] inline resolved_degrees resolve_beside(const cluster& c, const degrees& d, const std::vector<spare_rule>& spares) {
  const std::size_t seats = spares.empty() ? usable_gpus(c) : detail::reserve(c, spares).seats;
  try {
    return resolve_for(d, seats);
  } catch (const invalid_argument& e) {
    if (spares.empty()) throw;
    throw invalid_argument(std::string(e.what()) + " (" + detail::spares_text(spares) + " leave " + std::to_string(seats) +
                           " of " + detail::count_of(usable_gpus(c), "usable GPU") + " for ranks)");
  }
}

// Places a job on a cluster. Without a dp the job takes every usable GPU that no spare rule wants
// free; with one, what stays free is spare.
// pre: validate(c) finds nothing.
// post: a plan keeps every hard rule (check() says so) and its cost is what measure() says; it never costs more than the hosts
// in the order given, if that order keeps the rules; no placement that keeps the rules costs less than its lower bound;
// optimality bound_met or exhaustive is said only where it is shown. Of seats that cost the same, those that keep rails aligned
// are taken. Same input, same plan, on every machine.
// With spare rules the GPUs that stay free are set aside first, whole hosts before parts of them and where they cost no group
// its room; the lower bound and the optimality are those of placements on the GPUs that are left, and plan::given_up says what
// the spares cost. GPUs that may be free anywhere in the cluster are left to the search.
// A refusal names the rule, the place and what would help; it also names what this solver can't treat: jobs that would mix GPU
// models or need several network roots, and NVLink domains that don't nest with hosts and leaf groups.
// complexity: O(ranks * axes + GPUs) for regular clusters; the search for others is bounded by the number of its moves.
// errors: invalid_argument for degrees or an order that are illegal or leave a remainder, and for an objective that isn't
// monotone.
template <objective Objective>
[[nodiscard]] placement place(const cluster& c, const degrees& d, const order& o, const place_options& options,
                              const Objective& price) {
  const layout l(resolve_beside(c, d, options.spares), o);
  const detail::prices edges = detail::priced(price, c.tiers.size());
  const auto solve = [&](const cluster& on, const layout& job, const place_options& rules) {
    if constexpr (timed_objective<Objective>) {
      const detail::timing by{[&](const axis_groups& g) { return price.seconds(g); },
                              [&](const axis_groups& g) { return price.exposed(g); }};
      return detail::place_job(on, job, edges, price.str(), rules, &by);
    } else {
      return detail::place_job(on, job, edges, price.str(), rules);
    }
  };
  return options.spares.empty() ? solve(c, l, options) : detail::place_spared(c, l, options, solve);
}
[[nodiscard]] inline placement place(const cluster& c, const degrees& d, const order& o = orders::megatron,
                                     const place_options& options = {}) {
  return place(c, d, o, options, default_objective{});
}

}  // namespace topoplan::inline v1
