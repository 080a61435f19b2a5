// Puts the cluster together from a spec, a cluster file or the files that people have.
#pragma once

#include <topoplan/cluster/cluster.hpp>

#include "commands.hpp"

namespace topoplan_cli {

// errors: parse_error, invalid_argument or io_error that names the option, file, line or host.
[[nodiscard]] topoplan::cluster load_cluster(const cluster_options& options);

}  // namespace topoplan_cli
