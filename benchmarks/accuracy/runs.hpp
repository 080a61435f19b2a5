// Published runs against the step-time and memory model, with the calibrations that ship and with each source left out.
#pragma once

#include <string>

namespace accuracy {

struct runs_options {
  std::string file;
  bool json = false;
  bool every_run = false;  // also a line a run
  bool defaults = false;   // also the tables of defaults
};

struct runs_text {
  std::string text;
  bool met = true;  // every bar
};

// errors: what reading the file throws.
[[nodiscard]] runs_text runs_report(const runs_options& options);

// Fits every family anew and prints the table that include/topoplan/cost/step_table.hpp holds, and the bands of interval.hpp.
[[nodiscard]] std::string fitted_tables(const std::string& file);

}  // namespace accuracy
