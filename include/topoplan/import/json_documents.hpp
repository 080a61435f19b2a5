// Reads JSON texts that stand one after another, such as the pages of an API, into documents.
#pragma once

#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/json_document.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// Where the list or map that begins at `at` ends, or the end of the text. pre: text[at] is '[' or '{'. complexity: O(result).
[[nodiscard]] inline std::size_t end_of_json(std::string_view text, std::size_t at) noexcept {
  std::size_t depth = 0;
  bool in_text = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\') ++at;
      else if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

}  // namespace detail

// Reads JSON lists and maps, one or several, with nothing but blanks between them. complexity: O(text).
// post: at least one document. errors: as json_document; the column is that within the page, on a line that two pages share.
[[nodiscard]] inline std::vector<document> json_documents(std::string_view text, const std::string& source) {
  text = detail::plain_text(text, source);
  std::vector<document> pages;
  std::uint32_t line = 1;
  for (std::size_t at = 0; at < text.size() || pages.empty();) {
    const auto begin = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    if (begin == text.size() && !pages.empty()) break;
    const bool nested = begin < text.size() && (text[begin] == '[' || text[begin] == '{');
    const auto end = nested ? detail::end_of_json(text, begin) : text.size();
    pages.push_back(json_document(text.substr(at, end - at), source, line));
    line += static_cast<std::uint32_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at = end;
  }
  return pages;
}

}  // namespace topoplan::inline v1::import
