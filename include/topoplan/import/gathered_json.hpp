// Reads JSON that a command printed on many hosts, as pdsh, dshbak and clush gather it.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/domain_lines.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/gathered_documents.hpp>
#include <topoplan/import/json_documents.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// A host's lines, and where they stand in the whole text.
struct joined_lines {
  const std::vector<text_line>& lines;
  const std::vector<text_line>& whole;

  // pre: line counts from 1 in the joined lines.
  [[nodiscard]] std::size_t line(std::size_t at) const { return lines[std::clamp<std::size_t>(at, 1, lines.size()) - 1].number; }
  [[nodiscard]] std::size_t columns_before(std::size_t at) const {
    const text_line& part = lines[std::clamp<std::size_t>(at, 1, lines.size()) - 1];
    return static_cast<std::size_t>(part.text.data() - whole[part.number - 1].text.data());
  }
};

// Replaces the places in the joined lines by those in the whole text.
inline void renumber(document_value& value, const joined_lines& joined) {
  value.column += static_cast<std::uint32_t>(joined.columns_before(value.line));
  value.line = static_cast<std::uint32_t>(joined.line(value.line));
  for (document_value& item : value.items) renumber(item, joined);
}

// errors: parse_error for what isn't JSON, at its place in the whole text.
[[nodiscard]] inline std::vector<document> documents_of(const joined_lines& joined, const std::string& source) {
  std::string text;
  for (const text_line& line : joined.lines) (text += line.text) += '\n';
  try {
    auto documents = json_documents(text, source);
    for (document& d : documents) renumber(d.root, joined);
    return documents;
  } catch (const parse_error& e) {
    const auto line = e.where().line;
    const auto column = e.where().column;
    throw parse_error(
        {source, joined.line(line), column == 0 || line > joined.lines.size() ? 0 : column + joined.columns_before(line)},
        e.expected(), e.found());
  }
}

}  // namespace detail

// Reads "host: {json}" on one line or on several, lines of hosts mixed, and the blocks of dshbak -c and clush -b.
// post: a host that printed several JSON texts stands there with each; what a host printed that doesn't begin with '{' is a note,
//   since a metadata service answers errors as text, too. complexity: O(text + hosts of each block x its lines).
// errors: parse_error for a text in which no line begins with a host, or no host printed JSON, for JSON that is cut or damaged,
//   and as json_document.
[[nodiscard]] inline gathered_documents gathered_json(std::string_view text, const std::string& source) {
  const std::string plain = detail::without_escapes(text);
  detail::line_gatherer gatherer(source);
  const auto whole = detail::lines_of(plain, source);
  auto gathered = gatherer.gather(whole);
  gathered_documents result{source, {}, {}};
  detail::note_pile other;
  for (auto& printed : gathered.hosts) {
    auto& lines = printed.lines;
    std::erase_if(lines, [](const detail::text_line& line) { return detail::trimmed(line.text).empty(); });
    if (lines.empty()) continue;
    const auto first = lines.front();
    if (!detail::trimmed(first.text).starts_with('{')) {
      other.add(first.number, [&] { return printed.host + " printed no JSON: " + quoted(first.text, 80); });
      continue;
    }
    for (document& d : detail::documents_of({lines, whole}, source)) {
      const auto line = d.root.line;
      result.hosts.push_back({printed.host, line, std::move(d)});
    }
  }
  if (result.hosts.empty()) {
    throw parse_error({source, 0, 0}, "lines such as 'host: {...}'",
                      gathered.hosts.empty() ? "no line that begins with a host" : "hosts that printed no JSON");
  }
  other.move_to(result.notes);
  detail::note_pile unreached;
  for (const auto& line : gathered.unreached)
    unreached.add(line.number, [&] { return "a host didn't answer: " + quoted(detail::trimmed(line.text), 120); });
  unreached.move_to(result.notes);
  return result;
}

}  // namespace topoplan::inline v1::import
