// Slots as the leaves of a tree of places, in an order that depends on the shape of the tree only.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/objective.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Level 0 are the containers, the last level is one node. Slots are numbered so that every node holds a run of them.
struct slot_tree {
  std::uint32_t unit_size = 1;
  std::vector<std::uint32_t> gpus;                // of slot i: gpus[i * unit_size] and on
  std::vector<std::int64_t> distance;             // by level at which two slots meet
  std::vector<std::vector<std::uint32_t>> begin;  // [level][node]: first slot, and one entry more
  std::vector<std::vector<std::uint32_t>> up;     // [level][node]: its node on the next level
  std::vector<std::vector<std::uint32_t>> shape;  // [level][node]: equal numbers for equal subtrees
  std::vector<std::uint32_t> node;                // [slot * levels() + level]

  [[nodiscard]] std::size_t levels() const noexcept { return distance.size(); }
  [[nodiscard]] std::uint32_t slots() const noexcept { return begin.back().back(); }
  [[nodiscard]] std::uint32_t nodes(std::size_t level) const noexcept {
    return static_cast<std::uint32_t>(begin[level].size() - 1);
  }
  [[nodiscard]] std::uint32_t node_of(std::uint32_t slot, std::size_t level) const noexcept {
    return node[slot * levels() + level];
  }
  // The lowest level at which two slots share a node. complexity: O(levels).
  [[nodiscard]] std::size_t meet(std::uint32_t a, std::uint32_t b) const noexcept {
    const std::uint32_t* x = node.data() + a * levels();
    const std::uint32_t* y = node.data() + b * levels();
    std::size_t level = 0;
    while (x[level] != y[level]) ++level;
    return level;
  }
};

// What the containers are: domains, hosts that hold several domains, or hosts that share a domain with others.
enum class container_kind : std::uint8_t { domain, split_host, host_of_domain };

namespace slot_tree_build {

// The tree before it has an order: by level, the key of every node and its children on the level below.
struct draft_level {
  std::int64_t distance = 0;
  std::vector<std::vector<std::uint32_t>> children;  // of level 0: none
};

// The levels above the containers, from hosts (where they hold several containers) to the root. Levels whose nodes all
// have one child are left out: they separate nothing.
[[nodiscard]] inline std::vector<draft_level> draft(const cluster& c, const pool& p, const prices& price,
                                                    const std::vector<container>& all, container_kind kind) {
  std::vector<draft_level> levels(1);
  levels[0].distance = price.distance[kind == container_kind::split_host ? meeting::host : meeting::domain];
  levels[0].children.resize(all.size());
  std::vector<std::uint32_t> place(all.size());  // of each node of the last level made: the tier node or host above it
  const auto raise = [&](std::int64_t distance, std::size_t places) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> node_at(places, none);
    draft_level made{distance, {}};
    std::vector<std::uint32_t> made_place;
    for (std::uint32_t child = 0; child < place.size(); ++child) {
      std::uint32_t& node = node_at[place[child]];
      if (node == none) {
        node = static_cast<std::uint32_t>(made.children.size());
        made.children.emplace_back();
        made_place.push_back(place[child]);
      }
      made.children[node].push_back(child);
    }
    if (made.children.size() < place.size()) {
      levels.push_back(std::move(made));
      place = std::move(made_place);
    }
  };
  if (kind == container_kind::host_of_domain) {
    for (std::size_t i = 0; i < all.size(); ++i) place[i] = all[i].domain;
    raise(price.distance[meeting::domain], c.domains);
  } else if (kind == container_kind::domain && p.nest == nesting::domain_in_host) {
    for (std::size_t i = 0; i < all.size(); ++i) place[i] = all[i].host;
    raise(price.distance[meeting::host], c.hosts.size());
  }
  const auto host_under = [&](std::uint32_t child) {
    for (std::size_t l = levels.size() - 1; l > 0; --l) child = levels[l].children[child].front();
    return all[child].host;
  };
  place.resize(levels.back().children.size());
  for (std::uint32_t child = 0; child < place.size(); ++child) place[child] = c.hosts[host_under(child)].leaf;
  for (std::size_t t = 0; t < c.tiers.size(); ++t) {
    raise(price.distance[meeting::first_tier + t], c.tiers[t].nodes.size());
    for (std::uint32_t& node : place) node = c.tiers[t].nodes[node].parent;
  }
  return levels;
}

}  // namespace slot_tree_build

