#include <topoplan/layout/megatron_family.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using topoplan::rank_grid;
using topoplan::rank_id;
using topoplan::megatron::derivation;
using topoplan::megatron::group_family;
using lists = std::vector<std::vector<std::uint32_t>>;

namespace {

// Lists the groups and checks on the way that find() inverts member() and that nobody else is found.
lists members(const group_family& f, std::uint32_t world) {
  lists all(f.size());
  std::uint32_t count = 0;
  for (std::uint32_t g = 0; g < f.size(); ++g)
    for (std::uint32_t i = 0; i < f.group_size(g); ++i, ++count) {
      all[g].push_back(f.member(g, i).value);
      REQUIRE(f.find(f.member(g, i)) == topoplan::megatron::membership{g, i});
    }
  for (std::uint32_t r = 0; r < world; ++r) count -= f.find(rank_id{r}).has_value() ? 1U : 0U;
  CHECK(count == 0);
  return all;
}

const rank_grid grid({{"a", 2}, {"b", 6}});
const std::vector<std::string> b{"b"};

std::string strides(const group_family& f) { return f.strides() ? to_string(*f.strides()) : "uneven"; }

}  // namespace

TEST_CASE("the groups of a dimension, whole") {
  const group_family f("F", grid, b);
  CHECK(members(f, 12) == lists{{0, 2, 4, 6, 8, 10}, {1, 3, 5, 7, 9, 11}});
  CHECK(strides(f) == "6:2");
  CHECK(f.name() == "F");
  CHECK(f.dims() == b);
  CHECK(f.source().empty());
}

TEST_CASE("slices of them") {
  const group_family even("F", grid, b, derivation::slices, 3);
  CHECK(members(even, 12) == lists{{0, 2, 4}, {6, 8, 10}, {1, 3, 5}, {7, 9, 11}});
  CHECK(strides(even) == "3:2");
  const group_family ragged("F", grid, b, derivation::slices, 4);
  CHECK(members(ragged, 12) == lists{{0, 2, 4, 6}, {8, 10}, {1, 3, 5, 7}, {9, 11}});
  CHECK(strides(ragged) == "uneven");
  const group_family larger("F", grid, b, derivation::slices, 8);
  CHECK(members(larger, 12) == lists{{0, 2, 4, 6, 8, 10}, {1, 3, 5, 7, 9, 11}});
}

TEST_CASE("levels of them") {
  const group_family inner("F", grid, b, derivation::level, 2, 1);
  CHECK(members(inner, 12) == lists{{0, 2}, {4, 6}, {8, 10}, {1, 3}, {5, 7}, {9, 11}});
  CHECK(strides(inner) == "2:2");
  const group_family outer("F", grid, b, derivation::level, 3, 2);
  CHECK(members(outer, 12) == lists{{0, 4, 8}, {2, 6, 10}, {1, 5, 9}, {3, 7, 11}});
  CHECK(strides(outer) == "3:4");
}

TEST_CASE("ends and firsts of them: the others are in no group") {
  const group_family ends("F", grid, b, derivation::ends);
  CHECK(members(ends, 12) == lists{{0, 10}, {1, 11}});
  CHECK_FALSE(ends.find(rank_id{4}).has_value());
  CHECK(strides(ends) == "2:10");
  const group_family firsts("F", grid, b, derivation::first);
  CHECK(members(firsts, 12) == lists{{0}, {1}});
  CHECK(strides(firsts) == "1:0");
  const group_family single("F", rank_grid({{"a", 2}, {"b", 1}}), b, derivation::ends);
  CHECK(members(single, 2) == lists{{0}, {1}});
  CHECK(strides(single) == "1:0");
}

TEST_CASE("several of them joined") {
  const group_family f("F", grid, {"a"}, derivation::joined, 3);
  CHECK(members(f, 12) == lists{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}});
  const group_family crossed("F", grid, b, derivation::joined, 2);
  CHECK(members(crossed, 12) == lists{{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}});
  CHECK(strides(crossed) == "6:2,2:1");
}

TEST_CASE("ranks outside of the grid are in no group") {
  const group_family f("F", rank_grid({{"a", 4}}, 8), {"a"});
  CHECK(f.find(rank_id{8}) == topoplan::megatron::membership{0, 0});
  CHECK_FALSE(f.find(rank_id{7}).has_value());
  CHECK_FALSE(f.find(rank_id{12}).has_value());
}
