// Replanning after losses.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/place.hpp>
#include <topoplan/solve/replan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "solve/instances.hpp"
#include "support/random.hpp"

using namespace topoplan;
using topoplan_test::make;
using topoplan_test::nvlink;

namespace {

// Everything that replan() promises, asked from the judge.
void check_replan(const cluster& c, const rank_map& before, const std::vector<gpu_id>& lost, const place_options& o,
                  const replanned& r) {
  const cluster rest = without(c, lost);
  CHECK(check(rest, r.plan.rank_map, o.confine, o.launcher).kept());
  CHECK(r.plan.rank_map.world() == before.world());
  CHECK(r.plan.rank_map.layout().degrees() == before.layout().degrees());
  const detail::seating was = detail::seats_of(c, before);
  const detail::seating is = detail::seats_of(rest, r.plan.rank_map);
  std::size_t next = 0;
  for (std::uint32_t rank = 0; rank < before.world(); ++rank) {
    if (was[rank].gpu == is[rank].gpu) continue;
    REQUIRE(next < r.moves.size());
    CHECK(r.moves[next].rank.value == rank);
    CHECK(r.moves[next].from.value == was[rank].gpu);
    CHECK(r.moves[next].to.value == is[rank].gpu);
    CHECK(rest.usable(r.moves[next].to));
    ++next;
  }
  CHECK(next == r.moves.size());
  CHECK(r.plan.cost.cost == measure(rest, r.plan.rank_map).cost);
  CHECK(r.plan.cost.cost == r.curve.back().cost);
  CHECK(r.moves.size() == r.curve.back().moved);
  CHECK(r.plan.lower_bound <= r.plan.cost.cost);
  for (std::size_t i = 1; i < r.curve.size(); ++i) CHECK(r.curve[i].cost < r.curve[i - 1].cost);
}

// The fewest ranks that any placement moves which keeps the rules on what is left; none if there is no such placement.
class fewest_moves {
 public:
  fewest_moves(const cluster& rest, const layout& l, std::vector<std::uint32_t> was, const place_options& o)
      : c_(rest), l_(l), was_(std::move(was)), o_(o), taken_(rest.gpus.size(), false), gpus_(l.world()) {
    seat(0, 0);
  }
  [[nodiscard]] std::optional<std::uint32_t> count() const { return best_; }

 private:
  void seat(std::uint32_t rank, std::uint32_t moved) {
    if (best_ && moved >= *best_) return;
    if (rank == l_.world()) {
      const detail::seating seats = detail::seats_of(c_, gpus_);
      if (detail::judge(c_, detail::network(c_), l_, seats, o_.confine, o_.launcher).kept()) best_ = moved;
      return;
    }
    const auto take = [&](std::uint32_t g, std::uint32_t more) {
      if (taken_[g] || !c_.usable(gpu_id{g})) return;
      taken_[g] = true;
      gpus_[rank] = g;
      seat(rank + 1, moved + more);
      taken_[g] = false;
    };
    take(was_[rank], 0);
    for (std::uint32_t g = 0; g < c_.gpus.size(); ++g)
      if (g != was_[rank]) take(g, 1);
  }

  const cluster& c_;
  const layout& l_;
  std::vector<std::uint32_t> was_;
  const place_options& o_;
  std::vector<bool> taken_;
  std::vector<std::uint32_t> gpus_;
  std::optional<std::uint32_t> best_;
};

std::vector<std::uint32_t> gpus_of(const cluster& c, const rank_map& m) {
  std::vector<std::uint32_t> gpus;
  for (const detail::seat& s : detail::seats_of(c, m)) gpus.push_back(s.gpu);
  return gpus;
}

}  // namespace

TEST_CASE("replan: a lost host goes to the spare of its leaf group, nobody else moves") {
  cluster c = make({.pods = {{5, 5}, {5, 5}}, .gpus = 8});
  const placement p = place(c, {.tp = 8, .dp = 4, .pp = 4}, orders::megatron, {.spares = {parse_spares("1host/leaf")}});
  REQUIRE_MESSAGE(p, p.why());
  for (std::uint32_t h = 0; h < 20; ++h) {
    const auto lost = lost_gpus(c, {.hosts = {c.hosts[h].name}});
    CHECK(lost.size() == 8);
    const replanning r = replan(c, p->rank_map, lost);
    REQUIRE(r);
    check_replan(c, p->rank_map, lost, {}, *r.result);
    const bool used = p->rank_map.find_host(c.hosts[h].name).has_value();
    CHECK(r.result->moves.size() == (used ? 8 : 0));
    for (const rank_move& m : r.result->moves) CHECK(c.host_of(m.to).leaf == c.host_of(m.from).leaf);
    if (used) CHECK(r.result->plan.cost.cost == r.result->cost_before);
  }
}

TEST_CASE("replan: a lost GPU is replaced on its host, in its domain, where one is free") {
  const cluster c = make_cluster("gb200-nvl72:2");
  const place_options o{.confine = {rules::tp_in_domain}, .launcher = launchers::slurm};
  place_options spared = o;
  spared.spares = {parse_spares("8/domain")};
  const placement p = place(c, {.tp = 8, .dp = 16}, orders::megatron, spared);
  REQUIRE_MESSAGE(p, p.why());
  const std::vector<gpu_id> lost{gpu_id{gpus_of(c, p->rank_map)[5]}};
  const replanning r = replan(c, p->rank_map, lost, o);
  REQUIRE(r);
  check_replan(c, p->rank_map, lost, o, *r.result);
  REQUIRE(r.result->moves.size() == 1);
  CHECK(c.at(r.result->moves[0].to).domain == c.at(r.result->moves[0].from).domain);
}

