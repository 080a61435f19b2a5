// Reads JSON into a document.
#pragma once

#include <topoplan/import/detail/json_events.hpp>
#include <topoplan/import/document.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import {

// Reads one JSON text. `first_line` is the number of its first line where the text is a part of a file.
// post: values stand in the order of the text and know their lines. complexity: O(text).
// errors: parse_error with line and column for what isn't JSON, a key that stands twice in an object, more than 100 levels and
//   more than 4,194,304 values.
[[nodiscard]] inline document json_document(std::string_view text, const std::string& source, std::uint32_t first_line = 1) {
  return detail::read_json_events(text, source, first_line);
}

}  // namespace topoplan::inline v1::import
