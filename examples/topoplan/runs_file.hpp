// Reads steps that a user measured, `topoplan.runs` version 1, for calibrate.
//
//   { "format": "topoplan.runs", "version": 1,
//     "runs": [{"name": "tp8 pp2",                                     optional
//               "model": "config.json",                               a path beside this file, or the configuration itself
//               "cluster": "dgx-h100:4",                              a spec or cluster file; or "gpu", with "nic" in Gb/s
//               "degrees": {"tp": 8, "pp": 2},                        as the options of predict; or "plan": a path
//               "training": {"seq_length": 4096, "vpp": 2, ...},      as the options of predict, without dashes in front
//               "seconds": 4.21}, ...] }                              of one step
#pragma once

#include <topoplan/cost/calibrate.hpp>
#include <topoplan/cost/user_calibration.hpp>

#include <string>
#include <vector>

namespace topoplan_cli {

struct named_run {
  std::string name;  // as given, else model and degrees
  topoplan::measured_run run;
};

// errors: io_error; parse_error with the line of what is missing, unknown or illegal.
[[nodiscard]] std::vector<named_run> read_runs(const std::string& path, const topoplan::user_calibration& own);

}  // namespace topoplan_cli
