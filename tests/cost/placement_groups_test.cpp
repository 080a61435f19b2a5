#include <topoplan/cluster/presets.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/cost/ideal_groups.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/random.hpp"

namespace {

using namespace topoplan;

// The map of a job whose rank r sits on GPU seats[r].
rank_map seated(const cluster& c, const degrees& d, const std::vector<std::uint32_t>& seats) {
  const layout l(resolve(d, seats.size()), orders::megatron);
  std::vector<std::string> hosts;
  std::vector<std::uint32_t> index(c.hosts.size(), UINT32_MAX);
  rank_columns columns;
  for (const std::uint32_t s : seats) {
    const gpu& g = c.gpus[s];
    std::uint32_t& h = index[g.host.value];
    if (h == UINT32_MAX) {
      h = static_cast<std::uint32_t>(hosts.size());
      hosts.push_back(c.at(g.host).name);
    }
    columns.host.push_back(h);
    columns.gpu.push_back(g.index);
    columns.domain.push_back(g.domain.value);
  }
  return rank_map(l, hosts, columns);
}

std::vector<std::uint32_t> in_order(const cluster& c) {
  std::vector<std::uint32_t> seats(c.gpus.size());
  std::iota(seats.begin(), seats.end(), 0U);
  return seats;
}

TEST_CASE("shapes of a regular placement") {
  const cluster c = make_cluster("dgx-h100:64");
  const axis_groups g = groups_of(c, seated(c, {.tp = 8, .pp = 4}, in_order(c)));
  CHECK(g.tp == group_in_domain(8));
  CHECK(g.dp.ranks == 16);
  CHECK(g.dp.domains == 16);
  CHECK(g.dp.per_domain == 1);
  CHECK(g.dp.hosts == 16);
  CHECK(g.dp_cp == g.dp);
  CHECK(g.pp.ranks == 4);
  CHECK(g.pp.domains == 4);
  CHECK(g.cp == group_shape{});
  CHECK(g.ep == group_shape{});
  CHECK(g.expert_dp.ranks == 16);
  // 32 hosts a leaf group: a dp group of 16 hosts stays inside; all four stages' hops between the halves leave.
  CHECK(g.dp.ring_load == 0);
  CHECK(g.pp.ring_load == doctest::Approx(0.5));
}

TEST_CASE("a group that leaves its domain counts the ranks on either side") {
  const cluster c = make_cluster("dgx-h100:2");
  const group_shape g = placed_group(c, seated(c, {.tp = 16}, in_order(c)), axis::tp);
  CHECK(g.per_domain == 8);
  CHECK(g.domains == 2);
  CHECK(g.hosts == 2);
  // Twelve ranks on 8 and 4 GPUs.
  std::vector<std::uint32_t> seats(12);
  std::iota(seats.begin(), seats.end(), 0U);
  const group_shape uneven = placed_group(c, seated(c, {.tp = 12}, seats), axis::tp);
  CHECK(uneven.per_domain == 4);
  CHECK(uneven.domains == 2);
}

TEST_CASE("an NVL72 domain spans hosts") {
  const cluster c = make_cluster("gb200-nvl72:2");
  const axis_groups g = groups_of(c, seated(c, {.tp = 8, .ep = 2, .expert_tp = 8}, in_order(c)));
  CHECK(g.tp.in_domain());
  CHECK(g.tp.hosts == 2);
  CHECK(g.tp.per_host == 4);
  CHECK(g.dp.domains == 2);
  CHECK(g.dp.per_domain == 9);
}

TEST_CASE("one group that straddles makes the axis slow") {
  const cluster c = make_cluster("dgx-h100:4");
  std::vector<std::uint32_t> seats = in_order(c);
  CHECK(placed_group(c, seated(c, {.tp = 4}, seats), axis::tp).in_domain());
  std::swap(seats[3], seats[8]);
  const group_shape g = placed_group(c, seated(c, {.tp = 4}, seats), axis::tp);
  CHECK_FALSE(g.in_domain());
  CHECK(g.per_domain == 1);
}

TEST_CASE("oversubscription scales the load of what leaves, in proportion") {
  for (const double ratio : {1.0, 2.0, 7.0}) {
    cluster c = make_cluster("dgx-h100:64");
    c.tiers[0].oversubscription = ratio;
    std::vector<std::uint32_t> seats;  // neighbours of a dp ring alternate between the leaf groups
    for (std::uint32_t h = 0; h < 32; ++h)
      for (const std::uint32_t from : {h, h + 32})
        for (std::uint32_t i = 0; i < 8; ++i) seats.push_back(from * 8 + i);
    const group_shape g = placed_group(c, seated(c, {.tp = 8}, seats), axis::dp);
    CHECK(g.ring_load == doctest::Approx(ratio));
    CHECK(g.exchange_load == doctest::Approx(ratio * 32 / 63));
    const group_shape best = placed_group(c, seated(c, {.tp = 8}, in_order(c)), axis::dp);
    CHECK(best.ring_load == doctest::Approx(ratio / 32));
  }
}

TEST_CASE("an all-reduce's trees: every unit sends at most at its NIC's rate, and each tree spans all units from one root") {
  for (std::uint32_t n = 2; n < 70; ++n) {
    std::vector<double> sent(n, 0.0);
    std::vector<int> inner(n, 0);
    for (const bool second : {false, true}) {
      int roots = 0;
      std::vector<bool> is_parent(n, false);
      for (std::uint32_t u = 0; u < n; ++u) {
        const std::uint32_t parent = detail::tree_parent(u, n, second);
        REQUIRE(parent < n);
        if (parent == u) {
          ++roots;
          continue;
        }
        is_parent[parent] = true;
        sent[u] += detail::tree_share;
        sent[parent] += detail::tree_share;
        std::uint32_t at = u;  // climbs to the root
        for (std::uint32_t steps = 0; detail::tree_parent(at, n, second) != at; ++steps) {
          REQUIRE(steps <= n);
          at = detail::tree_parent(at, n, second);
        }
      }
      CHECK(roots == 1);
      for (std::uint32_t u = 0; u < n; ++u) inner[u] += is_parent[u] ? 1 : 0;
    }
    for (std::uint32_t u = 0; u < n; ++u) CHECK(sent[u] <= 1);
    if (n % 2 == 0)
      for (std::uint32_t u = 0; u < n; ++u) CHECK(inner[u] == 1);  // in one tree; in the other a leaf
  }
}

TEST_CASE("an all-reduce's trees load the uplinks of a leaf group by the edges that leave it") {
  const cluster c = make_cluster("dgx-h100:64");
  // Two leaf groups of 32 hosts with one unit each of the 64: blocks of 32 hang together at few places.
  const group_shape g = placed_group(c, seated(c, {.tp = 8}, in_order(c)), axis::dp);
  CHECK(g.ring_load == doctest::Approx(1.0 / 32));
  CHECK(g.tree_load == doctest::Approx(1.0 / 32));
  std::vector<std::uint32_t> seats;  // neighbours alternate between the leaf groups
  for (std::uint32_t h = 0; h < 32; ++h)
    for (const std::uint32_t from : {h, h + 32})
      for (std::uint32_t i = 0; i < 8; ++i) seats.push_back(from * 8 + i);
  const group_shape far = placed_group(c, seated(c, {.tp = 8}, seats), axis::dp);
  CHECK(far.ring_load == doctest::Approx(1));
  CHECK(far.tree_load > 0.25);
  CHECK(far.tree_load <= 1);
}

TEST_CASE("rails that don't line up go over the spine") {
  const cluster c = make_cluster("dgx-h100:64");
  std::vector<std::uint32_t> seats;
  for (std::uint32_t h = 0; h < 16; ++h)
    for (std::uint32_t i = 0; i < 8; ++i) seats.push_back(h * 8 + (i + h % 2) % 8);
  CHECK(placed_group(c, seated(c, {.tp = 8}, seats), axis::dp).ring_load == doctest::Approx(0.5));  // half the leaf group's GPUs
  for (std::uint32_t r = 0; r < 128; ++r) seats[r] = r;
  CHECK(placed_group(c, seated(c, {.tp = 8}, seats), axis::dp).ring_load == 0);
}

TEST_CASE("a tier node without a path out can't be left") {
  cluster c = make_cluster("dgx-h100:64");
  c.tiers.resize(1);
  CHECK(std::isinf(placed_group(c, seated(c, {.tp = 8}, in_order(c)), axis::dp).ring_load));
}

TEST_CASE("a map of another cluster is refused by name") {
  const cluster c = make_cluster("dgx-h100:4");
  const rank_map map = seated(c, {.tp = 8}, in_order(c));
  cluster other = c;
  other.hosts[2].name = "elsewhere";
  CHECK_THROWS_WITH_AS(groups_of(other, map), doctest::Contains(c.hosts[2].name.c_str()), invalid_argument);
  other = c;
  other.hosts[1].gpu_count = 4;
  CHECK_THROWS_WITH_AS(groups_of(other, map), doctest::Contains("GPU 4"), invalid_argument);
}

TEST_CASE("the ideal is what a regular placement reaches, for products of powers of two") {
  topoplan_test::random numbers(20);
  const auto power = [&](std::uint64_t most) { return 1U << numbers.below(most); };
  for (int round = 0; round < 60; ++round) {
    cluster c = make_cluster(numbers.below(2) == 0 ? "dgx-h100:128" : "hgx-h100:64 leaf=16");
    c.tiers[0].oversubscription = static_cast<double>(numbers.between(1, 8));
    degrees d;
    d.tp = power(5);
    d.cp = power(3);
    d.pp = power(4);
    d.ep = power(4);
    d.expert_tp = power(3);
    const resolved_degrees all = resolve(d, c.gpus.size());
    const axis_groups placed = groups_of(c, seated(c, d, in_order(c)));
    const axis_groups best = ideal_groups(c, all);
    CAPTURE(d.tp);
    CAPTURE(d.cp);
    CAPTURE(d.pp);
    CAPTURE(d.ep);
    CAPTURE(d.expert_tp);
    const auto check = [](const group_shape& a, const group_shape& b, const char* axis) {
      CAPTURE(axis);
      CHECK(a.ranks == b.ranks);
      CHECK(a.per_domain == b.per_domain);
      CHECK(a.per_host == b.per_host);
      CHECK(a.domains == b.domains);
      CHECK(a.hosts == b.hosts);
      CHECK(a.ring_load == doctest::Approx(b.ring_load));
      CHECK(a.exchange_load == doctest::Approx(b.exchange_load));
    };
    check(placed.tp, best.tp, "tp");
    check(placed.cp, best.cp, "cp");
    check(placed.dp, best.dp, "dp");
    check(placed.dp_cp, best.dp_cp, "dp_cp");
    check(placed.pp, best.pp, "pp");
    check(placed.ep, best.ep, "ep");
    check(placed.expert_tp, best.expert_tp, "expert_tp");
    check(placed.expert_dp, best.expert_dp, "expert_dp");
  }
}

}  // namespace
