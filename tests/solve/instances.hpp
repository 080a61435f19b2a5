// Checks that every plan must pass, and random jobs on random small clusters.
#pragma once

#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/place.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "solve/clusters.hpp"
#include "support/random.hpp"

namespace topoplan_test {

// Everything that place() promises about a plan, asked from the judge.
template <class Objective>
void check_place(const topoplan::cluster& c, const topoplan::placement& p, const topoplan::place_options& o,
                 const Objective& price) {
  using namespace topoplan;
  REQUIRE_MESSAGE(p, p.why());
  CHECK(check(c, p->rank_map, o.confine, o.launcher).kept());
  CHECK(p->verdict.kept());
  for (const confinement& rule : o.confine) CHECK(p->verdict.keeps(rule));
  CHECK(measure(c, p->rank_map, price).cost == p->cost.cost);
  CHECK(p->lower_bound <= p->cost.cost);
  CHECK((p->optimality == optimality::bound_met) == (p->lower_bound == p->cost.cost));
  if (p->given_order_keeps_rules) CHECK(p->cost.cost <= p->given_order->cost);
  if (p->keeps_given_order) CHECK(p->cost.cost == p->given_order->cost);
  std::size_t spare_gpus = 0;
  for (const spare& s : p->rank_map.spares()) spare_gpus += s.gpus.size();
  CHECK(spare_gpus + p->rank_map.world() == usable_gpus(c));
}

// A job on a cluster, with everything that place() takes.
struct instance {
  topoplan::cluster c;
  topoplan::degrees d;
  topoplan::order o = topoplan::orders::megatron;
  topoplan::place_options options;
  topoplan::custom_objective price;

  [[nodiscard]] topoplan::placement place() const { return topoplan::place(c, d, o, options, price); }
  [[nodiscard]] std::string str() const {
    std::string text = "hosts (leaf group/pod:usable GPUs)";
    for (std::uint32_t h = 0; h < c.hosts.size(); ++h)
      text += ' ' + std::to_string(c.hosts[h].leaf) + '/' + std::to_string(c.tiers[0].nodes[c.hosts[h].leaf].parent) + ':' +
              std::to_string(topoplan::detail::usable_on(c, h));
    text += "; " + std::to_string(c.domains) + " domains; tp " + std::to_string(d.tp) + " cp " + std::to_string(d.cp) + " ep " +
            std::to_string(d.ep) + " etp " + std::to_string(d.expert_tp) + " pp " + std::to_string(d.pp) + " dp " +
            std::to_string(d.dp) + "; " + to_string(o);
    for (const topoplan::confinement& r : options.confine) text += ' ' + to_string(r);
    return text + ' ' + std::string(options.launcher.name) + "; " + price.str();
  }
};

// pre: most_hosts > 1, most_ranks > 1.
inline instance random_instance(random& source, const topoplan::launcher& by, std::uint32_t most_hosts, std::uint32_t most_ranks,
                                std::uint32_t most_in_leaf = 4, std::uint16_t most_gpus = 4,
                                const std::vector<nvlink>& kinds = {nvlink::host, nvlink::host, nvlink::rack, nvlink::pairs,
                                                                    nvlink::none}) {
  using namespace topoplan;
  instance made;
  for (;;) {
    shape s;
    std::uint32_t hosts = 0;
    for (std::uint64_t p = source.between(1, 2); p > 0; --p) {
      s.pods.emplace_back();
      for (std::uint64_t i = source.between(1, 3); i > 0; --i) {
        s.pods.back().push_back(static_cast<std::uint32_t>(source.between(1, most_in_leaf)));
        hosts += s.pods.back().back();
      }
    }
    s.gpus = static_cast<std::uint16_t>(source.between(1, most_gpus));
    s.domains = source.pick(kinds);
    s.hosts_per_rack = static_cast<std::uint32_t>(source.between(1, 3));
    if (hosts > most_hosts) continue;
    made.c = make(s);
    std::vector<std::uint32_t> order(made.c.hosts.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    source.shuffle(order);
    made.c = reordered(made.c, order);
    if (source.below(3) == 0)
      kill_gpu(made.c, static_cast<std::uint32_t>(source.below(hosts)), static_cast<std::uint32_t>(source.below(s.gpus)));
    if (s.domains == nvlink::pairs && source.below(2) == 0) scatter(made.c, static_cast<std::uint32_t>(source.below(hosts)));
    const std::size_t usable = usable_gpus(made.c);
    made.d = {};
    made.d.tp = static_cast<std::uint32_t>(source.between(1, 3));
    made.d.cp = static_cast<std::uint32_t>(source.below(4) == 0 ? 2 : 1);
    made.d.pp = static_cast<std::uint32_t>(source.between(1, 4));
    const std::uint64_t step = std::uint64_t{made.d.tp} * made.d.cp * made.d.pp;
    if (usable < step) continue;
    made.d.dp = static_cast<std::uint32_t>(source.below(2) == 0 ? usable / step : source.between(1, usable / step));
    const std::uint64_t world = step * made.d.dp;
    if (world < 2 || world > most_ranks) continue;
    if (source.below(3) == 0) {
      made.d.ep = static_cast<std::uint32_t>(source.between(1, 3));
      made.d.expert_tp = static_cast<std::uint32_t>(source.between(1, 2));
      if (world % (std::uint64_t{made.d.ep} * made.d.expert_tp * made.d.pp) != 0) continue;
    }
    made.o = topoplan::order(
        source.pick(std::vector<std::string>{"tp-cp-ep-dp-pp", "tp-cp-ep-dp-pp", "cp-tp-ep-dp-pp", "dp-cp-ep-tp-pp"}));
    made.options = {.confine = source.pick(std::vector<std::vector<confinement>>{
                        {rules::tp_in_domain},
                        {rules::tp_in_domain},
                        {},
                        {rules::tp_in_host},
                        {{{axis::tp, axis::cp}, scope::domain}},
                        {rules::tp_in_domain, rules::ep_in_domain},
                        {rules::tp_in_host, rules::ep_in_domain},
                        {{axis::pp, scope::domain}},
                    }),
                    .launcher = by};
    for (std::size_t a = 0; a < axis_count; ++a) {
      made.price.weights[a] = static_cast<std::int64_t>(source.between(1, 9));
      made.price.patterns[a] =
          source.pick(std::vector{edge_pattern::ring, edge_pattern::ring, edge_pattern::chain, edge_pattern::all_to_all});
    }
    return made;
  }
}

}  // namespace topoplan_test
