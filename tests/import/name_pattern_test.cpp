#include <topoplan/import/detail/name_pattern.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <regex>
#include <string>
#include <vector>

#include "support/random.hpp"

using topoplan::parse_error;
using topoplan::import::detail::name_pattern;
using topoplan::import::detail::pattern_parser;
using topoplan::import::detail::text_in_every_match;

namespace {

const topoplan::location here{"p", 1, 1};

}  // namespace

TEST_SUITE_BEGIN("import/detail/name_pattern");

TEST_CASE("patterns as people write them") {
  struct row {
    const char* pattern;
    const char* name;
    bool part;
    bool whole;
  };
  const std::vector<row> rows = {{"node-[01]", "node-1", true, true},
                                 {"node-[01]", "node-10", true, false},
                                 {"node-[01]", "node-2", false, false},
                                 {"^node-1$", "node-10", false, false},
                                 {"node-1", "my-node-1", true, false},
                                 {"^node", "my-node", false, false},
                                 {"gpu-\\d{1,3}", "gpu-1234", true, false},
                                 {"gpu-\\d{1,3}$", "gpu-1234", false, false},
                                 {"gpu-\\d{2}", "gpu-12", true, true},
                                 {"gpu-\\d{3,}", "gpu-12", false, false},
                                 {"(a|b)+c?", "abba", true, true},
                                 {"rack-(1|2[0-3])-n.*", "rack-22-n7", true, true},
                                 {"rack-(?:1|2)-n", "rack-3-n", false, false},
                                 {"a.c", "abc", true, true},
                                 {"a\\.c", "abc", false, false},
                                 {"[^a-y]", "az", true, false},
                                 {"[]x]", "]", true, true},
                                 {"[a-]", "-", true, true},
                                 {"\\w+\\W\\D", "a_9-x", true, true},
                                 {"", "anything", true, false},
                                 {"()*", "x", true, false},
                                 {"(a*)*b", "aaab", true, true},
                                 {"a*?b", "aab", true, true},
                                 {"x|", "", true, true},
                                 {"^$", "", true, true}};
  for (const auto& [pattern, name, part, whole] : rows) {
    CAPTURE(pattern);
    CAPTURE(name);
    name_pattern p(pattern, here);
    CHECK(p.matches(name) == part);
    CHECK(p.matches_all_of(name) == whole);
  }
}

TEST_CASE("what isn't supported is refused with its place") {
  const auto refused = [](const std::string& pattern, const char* part) {
    CAPTURE(pattern);
    CHECK_THROWS_WITH_AS(name_pattern(pattern, here), doctest::Contains(part), parse_error);
  };
  refused("a(b",
          "p:1:1: expected a pattern of letters, classes, groups, |, ^, $ and repetitions, found '(' without ')' at letter 4");
  refused("ab)", "')' without '(' at letter 3 of 'ab)'");
  refused("*a", "a repetition of nothing at letter 1");
  refused("a**", "a repetition of a repetition");
  refused("a{2", "a repetition that isn't {n}, {n,} or {n,m}");
  refused("a{3,2}", "a repetition that isn't");
  refused("a{,2}", "a repetition that isn't");
  refused("[a", "'[' without ']'");
  refused("[", "'[' without ']'");
  refused("[z-a]", "a range that falls");
  refused("[[:alpha:]]", "a named class");
  refused("(?i)a", "a group with options");
  refused("\\bnode", "the escape \\b");
  refused("a\\", "a lone backslash");
  refused("((a{1000}){1000}){1000}", "more than 2000 steps");
  refused(std::string(100, '(') + std::string(100, ')'), "groups more than 20 deep");
}

TEST_CASE("equal to std::regex on small random patterns and names") {
  topoplan_test::random numbers(7);
  const std::vector<std::string> atoms = {"a", "b", ".", "[ab]", "[^a]", "(a|b)", "(ab|c)", "(?:a*)", "c", "(b?|ac)", "bc"};
  const std::vector<std::string> counts = {"", "", "*", "+", "?", "{2}", "{1,2}", "{1,}"};
  std::size_t matched = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string pattern;
    for (auto i = 1 + numbers.below(3); i > 0; --i) pattern += numbers.pick(atoms) + numbers.pick(counts);
    if (numbers.below(4) == 0) pattern += "|" + numbers.pick(atoms);
    name_pattern ours(pattern, here);
    const std::regex theirs(pattern);
    for (int n = 0; n < 5; ++n) {
      std::string name;
      for (auto i = numbers.below(6); i > 0; --i) name += "abc"[numbers.below(3)];
      const bool part = std::regex_search(name, theirs);
      CHECK_MESSAGE(ours.matches(name) == part, pattern << " in " << name);
      CHECK_MESSAGE(ours.matches_all_of(name) == std::regex_match(name, theirs), pattern << " is " << name);
      matched += part ? 1U : 0U;
    }
  }
  CHECK(matched > 1000);
  CHECK(matched < 9900);
}

TEST_CASE("the text that every match holds, by which most names are passed over") {
  const auto text_of = [](const std::string& pattern) { return text_in_every_match(pattern_parser(pattern, here).parse()); };
  CHECK(text_of(".*gpu-0001-[0-9]$") == "gpu-0001-");
  CHECK(text_of("^rack\\.n") == "rack.n");
  CHECK(text_of("(ab)?cd+e") == "cd");
  CHECK(text_of("a{3}b") == "aaab");
  CHECK(text_of("(abc|def)g(hi)*") == "g");
  CHECK(text_of("abc|abd").empty());
  CHECK(text_of("[ab]x[cd]yz") == "yz");
  CHECK(text_of("a{0,2}").empty());
  CHECK(text_of("(a(bc)+)+d") == "abc");
  CHECK(text_of("").empty());
}

TEST_CASE("a pattern may be matched again and again") {
  name_pattern p("n[0-9]+x|y$", here);
  for (int i = 0; i < 3; ++i) {
    CHECK(p.matches("an12x"));
    CHECK_FALSE(p.matches("n12"));
    CHECK_FALSE(p.matches_all_of("an12x"));
    CHECK(p.matches_all_of("n1x"));
    CHECK_FALSE(p.matches(""));
    CHECK(p.matches("ny"));
  }
}

TEST_CASE("a pattern that makes others backtrack takes time in proportion to the name") {
  CHECK_FALSE(name_pattern("^(a|a|a?)*b$", here).matches(std::string(20'000, 'a')));
}
