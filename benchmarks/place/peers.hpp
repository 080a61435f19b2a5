// What place() is compared with: Scotch's mapping program, and the orders that launchers make without a planner.
#pragma once

#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>

#include <cstdint>
#include <optional>

namespace topoplan_bench {

struct mapped {
  std::optional<std::int64_t> cost;  // of edges between units; none: no legal answer (two units in a slot, or no answer)
  double seconds = 0;                // of one run
};

// True if scotch_gmap can be run.
[[nodiscard]] bool have_scotch();

// Scotch's `-cq -b0`, the best of that many vertex orders. `graph` is mapped onto the slots of `tree`.
// source: Scotch 7 user's guide: graph files, "tleaf" and "sub" targets.
[[nodiscard]] mapped scotch(const topoplan::detail::unit_graph& graph, const topoplan::detail::slot_tree& tree, int orders);

}  // namespace topoplan_bench
