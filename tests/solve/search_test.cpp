// The pieces of the search: walks, units, slots, exchange.
#include <topoplan/solve/detail/exact.hpp>
#include <topoplan/solve/detail/fill.hpp>
#include <topoplan/solve/detail/local_search.hpp>
#include <topoplan/solve/detail/orders.hpp>
#include <topoplan/solve/detail/partition.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "support/random.hpp"

using namespace topoplan;
using namespace topoplan::detail;
using topoplan_test::make;

TEST_CASE("walks_of: every walk visits every unit once, plain ones come first") {
  const std::vector<walk_axis> axes{{7, 1}, {4, 7}, {3, 28}};
  const std::vector<walk> walks = walks_of(axes, 1000);
  CHECK(walks.size() > 100);
  CHECK(walks_of(axes, 50).size() == 50);
  CHECK(walks[0].loops.size() == 3);
  for (const walk& w : walks) {
    std::set<std::uint64_t> keys;
    for (std::uint32_t u = 0; u < 84; ++u) keys.insert(w.key(u));
    CHECK(keys.size() == 84);
  }
  CHECK(walks_of({}, 10).size() == 2);
}

TEST_CASE("walk: back and forth, neighbours in the walk are neighbours in the grid") {
  const std::vector<walk_axis> axes{{5, 1}, {4, 5}};
  walk w{{{axes[1], 1, false}, {axes[0], 1, false}}, true};
  std::vector<std::uint32_t> units(20);
  for (std::uint32_t u = 0; u < 20; ++u) units[u] = u;
  std::sort(units.begin(), units.end(), [&](std::uint32_t a, std::uint32_t b) { return w.key(a) < w.key(b); });
  for (std::size_t i = 1; i < 20; ++i) {
    const auto step = std::max(units[i], units[i - 1]) - std::min(units[i], units[i - 1]);
    CHECK((step == 1 || step == 5));
  }
}

TEST_CASE("minus_log: -ln in 1024ths") {
  for (std::uint32_t i = 0; i < 256; ++i) {
    const double exact = -std::log((i + 0.5) / 256) * 1024;
    CHECK(static_cast<double>(annealing::table[i]) == doctest::Approx(exact).epsilon(0.002).scale(500));
  }
}

TEST_CASE("natural_less: digits by value, a strict weak order") {
  CHECK(natural_less("node9", "node10"));
  CHECK(natural_less("r2-n9", "r10-n1"));
  CHECK(natural_less("gpu-002", "gpu-10"));
  CHECK_FALSE(natural_less("node10", "node9"));
  CHECK(natural_less("a", "a1"));
  CHECK(natural_less("a1", "b0"));
  const std::vector<std::string> names{"n1", "n01", "n2", "n10", "n1a", "n", "", "m99", "n001", "N1", "n1-2", "n1-02"};
  for (const std::string& a : names) {
    CHECK_FALSE(natural_less(a, a));
    for (const std::string& b : names) {
      CHECK((a == b) == (!natural_less(a, b) && !natural_less(b, a)));
      for (const std::string& c : names)
        if (natural_less(a, b) && natural_less(b, c)) CHECK(natural_less(a, c));
    }
  }
}

TEST_CASE("bundled: units and blocks partition the ranks, blocks are whole") {
  topoplan_test::random random(2);
  const cluster c = make({.pods = {{4}}, .gpus = 4, .domains = topoplan_test::nvlink::rack, .hosts_per_rack = 2});
  pool p = pools_of(c, network(c)).front();
  REQUIRE_FALSE(settle_nesting(c, p));
  CHECK(p.nest == nesting::host_in_domain);
  CHECK_FALSE(p.domain_is_host);
  const layout l(resolve({.tp = 2, .cp = 2, .ep = 8, .expert_tp = 1, .pp = 2}, 64), orders::megatron);
  const std::vector<confinement> rules{rules::tp_in_host, rules::ep_in_domain};
  const confined_axes confined(rules, p);
  for (const std::uint32_t run : {0U, 2U, 4U, 8U}) {
    CAPTURE(run);
    const std::optional<unit_scheme> s = run == 0 ? free_units(l, confined, p.nest) : run_units(l, confined, p.nest, run);
    REQUIRE(s);
    CHECK(s->size == 8);
    CHECK(s->block == (run == 0 ? 2 : run));
    CHECK(s->units == 8);
    std::set<std::pair<std::uint32_t, std::uint32_t>> seats;
    for (std::uint32_t r = 0; r < 64; ++r) {
      CHECK(s->unit_of[r] == r / 8);
      CHECK(s->position_of[r] < s->size);
      seats.insert({s->unit_of[r], s->position_of[r]});
      if (r % s->block != 0) CHECK(s->position_of[r] / s->block == s->position_of[r - 1] / s->block);
    }
    CHECK(seats.size() == 64);
  }
  CHECK_FALSE(run_units(l, confined, p.nest, 1));  // would cut tp groups
}

TEST_CASE("slots_of: nested floors; aligned windows die with their GPU, others slide") {
  cluster c = make({.pods = {{3}}, .gpus = 8});
  topoplan_test::kill_gpu(c, 0, 2);
  topoplan_test::kill_gpu(c, 1, 2);
  topoplan_test::kill_gpu(c, 1, 6);
  pool p = pools_of(c, network(c)).front();
  REQUIRE_FALSE(settle_nesting(c, p));
  CHECK(p.domain_is_host);
  const layout l(resolve({.tp = 4}, 16), orders::megatron);
  const unit_scheme s = free_units(l, confined_axes(std::vector{rules::tp_in_domain}, p), p.nest).value();
  const auto count = [&](cutting how) { return slot_count(slots_of(c, p, s, how), s); };
  CHECK(count(cutting::aligned) == 1 + 0 + 2);
  CHECK(count(cutting::any) == 1 + 1 + 2);
  const std::vector<container> aligned = slots_of(c, p, s, cutting::aligned);
  CHECK(aligned.at(0).gpus == std::vector<std::uint32_t>{4, 5, 6, 7});
  CHECK(slots_of(c, p, s, cutting::any).at(1).gpus == std::vector<std::uint32_t>{8, 9, 11, 12});
}

