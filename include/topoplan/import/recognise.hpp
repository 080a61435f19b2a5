// Tells from a text alone which of the formats it is.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/recognise_markup.hpp>
#include <topoplan/import/detail/recognise_text.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/format.hpp>
#include <topoplan/import/hostfile.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import {

// Which format a text is: by the root of XML, the keys of JSON and YAML, the lines of what tools print. What none of them marks
// and reads as host names is a hostfile; --format isn't needed.
// complexity: O(text). errors: parse_error for a text that is none of them; one that is known but not read is named.
[[nodiscard]] inline format recognise(std::string_view text, const std::string& source) {
  constexpr std::size_t looked_at = 1U << 20U;  // marks stand early
  const auto plain = detail::plain_text(text, source);
  const auto head = plain.substr(0, looked_at);
  const auto body = plain.find_first_not_of(" \t\r\n");
  const auto refuse = [&](const std::string& found, std::size_t line = 0) -> parse_error {
    return {{source, line, 0}, "a format that is read (--help lists them)", found};
  };
  if (body == std::string_view::npos) throw refuse("an empty text");
  const auto settle = [&](const detail::recognised& found) {
    if (!found.is) throw refuse(std::string(found.other));
    return *found.is;
  };
  const bool json = plain[body] == '{' || plain[body] == '[';
  const bool xml = plain[body] == '<';
  if (xml) {
    if (const auto found = detail::recognise_xml(head)) return settle(found);
    throw refuse("XML whose root is " + quoted(detail::xml_root(head)));
  }
  if (json) {
    if (const auto found = detail::recognise_json(head)) return settle(found);
    throw refuse("a JSON document that none of its keys marks");
  }
  const std::string readable = detail::without_escapes(head);
  const auto lines = detail::lines_of(readable, source);
  // An object of Kubernetes may hold another file's text.
  const bool object = std::any_of(lines.begin(), lines.end(), [](const auto& line) {
    return line.text.starts_with("apiVersion:") || line.text.starts_with("kind:");
  });
  if (!object) {
    if (const auto found = detail::recognise_lines(lines)) return settle(found);
  }
  if (const auto found = detail::recognise_yaml(readable, lines)) return settle(found);
  if (object) throw refuse("a Kubernetes object of another kind");
  // A person may list hosts with blanks between them, but so is every text of words: --hosts says that it is a list.
  for (const auto& line : lines) {
    const auto content = detail::without_nodelist_key(line.text.substr(0, line.text.find('#')));
    std::size_t names = 0;
    bool listed = false;  // a comma joins the next word to those before
    for (const auto word : detail::hostfile_words(content)) {
      names += detail::key_and_value(word) || listed || word.starts_with(',') ? 0U : 1U;
      listed = word.ends_with(',');
    }
    const bool pair = content.find('=') != std::string_view::npos && content.find("slots=") == std::string_view::npos;
    if (pair || names > 1 || content.find('|') != std::string_view::npos) {
      throw refuse(quoted(detail::trimmed(line.text)) + (names > 1 ? "; if these are hosts, give the file with --hosts" : ""),
                   line.number);
    }
  }
  return format::hostfile;
}

}  // namespace topoplan::inline v1::import
