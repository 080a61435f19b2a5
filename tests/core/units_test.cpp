#include <topoplan/core/units.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <limits>
#include <type_traits>

using namespace topoplan::literals;
using topoplan::bytes;
using topoplan::bytes_per_second;
using topoplan::seconds;

namespace {

template <class A, class B> constexpr bool addable = requires(A a, B b) { a + b; };
template <class A, class B> constexpr bool subtractable = requires(A a, B b) { a - b; };
template <class A, class B> constexpr bool multipliable = requires(A a, B b) { a* b; };
template <class A, class B> constexpr bool divisible = requires(A a, B b) { a / b; };
template <class A, class B> constexpr bool comparable = requires(A a, B b) { a < b; };

template <class A, class B>
constexpr bool separate = !addable<A, B> && !addable<B, A> && !subtractable<A, B> && !comparable<A, B> &&
                          !std::is_convertible_v<A, B> && !std::is_constructible_v<A, B>;

}  // namespace

TEST_SUITE_BEGIN("core/units");

TEST_CASE("quantities of different kinds don't add, compare or convert") {
  static_assert(separate<bytes, seconds>);
  static_assert(separate<bytes, bytes_per_second>);
  static_assert(separate<bytes_per_second, seconds>);
  static_assert(!multipliable<seconds, seconds>);
  static_assert(!multipliable<bytes, bytes>);
  static_assert(!divisible<seconds, bytes>);
  static_assert(!std::is_convertible_v<double, seconds>);
  static_assert(!std::is_convertible_v<int, bytes>);
  static_assert(!std::is_convertible_v<double, bytes_per_second>);
}

TEST_CASE("an amount of bytes is multiplied by whole numbers only") {
  static_assert(multipliable<bytes, int>);
  static_assert(multipliable<unsigned, bytes>);
  static_assert(!multipliable<bytes, double>);
  static_assert(!multipliable<float, bytes>);
  static_assert(3 * 2_B == 6_B);
  static_assert(2_B * 3 == 6_B);
}

TEST_CASE("a gibibyte isn't a gigabyte") {
  static_assert((1_KB).value == 1'000 && (1_KiB).value == 1'024);
  static_assert((1_MB).value == 1'000'000 && (1_MiB).value == 1'048'576);
  static_assert((1_GB).value == 1'000'000'000 && (1_GiB).value == 1'073'741'824);
  static_assert((1_TB).value == 1'000'000'000'000 && (1_TiB).value == 1'099'511'627'776);
  static_assert(80_GB < 80_GiB);
}

TEST_CASE("a gigabit a second isn't a gigabyte a second") {
  CHECK(400_Gbps == 50_GBps);
  CHECK((400_Gbps).gigabits() == 400);
  CHECK((400_Gbps).gigabytes() == 50);
  CHECK(topoplan::gigabits_per_second(400) == 400_Gbps);
  CHECK(topoplan::gigabytes_per_second(450) == 450_GBps);
  CHECK(12.5_GBps == 100.0_Gbps);
}

TEST_CASE("an amount, a rate and a time give each other") {
  CHECK((50_GB / 50_GBps).value == doctest::Approx(1));
  CHECK((1_GiB / 400_Gbps).value == doctest::Approx(1.073741824 / 50));
  CHECK((50_GB / 2_s).gigabytes() == doctest::Approx(25));
  CHECK((1_B / bytes_per_second{0}).value == std::numeric_limits<double>::infinity());
}

TEST_CASE("amounts, rates and times add and scale within their kind") {
  static_assert(1_KB + 24_B == 1_KiB);
  static_assert(1_KiB - 24_B == 1_KB);
  static_assert(1_GiB / 1_MiB == 1024.0);
  CHECK((1_s + 500_ms).value == doctest::Approx(1.5));
  CHECK((2_ms - 500_us).value == doctest::Approx(1.5e-3));
  CHECK((1.5_ms).value == doctest::Approx(1.5e-3));
  CHECK((2.5_us).value == doctest::Approx(2.5e-6));
  CHECK(0.5_s * 4 == 2_s);
  CHECK(4 * 0.5_s == 2_s);
  CHECK(3_s / 2_s == 1.5);
  CHECK(400_Gbps + 400_Gbps == 800_Gbps);
  CHECK(2 * 400_Gbps == 800_Gbps);
  CHECK(400_Gbps * 0.5 == 200_Gbps);
  CHECK(800_Gbps / 2 == 400_Gbps);
  CHECK(900_GBps / 50_GBps == 18);
}

TEST_CASE("a default quantity is zero") {
  static_assert(bytes{} == 0_B);
  CHECK(seconds{} == 0_s);
  CHECK(bytes_per_second{} == 0_GBps);
}

TEST_SUITE_END();
