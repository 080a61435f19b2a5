// Tells formats in XML, JSON and YAML apart by the marks that their texts carry.
#pragma once

#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/format.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// What a text was found to be: a format that is read, or, by its title, something else that people have at hand.
struct recognised {
  std::optional<format> is;
  std::string_view other = {};

  [[nodiscard]] explicit operator bool() const noexcept { return is || !other.empty(); }
};

[[nodiscard]] constexpr bool holds(std::string_view text, std::string_view mark) noexcept {
  return text.find(mark) != std::string_view::npos;
}

// The name of the root element, or empty. Declarations and comments stand before it.
[[nodiscard]] inline std::string_view xml_root(std::string_view text) noexcept {
  for (auto at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const auto rest = text.substr(at + 1);
    const std::string_view end = rest.starts_with("!--") ? "-->" : rest.starts_with('?') || rest.starts_with('!') ? ">" : "";
    if (end.empty()) return rest.substr(0, rest.find_first_of(" \t\r\n/>"));
    const auto behind = text.find(end, at);
    if (behind == std::string_view::npos) return {};
    at = behind + end.size();
  }
  return {};
}

[[nodiscard]] inline recognised recognise_xml(std::string_view text) noexcept {
  const auto root = xml_root(text);
  if (root == "system") return {format::nccl_topology_xml};
  if (root == "graphs") return {format::nccl_graph_xml};
  if (root == "nvidia_smi_log") return {format::nvidia_smi_q_xml};
  if (root == "topology") return {format::hwloc_xml};
  return {};
}

// Labels that Kubernetes nodes have, in whatever document.
[[nodiscard]] inline bool holds_node_labels(std::string_view text) noexcept {
  return holds(text, ".topograph.run/") || holds(text, "cloud.google.com/gce-topology") || holds(text, "topology.nebius.com/") ||
         holds(text, "network.topology.nvidia.com/") || holds(text, "nvidia.com/gpu.clique");
}

// Kubernetes objects by their kinds; a list may mix them.
[[nodiscard]] inline recognised recognise_objects(std::string_view text, const std::vector<std::string_view>& kinds) noexcept {
  const auto has = [&](std::string_view kind) { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); };
  if (has("HyperNode") || has("HyperNodeList")) return {format::volcano_hypernodes};
  if (has("Node") || has("NodeList") || has("NodeFeature") || has("NodeFeatureList")) return {format::kubernetes_nodes};
  if (has("Topology")) return {format::kueue_topology};
  if (has("ConfigMap")) return {format::kubernetes_configmap};
  if (has("List") && holds_node_labels(text)) return {format::kubernetes_nodes};
  return {};
}

// The values of every "kind" of a JSON text.
[[nodiscard]] inline std::vector<std::string_view> json_kinds(std::string_view text) {
  constexpr std::string_view key = "\"kind\"";
  std::vector<std::string_view> kinds;
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const auto open = text.find_first_not_of(" \t\r\n:", at + key.size());
    if (open == std::string_view::npos || text[open] != '"') continue;
    const auto close = text.find('"', open + 1);
    if (close != std::string_view::npos) kinds.push_back(text.substr(open + 1, close - open - 1));
  }
  return kinds;
}

// The "format" of one of this library's own JSON documents: the first such key decides.
[[nodiscard]] inline std::optional<std::string_view> json_format(std::string_view text) {
  const auto key = text.find("\"format\"");
  if (key == std::string_view::npos) return std::nullopt;
  const auto colon = text.find_first_not_of(" \t\r\n", key + 8);
  if (colon == std::string_view::npos || text[colon] != ':') return std::nullopt;
  const auto open = text.find_first_not_of(" \t\r\n", colon + 1);
  if (open == std::string_view::npos || text[open] != '"') return std::nullopt;
  return text.substr(open + 1, text.find('"', open + 1) - open - 1);
}

