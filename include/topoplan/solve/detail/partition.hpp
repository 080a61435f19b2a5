// Top-down arrangement: at every node of the tree the units are split over its children along the best walk.
#pragma once

#include <topoplan/solve/detail/orders.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Which slots are used, ascending.
using slot_choice = std::vector<std::uint32_t>;

// Ways to leave slots empty: the last ones, one after another from the fullest groups, and down to multiples of each size
// that divides the units evenly. complexity: O(ways * slots * log slots).
[[nodiscard]] inline std::vector<slot_choice> slot_choices(const slot_tree& tree, std::uint32_t units, std::size_t limit) {
  slot_choice all(tree.slots());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<slot_choice> choices;
  const auto offer = [&](slot_choice choice) {
    choice.resize(units);
    if (choices.size() < limit && std::find(choices.begin(), choices.end(), choice) == choices.end())
      choices.push_back(std::move(choice));
  };
  offer(all);
  if (tree.slots() == units) return choices;
  const std::size_t level = tree.levels() > 2 ? 1 : 0;
  const auto keep = [&](const std::vector<std::uint32_t>& sizes) {  // the first sizes[n] slots of every node
    slot_choice choice;
    for (std::uint32_t n = 0; n < tree.nodes(level); ++n)
      for (std::uint32_t i = 0; i < sizes[n]; ++i) choice.push_back(tree.begin[level][n] + i);
    return choice;
  };
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t n = 0; n < tree.nodes(level); ++n) sizes.push_back(tree.begin[level][n + 1] - tree.begin[level][n]);
  const std::uint32_t largest = *std::max_element(sizes.begin(), sizes.end());
  // The fullest groups give up slots: all shrink to a common size, the last ones to one less.
  const auto room_at = [&](std::uint32_t size) {
    std::uint64_t room = 0;
    for (const std::uint32_t s : sizes) room += std::min(s, size);
    return room;
  };
  std::uint32_t size = largest;
  while (size > 1 && room_at(size - 1) >= units) --size;
  std::vector<std::uint32_t> shaved = sizes;
  std::uint64_t surplus = room_at(size) - units;
  for (std::size_t n = shaved.size(); n-- > 0;) {
    shaved[n] = std::min(shaved[n], size);
    if (surplus > 0 && shaved[n] == size) {
      --shaved[n];
      --surplus;
    }
  }
  offer(keep(shaved));
  for (std::uint32_t tile = largest; tile > 1; --tile) {
    if (units % tile != 0) continue;
    std::vector<std::uint32_t> rounded = sizes;
    std::uint64_t room = 0;
    for (std::uint32_t& s : rounded) {
      s -= s % tile;
      room += s;
    }
    if (room >= units) offer(keep(rounded));
  }
  return choices;
}

// Splits units over the tree, node by node.
class partitioner {
 public:
  partitioner(const unit_graph& g, const slot_tree& tree, const std::vector<walk>& walks)
      : graph_(g), tree_(tree), walks_(walks), child_of_(g.units()) {}

  // pre: `choice` has as many slots as there are units. complexity: O(levels * walks * (units log units + arcs)).
  [[nodiscard]] arrangement run(const slot_choice& choice) {
    choice_ = &choice;
    slot_of_.assign(graph_.units(), 0);
    inside_.assign(graph_.units(), 0);
    std::vector<std::uint32_t> units(graph_.units());
    std::iota(units.begin(), units.end(), 0U);
    split(tree_.levels() - 1, std::move(units), 0);
    return slot_of_;
  }

 private:
  // The units get the slots first ... of the choice; all of these lie in one node of the level.
  void split(std::size_t level, std::vector<std::uint32_t> units, std::size_t first) {
    const slot_choice& choice = *choice_;
    const std::size_t last = first + units.size();
    if (level == 0 || tree_.node_of(choice[first], level - 1) == tree_.node_of(choice[last - 1], level - 1)) {
      if (level > 0) return split(level - 1, std::move(units), first);
      for (std::size_t i = 0; i < units.size(); ++i) slot_of_[units[i]] = choice[first + i];
      return;
    }
    ++call_;
    const std::uint32_t mark = call_;
    for (const std::uint32_t u : units) inside_[u] = mark;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> walked(units.size());
    std::vector<std::uint32_t> best;
    std::int64_t best_cut = 0;
    const auto consider = [&](const std::vector<std::uint32_t>& sequence) {
      for (std::size_t i = 0; i < sequence.size(); ++i) child_of_[sequence[i]] = tree_.node_of(choice[first + i], level - 1);
      std::int64_t cut = 0;
      for (const std::uint32_t u : sequence)
        for (const unit_graph::arc& a : graph_.of(u))
          if (a.to > u && inside_[a.to] == mark && child_of_[a.to] != child_of_[u]) cut += a.weight;
      if (!best.empty() && cut >= best_cut) return;
      best = sequence;
      best_cut = cut;
    };
    consider(units);
    std::vector<std::uint32_t> sequence(units.size());
    for (const walk& w : walks_) {
      for (std::size_t i = 0; i < units.size(); ++i) walked[i] = {w.key(units[i]), units[i]};
      std::sort(walked.begin(), walked.end());
      for (std::size_t i = 0; i < units.size(); ++i) sequence[i] = walked[i].second;
      consider(sequence);
      std::reverse(sequence.begin(), sequence.end());
      consider(sequence);
    }
    for (std::size_t i = first; i < last;) {
      std::size_t end = i + 1;
      while (end < last && tree_.node_of(choice[end], level - 1) == tree_.node_of(choice[i], level - 1)) ++end;
      std::vector<std::uint32_t> part(best.begin() + static_cast<std::ptrdiff_t>(i - first),
                                      best.begin() + static_cast<std::ptrdiff_t>(end - first));
      std::sort(part.begin(), part.end());
      split(level - 1, std::move(part), i);
      i = end;
    }
  }

  const unit_graph& graph_;
  const slot_tree& tree_;
  const std::vector<walk>& walks_;
  const slot_choice* choice_ = nullptr;
  arrangement slot_of_;
  std::vector<std::uint32_t> child_of_;
  std::vector<std::uint32_t> inside_;  // of a unit: the last split that it took part in
  std::uint32_t call_ = 0;
};

}  // namespace topoplan::inline v1::detail
