// Searching by time: loads kept up to date, exchanges, and all arrangements.
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/solve/detail/time_units.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "solve/clusters.hpp"
#include "support/random.hpp"

using namespace topoplan;
using namespace topoplan::detail;
using topoplan_test::make;

namespace {

constexpr group_shape axis_groups::* all_groups[] = {&axis_groups::tp,        &axis_groups::cp,       &axis_groups::dp,
                                                     &axis_groups::dp_cp,     &axis_groups::pp,       &axis_groups::ep,
                                                     &axis_groups::expert_tp, &axis_groups::expert_dp};

// Seconds that grow with each load that slows, with a weight of its own a pattern and axis.
timing made_up(const std::vector<double>& weights) {
  const auto seconds = [weights](const axis_groups& g) {
    double sum = 1;
    std::size_t i = 0;
    for (group_shape axis_groups::* one : all_groups) {
      sum += weights[i++] * std::max(1.0, (g.*one).ring_load);
      sum += weights[i++] * std::max(1.0, (g.*one).tree_load);
      if (one == &axis_groups::ep) sum += weights[i] * std::max(1.0, (g.*one).exchange_load);
    }
    return sum * 1e-3;
  };
  return {seconds, seconds};
}

std::vector<double> random_weights(topoplan_test::random& random) {
  std::vector<double> w;
  for (int i = 0; i < 17; ++i) w.push_back(static_cast<double>(random.below(6)));
  return w;
}

// Hosts of 8 GPUs, each with one unit of 8 ranks, below oversubscribed leaf groups of different sizes.
struct job {
  cluster c;
  pool p;
  layout l;
  unit_scheme s;
  prices price;
  slot_tree tree;
  unit_graph graph;

  job(const std::vector<std::vector<std::uint32_t>>& pods, const degrees& d, std::uint32_t world, double oversubscription,
      std::uint32_t cordoned)
      : c(make({.pods = pods, .gpus = 8})), l(resolve(d, world), orders::megatron) {
    for (tier& t : c.tiers) t.oversubscription = oversubscription;
    for (std::uint32_t h = 0; h < cordoned; ++h) c.hosts[h].cordoned = true;
    p = pools_of(c, network(c)).front();
    REQUIRE_FALSE(settle_nesting(c, p));
    price = priced(default_objective{}, c.tiers.size());
    s = run_units(l, confined_axes(std::vector{rules::tp_in_domain}, p), p.nest, 8).value();
    const std::vector<container> slots = slots_of(c, p, s, cutting::aligned);
    tree = make_slot_tree(c, p, price, slots, s.size, container_kind::domain, makes_by_uplinks(c, slots));
    graph = make_unit_graph(l, edge_axes(l, price), s);
  }
  [[nodiscard]] std::vector<std::uint32_t> seats(const arrangement& slots) const {
    std::vector<std::uint32_t> gpus(l.world());
    for (std::uint32_t r = 0; r < l.world(); ++r)
      gpus[r] = tree.gpus[std::size_t{slots[s.unit_of[r]]} * s.size + s.position_of[r]];
    return gpus;
  }
  [[nodiscard]] arrangement random_slots(topoplan_test::random& random) const {
    std::vector<std::uint32_t> slots(tree.slots());
    for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = i;
    random.shuffle(slots);
    slots.resize(s.units);
    return slots;
  }
};

const std::vector<degrees> jobs{{.tp = 8, .pp = 2},
                                {.tp = 8, .dp = 4, .pp = 2},
                                {.tp = 8, .cp = 2, .pp = 2},
                                {.tp = 4, .dp = 8, .pp = 2},
                                {.tp = 8, .ep = 4, .expert_tp = 8, .pp = 2},
                                {.tp = 2, .cp = 2, .ep = 16, .expert_tp = 1, .pp = 1}};

}  // namespace

