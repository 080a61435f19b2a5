// Spares: what stays free, where, and what the job gives up for it.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/select.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/place.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "solve/instances.hpp"
#include "support/random.hpp"

using namespace topoplan;
using topoplan_test::instance;
using topoplan_test::make;
using topoplan_test::nvlink;

namespace {

#ifdef NDEBUG
constexpr int rounds = 400;
#else
constexpr int rounds = 40;
#endif

bool mentions(const std::string& text, std::initializer_list<const char*> words) {
  return std::all_of(words.begin(), words.end(), [&](const char* w) { return text.find(w) != std::string::npos; });
}

// What is free and what holds ranks in every place, counted from the map alone.
struct place_count {
  std::uint32_t ranks = 0;
  std::uint32_t free_gpus = 0;
  std::uint32_t free_hosts = 0;  // whole ones
};

std::map<std::uint32_t, place_count> counted(const cluster& c, const rank_map& m, spare_spread per) {
  std::map<std::uint32_t, place_count> places;
  const auto place = [&](gpu_id g) {
    return per == spare_spread::domain ? c.at(g).domain.value : per == spare_spread::leaf ? c.host_of(g).leaf : 0U;
  };
  for (const host_id h : c.all_hosts()) {
    const auto at = m.find_host(c.at(h).name);
    std::uint32_t free = 0;
    for (const gpu_id g : c.gpus_of(h)) {
      bool taken = false;
      if (at)
        for (const rank_id r : m.ranks_on(*at)) taken = taken || m.gpu_of(r) == c.at(g).index;
      places[place(g)].ranks += taken ? 1U : 0U;
      if (taken || !c.usable(g)) continue;
      ++free;
      ++places[place(g)].free_gpus;
    }
    if (free == c.at(h).gpu_count) ++places[place(gpu_id{c.at(h).first_gpu})].free_hosts;
  }
  return places;
}

bool keeps(const cluster& c, const rank_map& m, const spare_rule& rule) {
  const auto places = counted(c, m, rule.per);
  return std::all_of(places.begin(), places.end(), [&](const auto& p) {
    return p.second.ranks == 0 || (rule.what == spare_kind::gpus ? p.second.free_gpus : p.second.free_hosts) >= rule.count;
  });
}

std::size_t spare_gpus(const rank_map& m) {
  std::size_t n = 0;
  for (const spare& s : m.spares()) n += s.gpus.size();
  return n;
}

}  // namespace

TEST_CASE("spares: rules are read as they are written") {
  for (const auto& [text, rule] :
       std::vector<std::pair<std::string, spare_rule>>{{"8/domain", {8, spare_kind::gpus, spare_spread::domain}},
                                                       {"1host/leaf", {1, spare_kind::hosts, spare_spread::leaf}},
                                                       {"2hosts/cluster", {2, spare_kind::hosts, spare_spread::cluster}},
                                                       {"16/cluster", {16, spare_kind::gpus, spare_spread::cluster}}}) {
    CHECK(parse_spares(text) == rule);
    CHECK(to_string(rule) == text);
  }
  CHECK(parse_spares("4gpus/leaf") == spare_rule{4, spare_kind::gpus, spare_spread::leaf});
  for (const char* text : {"", "8", "8/", "/domain", "0/domain", "-1/domain", "8/rack", "8 /domain", "8hostss/leaf", "x/domain",
                           "99999999999/domain", "8/domain "}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_spares(text), doctest::Contains("8/domain or 1host/leaf"), invalid_argument);
  }
}

