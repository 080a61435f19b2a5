#include <topoplan/core/ids.hpp>

#include <doctest/doctest.h>
#include <ranges>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

using topoplan::domain_id;
using topoplan::gpu_id;
using topoplan::host_id;
using topoplan::id_range;
using topoplan::rail_id;
using topoplan::rank_id;

namespace {

template <class A, class B>
constexpr bool separate = !std::is_convertible_v<A, B> && !std::is_convertible_v<B, A> && !std::is_assignable_v<A&, B> &&
                          !std::is_constructible_v<A, B> && !std::equality_comparable_with<A, B>;

}  // namespace

TEST_SUITE_BEGIN("core/ids");

TEST_CASE("ids of different kinds have nothing to do with each other, nor with plain numbers") {
  static_assert(separate<rank_id, gpu_id>);
  static_assert(separate<rank_id, host_id>);
  static_assert(separate<gpu_id, host_id>);
  static_assert(separate<gpu_id, domain_id>);
  static_assert(separate<host_id, domain_id>);
  static_assert(separate<rail_id, gpu_id>);
  static_assert(!std::is_convertible_v<std::uint32_t, rank_id>);
  static_assert(!std::is_convertible_v<rank_id, std::uint32_t>);
  static_assert(std::is_constructible_v<rank_id, std::uint32_t>);
}

TEST_CASE("an id costs what its number costs") {
  static_assert(sizeof(rank_id) == sizeof(std::uint32_t));
  static_assert(std::is_trivially_copyable_v<rank_id>);
  static_assert(std::regular<rank_id>);
  static_assert(std::totally_ordered<rank_id>);
}

TEST_CASE("ids of one kind are ordered by number") {
  static_assert(rank_id{2} < rank_id{3});
  static_assert(rank_id{3} == rank_id{3});
  static_assert(rank_id{4} >= rank_id{3});
  static_assert(rank_id{} == rank_id{0});
}

TEST_CASE("an id_range yields first, first+1 ... last-1") {
  const auto check = [](std::uint32_t first, std::uint32_t last) {
    const id_range<rank_id> range(first, last);
    CHECK(range.size() == last - first);
    CHECK(range.empty() == (first == last));
    std::uint32_t expected = first;
    for (const rank_id r : range) CHECK(r.value == expected++);
    CHECK(expected == last);
  };
  check(0, 0);
  check(7, 7);
  check(0, 1);
  check(5, 13);
  check(4'294'967'290U, 4'294'967'295U);
}

TEST_CASE("an id_range is a range to the standard library") {
  static_assert(std::ranges::forward_range<id_range<gpu_id>>);
  static_assert(std::ranges::sized_range<id_range<gpu_id>>);
  static_assert(std::forward_iterator<id_range<gpu_id>::iterator>);
  const id_range<gpu_id> range(3, 6);
  CHECK(std::vector<gpu_id>(range.begin(), range.end()) == std::vector{gpu_id{3}, gpu_id{4}, gpu_id{5}});
  auto at = range.begin();
  CHECK(*at++ == gpu_id{3});
  CHECK(*at == gpu_id{4});
}

TEST_SUITE_END();