TEST_CASE("unit_loads: the loads of groups_of(), whatever is exchanged") {
  topoplan_test::random random(4);
  for (const degrees& d : jobs) {
    job j({{3, 2}, {4}}, d, 64, 3, 1);
    unit_loads loads(j.c, j.l, j.s, j.tree);
    REQUIRE(loads.applies());
    arrangement slots = j.random_slots(random);
    for (std::uint32_t u = 0; u < slots.size(); ++u) loads.put(u, slots[u]);
    for (int round = 0; round < 20; ++round) {
      const auto u = static_cast<std::uint32_t>(random.below(slots.size()));
      const auto v = static_cast<std::uint32_t>(random.below(slots.size()));
      if (u != v) {
        loads.lift(u);
        loads.lift(v);
        std::swap(slots[u], slots[v]);
        loads.put(v, slots[v]);
        loads.put(u, slots[u]);
      }
      const axis_groups expected = groups_of(j.c, j.l, j.seats(slots));
      const axis_groups& found = loads.groups();
      for (group_shape axis_groups::* g : all_groups) {
        group_shape want = expected.*g;
        const auto slowing = [](double load) { return load > 1 ? load : 0; };
        CHECK((found.*g).ring_load == doctest::Approx(slowing(want.ring_load)));
        CHECK((found.*g).tree_load == doctest::Approx(slowing(want.tree_load)));
        if (g == &axis_groups::ep) CHECK((found.*g).exchange_load == doctest::Approx(slowing(want.exchange_load)));
        CHECK((found.*g).per_domain == want.per_domain);
        CHECK((found.*g).domains == want.domains);
      }
    }
  }
}

TEST_CASE("unit_loads: units that share a domain, or different rails, aren't for it") {
  job j({{3, 2}, {4}}, {.tp = 4, .pp = 2}, 64, 1, 0);
  j.s = free_units(j.l, confined_axes(std::vector{rules::tp_in_domain}, j.p), j.p.nest).value();
  j.tree = make_slot_tree(j.c, j.p, j.price, slots_of(j.c, j.p, j.s, cutting::aligned), j.s.size, container_kind::domain);
  CHECK_FALSE(unit_loads(j.c, j.l, j.s, j.tree).applies());
  job other({{3, 2}, {4}}, {.tp = 8, .pp = 2}, 64, 1, 0);
  CHECK(unit_loads(other.c, other.l, other.s, other.tree).applies());
  std::swap(other.c.gpus[8].rail, other.c.gpus[9].rail);
  CHECK_FALSE(unit_loads(other.c, other.l, other.s, other.tree).applies());
}

TEST_CASE("time_search: climbing tracks its price and never rises") {
  topoplan_test::random random(9);
  for (const degrees& d : jobs) {
    job j({{3, 2}, {4}}, d, 64, 4, 0);
    unit_loads loads(j.c, j.l, j.s, j.tree);
    const timing by = made_up(random_weights(random));
    time_search search(j.graph, j.tree, loads, by);
    arrangement slots = j.random_slots(random);
    const price before = search.of(slots);
    CHECK(before.nanoseconds == by.nanoseconds(groups_of(j.c, j.l, j.seats(slots))));
    CHECK(before.cost == cost_of(j.graph, j.tree, slots));
    random_source source(3);
    const price after = search.climb(slots, source, 500);
    CHECK_FALSE(before < after);
    CHECK(after == search.of(slots));
    std::sort(slots.begin(), slots.end());
    CHECK(std::adjacent_find(slots.begin(), slots.end()) == slots.end());
  }
}

TEST_CASE("time_search: exhausting finds the best of all arrangements") {
  topoplan_test::random random(21);
#ifdef NDEBUG
  constexpr int rounds = 12;
#else
  constexpr int rounds = 2;
#endif
  for (int round = 0; round < rounds; ++round)
    for (const degrees& d : {degrees{.tp = 8, .dp = 3, .pp = 2}, degrees{.tp = 8, .cp = 2, .dp = 1, .pp = 3},
                             degrees{.tp = 4, .ep = 6, .expert_tp = 4, .dp = 6, .pp = 2}}) {
      const bool holes = random.below(2) == 0;
      job j(random.pick(
                std::vector<std::vector<std::vector<std::uint32_t>>>{{{3, 2}, {2}}, {{4, 3}}, {{2, 2, 2}, {1}}, {{1, 3}, {3}}}),
            d, 48, static_cast<double>(random.between(1, 6)), holes ? 1 : 0);
      unit_loads loads(j.c, j.l, j.s, j.tree);
      REQUIRE(loads.applies());
      const timing by = made_up(random_weights(random));
      time_search search(j.graph, j.tree, loads, by);
      arrangement best = j.random_slots(random);
      price least = search.of(best);
      CHECK(search.exhaust(best, least, 10'000'000));
      std::vector<std::uint32_t> order(j.tree.slots());
      for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
      price expected = least;
      do {
        const arrangement slots(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(j.s.units));
        const price here = search.of(slots);
        if (here < expected) expected = here;
      } while (std::next_permutation(order.begin(), order.end()));
      CHECK(least == expected);
      CHECK(search.of(best) == least);
    }
}
