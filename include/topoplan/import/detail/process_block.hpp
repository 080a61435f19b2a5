// Processes that one agent, daemon or proxy starts.
#pragma once

#include <topoplan/core/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1::import::detail {

struct process_block {
  std::string name;  // of the host, as the file writes it
  std::size_t line = 0;
  host_id host;
  std::size_t processes = 0;
  bool counted = false;             // the file says how many
  std::vector<std::uint16_t> gpus;  // by local rank
};

}  // namespace topoplan::inline v1::import::detail
