// Regular expressions over names of hosts, matched in time linear in the name.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/pattern_steps.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// A pattern, ready to be matched. It takes time in proportion to name x steps, whatever the pattern.
class name_pattern {
 public:
  // errors: as pattern_parser.
  name_pattern(std::string_view pattern, const location& where) : steps_(pattern_parser(pattern, where).parse()) {
    for (const pattern_step& step : steps_) {
      if (step.what == pattern_step::kind::begin && prefix_.empty()) continue;
      if (step.what != pattern_step::kind::letter || step.letters.count() != 1) break;
      prefix_ += static_cast<char>(first_in(step.letters));
    }
  }

  // True if some part of the name matches, as Go's MatchString has it. complexity: O(name x steps). errors: none.
  [[nodiscard]] bool matches(std::string_view name) const {
    return name.find(prefix_) != std::string_view::npos && run(name, false);
  }
  // True if the name as a whole matches. complexity: O(name x steps). errors: none.
  [[nodiscard]] bool matches_all_of(std::string_view name) const { return name.starts_with(prefix_) && run(name, true); }

 private:
  [[nodiscard]] bool run(std::string_view name, bool whole) const {
    std::vector<std::size_t> now;
    std::vector<std::size_t> seen(steps_.size() + 1, 0);
    for (std::size_t at = 0;; ++at) {
      std::vector<std::size_t> open = std::move(now);
      now.clear();
      if (at == 0 || !whole) open.push_back(0);
      while (!open.empty()) {
        const auto s = open.back();
        open.pop_back();
        if (seen[s] == at + 1) continue;
        seen[s] = at + 1;
        if (s == steps_.size()) {
          if (!whole || at == name.size()) return true;
          continue;
        }
        const pattern_step& step = steps_[s];
        const auto to = [s](std::ptrdiff_t by) { return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(s) + by); };
        switch (step.what) {
          case pattern_step::kind::both: open.push_back(to(step.b)); [[fallthrough]];
          case pattern_step::kind::jump: open.push_back(to(step.a)); break;
          case pattern_step::kind::begin:
            if (at == 0) open.push_back(s + 1);
            break;
          case pattern_step::kind::end:
            if (at == name.size()) open.push_back(s + 1);
            break;
          case pattern_step::kind::letter:
            if (at < name.size() && step.letters.test(static_cast<unsigned char>(name[at]))) now.push_back(s + 1);
            break;
        }
      }
      if (at == name.size() || (whole && now.empty())) return false;
    }
  }

  pattern_steps steps_;
  std::string prefix_;  // what every match begins with
};

}  // namespace topoplan::inline v1::import::detail
