// The tier model of loads against traffic routed link by link.
#include <topoplan/cluster/spec.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/graph/regular_fabric.hpp>
#include <topoplan/graph/route.hpp>
#include <topoplan/solve/routed_load.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/random.hpp"

using namespace topoplan;

namespace {

// Load over rate of the fullest link between switches; NIC links are what loads are counted in.
double fullest_uplink(const fabric_graph& g, const routed_traffic& t) {
  double most = 0;
  std::size_t i = 0;
  for (auto [at, end] = edges(g); at != end; ++at, ++i)
    if (g[source(*at, g)].kind >= vertex_kind::leaf && g[target(*at, g)].kind >= vertex_kind::leaf)
      most = std::max(most, t.load[i] / g[*at].rate.value);
  return most;
}

std::vector<std::uint32_t> seats_of_hosts(const cluster& c, const std::vector<std::uint32_t>& hosts, std::uint32_t world) {
  std::vector<std::uint32_t> gpus;
  for (const std::uint32_t h : hosts)
    for (const gpu_id g : c.gpus_of(host_id{h}))
      if (gpus.size() < world) gpus.push_back(g.value);
  return gpus;
}

}  // namespace

TEST_CASE("route: what leaves arrives, on shortest paths only, whichever way it is split") {
  const fabric_graph g = to_fabric_graph(regular_fabric("dgx-h100:64"));
  std::vector<std::uint32_t> nics;
  for (std::uint32_t v = 0; v < num_vertices(g); ++v)
    if (g[v].kind == vertex_kind::nic) nics.push_back(v);
  topoplan_test::random random(8);
  std::vector<traffic_flow> flows;
  for (int i = 0; i < 200; ++i)
    flows.push_back({random.pick(nics), random.pick(nics), bytes_per_second{static_cast<double>(random.between(1, 100))}});
  for (const path_split how : {path_split::shares, path_split::hashed}) {
    const routed_traffic t = route(g, flows, {.split = how});
    std::vector<double> balance(num_vertices(g), 0.0);
    for (const traffic_flow& f : flows)
      if (f.from != f.to) {
        balance[f.from] += f.rate.value;
        balance[f.to] -= f.rate.value;
      }
    std::size_t i = 0;
    double hottest = 0;
    for (auto [at, end] = edges(g); at != end; ++at, ++i) {
      balance[source(*at, g)] -= t.load[i];
      balance[target(*at, g)] += t.load[i];
      if (g[*at].kind != link_kind::network) CHECK(t.load[i] == 0);
      hottest = std::max(hottest, t.load[i] / g[*at].rate.value);
    }
    for (const double b : balance) CHECK(b == doctest::Approx(0).scale(100));
    REQUIRE(t.hottest);
    CHECK(t.hottest_ratio == hottest);
    CHECK(arc_name(g, *t.hottest).find(" -> ") != std::string::npos);
  }
  CHECK_FALSE(route(g, std::vector<traffic_flow>{{nics[0], nics[0], bytes_per_second{5}}}).hottest);
}

TEST_CASE("route: no path is an error") {
  fabric_graph_builder b;
  const std::uint32_t h = b.add_host("a");
  const std::uint32_t one = b.add_nic(h);
  const std::uint32_t other = b.add_nic(h);
  b.connect(one, b.add_switch(vertex_kind::leaf), link_kind::network, bytes_per_second{1});
  const fabric_graph g = b.build();
  CHECK_THROWS_WITH_AS(route(g, std::vector<traffic_flow>{{one, other, bytes_per_second{1}}}), doctest::Contains("no path"),
                       invalid_argument);
}

TEST_CASE("route: equal paths share by rate, and hashing is never better on the fullest link") {
  for (const char* spec : {"dgx-h100:64", "dgx-h100:64 oversubscription=4"}) {
    const cluster c = make_cluster(spec);
    const fabric_graph g = to_fabric_graph(regular_fabric(spec));
    std::vector<std::uint32_t> order(64);
    for (std::uint32_t i = 0; i < 64; ++i) order[i] = i % 2 * 32 + i / 2;  // neighbours in different leaf groups
    const layout l(resolve({.tp = 8}, 512), orders::megatron);
    const auto flows = flows_of(g, l, seats_of_hosts(c, order, 512), axis::dp, edge_pattern::ring, c.nic.rate);
    const double fair = fullest_uplink(g, route(g, flows));
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const double hashed = fullest_uplink(g, route(g, flows, {path_split::hashed, 4, seed}));
      CHECK(hashed >= fair * 0.999);
      CHECK(fullest_uplink(g, route(g, flows, {path_split::hashed, 4, seed})) == hashed);
    }
  }
}

