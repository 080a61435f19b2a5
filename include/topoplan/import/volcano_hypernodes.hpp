// Reads Volcano's HyperNodes: groups of nodes, and groups of such groups.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/hypernode_reader.hpp>
#include <topoplan/import/document.hpp>

#include <span>
#include <string>

namespace topoplan::inline v1::import {

// Reads the HyperNodes among the objects. Members are named, matched by a pattern, or by labels. A pattern is matched as Volcano
// does, anywhere in a name, against `hosts` and the Nodes among the documents; labels are those of the Nodes. A node that several
// members of a HyperNode name counts once.
// pre: the documents are of one text. post: as network_tree; HyperNodes that are named but not described, those without any node
//   below, which are left out, and patterns that match only a part of a name are notes.
// complexity: O(names log names x tiers + patterns x hosts). errors: parse_error when there is no HyperNode with nodes, for a
//   pattern without hosts or beyond detail/name_pattern.hpp, labels without Nodes, a member whose tier isn't lower, a node below
//   two, a cycle, and HyperNodes that are no tree.
[[nodiscard]] inline cluster_topology volcano_hypernodes(std::span<const document> documents,
                                                         std::span<const std::string> hosts = {}) {
  return {detail::hypernode_reader(documents, hosts).read(), {}};
}

}  // namespace topoplan::inline v1::import
