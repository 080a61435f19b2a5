// Predicted against measured collectives, a row of a CSV file each.
#pragma once

#include <string>

namespace accuracy {

// What came out: the text to print, and whether every bar is met.
struct report {
  std::string text;
  bool met = true;
};

// Reads a file with the columns of measured_collectives.csv and compares: a table, or with `json` one JSON array.
// errors: io_error, parse_error.
[[nodiscard]] report collectives_report(const std::string& path, bool json);

}  // namespace accuracy
