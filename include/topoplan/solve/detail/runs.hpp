// Consecutive ranks on every host, as many as each has room for: the order of the hosts and the cuts between them.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/host_domains.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// A job whose hosts hold whole atoms: the shortest runs that no rule lets a host cut.
struct run_problem {
  unit_scheme atoms;                     // units are atoms, in rank order
  std::vector<std::uint32_t> together;   // by atom: its set that must share a domain
  std::uint32_t set_size = 1;            // atoms of a set
  slot_tree tree;                        // containers are hosts, slots have room for an atom each
  std::vector<std::uint32_t> domain_of;  // by container
  std::vector<std::uint32_t> host_of;    // by container
  unit_graph graph;
  bool exact = true;  // rules leave whole atoms and no other cuts
};

// True if the cuts that leave no group of these axes in two are those between atoms and no others. complexity: O(ranks).
[[nodiscard]] inline bool cuts_are_regular(const layout& l, axis_set on_host, std::uint32_t run) {
  const std::vector<std::uint32_t> root = component_roots(l, on_host);
  std::vector<std::uint32_t> last(root.size(), 0);
  for (std::uint32_t r = 0; r < root.size(); ++r) last[root[r]] = r;
  std::uint32_t reach = 0;
  std::uint32_t cuts = 1;  // the end
  for (std::uint32_t r = 0; r + 1 < root.size(); ++r) {
    reach = std::max(reach, last[root[r]]);
    cuts += reach == r ? 1U : 0U;
  }
  return cuts == root.size() / run;
}

// A host and how many atoms it takes, in launch order.
struct host_run {
  std::uint32_t container = 0;
  std::uint32_t atoms = 0;
};

// The shortest run of ranks that leaves every group that must share a host whole. complexity: O(ranks * axes * divisors).
[[nodiscard]] inline std::uint32_t shortest_run(const layout& l, const confined_axes& confined, nesting nest) {
  const std::vector<std::uint32_t> root =
      component_roots(l, nest == nesting::host_in_domain ? confined.host : confined.host | confined.domain);
  for (std::uint32_t run = 1; run < l.world(); ++run) {
    bool whole = l.world() % run == 0;
    for (std::uint32_t r = 0; whole && r < root.size(); ++r) whole = root[r] / run == r / run;
    if (whole) return run;
  }
  return l.world();
}

