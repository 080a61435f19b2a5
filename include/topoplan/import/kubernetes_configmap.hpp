// Reads the files that Kubernetes ConfigMaps hold, such as Slurm's topology.conf.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/kubernetes_objects.hpp>
#include <topoplan/import/document.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

// A file in a ConfigMap.
struct embedded_text {
  std::string source;  // the text that holds the ConfigMap
  std::string name;    // topology.conf
  std::string text;
  std::size_t line = 0;  // of the value
  bool as_block = true;  // its lines are lines of the text that holds it, as below "topology.conf: |"
};

// Reads what the data of all ConfigMaps hold; other kinds are skipped. post: at least one text.
// complexity: O(values). errors: parse_error when there is no ConfigMap with data, and for data that is no text.
[[nodiscard]] inline std::vector<embedded_text> kubernetes_configmap(std::span<const document> documents) {
  std::vector<embedded_text> found;
  detail::for_each_object(documents, [&](const std::string& kind, const document_reader& object) {
    if (kind != "ConfigMap") return;
    const auto data = detail::part_at(object, "data", document_kind::map);
    if (!data) return;
    for (std::size_t i = 0; i < data->value().keys.size(); ++i) {
      const auto value = (*data)[i];
      found.push_back({value.where().source, data->value().keys[i], value.text(), value.line(), value.value().literal});
    }
  });
  if (found.empty()) {
    const std::string source = documents.empty() ? std::string{} : documents.front().source;
    throw parse_error({source, 0, 0}, "a ConfigMap with data", "none");
  }
  return found;
}

// What `reader(text, source)` makes of the file. Its errors and notes have the lines of the text that holds the ConfigMap, where
// the file stands there as a block; else those of the file, and the source says so.
// complexity: the reader's, and O(lines before). errors: the reader's.
template <class Reader> [[nodiscard]] auto read_embedded(const embedded_text& file, const Reader& reader) {
  if (!file.as_block) return reader(std::string_view(file.text), file.source + ":" + std::to_string(file.line) + ":" + file.name);
  return reader(std::string_view(std::string(file.line, '\n') + file.text), file.source);
}

}  // namespace topoplan::inline v1::import
