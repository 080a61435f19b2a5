#include <topoplan/layout/layout.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/random.hpp"

using topoplan::all_axes;
using topoplan::axis;
using topoplan::axis_set;
using topoplan::layout;
using topoplan::order;
using topoplan::rank_id;

static_assert(std::is_trivially_copyable_v<layout>);
static_assert(std::is_trivially_copyable_v<topoplan::group_family>);
static_assert(!std::is_constructible_v<layout, topoplan::resolved_degrees, topoplan::mesh_order>);
static_assert(!std::is_constructible_v<layout, topoplan::degrees, order>, "only resolved degrees make a layout");
static_assert(!std::is_invocable_v<decltype(&layout::position), layout, int, axis>);
static_assert(layout(topoplan::resolved_degrees{.tp = 2, .dp = 2, .expert_tp = 2, .expert_dp = 2}, topoplan::orders::megatron)
                      .position(rank_id{3}, axis::dp) == 1,
              "layouts can be made and asked at compile time");

namespace {

// Written apart from the library: walks the order and counts.
std::uint64_t expected_stride(const layout& l, axis a) {
  const bool expert = !topoplan::dense_axes.contains(a);
  std::uint64_t stride = 1;
  for (const axis x : l.order()) {
    const axis read_as = !expert ? x : x == axis::tp ? axis::expert_tp : x == axis::dp ? axis::expert_dp : x;
    if (read_as == a) return stride;
    if (x == (expert ? axis::cp : axis::ep)) continue;
    stride *= l.degrees().of(read_as);
  }
  return 1;
}

void check_coordinates(const layout& l) {
  std::vector<bool> seen(l.world(), false);
  for (std::uint32_t r = 0; r < l.world(); ++r) {
    const topoplan::coordinate c = l.coordinate(rank_id{r});
    std::uint64_t dense = 0;
    std::uint64_t expert = 0;
    for (const axis a : all_axes) {
      REQUIRE(c[a] < l.degrees().of(a));
      REQUIRE(c[a] == l.position(rank_id{r}, a));
      if (topoplan::dense_axes.contains(a)) dense += c[a] * expected_stride(l, a);
      if (topoplan::expert_axes.contains(a)) expert += c[a] * expected_stride(l, a);
    }
    REQUIRE(dense == r);
    REQUIRE(expert == r);
    REQUIRE(l.rank_at(c) == rank_id{r});
    seen[r] = true;
  }
  for (const axis a : all_axes)
    if (l.degrees().of(a) > 1) REQUIRE(l.stride(a) == expected_stride(l, a));
}

// The groups partition the ranks, hold exactly those that agree on all other axes, and are numbered and ordered ascending.
void check_groups(const layout& l, axis_set set) {
  const auto f = l.groups(set);
  const axis_set numbered = set.within(topoplan::dense_axes) ? topoplan::dense_axes : topoplan::expert_axes;
  REQUIRE(std::uint64_t{f.size()} * f.group_size() == l.world());
  std::vector<bool> seen(l.world(), false);
  for (std::uint32_t g = 0; g < f.size(); ++g) {
    const topoplan::coordinate first = l.coordinate(f.member(g, 0));
    if (g > 0) REQUIRE(f.member(g, 0).value > f.member(g - 1, 0).value);
    for (std::uint32_t i = 0; i < f.group_size(); ++i) {
      const rank_id r = f.member(g, i);
      REQUIRE(r.value < l.world());
      REQUIRE(!seen[r.value]);
      seen[r.value] = true;
      if (i > 0) REQUIRE(r.value > f.member(g, i - 1).value);
      REQUIRE(f.group_of(r) == g);
      REQUIRE(f.index_in_group(r) == i);
      for (const axis a : all_axes)
        if (numbered.contains(a) && !set.contains(a)) REQUIRE(l.position(r, a) == first[a]);
    }
  }
}

void check_layout(const layout& l) {
  check_coordinates(l);
  for (unsigned bits = 1; bits < 16; ++bits) {
    axis_set dense;
    axis_set expert;
    unsigned i = 0;
    for (const axis a : {axis::tp, axis::cp, axis::dp, axis::pp})
      if ((bits >> i++ & 1U) != 0) dense = dense | a;
    i = 0;
    for (const axis a : {axis::expert_tp, axis::ep, axis::expert_dp, axis::pp})
      if ((bits >> i++ & 1U) != 0) expert = expert | a;
    check_groups(l, dense);
    check_groups(l, expert);
  }
}

template <class Call> std::string refusal(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const topoplan::invalid_argument& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("one rank") {
  const layout l(topoplan::resolve({}, 1), topoplan::orders::megatron);
  CHECK(l.world() == 1);
  check_layout(l);
}

TEST_CASE("the default order: tp fastest, then cp, dp, pp; experts expert_tp, ep, expert_dp, pp") {
  const layout l(topoplan::resolve({.tp = 4, .cp = 2, .ep = 4, .expert_tp = 2, .pp = 2}, 64), topoplan::orders::megatron);
  CHECK(l.stride(axis::tp) == 1);
  CHECK(l.stride(axis::cp) == 4);
  CHECK(l.stride(axis::dp) == 8);
  CHECK(l.stride(axis::pp) == 32);
  CHECK(l.stride(axis::expert_tp) == 1);
  CHECK(l.stride(axis::ep) == 2);
  CHECK(l.stride(axis::expert_dp) == 8);
  const auto ep = l.groups(axis::ep);
  CHECK(ep.size() == 16);
  CHECK(ep.member(0, 3) == rank_id{6});
  CHECK(ep.member(1, 0) == rank_id{1});
  const auto model = l.groups({axis::tp, axis::pp});
  CHECK(model.member(0, 4) == rank_id{32});
  check_layout(l);
}

TEST_CASE("literal layouts keep every postcondition over all ranks") {
  const auto check = [](const topoplan::degrees& d, std::uint64_t world, const char* text) {
    CAPTURE(text);
    check_layout(layout(topoplan::resolve(d, world), order(text)));
  };
  check({.tp = 8}, 32, "tp-cp-ep-dp-pp");
  check({.tp = 8, .ep = 64, .expert_tp = 1}, 64, "tp-cp-ep-dp-pp");
  check({.tp = 4, .cp = 2, .pp = 2}, 16, "tp-cp-ep-dp-pp");
  check({.tp = 3, .cp = 2, .ep = 6, .expert_tp = 1, .pp = 2}, 24, "tp-cp-ep-pp-dp");
  check({.tp = 2, .cp = 2, .ep = 4, .expert_tp = 1, .pp = 4}, 64, "pp-tp-cp-ep-dp");
  check({.tp = 2, .cp = 2, .pp = 4}, 64, "dp-cp-tp-ep-pp");
  check({.tp = 4, .pp = 2}, 64, "tp-pp-dp");
  check({.tp = 4, .cp = 4, .ep = 32, .expert_tp = 1, .pp = 4}, 256, "tp-cp-ep-dp-pp");
  check({.pp = 4}, 4, "pp");
}

TEST_CASE("random layouts keep every postcondition over all ranks") {
  topoplan_test::random rng(31);
  const std::vector<const char*> orders{"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "cp-tp-ep-dp-pp",
                                        "dp-cp-tp-ep-pp", "ep-pp-dp-cp-tp", "pp-tp-cp-ep-dp"};
  int built = 0;
  for (int i = 0; i < 400; ++i) {
    const topoplan::degrees d{.tp = static_cast<std::uint32_t>(rng.between(1, 4)),
                              .cp = static_cast<std::uint32_t>(rng.between(1, 3)),
                              .ep = static_cast<std::uint32_t>(rng.between(1, 4)),
                              .expert_tp = static_cast<std::uint32_t>(rng.between(0, 2)),
                              .pp = static_cast<std::uint32_t>(rng.between(1, 3))};
    const std::uint64_t world = std::uint64_t{d.tp} * d.cp * d.pp * rng.between(1, 4);
    const order o(rng.pick(orders));
    if (!refusal([&] { return layout(topoplan::resolve(d, world), o); }).empty()) continue;
    ++built;
    check_layout(layout(topoplan::resolve(d, world), o));
  }
  CHECK(built > 50);
}

TEST_CASE("the largest world") {
  const layout l(topoplan::resolve({.tp = 8, .pp = 16}, topoplan::max_world), topoplan::orders::megatron);
  const rank_id last{l.world() - 1};
  CHECK(l.rank_at(l.coordinate(last)) == last);
  CHECK(l.coordinate(last)[axis::dp] == (1U << 24U) - 1);
  const auto f = l.groups({axis::tp, axis::pp});
  CHECK(f.member(f.group_of(last), f.index_in_group(last)) == last);
}

TEST_CASE("a layout that would be wrong is refused") {
  const auto make = [](const topoplan::degrees& d, std::uint64_t world, const char* text) {
    return refusal([&] { return layout(topoplan::resolve(d, world), order(text)); });
  };
  CHECK(make({.tp = 2, .cp = 2, .pp = 2}, 32, "tp-dp-pp") == "order tp-dp-pp doesn't name cp, and cp is 2");
  CHECK(make({.tp = 2, .ep = 2, .pp = 2}, 32, "tp-cp-dp-pp") == "order tp-cp-dp-pp doesn't name ep, and ep is 2");
  CHECK(make({.tp = 2, .pp = 2}, 32, "cp-dp-pp") == "order cp-dp-pp doesn't name tp, and tp is 2");
  CHECK(make({.expert_tp = 2}, 32, "cp-dp-pp") == "order cp-dp-pp doesn't name tp, and expert_tp is 2");
  CHECK(make({.tp = 2}, 32, "tp-cp-ep-pp") == "order tp-cp-ep-pp doesn't name dp, and dp is 16");
  CHECK(make({.tp = 2, .cp = 16}, 32, "tp-cp-ep-pp") == "order tp-cp-ep-pp doesn't name dp, and expert_dp is 16");
  CHECK(make({.tp = 2, .pp = 4}, 32, "tp-cp-ep-dp") == "order tp-cp-ep-dp doesn't name pp, and pp is 4");
  CHECK(make({.tp = 4, .cp = 2, .ep = 4, .expert_tp = 2, .pp = 2}, 32, "tp-cp-pp-ep-dp") ==
        "order tp-cp-pp-ep-dp puts pp at stride 8 in the dense decomposition and at 2 in the expert one, so the two would "
        "disagree about pipeline stages; let the order end in pp, or make the products of the axes before pp equal (dense "
        "against expert)");
  CHECK(make({.tp = 4, .cp = 2, .pp = 2}, 16, "tp-cp-ep-pp-dp").find("puts pp at stride 8") != std::string::npos);

  topoplan::resolved_degrees d{.tp = 2, .dp = 3};  // not from resolve(): the expert side covers one rank only
  CHECK(refusal([&] { return layout(d, topoplan::orders::megatron); }) ==
        "the expert degrees multiply to 1 and the world has 6 ranks");
  d = {.dp = 1U << 31U, .pp = 2, .expert_dp = 1U << 31U};
  CHECK(refusal([&] { return layout(d, topoplan::orders::megatron); }) ==
        "a world of 4294967296 ranks exceeds the limit of 2147483648");
}

TEST_CASE("groups of no axis, or of axes from both decompositions, are refused") {
  const layout l(topoplan::resolve({.tp = 4, .ep = 2, .pp = 2}, 64), topoplan::orders::megatron);
  CHECK(refusal([&] { return l.groups(axis_set{}); }) == "the groups of no axis were asked for");
  CHECK(refusal([&] { return l.groups({axis::tp, axis::ep}); }) ==
        "axes tp,ep mix the dense decomposition (tp, cp, dp, pp) with the expert one (expert_tp, ep, expert_dp, pp)");
  CHECK(refusal([&] { return l.groups({axis::dp, axis::expert_dp, axis::pp}); }).find("axes dp,pp,expert_dp mix") == 0);
}

TEST_CASE("layouts compare by degrees and order") {
  const auto d = topoplan::resolve({.tp = 4, .pp = 2}, 64);
  CHECK(layout(d, topoplan::orders::megatron) == layout(d, order("tp-cp-ep-dp-pp")));
  CHECK(layout(d, topoplan::orders::megatron) != layout(d, topoplan::orders::megatron_tp_pp_dp));
  CHECK(layout(d, topoplan::orders::megatron) != layout(topoplan::resolve({.tp = 2, .pp = 2}, 64), topoplan::orders::megatron));
}

TEST_CASE("a mesh order turned around numbers the same ranks") {
  const auto d = topoplan::resolve({.tp = 4, .pp = 2}, 64);
  const topoplan::mesh_order mesh("pp-dp-ep-cp-tp");
  CHECK(layout(d, to_fastest_first(mesh)) == layout(d, topoplan::orders::megatron));
}
