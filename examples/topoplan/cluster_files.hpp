// Reads the files that people have into the parts of a cluster, each by the format that its content shows.
#pragma once

#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_hosts.hpp>

#include <optional>

#include "commands.hpp"

namespace topoplan_cli {

// What the files say. With a fabric the network is read off its cables.
struct cluster_files {
  topoplan::import::cluster_parts parts;
  std::optional<topoplan::import::ib_fabric> fabric;
  topoplan::import::ib_hosts fabric_hosts;
};

// errors: parse_error, invalid_argument or io_error that names the option and the file; also for two files that say the same.
[[nodiscard]] cluster_files read_cluster_files(const cluster_options& options);

}  // namespace topoplan_cli
