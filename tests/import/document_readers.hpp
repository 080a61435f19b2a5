// Reads a text as one document and hands it to a reader, whose answer must keep its promises.
#pragma once

#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/json_document.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "domain_summary.hpp"

namespace topoplan_test {

// pre: reader is a function from a document to a cluster_topology.
template <class Reader>
import::cluster_topology read_yaml(const Reader& reader, std::string_view text, const std::string& source) {
  const auto documents = import::yaml_documents(text, source);
  if (documents.size() != 1) throw topoplan::parse_error({source, 0, 0}, "one document", std::to_string(documents.size()));
  auto topology = reader(documents.front());
  CHECK((topology.network || topology.domains));
  if (topology.network) check_tree(*topology.network);
  if (topology.domains) check_table(*topology.domains);
  return topology;
}

// As above, through JSON.
template <class Reader>
import::cluster_topology read_json(const Reader& reader, std::string_view text, const std::string& source) {
  auto topology = reader(import::json_document(text, source));
  CHECK((topology.network || topology.domains));
  if (topology.network) check_tree(*topology.network);
  if (topology.domains) check_table(*topology.domains);
  return topology;
}

}  // namespace topoplan_test
