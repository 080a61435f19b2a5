#include <topoplan/solve/detail/lattice.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/tiling.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/units.hpp>
#include <topoplan/solve/objective.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "solve/clusters.hpp"
#include "support/random.hpp"

using namespace topoplan;
using namespace topoplan::detail;
using topoplan_test::make;

namespace {

// A job on a cluster, prepared as place() does for a launcher that takes any map.
struct prepared {
  cluster c;
  layout l;
  prices price;
  pool p;
  unit_scheme units;
  slot_tree tree;
  unit_graph graph;
  std::optional<lattice> digits;

  prepared(cluster made, const resolved_degrees& d, const custom_objective& o, const std::vector<confinement>& rules)
      : c(std::move(made)), l(d, orders::megatron), price(priced(o, c.tiers.size())), p(pools_of(c, network(c)).front()) {
    REQUIRE_FALSE(settle_nesting(c, p));
    const confined_axes confined(rules, p);
    units = free_units(l, confined, p.nest).value();
    tree = make_slot_tree(c, p, price, slots_of(c, p, units, cutting::any), units.size, container_kind::domain);
    graph = make_unit_graph(l, edge_axes(l, price), units);
    digits = make_lattice(l, edge_axes(l, price), dense_axes | expert_axes);
    for (const axis a : all_axes)
      if (digits && (confined.host | confined.domain).contains(a)) digits->keep_axis(l.stride(a), d.of(a));
  }
};

custom_objective random_price(topoplan_test::random& random) {
  custom_objective o;
  for (std::size_t a = 0; a < axis_count; ++a) {
    o.weights[a] = static_cast<std::int64_t>(random.between(1, 20));
    o.patterns[a] = random.pick(std::vector{edge_pattern::ring, edge_pattern::chain, edge_pattern::all_to_all});
  }
  return o;
}

}  // namespace

TEST_CASE("tiling_search: the closed form is the cost of the arrangement, and every unit has a slot of its own") {
  topoplan_test::random random(21);
  int tiled = 0;
  for (int round = 0; round < 60; ++round) {
    const std::vector<degrees> shapes{{.tp = 2, .dp = 8, .pp = 4},
                                      {.tp = 2, .cp = 2, .dp = 4, .pp = 4},
                                      {.tp = 2, .ep = 4, .expert_tp = 1, .dp = 16, .pp = 2},
                                      {.tp = 2, .ep = 8, .expert_tp = 2, .dp = 32},
                                      {.tp = 1, .dp = 12, .pp = 3}};
    const degrees d = random.pick(shapes);
    const bool split = random.below(2) == 0;
    const prepared job(
        make(
            {.pods = {{4, 4}, {4, 4}}, .gpus = 4, .domains = split ? topoplan_test::nvlink::pairs : topoplan_test::nvlink::host}),
        resolve_for(d, 64), random_price(random), {rules::tp_in_domain});
    REQUIRE(job.digits);
    tiling_search search(*job.digits, job.tree, job.l.world(), job.units.units, 100'000, 4);
    const std::vector<tiling> found = search.best();
    CHECK(found.size() <= 4);
    if (found.empty()) continue;
    ++tiled;
    tiling_search alone(*job.digits, job.tree, job.l.world(), job.units.units, 100'000);
    CHECK(alone.best().at(0).spread == found.front().spread);
    std::int64_t weight = 0;
    for (const unit_graph::arc& a : job.graph.arcs) weight += a.weight;
    std::int64_t before = 0;
    for (const tiling& t : found) {
      const arrangement slots = arranged(t, *job.digits, search.embed(t.sizes));
      std::vector<std::uint32_t> sorted = slots;
      std::sort(sorted.begin(), sorted.end());
      CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
      CHECK(sorted.back() < job.tree.slots());
      CHECK(cost_of(job.graph, job.tree, slots) == t.spread + weight / 2 * job.tree.distance[0]);
      CHECK(t.spread >= before);
      before = t.spread;
    }
  }
  CHECK(tiled > 30);
}

TEST_CASE("tiling_search: finds the best of all factorings") {
  // One pod of 16 leaf groups of 4 hosts: dp 8 and pp 8 can be tiled 4x1, 2x2 or 1x4 into a leaf group.
  const auto best = [](std::int64_t dp, std::int64_t pp) {
    custom_objective o;
    o.weights[static_cast<std::size_t>(axis::dp)] = dp;
    o.weights[static_cast<std::size_t>(axis::pp)] = pp;
    const prepared job(make({.pods = {std::vector<std::uint32_t>(16, 4)}, .gpus = 1}), resolve({.dp = 8, .pp = 8}, 64), o, {});
    tiling_search search(*job.digits, job.tree, 64, 64, 1000);
    const tiling t = search.best().at(0);
    CHECK(search.complete());
    CHECK(t.sizes == std::vector<std::uint32_t>{1, 4, 16});
    CHECK(t.whole_tree);
    return t.factors[1];
  };
  using factors = std::vector<std::uint32_t>;
  CHECK(best(10, 1) == factors{4, 1});
  CHECK(best(1, 10) == factors{1, 4});
  CHECK(best(10, 10) == factors{2, 2});
}

TEST_CASE("tiling_search: takes part of an uneven tree, and says none if no shape embeds") {
  custom_objective o;
  o.weights.fill(1);
  const prepared part(make({.pods = {{5, 4}, {4, 7, 1}}, .gpus = 1}), resolve({.dp = 4, .pp = 4}, 16), o, {});
  tiling_search search(*part.digits, part.tree, 16, 16, 1000);
  const std::vector<tiling> t = search.best();
  REQUIRE(t.size() == 1);
  CHECK_FALSE(t[0].whole_tree);
  CHECK(t[0].sizes == std::vector<std::uint32_t>{1, 4, 2, 2});
  const prepared none(make({.pods = {{4, 3}}, .gpus = 1}), resolve({.dp = 7}, 7), o, {});
  tiling_search nothing(*none.digits, none.tree, 7, 7, 1000);
  CHECK(nothing.best().empty());
}

TEST_CASE("make_lattice: none where strides don't divide each other") {
  custom_objective o;
  const prices price = priced(o, 2);
  const layout fits(resolve({.tp = 4, .cp = 2, .ep = 4, .expert_tp = 2}, 32), orders::megatron);
  const std::optional<lattice> lat = make_lattice(fits, edge_axes(fits, price), dense_axes | expert_axes);
  REQUIRE(lat);
  std::uint32_t product = 1;
  for (const digit& d : lat->digits) {
    CHECK(d.stride == product);
    product *= d.extent;
  }
  CHECK(product == 32);
  const layout clash(resolve({.tp = 2, .cp = 3, .ep = 4, .expert_tp = 1}, 24), orders::megatron);
  CHECK_FALSE(make_lattice(clash, edge_axes(clash, price), dense_axes | expert_axes));
  CHECK(make_lattice(clash, edge_axes(clash, price), dense_axes));
}
