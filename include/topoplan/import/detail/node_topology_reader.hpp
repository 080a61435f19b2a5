// From the labels of Kubernetes nodes to a network and NVLink domains.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/label_families.hpp>
#include <topoplan/import/detail/labelled_nodes.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/path_tree.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/gpu_fabric.hpp>
#include <topoplan/import/host_state.hpp>
#include <topoplan/import/kueue_topology.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class node_topology_reader {
 public:
  explicit node_topology_reader(std::span<const document> documents)
      : documents_(documents), source_(documents.empty() ? std::string{} : documents.front().source) {}

  [[nodiscard]] cluster_topology read(const kueue_levels* levels) {
    const auto collected = collect_nodes(documents_);
    if (collected.nodes().empty()) refuse_no_nodes(collected.other_kind());
    select(collected.nodes());
    cluster_topology result;
    result.network = levels != nullptr ? network_by(*levels) : network_by_family();
    result.domains = domains();
    if (!result.network && !result.domains) {
      throw parse_error({source_, nodes_.front()->where.line, 0},
                        "nodes with labels that name switches or NVLink domains: " + known_labels(),
                        "none on " + counted(nodes_.size(), "node"));
    }
    result.states = states();
    add_notes(result.network ? result.network->notes : result.domains->notes);
    return result;
  }

 private:
  [[noreturn]] void refuse_no_nodes(const std::string& kind) const {
    constexpr auto expected = "Kubernetes nodes, as `kubectl get nodes -o yaml` prints them";
    if (kind.empty()) throw parse_error({source_, 0, 0}, expected, "no object");
    if (kind != "Topology") throw parse_error({source_, 0, 0}, expected, "other objects, such as a " + quoted(kind));
    const auto levels = kueue_topology(documents_);
    std::string labels;
    for (const auto& label : levels.labels) (labels += labels.empty() ? "" : ", ") += label;
    throw parse_error({source_, levels.line, 0}, expected,
                      "a Topology of Kueue, which only names the labels by which nodes are placed: " + labels.substr(0, 400) +
                          "; give the nodes, too");
  }

  // All nodes, or those with GPUs when there are such.
  void select(const std::vector<labelled_node>& all) {
    for (const labelled_node& node : all) {
      if (!node.without_gpus()) nodes_.push_back(&node);
    }
    left_out_ = all.size() - nodes_.size();
    if (!nodes_.empty()) return;
    for (const labelled_node& node : all) nodes_.push_back(&node);
    left_out_ = 0;
  }

  [[nodiscard]] std::optional<network_tree> network_by(const kueue_levels& levels) {
    path_tree tree(source_, switch_naming::within_parent);
    for (const labelled_node* node : nodes_) {
      std::vector<std::string> path;
      for (auto label = levels.labels.rbegin(); label != levels.labels.rend(); ++label) {
        if (const auto value = node->find(*label)) path.push_back(value->value().text);
      }
      if (path.size() < levels.labels.size()) path.clear();
      tree.add(node->name, path, node->where);
    }
    auto network = tree.take();
    if (!network) {
      throw parse_error({source_, nodes_.front()->where.line, 0},
                        "nodes with all labels of the Topology " + quoted(levels.name) + " (" + levels.source + ")",
                        "none that has " + quoted(levels.labels.front()) + " and those below");
    }
    return network;
  }

  // Labels of a family on a node, closest first.
  [[nodiscard]] static std::vector<std::string> path_of(const labelled_node& node, const switch_family& family) {
    std::map<std::uint32_t, std::string> levels;
    for (const document_reader& map : node.labels) {
      for (const auto& label : map.value().keys) {
        const auto level = level_in(family, label);
        if (!level || levels.contains(*level)) continue;
        if (const auto value = node.find(label)) levels.emplace(*level, value->value().text);
      }
    }
    std::vector<std::string> path;
    for (auto& [level, name] : levels) path.push_back(std::move(name));
    return path;
  }

  [[nodiscard]] std::optional<network_tree> network_by_family() {
    std::array<std::size_t, switch_families.size()> nodes_with{};
    for (const labelled_node* node : nodes_) {
      for (std::size_t f = 0; f < switch_families.size(); ++f) {
        const bool has = std::any_of(node->labels.begin(), node->labels.end(), [&](const document_reader& map) {
          return std::any_of(map.value().keys.begin(), map.value().keys.end(),
                             [&](const std::string& label) { return level_in(switch_families[f], label).has_value(); });
        });
        nodes_with[f] += has ? 1U : 0U;
      }
    }
    const auto first = std::find_if(nodes_with.begin(), nodes_with.end(), [](std::size_t n) { return n > 0; });
    if (first == nodes_with.end()) return std::nullopt;
    const auto& family = switch_families[static_cast<std::size_t>(first - nodes_with.begin())];
    path_tree tree(source_);
    for (const labelled_node* node : nodes_) tree.add(node->name, path_of(*node, family), node->where);
    for (std::size_t f = static_cast<std::size_t>(first - nodes_with.begin()) + 1; f < nodes_with.size(); ++f) {
      if (nodes_with[f] == 0) continue;
      tree.say(0, "switches are those of " + std::string(family.title) + "; " + std::string(switch_families[f].title) + " on " +
                      counted(nodes_with[f], "node") + " isn't read beside it");
    }
    return tree.take();
  }

  [[nodiscard]] std::optional<domain_table> domains() {
    for (const domain_label& by : domain_labels) {
      const bool any = std::any_of(nodes_.begin(), nodes_.end(), [&](const labelled_node* node) { return node->find(by.label); });
      if (any) return domains_by(by);
    }
    return std::nullopt;
  }

  [[nodiscard]] domain_table domains_by(const domain_label& by) {
    domain_builder builder(source_);
    note_pile without;
    bool named = false;
    for (const labelled_node* node : nodes_) {
      const auto value = node->find(by.label);
      if (!value) {
        builder.add(node->name, node->where.line);
        without.add(node->where.line, [&] {
          return node->name + " has no label " + std::string(by.label) + ": it is in no domain, or its fabric isn't ready";
        });
      } else {
        const auto& name = value->value().text;
        const auto key = parse_domain_key(name);
        if (by.is_key && !key) value->refuse(std::string(by.label) + ", UUID.CLIQUE");
        builder.add_named(node->name, name, value->line());
        named = named || !key;
      }
      if (node->allocatable) builder.set_gpus(node->name, *node->allocatable, node->where.line);
    }
    if (named && !by.nvlink) {
      builder.say(0, "domains are those of " + std::string(by.label) +
                         ", which some clouds set to hosts near each other without NVLink between them");
    }
    builder.say(std::move(without));
    say_sub_domains(builder);
    return builder.take();
  }

  void say_sub_domains(domain_builder& builder) const {
    for (const auto label : sub_domain_labels) {
      for (const labelled_node* node : nodes_) {
        const auto value = node->find(label);
        if (!value) continue;
        builder.say(value->line(), std::string(label) + ", such as " + value->value().text +
                                       ", isn't read: NVLink is taken to span the whole domain");
        return;
      }
    }
  }

  // What keeps nodes from use; nothing when no node tells.
  [[nodiscard]] std::optional<host_states> states() const {
    host_states all{source_, {}};
    for (const labelled_node* node : nodes_) {
      host_state state{node->name, {}, node->capacity, node->allocatable, node->where.line};
      // A device plugin that is down takes its resource out of what jobs may have.
      if (node->has_status && node->capacity && !node->allocatable) state.usable = 0;
      if (node->cordoned) state.cordoned = "it is cordoned (unschedulable)";
      if (!node->ready) state.cordoned = "it isn't ready";
      if (node->in_slices) state.cordoned = "MIG cuts its GPUs into slices";
      if (!state.cordoned.empty() || state.gpus || state.usable) all.hosts.push_back(std::move(state));
    }
    if (all.hosts.empty()) return std::nullopt;
    return all;
  }

  void add_notes(std::vector<note>& notes) const {
    note_pile states;
    std::map<std::uint32_t, std::size_t> sizes;
    std::map<std::string, std::size_t> products;
    for (const labelled_node* node : nodes_) {
      const auto line = node->where.line;
      if (!node->ready) states.add(line, [&] { return node->name + " isn't ready"; });
      if (node->cordoned) states.add(line, [&] { return node->name + " is cordoned (unschedulable)"; });
      if (node->in_slices) states.add(line, [&] { return node->name + " has GPUs that MIG cuts into slices"; });
      if (node->allocatable && node->capacity && *node->allocatable < *node->capacity) {
        states.add(line, [&] {
          return node->name + " gives " + std::to_string(*node->allocatable) + " of its " + counted(*node->capacity, "GPU");
        });
      }
      if (node->allocatable) ++sizes[*node->allocatable];
      if (const auto product = node->find("nvidia.com/gpu.product")) ++products[product->value().text];
    }
    states.move_to(notes);
    if (left_out_ > 0) notes.push_back({0, counted(left_out_, "node") + " without GPUs left out"});
    if (sizes.size() > 1) notes.push_back({0, "nodes differ in GPUs: " + shown(sizes)});
    if (products.size() > 1) notes.push_back({0, "nodes differ in nvidia.com/gpu.product: " + shown(products)});
  }

  [[nodiscard]] static std::string shown_key(std::uint32_t value) { return std::to_string(value); }
  [[nodiscard]] static std::string shown_key(const std::string& value) { return value; }
  // "4 on 2 nodes, 8 on 16 nodes"
  template <class Value> [[nodiscard]] static std::string shown(const std::map<Value, std::size_t>& counts) {
    name_list list;
    for (const auto& [value, count] : counts) list.add(shown_key(value) + " on " + counted(count, "node"));
    return list.text();
  }

  std::span<const document> documents_;
  std::string source_;
  std::vector<const labelled_node*> nodes_;
  std::size_t left_out_ = 0;
};

}  // namespace topoplan::inline v1::import::detail
