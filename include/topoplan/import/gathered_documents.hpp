// Documents that hosts printed, each with the name of its host.
#pragma once

#include <topoplan/import/document.hpp>
#include <topoplan/import/node_topology.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// A document and the host that printed it.
struct host_document {
  std::string host;
  std::size_t line = 0;  // where the document begins
  document content;
};

// A plain value. Hosts that printed something else, or didn't answer, are notes.
struct gathered_documents {
  std::string source;
  std::vector<host_document> hosts;  // in the order of the text; once for each document
  std::vector<note> notes;
};

}  // namespace topoplan::inline v1::import
