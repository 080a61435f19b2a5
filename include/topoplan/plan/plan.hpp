// What a solver returns and an emitter takes: the rank map, its verdict, what it costs and how far from the best it is.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// Why a plan can't, or how far it can, be improved.
enum class optimality : std::uint8_t {
  bound_met,        // its cost equals the lower bound: optimal
  exhaustive,       // every placement was compared or excluded: optimal
  level_symmetric,  // the best of all level-symmetric placements
  heuristic         // the best that the search found
};

// "optimal (lower bound met)" and so on. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(optimality o) noexcept {
  switch (o) {
    case optimality::bound_met: return "optimal (lower bound met)";
    case optimality::exhaustive: return "optimal (exhaustive search)";
    case optimality::level_symmetric: return "best level-symmetric placement";
    case optimality::heuristic: return "best found";
  }
  return "";
}

// How many edges (neighbouring ranks of a group) of one axis meet at each level: levels[i] counts those whose closest
// common level is plan::levels[i].
struct crossings {
  axis of = axis::tp;
  std::vector<std::uint64_t> levels;
};

// One rank map as the objective sees it.
struct cost_report {
  std::int64_t cost = 0;
  std::vector<crossings> edges;  // one entry an axis of degree above 1
};

// The time of a step, where the objective knows it. units: seconds.
struct step_estimate {
  double seconds = 0;
  double exposed = 0;  // of these, communication that nothing hides
};

// What a job gives up for the spares that it asks for.
struct spare_report {
  std::uint64_t ranks = 0;          // of the largest job of its degrees, whatever its dp, that has room beside the spares
  std::uint64_t ranks_without = 0;  // the same without spares
  std::int64_t cost_without = 0;    // of this job if GPUs may be free anywhere
  std::optional<step_estimate> step_without = {};
};

// A placement that keeps every hard rule.
struct plan {
  topoplan::rank_map rank_map;
  topoplan::verdict verdict;
  topoplan::launcher launcher;
  std::vector<confinement> confined;
  std::string objective;            // its name, with weights and distances in words
  std::vector<std::string> levels;  // innermost first: "domain", "host", "leaf", "pod", "core"
  cost_report cost;
  std::optional<cost_report> given_order;  // the ranks on the hosts in the order the user gave; none if it doesn't fit
  bool given_order_keeps_rules = false;
  bool keeps_given_order = false;  // this plan is that order
  std::int64_t lower_bound = 0;    // no placement that keeps the rules costs less
  topoplan::optimality optimality = optimality::heuristic;
  std::optional<step_estimate> step = {};  // of this plan, where a workload was given: then it, and not cost, is what counts
  std::optional<step_estimate> given_step = {};  // of the order given, if it keeps the rules
  std::optional<step_estimate> least_step = {};  // no placement that keeps the rules takes less
  std::vector<std::string> notes = {};           // choices not taken and why, cuts by time, assumptions
  std::vector<spare_rule> spares = {};
  std::optional<spare_report> given_up = {};  // for the spares

  // How far the plan may be from the best: with a step, (step - least_step) over the exposed communication of least_step; else
  // (cost - lower_bound) / lower_bound. 0 when nothing is left, 1 when nothing is known. complexity: O(1). errors: none.
  [[nodiscard]] double gap() const noexcept {
    if (step) {
      if (!least_step) return 1;
      const double more = step->seconds - least_step->seconds;
      if (more <= 1e-9) return 0;
      return least_step->exposed > 0 ? more / least_step->exposed : 1;
    }
    if (cost.cost <= lower_bound) return 0;
    return lower_bound <= 0 ? 1 : static_cast<double>(cost.cost - lower_bound) / static_cast<double>(lower_bound);
  }
};

// "No placement exists", or, if that isn't proven, "none was found": which rule fails, where, and what would help.
struct refusal {
  std::string rule;  // "tp=domain"
  std::string
      reason;  // "tp groups need 8 GPUs of one NVLink domain; 3 of 4 domains hold 7 usable GPUs: 1 of 16 groups has a place"
  std::string where;   // "gpu-017 (7 of 8 usable), ..."
  std::string remedy;  // "use tp 4, or bring gpu-017:gpu3 back"
  bool proven = true;  // counting or an exhaustive search shows that there is none

  // One paragraph for a person. complexity: O(length). errors: none.
  [[nodiscard]] std::string str() const {
    std::string text = (proven ? "no placement keeps " : "found no placement that keeps ") + rule + ": " + reason;
    if (!where.empty()) text += "; " + where;
    if (!remedy.empty()) text += "; what would help: " + remedy;
    return text;
  }
};

// The answer of place(): a plan, or why there is none.
class placement {
 public:
  placement(plan p) : plan_(std::move(p)) {}        // NOLINT(google-explicit-constructor): an answer is either
  placement(refusal r) : refusal_(std::move(r)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] explicit operator bool() const noexcept { return plan_.has_value(); }
  // The plan. pre: a plan exists. errors: topoplan::error with why() otherwise.
  [[nodiscard]] const plan& operator*() const {
    if (!plan_) throw error(why());
    return *plan_;
  }
  [[nodiscard]] const plan* operator->() const { return &**this; }
  // The refusal in words; empty when there is a plan. complexity: O(length). errors: none.
  [[nodiscard]] std::string why() const { return plan_ ? std::string{} : refusal_.str(); }
  // pre: there is no plan.
  [[nodiscard]] const topoplan::refusal& refused() const noexcept { return refusal_; }

 private:
  std::optional<plan> plan_;
  topoplan::refusal refusal_;
};

}  // namespace topoplan::inline v1
