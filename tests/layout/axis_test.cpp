#include <topoplan/layout/axis.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

using topoplan::all_axes;
using topoplan::axis;
using topoplan::axis_set;
using topoplan::parse_axis;
using topoplan::parse_axis_set;

static_assert(std::is_trivially_copyable_v<axis_set>);
static_assert(axis_set(axis::tp).contains(axis::tp));
static_assert(!axis_set{}.contains(axis::tp));
static_assert(std::is_convertible_v<axis, axis_set>);
static_assert(!std::is_convertible_v<int, axis>);
static_assert(!std::is_convertible_v<int, axis_set>);

TEST_CASE("axes print and read back") {
  std::string names;
  for (const axis a : all_axes) {
    CHECK(parse_axis(to_string(a)) == a);
    names += std::string(to_string(a)) + ' ';
  }
  CHECK(names == "tp cp ep dp pp expert_tp expert_dp ");
  for (const char* wrong : {"", "TP", "tp ", "expert-tp", "mp"})
    CHECK_THROWS_WITH_AS(
        static_cast<void>(parse_axis(wrong)),
        (topoplan::quoted(wrong).insert(0, "unknown axis ") + "; the axes are tp, cp, ep, dp, pp, expert_tp and expert_dp")
            .c_str(),
        topoplan::invalid_argument);
}

TEST_CASE("sets of axes behave as sets, for all pairs of them") {
  for (unsigned bits_a = 0; bits_a < 128; ++bits_a)
    for (unsigned bits_b = 0; bits_b < 128; ++bits_b) {
      axis_set a;
      axis_set b;
      for (const axis x : all_axes) {
        if ((bits_a >> static_cast<unsigned>(x) & 1U) != 0) a = a | x;
        if ((bits_b >> static_cast<unsigned>(x) & 1U) != 0) b = b | x;
      }
      REQUIRE((a == b) == (bits_a == bits_b));
      REQUIRE(a.within(b) == ((bits_a & ~bits_b) == 0));
      REQUIRE(a.empty() == (bits_a == 0));
      for (const axis x : all_axes) {
        REQUIRE((a | b).contains(x) == (a.contains(x) || b.contains(x)));
        REQUIRE((a - b).contains(x) == (a.contains(x) && !b.contains(x)));
      }
    }
}

TEST_CASE("sets of axes print in a fixed order and read back in any") {
  CHECK(to_string(axis_set{axis::pp, axis::tp, axis::cp}) == "tp,cp,pp");
  CHECK(to_string(axis_set{}).empty());
  CHECK(parse_axis_set("pp,tp,cp") == axis_set{axis::tp, axis::cp, axis::pp});
  CHECK(parse_axis_set("expert_dp") == axis::expert_dp);
  CHECK_THROWS_WITH_AS(static_cast<void>(parse_axis_set("tp,cp,tp")), "axis tp stands twice in 'tp,cp,tp'",
                       topoplan::invalid_argument);
  for (const char* wrong : {"", ",", "tp,", ",tp", "tp,,cp"})
    CHECK_THROWS_WITH_AS(static_cast<void>(parse_axis_set(wrong)), doctest::Contains("unknown axis ''"),
                         topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS(static_cast<void>(parse_axis_set("tp cp")), doctest::Contains("unknown axis 'tp cp'"),
                       topoplan::invalid_argument);
}

TEST_CASE("the two decompositions share pp and nothing else") {
  for (const axis a : all_axes) {
    CHECK((topoplan::dense_axes.contains(a) || topoplan::expert_axes.contains(a)));
    CHECK((topoplan::dense_axes.contains(a) && topoplan::expert_axes.contains(a)) == (a == axis::pp));
  }
}
