#include <topoplan/cluster/presets.hpp>
#include <topoplan/core/hash.hpp>
#include <topoplan/solve/lint.hpp>
#include <topoplan/solve/place.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "solve/instances.hpp"
#include "support/random.hpp"

using namespace topoplan;
using topoplan_test::check_place;
using topoplan_test::instance;
using topoplan_test::make;
using topoplan_test::nvlink;
using topoplan_test::random_instance;

namespace {

bool mentions(const std::string& text, std::initializer_list<const char*> words) {
  return std::all_of(words.begin(), words.end(), [&](const char* w) { return text.find(w) != std::string::npos; });
}

// Four leaf groups of eight hosts under two pods and a core; host numbers say nothing about the cabling.
cluster cabled_by_delivery() {
  const std::vector<std::vector<std::uint32_t>> leaves{{6, 8, 10, 11, 20, 23, 29, 30},
                                                       {1, 9, 14, 15, 16, 22, 24, 25},
                                                       {4, 7, 12, 17, 19, 26, 27, 28},
                                                       {2, 3, 5, 13, 18, 21, 31, 32}};
  cluster c = make({.pods = {{8, 8}, {8, 8}}, .gpus = 8});
  std::vector<std::uint32_t> at(33);
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf)
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t number = leaves[leaf][i];
      at[number] = leaf * 8 + i;
      c.hosts[leaf * 8 + i].name = std::string(number < 10 ? "gpu-00" : "gpu-0") + std::to_string(number);
    }
  std::vector<std::uint32_t> order;
  for (const std::uint32_t number :
       {2U, 4U, 5U, 6U, 7U, 8U, 10U, 11U, 13U, 14U, 17U, 19U, 20U, 21U, 22U, 23U, 24U, 25U, 26U, 27U, 28U, 29U, 30U, 32U})
    order.push_back(at[number]);
  return topoplan_test::reordered(c, order);
}

std::uint64_t digest_of(const plan& p) {
  hasher h;
  for (std::uint32_t r = 0; r < p.rank_map.world(); ++r)
    h.add(p.rank_map.host_name(p.rank_map.host_of(rank_id{r}))).add(p.rank_map.gpu_of(rank_id{r}));
  return h.finish();
}

}  // namespace

TEST_CASE("place: an uneven allocation whose alphabetical order isn't its topological order") {
  const cluster c = cabled_by_delivery();
  const placement p = place(c, {.tp = 8, .pp = 4});
  check_place(c, p, {}, default_objective{});
  CHECK(p->rank_map.degrees().dp == 6);
  CHECK(p->given_order_keeps_rules);
  CHECK_FALSE(p->keeps_given_order);
  CHECK(p->cost.cost * 100 < p->given_order->cost * 75);
  CHECK(p->rank_map.contiguous());
  for (std::uint32_t h = 0; h < p->rank_map.hosts(); ++h) CHECK(p->rank_map.ranks_on(host_id{h}).size() == 8);
  CHECK(p->verdict.find("rails aligned")->kept);
  CHECK(p->levels == std::vector<std::string>{"domain", "host", "leaf", "pod", "core"});
}

TEST_CASE("place: ep groups of 64 on racks of 72, with and without a lost tray") {
  const degrees d{.tp = 8, .ep = 64, .expert_tp = 1, .dp = 32};
  const place_options options{.confine = {rules::tp_in_domain, rules::ep_in_domain}};
  cluster c = presets::gb200_nvl72(4);
  const placement whole = place(c, d, orders::megatron, options);
  check_place(c, whole, options, default_objective{});
  CHECK(whole->optimality == optimality::bound_met);
  CHECK_FALSE(whole->given_order_keeps_rules);
  std::vector<std::uint32_t> used(c.domains, 0);
  for (std::uint32_t r = 0; r < 256; ++r) ++used[whole->rank_map.domain_of(rank_id{r}).value];
  CHECK(used == std::vector<std::uint32_t>(4, 64));
  std::size_t spares = 0;
  for (const spare& s : whole->rank_map.spares()) spares += s.gpus.size();
  CHECK(spares == 4 * 8);

  SUBCASE("a cordoned tray") { c.hosts[20].cordoned = true; }
  SUBCASE("a tray with dead GPUs") {
    for (std::uint32_t g = 0; g < 4; ++g) topoplan_test::kill_gpu(c, 20, g);
  }
  SUBCASE("two trays with a dead GPU each") {
    topoplan_test::kill_gpu(c, 3, 1);
    topoplan_test::kill_gpu(c, 7, 2);
  }
  const placement worn = place(c, d, orders::megatron, options);
  check_place(c, worn, options, default_objective{});
  CHECK(worn->cost.cost == whole->cost.cost);
  CHECK(worn->verdict.find("rails aligned")->kept);
}

