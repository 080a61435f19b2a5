// A new plan after losses that keeps every hard rule and moves few ranks.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/rank_map/rank_map.hpp>
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/refuse.hpp>
#include <topoplan/solve/detail/reseat.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/wording.hpp>
#include <topoplan/solve/detail/write_plan.hpp>
#include <topoplan/solve/losses.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/objective.hpp>
#include <topoplan/solve/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// A rank that moves.
struct rank_move {
  rank_id rank;
  gpu_id from;
  gpu_id to;
};

// A plan after losses. `curve` tells what further moves would save: entry i is the cost after i further exchanges of a piece
// that had to move with one that hadn't; the first entry is without any.
struct replanned {
  topoplan::plan plan;
  std::vector<rank_move> moves;  // by rank
  std::int64_t cost_before = 0;
  struct point {
    std::size_t moved = 0;  // ranks
    std::int64_t cost = 0;
  };
  std::vector<point> curve;
};

// The answer of replan(): what moves where, or why that can't be.
struct replanning {
  std::optional<replanned> result;
  refusal why;

  [[nodiscard]] explicit operator bool() const noexcept { return result.has_value(); }
};

// Replans a job. Ranks on lost GPUs move; with them, where rules tie them, the ranks of their host, else those of their domain.
// Under a launcher that wants consecutive ranks the whole host moves, so that every host keeps its number of processes. Each
// takes what moves least: a free GPU of its host and domain, another host, another domain; and of these the one that costs least.
// World size, order and degrees stay. `further`: exchanges beyond those (see replanned::curve); the plan is the last point of the
// curve. pre: the map keeps the rules on the whole cluster; options.spares and mix aren't read. post: a plan keeps every hard
// rule on the cluster without the lost GPUs; ranks that don't appear in `moves` stay. A refusal names the largest dp that has
// room on what is left, though not where its ranks would stay. complexity: O(GPUs + lost ranks * free GPUs * axes), and for the
// bound as lower_bound(); a point of the curve O(ranks * axes * moved pieces). errors: invalid_argument for a map of another
// cluster, one that breaks its rules already, or an objective that isn't monotone.
template <objective Objective = default_objective>
[[nodiscard]] replanning replan(const cluster& c, const rank_map_view& map, const std::vector<gpu_id>& lost,
                                const place_options& options = {}, std::size_t further = 0, const Objective& o = {}) {
  const layout l = map.layout();
  const detail::network net(c);
  const detail::prices price = detail::priced(o, c.tiers.size());
  const detail::seating before = detail::seats_of(c, map);
  for (const finding& f : detail::judge(c, net, l, before, options.confine, options.launcher).findings)
    if (f.hard && !f.kept)
      throw invalid_argument("the plan breaks " + quoted(f.rule) + " before anything is lost: " + f.text +
                             "; replan with the rules and the launcher that it was made for");
  std::vector<std::uint32_t> old_gpus;
  for (const detail::seat& s : before) old_gpus.push_back(s.gpu);
  const cluster rest = without(c, lost);
  detail::reseating work(rest, net, l, price, options, old_gpus);
  replanning answer;
  const bool repaired = work.repair();
  const auto seats = detail::seats_of(rest, work.gpus());
  verdict judged = detail::judge(rest, net, l, seats, options.confine, options.launcher);
  if (!repaired || !judged.kept()) {
    const std::size_t usable = usable_gpus(rest);
    answer.why = {detail::rules_text(options.confine) + ", launcher " + std::string(options.launcher.name),
                  "the ranks of " + detail::count_of(lost.size(), "lost GPU") + " find no room where the others stay; " +
                      std::to_string(usable) + " of " + std::to_string(c.gpus.size()) + " GPUs are left for " +
                      detail::count_of(l.world(), "rank"),
                  "", "by count, " + detail::smaller_job(l, usable) + "; place() the job anew on what is left", false};
    return answer;
  }
  const auto count_moved = [&] {
    std::size_t n = 0;
    for (std::uint32_t r = 0; r < l.world(); ++r) n += work.gpus()[r] == old_gpus[r] ? 0U : 1U;
    return n;
  };
  const auto cost_now = [&] { return detail::cost_of(net, l, price, detail::seats_of(rest, work.gpus())); };
  std::vector<replanned::point> curve{{count_moved(), cost_now().cost}};
  for (std::size_t i = 0; i < further && curve.front().moved > 0; ++i) {
    if (!work.chain(work.moved_from(old_gpus))) break;
    curve.push_back({count_moved(), cost_now().cost});
  }
  std::vector<rank_move> moves;
  for (std::uint32_t r = 0; r < l.world(); ++r)
    if (work.gpus()[r] != old_gpus[r]) moves.push_back({rank_id{r}, gpu_id{old_gpus[r]}, gpu_id{work.gpus()[r]}});
  judged = detail::judge(rest, net, l, detail::seats_of(rest, work.gpus()), options.confine, options.launcher);
  if (!judged.kept()) throw error("replan() broke a rule that it was to keep; please report this cluster and job");
  plan made{.rank_map = detail::written_map(rest, l, work.gpus()),
            .verdict = std::move(judged),
            .launcher = options.launcher,
            .confined = options.confine,
            .objective = o.str(),
            .levels = meeting_levels(c),
            .cost = cost_now(),
            .given_order = std::nullopt,
            .lower_bound = lower_bound(rest, l, options, o),
            .notes = detail::exclusions(rest)};
  made.optimality = made.cost.cost == made.lower_bound ? optimality::bound_met : optimality::heuristic;
  answer.result.emplace(
      replanned{std::move(made), std::move(moves), detail::cost_of(net, l, price, before).cost, std::move(curve)});
  return answer;
}

}  // namespace topoplan::inline v1