// Cuts a job into atoms and the pool into hosts with room for them. post: none if no host has room for one, or the rules keep
// sets of different sizes together. complexity: O(ranks * axes * divisors).
[[nodiscard]] inline std::optional<run_problem> make_run_problem(const cluster& c, const layout& l, const prices& price,
                                                                 const pool& p, const confined_axes& confined) {
  const std::uint32_t world = l.world();
  const std::uint32_t run = shortest_run(l, confined, p.nest);
  const std::optional<unit_scheme> sets = run_units(l, confined, p.nest, run);
  if (!sets) return std::nullopt;
  const bool wide = p.nest == nesting::host_in_domain;
  components runs(world);
  runs.join_runs(run);
  std::vector<std::uint32_t> roots = std::move(runs).roots();
  std::optional<unit_scheme> atoms = wide ? bundled(roots, roots) : bundled(component_roots(l, confined.domain), roots);
  if (!atoms) return std::nullopt;
  run_problem made{.atoms = std::move(*atoms),
                   .together = {},
                   .set_size = wide ? sets->size / run : 1,
                   .tree = {},
                   .domain_of = {},
                   .host_of = {},
                   .graph = {},
                   .exact = cuts_are_regular(l, wide ? confined.host : confined.host | confined.domain, run)};
  for (std::uint32_t a = 0; a < world / run; ++a) made.together.push_back(sets->unit_of[a * run]);
  std::vector<container> hosts;
  for (const std::uint32_t h : p.hosts) {
    container k{h, 0, {}};
    std::vector<std::uint32_t> domains;
    for (const gpu_id g : c.gpus_of(host_id{h}))
      if (c.usable(g) && std::find(domains.begin(), domains.end(), c.at(g).domain.value) == domains.end())
        domains.push_back(c.at(g).domain.value);
    for (const std::uint32_t d : domains) {
      std::vector<std::uint32_t> seats;
      for (const gpu_id g : c.gpus_of(host_id{h}))
        if (c.at(g).domain.value == d) seats.push_back(g.value);
      cut_windows(c, seats, wide ? 1 : made.atoms.block, cutting::any, ~std::uint32_t{0}, k.gpus);
    }
    k.domain = domains.front();
    k.gpus.resize(k.gpus.size() - k.gpus.size() % run);
    if (!k.gpus.empty()) hosts.push_back(std::move(k));
  }
  if (hosts.empty()) return std::nullopt;
  std::vector<std::uint32_t> makes;
  if (!wide) {
    const host_domains inside(c, l, price, confined.domain);
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    for (const container& k : hosts)
      makes.push_back(known.emplace(inside.sizes(k.host), static_cast<std::uint32_t>(known.size())).first->second);
  }
  made.tree = make_slot_tree(c, p, price, hosts, run,
                             !wide              ? container_kind::split_host
                             : p.domain_is_host ? container_kind::domain
                                                : container_kind::host_of_domain,
                             makes);
  for (std::uint32_t n = 0; n < made.tree.nodes(0); ++n) {
    const gpu& g = c.gpus[made.tree.gpus[std::size_t{made.tree.begin[0][n]} * run]];
    made.domain_of.push_back(g.domain.value);
    made.host_of.push_back(g.host.value);
  }
  made.graph = make_unit_graph(l, edge_axes(l, price), made.atoms);
  return made;
}

// The slot of every atom. pre: the runs hold all atoms. complexity: O(atoms).
[[nodiscard]] inline arrangement arranged(const run_problem& p, const std::vector<host_run>& runs) {
  arrangement slot_of;
  for (const host_run& r : runs)
    for (std::uint32_t i = 0; i < r.atoms; ++i) slot_of.push_back(p.tree.begin[0][r.container] + i);
  return slot_of;
}

// Fills hosts in an order. Hosts of one domain that follow each other take whole sets together. post: empty if the hosts
// don't hold all atoms; sets that aren't consecutive may be torn. complexity: O(hosts).
[[nodiscard]] inline std::vector<host_run> fill_runs(const run_problem& p, const std::vector<std::uint32_t>& order) {
  std::vector<host_run> runs;
  auto left = static_cast<std::uint32_t>(p.together.size());
  const auto room = [&](std::uint32_t k) { return p.tree.begin[0][k + 1] - p.tree.begin[0][k]; };
  for (std::size_t i = 0; i < order.size() && left > 0;) {
    std::size_t end = i;
    std::uint32_t total = 0;
    while (end < order.size() && p.domain_of[order[end]] == p.domain_of[order[i]]) total += room(order[end++]);
    total = std::min(total - total % p.set_size, left);
    left -= total;
    for (; i < end; ++i) {
      const std::uint32_t here = std::min(room(order[i]), total);
      if (here > 0) runs.push_back({order[i], here});
      total -= here;
    }
  }
  if (left > 0) runs.clear();
  return runs;
}

// True if no set that must share a domain is torn. complexity: O(atoms).
[[nodiscard]] inline bool keeps_sets(const run_problem& p, const std::vector<host_run>& runs) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> domain(p.together.size(), none);
  std::size_t atom = 0;
  for (const host_run& r : runs)
    for (std::uint32_t i = 0; i < r.atoms; ++i, ++atom) {
      std::uint32_t& d = domain[p.together[atom]];
      if (d == none) d = p.domain_of[r.container];
      if (d != p.domain_of[r.container]) return false;
    }
  return true;
}

}  // namespace topoplan::inline v1::detail