TEST_CASE("place: a rack that can't hold a group any more is refused, with the rack and a way out") {
  cluster c = presets::gb200_nvl72(4);
  for (std::uint32_t tray = 18; tray < 21; ++tray) c.hosts[tray].cordoned = true;
  const placement p = place(c, {.tp = 8, .ep = 64, .expert_tp = 1, .dp = 32}, orders::megatron,
                            {.confine = {rules::tp_in_domain, rules::ep_in_domain}});
  REQUIRE_FALSE(p);
  CAPTURE(p.why());
  CHECK(p.refused().rule == "tp=domain and ep=domain");
  CHECK(mentions(p.refused().reason, {"groups of 64", "3 groups of the 4 needed"}));
  CHECK(mentions(p.refused().where, {"60 usable", "60 of them left over"}));
  CHECK(mentions(p.refused().remedy, {"dp 24", "4 more usable GPUs in"}));
}

TEST_CASE("place: a way out is one: GPUs that aren't there can't be made usable") {
  const cluster c = presets::dgx_h100(4);
  for (const std::uint32_t dp : {9U, 10U}) {
    const placement p = place(c, {.tp = 3, .dp = dp});
    REQUIRE_FALSE(p);
    CAPTURE(p.why());
    CHECK(mentions(p.refused().remedy, {"dp 8"}));
    CHECK_FALSE(mentions(p.refused().remedy, {"more usable"}));
    CHECK(mentions(p.refused().where, {"domain 0 (", ") has 8 usable, 2 of them left over"}));
  }
  const placement wide = place(c, {.tp = 16, .dp = 2});
  REQUIRE_FALSE(wide);
  CHECK(mentions(wide.refused().remedy, {"groups of at most 8", "or no such rule"}));
  CHECK(wide.refused().where.empty());
}

TEST_CASE("place: says when the order given is already best") {
  const cluster c = presets::dgx_h100(32);
  const placement p = place(c, {.tp = 8, .pp = 4});
  check_place(c, p, {}, default_objective{});
  CHECK(p->keeps_given_order);
  CHECK(p->optimality == optimality::bound_met);
  CHECK(mentions(p->notes.back(), {"the order you gave is kept", "optimal"}));
}

TEST_CASE("place: hosts with 7 and 8 usable GPUs") {
  cluster c = make({.pods = {{2, 2}}, .gpus = 8});
  topoplan_test::kill_gpu(c, 1, 2);
  SUBCASE("a group of 8 needs a whole host") {
    const placement p = place(c, {.tp = 8, .dp = 3});
    check_place(c, p, {}, default_objective{});
    CHECK_FALSE(p->rank_map.find_host("h2"));
    const placement none =
        place(c, {.tp = 4, .cp = 2, .dp = 4}, orders::megatron, {.confine = {{{axis::tp, axis::cp}, scope::domain}}});
    REQUIRE_FALSE(none);
    CHECK(mentions(none.why(), {"one rank a GPU", "31 of 32", "h2 (7 of 8 GPUs usable)", "dp 3"}));
  }
  SUBCASE("groups of 4: the host with a dead GPU holds one, on the same GPUs as the others") {
    const placement p = place(c, {.tp = 4, .dp = 7}, orders::megatron, {.launcher = launchers::free});
    check_place(c, p, {}, default_objective{});
    const auto h2 = p->rank_map.find_host("h2");
    REQUIRE(h2);
    REQUIRE(p->rank_map.ranks_on(*h2).size() == 4);
    for (std::uint32_t i = 0; i < 4; ++i) CHECK(p->rank_map.gpu_of(p->rank_map.ranks_on(*h2)[i]) == 4 + i);
  }
  SUBCASE("torchrun with 7 ranks on one host and 8 on the others") {
    const placement p = place(c, {}, orders::megatron, {.confine = {}});
    check_place(c, p, {.confine = {}}, default_objective{});
    CHECK(p->rank_map.world() == 31);
    CHECK(p->rank_map.ranks_on(*p->rank_map.find_host("h2")).size() == 7);
  }
}

