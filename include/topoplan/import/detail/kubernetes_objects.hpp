// The objects that documents of Kubernetes hold: one each, several between "---", and the items of lists.
#pragma once

#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/document.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import::detail {

// The kind that an object states; a list from the server states it once, as "NodeList". Empty: it states none.
[[nodiscard]] inline std::string kind_of(const document_reader& object, const std::string& list_kind) {
  if (object.has("kind")) return name_in(object.at("kind"), "kind");
  return list_kind.size() > 4 && list_kind.ends_with("List") ? list_kind.substr(0, list_kind.size() - 4) : std::string{};
}

// Calls visit(kind, object) for each object, in order. A map without kind, items or metadata is an object of no kind.
// errors: parse_error for a document that is no map, and what visit throws. complexity: O(objects).
template <class Visit> void for_each_object(std::span<const document> documents, const Visit& visit) {
  for (const document& d : documents) {
    const document_reader root(d);
    if (root.value().kind != document_kind::map) root.refuse("an object of Kubernetes, a map");
    const auto kind = kind_of(root, {});
    const auto items = part_at(root, "items", document_kind::list);
    if (!items) {
      visit(kind, root);
      continue;
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
      const auto item = (*items)[i];
      if (item.value().kind != document_kind::map) item.refuse("an object of Kubernetes, a map");
      visit(kind_of(item, kind), item);
    }
  }
}

// errors: parse_error for an object without metadata.name.
[[nodiscard]] inline const std::string& object_name(const document_reader& object) {
  return name_in(object.at("metadata").at("name"), "the name of an object");
}

}  // namespace topoplan::inline v1::import::detail
