// The labels of Kubernetes nodes that name switches and NVLink domains: the one table of who writes which.
#pragma once

#include <topoplan/import/detail/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import::detail {

enum class label_order : std::uint8_t { listed, rising, falling };

// Labels of one writer that name the switches above a node.
struct switch_family {
  std::string_view title;
  std::string_view prefix;
  label_order order;  // what follows the prefix: a listed name, or a number that rises or falls with the level
  std::array<std::string_view, 5> names{};  // closest first
  std::uint32_t first = 0;                  // the lowest number that is a switch
  std::string_view above = {};              // a label above all others
};

inline constexpr std::array<switch_family, 7> switch_families = {{
    {"fabric.topograph.run/tier-N", "fabric.topograph.run/tier-", label_order::rising},
    {"fabric-tier-N of a NodeFeature", "fabric-tier-", label_order::rising},
    {"network.topology.nvidia.com/...",
     "network.topology.nvidia.com/",
     label_order::listed,
     {"leaf", "block", "spine", "core", "datacenter"}},
    {"topology.k8s.aws/network-node-layer-N", "topology.k8s.aws/network-node-layer-", label_order::falling},
    // Tier 0 is an NVLink domain.
    {"topology.nebius.com/tier-N", "topology.nebius.com/tier-", label_order::rising, {}, 1, "topology.nebius.com/gpu-cluster-id"},
    {"oci.oraclecloud.com/rdma...",
     "oci.oraclecloud.com/rdma.",
     label_order::listed,
     {"local_block_id", "network_block_id", "hpc_island_id"}},
    // gce-topology-host is the machine itself.
    {"cloud.google.com/gce-topology-...", "cloud.google.com/gce-topology-", label_order::listed, {"subblock", "block"}},
}};

// How far up the switch of a label is, or nothing for a label of another family. complexity: O(1).
[[nodiscard]] inline std::optional<std::uint32_t> level_in(const switch_family& family, std::string_view label) noexcept {
  constexpr std::uint32_t most = 99;
  if (!family.above.empty() && label == family.above) return most + 1;
  if (!label.starts_with(family.prefix)) return std::nullopt;
  const auto rest = label.substr(family.prefix.size());
  if (family.order == label_order::listed) {
    for (std::uint32_t i = 0; i < family.names.size(); ++i) {
      if (!family.names[i].empty() && rest == family.names[i]) return i;
    }
    return std::nullopt;
  }
  const auto level = number(rest);
  if (!level || *level < family.first || *level > most) return std::nullopt;
  return family.order == label_order::rising ? *level : most - *level;
}

// A label that names the NVLink domain of a node. Strongest first: of several the first that any node has counts.
struct domain_label {
  std::string_view label;
  bool is_key = false;  // the value must be UUID.CLIQUE
  bool nvlink = true;   // names NVLink domains and nothing else
};

inline constexpr std::array<domain_label, 8> domain_labels = {{
    {"nvidia.com/gpu.clique", true},
    {"accelerator.topograph.run/domain", false, false},
    {"accelerator-domain", false, false},  // of a NodeFeature
    {"network.topology.nvidia.com/accelerator", false, false},
    {"topology.k8s.aws/ultraserver-id"},
    {"topology.k8s.aws/capacity-block-id", false, false},
    {"topology.nebius.com/nvl-instance-group-id"},
    {"topology.nebius.com/tier-0"},
}};

inline constexpr std::array<std::string_view, 2> sub_domain_labels = {"accelerator.topograph.run/sub-domain",
                                                                      "accelerator-sub-domain"};

// For messages: all families.
[[nodiscard]] inline std::string known_labels() {
  std::string text;
  for (const auto& family : switch_families) (text += text.empty() ? "" : ", ") += family.title;
  for (const auto& domain : domain_labels) (text += ", ") += domain.label;
  return text;
}

}  // namespace topoplan::inline v1::import::detail
