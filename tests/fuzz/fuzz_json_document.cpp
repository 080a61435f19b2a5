// Any bytes as JSON: refused, or a document whose values stand where it says; and every reader of documents keeps its promises.
#include <topoplan/core/error.hpp>
#include <topoplan/import/json_document.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fuzz.hpp"
#include "fuzz_documents.hpp"

namespace {

namespace import = topoplan::import;
using topoplan_fuzz::require;

void check_places(const import::document_value& value, const std::vector<std::string_view>& lines) {
  require(value.line <= lines.size() && value.column <= lines[value.line - 1].size());
  const auto at = lines[value.line - 1].substr(value.column - 1);
  switch (value.kind) {
    case import::document_kind::none: require(at.starts_with("null")); break;
    case import::document_kind::list: require(at.front() == '['); break;
    case import::document_kind::map: require(at.front() == '{'); break;
    case import::document_kind::text: require(value.plain ? at.starts_with(value.text) : at.front() == '"'); break;
  }
  for (const auto& item : value.items) check_places(item, lines);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = topoplan_fuzz::text_of(data, size);
  try {
    const auto d = import::json_document(text, "fuzz");
    topoplan_fuzz::check(d.root);
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at <= text.size();) {
      const auto end = text.find('\n', at);
      lines.push_back(text.substr(at, end - at));
      at = end == std::string_view::npos ? text.size() + 1 : end + 1;
    }
    check_places(d.root, lines);
    topoplan_fuzz::read_all(d);
  } catch (const topoplan::error&) {
  }
  return 0;
}
