// Any bytes as a rank map in JSON: refused, or a map that prints and reads back equal.
#include <topoplan/core/error.hpp>
#include <topoplan/emit/rank_map_json.hpp>
#include <topoplan/import/rank_map_file.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<topoplan::rank_map> read;
  try {
    read = topoplan::import::rank_map_file(topoplan_fuzz::text_of(data, size), "fuzz");
  } catch (const topoplan::parse_error&) {
    return 0;
  }
  std::ostringstream printed;
  topoplan::emit::rank_map_json(printed, *read);
  topoplan_fuzz::require(topoplan::import::rank_map_file(printed.str(), "printed") == *read);
  return 0;
}
