#include <topoplan/solve/lint.hpp>
#include <topoplan/solve/place.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "solve/oracle.hpp"
#include "support/random.hpp"

using namespace topoplan;
using topoplan_test::make;
using topoplan_test::nvlink;
using topoplan_test::oracle;
using topoplan_test::shape;

namespace {

// Everything that place() promises about a plan, asked from the judge.
template <class Objective>
void check_place(const cluster& c, const placement& p, const place_options& o, const Objective& price) {
  REQUIRE_MESSAGE(p, p.why());
  const verdict v = check(c, p->rank_map, o.confine, o.launcher);
  CHECK(v.kept());
  CHECK(p->verdict.kept());
  CHECK(measure(c, p->rank_map, price).cost == p->cost.cost);
  CHECK(p->lower_bound <= p->cost.cost);
  CHECK((p->optimality == optimality::bound_met) == (p->lower_bound == p->cost.cost));
  if (p->given_order_keeps_rules) CHECK(p->cost.cost <= p->given_order->cost);
  std::size_t spare_gpus = 0;
  for (const spare& s : p->rank_map.spares()) spare_gpus += s.gpus.size();
  CHECK(spare_gpus + p->rank_map.world() == usable_gpus(c));
}

struct instance {
  cluster c;
  degrees d;
  order o = orders::megatron;
  place_options options;
  custom_objective price;

  [[nodiscard]] std::string str() const {
    std::string text = "hosts";
    for (std::uint32_t h = 0; h < c.hosts.size(); ++h)
      text += ' ' + std::to_string(c.hosts[h].leaf) + '/' + std::to_string(c.tiers[0].nodes[c.hosts[h].leaf].parent) + ':' +
              std::to_string(detail::usable_on(c, h));
    text += "; tp " + std::to_string(d.tp) + " cp " + std::to_string(d.cp) + " ep " + std::to_string(d.ep) + " etp " +
            std::to_string(d.expert_tp) + " pp " + std::to_string(d.pp) + " dp " + std::to_string(d.dp) + "; " + to_string(o);
    for (const confinement& r : options.confine) text += ' ' + to_string(r);
    return text + ' ' + std::string(options.launcher.name) + ' ' + price.str();
  }
};

instance random_instance(topoplan_test::random& random, const launcher& by, std::uint32_t most_hosts, std::uint32_t most_ranks) {
  instance made;
  for (;;) {
    shape s;
    std::uint32_t hosts = 0;
    const auto pods = random.between(1, 2);
    for (std::uint64_t p = 0; p < pods; ++p) {
      s.pods.emplace_back();
      const auto leaves = random.between(1, 3);
      for (std::uint64_t i = 0; i < leaves; ++i) {
        s.pods.back().push_back(static_cast<std::uint32_t>(random.between(1, 4)));
        hosts += s.pods.back().back();
      }
    }
    s.gpus = static_cast<std::uint16_t>(random.between(1, 3));
    const std::vector<nvlink> kinds = by.contiguous ? std::vector{nvlink::host, nvlink::host, nvlink::rack}
                                                    : std::vector{nvlink::host, nvlink::none, nvlink::rack};
    s.domains = random.pick(kinds);
    s.hosts_per_rack = static_cast<std::uint32_t>(random.between(1, 3));
    if (hosts > most_hosts) continue;
    made.c = make(s);
    std::vector<std::uint32_t> order(made.c.hosts.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    made.c = topoplan_test::reordered(made.c, order);
    if (random.below(3) == 0)
      topoplan_test::kill_gpu(made.c, static_cast<std::uint32_t>(random.below(hosts)),
                              static_cast<std::uint32_t>(random.below(s.gpus)));
    const std::size_t usable = usable_gpus(made.c);
    made.d = {};
    made.d.tp = static_cast<std::uint32_t>(random.between(1, 3));
    made.d.cp = static_cast<std::uint32_t>(random.below(4) == 0 ? 2 : 1);
    made.d.pp = static_cast<std::uint32_t>(random.between(1, 4));
    const std::uint64_t step = std::uint64_t{made.d.tp} * made.d.cp * made.d.pp;
    if (usable < step) continue;
    made.d.dp = static_cast<std::uint32_t>(random.below(2) == 0 ? usable / step : random.between(1, usable / step));
    const std::uint64_t world = step * made.d.dp;
    if (world < 2 || world > most_ranks) continue;
    if (random.below(3) == 0) {
      made.d.ep = static_cast<std::uint32_t>(random.between(1, 3));
      made.d.expert_tp = static_cast<std::uint32_t>(random.between(1, 2));
      if (world % (std::uint64_t{made.d.ep} * made.d.expert_tp * made.d.pp) != 0) continue;
    }
    const std::vector<std::string> orders{"tp-cp-ep-dp-pp", "tp-cp-ep-dp-pp", "cp-tp-ep-dp-pp", "dp-cp-ep-tp-pp"};
    made.o = topoplan::order(random.pick(orders));
    const std::vector<std::vector<confinement>> rules{
        {rules::tp_in_domain},
        {rules::tp_in_domain},
        {},
        {rules::tp_in_host},
        {{{axis::tp, axis::cp}, scope::domain}},
        {rules::tp_in_domain, rules::ep_in_domain},
        {rules::tp_in_host, rules::ep_in_domain},
        {{axis::pp, scope::domain}},
    };
    made.options = {.confine = random.pick(rules), .launcher = by};
    for (std::size_t a = 0; a < axis_count; ++a) {
      made.price.weights[a] = static_cast<std::int64_t>(random.between(1, 9));
      made.price.patterns[a] =
          random.pick(std::vector{edge_pattern::ring, edge_pattern::ring, edge_pattern::chain, edge_pattern::all_to_all});
    }
    return made;
  }
}

void compare_with_oracle(const instance& i) {
  CAPTURE(i.str());
  const layout l(resolve_for(i.d, usable_gpus(i.c)), i.o);
  const std::optional<std::int64_t> least = oracle(i.c, l, i.options.confine, i.options.launcher.contiguous, i.price).best();
  const placement p = place(i.c, i.d, i.o, i.options, i.price);
  REQUIRE(static_cast<bool>(p) == least.has_value());
  if (!p) return;
  check_place(i.c, p, i.options, i.price);
  CHECK(p->cost.cost == *least);
  CHECK(p->lower_bound <= *least);
}

}  // namespace

TEST_CASE("place: equal to exhaustive search over all host orders and cuts") {
  topoplan_test::random random(20240601);
  for (int i = 0; i < 120; ++i) compare_with_oracle(random_instance(random, launchers::torchrun, 8, 12));
}

TEST_CASE("place: equal to exhaustive search over all assignments of ranks to GPUs") {
  topoplan_test::random random(7);
  for (int i = 0; i < 120; ++i) compare_with_oracle(random_instance(random, launchers::free, 6, 9));
}
