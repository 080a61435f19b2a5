#include <topoplan/solve/objective.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace topoplan;

namespace {

// The least that models the concept.
struct archetype {
  archetype() = delete;
  archetype(const archetype&) = delete;
  std::int64_t weight(axis) const;
  edge_pattern pattern(axis) const;
  std::int64_t distance(std::size_t) const;
  const char* str() const;
};
static_assert(objective<archetype>);

struct without_weight {
  edge_pattern pattern(axis) const;
  std::int64_t distance(std::size_t) const;
  std::string str() const;
};
struct fractional_weight : archetype {
  double weight(axis) const;
};
struct pattern_as_number : archetype {
  int pattern(axis) const;
};
struct distance_of_axis : archetype {
  std::int64_t distance(axis) const;
};
struct changes_itself : archetype {
  std::int64_t weight(axis);
};
struct without_name {
  std::int64_t weight(axis) const;
  edge_pattern pattern(axis) const;
  std::int64_t distance(std::size_t) const;
};
static_assert(!objective<without_weight>);
static_assert(!objective<fractional_weight>);
static_assert(!objective<pattern_as_number>);
static_assert(!objective<distance_of_axis>);
static_assert(!objective<changes_itself>);
static_assert(!objective<without_name>);
static_assert(!objective<int>);

}  // namespace

TEST_CASE("default_objective: weights and distances rise as documented") {
  const default_objective o;
  CHECK(o.weight(axis::tp) > o.weight(axis::cp));
  CHECK(o.weight(axis::cp) == o.weight(axis::ep));
  CHECK(o.weight(axis::ep) > o.weight(axis::pp));
  CHECK(o.weight(axis::pp) > o.weight(axis::dp));
  CHECK(o.weight(axis::expert_tp) == o.weight(axis::tp));
  CHECK(o.weight(axis::expert_dp) == o.weight(axis::dp));
  const std::int64_t expected[] = {1, 3, 10, 30, 60, 90, 120};
  for (std::size_t level = 0; level < 7; ++level) CHECK(o.distance(level) == expected[level]);
  CHECK(o.pattern(axis::pp) == edge_pattern::chain);
  CHECK(o.pattern(axis::dp) == edge_pattern::ring);
  for (const char* word : {"tp 64", "cp 16", "ep 16", "pp 4", "dp 1", "domain 1", "host 3", "leaf group 10", "30"})
    CHECK(o.str().find(word) != std::string::npos);
}

TEST_CASE("custom_objective: distances beyond the given ones go on in the last step") {
  custom_objective o;
  o.distances = {1, 5, 20};
  CHECK(o.distance(2) == 20);
  CHECK(o.distance(3) == 35);
  CHECK(o.distance(4) == 50);
  o.distances = {2};
  CHECK(o.distance(4) == 2);
}

TEST_CASE("priced: an objective that isn't monotone or weighs negatively is refused with its numbers") {
  custom_objective falling;
  falling.distances = {1, 10, 5};
  CHECK_THROWS_WITH_AS(static_cast<void>(detail::priced(falling, 2)), doctest::Contains("falls from 10 to 5 at level 2"),
                       invalid_argument);
  custom_objective negative;
  negative.weights[static_cast<std::size_t>(axis::cp)] = -3;
  CHECK_THROWS_WITH_AS(static_cast<void>(detail::priced(negative, 2)), doctest::Contains("weighs cp with -3"), invalid_argument);
  CHECK(detail::priced(default_objective{}, 3).distance.size() == 6);
}
