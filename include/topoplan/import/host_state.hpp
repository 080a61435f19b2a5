// Whether hosts can be used, as a scheduler or orchestrator says it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// A host of which the source says something.
struct host_state {
  std::string name;
  std::string cordoned = {};                 // why it takes no rank: "not ready"; empty: it may
  std::optional<std::uint32_t> gpus = {};    // that it has
  std::optional<std::uint32_t> usable = {};  // of those, how many may be used now
  std::size_t line = 0;

  friend bool operator==(const host_state&, const host_state&) = default;
};

// A plain value.
struct host_states {
  std::string source;
  std::vector<host_state> hosts;  // in the order of the source; each once
};

}  // namespace topoplan::inline v1::import