TEST_CASE("place: what this solver can't treat is refused by name") {
  SUBCASE("several networks") {
    cluster c = make({.pods = {{2}, {2}}, .gpus = 2});
    c.tiers.pop_back();
    const placement p = place(c, {.tp = 2, .pp = 2});
    REQUIRE_FALSE(p);
    CHECK(p.refused().rule == "one network");
    CHECK(mentions(p.why(), {"pod pod1", "pod pod2", "dp 1, which needs 4 GPUs"}));
    check_place(c, place(c, {.tp = 2, .dp = 1, .pp = 2}), {}, default_objective{});
  }
  SUBCASE("GPU models") {
    cluster c = make({.pods = {{4}}, .gpus = 2});
    c.gpu_models = {"A", "B"};
    c.hosts[2].model = c.hosts[3].model = 1;
    const placement p = place(c, {.tp = 2});
    REQUIRE_FALSE(p);
    CHECK(p.refused().rule == "one GPU model");
    CHECK(mentions(p.why(), {"4 of A", "4 of B"}));
    const placement one = place(c, {.tp = 2, .dp = 2});
    check_place(c, one, {}, default_objective{});
    CHECK(one->rank_map.hosts() == 2);
  }
  // Where the hosts in the order given keep the rules, that order is the answer, with a note that says what wasn't searched.
  SUBCASE("a domain over two leaf groups") {
    cluster c = make({.pods = {{2, 2}}, .gpus = 2});
    for (gpu& g : c.gpus) g.domain = domain_id{0};
    c.domains = 1;
    const placement kept = place(c, {.tp = 4});
    check_place(c, kept, {}, default_objective{});
    CHECK(kept->keeps_given_order);
    CHECK(kept->lower_bound == 0);
    CHECK(mentions(kept->notes.back(), {"spans leaf groups", "domain 0", "leaf1", "leaf2"}));
    const placement p = place(c, {.tp = 2, .dp = 4}, orders::megatron, {.confine = {rules::tp_in_host, {axis::dp, scope::host}}});
    REQUIRE_FALSE(p);
    CHECK(mentions(p.why(), {"spans leaf groups", "domain 0", "leaf1", "leaf2"}));
  }
  SUBCASE("hosts with several domains beside domains with several hosts") {
    cluster c = make({.pods = {{2, 2}}, .gpus = 2});
    c.gpus[0].domain = domain_id{0};
    c.gpus[1].domain = domain_id{1};
    c.gpus[2].domain = c.gpus[3].domain = domain_id{2};
    for (std::size_t g = 4; g < 8; ++g) c.gpus[g].domain = domain_id{3};
    const placement p = place(c, {.tp = 2, .dp = 2}, orders::megatron, {.launcher = launchers::slurm});
    REQUIRE_FALSE(p);
    CHECK(mentions(p.why(), {"nested NVLink domains", "can't mix", "h1 has several domains", "domain 3 several hosts"}));
  }
}