TEST_CASE("spares: 8 of the 72 GPUs of each rack stay free as whole trays") {
  const cluster c = make_cluster("gb200-nvl72:4");
  const place_options o{.confine = {rules::tp_in_domain, rules::ep_in_domain}, .spares = {parse_spares("8/domain")}};
  const placement p = place(c, {.tp = 8, .ep = 64, .expert_tp = 1}, orders::megatron, o);
  REQUIRE_MESSAGE(p, p.why());
  CHECK(p->rank_map.world() == 256);
  CHECK(p->spares == o.spares);
  REQUIRE(p->verdict.find("spares 8/domain") != nullptr);
  CHECK(p->verdict.find("spares 8/domain")->kept);
  CHECK(p->verdict.find("spares 8/domain")->checked == 4);
  for (const auto& [domain, n] : counted(c, p->rank_map, spare_spread::domain)) {
    CHECK(n.ranks == 64);
    CHECK(n.free_gpus == 8);
    CHECK(n.free_hosts == 2);
  }
  CHECK(spare_gpus(p->rank_map) == 32);
  REQUIRE(p->given_up.has_value());
  CHECK(p->given_up->ranks == 256);
  CHECK(p->given_up->ranks_without == 256);
  CHECK(p->given_up->cost_without == p->cost.cost);
  // Nothing is called unhealthy that isn't.
  for (const std::string& note : p->notes) CHECK_FALSE(mentions(note, {"unhealthy"}));
}

TEST_CASE("spares: a rack with too few GPUs is named, with what would help") {
  cluster c = make_cluster("gb200-nvl72:2");
  for (std::uint32_t i = 0; i < 4; ++i) c.gpus[72 + i].health = gpu_health::unhealthy;
  const place_options o{.confine = {rules::tp_in_domain, rules::ep_in_domain}, .spares = {parse_spares("8/domain")}};
  const placement p = place(c, {.tp = 8, .ep = 64, .expert_tp = 1, .dp = 16}, orders::megatron, o);
  REQUIRE_FALSE(p);
  CHECK(p.refused().proven);
  CAPTURE(p.why());
  CHECK(mentions(p.why(), {"spares 8/domain", "ep=domain", "has 68 usable, 60 of them beside the spares", "groups of 64", "dp 8",
                           "spares 4/domain"}));
  const placement fewer = place(c, {.tp = 8, .ep = 64, .expert_tp = 1, .dp = 16}, orders::megatron,
                                {.confine = o.confine, .spares = {parse_spares("4/domain")}});
  CHECK(static_cast<bool>(fewer));
}

TEST_CASE("spares: without a dp the job takes what the spares leave") {
  const cluster c = make_cluster("dgx-h100:32");
  const placement p = place(c, {.tp = 8, .pp = 2}, orders::megatron, {.spares = {parse_spares("4hosts/cluster")}});
  REQUIRE_MESSAGE(p, p.why());
  CHECK(p->rank_map.degrees().dp == 14);
  CHECK(p->given_up->ranks == 224);
  CHECK(p->given_up->ranks_without == 256);
  CHECK_THROWS_WITH_AS(static_cast<void>(place(c, {.tp = 8, .pp = 2}, orders::megatron, {.spares = {parse_spares("9/cluster")}})),
                       doctest::Contains("spares 9/cluster leave 247 of 256 usable GPUs for ranks"), invalid_argument);
  const placement too_large = place(c, {.tp = 8, .dp = 16, .pp = 2}, orders::megatron, {.spares = {parse_spares("8/cluster")}});
  REQUIRE_FALSE(too_large);
  CHECK(too_large.refused().proven);
  CHECK(mentions(too_large.why(), {"spares 8/cluster", "248", "dp 15"}));
}

