// Reads the layout that lint is asked about.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/rank_seats.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/rules.hpp>

#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"

namespace topoplan_cli {

struct lint_input {
  std::string kind;  // "host file"
  std::string text;  // of the file
  topoplan::layout job;
  std::vector<topoplan::gpu_id> gpu_of_rank;
  topoplan::launcher by;                                // what makes the layout
  topoplan::launcher plan_by;                           // what a plan in its place must suit
  std::optional<topoplan::import::rank_seats> seats{};  // none: a rank map
  std::vector<std::string> notes{};
};

// errors: parse_error, io_error, invalid_argument that names the file and line, the option, the host or the rank.
[[nodiscard]] lint_input read_layout(const lint_options& options, const topoplan::cluster& c);

}  // namespace topoplan_cli
