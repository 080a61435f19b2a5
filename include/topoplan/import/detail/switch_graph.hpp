// Named switches and who is below whom, and the steps from such a list to a tree: names resolved, parallel switches merged,
// what is no tree refused.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// Adds the note that several roots earn.
inline void say_roots(network_tree& tree) {
  const auto count = roots(tree);
  if (count < 2) return;
  tree.notes.push_back({0, std::to_string(count) + " switches have none above them: the file shows no path between their hosts"});
}

struct declared_switch {
  std::string name;
  location where;
  std::vector<std::string> child_names;
  std::vector<std::string> host_names;
};

class switch_graph {
 public:
  switch_graph(std::string source, std::vector<declared_switch> switches)
      : source_(std::move(source)), switches_(std::move(switches)), children_(switches_.size()), group_(switches_.size()) {
    std::iota(group_.begin(), group_.end(), 0U);
  }

  // errors: parse_error for a switch or host that stands twice, an unknown child, a cycle, and parents that are no tree.
  // complexity: O(names log names x levels).
  [[nodiscard]] network_tree to_tree() {
    resolve();
    order_from_below();
    while (merge_parallel()) {
    }
    return build();
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  void resolve() {
    std::unordered_map<std::string, std::uint32_t> index;
    for (std::uint32_t i = 0; i < switches_.size(); ++i) {
      const auto [known, fresh] = index.emplace(switches_[i].name, i);
      if (!fresh) {
        throw parse_error(switches_[i].where, "each switch once",
                          quoted(switches_[i].name) + " again, which " + line_of(known->second) + " describes");
      }
    }
    for (std::uint32_t i = 0; i < switches_.size(); ++i) {
      for (const std::string& name : switches_[i].child_names) {
        const auto child = index.find(name);
        if (child == index.end()) {
          throw parse_error(switches_[i].where, "a switch that a line describes below " + quoted(switches_[i].name),
                            quoted(name));
        }
        children_[i].push_back(child->second);
      }
    }
  }

  // Children before parents. What is left over contains a cycle.
  void order_from_below() {
    std::vector<std::uint32_t> waiting(switches_.size());
    std::vector<std::vector<std::uint32_t>> parents(switches_.size());
    for (std::uint32_t i = 0; i < switches_.size(); ++i) {
      waiting[i] = static_cast<std::uint32_t>(children_[i].size());
      for (const auto child : children_[i]) parents[child].push_back(i);
    }
    for (std::uint32_t i = 0; i < switches_.size(); ++i) {
      if (waiting[i] == 0) order_.push_back(i);
    }
    for (std::size_t next = 0; next < order_.size(); ++next) {
      for (const auto parent : parents[order_[next]]) {
        if (--waiting[parent] == 0) order_.push_back(parent);
      }
    }
    if (order_.size() < switches_.size()) refuse_cycle(waiting);
  }

  [[noreturn]] void refuse_cycle(const std::vector<std::uint32_t>& waiting) const {
    std::uint32_t at = 0;
    while (waiting[at] == 0) ++at;
    std::vector<std::uint32_t> walk;
    while (std::find(walk.begin(), walk.end(), at) == walk.end()) {
      walk.push_back(at);
      at = *std::find_if(children_[at].begin(), children_[at].end(), [&](std::uint32_t child) { return waiting[child] > 0; });
    }
    std::string cycle;
    for (auto i = std::find(walk.begin(), walk.end(), at); i != walk.end(); ++i) cycle += switches_[*i].name + " > ";
    throw parse_error(switches_[at].where, "a tree of switches", "a cycle: " + cycle + switches_[at].name);
  }

  // Switches with the same children, as in a fat tree, become one group. True if any did.
  [[nodiscard]] bool merge_parallel() {
    std::map<std::vector<std::uint32_t>, std::uint32_t> by_children;
    bool merged = false;
    for (std::uint32_t i = 0; i < switches_.size(); ++i) {
      if (group_[i] != i || children_[i].empty()) continue;
      auto below = children_[i];
      for (auto& child : below) child = group_of(child);
      std::sort(below.begin(), below.end());
      below.erase(std::unique(below.begin(), below.end()), below.end());
      const auto [first, fresh] = by_children.emplace(std::move(below), i);
      if (fresh) continue;
      group_[i] = first->second;
      merged = true;
    }
    return merged;
  }

  [[nodiscard]] std::uint32_t group_of(std::uint32_t i) const {
    while (group_[i] != i) i = group_[i];
    return i;
  }

  [[nodiscard]] network_tree build() const {
    network_tree tree;
    tree.source = source_;
    std::vector<std::uint32_t> place(switches_.size(), none);
    std::vector<std::vector<std::string>> names;
    for (std::uint32_t i = 0; i < switches_.size(); ++i) {
      const auto group = group_of(i);
      if (group == i) {
        place[i] = static_cast<std::uint32_t>(tree.switches.size());
        tree.switches.push_back({{}, switches_[i].where.line, {}, 0, 0});
        names.emplace_back();
      }
      names[place[group]].push_back(switches_[i].name);
      ++tree.switches[place[group]].count;
    }
    for (std::size_t s = 0; s < names.size(); ++s) {
      tree.switches[s].name = fold_hostlist(names[s]);
      if (names[s].size() == 1) continue;
      tree.notes.push_back(
          {tree.switches[s].line, tree.switches[s].name + " have the same switches below and count as one group"});
    }
    hang_switches(tree, place);
    hang_hosts(tree, place);
    return tree;
  }

  void hang_switches(network_tree& tree, const std::vector<std::uint32_t>& place) const {
    std::vector<std::uint32_t> parent_of(tree.switches.size(), none);  // as an index into switches_
    for (const auto i : order_) {
      const auto above = place[group_of(i)];
      for (const auto child : children_[i]) {
        const auto below = place[group_of(child)];
        if (parent_of[below] != none && place[group_of(parent_of[below])] != above) {
          throw parse_error(switches_[i].where, "one switch above " + quoted(switches_[child].name),
                            quoted(switches_[i].name) + " beside " + quoted(switches_[parent_of[below]].name) + " of " +
                                line_of(parent_of[below]) +
                                "; switches count as one group only when all that is below them is the same");
        }
        parent_of[below] = i;
        tree.switches[below].parent = above;
        tree.switches[above].level = std::max(tree.switches[above].level, tree.switches[below].level + 1);
      }
    }
  }

  void hang_hosts(network_tree& tree, const std::vector<std::uint32_t>& place) const {
    std::unordered_map<std::string, std::uint32_t> leaf_of;
    for (std::uint32_t i = 0; i < switches_.size(); ++i) {
      for (const std::string& name : switches_[i].host_names) {
        const auto [known, fresh] = leaf_of.emplace(name, i);
        if (!fresh && known->second == i) continue;
        if (!fresh) {
          throw parse_error(switches_[i].where, "each host under one switch",
                            quoted(name) + " under " + quoted(switches_[i].name) + " and, in " + line_of(known->second) +
                                ", under " + quoted(switches_[known->second].name));
        }
        tree.hosts.push_back({name, place[group_of(i)], switches_[i].where.line});
      }
    }
  }

  [[nodiscard]] std::string line_of(std::uint32_t i) const { return "line " + std::to_string(switches_[i].where.line); }

  std::string source_;
  std::vector<declared_switch> switches_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::uint32_t> group_;  // the switch that stands for a group; itself at first
  std::vector<std::uint32_t> order_;
};

}  // namespace topoplan::inline v1::import::detail
