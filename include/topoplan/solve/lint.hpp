// The verdict and the cost of a rank map that exists, whoever made it.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/rank_map/rank_map.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/objective.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// What lint() found.
class lint_report {
 public:
  topoplan::verdict verdict;
  cost_report cost;
  std::vector<std::string> levels;  // of cost.edges[i].levels

  lint_report(topoplan::verdict v, cost_report costs, std::vector<std::string> names, const layout& l, detail::seating seats)
      : verdict(std::move(v)), cost(std::move(costs)), levels(std::move(names)), layout_(l), seats_(std::move(seats)) {}

  // True if the map keeps that rule, whether it was among those that lint() was given or not.
  // complexity: O(ranks * axes of the rule). errors: none.
  [[nodiscard]] bool keeps(const confinement& rule) const { return detail::torn_groups(layout_, seats_, rule, 0).broken == 0; }
  // True if every hard rule that lint() checked is kept. complexity: O(rules). errors: none.
  [[nodiscard]] bool kept() const { return verdict.kept(); }

 private:
  layout layout_;
  detail::seating seats_;
};

// Checks a rank map against rules and what a launcher can express, and prices it. Without rules: one rank a GPU, healthy GPUs,
// one network and rails; a confinement can then be asked for with keeps().
// complexity: O(hosts + ranks * axes), for an all-to-all axis times its degree.
// errors: invalid_argument if the map names a host or GPU that the cluster doesn't have, or the objective isn't monotone.
template <objective Objective = default_objective>
[[nodiscard]] lint_report lint(const cluster& c, const rank_map_view& map, std::span<const confinement> confined = {},
                               const launcher& by = launchers::free, const Objective& o = {}) {
  const detail::network net(c);
  detail::seating seats = detail::seats_of(c, map);
  verdict v = detail::judge(c, net, map.layout(), seats, confined, by);
  cost_report costs = detail::cost_of(net, map.layout(), detail::priced(o, c.tiers.size()), seats);
  return {std::move(v), std::move(costs), meeting_levels(c), map.layout(), std::move(seats)};
}

}  // namespace topoplan::inline v1
