// Puts the cluster together from a spec, a cluster file or the files that people have.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/import/facts.hpp>

#include <vector>

#include "commands.hpp"

namespace topoplan_cli {

// `facts`: gets where the facts about each host came from; it stays empty for a cluster that one spec or file made.
// errors: parse_error, invalid_argument or io_error that names the option, file, line or host.
[[nodiscard]] topoplan::cluster load_cluster(const cluster_options& options,
                                             std::vector<topoplan::import::host_facts>* facts = nullptr);

}  // namespace topoplan_cli
