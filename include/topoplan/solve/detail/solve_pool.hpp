// Places a job on one pool: for a launcher that takes any map, or one that wants consecutive ranks on every host.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/solve/bound.hpp>
#include <topoplan/solve/detail/arrange.hpp>
#include <topoplan/solve/detail/fill.hpp>
#include <topoplan/solve/detail/host_domains.hpp>
#include <topoplan/solve/detail/place_units.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/refuse.hpp>
#include <topoplan/solve/detail/run_exchange.hpp>
#include <topoplan/solve/detail/run_search.hpp>
#include <topoplan/solve/detail/runs.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Why consecutive ranks don't work: the groups have no room whatever the launcher, or only this launcher stands in the way.
[[nodiscard]] inline refusal why_no_runs(const bound_problem& b) {
  const confined_axes confined(b.options.confine, b.p);
  const std::optional<unit_scheme> s = free_units(b.l, confined, b.p.nest);
  if (!s) return refuse_uneven_groups(b.options);
  const std::vector<container> most = slots_of(b.c, b.p, *s, cutting::any);
  if (slot_count(most, *s) < s->units) return refuse_slots(b.c, b.l, b.p, b.options, *s, most);
  return refuse_launcher(b.options);
}

// The placement for a launcher that takes any map.
[[nodiscard]] inline pool_answer solve_free(const bound_problem& b, std::int64_t bound) {
  const confined_axes confined(b.options.confine, b.p);
  pool_answer answer;
  const std::optional<unit_scheme> s = free_units(b.l, confined, b.p.nest);
  if (!s) {
    answer.why = refuse_uneven_groups(b.options);
    return answer;
  }
  if (std::optional<pool_answer> placed = place_scheme(b, *s, bound)) return std::move(*placed);
  answer.why = refuse_slots(b.c, b.l, b.p, b.options, *s, slots_of(b.c, b.p, *s, cutting::any));
  return answer;
}

// The placement with the same number of consecutive ranks on every host used, as many as that goes with; none if no number
// does.
[[nodiscard]] inline std::optional<pool_answer> solve_equal_runs(const bound_problem& b, std::int64_t bound) {
  const confined_axes confined(b.options.confine, b.p);
  std::uint32_t most = 0;
  std::uint32_t least = ~std::uint32_t{0};
  for (const std::uint32_t h : b.p.hosts) {
    most = std::max(most, usable_on(b.c, h));
    least = std::min(least, usable_on(b.c, h));
  }
  for (std::uint32_t run = std::min(most, b.l.world()); run > 0; --run) {
    if (b.l.world() % run != 0) continue;
    const std::optional<unit_scheme> s = run_units(b.l, confined, b.p.nest, run);
    if (!s) continue;
    std::optional<pool_answer> answer = place_scheme(b, *s, bound);
    if (!answer) continue;
    // Every host that is used holds that run whatever the placement, since all are full or none has room for two of the shortest
    // runs; and its inside costs the same whichever host it is.
    const bool full = b.p.usable == b.l.world() && least == run;
    const bool alone = most / run == 1 && shortest_run(b.l, confined, b.p.nest) == run;
    answer->settled = (full || alone) && b.p.nest == nesting::host_in_domain;
    answer->exhaustive = answer->exhaustive && answer->settled;
    return answer;
  }
  return std::nullopt;
}