TEST_CASE("place: too few GPUs, a launcher that can't, groups larger than any domain") {
  cluster c = make({.pods = {{4}}, .gpus = 4});
  topoplan_test::kill_gpu(c, 1, 1);
  placement p = place(c, {.tp = 4, .dp = 4});
  REQUIRE_FALSE(p);
  CHECK(mentions(p.why(), {"one rank a GPU", "16 ranks", "15 of 16", "h2 (3 of 4 GPUs usable)", "dp 3"}));

  p = place(c, {.tp = 8, .dp = 1});
  REQUIRE_FALSE(p);
  CHECK(mentions(p.why(), {"tp=domain", "groups of 8", "the largest NVLink domain has 4 usable GPUs"}));

  // tp groups with a stride: consecutive ranks on a host never hold one, single tasks do.
  const order strided("dp-tp-pp");
  c = make({.pods = {{2}}, .gpus = 4});
  p = place(c, {.tp = 2, .dp = 4}, strided);
  REQUIRE_FALSE(p);
  CHECK(p.refused().rule == "launcher torchrun");
  CHECK(mentions(p.why(), {"consecutive", "tp=domain", "slurm"}));
  check_place(c, place(c, {.tp = 2, .dp = 4}, strided, {.launcher = launchers::slurm}), {.launcher = launchers::slurm},
              default_objective{});
}

TEST_CASE("place: illegal degrees throw, with what would be legal") {
  const cluster c = make({.pods = {{3}}, .gpus = 4});
  CHECK_THROWS_WITH_AS(static_cast<void>(place(c, {.tp = 4, .pp = 2})), doctest::Contains("largest legal dp"), invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(place(c, {.tp = 4}, order("cp-dp"))), invalid_argument);
  custom_objective falling;
  falling.distances = {5, 1};
  CHECK_THROWS_AS(static_cast<void>(place(c, {.tp = 4}, orders::megatron, {}, falling)), invalid_argument);
}

TEST_CASE("place: optimal is said only where it is shown") {
  const auto said = [](const cluster& c, const degrees& d, const place_options& o = {.moves = 0}) {
    const placement p = place(c, d, orders::megatron, o);
    check_place(c, p, o, default_objective{});
    return p->optimality;
  };
  // 16 x 6 units on three leaf groups of 32: the bound isn't met, and there are too many units for an exact search.
  CHECK(said(presets::dgx_h100(96), {.tp = 8, .pp = 16}) == optimality::heuristic);
  CHECK(said(make({.pods = {{7, 5}}, .gpus = 2}), {.tp = 2, .cp = 2, .dp = 3, .pp = 2}) == optimality::exhaustive);
  CHECK(said(make({.pods = {{8, 8}}, .gpus = 2}), {.tp = 2, .dp = 8, .pp = 2}) == optimality::bound_met);
  const place_options racks{.confine = {rules::tp_in_domain, rules::ep_in_domain}, .moves = 0};
  CHECK(said(presets::gb200_nvl72(16), {.tp = 8, .ep = 64, .expert_tp = 1, .dp = 32, .pp = 4}, racks) ==
        optimality::level_symmetric);
}

TEST_CASE("place: spares and exclusions are listed") {
  cluster c = make({.pods = {{4}}, .gpus = 4});
  topoplan_test::kill_gpu(c, 0, 2);
  c.hosts[1].cordoned = true;
  const placement p = place(c, {.tp = 4, .dp = 2});
  check_place(c, p, {}, default_objective{});
  const std::vector<spare> spares = p->rank_map.spares();
  REQUIRE(spares.size() == 1);
  CHECK(spares[0] == spare{"h1", {0, 1, 3}});
  CHECK(mentions(p->notes.at(0), {"unhealthy", "h1:gpu2"}));
  CHECK(mentions(p->notes.at(1), {"cordoned", "h2"}));
}

TEST_CASE("place: keeps its promises on random larger clusters") {
  topoplan_test::random random(99);
  int placed = 0;
  for (int round = 0; round < 12; ++round) {
    instance i = random_instance(random, random.pick(std::vector{launchers::torchrun, launchers::slurm}), 24, 64, 8, 8);
    i.options.moves = 300;
    CAPTURE(i.str());
    const placement p = i.place();
    if (!p) {
      CHECK_FALSE(p.why().empty());
      continue;
    }
    ++placed;
    check_place(i.c, p, i.options, i.price);
    CHECK(digest_of(*i.place()) == digest_of(*p));
  }
  CHECK(placed > 5);
}

