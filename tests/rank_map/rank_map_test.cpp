// Tests of rank_map/rank_map.hpp: every accessor against the columns that the map was made from, over all ranks.
#include <topoplan/rank_map/rank_map.hpp>

#include <doctest/doctest.h>
#include <ranges>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/rank_maps.hpp"

namespace {

using namespace topoplan;
using topoplan_test::random_parts;
using topoplan_test::rank_map_parts;
using topoplan_test::regular_parts;

static_assert(std::is_trivially_copyable_v<rank_map_view>);
static_assert(std::ranges::random_access_range<rank_list>);
static_assert(std::ranges::sized_range<rank_list>);
static_assert(std::is_nothrow_move_constructible_v<rank_map>);

// The postconditions of the constructor, for every rank and host.
void check_rank_map(const rank_map_view& map, const rank_map_parts& parts) {
  const rank_columns& c = parts.columns;
  REQUIRE(map.world() == parts.layout.world());
  REQUIRE(map.hosts() == parts.hosts.size());
  CHECK(map.layout() == parts.layout);
  CHECK(map.degrees() == parts.layout.degrees());
  CHECK(map.order() == parts.layout.order());
  CHECK(map.spares() == parts.spares);
  CHECK(map.digests() == parts.made_for);
  CHECK(map.has_rail() == !c.rail.empty());
  CHECK(map.has_numa() == !c.numa.empty());
  CHECK(map.has_uuid() == !c.uuid.empty());
  CHECK(map.has_pci() == !c.pci.empty());
  std::vector<std::vector<rank_id>> on_host(parts.hosts.size());
  for (std::uint32_t i = 0; i < map.world(); ++i) {
    const rank_id r{i};
    CHECK(map.host_of(r).value == c.host[i]);
    CHECK(map.gpu_of(r) == c.gpu[i]);
    CHECK(map.domain_of(r).value == c.domain[i]);
    CHECK(map.local_rank_of(r) == on_host[c.host[i]].size());
    CHECK(map.coordinate(r) == parts.layout.coordinate(r));
    if (map.has_rail()) CHECK(map.rail_of(r).value == c.rail[i]);
    if (map.has_numa()) CHECK(map.numa_of(r) == c.numa[i]);
    if (map.has_uuid()) CHECK(map.uuid_of(r) == c.uuid[i]);
    if (map.has_pci()) CHECK(map.pci_of(r) == c.pci[i]);
    on_host[c.host[i]].push_back(r);
  }
  bool contiguous = true;
  for (std::uint32_t h = 0; h < map.hosts(); ++h) {
    const rank_list ranks = map.ranks_on(host_id{h});
    CHECK(std::ranges::equal(ranks, on_host[h]));
    CHECK(ranks[ranks.size() - 1] == on_host[h].back());
    CHECK(map.host_name(host_id{h}) == parts.hosts[h]);
    CHECK(map.find_host(parts.hosts[h]) == host_id{h});
    CHECK(map.find_host(parts.hosts[h] + "x") == std::nullopt);
    contiguous = contiguous && on_host[h].back().value - on_host[h].front().value + 1 == on_host[h].size();
  }
  CHECK(map.contiguous() == contiguous);
  CHECK(map.domains() == *std::max_element(c.domain.begin(), c.domain.end()) + 1);
  CHECK(map.find_host("") == std::nullopt);
}

TEST_CASE("one rank on one host") {
  const rank_map_parts parts = regular_parts({}, 1, 1);
  check_rank_map(parts.build(), parts);
}

TEST_CASE("full hosts in order") {
  const rank_map_parts parts = regular_parts({.tp = 4, .cp = 2, .ep = 2, .pp = 3}, 12, 8);
  const rank_map map = parts.build();
  check_rank_map(map, parts);
  CHECK(map.contiguous());
}

TEST_CASE("seeded maps of all shapes") {
  topoplan_test::random numbers(3);
  int free = 0;
  for (int i = 0; i < 300; ++i) {
    const rank_map_parts parts = random_parts(numbers, i % 2 == 0);
    const rank_map map = parts.build();
    check_rank_map(map, parts);
    free += map.contiguous() ? 0 : 1;
  }
  CHECK(free > 50);
}

TEST_CASE("a rank list is walked in both directions") {
  const rank_map map = regular_parts({.tp = 8}, 2, 8).build();
  const rank_list ranks = map.ranks_on(host_id{1});
  CHECK(ranks.size() == 8);
  CHECK((ranks.end() - ranks.begin()) == 8);
  CHECK(*(ranks.begin() + 3) == rank_id{11});
  CHECK(*std::prev(ranks.end()) == rank_id{15});
  CHECK(ranks.begin()[5] == rank_id{13});
  CHECK(ranks.begin() < ranks.end());
  CHECK(std::ranges::distance(ranks | std::views::reverse) == 8);
  CHECK(*(ranks | std::views::reverse).begin() == rank_id{15});
}

TEST_CASE("copies and moves keep the map") {
  topoplan_test::random numbers(4);
  const rank_map_parts parts = random_parts(numbers, false);
  rank_map first = parts.build();
  const rank_map copy = first;
  CHECK(copy == first);
  CHECK(copy.image().data() != first.image().data());
  rank_map moved = std::move(first);
  check_rank_map(moved, parts);
  first = regular_parts({}, 5, 8).build();  // what was moved from has no part in it any more
  const std::vector<std::byte> reused(moved.image().size(), std::byte{0xff});
  check_rank_map(moved, parts);
  rank_map other = regular_parts({}, 1, 2).build();
  CHECK(!(other == copy));
  other = copy;
  check_rank_map(other, parts);
  other = std::move(moved);
  check_rank_map(other, parts);
  other = *&other;
  check_rank_map(other, parts);
}

TEST_CASE("a rebased view reads the copy") {
  topoplan_test::random numbers(5);
  const rank_map_parts parts = random_parts(numbers, false);
  const rank_map map = parts.build();
  std::vector<std::uint64_t> copy(map.image().size() / 8);
  REQUIRE(copy.size() * 8 == map.image().size());
  std::memcpy(copy.data(), map.image().data(), map.image().size());
  const rank_map_view view = map.view().rebased(copy.data());
  check_rank_map(view, parts);
  CHECK(static_cast<const void*>(view.image().data()) == copy.data());
  std::memset(copy.data(), 0, map.image().size());
  CHECK(view.gpu_of(rank_id{1}) == 0);
}

TEST_CASE("one content has one image") {
  topoplan_test::random numbers(6);
  std::set<std::string> images;
  for (int i = 0; i < 20; ++i) {
    const rank_map_parts parts = random_parts(numbers, false);
    const rank_map map = parts.build();
    CHECK(map == parts.build());
    images.insert({reinterpret_cast<const char*>(map.image().data()), map.image().size()});
  }
  CHECK(images.size() == 20);
}

TEST_CASE("a million ranks fit into 30 MB") {
  const rank_map map = regular_parts({.tp = 8, .pp = 16}, 1024, 8).build();
  CHECK(map.image().size() * 1'048'576 / map.world() <= 30'000'000);
}

template <class Break> std::string refusal(const Break& how) {
  rank_map_parts parts = regular_parts({.tp = 2}, 3, 4);
  parts.spares = {{"elsewhere", {0, 1}}};
  how(parts);
  try {
    (void)parts.build();
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

#define CHECK_REFUSED(text, ...) CHECK(refusal([](rank_map_parts& p) { __VA_ARGS__; }).find(text) != std::string::npos)

TEST_CASE("what is refused, and in which words") {
  CHECK(refusal([](rank_map_parts&) {}) == "accepted");
  CHECK_REFUSED("column host of a rank map has 11 entries; the world has 12 ranks", p.columns.host.pop_back());
  CHECK_REFUSED("column gpu of a rank map has 13 entries", p.columns.gpu.push_back(0));
  CHECK_REFUSED("column domain of a rank map has 0 entries", p.columns.domain.clear());
  CHECK_REFUSED("column rail of a rank map has 1 entries", p.columns.rail.push_back(0));
  CHECK_REFUSED("column numa of a rank map has 11 entries", p.columns.numa.resize(11));
  CHECK_REFUSED("column uuid of a rank map has 2 entries", p.columns.uuid.resize(2));
  CHECK_REFUSED("column pci of a rank map has 2 entries", p.columns.pci.resize(2));
  CHECK_REFUSED("rank 5 is on host index 3; there are 3 hosts", p.columns.host[5] = 3);
  CHECK_REFUSED("GPU 1 of host 'gpu-1007' holds two ranks, 5 and 7", p.columns.gpu[7] = 1);
  CHECK_REFUSED("rank 0 is the first one on host 'gpu-1007', so that host belongs at index 0 and not 1", p.columns.host[0] = 1);
  CHECK_REFUSED("host 'idle' holds no rank", p.hosts.push_back("idle"));
  CHECK_REFUSED("host 1 of a rank map has no name", p.hosts[1].clear());
  CHECK_REFUSED("hosts 0 and 2 of a rank map have one name, 'gpu-1000'", p.hosts[2] = p.hosts[0]);
  CHECK_REFUSED("rank 3 has no domain id", p.columns.domain[3] = 0xffffffff);
  CHECK_REFUSED("GPU 2 of host 'gpu-1014' holds rank 10 and is listed as a spare", p.spares.push_back({"gpu-1014", {7, 2}}));
  CHECK_REFUSED("GPU 9 of host 'gpu-1000' is listed twice as a spare", p.spares.push_back({"gpu-1000", {9, 8, 9}}));
  CHECK_REFUSED("host 'elsewhere' is listed twice among the spares", p.spares.push_back({"elsewhere", {5}}));
  CHECK_REFUSED("a spare of a rank map has no host name", p.spares.push_back({"", {5}}));
  CHECK_REFUSED("uuid of rank 1, 'xxx", p.columns.uuid.resize(12); p.columns.uuid[1].assign(256, 'x'));
  CHECK_REFUSED("pci of rank 4, 'a\\x00b'", p.columns.pci.resize(12); p.columns.pci[4] = std::string("a\0b", 3));
}

TEST_CASE("spares on hosts in use, on idle hosts, and none at all, are kept in the order given") {
  rank_map_parts parts = regular_parts({.tp = 2}, 3, 4);
  parts.spares = {{"z", {3, 1}}, {"gpu-1007", {5, 4}}, {"a", {}}};
  check_rank_map(parts.build(), parts);
}

}  // namespace
