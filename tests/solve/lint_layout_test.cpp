#include <topoplan/cluster/select.hpp>
#include <topoplan/solve/lint_layout.hpp>
#include <topoplan/solve/metrics.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "solve/oracle.hpp"
#include "support/random.hpp"

using namespace topoplan;
using topoplan_test::make;

namespace {

// The GPUs of these hosts (counted from 1), all of each, in this order.
std::vector<gpu_id> on_hosts(const cluster& c, const std::vector<std::uint32_t>& hosts) {
  std::vector<gpu_id> gpus;
  for (const std::uint32_t h : hosts)
    for (const gpu_id g : c.gpus_of(host_id{h - 1})) gpus.push_back(g);
  return gpus;
}

std::size_t level_of(const cluster& c, gpu_id a, gpu_id b) {
  if (c.at(a).domain == c.at(b).domain) return 0;
  if (c.at(a).host == c.at(b).host) return 1;
  for (std::size_t t = 0; t < c.tiers.size(); ++t)
    if (c.ancestor(c.at(a).host, t) == c.ancestor(c.at(b).host, t)) return 2 + t;
  return 2 + c.tiers.size();
}

bool broken(const layout_report& r, std::string_view rule) {
  const finding* f = r.verdict.find(rule);
  REQUIRE(f != nullptr);
  return !f->kept;
}

}  // namespace

TEST_CASE("lint_layout: an order that nothing beats is kept") {
  const cluster c = make({.pods = {{2, 2}}, .gpus = 2});
  const layout l(resolve({.tp = 2, .pp = 2}, 8), orders::megatron);
  // pp has stages h1 h2 | h3 h4 in the order given, which crosses leaf groups twice; h1 h3 h2 h4 doesn't.
  const layout_report best = lint_layout(c, l, on_hosts(c, {1, 3, 2, 4}), launchers::torchrun);
  CHECK(best.advice == advice::keep);
  CHECK(best.verdict.kept());
  CHECK(best.excess.empty());
  CHECK(best.worst.empty());
  CHECK(best.idle.empty());
  CHECK(best.gap() == 0);
  CHECK(best.summary() == "no placement on these hosts costs less; keep it");
}

TEST_CASE("lint_layout: where an order loses, and what replaces it") {
  const cluster c = make({.pods = {{2, 2}}, .gpus = 2});
  const layout l(resolve({.tp = 2, .pp = 2}, 8), orders::megatron);
  const layout_report r = lint_layout(c, l, on_hosts(c, {1, 2, 3, 4}), launchers::torchrun);
  CHECK(r.advice == advice::replace);
  CHECK(r.verdict.kept());
  REQUIRE(r.suggested);
  CHECK(r.suggested->cost.cost < r.cost.cost);
  CHECK(r.gap() == doctest::Approx(static_cast<double>(r.cost.cost) / static_cast<double>(r.lower_bound) - 1));
  REQUIRE(r.excess.size() == 1);
  CHECK(r.excess[0].of == axis::pp);
  CHECK(r.levels[r.excess[0].level] == "pod");
  CHECK(r.excess[0].edges == 4);
  CHECK(r.excess[0].crossing == 4);
  CHECK(r.excess[0].needed == 0);
  CHECK(r.excess[0].more_cost == 4 * (30 - 10) * 4);
  CHECK(r.excess[0].outermost);
  CHECK(r.summary() == "4 of 4 pp edges meet only at pod, 0 need to");
  REQUIRE(r.worst.size() == 2);
  CHECK(r.worst[1].of == axis::pp);
  CHECK(r.worst[1].ranks == std::vector<rank_id>{rank_id{2}, rank_id{6}});
  CHECK(r.worst[1].hosts == std::vector<std::string>{"h2", "h4"});
  CHECK(r.worst[1].alike == 2);
  CHECK(r.worst[1].edges == 1);
  CHECK(r.worst[1].cost == 4 * 30);
}

TEST_CASE("lint_layout: two ranks on a GPU, a dead GPU, idle GPUs, hosts without room") {
  cluster c = make({.pods = {{2, 2}}, .gpus = 2});
  const layout l(resolve({.tp = 2}, 4), orders::megatron);
  // Two proxies of MPICH on h1.
  const std::vector<gpu_id> twice{gpu_id{0}, gpu_id{0}, gpu_id{2}, gpu_id{3}};
  const layout_report shared = lint_layout(c, l, twice, launchers::free);
  CHECK(broken(shared, "one rank a GPU"));
  CHECK_FALSE(shared.verdict.kept());
  CHECK(shared.advice == advice::replace);
  CHECK(shared.summary() == "it breaks one rank a GPU: 1 rank share a GPU with another");
  CHECK(shared.gap() == 0);
  REQUIRE(shared.suggested);
  CHECK(shared.suggested->verdict.kept());
  CHECK(shared.idle == std::vector<spare>{{"h1", {1}}, {"h3", {0, 1}}, {"h4", {0, 1}}});

  topoplan_test::kill_gpu(c, 0, 1);
  const std::vector<gpu_id> dead{gpu_id{0}, gpu_id{1}, gpu_id{2}, gpu_id{3}};
  const layout_report unhealthy = lint_layout(c, l, dead, launchers::torchrun);
  CHECK(broken(unhealthy, "healthy GPUs"));
  CHECK(unhealthy.advice == advice::none);
  CHECK_FALSE(unhealthy.suggested);
  REQUIRE(unhealthy.refused);
  CHECK_FALSE(unhealthy.refused->reason.empty());
  CHECK(unhealthy.idle == std::vector<spare>{{"h3", {0, 1}}, {"h4", {0, 1}}});
}