TEST_CASE("place: names, input order and the scale of the objective don't change the cost of small jobs") {
  topoplan_test::random random(4);
  for (int round = 0; round < 25; ++round) {
    const instance i = random_instance(random, random.pick(std::vector{launchers::torchrun, launchers::slurm}), 8, 16);
    CAPTURE(i.str());
    const placement p = i.place();
    instance renamed = i;
    for (host& h : renamed.c.hosts) h.name = "x" + std::to_string(random.next());
    instance shuffled = i;
    std::vector<std::uint32_t> order(i.c.hosts.size());
    for (std::uint32_t h = 0; h < order.size(); ++h) order[h] = h;
    random.shuffle(order);
    shuffled.c = topoplan_test::reordered(i.c, order);
    instance scaled = i;
    for (std::int64_t& w : scaled.price.weights) w *= 7;
    for (const instance* other : {&renamed, &shuffled, &scaled})
      REQUIRE(static_cast<bool>(other->place()) == static_cast<bool>(p));
    if (!p) continue;
    CHECK(renamed.place()->cost.cost == p->cost.cost);
    CHECK(renamed.place()->lower_bound == p->lower_bound);
    CHECK(shuffled.place()->cost.cost == p->cost.cost);
    CHECK(shuffled.place()->lower_bound == p->lower_bound);
    CHECK(scaled.place()->cost.cost == 7 * p->cost.cost);
    CHECK(scaled.place()->lower_bound == 7 * p->lower_bound);
  }
}

TEST_CASE("place: one more host never makes a small job dearer") {
  topoplan_test::random random(8);
  for (int round = 0; round < 25; ++round) {
    const instance i = random_instance(random, random.pick(std::vector{launchers::torchrun, launchers::slurm}), 7, 14);
    CAPTURE(i.str());
    const placement p = i.place();
    if (!p) continue;
    instance more = i;
    const std::uint32_t twin = static_cast<std::uint32_t>(random.below(i.c.hosts.size()));
    host h = i.c.hosts[twin];
    h.name = "extra";
    h.first_gpu = static_cast<std::uint32_t>(i.c.gpus.size());
    for (std::uint16_t g = 0; g < h.gpu_count; ++g) {
      gpu made = i.c.gpus[i.c.hosts[twin].first_gpu + g];
      made.host = host_id{static_cast<std::uint32_t>(i.c.hosts.size())};
      if (g == 0 || made.domain != i.c.gpus[i.c.hosts[twin].first_gpu + g - 1].domain) ++more.c.domains;
      made.domain = domain_id{more.c.domains - 1};
      made.health = gpu_health::ok;
      more.c.gpus.push_back(made);
    }
    more.c.hosts.push_back(h);
    const placement q = more.place();
    REQUIRE_MESSAGE(q, q.why());
    CHECK(q->cost.cost <= p->cost.cost);
  }
}

TEST_CASE("place: the same plan with every compiler and optimisation level") {
  const auto golden = [](const placement& p) {
    REQUIRE_MESSAGE(p, p.why());
    return digest_of(*p);
  };
  cluster c = cabled_by_delivery();
  CHECK(golden(place(c, {.tp = 8, .pp = 4}, orders::megatron, {.moves = 5'000})) == 8362386545718179340U);
  c = make({.pods = {{5, 7, 3}, {9, 6}}, .gpus = 4});
  topoplan_test::kill_gpu(c, 4, 1);
  CHECK(golden(place(c, {.tp = 4, .cp = 2, .dp = 3, .pp = 4}, orders::megatron, {.moves = 5'000})) == 10787071184457983008U);
  CHECK(golden(place(c, {.tp = 2, .dp = 13, .pp = 4}, orders::megatron,
                     {.launcher = launchers::slurm, .seed = 3, .moves = 5'000})) == 5065608793834959348U);
  CHECK(golden(place(presets::gb200_nvl72(3), {.tp = 4, .dp = 13, .pp = 4})) == 7969805504814073680U);
}
