// Inside a host that holds several NVLink domains: which of its ranks share a domain.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/components.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/exact.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/objective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Seats sets of ranks on single hosts at the least cost of the edges among them. Ranks that must share a domain come in
// blocks of one size.
class host_domains {
 public:
  struct seated {
    std::vector<std::uint32_t> gpus;  // by place in the list of ranks; empty if the blocks have no room
    std::int64_t cost = 0;            // of the edges between ranks of the list
    std::int64_t weight = 0;          // of those edges
    bool exact = false;
  };

  host_domains(const cluster& c, const layout& l, const prices& price, axis_set in_domain)
      : c_(c),
        near_(price.distance[meeting::domain]),
        far_(price.distance[meeting::host]),
        edges_(edge_axes(l, price)),
        root_(component_roots(l, in_domain)),
        place_(l.world(), nowhere) {
    block_ = static_cast<std::uint32_t>(std::count(root_.begin(), root_.end(), 0U));
  }

  // pre: `ranks` ascend and hold whole blocks. complexity: O(ranks * axes), and for up to 12 blocks an exact search.
  [[nodiscard]] seated seat(std::uint32_t host, const std::vector<std::uint32_t>& ranks) {
    std::vector<std::uint32_t> block_of(ranks.size());
    std::vector<std::vector<std::uint32_t>> blocks;  // places in the list
    for (std::uint32_t i = 0; i < ranks.size(); ++i) {
      place_[ranks[i]] = i;
      if (root_[ranks[i]] == ranks[i]) {
        block_of[i] = static_cast<std::uint32_t>(blocks.size());
        blocks.emplace_back();
      }
      block_of[i] = block_of[place_[root_[ranks[i]]]];
      blocks[block_of[i]].push_back(i);
    }
    std::int64_t twice_inside = 0;
    unit_graph graph;
    for (std::uint32_t k = 0; k < blocks.size(); ++k) {
      graph.begin.push_back(static_cast<std::uint32_t>(graph.arcs.size()));
      for (const std::uint32_t i : blocks[k])
        for (const edge_axis& a : edges_)
          for_each_neighbour(a, ranks[i], [&](std::uint32_t other) {
            if (place_[other] == nowhere) return;
            const std::uint32_t to = block_of[place_[other]];
            if (to == k) twice_inside += a.weight;
            else graph.arcs.push_back({to, a.weight});
          });
    }
    graph.begin.push_back(static_cast<std::uint32_t>(graph.arcs.size()));
    for (const std::uint32_t r : ranks) place_[r] = nowhere;

    const slot_tree tree = tree_of(host);
    seated result;
    if (tree.slots() < blocks.size()) return result;
    arrangement slots(blocks.size());
    std::iota(slots.begin(), slots.end(), 0U);
    std::int64_t cost = cost_of(graph, tree, slots);
    constexpr std::size_t most_blocks = 12;
    constexpr std::uint64_t budget = 20'000;
    result.exact = blocks.size() < 2 || tree.nodes(0) < 2;
    if (!result.exact && blocks.size() <= most_blocks) {
      exact_search search(graph, tree, slots, cost, budget);
      result.exact = search.run();
      slots = search.best();
      cost = search.cost();
    }
    result.cost = cost + twice_inside / 2 * near_;
    result.weight = twice_inside;
    for (const unit_graph::arc& a : graph.arcs) result.weight += a.weight;
    result.weight /= 2;
    result.gpus.resize(ranks.size());
    for (std::uint32_t k = 0; k < blocks.size(); ++k)
      for (std::uint32_t i = 0; i < block_; ++i) result.gpus[blocks[k][i]] = tree.gpus[std::size_t{slots[k]} * block_ + i];
    return result;
  }

  // The sizes of a host's domains in blocks, largest first: hosts with equal sizes are interchangeable. complexity: O(GPUs).
  [[nodiscard]] std::vector<std::uint32_t> sizes(std::uint32_t host) const {
    const slot_tree tree = tree_of(host);
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t d = 0; d < tree.nodes(0); ++d) sizes.push_back(tree.begin[0][d + 1] - tree.begin[0][d]);
    return sizes;
  }

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  // A host as a tree: its domains with slots of a block each, largest first; aligned slots where that leaves as many.
  [[nodiscard]] slot_tree tree_of(std::uint32_t host) const {
    std::vector<std::uint32_t> domains;
    for (const gpu_id g : c_.gpus_of(host_id{host}))
      if (std::find(domains.begin(), domains.end(), c_.at(g).domain.value) == domains.end())
        domains.push_back(c_.at(g).domain.value);
    std::vector<std::vector<std::uint32_t>> windows;
    for (const std::uint32_t d : domains) {
      std::vector<std::uint32_t> seats;
      for (const gpu_id g : c_.gpus_of(host_id{host}))
        if (c_.at(g).domain.value == d) seats.push_back(g.value);
      std::vector<std::uint32_t> aligned;
      std::vector<std::uint32_t> any;
      cut_windows(c_, seats, block_, cutting::aligned, ~std::uint32_t{0}, aligned);
      cut_windows(c_, seats, block_, cutting::any, ~std::uint32_t{0}, any);
      if (!any.empty()) windows.push_back(aligned.size() == any.size() ? std::move(aligned) : std::move(any));
    }
    std::sort(windows.begin(), windows.end(),
              [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front(); });
    slot_tree tree;
    tree.unit_size = block_;
    tree.distance = {near_, far_};
    tree.begin = {{0}, {0}};
    tree.up = {{}, {0}};
    tree.shape = {{}, {0}};
    std::uint32_t slots = 0;
    for (std::uint32_t d = 0; d < windows.size(); ++d) {
      const auto here = static_cast<std::uint32_t>(windows[d].size()) / block_;
      for (std::uint32_t i = 0; i < here; ++i) tree.node.insert(tree.node.end(), {d, 0});
      slots += here;
      tree.gpus.insert(tree.gpus.end(), windows[d].begin(), windows[d].end());
      tree.begin[0].push_back(slots);
      tree.up[0].push_back(0);
      tree.shape[0].push_back(here);
    }
    tree.begin[1].push_back(slots);
    return tree;
  }

  const cluster& c_;
  std::int64_t near_;
  std::int64_t far_;
  std::vector<edge_axis> edges_;
  std::vector<std::uint32_t> root_;   // of every rank: the first rank of its block
  std::vector<std::uint32_t> place_;  // of a rank in the list at work
  std::uint32_t block_ = 1;           // ranks
};

// Rearranges the ranks of every host over its domains at the least cost; costs between hosts don't change.
// pre: the ranks of a block share a domain. complexity: O(ranks * axes), and a search on each host.
inline void settle_hosts(const cluster& c, const layout& l, const prices& price, axis_set in_domain,
                         std::vector<std::uint32_t>& gpu_of_rank) {
  host_domains inside(c, l, price, in_domain);
  std::vector<std::vector<std::uint32_t>> ranks_on(c.hosts.size());
  for (std::uint32_t r = 0; r < gpu_of_rank.size(); ++r) ranks_on[c.gpus[gpu_of_rank[r]].host.value].push_back(r);
  for (std::uint32_t h = 0; h < c.hosts.size(); ++h) {
    if (ranks_on[h].empty()) continue;
    const host_domains::seated best = inside.seat(h, ranks_on[h]);
    for (std::size_t i = 0; i < best.gpus.size(); ++i) gpu_of_rank[ranks_on[h][i]] = best.gpus[i];
  }
}

}  // namespace topoplan::inline v1::detail
