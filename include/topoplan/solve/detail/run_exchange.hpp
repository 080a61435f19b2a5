// Improving the order of hosts that hold consecutive ranks: hosts with equal room change places.
#pragma once

#include <topoplan/solve/detail/local_search.hpp>
#include <topoplan/solve/detail/random.hpp>
#include <topoplan/solve/detail/runs.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace topoplan::inline v1::detail {

// The graph between runs: atoms of one run count as one unit. complexity: O(arcs log degree).
[[nodiscard]] inline unit_graph contracted(const unit_graph& g, const std::vector<host_run>& runs) {
  std::vector<std::uint32_t> run_of;
  for (std::uint32_t i = 0; i < runs.size(); ++i) run_of.insert(run_of.end(), runs[i].atoms, i);
  unit_graph made;
  std::uint32_t atom = 0;
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    const std::size_t first = made.arcs.size();
    made.begin.push_back(static_cast<std::uint32_t>(first));
    for (const std::uint32_t end = atom + runs[i].atoms; atom < end; ++atom)
      for (const unit_graph::arc& a : g.of(atom))
        if (run_of[a.to] != i) made.arcs.push_back({run_of[a.to], a.weight});
    const auto from = made.arcs.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(from, made.arcs.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    auto last = from;
    for (auto it = from; it != made.arcs.end(); ++it) {
      if (it == from) continue;
      if (it->to == last->to) last->weight += it->weight;
      else *++last = *it;
    }
    if (from != made.arcs.end()) made.arcs.erase(last + 1, made.arcs.end());
  }
  made.begin.push_back(static_cast<std::uint32_t>(made.arcs.size()));
  return made;
}

// Exchanges hosts of equal room, used or not. pre: no set has to share a domain beyond its host.
// complexity: O(moves * degree * levels).
[[nodiscard]] inline std::vector<host_run> exchanged(const run_problem& p, std::vector<host_run> runs, std::uint64_t seed,
                                                     std::uint64_t moves) {
  const unit_graph graph = contracted(p.graph, runs);
  slot_tree hosts = p.tree;  // with one slot a host
  const auto narrowed = [&](std::vector<std::uint32_t>& begin) {
    for (std::uint32_t& slot : begin) slot = slot == p.tree.slots() ? p.tree.nodes(0) : p.tree.node_of(slot, 0);
  };
  for (std::vector<std::uint32_t>& begin : hosts.begin) narrowed(begin);
  slot_kinds room;
  hosts.node.clear();
  for (std::uint32_t k = 0; k < p.tree.nodes(0); ++k) {
    for (std::size_t l = 0; l < p.tree.levels(); ++l) hosts.node.push_back(p.tree.node_of(p.tree.begin[0][k], l));
    room.push_back(p.tree.begin[0][k + 1] - p.tree.begin[0][k]);
  }
  arrangement start;
  for (const host_run& r : runs) start.push_back(r.container);
  exchange changed(graph, hosts, start, room);
  changed.descend(8);
  if (moves > 0 && !graph.arcs.empty()) {
    const weight_scale s = scale_of(graph, hosts);
    const std::int64_t step = std::max<std::int64_t>(1, s.span);
    exchange warmed(graph, hosts, changed.slots(), room);
    random_source random(seed);
    warmed.anneal(random, moves, s.heaviest * step / 4, s.lightest * step / 10);
    warmed.descend(8);
    if (cost_of(graph, hosts, warmed.slots()) < cost_of(graph, hosts, changed.slots())) changed = warmed;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].container = changed.slots()[i];
  return runs;
}

}  // namespace topoplan::inline v1::detail