// Builds the tree: children by size (largest first), then by shape, then in the order of the cluster.
// Containers of different `makes` aren't interchangeable even if they have as many slots; none given: they are.
// pre: containers aren't empty and lie below one root; those of one make have as many slots. complexity: O(slots * levels + nodes
// log nodes).
[[nodiscard]] inline slot_tree make_slot_tree(const cluster& c, const pool& p, const prices& price,
                                              const std::vector<container>& all, std::uint32_t unit_size, container_kind kind,
                                              const std::vector<std::uint32_t>& makes = {}) {
  std::vector<slot_tree_build::draft_level> draft = slot_tree_build::draft(c, p, price, all, kind);
  const std::size_t levels = draft.size();
  // Sizes and shapes bottom-up.
  std::vector<std::vector<std::uint32_t>> size(levels);
  std::vector<std::vector<std::uint32_t>> shape(levels);
  for (const container& k : all) size[0].push_back(static_cast<std::uint32_t>(k.gpus.size() / unit_size));
  for (std::size_t i = 0; i < all.size(); ++i) shape[0].push_back(makes.empty() ? size[0][i] : makes[i]);
  for (std::size_t l = 1; l < levels; ++l) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> known;
    std::vector<std::vector<std::uint32_t>> keys;
    for (std::vector<std::uint32_t>& children : draft[l].children) {
      std::uint32_t sum = 0;
      for (const std::uint32_t child : children) sum += size[l - 1][child];
      size[l].push_back(sum);
      std::sort(children.begin(), children.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(size[l - 1][b], shape[l - 1][a], a) < std::tuple(size[l - 1][a], shape[l - 1][b], b);
      });
      std::vector<std::uint32_t> key;
      key.reserve(children.size());
      for (const std::uint32_t child : children) key.push_back(shape[l - 1][child]);
      known.emplace(key, 0);
      keys.push_back(std::move(key));
    }
    std::uint32_t number = 0;
    for (auto& entry : known) entry.second = number++;
    for (const std::vector<std::uint32_t>& key : keys) shape[l].push_back(known.find(key)->second);
  }

  slot_tree tree;
  tree.unit_size = unit_size;
  tree.begin.resize(levels);
  tree.up.resize(levels);
  tree.shape.resize(levels);
  std::vector<std::uint32_t> order(draft.back().children.size());  // nodes of a level in tree order
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t l = levels; l-- > 0;) {
    tree.distance.insert(tree.distance.begin(), draft[l].distance);
    std::uint32_t first = 0;
    std::vector<std::uint32_t> below;
    std::vector<std::uint32_t> parents;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      tree.begin[l].push_back(first);
      tree.shape[l].push_back(shape[l][order[i]]);
      first += size[l][order[i]];
      for (const std::uint32_t child : draft[l].children[order[i]]) {
        below.push_back(child);
        parents.push_back(i);
      }
    }
    tree.begin[l].push_back(first);
    if (l + 1 == levels) tree.up[l].assign(order.size(), 0);
    if (l > 0) tree.up[l - 1] = std::move(parents);
    else
      for (const std::uint32_t k : order) tree.gpus.insert(tree.gpus.end(), all[k].gpus.begin(), all[k].gpus.end());
    if (l > 0) order = std::move(below);
  }
  tree.node.resize(std::size_t{tree.slots()} * levels);
  for (std::size_t l = 0; l < levels; ++l)
    for (std::uint32_t n = 0; n < tree.nodes(l); ++n)
      for (std::uint32_t i = tree.begin[l][n]; i < tree.begin[l][n + 1]; ++i) tree.node[i * levels + l] = n;
  return tree;
}

}  // namespace topoplan::inline v1::detail
