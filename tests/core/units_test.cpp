#include <topoplan/core/units.hpp>

#include <doctest/doctest.h>

using namespace topoplan::literals;

TEST_CASE("a gibibyte isn't a gigabyte") {
  CHECK(1_GiB > 1_GB);
  CHECK((1_GiB).value == 1'073'741'824U);
  CHECK((1_GB).value == 1'000'000'000U);
}
