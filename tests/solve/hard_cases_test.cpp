#include <topoplan/cluster/cluster.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/place.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "solve/clusters.hpp"

using namespace topoplan;

namespace {

// Edges of three axes on a three-level tree with distances 1, 10 and 30, which mapping tools were measured on.
struct hard_case {
  std::string name;
  std::uint32_t tp, pp, dp;
  std::int64_t tp_weight, dp_weight, pp_weight;
  std::uint16_t gpus;
  std::uint32_t hosts, leaves;
  bool dp_all_to_all;
  bool tp_whole;  // tp groups stay in a host
  std::int64_t cost;
};

const std::vector<hard_case> cases{
    {"heavy tp", 8, 8, 16, 1000, 100, 10, 8, 16, 8, false, true, 4'876'800},
    {"close weights", 8, 8, 16, 100, 90, 80, 8, 16, 8, false, true, 2'662'400},
    {"tp4", 4, 16, 16, 1000, 100, 10, 8, 16, 8, false, true, 2'284'800},
    {"tp4, odd dp", 4, 8, 24, 1000, 100, 30, 8, 12, 8, false, true, 2'076'800},
    {"tp2, dp all-to-all, tp free to split", 2, 8, 64, 300, 100, 50, 8, 16, 8, true, false, 31'910'400},
    {"tp2, dp all-to-all", 2, 8, 64, 300, 100, 50, 8, 16, 8, true, true, 32'371'200},
    {"tp6 on 6 GPUs a host", 6, 8, 20, 1000, 100, 10, 6, 20, 8, false, true, 3'612'000},
    {"tp16 on 8 GPUs a host", 16, 8, 8, 1000, 100, 10, 8, 16, 8, false, false, 45'836'800},
    {"8192 ranks", 8, 16, 64, 1000, 100, 10, 8, 32, 32, false, true, 39'372'800},
    {"8192 ranks, tp4", 4, 32, 64, 1000, 100, 10, 8, 32, 32, false, true, 18'867'200},
};

}  // namespace

TEST_CASE("place: the hard cases of mapping tools cost no more than the best known tilings") {
  for (const hard_case& k : cases) {
    CAPTURE(k.name);
    const cluster c = topoplan_test::make({.pods = {std::vector<std::uint32_t>(k.leaves, k.hosts)}, .gpus = k.gpus});
    custom_objective price;
    price.distances = {1, 1, 10, 30};
    const auto set = [&](axis a, std::int64_t weight, edge_pattern pattern) {
      price.weights[static_cast<std::size_t>(a)] = weight;
      price.patterns[static_cast<std::size_t>(a)] = pattern;
    };
    set(axis::tp, k.tp_weight, edge_pattern::all_to_all);
    set(axis::dp, k.dp_weight, k.dp_all_to_all ? edge_pattern::all_to_all : edge_pattern::ring);
    set(axis::pp, k.pp_weight, edge_pattern::chain);
    place_options options{.confine = {}, .launcher = launchers::free, .moves = 0};
    if (k.tp_whole) options.confine = {rules::tp_in_domain};
    const placement p = place(c, {.tp = k.tp, .dp = k.dp, .pp = k.pp}, orders::megatron, options, price);
    REQUIRE_MESSAGE(p, p.why());
    CHECK(measure(c, p->rank_map, price).cost == p->cost.cost);
    CHECK(p->cost.cost <= k.cost);
    CHECK(p->lower_bound <= p->cost.cost);
    MESSAGE(k.name << ": " << p->cost.cost << ", bound " << p->lower_bound << ", " << std::string(to_string(p->optimality)));
  }
}
