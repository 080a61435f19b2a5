// The map of switches that topograph's models and the DSX API share: a name, and what is below it.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/detail/switch_graph.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/network_tree.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class topograph_switches {
 public:
  // Reads `switches` of a map, if it is there. Children that have no entry of their own are switches all the same.
  // errors: parse_error for another shape and for a name with blanks. complexity: O(switches).
  explicit topograph_switches(const document_reader& map) {
    if (!map.has("switches")) return;
    const auto all = map.at("switches");
    if (all.value().kind != document_kind::map) all.refuse("a map of switches");
    for (std::size_t i = 0; i < all.value().keys.size(); ++i) {
      const auto& name = all.value().keys[i];
      if (!is_name(name)) all[i].refuse(name_rule("the name of a switch"), quoted(name));
      index_.emplace(name, switches_.size());
      switches_.push_back({name, all[i].where(), {}, {}});
    }
    for (std::size_t i = 0; i < all.value().keys.size(); ++i) read_children(all[i], i);
  }

  [[nodiscard]] bool empty() const noexcept { return switches_.empty(); }

  // The switch of a name, or nothing where there is none. complexity: O(1). errors: none.
  [[nodiscard]] declared_switch* find(const std::string& name) {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &switches_[found->second];
  }

  // The switch above each, by name. complexity: O(switches). errors: none.
  [[nodiscard]] std::unordered_map<std::string, std::string> parents() const {
    std::unordered_map<std::string, std::string> above;
    for (const auto& s : switches_) {
      for (const auto& child : s.child_names) above.emplace(child, s.name);
    }
    return above;
  }

  // The tree, or nothing when no switch has a host. post: leaf switches without hosts, and several roots, are notes.
  // errors: parse_error as switch_graph. complexity: as switch_graph.
  [[nodiscard]] std::optional<network_tree> take(const std::string& source) {
    name_list idle;
    std::size_t count = 0;
    std::size_t line = 0;
    for (const auto& s : switches_) {
      if (!s.child_names.empty() || !s.host_names.empty()) continue;
      idle.add(s.name);
      if (count++ == 0) line = s.where.line;
    }
    if (count == switches_.size()) return std::nullopt;
    auto tree = switch_graph(source, std::move(switches_)).to_tree();
    if (tree.hosts.empty()) return std::nullopt;
    if (count > 0) {
      tree.notes.push_back({line, std::to_string(count) + (count == 1 ? " switch" : " switches") +
                                      " with nothing below, no hosts: " + idle.text()});
    }
    say_roots(tree);
    return tree;
  }

 private:
  void read_children(const document_reader& value, std::size_t parent) {
    if (value.value().kind == document_kind::none) return;
    if (value.value().kind != document_kind::map) value.refuse("a map of what is below switch " + switches_[parent].name);
    if (!value.has("switches")) return;
    const auto children = value.at("switches");
    for (std::size_t i = 0; i < children.size(); ++i) {
      const auto& name = name_in(children[i], "the name of a switch", unquoted::taken);
      if (index_.emplace(name, switches_.size()).second) switches_.push_back({name, children[i].where(), {}, {}});
      switches_[parent].child_names.push_back(name);
    }
  }

  std::vector<declared_switch> switches_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace topoplan::inline v1::import::detail
