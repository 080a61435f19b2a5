// Kubernetes nodes as their objects, their features and plain maps of labels describe them.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/kubernetes_objects.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace topoplan::inline v1::import::detail {

inline constexpr std::string_view hostname_label = "kubernetes.io/hostname";
inline constexpr std::string_view gpu_resource = "nvidia.com/gpu";

// What is known of a node. It points into the documents.
struct labelled_node {
  std::string name;
  location where;
  std::vector<document_reader> labels;       // maps from labels to their values
  std::optional<std::uint32_t> allocatable;  // GPUs that jobs may take
  std::optional<std::uint32_t> capacity;
  bool has_status = false;
  bool ready = true;
  bool cordoned = false;
  bool in_slices = false;  // GPUs are cut by MIG

  // The label's value, or nothing where it is missing or empty.
  // errors: parse_error for a value that is no text, and when two objects disagree. complexity: O(labels).
  [[nodiscard]] std::optional<document_reader> find(std::string_view label) const {
    std::optional<document_reader> found;
    for (const document_reader& map : labels) {
      const auto value = name_at(map, label);
      if (!value) continue;
      if (found && found->value().text != *value) {
        map.at(label).refuse(std::string(label) + "=" + found->value().text + " for node " + name + ", as in line " +
                             std::to_string(found->line()));
      }
      if (!found) found = map.at(label);
    }
    return found;
  }

  // True for a node that is known to have no GPU. A node whose device plugin is down has no GPU to give, but its labels.
  [[nodiscard]] bool without_gpus() const {
    return has_status && allocatable.value_or(0) == 0 && capacity.value_or(0) == 0 && !in_slices &&
           !find("nvidia.com/gpu.product") && !find("nvidia.com/gpu.count");
  }
};

class node_collector {
 public:
  // errors: parse_error for a node without a name, and for labels, counts and conditions of another form. complexity: O(labels).
  void add(const std::string& kind, const document_reader& object) {
    if (kind == "Node") add_node(object);
    else if (kind == "NodeFeature") add_feature(object);
    else if (!kind.empty()) others_ = others_.empty() || kind == "Topology" ? kind : others_;
    else if (object.has("metadata")) add_node(object);
    else add_plain(object);
  }

  [[nodiscard]] const std::vector<labelled_node>& nodes() const noexcept { return nodes_; }
  // The first kind of object that is no node, but a Topology before others; empty: there is none.
  [[nodiscard]] const std::string& other_kind() const noexcept { return others_; }

 private:
  static constexpr std::uint32_t most_gpus = 100'000;

  labelled_node& node_at(const std::string& name, const location& where) {
    const auto [found, fresh] = index_.emplace(name, nodes_.size());
    if (fresh) {
      nodes_.emplace_back();
      nodes_.back().name = name;
      nodes_.back().where = where;
    }
    return nodes_[found->second];
  }

  void add_node(const document_reader& object) {
    labelled_node& node = node_at(object_name(object), object.at("metadata").at("name").where());
    if (const auto labels = part_at(object.at("metadata"), "labels", document_kind::map)) node.labels.push_back(*labels);
    if (const auto spec = part_at(object, "spec", document_kind::map); spec && spec->has("unschedulable"))
      node.cordoned = spec->at("unschedulable").text() == "true";
    const auto status = part_at(object, "status", document_kind::map);
    if (!status) return;
    if (const auto given = part_at(*status, "allocatable", document_kind::map)) {
      node.has_status = true;
      node.allocatable = gpus_in(*given);
      node.in_slices = node.in_slices || has_slices(*given);
    }
    if (const auto given = part_at(*status, "capacity", document_kind::map)) node.capacity = gpus_in(*given);
    if (const auto conditions = part_at(*status, "conditions", document_kind::list)) {
      for (std::size_t i = 0; i < conditions->size(); ++i) {
        const auto condition = (*conditions)[i];
        if (condition.at("type").text() == "Ready") node.ready = condition.at("status").text() == "True";
      }
    }
  }

  [[nodiscard]] static std::optional<std::uint32_t> gpus_in(const document_reader& resources) {
    if (!resources.has(gpu_resource)) return std::nullopt;
    return resources.at(gpu_resource).count(most_gpus);
  }
  [[nodiscard]] static bool has_slices(const document_reader& resources) {
    const auto& keys = resources.value().keys;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i].starts_with("nvidia.com/mig-") && resources[i].value().text != "0") return true;
    }
    return false;
  }

  // What node feature discovery, or a tool that writes in its name, knows of a node.
  void add_feature(const document_reader& object) {
    const auto metadata = object.at("metadata");
    const auto labels = metadata.at("labels");
    labelled_node& node = node_at(name_in(labels.at("nfd.node.kubernetes.io/node-name"), "the name of a node"), object.where());
    const auto spec = part_at(object, "spec", document_kind::map);
    if (!spec) return;
    if (const auto own = part_at(*spec, "labels", document_kind::map)) node.labels.push_back(*own);
    const auto features = part_at(*spec, "features", document_kind::map);
    const auto attributes = features ? part_at(*features, "attributes", document_kind::map) : std::nullopt;
    if (!attributes) return;
    if (const auto network = part_at(*attributes, "topograph.network", document_kind::map)) {
      if (const auto elements = part_at(*network, "elements", document_kind::map)) node.labels.push_back(*elements);
    }
  }

  // A map of labels that names its node, or a map from nodes to such maps.
  void add_plain(const document_reader& object) {
    const auto& keys = object.value().keys;
    if (object.has(hostname_label)) {
      node_at(name_in(object.at(hostname_label), "the name of a node"), object.where()).labels.push_back(object);
      return;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto labels = object[i];
      if (labels.value().kind != document_kind::map || !is_plain_name(keys[i])) {
        object.refuse("Kubernetes nodes, or a map of labels with " + std::string(hostname_label), "the key " + quoted(keys[i]));
      }
      node_at(keys[i], labels.where()).labels.push_back(labels);
    }
  }

  std::vector<labelled_node> nodes_;
  std::unordered_map<std::string, std::size_t> index_;
  std::string others_;
};

[[nodiscard]] inline node_collector collect_nodes(std::span<const document> documents) {
  node_collector nodes;
  for_each_object(documents, [&](const std::string& kind, const document_reader& object) { nodes.add(kind, object); });
  return nodes;
}

}  // namespace topoplan::inline v1::import::detail
