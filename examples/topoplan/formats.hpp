// The files that launchers take, each with its place in a plan's directory and its name for `emit`.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan_cli {

// What a file may say beyond the map.
struct context {
  const topoplan::cluster* cluster = nullptr;  // none for a map alone
  bool agent_a_gpu = false;                    // the plan is for torchrun with one agent a GPU

  // Where the host of rank 0 is reached; empty: by its name.
  [[nodiscard]] std::string master(const topoplan::rank_map_view& map) const;
};

struct format {
  std::string name;      // for emit
  std::string launcher;  // for place --emit; empty: emit only
  std::string file;      // in the directory of place --out
  bool executable = false;
  bool needs_cluster = false;
  std::function<void(std::ostream&, const topoplan::rank_map_view&, const context&)> write;

  // Why the launcher can't take this map; empty if it can.
  [[nodiscard]] std::string refuses(const topoplan::rank_map_view& map, const context& about) const;
};

[[nodiscard]] const std::vector<format>& launcher_formats();
// The names that emit knows, for people: "torchrun, megatron, ... json and binary"; `between` breaks the line.
[[nodiscard]] std::string emit_names(std::string_view between = " ");

void write_image(std::ostream& out, const topoplan::rank_map_view& map);
// With `groups`, every communication group is written too, as Megatron-LM creates and names them.
void write_rank_map_json(std::ostream& out, const topoplan::rank_map_view& map, bool groups);

}  // namespace topoplan_cli