TEST_CASE("replan: no spare is a refusal that names the largest dp") {
  const cluster c = make({.pods = {{4, 4}}, .gpus = 8});
  const placement p = place(c, {.tp = 8, .pp = 2});
  REQUIRE(p);
  const replanning r = replan(c, p->rank_map, lost_gpus(c, {.gpus = {c.hosts[3].name + ":2"}}));
  REQUIRE_FALSE(r);
  CHECK(r.why.str().find("dp 3") != std::string::npos);
  CHECK(r.why.str().find("63 of 64") != std::string::npos);
  CHECK_THROWS_WITH_AS(static_cast<void>(replan(c, p->rank_map, {}, {.confine = {{axis::pp, scope::domain}}})),
                       doctest::Contains("pp=domain"), invalid_argument);
}

TEST_CASE("replan: further exchanges lower the cost, and the curve says by how much") {
  const cluster c = make({.pods = {{4, 4, 4}, {4, 4, 2}}, .gpus = 8});
  const placement p = place(c, {.tp = 8, .dp = 5, .pp = 4});
  REQUIRE_MESSAGE(p, p.why());
  int lowered = 0;
  for (std::uint32_t h = 0; h < c.hosts.size(); ++h) {
    const auto lost = lost_gpus(c, {.hosts = {c.hosts[h].name}});
    const replanning r = replan(c, p->rank_map, lost, {}, 3);
    REQUIRE(r);
    check_replan(c, p->rank_map, lost, {}, *r.result);
    lowered += r.result->curve.size() > 1 ? 1 : 0;
  }
  CHECK(lowered > 0);
}

TEST_CASE("replan: moves the fewest ranks of all placements after one loss; where ranks must be consecutive, whole hosts") {
  topoplan_test::random random(19);
#ifdef NDEBUG
  constexpr int rounds = 300;
#else
  constexpr int rounds = 30;
#endif
  int placed = 0;
  int refused = 0;
  for (int i = 0; i < rounds; ++i) {
    const launcher by = random.below(2) == 0 ? launchers::torchrun : launchers::free;
    topoplan_test::instance made = topoplan_test::random_instance(random, by, 5, 7, 3, 3);
    made.options.confine = random.pick(std::vector<std::vector<confinement>>{{rules::tp_in_domain}, {rules::tp_in_host}, {}});
    if (made.d.dp > 1) --made.d.dp;
    if ((std::uint64_t{made.d.tp} * made.d.cp * made.d.pp * made.d.dp) %
            (std::uint64_t{made.d.ep} * std::max(1U, made.d.expert_tp) * made.d.pp) !=
        0)
      continue;
    CAPTURE(made.str());
    const placement p = place(made.c, made.d, made.o, made.options);
    if (!p) continue;
    const std::vector<std::uint32_t> was = gpus_of(made.c, p->rank_map);
    const auto rank = static_cast<std::uint32_t>(random.below(was.size()));
    const std::vector<gpu_id> lost{gpu_id{was[rank]}};
    const replanning r = replan(made.c, p->rank_map, lost, made.options);
    const cluster rest = without(made.c, lost);
    const layout l = p->rank_map.layout();
    const std::optional<std::uint32_t> fewest = fewest_moves(rest, l, was, made.options).count();
    if (!r) {
      ++refused;
      continue;
    }
    ++placed;
    REQUIRE(fewest);
    check_replan(made.c, p->rank_map, lost, made.options, *r.result);
    if (!by.contiguous) {
      CHECK(r.result->moves.size() == *fewest);
      continue;
    }
    // A free GPU of its host and domain, or the whole host elsewhere.
    const gpu& at = made.c.at(lost[0]);
    std::size_t on_host = 0;
    bool free_beside = false;
    for (const gpu_id g : made.c.gpus_of(at.host)) {
      const bool used = std::find(was.begin(), was.end(), g.value) != was.end();
      on_host += used ? 1 : 0;
      free_beside = free_beside || (!used && rest.usable(g) && rest.at(g).domain == at.domain);
    }
    if (free_beside) CHECK(r.result->moves.size() == 1);
    else CHECK(r.result->moves.size() == on_host);
  }
  CHECK(placed > rounds / 10);
  CHECK(refused > 0);
}

TEST_CASE("lost_gpus: names, with what the cluster has instead") {
  const cluster c = make({.pods = {{2, 3}, {1}}, .gpus = 4});
  CHECK(lost_gpus(c, {.hosts = {"h2"}, .gpus = {"h2:1", "h3:0"}}).size() == 5);
  CHECK(lost_gpus(c, {.tiers = {"leaf2"}}).size() == 12);
  CHECK(lost_gpus(c, {.tiers = {"pod2"}}).size() == 4);
  CHECK(lost_gpus(c, {.rails = {3}}).size() == 6);
  CHECK_THROWS_WITH_AS(static_cast<void>(lost_gpus(c, {.hosts = {"h9"}})), doctest::Contains("no host"), invalid_argument);
  CHECK_THROWS_WITH_AS(static_cast<void>(lost_gpus(c, {.gpus = {"h1:4"}})), doctest::Contains("0 to 3"), invalid_argument);
  CHECK_THROWS_WITH_AS(static_cast<void>(lost_gpus(c, {.gpus = {"h1"}})), doctest::Contains("HOST:INDEX"), invalid_argument);
  CHECK_THROWS_WITH_AS(static_cast<void>(lost_gpus(c, {.tiers = {"leaf9"}})), doctest::Contains("leaf1, leaf2"),
                       invalid_argument);
  CHECK_THROWS_WITH_AS(static_cast<void>(lost_gpus(c, {.rails = {4}})), doctest::Contains("0 to 3"), invalid_argument);
}
