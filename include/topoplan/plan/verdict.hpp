// The verdict on a rank map: every hard rule, kept or broken, with the ranks and GPUs that show it.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/plan/rules.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// One place where a rule is broken.
struct breach {
  std::vector<rank_id> ranks;
  std::vector<gpu_id> gpus;  // gpus[i] is the seat of ranks[i]; empty when the breach isn't about seats
  std::string text;          // "tp group 3: ranks 24-31 sit in domains 2 and 3 (gpu-017, gpu-018)"
};

// One rule and what was found.
struct finding {
  std::string rule;  // "tp=domain", "launcher torchrun", "healthy GPUs", "one rank a GPU", "rails aligned"
  bool hard = true;  // a soft finding (rails) informs and never makes a plan infeasible
  bool kept = true;
  std::uint64_t checked = 0;  // groups, ranks or hosts looked at
  std::uint64_t broken = 0;
  std::vector<breach> breaches;  // the first few
  std::string text;              // one sentence for a person
};

// All findings on one rank map.
struct verdict {
  std::vector<finding> findings;

  // True if every hard rule is kept. complexity: O(findings). errors: none.
  [[nodiscard]] bool kept() const {
    return std::all_of(findings.begin(), findings.end(), [](const finding& f) { return f.kept || !f.hard; });
  }
  // The finding of that name, or nullptr. complexity: O(findings). errors: none.
  [[nodiscard]] const finding* find(std::string_view rule) const {
    for (const finding& f : findings)
      if (f.rule == rule) return &f;
    return nullptr;
  }
  // True if that confinement was checked and kept. complexity: O(findings). errors: none.
  [[nodiscard]] bool keeps(const confinement& c) const {
    const finding* f = find(to_string(c));
    return f != nullptr && f->kept;
  }
};

}  // namespace topoplan::inline v1