TEST_CASE("slot_choices: as many slots as units, in the tree's order, none twice") {
  const cluster c = make({.pods = {{5, 3}, {4, 4, 2}}, .gpus = 1});
  pool p = pools_of(c, network(c)).front();
  REQUIRE_FALSE(settle_nesting(c, p));
  const prices price = priced(default_objective{}, c.tiers.size());
  const layout l(resolve({.dp = 14}, 14), orders::megatron);
  const unit_scheme s = free_units(l, confined_axes({}, p), p.nest).value();
  const slot_tree tree = make_slot_tree(c, p, price, slots_of(c, p, s, cutting::any), 1, container_kind::domain);
  CHECK(tree.slots() == 18);
  CHECK(tree.levels() == 4);
  const std::vector<slot_choice> choices = slot_choices(tree, 14, 10);
  CHECK(choices.size() >= 2);
  for (const slot_choice& choice : choices) {
    CHECK(choice.size() == 14);
    CHECK(std::is_sorted(choice.begin(), choice.end()));
    CHECK(std::adjacent_find(choice.begin(), choice.end()) == choice.end());
    CHECK(choice.back() < 18);
  }
}

TEST_CASE("exchange: tracks its cost, moves only between slots of a kind") {
  topoplan_test::random random(17);
  const cluster c = make({.pods = {{5, 3}, {4, 4}}, .gpus = 1});
  pool p = pools_of(c, network(c)).front();
  REQUIRE_FALSE(settle_nesting(c, p));
  const prices price = priced(default_objective{}, c.tiers.size());
  const layout l(resolve({.dp = 3, .pp = 5}, 15), orders::megatron);
  const unit_scheme s = free_units(l, confined_axes({}, p), p.nest).value();
  const slot_tree tree = make_slot_tree(c, p, price, slots_of(c, p, s, cutting::any), 1, container_kind::domain);
  const unit_graph g = make_unit_graph(l, edge_axes(l, price), s);
  slot_kinds kinds;
  for (std::uint32_t slot = 0; slot < tree.slots(); ++slot) kinds.push_back(slot % 2);
  arrangement start(15);
  for (std::uint32_t u = 0; u < 15; ++u) start[u] = u;
  random.shuffle(start);
  for (const slot_kinds& k : {slot_kinds{}, kinds}) {
    exchange changed(g, tree, start, k);
    std::int64_t cost = cost_of(g, tree, start);
    random_source source(5);
    cost += changed.anneal(source, 2000, 500, 10);
    CHECK(cost_of(g, tree, changed.slots()) == cost);
    const std::int64_t gain = changed.descend(5);
    CHECK(gain <= 0);
    CHECK(cost_of(g, tree, changed.slots()) == cost + gain);
    arrangement sorted = changed.slots();
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    if (!k.empty())
      for (std::uint32_t u = 0; u < 15; ++u) CHECK(changed.slots()[u] % 2 == start[u] % 2);
  }
}

TEST_CASE("exact_search: the best of all arrangements of any graph, from any start") {
  topoplan_test::random random(31);
  for (int round = 0; round < 20; ++round) {
    const cluster c = make({.pods = random.pick(std::vector<std::vector<std::vector<std::uint32_t>>>{
                                {{2, 1}, {2, 2}}, {{3, 2, 1}}, {{1, 1, 1}, {3}}, {{1, 3}, {1, 1}}, {{4, 2}}}),
                            .gpus = 1});
    pool p = pools_of(c, network(c)).front();
    REQUIRE_FALSE(settle_nesting(c, p));
    const prices price = priced(default_objective{}, c.tiers.size());
    constexpr std::uint32_t units = 5;
    const layout l(resolve({}, units), orders::megatron);
    const unit_scheme s = free_units(l, confined_axes({}, p), p.nest).value();
    const slot_tree tree = make_slot_tree(c, p, price, slots_of(c, p, s, cutting::any), 1, container_kind::domain);
    // A graph without any symmetry.
    std::vector<std::vector<std::int64_t>> weight(units, std::vector<std::int64_t>(units, 0));
    for (std::uint32_t u = 0; u < units; ++u)
      for (std::uint32_t v = 0; v < u; ++v) weight[u][v] = weight[v][u] = static_cast<std::int64_t>(random.below(20));
    unit_graph g;
    for (std::uint32_t u = 0; u < units; ++u) {
      g.begin.push_back(static_cast<std::uint32_t>(g.arcs.size()));
      for (std::uint32_t v = 0; v < units; ++v)
        if (weight[u][v] > 0) g.arcs.push_back({v, weight[u][v]});
    }
    g.begin.push_back(static_cast<std::uint32_t>(g.arcs.size()));
    std::vector<std::uint32_t> slots(tree.slots());
    for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = i;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    do least = std::min(least, cost_of(g, tree, {slots.begin(), slots.begin() + units}));
    while (std::next_permutation(slots.begin(), slots.end()));
    random.shuffle(slots);
    const arrangement start(slots.begin(), slots.begin() + units);
    exact_search search(g, tree, start, cost_of(g, tree, start), 1'000'000);
    CHECK(search.run());
    CHECK(search.cost() == least);
    CHECK(cost_of(g, tree, search.best()) == least);
    exact_search hasty(g, tree, start, cost_of(g, tree, start), 3);
    CHECK_FALSE(hasty.run());
  }
}
