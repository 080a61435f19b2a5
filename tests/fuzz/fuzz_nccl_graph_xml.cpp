// Any bytes as an NCCL graph XML: refused, or graphs.
#include <topoplan/core/error.hpp>
#include <topoplan/import/nccl_graph_xml.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"

using topoplan_fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  try {
    const auto read = import::nccl_graph_xml(topoplan_fuzz::text_of(data, size), "fuzz");
    require(!read.graphs.empty());
  } catch (const topoplan::error&) {
  }
  return 0;
}
