// From the switches above each host, closest first, to a network tree; what is no tree is refused.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// What the name of a switch holds for. Identifiers that a fabric or a cloud gives are unique; a label such as rack=1 names one of
// its block's racks only.
enum class switch_naming : std::uint8_t { unique, within_parent };

class path_tree {
 public:
  static constexpr std::size_t max_levels = 16;

  explicit path_tree(std::string source, switch_naming naming = switch_naming::unique) : naming_(naming) {
    tree_.source = std::move(source);
  }

  // A host and the switches above it, closest first; none where the source names none. A host may stand twice with the same path.
  // errors: parse_error for a second, different path of the host, a switch twice in the path or below two switches, and a path
  //   of more than max_levels. complexity: O(path).
  void add(const std::string& host, const std::vector<std::string>& path, const location& where) {
    if (path.size() > max_levels) {
      throw parse_error(where, "at most " + std::to_string(max_levels) + " switches above host " + host,
                        std::to_string(path.size()));
    }
    for (auto step = path.begin(); naming_ == switch_naming::unique && step != path.end(); ++step) {
      if (std::find(path.begin(), step, *step) != step)
        throw parse_error(where, "each switch once above host " + host, quoted(*step) + " twice");
    }
    const auto [known, fresh] = paths_.emplace(host, path);
    if (!fresh && known->second == path) return;
    if (!fresh && !known->second.empty() && !path.empty()) throw two_paths(host, known->second, path, where);
    if (path.empty() || (!fresh && known->second.empty())) {
      if (fresh) pathless_.emplace_back(host, where.line);
      if (path.empty()) return;
      known->second = path;
    }
    const auto leaf = naming_ == switch_naming::unique ? hang_by_name(host, path, where) : hang_from_root(path, where);
    tree_.hosts.push_back({host, leaf, where.line});
  }

  void say(std::size_t line, std::string text) { tree_.notes.push_back({line, std::move(text)}); }

