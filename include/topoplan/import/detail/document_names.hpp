// Lists of hosts in a document, as schedulers write them, hostlists, alone or in a list; and maps that have known keys only.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/hostlist.hpp>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// Appends the names of a hostlist, or of all hostlists of a list; nothing is none. `left` is what the document may still bring.
// errors: parse_error as expand_hostlist, for other kinds and for ALL.
inline void append_hostlist(const document_reader& value, std::vector<std::string>& names, hostlist_limits& left) {
  if (value.value().kind == document_kind::none) return;
  if (value.value().kind == document_kind::list) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i].value().kind != document_kind::text) value[i].refuse("names, as a hostlist");
      append_hostlist(value[i], names, left);
    }
    return;
  }
  if (value.value().kind != document_kind::text) value.refuse("names, as a hostlist or a list of them");
  if (equal_ignoring_case(value.text(), "ALL")) {
    value.refuse("a list of names", "ALL, which only Slurm's own node table resolves");
  }
  auto at = value.where();
  if (!value.value().plain) ++at.column;
  auto more = expand_hostlist(value.text(), at, left);
  left.hosts -= more.size();
  for (const auto& name : more) left.characters -= name.size();
  names.insert(names.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// errors: parse_error for a value that isn't a map, and for a key that isn't one of these.
inline void refuse_other_keys(const document_reader& map, std::initializer_list<std::string_view> keys) {
  std::string all;
  for (const auto key : keys) (all += all.empty() ? "" : ", ") += key;
  if (map.value().kind != document_kind::map) map.refuse("a map with " + all);
  for (std::size_t i = 0; i < map.value().keys.size(); ++i) {
    const auto& key = map.value().keys[i];
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) map[i].refuse(all, "the key " + quoted(key));
  }
}

}  // namespace topoplan::inline v1::import::detail