TEST_CASE("lint_layout: what isn't a layout of the job is refused") {
  const cluster c = make({.pods = {{2}}, .gpus = 2});
  const layout l(resolve({.tp = 2}, 4), orders::megatron);
  CHECK_THROWS_WITH_AS(lint_layout(c, l, on_hosts(c, {1}), launchers::free), doctest::Contains("2 ranks isn't one of a job of 4"),
                       invalid_argument);
  const std::vector<gpu_id> outside{gpu_id{0}, gpu_id{1}, gpu_id{2}, gpu_id{9}};
  CHECK_THROWS_WITH_AS(lint_layout(c, l, outside, launchers::free), doctest::Contains("rank 3 sits on GPU 9"), invalid_argument);
}

TEST_CASE("lint_layout: the report on any layout agrees with the edges of the job and with the judge") {
  topoplan_test::random random(11);
#ifdef NDEBUG
  constexpr int rounds = 200;
#else
  constexpr int rounds = 40;
#endif
  int kept = 0;
  int replaced = 0;
  for (int round = 0; round < rounds; ++round) {
    const cluster c = make({.pods = {{2, 1}, {2, 2}}, .gpus = 2});
    degrees d{.tp = random.pick(std::vector<std::uint32_t>{1, 2}), .pp = random.pick(std::vector<std::uint32_t>{1, 2, 3})};
    if (random.below(3) == 0) {
      d.ep = 2;
      d.expert_tp = 1;
    }
    const std::uint32_t world = 12;
    const layout l(resolve(d, world), orders::megatron);
    std::vector<std::uint32_t> hosts(c.hosts.size());
    std::iota(hosts.begin(), hosts.end(), 1U);
    random.shuffle(hosts);
    std::vector<gpu_id> gpus = on_hosts(c, hosts);
    if (random.below(4) == 0) random.shuffle(gpus);
    gpus.resize(world);
    const layout_report r = lint_layout(c, l, gpus, launchers::free, {.launcher = launchers::free});

    std::int64_t cost = 0;
    const default_objective price;
    for (const topoplan_test::oracle_edge& e : topoplan_test::edges_of(l, price))
      cost += e.weight * price.distance(level_of(c, gpus[e.a], gpus[e.b]));
    CHECK(r.cost.cost == cost);
    CHECK(r.lower_bound <= (r.verdict.kept() ? r.cost.cost : r.suggested->cost.cost));
    if (r.advice == advice::keep) {
      ++kept;
      CHECK(r.verdict.kept());
      CHECK(r.excess.empty());
      continue;
    }
    ++replaced;
    REQUIRE(r.suggested);
    CHECK((!r.verdict.kept() || r.suggested->cost.cost < r.cost.cost));
    CHECK(check(c, r.suggested->rank_map, std::vector{rules::tp_in_domain}, launchers::free).kept());
    CHECK(measure(c, r.suggested->rank_map).cost == r.suggested->cost.cost);
    if (r.suggested->cost.cost < r.cost.cost) CHECK_FALSE(r.excess.empty());
    for (const excess_crossings& e : r.excess) {
      CHECK(e.crossing > e.needed);
      const auto counted = [&](const cost_report& of) {
        for (const crossings& x : of.edges)
          if (x.of == e.of)
            return std::accumulate(x.levels.begin() + static_cast<std::ptrdiff_t>(e.level), x.levels.end(), std::uint64_t{0});
        return std::uint64_t{0};
      };
      CHECK(counted(r.cost) == e.crossing);
      CHECK(counted(r.suggested->cost) == e.needed);
    }
    for (const costly_group& g : r.worst) {
      std::size_t level = 0;
      for (std::size_t i = 1; i < g.ranks.size(); ++i)
        level = std::max(level, level_of(c, gpus[g.ranks[i - 1].value], gpus[g.ranks[i].value]));
      if (price.pattern(g.of) == edge_pattern::ring)
        level = std::max(level, level_of(c, gpus[g.ranks.back().value], gpus[g.ranks[0].value]));
      CHECK(level == g.level);
    }
    for (const excess_crossings& e : r.excess) {
      // The costliest group of the axis is among those told, unless others cost more.
      std::int64_t most = 0;
      for (std::uint32_t first = 0; first < world; ++first) {
        const rank_id rank{first};
        if (l.position(rank, e.of) != 0) continue;
        const std::uint32_t degree = l.degrees().of(e.of);
        const bool ring = degree > 2 && price.pattern(e.of) == edge_pattern::ring;
        std::int64_t group_cost = 0;
        std::size_t level = 0;
        for (std::uint32_t i = 0; i < (ring ? degree : degree - 1); ++i) {
          const std::size_t at = level_of(c, gpus[first + i * l.stride(e.of)], gpus[first + (i + 1) % degree * l.stride(e.of)]);
          level = std::max(level, at);
          group_cost += price.weight(e.of) * price.distance(at);
        }
        if (level >= e.level) most = std::max(most, group_cost);
      }
      const bool told =
          std::any_of(r.worst.begin(), r.worst.end(), [&](const costly_group& g) { return g.of == e.of && g.cost == most; });
      CHECK((told || (r.worst.size() == detail::shown_groups && r.worst.back().cost >= most)));
    }
    for (const costly_group& g : r.worst)
      CHECK(std::any_of(r.excess.begin(), r.excess.end(),
                        [&](const excess_crossings& e) { return e.of == g.of && g.level >= e.level; }));
    CHECK(std::is_sorted(r.worst.begin(), r.worst.end(), [](const auto& a, const auto& b) { return a.cost > b.cost; }));
  }
  CHECK(kept > 0);
  CHECK(replaced > 0);
}
