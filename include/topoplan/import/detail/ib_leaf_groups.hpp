// Which switches are leafs, and which leafs form a group: those that the same hosts hang on.
#pragma once

#include <topoplan/import/detail/ib_links.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// Sets of numbers that grow together.
class disjoint_sets {
 public:
  explicit disjoint_sets(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0U); }

  [[nodiscard]] std::uint32_t find(std::uint32_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  // post: the smaller number stands for both.
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> above_;
};

struct ib_groups {
  std::vector<std::vector<std::uint32_t>> leafs;  // of each group: switches, ascending
  std::vector<std::vector<std::uint32_t>> hosts;  // of each group, ascending
  std::vector<std::uint32_t> of_switch;           // ib_none: no leaf
  std::vector<std::uint32_t> of_host;             // ib_none: the host hangs on no switch
  std::vector<bool> above;                        // a spine that a few hosts hang on: a leaf of theirs, and a spine to the others
};

// A switch that carries few hosts while its neighbours carry many stands above them: a management server on a spine.
[[nodiscard]] inline bool is_spine_with_hosts(const ib_links& links, std::uint32_t s) {
  std::vector<std::size_t> around;
  for (const ib_neighbour& n : links.switches[s].neighbours) {
    if (!links.switches[n.to].hosts.empty()) around.push_back(links.switches[n.to].hosts.size());
  }
  if (around.size() < 2) return false;
  const auto middle = around.begin() + static_cast<std::ptrdiff_t>(around.size() / 2);
  std::nth_element(around.begin(), middle, around.end());
  return 2 * links.switches[s].hosts.size() <= *middle;
}

// Pairs of leafs that more than half of the hosts of one of them share. A stray cable of one host joins nothing.
// complexity: O(sum over hosts of adapters^2), with at most `most` adapters of a host looked at.
inline void join_leafs(const ib_links& links, disjoint_sets& sets) {
  constexpr std::size_t most = 64;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> shared;
  for (const auto& leafs : links.leafs_of) {
    const auto count = std::min(leafs.size(), most);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) ++shared[{leafs[i], leafs[j]}];
    }
    for (std::size_t i = count; i < leafs.size(); ++i) ++shared[{leafs[0], leafs[i]}];
  }
  for (const auto& [pair, hosts] : shared) {
    const auto fewer = std::min(links.switches[pair.first].hosts.size(), links.switches[pair.second].hosts.size());
    if (2 * hosts > fewer) sets.join(pair.first, pair.second);
  }
}

// Groups in the order of their first switch. A host is in the group that most of its ports are in.
[[nodiscard]] inline ib_groups group_leafs(const ib_links& links) {
  const auto count = static_cast<std::uint32_t>(links.switches.size());
  ib_groups groups{
      {}, {}, std::vector<std::uint32_t>(count, ib_none), std::vector<std::uint32_t>(links.leafs_of.size(), ib_none), {}};
  disjoint_sets sets(count);
  join_leafs(links, sets);
  std::vector<std::uint32_t> group_of_set(count, ib_none);
  for (std::uint32_t s = 0; s < count; ++s) {
    groups.above.push_back(!links.switches[s].hosts.empty() && is_spine_with_hosts(links, s));
    if (links.switches[s].hosts.empty()) continue;
    auto& group = group_of_set[sets.find(s)];
    if (group == ib_none) {
      group = static_cast<std::uint32_t>(groups.leafs.size());
      groups.leafs.emplace_back();
    }
    groups.of_switch[s] = group;
    groups.leafs[group].push_back(s);
  }
  std::vector<std::map<std::uint32_t, std::size_t>> votes(links.leafs_of.size());
  for (std::uint32_t s = 0; s < count; ++s) {
    for (const ib_host_port& port : links.switches[s].ports) ++votes[port.host][groups.of_switch[s]];
  }
  groups.hosts.resize(groups.leafs.size());
  for (std::uint32_t h = 0; h < votes.size(); ++h) {
    const auto most =
        std::max_element(votes[h].begin(), votes[h].end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == votes[h].end()) continue;
    groups.of_host[h] = most->first;
    groups.hosts[most->first].push_back(h);
  }
  return groups;
}

}  // namespace topoplan::inline v1::import::detail
