// What a scheduler, a cloud or an orchestrator says of many hosts: the switches above them and the NVLink domains they are in.
#pragma once

#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/host_state.hpp>
#include <topoplan/import/network_tree.hpp>

#include <optional>

namespace topoplan::inline v1::import {

// A plain value; most sources give one of the two.
struct cluster_topology {
  std::optional<network_tree> network;
  std::optional<domain_table> domains;
  std::optional<host_states> states = {};
};

}  // namespace topoplan::inline v1::import
