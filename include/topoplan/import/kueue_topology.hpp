// Reads Kueue's Topology: the labels by which nodes are placed, broadest first.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/kubernetes_objects.hpp>
#include <topoplan/import/detail/labelled_nodes.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

// A plain value. It names no host: the nodes' labels say which host is where.
struct kueue_levels {
  std::string source;
  std::string name;
  std::vector<std::string> labels;  // broadest first, without kubernetes.io/hostname
  std::size_t line = 0;
};

// Reads the Topology of that name, or the only one when no name is given; other kinds are skipped.
// post: at least one label. complexity: O(values).
// errors: parse_error when there is none, several without a name, one without levels, and a label that stands twice.
[[nodiscard]] inline kueue_levels kueue_topology(std::span<const document> documents, std::string_view name = {}) {
  kueue_levels found;
  detail::for_each_object(documents, [&](const std::string& kind, const document_reader& object) {
    if (kind != "Topology") return;
    const auto& own = detail::object_name(object);
    if (!name.empty() && own != name) return;
    if (!found.labels.empty()) {
      object.refuse("one Topology", "another, " + quoted(own) + " beside " + quoted(found.name) + " of line " +
                                        std::to_string(found.line) + "; say which one is meant");
    }
    const auto levels = object.at("spec").at("levels");
    found.source = object.where().source;
    found.name = own;
    found.line = object.line();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto& label = detail::name_in(levels[i].at("nodeLabel"), "nodeLabel");
      if (std::find(found.labels.begin(), found.labels.end(), label) != found.labels.end())
        levels[i].refuse("each label once", quoted(label) + " again");
      if (label != detail::hostname_label) found.labels.push_back(label);
    }
    if (found.labels.empty()) levels.refuse("levels above the host", "none");
  });
  if (found.labels.empty()) {
    const std::string source = documents.empty() ? std::string{} : documents.front().source;
    throw parse_error({source, 0, 0}, name.empty() ? "a Topology of Kueue" : "the Topology " + quoted(name), "none");
  }
  return found;
}

}  // namespace topoplan::inline v1::import