TEST_CASE("spares: a whole host in every leaf group, first the one that is good for nothing else") {
  cluster c = make({.pods = {{4, 3}, {5}}, .gpus = 4});
  topoplan_test::kill_gpu(c, 1, 2);
  const placement gpus = place(c, {.tp = 4, .dp = 9}, orders::megatron, {.spares = {parse_spares("3/leaf")}});
  REQUIRE_MESSAGE(gpus, gpus.why());
  CHECK_FALSE(gpus->rank_map.find_host(c.hosts[1].name).has_value());
  // Without a dp what the spares leave must divide, as all GPUs must without spares.
  const std::vector<spare_rule> both{parse_spares("1host/leaf"), parse_spares("2/cluster")};
  CHECK_THROWS_WITH_AS(static_cast<void>(place(c, {.tp = 4}, orders::megatron, {.spares = both})),
                       doctest::Contains("spares 1host/leaf and 2/cluster leave 35 of 47"), invalid_argument);
  const placement fits = place(c, {.tp = 4, .dp = 8}, orders::megatron, {.spares = {parse_spares("1host/leaf")}});
  REQUIRE_MESSAGE(fits, fits.why());
  for (const auto& [leaf, n] : counted(c, fits->rank_map, spare_spread::leaf)) CHECK(n.free_hosts >= 1);
}

TEST_CASE("spares: the judge counts all places that lack spares and shows the first") {
  const cluster c = make({.pods = {{2, 2}, {2, 2}, {2, 2}}, .gpus = 2});
  const placement p = place(c, {.tp = 2}, orders::megatron, {});
  REQUIRE(p);
  const std::vector<spare_rule> rules{parse_spares("1/leaf"), parse_spares("1host/cluster"), parse_spares("1/domain")};
  const verdict v = check(c, p->rank_map, {}, launchers::free, rules);
  CHECK_FALSE(v.kept());
  CHECK(v.find("spares 1/leaf")->checked == 6);
  CHECK(v.find("spares 1/leaf")->broken == 6);
  CHECK(v.find("spares 1/leaf")->breaches.size() == 4);
  CHECK(mentions(v.find("spares 1/leaf")->breaches[0].text, {"0 GPUs free in leaf group leaf1", "4 ranks"}));
  CHECK(v.find("spares 1/domain")->broken == 12);
  CHECK(v.find("spares 1host/cluster")->broken == 1);
  CHECK(check(c, p->rank_map, {}, launchers::free).find("spares 1/leaf") == nullptr);
}

TEST_CASE("spares: random jobs keep every rule, and cost what the judge says") {
  topoplan_test::random random(404);
  int placed = 0;
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    instance i = topoplan_test::random_instance(random, random.below(2) == 0 ? launchers::torchrun : launchers::free, 12, 24);
    for (std::uint64_t n = random.between(1, 2); n > 0; --n)
      i.options.spares.push_back({static_cast<std::uint32_t>(random.between(1, 2)),
                                  random.pick(std::vector{spare_kind::gpus, spare_kind::hosts}),
                                  random.pick(std::vector{spare_spread::domain, spare_spread::leaf, spare_spread::cluster})});
    if (i.d.dp > 1) i.d.dp = static_cast<std::uint32_t>(random.between(1, i.d.dp));
    const std::uint64_t world = std::uint64_t{i.d.tp} * i.d.cp * i.d.pp * i.d.dp;
    if (world % (std::uint64_t{i.d.ep} * std::max(i.d.expert_tp, 1U) * i.d.pp) != 0) continue;
    CAPTURE(i.str());
    for (const spare_rule& rule : i.options.spares) CAPTURE(to_string(rule));
    const placement p = i.place();
    if (!p) {
      ++refused;
      CHECK(mentions(p.why(), {"spares"}));
      continue;
    }
    ++placed;
    topoplan_test::check_place(i.c, p, i.options, i.price);
    CHECK(check(i.c, p->rank_map, i.options.confine, i.options.launcher, i.options.spares).kept());
    for (const spare_rule& rule : i.options.spares) {
      CHECK(keeps(i.c, p->rank_map, rule));
      CHECK(p->verdict.find("spares " + to_string(rule))->kept);
    }
    REQUIRE(p->given_up.has_value());
    CHECK(p->given_up->ranks >= p->rank_map.world());
    CHECK(p->given_up->ranks_without >= p->given_up->ranks);
    const placement again = i.place();
    CHECK(again->rank_map == p->rank_map);
  }
  CHECK(placed > rounds / 8);
  CHECK(refused > rounds / 40);
}