[[nodiscard]] inline recognised recognise_json(std::string_view text) {
  if (const auto named = json_format(text)) {
    if (*named == to_string(format::cluster_file)) return {format::cluster_file};
    if (*named == to_string(format::rank_map_file)) return {format::rank_map_file};
    if (*named == "topoplan.plan") return {{}, "a plan of topoplan; its rank map is beside it"};
  }
  if (holds(text, "\"NetworkNodes\"")) return {format::aws_topology};
  if (holds(text, "\"networkPath\"")) return {format::lambda_topology};
  if (holds(text, "\"DomainUUID\"")) return {format::nmx_compute_nodes};
  if (holds(text, "ustomerHPCIslandId\"") || holds(text, "ustomerLocalBlock\"") || holds(text, "\"hpcIslandId\"") ||
      holds(text, "\"local-block-id\"") || holds(text, "\"localBlockId\"")) {
    return {format::oci_topology};
  }
  if (holds(text, "\"network_layers\"")) return {format::topograph_instances};
  if (const auto found = recognise_objects(text, json_kinds(text))) return found;
  if (holds_node_labels(text)) return {format::kubernetes_nodes};
  if (holds(text, "\"railSource\"")) return {{}, "topograph's record of one node's rails, a draft that nothing writes"};
  if (holds(text, "\"provider\"") && holds(text, "\"engine\"")) return {{}, "a request to topograph, which describes no cluster"};
  if (holds(text, "\"switches\"")) return {format::topograph_response};
  if (holds(text, "\"model_type\"") || holds(text, "\"hidden_size\"")) return {{}, "a model's configuration"};
  return {};
}

// The key that a line of YAML begins, after the marks of list items, without quotes; empty: none. `depth`: 0 at the margin.
[[nodiscard]] inline std::string_view yaml_key(std::string_view line, std::size_t& depth) noexcept {
  depth = 0;
  while (depth < line.size() &&
         (is_blank(line[depth]) || (line[depth] == '-' && depth + 1 < line.size() && is_blank(line[depth + 1]))))
    ++depth;
  auto text = line.substr(depth);
  if (text.starts_with('#')) return {};
  const bool in_quotes = text.starts_with('"') || text.starts_with('\'');
  const auto end = in_quotes ? text.find(text.front(), 1) : text.find(':');
  if (end == std::string_view::npos) return {};
  const auto key = in_quotes ? text.substr(1, end - 1) : text.substr(0, end);
  const auto after = text.substr(in_quotes ? end + 1 : end);
  const bool mapped = after.size() == 1 || (after.size() > 1 && is_blank(after[1]));
  return after.starts_with(':') && mapped && key.find_first_of(" \t\"") == std::string_view::npos ? key : std::string_view{};
}

// Tells which keys are those of the items, in a text that is a list; its other keys are of no item.
class yaml_items {
 public:
  // pre: lines come in their order, without those that hold no more than a comment; `key` and `depth` are as yaml_key finds them.
  [[nodiscard]] bool is_key_of_item(std::string_view line, std::string_view key, std::size_t depth) noexcept {
    const auto indent = line.find_first_not_of(" \t");
    const bool begins =
        indent != std::string_view::npos && line[indent] == '-' && (indent + 1 == line.size() || is_blank(line[indent + 1]));
    if (first_) {
      first_ = false;
      if (begins) dash_ = indent;
    }
    if (begins && indent == dash_) fresh_ = true;
    if (key.empty()) return false;
    if (fresh_) of_item_ = depth;
    fresh_ = false;
    return depth == of_item_;
  }

 private:
  static constexpr std::size_t none = std::string_view::npos;
  bool first_ = true;
  bool fresh_ = false;  // an item has begun, and its first key is yet to come
  std::size_t dash_ = none;
  std::size_t of_item_ = none;
};

// By the keys of its items or at the margin, and the kinds of objects.
[[nodiscard]] inline recognised recognise_yaml(std::string_view text, const std::vector<text_line>& lines) {
  std::vector<std::string_view> kinds;
  bool switches = false;
  bool mapping = false;
  bool topology = false;
  bool plugin = false;
  yaml_items items;
  for (const text_line& line : lines) {
    const auto words = trimmed(line.text);
    if (words.empty() || words.starts_with('#') || words.starts_with('%') || words == "---") continue;
    std::size_t depth = 0;
    const auto key = yaml_key(line.text, depth);
    const bool of_item = items.is_key_of_item(line.text, key, depth);
    if (key.empty()) continue;
    mapping = mapping || depth == 0;
    topology = topology || (of_item && key == "topology");
    plugin = plugin || (of_item && (key == "tree" || key == "block" || key == "flat" || key == "ring" || key == "torus3d" ||
                                    key == "cluster_default"));
    switches = switches || (depth == 0 && (key == "switches" || key == "blocks"));
    if (key == "kind") kinds.push_back(trimmed(line.text.substr(line.text.find(':') + 1)));
  }
  for (auto& kind : kinds) {
    if (kind.size() > 1 && (kind.front() == '"' || kind.front() == '\'')) kind = kind.substr(1, kind.size() - 2);
  }
  if (const auto found = recognise_objects(text, kinds)) return found;
  if (topology && plugin) return {format::slurm_topologies};
  if (!mapping) return {};
  if (switches) return {format::topograph_model};
  if (holds_node_labels(text)) return {format::kubernetes_nodes};
  return {};
}

}  // namespace topoplan::inline v1::import::detail
