// Jobs on several GPU models.
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/place.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "support/random.hpp"

using namespace topoplan;
using topoplan_test::make;

namespace {

// The first hosts of every leaf group are of the slower model.
cluster mixed(const std::vector<std::vector<std::uint32_t>>& pods, std::uint32_t slow_hosts) {
  cluster c = make({.pods = pods, .gpus = 8});
  c.gpu_models = {"A100-SXM 80GB", "H100-SXM 80GB"};
  for (host& h : c.hosts) h.model = 1;
  for (std::uint32_t h = 0; h < slow_hosts; ++h) c.hosts[h * 7 % c.hosts.size()].model = 0;
  return c;
}

std::string model_of(const cluster& c, const rank_map& map, std::uint32_t rank) {
  const std::string name(map.host_name(map.host_of(rank_id{rank})));
  const auto at = std::find_if(c.hosts.begin(), c.hosts.end(), [&](const host& h) { return h.name == name; });
  return c.gpu_models[at->model];
}

}  // namespace

TEST_CASE("place: models are mixed only where an axis may") {
  const degrees d{.tp = 8, .dp = 3, .pp = 4};
  const placement unasked = place(mixed({{4, 4}, {4}}, 4), d);
  REQUIRE_FALSE(unasked);
  CHECK(unasked.refused().rule == "one GPU model");
  CHECK(unasked.why().find("pp gives stages") != std::string::npos);
  for (const axis_set mix : {axis_set{axis::pp}, axis_set{axis::dp}})
    for (const launcher& by : {launchers::torchrun, launchers::slurm}) {
      const cluster c = mixed({{4, 4}, {4}}, mix.contains(axis::pp) ? 3 : 4);
      const placement p = place(c, d, orders::megatron, {.launcher = by, .mix = mix});
      REQUIRE_MESSAGE(p, p.why());
      CHECK(check(c, p->rank_map, std::vector{rules::tp_in_domain}, by, {}, mix).kept());
      CHECK_FALSE(check(c, p->rank_map, {}, by).kept());
      CHECK(p->lower_bound <= p->cost.cost);
      CHECK(p->cost.cost == measure(c, p->rank_map).cost);
      // Sets as the axis says, written out: stages, or replicas.
      std::map<std::uint32_t, std::set<std::string>> models;
      for (std::uint32_t r = 0; r < 96; ++r) {
        const auto at = p->rank_map.coordinate(rank_id{r});
        models[mix.contains(axis::pp) ? at[axis::pp] : at[axis::dp]].insert(model_of(c, p->rank_map, r));
      }
      for (const auto& [set, names] : models) CHECK(names.size() == 1);
      CHECK(*models.begin()->second.begin() == "H100-SXM 80GB");
      CHECK(*models.rbegin()->second.begin() == "A100-SXM 80GB");
    }
}

TEST_CASE("place: one model is taken where it has room, whatever may mix") {
  const cluster c = mixed({{4, 4}, {4}}, 4);
  const placement p = place(c, {.tp = 8, .dp = 2, .pp = 4}, orders::megatron, {.mix = axis::pp});
  REQUIRE_MESSAGE(p, p.why());
  CHECK(check(c, p->rank_map, {}, launchers::torchrun).kept());
}

TEST_CASE("place: sets that no model has room for are refused") {
  const cluster c = mixed({{4, 4}, {4}}, 5);  // 5 slow, 7 fast hosts: stages of 3 hosts fit 1 + 2 times
  const placement p = place(c, {.tp = 8, .dp = 3, .pp = 4}, orders::megatron, {.mix = axis::pp});
  REQUIRE_FALSE(p);
  CHECK(p.why().find("sets of 24") != std::string::npos);
  const placement expert =
      place(c, {.tp = 1, .ep = 8, .expert_tp = 1, .dp = 96}, orders::megatron, {.confine = {}, .mix = axis::pp});
  CHECK_FALSE(expert);
}

TEST_CASE("place: random mixtures keep every rule, and no sets are refused that counting has room for") {
  topoplan_test::random random(41);
  int placed = 0;
  for (int i = 0; i < 40; ++i) {
    const auto hosts = static_cast<std::uint32_t>(random.between(4, 12));
    std::vector<std::uint32_t> leaves;
    for (std::uint32_t left = hosts; left > 0; left -= leaves.back())
      leaves.push_back(static_cast<std::uint32_t>(random.between(1, std::min(left, 5U))));
    cluster c = mixed({leaves}, 0);
    std::uint32_t slow = 0;
    for (host& h : c.hosts)
      if (random.below(3) == 0) {
        h.model = 0;
        ++slow;
      }
    const auto pp = static_cast<std::uint32_t>(random.between(2, 4));
    const std::uint32_t dp = hosts / pp;
    if (dp == 0) continue;
    const place_options o{.mix = axis::pp};
    const placement p = place(c, {.tp = 8, .dp = dp, .pp = pp}, orders::megatron, o);
    const bool room = slow / dp + (hosts - slow) / dp >= pp;
    CHECK(static_cast<bool>(p) == room);
    if (!p) continue;
    ++placed;
    CHECK(check(c, p->rank_map, o.confine, o.launcher, {}, o.mix).kept());
    CHECK(p->cost.cost == measure(c, p->rank_map).cost);
    CHECK(p->lower_bound <= p->cost.cost);
  }
  CHECK(placed > 10);
}
