// From the HyperNodes of Volcano to a tree: members resolved, what has no node left out.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/kubernetes_objects.hpp>
#include <topoplan/import/detail/labelled_nodes.hpp>
#include <topoplan/import/detail/name_pattern.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/switch_graph.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class hypernode_reader {
 public:
  hypernode_reader(std::span<const document> documents, std::span<const std::string> hosts)
      : documents_(documents), source_(documents.empty() ? std::string{} : documents.front().source) {
    for (const std::string& host : hosts) add_host(host);
  }

  [[nodiscard]] network_tree read() {
    node_collector nodes;
    std::vector<document_reader> hypernodes;
    for_each_object(documents_, [&](const std::string& kind, const document_reader& object) {
      if (kind == "HyperNode") hypernodes.push_back(object);
      else if (kind == "Node" || kind == "NodeFeature") nodes.add(kind, object);
    });
    if (hypernodes.empty()) throw parse_error({source_, 0, 0}, "HyperNodes of Volcano", "none");
    nodes_ = nodes.nodes();
    for (const labelled_node& node : nodes_) add_host(node.name);
    for (const document_reader& object : hypernodes) add(object);
    drop_unknown();
    drop_empty();
    if (switches_.empty())
      throw parse_error({source_, hypernodes.front().line(), 0}, "HyperNodes with nodes", "none of whose nodes anything is said");
    network_tree tree = switch_graph(source_, std::move(switches_)).to_tree();
    partial_.move_to(tree.notes);
    unknown_.move_to(tree.notes);
    empty_.move_to(tree.notes);
    if (const auto count = roots(tree); count > 1)
      tree.notes.push_back(
          {0, std::to_string(count) + " HyperNodes have none above them: the file shows no path between their nodes"});
    return tree;
  }

 private:
  void add_host(const std::string& host) {
    if (known_.insert(host).second) hosts_.push_back(host);
  }

  void add(const document_reader& object) {
    const auto spec = object.at("spec");
    const auto name = object.at("metadata").at("name");
    declared_switch found{name_in(name, "the name of a HyperNode"), name.where(), {}, {}};
    if (!tiers_.emplace(found.name, spec.at("tier").count(1000)).second) name.refuse("each HyperNode once");
    std::unordered_set<std::string> own;
    if (const auto members = part_at(spec, "members", document_kind::list)) {
      for (std::size_t i = 0; i < members->size(); ++i) add_member((*members)[i], found, own);
    }
    switches_.push_back(std::move(found));
  }

  void add_member(const document_reader& member, declared_switch& to, std::unordered_set<std::string>& own) {
    const auto selector = member.at("selector");
    const bool is_node = member.at("type").text() == "Node";
    if (!is_node && member.at("type").text() != "HyperNode") member.at("type").refuse("Node or HyperNode");
    if (const auto exact = part_at(selector, "exactMatch", document_kind::map)) {
      const auto& name = name_in(exact->at("name"), "the name of a member");
      if (!own.insert((is_node ? "n " : "h ") + name).second) return;
      (is_node ? to.host_names : to.child_names).push_back(name);
      return;
    }
    if (!is_node) selector.refuse("exactMatch, for a member that is a HyperNode", "another selector");
    const auto take = [&](const std::string& host) {
      if (own.insert("n " + host).second) to.host_names.push_back(host);
    };
    if (const auto regex = part_at(selector, "regexMatch", document_kind::map)) add_matching(regex->at("pattern"), take);
    else if (const auto labels = part_at(selector, "labelMatch", document_kind::map)) add_labelled(*labels, take);
    else selector.refuse("exactMatch, regexMatch or labelMatch", "none of them");
  }

  template <class Take> void add_matching(const document_reader& value, const Take& take) {
    if (hosts_.empty()) {
      value.refuse("the names of the hosts, which a pattern is matched against",
                   "none; give --hosts, or the output of `kubectl get nodes -o yaml` in the same file");
    }
    name_pattern pattern(value.text(), value.where());
    for (const std::string& host : hosts_) {
      if (!pattern.matches(host)) continue;
      take(host);
      if (pattern.matches_all_of(host)) continue;
      partial_.add(value.line(), [&] {
        return "pattern " + quoted(value.text()) + " matches a part of " + host + ", which is enough for Volcano; ^ and $ end it";
      });
    }
  }

  template <class Take> void add_labelled(const document_reader& selector, const Take& take) {
    if (nodes_.empty()) {
      selector.refuse("the labels of the nodes, which labelMatch asks for",
                      "no Node; give the output of `kubectl get nodes -o yaml` in the same file");
    }
    const auto labels = part_at(selector, "matchLabels", document_kind::map);
    const auto expressions = part_at(selector, "matchExpressions", document_kind::list);
    for (const labelled_node& node : nodes_) {
      bool all = true;
      for (std::size_t i = 0; labels && i < labels->value().keys.size(); ++i) {
        const auto value = node.find(labels->value().keys[i]);
        all = all && value && value->value().text == (*labels)[i].text();
      }
      for (std::size_t i = 0; expressions && i < expressions->size(); ++i) all = all && holds((*expressions)[i], node);
      if (all) take(node.name);
    }
  }

  [[nodiscard]] static bool holds(const document_reader& expression, const labelled_node& node) {
    const auto value = node.find(expression.at("key").text());
    const auto& what = expression.at("operator").text();
    if (what == "Exists") return value.has_value();
    if (what == "DoesNotExist") return !value;
    if (what != "In" && what != "NotIn") expression.at("operator").refuse("In, NotIn, Exists or DoesNotExist");
    const auto values = expression.at("values");
    bool listed = false;
    for (std::size_t i = 0; i < values.size(); ++i) listed = listed || (value && value->value().text == values[i].text());
    return listed == (what == "In");
  }

  // Members that the text doesn't describe; and a check of tiers.
  void drop_unknown() {
    for (declared_switch& s : switches_) {
      const auto tier = tiers_.at(s.name);
      std::erase_if(s.child_names, [&](const std::string& child) {
        const auto found = tiers_.find(child);
        if (found == tiers_.end()) {
          unknown_.add(s.where.line, [&] { return s.name + " refers to " + child + ", which isn't described here"; });
          return true;
        }
        if (found->second >= tier) {
          throw parse_error(s.where, "members of " + quoted(s.name) + " of a tier below " + std::to_string(tier),
                            quoted(child) + " of tier " + std::to_string(found->second));
        }
        return false;
      });
    }
  }

  // Those with no node below. Tiers fall from parent to child, so that there is no cycle.
  void drop_empty() {
    std::unordered_map<std::string, std::vector<std::size_t>> parents;
    std::vector<std::size_t> carrying;
    std::vector<bool> kept(switches_.size(), false);
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      for (const auto& child : switches_[i].child_names) parents[child].push_back(i);
      kept[i] = !switches_[i].host_names.empty();
      if (kept[i]) carrying.push_back(i);
    }
    for (std::size_t next = 0; next < carrying.size(); ++next) {
      for (const auto parent : parents[switches_[carrying[next]].name]) {
        if (!kept[parent]) carrying.push_back(parent);
        kept[parent] = true;
      }
    }
    std::unordered_set<std::string> dropped;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      if (kept[i]) continue;
      dropped.insert(switches_[i].name);
      empty_.add(switches_[i].where.line, [&] { return switches_[i].name + " has no node below it here and is left out"; });
    }
    std::erase_if(switches_, [&](const declared_switch& s) { return dropped.contains(s.name); });
    for (declared_switch& s : switches_) {
      std::erase_if(s.child_names, [&](const std::string& child) { return dropped.contains(child); });
    }
  }

  std::span<const document> documents_;
  std::string source_;
  std::vector<labelled_node> nodes_;
  std::vector<std::string> hosts_;
  std::unordered_set<std::string> known_;
  std::vector<declared_switch> switches_;
  std::unordered_map<std::string, std::uint32_t> tiers_;
  note_pile partial_;
  note_pile unknown_;
  note_pile empty_;
};

}  // namespace topoplan::inline v1::import::detail
