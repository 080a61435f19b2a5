// Reads YAML into documents.
#pragma once

#include <topoplan/import/detail/yaml.hpp>
#include <topoplan/import/document.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

// Reads all documents of a YAML text ("---" between them); empty ones are left out. JSON is YAML, too.
// post: values stand in the order of the text and know their lines; an alias of a text is a copy of it.
// complexity: O(text + values). errors: parse_error with line and column for what isn't YAML, a key that is a list or map or
//   stands twice in a map, an alias of a list or map, more than 100 levels, more than 4,194,304 values and aliases that repeat
//   more than 4,194,304 characters.
[[nodiscard]] inline std::vector<document> yaml_documents(std::string_view text, const std::string& source) {
  return detail::read_yaml(text, source);
}

}  // namespace topoplan::inline v1::import
