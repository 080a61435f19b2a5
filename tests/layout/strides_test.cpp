#include <topoplan/layout/strides.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "support/random.hpp"

using topoplan::axis;
using topoplan::axis_set;
using topoplan::recognise_strides;
using topoplan::strided_layout;
using topoplan::strided_mode;
using topoplan::strided_ranks;
using ranks = std::vector<std::uint32_t>;

namespace {

strided_ranks found(std::uint64_t first, std::vector<strided_mode> modes) { return {first, strided_layout(std::move(modes))}; }

void check_recognise(const strided_layout& l, std::uint32_t first) {
  ranks list;
  for (std::uint64_t i = 0; i < l.size(); ++i) list.push_back(first + static_cast<std::uint32_t>(l(i)));
  const auto result = recognise_strides(list);
  REQUIRE(result.has_value());
  CHECK(result->first == first);
  CHECK(result->offsets == coalesce(l));
}

// Whether some layout describes the list: tries every way to split its length into extents.
bool is_strided(const ranks& list, std::vector<strided_mode>& modes, std::size_t block) {
  if (block == list.size()) {
    const strided_layout l(modes);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] != list[0] + l(i)) return false;
    return true;
  }
  for (std::size_t extent = 2; block * extent <= list.size(); ++extent) {
    if (list.size() % (block * extent) != 0 || list[block] < list[0]) continue;
    modes.push_back({extent, list[block] - list[0]});
    const bool works = is_strided(list, modes, block * extent);
    modes.pop_back();
    if (works) return true;
  }
  return false;
}

void check_group_strides(const topoplan::layout& l, axis_set set) {
  const topoplan::division parts = group_strides(l, set);
  const auto f = l.groups(set);
  REQUIRE(parts.inner.size() == f.group_size());
  REQUIRE(parts.outer.size() == f.size());
  for (std::uint32_t g = 0; g < f.size(); ++g)
    for (std::uint32_t i = 0; i < f.group_size(); ++i) REQUIRE(f.member(g, i).value == parts.outer(g) + parts.inner(i));
}

}  // namespace

TEST_CASE("lists that advance by strides are recognised") {
  CHECK(recognise_strides(ranks{5}) == found(5, {}));
  CHECK(recognise_strides(ranks{3, 7, 11}) == found(3, {{3, 4}}));
  CHECK(recognise_strides(ranks{0, 1, 32, 33}) == found(0, {{2, 1}, {2, 32}}));
  CHECK(recognise_strides(ranks{0, 8, 1, 9}) == found(0, {{2, 8}, {2, 1}}));
  CHECK(recognise_strides(ranks{2, 2, 2}) == found(2, {{3, 0}}));
  topoplan_test::random rng(41);
  for (int i = 0; i < 4000; ++i) {
    std::vector<strided_mode> modes(rng.below(5));
    for (strided_mode& m : modes) m = {rng.between(1, 4), rng.below(12)};
    check_recognise(strided_layout(std::move(modes)), static_cast<std::uint32_t>(rng.below(100)));
  }
}

TEST_CASE("other lists are not") {
  CHECK_FALSE(recognise_strides(ranks{}).has_value());
  CHECK_FALSE(recognise_strides(ranks{0, 1, 3}).has_value());
  CHECK_FALSE(recognise_strides(ranks{3, 2, 1, 0}).has_value());
  CHECK_FALSE(recognise_strides(ranks{0, 1, 2, 3, 8, 9}).has_value());
  CHECK_FALSE(recognise_strides(ranks{0, 4000000000U}).has_value());
  topoplan_test::random rng(42);
  int recognised = 0;
  for (int i = 0; i < 20000; ++i) {
    ranks list(rng.between(1, 8));
    for (std::uint32_t& r : list) r = static_cast<std::uint32_t>(rng.below(4));
    std::vector<strided_mode> modes;
    const bool expected = is_strided(list, modes, 1);
    REQUIRE(recognise_strides(list).has_value() == expected);
    recognised += expected ? 1 : 0;
  }
  CHECK(recognised > 1000);
  CHECK(recognised < 19000);
}

TEST_CASE("groups of any axis set as strides") {
  const topoplan::layout l(topoplan::resolve({.tp = 4, .cp = 2, .ep = 4, .expert_tp = 2, .pp = 2}, 64),
                           topoplan::orders::megatron);
  CHECK(to_string(group_strides(l, {axis::tp, axis::pp}).inner) == "4:1,2:32");
  CHECK(to_string(group_strides(l, {axis::tp, axis::pp}).outer) == "8:4");
  CHECK(to_string(group_strides(l, {axis::dp, axis::cp}).inner) == "8:4");
  CHECK(to_string(group_strides(l, axis::ep).inner) == "4:2");
  CHECK_THROWS_AS(static_cast<void>(group_strides(l, {axis::tp, axis::ep})), topoplan::invalid_argument);
  for (const char* text : {"tp-cp-ep-dp-pp", "dp-cp-tp-ep-pp", "ep-dp-cp-tp-pp"}) {
    const topoplan::layout other(l.degrees(), topoplan::order(text));
    for (const axis a : {axis::tp, axis::cp, axis::dp, axis::pp})
      for (const axis b : {axis::tp, axis::cp, axis::dp, axis::pp}) check_group_strides(other, axis_set(a) | b);
    for (const axis a : {axis::expert_tp, axis::ep, axis::expert_dp, axis::pp})
      for (const axis b : {axis::expert_tp, axis::ep, axis::expert_dp, axis::pp}) check_group_strides(other, axis_set(a) | b);
  }
}
