// A regular expression as the steps of an automaton: a part of Go's syntax, and refusal of the rest.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

using name_letters = std::bitset<256>;

// The lowest letter. pre: there is one.
[[nodiscard]] inline unsigned char first_in(const name_letters& letters) noexcept {
  std::size_t c = 0;
  while (!letters.test(c)) ++c;
  return static_cast<unsigned char>(c);
}

// A step of the automaton; targets are relative, so that a piece may be copied and moved.
struct pattern_step {
  enum class kind : std::uint8_t { letter, both, jump, begin, end };
  kind what = kind::letter;
  std::ptrdiff_t a = 0;
  std::ptrdiff_t b = 0;
  name_letters letters{};
};
using pattern_steps = std::vector<pattern_step>;

// Literals, ., [classes], \d \w and their opposites, ^ $, groups, |, and the repetitions * + ? {n} {n,} {n,m}.
class pattern_parser {
 public:
  static constexpr std::size_t max_steps = 2000;
  static constexpr int max_depth = 20;

  pattern_parser(std::string_view pattern, location where) : pattern_(pattern), where_(std::move(where)) {}

  // errors: parse_error for what isn't of this syntax, and for more than max_steps. complexity: O(pattern + steps x depth).
  [[nodiscard]] pattern_steps parse() {
    auto steps = alternatives(0);
    if (at_ < pattern_.size()) refuse("')' without '('");
    return steps;
  }

 private:
  [[noreturn]] void refuse(const std::string& found) const {
    throw parse_error(where_, "a pattern of letters, classes, groups, |, ^, $ and repetitions",
                      found + " at letter " + std::to_string(at_ + 1) + " of " + quoted(pattern_));
  }
  [[nodiscard]] bool next_is(char c) const noexcept { return at_ < pattern_.size() && pattern_[at_] == c; }

  void append(pattern_steps& to, const pattern_steps& more) const {
    if (to.size() + more.size() > max_steps) refuse("more than " + std::to_string(max_steps) + " steps");
    to.insert(to.end(), more.begin(), more.end());
  }
  [[nodiscard]] static std::ptrdiff_t length(const pattern_steps& steps) { return static_cast<std::ptrdiff_t>(steps.size()); }

  [[nodiscard]] pattern_steps alternatives(int depth) {
    if (depth > max_depth) refuse("groups more than " + std::to_string(max_depth) + " deep");
    auto left = sequence(depth);
    std::vector<pattern_steps> all{std::move(left)};
    while (next_is('|')) {
      ++at_;
      all.push_back(sequence(depth));
    }
    auto joined = std::move(all.back());
    for (std::size_t i = all.size() - 1; i-- > 0;) {
      pattern_steps either{{pattern_step::kind::both, 1, length(all[i]) + 2}};
      append(either, all[i]);
      either.push_back({pattern_step::kind::jump, length(joined) + 1});
      append(either, joined);
      joined = std::move(either);
    }
    return joined;
  }

  [[nodiscard]] pattern_steps sequence(int depth) {
    pattern_steps steps;
    while (at_ < pattern_.size() && pattern_[at_] != '|' && pattern_[at_] != ')') append(steps, repeated(atom(depth)));
    return steps;
  }

  [[nodiscard]] pattern_steps atom(int depth) {
    const char c = pattern_[at_];
    if (c == '(') {
      ++at_;
      if (next_is('?')) {
        if (pattern_.substr(at_, 2) != "?:") refuse("a group with options");
        at_ += 2;
      }
      auto steps = alternatives(depth + 1);
      if (!next_is(')')) refuse("'(' without ')'");
      ++at_;
      return steps;
    }
    if (c == '*' || c == '+' || c == '?' || c == '{') refuse("a repetition of nothing");
    if (c == '^' || c == '$') {
      ++at_;
      return {{c == '^' ? pattern_step::kind::begin : pattern_step::kind::end}};
    }
    pattern_step step;
    if (c == '[') {
      step.letters = bracket();
    } else if (c == '.') {
      ++at_;
      step.letters.set();
    } else {
      step.letters = letter();
    }
    return {step};
  }

