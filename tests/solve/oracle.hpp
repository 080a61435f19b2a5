// Compares every placement of a tiny job on a tiny cluster. Knows the rules and the objective, and nothing of the solver.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/solve/objective.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace topoplan_test {

struct oracle_edge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::int64_t weight = 0;
};

// The edges of a job, written out from the groups that the layout names.
template <class Objective> std::vector<oracle_edge> edges_of(const topoplan::layout& l, const Objective& o) {
  using topoplan::axis;
  std::vector<oracle_edge> edges;
  std::set<std::vector<std::vector<std::uint32_t>>> known;
  const topoplan::resolved_degrees& d = l.degrees();
  for (const axis a : {axis::tp, axis::cp, axis::dp, axis::pp, axis::expert_tp, axis::ep, axis::expert_dp}) {
    const bool expert = a == axis::expert_tp || a == axis::ep || a == axis::expert_dp;
    if (d.of(a) < 2 || (expert && d.ep == 1 && d.expert_tp == d.tp)) continue;
    const topoplan::group_family f = l.groups(a);
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::uint32_t g = 0; g < f.size(); ++g) {
      groups.emplace_back();
      for (std::uint32_t i = 0; i < f.group_size(); ++i) groups.back().push_back(f.member(g, i).value);
    }
    auto sorted = groups;
    std::sort(sorted.begin(), sorted.end());
    if (!known.insert(sorted).second) continue;
    for (const auto& g : groups)
      for (std::size_t i = 0; i < g.size(); ++i)
        for (std::size_t j = i + 1; j < g.size(); ++j) {
          const bool next = j == i + 1;
          const bool closing = i == 0 && j + 1 == g.size();
          const topoplan::edge_pattern p = o.pattern(a);
          if (p == topoplan::edge_pattern::all_to_all || next || (closing && p == topoplan::edge_pattern::ring))
            edges.push_back({g[i], g[j], o.weight(a)});
        }
  }
  return edges;
}

class oracle {
 public:
  template <class Objective>
  oracle(const topoplan::cluster& c, const topoplan::layout& l, const std::vector<topoplan::confinement>& rules, bool contiguous,
         const Objective& o)
      : c_(c), contiguous_(contiguous), world_(l.world()) {
    for (std::size_t level = 0; level < c.tiers.size() + 2; ++level) distance_.push_back(o.distance(level));
    by_last_.resize(world_);
    for (const oracle_edge& e : edges_of(l, o)) by_last_[std::max(e.a, e.b)].push_back(e);
    // Ranks that must share a host or a domain, as pairs (earlier, later).
    for (const topoplan::confinement& rule : rules)
      for (const topoplan::axis a : topoplan::all_axes) {
        if (!rule.axes.contains(a) || l.degrees().of(a) < 2) continue;
        const topoplan::group_family f = l.groups(a);
        for (std::uint32_t g = 0; g < f.size(); ++g)
          for (std::uint32_t i = 1; i < f.group_size(); ++i)
            pairs_.push_back({f.member(g, i - 1).value, f.member(g, i).value, rule.within == topoplan::scope::host});
      }
    // Cells: GPUs that are alike, of one host and domain.
    for (std::uint32_t h = 0; h < c.hosts.size(); ++h)
      for (const topoplan::gpu_id g : c.gpus_of(topoplan::host_id{h})) {
        if (!c.usable(g)) continue;
        const std::uint32_t d = c.at(g).domain.value;
        if (cells_.empty() || cells_.back().host != h || cells_.back().domain != d) cells_.push_back({h, d, 0, 0});
        cells_.back().size = ++cells_.back().room;
      }
    cell_of_.resize(world_);
    seat(0, 0, none);
  }

  // The least cost of any placement that keeps the rules; none if there is no such placement.
  [[nodiscard]] std::optional<std::int64_t> best() const {
    return best_ == std::numeric_limits<std::int64_t>::max() ? std::nullopt : std::optional(best_);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct cell {
    std::uint32_t host = 0;
    std::uint32_t domain = 0;
    std::uint32_t room = 0;
    std::uint32_t size = 0;
  };
  struct pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    bool host = false;
  };

  [[nodiscard]] std::int64_t distance(std::size_t x, std::size_t y) const {
    const cell& a = cells_[x];
    const cell& b = cells_[y];
    if (a.domain == b.domain) return distance_[0];
    if (a.host == b.host) return distance_[1];
    for (std::size_t t = 0; t < c_.tiers.size(); ++t)
      if (c_.ancestor(topoplan::host_id{a.host}, t) == c_.ancestor(topoplan::host_id{b.host}, t)) return distance_[t + 2];
    return 1'000'000'000;
  }

  // `open`: the host that holds the rank before, when ranks must be consecutive.
  void seat(std::uint32_t rank, std::int64_t cost, std::size_t open) {
    if (cost >= best_) return;
    if (rank == world_) {
      best_ = cost;
      return;
    }
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      if (cells_[k].room == 0) continue;
      // Of two untouched domains of one host with as many GPUs, the first will do.
      bool alike = false;
      for (std::size_t j = 0; j < k; ++j)
        alike = alike || (cells_[j].host == cells_[k].host && cells_[j].room == cells_[j].size &&
                          cells_[k].room == cells_[k].size && cells_[j].size == cells_[k].size);
      if (alike) continue;
      const std::uint32_t h = cells_[k].host;
      if (contiguous_ && rank > 0 && h != open && std::find(left_.begin(), left_.end(), h) != left_.end()) continue;
      cell_of_[rank] = k;
      bool sound = true;
      for (const pair& p : pairs_)
        if (std::max(p.a, p.b) == rank) {
          const cell& x = cells_[cell_of_[p.a]];
          const cell& y = cells_[cell_of_[p.b]];
          sound = sound && (p.host ? x.host == y.host : x.domain == y.domain);
        }
      if (!sound) continue;
      std::int64_t more = 0;
      for (const oracle_edge& e : by_last_[rank]) more += e.weight * distance(cell_of_[e.a], cell_of_[e.b]);
      if (more >= 1'000'000'000) continue;
      --cells_[k].room;
      const bool moves = contiguous_ && rank > 0 && h != open;
      if (moves) left_.push_back(static_cast<std::uint32_t>(open));
      seat(rank + 1, cost + more, h);
      if (moves) left_.pop_back();
      ++cells_[k].room;
    }
  }

  const topoplan::cluster& c_;
  bool contiguous_;
  std::uint32_t world_;
  std::vector<std::int64_t> distance_;
  std::vector<std::vector<oracle_edge>> by_last_;
  std::vector<pair> pairs_;
  std::vector<cell> cells_;
  std::vector<std::size_t> cell_of_;
  std::vector<std::uint32_t> left_;  // hosts that ranks have left
  std::int64_t best_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace topoplan_test
