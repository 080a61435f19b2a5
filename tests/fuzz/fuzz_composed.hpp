// What follows from a network and domains of many hosts: with a node, a valid cluster.
#pragma once

#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>

#include <string_view>

#include "fuzz.hpp"
#include "fuzz_cluster_topology.hpp"

namespace topoplan_fuzz {

inline void check_composed(const topoplan::import::cluster_topology& topology) {
  namespace import = topoplan::import;
  static const auto node = import::nvidia_smi_topo("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV4\tPIX\nGPU1\tNV4\t X \tPIX\n", "node");
  check(topology);
  if (!topology.network) return;
  try {
    require(!validate(import::compose(node, topology.network)));
  } catch (const topoplan::invalid_argument& e) {
    // Names that differ in case only, or a short one beside a full one, may be the same host.
    const std::string_view why = e.what();
    require(why.find("; give the full name") != why.npos || why.find(" are the same host of ") != why.npos ||
            why.find(" are one host by their names") != why.npos);
  }
}

}  // namespace topoplan_fuzz
