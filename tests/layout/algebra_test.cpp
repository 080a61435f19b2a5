#include <topoplan/layout/algebra.hpp>
#include <topoplan/layout/strides.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/random.hpp"

using topoplan::division;
using topoplan::strided_layout;
using topoplan::strided_mode;

namespace {

strided_layout layout_of(std::vector<strided_mode> modes) { return strided_layout(std::move(modes)); }

std::vector<std::uint64_t> offsets(const strided_layout& l) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < l.size(); ++i) all.push_back(l(i));
  return all;
}

bool injective(const strided_layout& l) {
  std::vector<std::uint64_t> all = offsets(l);
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

// Whether any layout at all describes what `parts` lists one after another, relative to its first entry.
bool is_strided(const std::vector<std::uint64_t>& list) {
  const std::vector<std::uint32_t> ranks(list.begin(), list.end());
  return topoplan::recognise_strides(ranks).has_value();
}

void check_coalesce(const strided_layout& l) {
  const strided_layout result = coalesce(l);
  CAPTURE(to_string(l));
  CHECK(offsets(result) == offsets(l));
  for (std::size_t m = 0; m < result.modes().size(); ++m) {
    CHECK(result.modes()[m].extent > 1);
    if (m > 0) CHECK(result.modes()[m].stride != result.modes()[m - 1].extent * result.modes()[m - 1].stride);
  }
}

void check_is_bijective(const strided_layout& l) {
  CAPTURE(to_string(l));
  std::vector<std::uint64_t> all = offsets(l);
  std::sort(all.begin(), all.end());
  bool expected = true;
  for (std::uint64_t x = 0; x < all.size(); ++x) expected = expected && all[x] == x;
  CHECK(is_bijective(l) == expected);
}

// Whether an ascending layout of so many offsets completes `l` to 0 ... extent-1: greedily, the smallest missing number
// must always start the next copy.
bool has_complement(const strided_layout& l, std::uint64_t extent) {
  std::vector<bool> seen(extent, false);
  std::vector<std::uint64_t> starts;
  for (std::uint64_t x = 0; x < extent; ++x) {
    if (seen[x]) continue;
    starts.push_back(x);
    for (const std::uint64_t offset : offsets(l)) {
      if (x + offset >= extent || seen[x + offset]) return false;
      seen[x + offset] = true;
    }
  }
  return extent > 0 && is_strided(starts);
}

bool check_complement(const strided_layout& l, std::uint64_t extent) {
  CAPTURE(to_string(l));
  CAPTURE(extent);
  if (!has_complement(l, extent)) {
    CHECK_THROWS_AS(static_cast<void>(complement(l, extent)), topoplan::invalid_argument);
    return false;
  }
  const strided_layout result = complement(l, extent);
  std::vector<int> hits(extent, 0);
  for (const std::uint64_t i : offsets(l))
    for (const std::uint64_t j : offsets(result)) {
      REQUIRE(i + j < extent);
      ++hits[i + j];
    }
  CHECK(std::count(hits.begin(), hits.end(), 1) == static_cast<std::ptrdiff_t>(extent));
  const std::vector<std::uint64_t> steps = offsets(result);
  CHECK(std::is_sorted(steps.begin(), steps.end()));
  return true;
}

// `generic`: the strides of `a` are so far apart that no two sums of them coincide; then the refusal is exact, too.
bool check_compose(const strided_layout& a, const strided_layout& b, bool generic) {
  CAPTURE(to_string(a));
  CAPTURE(to_string(b));
  std::vector<std::uint64_t> expected;
  for (const std::uint64_t at : offsets(b)) {
    if (at >= a.size()) {
      CHECK_THROWS_AS(static_cast<void>(compose(a, b)), topoplan::invalid_argument);
      return false;
    }
    expected.push_back(a(at));
  }
  try {
    const strided_layout result = compose(a, b);
    CHECK(offsets(result) == expected);
    return true;
  } catch (const topoplan::invalid_argument&) {
    if (generic) CHECK_FALSE(is_strided(expected));
    return false;
  }
}

bool check_divide(const strided_layout& a, const strided_layout& tile) {
  CAPTURE(to_string(a));
  CAPTURE(to_string(tile));
  try {
    const division parts = divide(a, tile);
    const strided_layout rest = complement(tile, a.size());
    REQUIRE(parts.inner.size() == tile.size());
    REQUIRE(parts.outer.size() == rest.size());
    for (std::uint64_t i = 0; i < tile.size(); ++i)
      for (std::uint64_t j = 0; j < rest.size(); ++j) REQUIRE(parts.inner(i) + parts.outer(j) == a(tile(i) + rest(j)));
    return true;
  } catch (const topoplan::invalid_argument&) {
    return false;
  }
}

strided_layout random_layout(topoplan_test::random& rng, std::uint64_t most_modes, std::uint64_t most_stride) {
  std::vector<strided_mode> modes(rng.below(most_modes + 1));
  for (strided_mode& m : modes) m = {rng.between(1, 5), rng.below(most_stride + 1)};
  return strided_layout(std::move(modes));
}

// A layout whose digits nest without gaps or with some, in a random order: what ranks look like.
strided_layout random_nested_layout(topoplan_test::random& rng) {
  std::vector<strided_mode> modes(rng.below(5));
  std::uint64_t stride = 1;
  for (strided_mode& m : modes) {
    m = {rng.between(1, 4), stride};
    stride *= m.extent * (rng.below(4) == 0 ? 2 : 1);
  }
  rng.shuffle(modes);
  return strided_layout(std::move(modes));
}

// The same extents with strides that nothing relates.
strided_layout spread_out(const strided_layout& l, topoplan_test::random& rng) {
  std::vector<strided_mode> modes = l.modes();
  std::uint64_t stride = 1;
  for (strided_mode& m : modes) {
    m.stride = stride;
    stride = stride * 97 + 13;
  }
  rng.shuffle(modes);
  return strided_layout(std::move(modes));
}

}  // namespace

