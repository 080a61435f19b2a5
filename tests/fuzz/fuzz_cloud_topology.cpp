// Any bytes as what clouds answer: refused, or networks and domains that keep their promises; a network makes a valid cluster.
#include <topoplan/core/error.hpp>
#include <topoplan/import/aws_topology.hpp>
#include <topoplan/import/azure_topology.hpp>
#include <topoplan/import/gathered_json.hpp>
#include <topoplan/import/json_documents.hpp>
#include <topoplan/import/lambda_topology.hpp>
#include <topoplan/import/oci_topology.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"
#include "fuzz_composed.hpp"

namespace {

namespace import = topoplan::import;

template <class Read> void read(const Read& read) {
  try {
    topoplan_fuzz::check_composed(read());
  } catch (const topoplan::parse_error&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = topoplan_fuzz::text_of(data, size);
  read([&] { return import::oci_topology(import::gathered_json(text, "fuzz")); });
  read([&] { return import::azure_topology(text, "fuzz", {20'000, 2'000'000}); });
  try {
    const auto pages = import::json_documents(text, "fuzz");
    topoplan_fuzz::require(!pages.empty());
    read([&] { return import::aws_topology(pages); });
    read([&] { return import::lambda_topology(pages); });
    read([&] { return import::oci_topology(pages.front()); });
  } catch (const topoplan::parse_error&) {
  }
  return 0;
}