  // The tree, or nothing when no host has a switch above it.
  // post: parents form a tree; hosts of fewer levels than others, hosts without a switch, and several roots are notes.
  // errors: parse_error for a cycle and more than max_levels. complexity: O(switches log switches + hosts x levels).
  [[nodiscard]] std::optional<network_tree> take() {
    if (tree_.hosts.empty()) return std::nullopt;
    set_levels();
    if (naming_ == switch_naming::within_parent) name_by_path();
    note_pathless();
    note_depths();
    std::sort(tree_.notes.begin(), tree_.notes.end(),
              [](const note& a, const note& b) { return std::tie(a.line, a.text) < std::tie(b.line, b.text); });
    if (const auto count = roots(tree_); count > 1)
      say(0, std::to_string(count) + " switches have none above them: the file names no level that joins them");
    tree_.whole = false;
    return std::move(tree_);
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  [[nodiscard]] static std::string shown(const std::vector<std::string>& path) {
    std::string text;
    for (const auto& name : path) text += (text.empty() ? "" : " < ") + name.substr(0, 60);
    return quoted(text, 200);
  }

  [[nodiscard]] parse_error two_paths(const std::string& host, const std::vector<std::string>& first,
                                      const std::vector<std::string>& second, const location& where) const {
    const auto at = std::find_if(tree_.hosts.begin(), tree_.hosts.end(), [&](const network_host& h) { return h.name == host; });
    return {where, "one path up from host " + host,
            shown(second) + ", and " + shown(first) + " in line " + std::to_string(at == tree_.hosts.end() ? 0 : at->line)};
  }

  // The switch of a name, and who said first what is above it.
  std::uint32_t make(const std::string& name, std::size_t line) {
    tree_.switches.push_back({name, line, {}, 0, 1});
    said_by_.emplace_back();
    return static_cast<std::uint32_t>(tree_.switches.size() - 1);
  }

  [[nodiscard]] std::uint32_t hang_by_name(const std::string& host, const std::vector<std::string>& path, const location& where) {
    std::uint32_t leaf = none;
    std::uint32_t below = none;
    for (const auto& name : path) {
      const auto found = by_name_.find(name);
      const auto at = found != by_name_.end() ? found->second : make(name, where.line);
      if (found == by_name_.end()) by_name_.emplace(name, at);
      if (below == none) leaf = at;
      else hang(below, at, host, where);
      below = at;
    }
    return leaf;
  }

  void hang(std::uint32_t below, std::uint32_t above, const std::string& host, const location& where) {
    auto& parent = tree_.switches[below].parent;
    if (parent && *parent != above) {
      const auto& [first_host, line] = said_by_[below];
      throw parse_error(where, "one switch above " + quoted(tree_.switches[below].name),
                        quoted(tree_.switches[above].name) + " by host " + host + ", and " +
                            quoted(tree_.switches[*parent].name) + " by host " + first_host + " in line " + std::to_string(line));
    }
    if (!parent) said_by_[below] = {host, where.line};
    parent = above;
  }

  [[nodiscard]] std::uint32_t hang_from_root(const std::vector<std::string>& path, const location& where) {
    std::uint32_t above = none;
    for (auto name = path.rbegin(); name != path.rend(); ++name) {
      const auto [found, fresh] = by_parent_.emplace(std::pair{above, *name}, none);
      if (fresh) {
        found->second = make(*name, where.line);
        if (above != none) tree_.switches[found->second].parent = above;
      }
      above = found->second;
    }
    return above;
  }

  // Children before parents; what is left over contains a cycle.
  void set_levels() {
    std::vector<std::uint32_t> waiting(tree_.switches.size());
    for (const auto& s : tree_.switches) {
      if (s.parent) ++waiting[*s.parent];
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i] == 0) order.push_back(i);
    }
    for (std::size_t next = 0; next < order.size(); ++next) {
      const auto& s = tree_.switches[order[next]];
      if (!s.parent) continue;
      auto& above = tree_.switches[*s.parent];
      above.level = std::max(above.level, s.level + 1);
      if (above.level >= max_levels) {
        throw parse_error({tree_.source, above.line, 0}, "at most " + std::to_string(max_levels) + " levels of switches",
                          "more below " + quoted(above.name));
      }
      if (--waiting[*s.parent] == 0) order.push_back(*s.parent);
    }
    if (order.size() < waiting.size()) refuse_cycle(waiting);
  }

  [[noreturn]] void refuse_cycle(const std::vector<std::uint32_t>& waiting) const {
    std::uint32_t at = 0;
    while (waiting[at] == 0) ++at;
    const auto start = at;
    std::string cycle = tree_.switches[at].name.substr(0, 60);
    do {
      at = *tree_.switches[at].parent;
      cycle += " < " + tree_.switches[at].name.substr(0, 60);
    } while (at != start);
    throw parse_error({tree_.source, said_by_[start].second, 0}, "a tree of switches",
                      "a cycle: " + quoted(cycle, 200) + ", by host " + said_by_[start].first);
  }

  // A name that several switches have gets its parent's before it.
  void name_by_path() {
    std::map<std::string, std::size_t> count;
    for (const auto& s : tree_.switches) ++count[s.name];
    std::vector<std::string> full(tree_.switches.size());
    for (std::size_t i = 0; i < full.size(); ++i) {  // a parent stands before its children
      const auto& s = tree_.switches[i];
      full[i] = (s.parent ? full[*s.parent] + "/" : "") + s.name;
    }
    for (std::size_t i = 0; i < full.size(); ++i) {
      if (count[tree_.switches[i].name] > 1) tree_.switches[i].name = full[i];
    }
  }

  void note_pathless() {
    note_pile pile;
    for (const auto& [host, line] : pathless_) {
      if (!paths_[host].empty()) continue;
      pile.add(line, [&name = host] { return name + " has no switch above it here; it isn't in the network"; });
    }
    pile.move_to(tree_.notes);
  }

  [[nodiscard]] std::size_t depth(std::uint32_t s) const {
    std::size_t levels = 1;
    for (auto at = tree_.switches[s].parent; at; at = tree_.switches[*at].parent) ++levels;
    return levels;
  }

  void note_depths() {
    std::size_t most = 0;
    for (const auto& host : tree_.hosts) most = std::max(most, depth(host.leaf));
    note_pile pile;
    for (const auto& host : tree_.hosts) {
      const auto levels = depth(host.leaf);
      if (levels == most) continue;
      pile.add(host.line, [&] {
        return host.name + " has " + counted(levels, "level") + " of switches above it, others have " + std::to_string(most);
      });
    }
    pile.move_to(tree_.notes);
  }

  network_tree tree_;
  switch_naming naming_;
  std::unordered_map<std::string, std::vector<std::string>> paths_;  // of each host
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> by_parent_;
  std::vector<std::pair<std::string, std::size_t>> said_by_;  // the host and line that first told a switch's parent
  std::vector<std::pair<std::string, std::size_t>> pathless_;
};

}  // namespace topoplan::inline v1::import::detail
