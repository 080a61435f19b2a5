// Placing by the time of a step.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/spec.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/cost/step_table.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/place.hpp>
#include <topoplan/solve/step_objective.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "solve/clusters.hpp"
#include "support/random.hpp"

using namespace topoplan;

namespace {

transformer small_model(bool experts = false) {
  transformer m;
  m.name = "small";
  m.hidden = 2048;
  m.vocabulary = 32000;
  layer_kind kind;
  kind.attention.heads = 16;
  kind.attention.kv_heads = 16;
  kind.attention.head_size = 128;
  kind.feed_forward = experts ? feed_forward_kind::experts : feed_forward_kind::mlp;
  kind.mlp.size = 8192;
  kind.experts = {.experts = 64, .top_k = 4, .size = 1024};
  m.kinds.push_back(kind);
  m.layers.assign(24, 0);
  return m;
}

training settings(std::uint32_t global_batch) {
  training t;
  t.sequence = 4096;
  t.global_batch = global_batch;
  return t;
}

step_objective objective_of(const cluster& c, const degrees& d, const training& t, bool experts = false) {
  const machine m = machine_of(*lookup_gpu("h100-sxm"), interconnect_of(c));
  return {c, small_model(experts), t, resolve_for(d, usable_gpus(c)), m, calibration_of(m.family)};
}

// Everything that place() promises of a plan by time, asked from the objective and the map alone.
void check_timed(const cluster& c, const placement& p, const step_objective& o) {
  REQUIRE_MESSAGE(p, p.why());
  REQUIRE(p->step);
  const axis_groups groups = groups_of(c, p->rank_map);
  CHECK(p->step->seconds == o.seconds(groups));
  CHECK(p->step->exposed == o.exposed(groups));
  CHECK(p->step->exposed < p->step->seconds);
  CHECK(p->verdict.kept());
  CHECK(p->cost.cost == measure(c, p->rank_map, o).cost);
  if (p->given_step) CHECK(p->step->seconds <= p->given_step->seconds + 1e-9);
  if (p->least_step) CHECK(p->least_step->seconds <= p->step->seconds + 1e-9);
  CHECK((p->gap() == 0) == (p->optimality == optimality::bound_met));
}

}  // namespace

TEST_CASE("place by time: never slower than the order given, never faster than the least") {
  for (const char* spec : {"dgx-h100:16", "dgx-h100:16 leaf=4 oversubscription=4", "hgx-h100:24 leaf=5 oversubscription=8"})
    for (const degrees& d : {degrees{.tp = 8, .dp = 4, .pp = 4}, degrees{.tp = 8, .cp = 2, .dp = 4, .pp = 2},
                             degrees{.tp = 4, .dp = 8, .pp = 4}, degrees{.tp = 2, .ep = 8, .expert_tp = 1, .dp = 16, .pp = 4}}) {
      CAPTURE(spec);
      const cluster c = make_cluster(spec);
      const step_objective o = objective_of(c, d, settings(128), d.ep > 1);
      for (const launcher& by : {launchers::torchrun, launchers::slurm}) {
        const placement p = place(c, d, orders::megatron, {.launcher = by}, o);
        check_timed(c, p, o);
        const placement again = place(c, d, orders::megatron, {.launcher = by}, o);
        CHECK(again->rank_map == p->rank_map);
      }
    }
}

