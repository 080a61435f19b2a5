// Any bytes as a calibration: refused, or a value that is the same when it is written and read back.
#include <topoplan/core/error.hpp>
#include <topoplan/emit/calibration_json.hpp>
#include <topoplan/import/calibration_file.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto read = topoplan::import::calibration_file(topoplan_fuzz::text_of(data, size), "fuzz");
    std::ostringstream written;
    topoplan::emit::calibration_json(written, read);
    topoplan_fuzz::require(topoplan::import::calibration_file(written.str(), "written") == read);
  } catch (const topoplan::error&) {
  }
  return 0;
}