TEST_CASE("the tier model is within 1 % of routed traffic with fractional splitting") {
  topoplan_test::random random(3);
  int loaded = 0;
  for (const char* spec :
       {"dgx-h100:64", "dgx-h100:64 oversubscription=2", "hgx-h100:48 leaf=16 oversubscription=4", "dgx-a100:40"}) {
    const cluster c = make_cluster(spec);
    const fabric_graph g = to_fabric_graph(regular_fabric(spec));
    const auto world = static_cast<std::uint32_t>(c.gpus.size());
    for (const degrees& d : {degrees{.tp = 8}, degrees{.tp = 8, .pp = 4}, degrees{.tp = 8, .cp = 2, .pp = 2},
                             degrees{.tp = 8, .ep = 8, .expert_tp = 8}, degrees{.tp = 4, .pp = 2}})
      for (int round = 0; round < 3; ++round) {
        std::vector<std::uint32_t> order(c.hosts.size());
        std::iota(order.begin(), order.end(), 0U);
        if (round > 0) random.shuffle(order);
        const layout l(resolve(d, world), orders::megatron);
        const std::vector<std::uint32_t> gpus = seats_of_hosts(c, order, world);
        const axis_groups tiers = groups_of(c, l, gpus);
        for (const auto& [axis_of, shape] : {std::pair{axis::dp, tiers.dp}, {axis::pp, tiers.pp}, {axis::cp, tiers.cp}}) {
          const double routed = fullest_uplink(g, route(g, flows_of(g, l, gpus, axis_of, edge_pattern::ring, c.nic.rate)));
          CAPTURE(spec);
          CAPTURE(to_string(axis_of));
          CAPTURE(d.pp);
          CHECK(routed == doctest::Approx(shape.ring_load).epsilon(0.01));
          loaded += routed > 0 ? 1 : 0;
        }
        const double exchanged =
            fullest_uplink(g, route(g, flows_of(g, l, gpus, axis::ep, edge_pattern::all_to_all, c.nic.rate)));
        CHECK(exchanged == doctest::Approx(tiers.ep.exchange_load).epsilon(0.01));
      }
  }
  CHECK(loaded > 50);
}

TEST_CASE("the tier model is within 1 % of routed traffic that crosses rails") {
  for (const char* spec : {"dgx-h100:64", "hgx-h100:48 leaf=16 oversubscription=4"}) {
    const cluster c = make_cluster(spec);
    const fabric_graph g = to_fabric_graph(regular_fabric(spec));
    const auto world = static_cast<std::uint32_t>(c.gpus.size());
    std::vector<std::uint32_t> gpus;
    for (std::uint32_t h = 0; h < c.hosts.size(); ++h)
      for (std::uint32_t i = 0; i < 8; ++i) gpus.push_back(h * 8 + (i + h % 2) % 8);
    const layout l(resolve({.tp = 8, .pp = 2}, world), orders::megatron);
    const axis_groups tiers = groups_of(c, l, gpus);
    CHECK(tiers.dp.ring_load > 0.9);
    CHECK(fullest_uplink(g, route(g, flows_of(g, l, gpus, axis::dp, edge_pattern::ring, c.nic.rate))) ==
          doctest::Approx(tiers.dp.ring_load).epsilon(0.01));
    // All-to-all: one member a host has nobody to hand data to; four a host have, for the hosts that are turned alike.
    for (const degrees& d : {degrees{.tp = 8, .ep = 8, .expert_tp = 8}, degrees{.tp = 2, .ep = 16, .expert_tp = 2}}) {
      const layout experts(resolve(d, world), orders::megatron);
      const group_shape shape = groups_of(c, experts, gpus).ep;
      const double routed =
          fullest_uplink(g, route(g, flows_of(g, experts, gpus, axis::ep, edge_pattern::all_to_all, c.nic.rate)));
      CAPTURE(d.ep);
      CHECK(routed > 0.2);
      CHECK(routed == doctest::Approx(shape.exchange_load).epsilon(0.01));
    }
  }
}
