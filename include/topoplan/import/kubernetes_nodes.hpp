// Reads Kubernetes nodes: the switches and NVLink domains that their labels name.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/node_topology_reader.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/kueue_topology.hpp>

#include <span>

namespace topoplan::inline v1::import {

// Reads `kubectl get nodes -o json` or `-o yaml`: Nodes alone, in a list or between "---"; NodeFeatures of topograph; a map of
// labels with kubernetes.io/hostname; and a map from node names to labels. Which labels name switches and domains is in
// detail/label_families.hpp; of several families the first that any node has counts.
// pre: the documents are of one text. post: nodes that are known to have no GPU are left out when others have some. Nodes that
//   aren't ready, are cordoned or give fewer GPUs than they have (`states` has them, too), that lack labels that others have, and
//   domains whose label may mean something else than NVLink are notes. complexity: O(labels x families + nodes log nodes).
// errors: parse_error for what isn't such a text, nodes without any known label, labels that are no text, a node of two paths or
//   domains, and switches that are no tree; a Kueue Topology alone is refused with the labels that it names.
[[nodiscard]] inline cluster_topology kubernetes_nodes(std::span<const document> documents) {
  return detail::node_topology_reader(documents).read(nullptr);
}
[[nodiscard]] inline cluster_topology kubernetes_nodes(const document& d) { return kubernetes_nodes({&d, 1}); }

// The same, with the labels that a Kueue Topology names as the switches. As Kueue has it, a value counts within the value of the
// broader label only, and a node that lacks one of the labels is nowhere.
// pre: as above. post: as above. complexity: as above. errors: as above; and parse_error when no node has all of the labels.
[[nodiscard]] inline cluster_topology kubernetes_nodes(std::span<const document> documents, const kueue_levels& levels) {
  return detail::node_topology_reader(documents).read(&levels);
}
[[nodiscard]] inline cluster_topology kubernetes_nodes(const document& d, const kueue_levels& levels) {
  return kubernetes_nodes({&d, 1}, levels);
}

}  // namespace topoplan::inline v1::import