TEST_CASE("place by time: equal to the best of all orders of hosts") {
  topoplan_test::random random(77);
#ifdef NDEBUG
  constexpr int rounds = 60;
#else
  constexpr int rounds = 4;
#endif
  int better = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<degrees> jobs{{.tp = 8, .dp = 3, .pp = 2},
                                    {.tp = 8, .cp = 2, .dp = 1, .pp = 3},
                                    {.tp = 8, .dp = 2, .pp = 3},
                                    {.tp = 4, .dp = 6, .pp = 2},
                                    {.tp = 8, .dp = 6}};
    const degrees d = random.pick(jobs);
    cluster c = topoplan_test::make({.pods = random.pick(std::vector<std::vector<std::vector<std::uint32_t>>>{
                                         {{3, 2}, {1}}, {{3, 3}}, {{2, 2}, {2}}, {{4}, {2}}, {{1, 2, 3}}, {{3, 2}, {2}}}),
                                     .gpus = 8});
    c.gpu_models = {"h100-sxm"};
    c.nvlink.rate = bytes_per_second{450e9};
    c.nic.rate = bytes_per_second{50e9};
    for (tier& t : c.tiers) t.oversubscription = static_cast<double>(random.between(1, 12));
    std::vector<std::uint32_t> order(c.hosts.size());
    std::iota(order.begin(), order.end(), 0U);
    random.shuffle(order);
    c = topoplan_test::reordered(c, order);
    const step_objective o = objective_of(c, d, settings(24));
    const placement p = place(c, d, orders::megatron, {}, o);
    check_timed(c, p, o);
    std::iota(order.begin(), order.end(), 0U);
    double least = std::numeric_limits<double>::infinity();
    const layout l(resolve(d, 48), orders::megatron);
    do {
      std::vector<std::uint32_t> gpus;
      for (std::size_t i = 0; i < 6; ++i)
        for (std::uint32_t g = 0; g < 8; ++g) gpus.push_back(c.hosts[order[i]].first_gpu + g);
      least = std::min(least, o.seconds(groups_of(c, l, gpus)));
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(p->step->seconds == doctest::Approx(least).epsilon(1e-9));
    if (d.tp == 8 || c.hosts.size() == 6) CHECK(p->optimality != optimality::heuristic);
    better += p->given_step && p->step->seconds < p->given_step->seconds - 1e-6 ? 1 : 0;
  }
  CHECK(better > 0);
}

TEST_CASE("place by time: what the search by edges alone would miss") {
  // Eight leaf groups of one host short of a whole replica, a narrow spine: fewer far edges isn't less time.
  const cluster c = make_cluster("hgx-h100:24 leaf=6 oversubscription=8");
  const degrees d{.tp = 8, .dp = 8, .pp = 3};
  const step_objective o = objective_of(c, d, settings(64));
  const placement by_time = place(c, d, orders::megatron, {}, o);
  const placement by_edges = place(c, d);
  check_timed(c, by_time, o);
  CHECK(by_time->step->seconds <= o.seconds(groups_of(c, by_edges->rank_map)));
}

TEST_CASE("step_objective: weights say what half the rate costs") {
  const cluster c = make_cluster("dgx-h100:16 oversubscription=4");
  const step_objective o = objective_of(c, {.tp = 8, .dp = 4, .pp = 4}, settings(32));
  CHECK(o.weight(axis::tp) > o.weight(axis::dp));
  CHECK(o.weight(axis::dp) > 1);
  CHECK(o.weight(axis::cp) == 1);
  CHECK(o.pattern(axis::pp) == edge_pattern::chain);
  CHECK(o.pattern(axis::ep) == edge_pattern::all_to_all);
  CHECK(o.str().find("small") != std::string::npos);
  training interleaved = settings(32);
  interleaved.virtual_stages = 2;
  CHECK(objective_of(c, {.tp = 8, .dp = 4, .pp = 4}, interleaved).pattern(axis::pp) == edge_pattern::ring);
  CHECK_THROWS_AS(objective_of(c, {.tp = 8, .dp = 4, .pp = 4},
                               [] {
                                 training t = settings(32);
                                 t.virtual_stages = 64;
                                 return t;
                               }()),
                  invalid_argument);
}

TEST_CASE("step_objective: more load, wider groups, never less time") {
  topoplan_test::random random(5);
  const cluster c = make_cluster("dgx-h100:64");
  const degrees d{.tp = 4, .ep = 8, .expert_tp = 1, .dp = 16, .pp = 4};
  const step_objective o = objective_of(c, d, settings(64), true);
  axis_groups g = ideal_groups(c, resolve_for(d, usable_gpus(c)));
  for (int i = 0; i < 200; ++i) {
    const double before = o.seconds(g);
    group_shape axis_groups::* const which = random.pick(std::vector<group_shape axis_groups::*>{
        &axis_groups::dp, &axis_groups::dp_cp, &axis_groups::pp, &axis_groups::ep, &axis_groups::expert_dp});
    axis_groups worse = g;
    (worse.*which).ring_load += static_cast<double>(random.below(4));
    (worse.*which).tree_load += static_cast<double>(random.below(4));
    (worse.*which).exchange_load += static_cast<double>(random.below(4));
    CHECK(o.seconds(worse) >= before);
    if (random.below(8) == 0) g = worse;
  }
}