TEST_CASE("a strided layout reads its index first mode fastest") {
  CHECK(offsets(layout_of({})) == std::vector<std::uint64_t>{0});
  CHECK(offsets(layout_of({{2, 8}, {3, 1}})) == std::vector<std::uint64_t>{0, 8, 1, 9, 2, 10});
  CHECK(layout_of({{2, 8}, {3, 1}}).size() == 6);
  CHECK(layout_of({{2, 8}, {3, 1}}).cosize() == 11);
  CHECK(to_string(layout_of({{2, 8}, {3, 1}})) == "2:8,3:1");
  CHECK(to_string(layout_of({})) == "1:0");
  CHECK_THROWS_WITH_AS(layout_of({{2, 1}, {0, 2}}), "a mode of a strided layout has extent 0; an extent is at least 1",
                       topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS(layout_of({{1ULL << 40U, 1}}), doctest::Contains("exceeds the limit of 2147483648 ranks"),
                       topoplan::invalid_argument);
  CHECK_THROWS_AS(layout_of({{3, 1ULL << 63U}}), topoplan::invalid_argument);
  CHECK_THROWS_AS(layout_of({{1ULL << 31U, 1}, {2, 1ULL << 31U}}), topoplan::invalid_argument);
  CHECK(layout_of({{1ULL << 31U, 1}}).cosize() == 1ULL << 31U);
}

TEST_CASE("coalesce keeps the function and takes the fewest modes") {
  CHECK(coalesce(layout_of({{4, 1}, {2, 4}})) == layout_of({{8, 1}}));
  CHECK(coalesce(layout_of({{2, 4}, {4, 1}})) == layout_of({{2, 4}, {4, 1}}));  // the order of modes matters
  CHECK(coalesce(layout_of({{1, 7}, {2, 1}, {1, 0}, {3, 2}})) == layout_of({{6, 1}}));
  CHECK(coalesce(layout_of({{2, 1}, {2, 4}})) == layout_of({{2, 1}, {2, 4}}));  // not contiguous: stays two modes
  CHECK(coalesce(layout_of({{1, 5}})) == layout_of({}));
  topoplan_test::random rng(1);
  for (int i = 0; i < 2000; ++i) check_coalesce(random_layout(rng, 5, 8));
  for (int i = 0; i < 2000; ++i) check_coalesce(random_nested_layout(rng));
}

TEST_CASE("is_bijective tells permutations of 0 ... size-1 from everything else") {
  CHECK(is_bijective(layout_of({})));
  CHECK(is_bijective(layout_of({{3, 4}, {4, 1}})));
  CHECK(is_bijective(layout_of({{1, 99}, {2, 1}})));
  CHECK_FALSE(is_bijective(layout_of({{2, 1}, {2, 1}})));
  CHECK_FALSE(is_bijective(layout_of({{2, 2}})));
  topoplan_test::random rng(2);
  for (int i = 0; i < 4000; ++i) check_is_bijective(random_layout(rng, 4, 9));
  for (int i = 0; i < 2000; ++i) check_is_bijective(random_nested_layout(rng));
}

TEST_CASE("complement completes a layout, or is refused when nothing can") {
  CHECK(complement(layout_of({{2, 4}}), 8) == layout_of({{4, 1}}));
  CHECK(complement(layout_of({{4, 1}}), 24) == layout_of({{6, 4}}));
  CHECK(complement(layout_of({{2, 4}, {1, 3}}), 24) == layout_of({{4, 1}, {3, 8}}));
  CHECK(complement(layout_of({}), 5) == layout_of({{5, 1}}));
  CHECK(complement(layout_of({{6, 1}}), 6) == layout_of({}));
  CHECK_THROWS_WITH_AS(static_cast<void>(complement(layout_of({{4, 1}}), 10)),
                       "layout 4:1 has no complement in 10: some of its offsets coincide, or copies of it don't tile the 10",
                       topoplan::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(complement(layout_of({{2, 0}}), 8)), topoplan::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(complement(layout_of({}), 0)), topoplan::invalid_argument);
  topoplan_test::random rng(3);
  int complete = 0;
  for (int i = 0; i < 4000; ++i) {
    const strided_layout l = random_layout(rng, 3, 9);
    complete += check_complement(l, rng.between(1, 60)) ? 1 : 0;
  }
  for (int i = 0; i < 2000; ++i) {
    const strided_layout l = random_nested_layout(rng);
    complete += check_complement(l, l.cosize() * rng.between(1, 3)) ? 1 : 0;
  }
  CHECK(complete > 500);
  CHECK(complete < 5500);
}

TEST_CASE("compose is exact or refused") {
  CHECK(compose(layout_of({{8, 3}}), layout_of({{4, 2}})) == layout_of({{4, 6}}));
  CHECK(compose(layout_of({{4, 1}, {3, 8}}), layout_of({{6, 2}})) == layout_of({{2, 2}, {3, 8}}));
  CHECK(compose(layout_of({{2, 4}, {4, 1}}), layout_of({{8, 1}})) == layout_of({{2, 4}, {4, 1}}));
  CHECK(compose(layout_of({{4, 1}, {2, 100}}), layout_of({{2, 5}})) == layout_of({{2, 101}}));
  CHECK_THROWS_WITH_AS(static_cast<void>(compose(layout_of({{4, 1}, {4, 100}}), layout_of({{3, 1}, {2, 3}}))),
                       "layout 4:1,4:100 after 3:1,2:3 isn't a layout: the strides of one don't divide the extents of the other",
                       topoplan::invalid_argument);
  // Each mode alone would pass, their sum carries into the next digit: 0, 1, 1, 10.
  CHECK_THROWS_AS(static_cast<void>(compose(layout_of({{2, 1}, {4, 10}}), layout_of({{2, 1}, {2, 1}}))),
                  topoplan::invalid_argument);
  // The last mode isn't endless.
  CHECK_THROWS_WITH_AS(static_cast<void>(compose(layout_of({{4, 1}}), layout_of({{5, 1}}))),
                       doctest::Contains("reaches index 4 of 4"), topoplan::invalid_argument);
  topoplan_test::random rng(4);
  int composed = 0;
  constexpr int tries = 20000;
  for (int i = 0; i < tries; ++i) {
    const strided_layout a = rng.below(2) == 0 ? random_layout(rng, 4, 12) : random_nested_layout(rng);
    const strided_layout b = rng.below(2) == 0 ? random_layout(rng, 3, 6) : random_nested_layout(rng);
    composed += check_compose(a, b, false) ? 1 : 0;
    if (injective(b)) composed += check_compose(spread_out(a, rng), b, true) ? 1 : 0;
  }
  CHECK(composed > 1000);
}

TEST_CASE("divide cuts a layout into parts that all advance alike") {
  CHECK(divide(layout_of({{16, 2}}), layout_of({{4, 1}})) == division{layout_of({{4, 2}}), layout_of({{4, 8}})});
  CHECK(divide(layout_of({{16, 2}}), layout_of({{4, 4}})) == division{layout_of({{4, 8}}), layout_of({{4, 2}})});
  CHECK(divide(layout_of({{4, 1}, {3, 8}}), layout_of({{2, 1}})) == division{layout_of({{2, 1}}), layout_of({{2, 2}, {3, 8}})});
  // The first part would be 0 1 2, the second 3 8 9.
  CHECK_THROWS_WITH_AS(static_cast<void>(divide(layout_of({{4, 1}, {3, 8}}), layout_of({{3, 1}}))),
                       "layout 4:1,3:8 doesn't divide into parts of 3:1", topoplan::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(divide(layout_of({{10, 1}}), layout_of({{4, 1}}))), topoplan::invalid_argument);
  topoplan_test::random rng(5);
  int divided = 0;
  for (int i = 0; i < 20000; ++i) {
    const strided_layout a = rng.below(2) == 0 ? random_layout(rng, 4, 12) : random_nested_layout(rng);
    divided += check_divide(a, random_layout(rng, 2, 6)) ? 1 : 0;
  }
  CHECK(divided > 500);
}
