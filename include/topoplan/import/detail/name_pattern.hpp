// Regular expressions over names of hosts, matched in time linear in the name.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/pattern_steps.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// The longest text that every match holds: letters one after another that no jump of the steps leads around.
// complexity: O(steps + jumps x their lengths). errors: none.
[[nodiscard]] inline std::string text_in_every_match(const pattern_steps& steps) {
  std::vector<bool> avoidable(steps.size(), false);
  for (std::size_t from = 0; from < steps.size(); ++from) {
    const pattern_step& step = steps[from];
    if (step.what != pattern_step::kind::both && step.what != pattern_step::kind::jump) continue;
    const auto by = std::max(step.a, step.what == pattern_step::kind::both ? step.b : step.a);
    for (std::ptrdiff_t i = 1; i < by; ++i) avoidable[from + static_cast<std::size_t>(i)] = true;
  }
  std::string longest;
  std::string run;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const bool one = steps[s].what == pattern_step::kind::letter && steps[s].letters.count() == 1 && !avoidable[s];
    if (one) run += static_cast<char>(first_in(steps[s].letters));
    else run.clear();
    if (run.size() > longest.size()) longest = run;
  }
  return longest;
}

// A pattern, ready to be matched. It takes time in proportion to name x steps, whatever the pattern, and less for names that lack
// a text which every match holds. A match uses the pattern's own memory: one thread at a time.
class name_pattern {
 public:
  // errors: as pattern_parser.
  name_pattern(std::string_view pattern, const location& where)
      : steps_(pattern_parser(pattern, where).parse()), needle_(text_in_every_match(steps_)), seen_(steps_.size() + 1, 0) {}

  // True if some part of the name matches, as Go's MatchString has it. complexity: O(name x steps). errors: none.
  [[nodiscard]] bool matches(std::string_view name) { return holds_needle(name) && run(name, false); }
  // True if the name as a whole matches. complexity: O(name x steps). errors: none.
  [[nodiscard]] bool matches_all_of(std::string_view name) { return holds_needle(name) && run(name, true); }

 private:
  [[nodiscard]] bool holds_needle(std::string_view name) const noexcept { return name.find(needle_) != std::string_view::npos; }

  [[nodiscard]] bool run(std::string_view name, bool whole) {
    next_.clear();
    for (std::size_t at = 0;; ++at) {
      std::swap(open_, next_);
      next_.clear();
      ++round_;
      if (at == 0 || !whole) open_.push_back(0);
      while (!open_.empty()) {
        const auto s = open_.back();
        open_.pop_back();
        if (seen_[s] == round_) continue;
        seen_[s] = round_;
        if (s == steps_.size()) {
          if (!whole || at == name.size()) return true;
          continue;
        }
        const pattern_step& step = steps_[s];
        const auto to = [s](std::ptrdiff_t by) { return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(s) + by); };
        switch (step.what) {
          case pattern_step::kind::both: open_.push_back(to(step.b)); [[fallthrough]];
          case pattern_step::kind::jump: open_.push_back(to(step.a)); break;
          case pattern_step::kind::begin:
            if (at == 0) open_.push_back(s + 1);
            break;
          case pattern_step::kind::end:
            if (at == name.size()) open_.push_back(s + 1);
            break;
          case pattern_step::kind::letter:
            if (at < name.size() && step.letters.test(static_cast<unsigned char>(name[at]))) next_.push_back(s + 1);
            break;
        }
      }
      if (at == name.size() || (whole && next_.empty())) return false;
    }
  }

  pattern_steps steps_;
  std::string needle_;  // what every match holds
  std::vector<std::size_t> open_;
  std::vector<std::size_t> next_;
  std::vector<std::size_t> seen_;  // the last round that a step was open in
  std::size_t round_ = 0;
};

}  // namespace topoplan::inline v1::import::detail
