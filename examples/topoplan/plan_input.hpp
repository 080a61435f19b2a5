// Reads the rank map of an existing plan.
#pragma once

#include <topoplan/rank_map/rank_map.hpp>

#include <string>

namespace topoplan_cli {

// `given`: rank_map.bin, rank_map.json, or the directory that place wrote. errors: io_error, parse_error.
[[nodiscard]] topoplan::rank_map read_plan(const std::string& given);

}  // namespace topoplan_cli
