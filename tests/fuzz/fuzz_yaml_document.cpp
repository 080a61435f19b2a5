// Any bytes as YAML: refused, or documents; and every reader of documents keeps its promises.
#include <topoplan/core/error.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"
#include "fuzz_documents.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (const auto& d : topoplan::import::yaml_documents(topoplan_fuzz::text_of(data, size), "fuzz")) {
      topoplan_fuzz::check(d.root);
      topoplan_fuzz::read_all(d);
    }
  } catch (const topoplan::error&) {
  }
  return 0;
}
