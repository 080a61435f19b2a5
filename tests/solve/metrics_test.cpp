#include <topoplan/solve/lint.hpp>
#include <topoplan/solve/metrics.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "solve/oracle.hpp"
#include "support/random.hpp"

using namespace topoplan;
using topoplan_test::make;
using topoplan_test::nvlink;

namespace {

// The rank map that seats rank r on GPU gpus[r] of the cluster.
rank_map seated(const cluster& c, const layout& l, const std::vector<std::uint32_t>& gpus) {
  std::vector<std::string> hosts;
  rank_columns columns;
  for (const std::uint32_t g : gpus) {
    const std::string& name = c.host_of(gpu_id{g}).name;
    const auto found = std::find(hosts.begin(), hosts.end(), name);
    columns.host.push_back(static_cast<std::uint32_t>(found - hosts.begin()));
    if (found == hosts.end()) hosts.push_back(name);
    columns.gpu.push_back(c.gpus[g].index);
    columns.domain.push_back(c.gpus[g].domain.value);
  }
  return rank_map(l, hosts, columns);
}

std::vector<std::uint32_t> first_gpus(std::uint32_t n) {
  std::vector<std::uint32_t> gpus(n);
  std::iota(gpus.begin(), gpus.end(), 0U);
  return gpus;
}

const finding& found(const verdict& v, std::string_view rule) {
  const finding* f = v.find(rule);
  REQUIRE_MESSAGE(f != nullptr, std::string(rule));
  return *f;
}

}  // namespace

TEST_CASE("measure: every edge counted once, at the level where its GPUs meet") {
  // Two pods of two leaf groups of one host of two GPUs; dp 2 inside a host, pp 4 over the hosts.
  const cluster c = make({.pods = {{1, 1}, {1, 1}}, .gpus = 2});
  const layout l(resolve({.pp = 4}, 8), orders::megatron);
  const cost_report cost = measure(c, seated(c, l, first_gpus(8)));
  REQUIRE(cost.edges.size() == 2);
  CHECK(meeting_levels(c) == std::vector<std::string>{"domain", "host", "leaf", "pod", "core"});
  CHECK(cost.edges[0].of == axis::dp);
  CHECK(cost.edges[0].levels == std::vector<std::uint64_t>{4, 0, 0, 0, 0});
  CHECK(cost.edges[1].of == axis::pp);
  CHECK(cost.edges[1].levels == std::vector<std::uint64_t>{0, 0, 0, 4, 2});
  CHECK(cost.cost == 4 * 1 * 1 + 4 * (4 * 30 + 2 * 60));
}

TEST_CASE("measure: equal to the sum over the groups that the layout names") {
  topoplan_test::random random(3);
  for (int round = 0; round < 60; ++round) {
    const cluster c = make({.pods = {{2, 1}, {2, 2}},
                            .gpus = 4,
                            .domains = random.pick(std::vector{nvlink::host, nvlink::pairs, nvlink::none, nvlink::rack}),
                            .hosts_per_rack = 2});
    degrees d{.tp = random.pick(std::vector<std::uint32_t>{1, 2, 3}),
              .cp = random.pick(std::vector<std::uint32_t>{1, 2}),
              .pp = random.pick(std::vector<std::uint32_t>{1, 2})};
    if (random.below(2) == 0) {
      d.ep = random.pick(std::vector<std::uint32_t>{1, 2, 4, 6});
      d.expert_tp = random.pick(std::vector<std::uint32_t>{1, 2});
    }
    if (24 % (d.tp * d.cp * d.pp) != 0 || 24 % (d.ep * std::max(d.expert_tp, 1U) * d.pp) != 0) continue;
    const layout l(resolve(d, 24), orders::megatron);
    custom_objective o;
    for (std::size_t a = 0; a < axis_count; ++a) {
      o.weights[a] = static_cast<std::int64_t>(random.below(7));
      o.patterns[a] = random.pick(std::vector{edge_pattern::ring, edge_pattern::chain, edge_pattern::all_to_all});
    }
    std::vector<std::uint32_t> gpus = first_gpus(static_cast<std::uint32_t>(c.gpus.size()));
    random.shuffle(gpus);
    gpus.resize(24);
    const auto level = [&](std::uint32_t x, std::uint32_t y) -> std::size_t {
      if (c.gpus[x].domain == c.gpus[y].domain) return 0;
      if (c.gpus[x].host == c.gpus[y].host) return 1;
      for (std::size_t t = 0; t < c.tiers.size(); ++t)
        if (c.ancestor(c.gpus[x].host, t) == c.ancestor(c.gpus[y].host, t)) return 2 + t;
      return 2 + c.tiers.size();
    };
    std::int64_t expected = 0;
    for (const topoplan_test::oracle_edge& e : topoplan_test::edges_of(l, o))
      expected += e.weight * o.distance(level(gpus[e.a], gpus[e.b]));
    CHECK(measure(c, seated(c, l, gpus), o).cost == expected);
  }
}

