// Any bytes as a cluster file: refused, or a valid cluster that prints and reads back equal.
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/emit/cluster_file.hpp>
#include <topoplan/import/cluster_file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<topoplan::cluster> read;
  try {
    read = topoplan::import::cluster_file(topoplan_fuzz::text_of(data, size), "fuzz");
  } catch (const topoplan::parse_error&) {
    return 0;
  }
  topoplan_fuzz::require(!validate(*read));
  std::ostringstream printed;
  topoplan::emit::cluster_file(printed, *read);
  topoplan_fuzz::require(topoplan::import::cluster_file(printed.str(), "printed") == *read);
  return 0;
}
