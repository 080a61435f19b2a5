// Tests of rank_map/groups.hpp: the views against layout::groups(), over all ranks.
#include <topoplan/rank_map/groups.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <doctest/doctest.h>
#include <range/v3/algorithm/equal.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/view/join.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/rank_maps.hpp"

namespace {

using namespace topoplan;

using groups_view = decltype(views::groups(std::declval<const layout&>(), axis::tp));
using members_view = decltype(views::group_of(std::declval<const layout&>(), axis::tp, rank_id{0}));
static_assert(::ranges::random_access_range<groups_view> && ::ranges::sized_range<groups_view>);
static_assert(::ranges::random_access_range<members_view> && ::ranges::sized_range<members_view>);
static_assert(::ranges::view_<groups_view> && ::ranges::view_<members_view>);
static_assert(std::is_same_v<::ranges::range_value_t<members_view>, rank_id>);

// What a user may have: a type that happens to have a layout, and near misses.
struct with_layout {
  topoplan::layout l;
  [[nodiscard]] const topoplan::layout& layout() const { return l; }
};
struct without_layout {
  [[nodiscard]] int layout() const { return 0; }
};
static_assert(views::has_layout<with_layout> && views::has_layout<rank_map> && views::has_layout<rank_map_view>);
static_assert(!views::has_layout<without_layout> && !views::has_layout<int> && !views::has_layout<layout>);

void check_groups(const layout& l, axis_set set) {
  const auto family = l.groups(set);
  const auto all = views::groups(l, set);
  REQUIRE(all.size() == family.size());
  std::uint32_t g = 0;
  for (auto&& group : all) {
    REQUIRE(group.size() == family.group_size());
    std::uint32_t i = 0;
    for (const rank_id r : group) {
      REQUIRE(r == family.member(g, i));
      REQUIRE(::ranges::equal(views::group_of(l, set, r), group));
      ++i;
    }
    REQUIRE(i == family.group_size());
    ++g;
  }
  REQUIRE(g == family.size());
}

}  // namespace

TEST_CASE("views list the groups of a layout") {
  const layout l(resolve({.tp = 4, .cp = 2, .ep = 4, .expert_tp = 2, .pp = 2}, 64), orders::megatron);
  for (const axis_set set : {axis_set{axis::tp}, axis_set{axis::tp, axis::pp}, axis_set{axis::dp, axis::cp}, axis_set{axis::ep},
                             axis_set{axis::expert_dp, axis::ep}})
    check_groups(l, set);
  check_groups(layout(resolve({}, 1), orders::megatron), axis::tp);
  check_groups(layout(resolve({.tp = 3, .pp = 2}, 24), orders::megatron_tp_pp_dp), {axis::dp, axis::tp});
  CHECK_THROWS_AS(static_cast<void>(views::groups(l, {axis::tp, axis::ep})), invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(views::group_of(l, axis_set{}, rank_id{0})), invalid_argument);
}

TEST_CASE("views go on where range-v3 goes on") {
  const layout l(resolve({.tp = 4, .pp = 2}, 64), orders::megatron);
  std::vector<bool> seen(l.world(), false);
  auto all = views::groups(l, axis::pp);
  for (const rank_id r : all | ::ranges::views::join) seen[r.value] = true;
  CHECK(seen == std::vector<bool>(l.world(), true));
  CHECK(all[3][1] == rank_id{35});
  const auto members = views::group_of(l, axis::tp, rank_id{6});
  CHECK(::ranges::accumulate(members, std::uint32_t{0}, [](std::uint32_t sum, rank_id r) { return sum + r.value; }) == 22);
}

TEST_CASE("views of a rank map are those of its layout, and outlive it") {
  const auto parts = topoplan_test::regular_parts({.tp = 4, .pp = 2}, 4, 8);
  const auto groups = [&] {
    const rank_map map = parts.build();
    return views::groups(map, axis::dp);
  }();
  const auto family = parts.layout.groups(axis::dp);
  REQUIRE(groups.size() == family.size());
  for (std::uint32_t g = 0; g < family.size(); ++g) CHECK(groups[g][1] == family.member(g, 1));
  const rank_map map = parts.build();
  CHECK(::ranges::equal(views::group_of(map, axis::tp, rank_id{5}), views::groups(map, axis::tp)[1]));
  CHECK(views::groups(with_layout{parts.layout}, axis::tp).size() == 8);
}