TEST_CASE("check: every rule broken on purpose is found, counted and named") {
  cluster c = make({.pods = {{2, 2}}, .gpus = 4});
  const layout l(resolve({.tp = 4}, 16), orders::megatron);
  const std::vector<confinement> rules{rules::tp_in_domain, rules::tp_in_host};
  const auto verdict_of = [&](const std::vector<std::uint32_t>& gpus, const launcher& by) {
    return check(c, seated(c, l, gpus), rules, by);
  };
  std::vector<std::uint32_t> gpus = first_gpus(16);
  const verdict good = verdict_of(gpus, launchers::torchrun);
  CHECK(good.kept());
  for (const finding& f : good.findings) CHECK_MESSAGE(f.kept, f.rule);
  CHECK(found(good, "tp=domain").checked == 4);
  CHECK(found(good, "launcher torchrun").checked == 4);

  std::swap(gpus[3], gpus[4]);  // ranks 3 and 4 change hosts
  const verdict torn = verdict_of(gpus, launchers::torchrun);
  CHECK_FALSE(torn.kept());
  const finding& tp = found(torn, "tp=domain");
  CHECK(tp.broken == 2);
  REQUIRE(tp.breaches.size() == 2);
  CHECK(tp.breaches[0].text.find("tp group of ranks 0-3 sits in domain 0 (h1) and domain 1 (h2)") != std::string::npos);
  CHECK(tp.breaches[0].ranks == std::vector<rank_id>{rank_id{0}, rank_id{1}, rank_id{2}, rank_id{3}});
  CHECK(tp.breaches[0].gpus[3] == gpu_id{4});
  CHECK(tp.text.find("2 of 4 groups of 4 ranks leave one NVLink domain") != std::string::npos);
  CHECK(found(torn, "tp=host").broken == 2);
  const finding& by = found(torn, "launcher torchrun");
  CHECK(by.broken == 2);
  CHECK(by.breaches.at(0).text.find("the ranks of h1 aren't consecutive: rank 4 returns to it after h2") != std::string::npos);
  CHECK(found(verdict_of(gpus, launchers::free), "launcher free").kept);

  gpus = first_gpus(16);
  topoplan_test::kill_gpu(c, 2, 1);
  const verdict dead = verdict_of(gpus, launchers::torchrun);
  CHECK_FALSE(dead.kept());
  CHECK(found(dead, "healthy GPUs").breaches.at(0).text == "rank 9 sits on h3:gpu1, which is unhealthy");
  c.hosts[3].cordoned = true;
  CHECK(found(verdict_of(gpus, launchers::torchrun), "healthy GPUs").broken == 5);
}

TEST_CASE("check: a job over two networks is named") {
  cluster c = make({.pods = {{1}, {1}}, .gpus = 2});
  c.tiers.pop_back();  // no core: the pods don't reach each other
  const layout l(resolve({}, 4), orders::megatron);
  const verdict v = check(c, seated(c, l, first_gpus(4)), {}, launchers::free);
  CHECK_FALSE(v.kept());
  CHECK(found(v, "one network").broken == 2);
  CHECK(found(v, "one network").breaches.at(0).text.find("rank 2 on h2 is below pod pod2") != std::string::npos);
  CHECK(measure(c, seated(c, l, first_gpus(4))).edges.at(0).levels.size() == meeting_levels(c).size() + 1);
}

TEST_CASE("check: rails are aligned if a group uses the same ones on all of its hosts, and informs only") {
  const cluster c = make({.pods = {{4}}, .gpus = 4});
  const layout l(resolve({.tp = 2, .pp = 2}, 16), orders::megatron);
  std::vector<std::uint32_t> gpus = first_gpus(16);
  const verdict aligned = check(c, seated(c, l, gpus), {}, launchers::free);
  CHECK(found(aligned, "rails aligned").kept);
  std::swap(gpus[0], gpus[1]);
  const verdict crossed = check(c, seated(c, l, gpus), {}, launchers::free);
  CHECK(crossed.kept());
  const finding& f = found(crossed, "rails aligned");
  CHECK_FALSE(f.kept);
  CHECK_FALSE(f.hard);
  CHECK(f.broken == 4);  // the dp and the pp group of ranks 0 and 1
  CHECK(f.breaches.at(0).text.find("different rails") != std::string::npos);
}

TEST_CASE("check: a set of dense and expert axes confines all that is linked by their groups") {
  const cluster c = make({.pods = {{2}}, .gpus = 4});
  const layout l(resolve({.tp = 2, .ep = 4, .expert_tp = 1}, 8), orders::megatron);
  const confinement together{{axis::tp, axis::ep}, scope::domain};
  const verdict v = check(c, seated(c, l, first_gpus(8)), std::vector{together, rules::ep_in_domain}, launchers::free);
  CHECK(found(v, "tp,ep=domain").checked == 2);
  CHECK(found(v, "tp,ep=domain").kept);
  CHECK(v.keeps(rules::ep_in_domain));
  CHECK_FALSE(v.keeps(rules::cp_in_domain));  // not checked
}

TEST_CASE("lint: answers for any rule, and refuses a map of another cluster") {
  const cluster c = make({.pods = {{2, 2}}, .gpus = 4});
  const layout l(resolve({.tp = 4}, 16), orders::megatron);
  std::vector<std::uint32_t> gpus = first_gpus(16);
  const lint_report good = lint(c, seated(c, l, gpus));
  CHECK(good.kept());
  CHECK(good.keeps(rules::tp_in_domain));
  CHECK(good.keeps(rules::tp_in_host));
  CHECK_FALSE(good.keeps({axis::dp, scope::domain}));
  CHECK(good.cost.cost == measure(c, seated(c, l, gpus)).cost);
  std::swap(gpus[3], gpus[4]);
  CHECK_FALSE(lint(c, seated(c, l, gpus)).keeps(rules::tp_in_domain));
  CHECK_FALSE(lint(c, seated(c, l, gpus), std::vector{rules::tp_in_domain}).kept());

  cluster other = make({.pods = {{3}}, .gpus = 4});
  CHECK_THROWS_WITH_AS(static_cast<void>(lint(other, seated(c, l, first_gpus(16)))), doctest::Contains("host 'h4'"),
                       invalid_argument);
  other = make({.pods = {{4}}, .gpus = 2});
  CHECK_THROWS_WITH_AS(static_cast<void>(lint(other, seated(c, l, first_gpus(16)))),
                       doctest::Contains("rank 2 on GPU 2 of host 'h1'"), invalid_argument);
}
