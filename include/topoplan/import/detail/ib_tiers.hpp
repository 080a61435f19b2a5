// Levels of switches above the leafs, by their distance from them, and the groups that each level joins.
#pragma once

#include <topoplan/import/detail/ib_leaf_groups.hpp>
#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/detail/ib_rails.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// Farther than this from the leafs no switch is looked at: networks have three or four levels.
inline constexpr std::uint32_t ib_most_levels = 16;

// 0 for leafs, 1 for switches next to one, and so on; ib_none for what no leaf reaches. complexity: O(switches + links).
[[nodiscard]] inline std::vector<std::uint32_t> switch_levels(const ib_links& links, const ib_groups& groups) {
  std::vector<std::uint32_t> level(links.switches.size(), ib_none);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t s = 0; s < level.size(); ++s) {
    if (groups.of_switch[s] == ib_none || groups.above[s]) continue;
    level[s] = 0;
    queue.push_back(s);
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const ib_neighbour& n : links.switches[queue[next]].neighbours) {
      if (level[n.to] != ib_none || level[queue[next]] == ib_most_levels) continue;
      level[n.to] = level[queue[next]] + 1;
      queue.push_back(n.to);
    }
  }
  return level;
}

class ib_tree_builder {
 public:
  ib_tree_builder(const ib_fabric& fabric, const ib_hosts& hosts, const ib_links& links, const ib_groups& groups,
                  const std::vector<std::uint32_t>& level)
      : fabric_(fabric),
        hosts_(hosts),
        links_(links),
        groups_(groups),
        level_(level),
        joined_(groups.leafs.size() + links.switches.size()),
        top_(groups.leafs.size()) {}

  // Leaf groups first, then each level's. post: parents stand behind their children. complexity: O((switches + links) levels).
  [[nodiscard]] network_tree build() {
    tree_.source = source_of(fabric_);
    for (std::uint32_t g = 0; g < groups_.leafs.size(); ++g) {
      tree_.switches.push_back(named(groups_.leafs[g], 0));
      top_[g] = g;
    }
    std::uint32_t highest = 0;
    for (const auto level : level_) highest = std::max(highest, level == ib_none ? 0 : level);
    for (std::uint32_t level = 1; level <= std::max(highest, 1U); ++level) add_level(level);
    for (std::uint32_t h = 0; h < hosts_.hosts.size(); ++h) {
      const auto& host = hosts_.hosts[h];
      if (groups_.of_host[h] == ib_none) continue;
      const ib_device& first = fabric_.devices[host.adapters.front().device];
      const bool merged = fabric_.sources.size() > 1;
      tree_.hosts.push_back({host.name, groups_.of_host[h], first.line, merged ? fabric_.sources[first.source] : std::string{}});
    }
    return std::move(tree_);
  }

 private:
  [[nodiscard]] std::size_t line_of(const ib_device& device) const { return fabric_.sources.size() > 1 ? 0 : device.line; }

  // The node of a switch among groups and switches: a leaf counts as its group, a spine with hosts as itself.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t s) const {
    const bool leaf = groups_.of_switch[s] != ib_none && !groups_.above[s];
    return leaf ? groups_.of_switch[s] : static_cast<std::uint32_t>(groups_.leafs.size()) + s;
  }

  void join_level(std::uint32_t level) {
    for (std::uint32_t s = 0; s < links_.switches.size(); ++s) {
      if (level_[s] > level) continue;
      if (level_[s] == level && groups_.above[s]) joined_.join(groups_.of_switch[s], node_of(s));
      for (const ib_neighbour& n : links_.switches[s].neighbours) {
        if (level_[n.to] <= level && std::max(level_[s], level_[n.to]) + (level == 1 ? 1 : 0) >= level) {
          joined_.join(node_of(s), node_of(n.to));
        }
      }
    }
  }

  // One group for every set of lower groups that this level's switches join. The first level stands even above a single group,
  // whose rails it joins; a higher one that joins nothing is left out.
  void add_level(std::uint32_t level) {
    join_level(level);
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> switches_of;
    for (std::uint32_t s = 0; s < links_.switches.size(); ++s) {
      if (level_[s] == level) switches_of[joined_.find(node_of(s))].push_back(s);
    }
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> below;  // set to tops of its groups, each once
    std::vector<bool> seen(tree_.switches.size(), false);
    for (std::uint32_t g = 0; g < groups_.leafs.size(); ++g) {
      if (!seen[top_[g]]) below[joined_.find(g)].push_back(top_[g]);
      seen[top_[g]] = true;
    }
    std::unordered_map<std::uint32_t, std::uint32_t> made;
    for (std::uint32_t g = 0; g < groups_.leafs.size(); ++g) {
      const auto set = joined_.find(g);
      const auto& tops = below[set];
      const auto found = switches_of.find(set);
      if (tops.size() < 2 && (level > 1 || found == switches_of.end())) continue;
      const auto [node, fresh] = made.emplace(set, static_cast<std::uint32_t>(tree_.switches.size()));
      if (fresh) {
        auto above = found == switches_of.end() ? directly_joined(tops) : named(found->second, level);
        for (const auto top : tops) {
          above.level = std::max(above.level, tree_.switches[top].level + 1);
          tree_.switches[top].parent = node->second;
        }
        tree_.switches.push_back(std::move(above));
      }
      top_[g] = node->second;
    }
  }

  // Leafs that are cabled to each other, without a switch above them.
  [[nodiscard]] network_switch directly_joined(const std::vector<std::uint32_t>& tops) const {
    return {"between " + tree_.switches[tops.front()].name + " and " + std::to_string(tops.size() - 1) + " more", 0, {}, 0, 0};
  }

  [[nodiscard]] network_switch named(const std::vector<std::uint32_t>& switches, std::uint32_t level) const {
    std::vector<std::string> names;
    for (const auto s : switches) names.push_back(links_.switches[s].name);
    if (level > 0) std::sort(names.begin(), names.end());
    return {fold_hostlist(names),
            line_of(fabric_.devices[links_.switches[switches.front()].device]),
            {},
            0,
            static_cast<std::uint32_t>(switches.size())};
  }

  const ib_fabric& fabric_;
  const ib_hosts& hosts_;
  const ib_links& links_;
  const ib_groups& groups_;
  const std::vector<std::uint32_t>& level_;
  network_tree tree_;
  disjoint_sets joined_;
  std::vector<std::uint32_t> top_;  // of each leaf group: the highest group above it so far
};

}  // namespace topoplan::inline v1::import::detail
