// place() against a search that compares every placement.
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/place.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

#include "solve/instances.hpp"
#include "solve/oracle.hpp"
#include "support/random.hpp"

using namespace topoplan;
using topoplan_test::instance;
using topoplan_test::oracle;
using topoplan_test::random_instance;

namespace {

// Unoptimised and sanitized builds look for other faults; they compare fewer.
#ifdef NDEBUG
constexpr int rounds = 1000;
constexpr int least_placed = 500;
#else
constexpr int rounds = 40;
constexpr int least_placed = 5;
#endif

// The same answer as the oracle's, with its cost; the bound holds for the oracle's best too.
bool compare_with_oracle(const instance& i) {
  CAPTURE(i.str());
  const layout l(resolve_for(i.d, usable_gpus(i.c)), i.o);
  const std::optional<std::int64_t> least = oracle(i.c, l, i.options.confine, i.options.launcher.contiguous, i.price).best();
  const placement p = i.place();
  REQUIRE(static_cast<bool>(p) == least.has_value());
  if (!p) return false;
  topoplan_test::check_place(i.c, p, i.options, i.price);
  CHECK(p->cost.cost == *least);
  CHECK(p->lower_bound <= *least);
  CHECK(p->lower_bound == lower_bound(i.c, l, i.options, i.price));
  return true;
}

}  // namespace

TEST_CASE("place: equal to exhaustive search over all orders of up to 8 hosts and all cuts between them") {
  topoplan_test::random random(20240601);
  int placed = 0;
  for (int i = 0; i < rounds; ++i) placed += compare_with_oracle(random_instance(random, launchers::torchrun, 8, 10)) ? 1 : 0;
  CHECK(placed > least_placed);
  CHECK(placed < rounds);
}

TEST_CASE("place: equal to exhaustive search over all assignments of ranks to GPUs") {
  topoplan_test::random random(7);
  int placed = 0;
  for (int i = 0; i < rounds; ++i) placed += compare_with_oracle(random_instance(random, launchers::free, 6, 9)) ? 1 : 0;
  CHECK(placed > least_placed);
  CHECK(placed < rounds);
}

TEST_CASE("place: equal to exhaustive search on hosts with several NVLink domains and consecutive ranks") {
  topoplan_test::random random(12);
  int placed = 0;
  for (int i = 0; i < rounds; ++i)
    placed +=
        compare_with_oracle(random_instance(random, launchers::torchrun, 6, 9, 3, 4, {topoplan_test::nvlink::pairs})) ? 1 : 0;
  CHECK(placed > least_placed);
  CHECK(placed < rounds);
}
