// What is found on a layout that exists: its verdict and cost, how far from the best it is, where it loses, and what to do.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/rank_map/columns.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// Edges of one axis that meet at a level or further out, against those of the suggested plan.
struct excess_crossings {
  axis of = axis::tp;
  std::size_t level = 0;       // index into layout_report::levels
  std::uint64_t edges = 0;     // of the axis
  std::uint64_t crossing = 0;  // of these, in the layout
  std::uint64_t needed = 0;    // in the plan
  std::int64_t more_cost = 0;  // what the difference adds at this level alone
  bool outermost = true;       // no edge of the layout meets further out
};

// A group that costs much, and those of the next ranks that sit on the same hosts and cost the same.
struct costly_group {
  axis of = axis::tp;
  std::vector<rank_id> ranks;
  std::vector<std::string> hosts;  // in the order of its ranks, each once
  std::uint64_t alike = 1;         // this one counted
  std::size_t level = 0;           // the outermost at which it meets
  std::uint64_t edges = 0;         // that meet there
  std::int64_t cost = 0;           // of all its edges
};

// What to do with a layout.
enum class advice : std::uint8_t {
  keep,     // no placement on these hosts that keeps the rules is known to cost less
  replace,  // the suggested plan keeps the rules, and the layout doesn't or costs more
  none      // the layout breaks rules, and no placement on these hosts keeps them
};

// "keep", "replace" or "none". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(advice a) noexcept {
  constexpr std::string_view names[] = {"keep", "replace", "none"};
  return names[static_cast<std::size_t>(a)];
}

// The report on a layout.
struct layout_report {
  topoplan::verdict verdict;
  topoplan::launcher launcher;  // that made the layout
  std::vector<confinement> confined;
  std::string objective;
  std::vector<std::string> levels;  // as plan::levels, and "no common network" if some edge has none
  cost_report cost;
  std::int64_t lower_bound = 0;             // no placement of the job on these hosts that keeps the rules costs less
  std::optional<topoplan::plan> suggested;  // the same job on the same hosts by place()
  std::optional<refusal> refused;           // why there is none
  topoplan::advice advice = topoplan::advice::keep;
  std::vector<excess_crossings> excess;  // one entry an axis that has some, where it costs most; the costliest first
  std::vector<costly_group> worst;       // of these axes; the costliest first
  std::vector<spare> idle;               // usable GPUs of the cluster without a rank
  std::vector<std::string> notes;

  // How far the layout may be above the best, as a fraction of the lower bound; 0 if it costs no more than the bound, which one
  // that breaks the rules may do. complexity: O(1). errors: none.
  [[nodiscard]] double gap() const noexcept {
    if (cost.cost <= lower_bound) return 0;
    return lower_bound <= 0 ? 1 : static_cast<double>(cost.cost - lower_bound) / static_cast<double>(lower_bound);
  }

  // The report in one sentence without a full stop. complexity: O(findings). errors: none.
  [[nodiscard]] std::string summary() const {
    std::string text;
    for (const finding& f : verdict.findings)
      if (f.hard && !f.kept) (text += text.empty() ? "it breaks " : ", and ") += f.rule + ": " + f.text;
    if (text.empty() && advice == topoplan::advice::keep) {
      text = cost.cost == lower_bound ? "no placement on these hosts costs less"
                                      : "no placement on these hosts was found that costs less";
      return text + "; keep it";
    }
    if (text.empty() && excess.empty())
      text = "it costs " + std::to_string(cost.cost) + ", " + std::to_string(suggested->cost.cost) + " is enough";
    if (text.empty()) {
      const excess_crossings& e = excess.front();
      text = std::to_string(e.crossing) + " of " + std::to_string(e.edges) + ' ' + std::string(to_string(e.of)) +
             " edges meet only at " + levels[e.level] + (e.outermost ? "" : " or beyond") + ", " + std::to_string(e.needed) +
             (e.needed == 1 ? " needs to" : " need to");
    }
    return text;
  }
};

}  // namespace topoplan::inline v1