  [[nodiscard]] static name_letters range(unsigned char first, unsigned char last) {
    name_letters letters;
    for (std::size_t c = first; c <= last; ++c) letters.set(c);
    return letters;
  }

  // One letter, or the class that an escape means.
  [[nodiscard]] name_letters letter() {
    char c = pattern_[at_++];
    if (c == '\\') {
      if (at_ == pattern_.size()) refuse("a lone backslash");
      c = pattern_[at_];
      const auto digits = range('0', '9');
      const auto words = digits | range('a', 'z') | range('A', 'Z') | range('_', '_');
      if (is_letter(c) || is_digit(c)) {
        if (c != 'd' && c != 'D' && c != 'w' && c != 'W') refuse("the escape \\" + std::string(1, c));
        ++at_;
        return c == 'd' ? digits : c == 'D' ? ~digits : c == 'w' ? words : ~words;
      }
      ++at_;
    }
    const auto byte = static_cast<unsigned char>(c);
    return range(byte, byte);
  }

  [[nodiscard]] name_letters bracket() {
    ++at_;
    const bool others = next_is('^');
    if (others) ++at_;
    name_letters letters;
    for (bool first = true; first || !next_is(']'); first = false) {
      if (at_ >= pattern_.size()) refuse("'[' without ']'");
      if (pattern_.substr(at_, 2) == "[:") refuse("a named class");
      const auto low = letter();
      if (!next_is('-') || at_ + 1 >= pattern_.size() || pattern_[at_ + 1] == ']') {
        letters |= low;
        continue;
      }
      ++at_;
      const auto high = letter();
      if (low.count() != 1 || high.count() != 1 || first_in(low) > first_in(high)) refuse("a range that falls");
      letters |= range(first_in(low), first_in(high));
    }
    ++at_;
    return others ? ~letters : letters;
  }

  [[nodiscard]] pattern_steps repeated(pattern_steps steps) {
    const auto counts = repetition();
    if (!counts) return steps;
    if (next_is('?')) ++at_;  // as few as possible: the same names match
    if (repetition()) refuse("a repetition of a repetition");
    pattern_steps out;
    for (std::uint32_t i = 0; i < counts->first; ++i) append(out, steps);
    if (!counts->second) {  // any number more
      append(out, {{pattern_step::kind::both, 1, length(steps) + 2}});
      append(out, steps);
      append(out, {{pattern_step::kind::jump, -length(steps) - 1}});
      return out;
    }
    for (std::uint32_t i = counts->first; i < *counts->second; ++i) {
      append(out, {{pattern_step::kind::both, 1, length(steps) + 1}});
      append(out, steps);
    }
    return out;
  }

  // At least, and at most, where there is a most.
  [[nodiscard]] std::optional<std::pair<std::uint32_t, std::optional<std::uint32_t>>> repetition() {
    if (at_ >= pattern_.size()) return std::nullopt;
    const char c = pattern_[at_];
    if (c == '*' || c == '+' || c == '?') {
      ++at_;
      const std::uint32_t least = c == '+' ? 1 : 0;
      return std::pair{least, c == '?' ? std::optional<std::uint32_t>(1) : std::nullopt};
    }
    if (c != '{') return std::nullopt;
    const auto close = pattern_.find('}', at_);
    const auto inside = pattern_.substr(at_ + 1, close == std::string_view::npos ? 0 : close - at_ - 1);
    const auto comma = inside.find(',');
    const auto least = number(inside.substr(0, comma));
    const auto most = comma == std::string_view::npos ? least : number(inside.substr(comma + 1));
    const bool open_end = comma != std::string_view::npos && comma + 1 == inside.size();
    if (!least || *least > 1000 || (!most && !open_end) || (most && (*most < *least || *most > 1000)))
      refuse("a repetition that isn't {n}, {n,} or {n,m}");
    at_ = close + 1;
    return std::pair{*least, most};
  }

  std::string_view pattern_;
  location where_;
  std::size_t at_ = 0;
};

}  // namespace topoplan::inline v1::import::detail