// Improves an answer with runs of different lengths, or finds one. complexity: bounded by the numbers of `effort`.
inline void try_uneven_runs(const bound_problem& b, std::int64_t bound, pool_answer& best) {
  const std::optional<run_problem> p = make_run_problem(b.c, b.l, b.price, b.p, confined_axes(b.options.confine, b.p));
  if (!p) return;
  const auto offer = [&](const std::vector<host_run>& runs) {
    if (runs.empty() || !keeps_sets(*p, runs)) return false;
    const arrangement slot_of = arranged(*p, runs);
    std::vector<std::uint32_t> gpus(b.l.world());
    for (std::uint32_t r = 0; r < b.l.world(); ++r)
      gpus[r] = p->tree.gpus[std::size_t{slot_of[p->atoms.unit_of[r]]} * p->tree.unit_size + p->atoms.position_of[r]];
    if (b.p.nest == nesting::domain_in_host) settle_hosts(b.c, b.l, b.price, confined_axes(b.options.confine, b.p).domain, gpus);
    pool_answer met;
    settle(b, std::move(gpus), met);
    if (!best.gpu_of_rank.empty() && !(met.costs() < best.costs())) return false;
    best.gpu_of_rank = std::move(met.gpu_of_rank);
    best.cost = met.cost;
    best.nanoseconds = met.nanoseconds;
    return true;
  };
  const std::uint32_t hosts = p->tree.nodes(0);
  std::vector<std::uint32_t> order(hosts);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::uint32_t> container_at(b.c.hosts.size(), ~std::uint32_t{0});
  for (std::uint32_t k = 0; k < hosts; ++k) container_at[p->host_of[k]] = k;
  std::vector<std::vector<std::uint32_t>> orders{order, {order.rbegin(), order.rend()}};
  for (const std::vector<std::uint32_t>& named : {b.p.hosts, by_natural_name(b.c, b.p.hosts)}) {
    order.clear();
    for (const std::uint32_t h : named)
      if (container_at[h] != ~std::uint32_t{0}) order.push_back(container_at[h]);
    orders.push_back(order);
  }
  std::vector<host_run> start;
  for (const std::vector<std::uint32_t>& o : orders) {
    const std::vector<host_run> runs = fill_runs(*p, o);
    if (offer(runs)) start = runs;
  }
  if (!start.empty() && p->set_size == 1 && best.cost > bound && p->graph.arcs.size() <= effort::largest_search) {
    const std::uint64_t moves = effort::moves_for(hosts, b.options.moves);
    static_cast<void>(offer(exchanged(*p, start, b.options.seed, moves)));
  }
  if (!p->exact || hosts > effort::exact_units || (!best.gpu_of_rank.empty() && (b.timed != nullptr || best.cost <= bound)))
    return;
  run_costs inside(b.c, b.l, b.price, b.p, confined_axes(b.options.confine, b.p).domain, *p);
  run_search search(*p, inside,
                    best.gpu_of_rank.empty() ? std::numeric_limits<std::int64_t>::max()
                                             : best.cost - p->graph.inside * b.price.distance[meeting::domain],
                    effort::exact_nodes);
  const bool complete = search.run();
  static_cast<void>(offer(search.best()));
  best.exhaustive = complete && !best.gpu_of_rank.empty() && b.timed == nullptr;
  best.settled = complete;
}

// True if hosts have room for different numbers of the shortest runs, so that equal runs may waste GPUs.
[[nodiscard]] inline bool hosts_differ(const bound_problem& b) {
  const std::uint32_t run = shortest_run(b.l, confined_axes(b.options.confine, b.p), b.p.nest);
  std::uint32_t room = 0;
  for (const std::uint32_t h : b.p.hosts) {
    const std::uint32_t here = usable_on(b.c, h) / run;
    if (here > 0 && room > 0 && here != room) return true;
    room = std::max(room, here);
  }
  return false;
}

// The placement for a launcher that wants consecutive ranks on every host.
[[nodiscard]] inline pool_answer solve_runs(const bound_problem& b, std::int64_t bound) {
  pool_answer best;
  if (std::optional<pool_answer> equal = solve_equal_runs(b, bound)) best = std::move(*equal);
  const bool few = b.p.hosts.size() <= effort::exact_units;
  const bool open = !best.settled && (b.timed != nullptr || best.cost > bound);
  if (best.gpu_of_rank.empty() || (open && (few || hosts_differ(b)))) {
    const std::int64_t before = best.gpu_of_rank.empty() ? -1 : best.cost;
    try_uneven_runs(b, bound, best);
    best.level_symmetric = best.level_symmetric && best.cost == before;
  }
  if (best.gpu_of_rank.empty()) {
    best.why = why_no_runs(b);
    best.why.proven = best.why.proven || best.settled;
  }
  return best;
}

// pre: the pool has at least as many usable GPUs as there are ranks. complexity: bounded by the numbers of `effort`.
[[nodiscard]] inline pool_answer solve_pool(const bound_problem& b, std::int64_t bound) {
  return b.options.launcher.contiguous ? solve_runs(b, bound) : solve_free(b, bound);
}

}  // namespace topoplan::inline v1::detail
