// What every document promises, and the readers of networks and domains that are functions of one.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/nmx_compute_nodes.hpp>
#include <topoplan/import/slurm_topologies.hpp>
#include <topoplan/import/topograph_instances.hpp>
#include <topoplan/import/topograph_model.hpp>
#include <topoplan/import/topograph_response.hpp>

#include <cstddef>
#include <set>

#include "fuzz.hpp"
#include "fuzz_cluster_topology.hpp"

namespace topoplan_fuzz {

inline void check(const topoplan::import::document_value& value, std::size_t depth = 0) {
  using topoplan::import::document_kind;
  require(value.line > 0 && value.column > 0 && depth <= 100);
  require(value.kind == document_kind::map ? value.keys.size() == value.items.size() : value.keys.empty());
  require(value.kind == document_kind::map || value.kind == document_kind::list || value.items.empty());
  require(value.kind == document_kind::text || (value.text.empty() && !value.plain));
  require(std::set(value.keys.begin(), value.keys.end()).size() == value.keys.size());
  for (const auto& item : value.items) check(item, depth + 1);
}

inline void read_all(const topoplan::import::document& d) {
  namespace import = topoplan::import;
  constexpr import::hostlist_limits limits{20'000, 2'000'000};
  const auto attempt = [](const auto& reader) {
    try {
      check(reader());
    } catch (const topoplan::error&) {
    }
  };
  attempt([&] { return import::slurm_topology_yaml(d, {}, limits); });
  attempt([&] { return import::slurm_topology_yaml(d, "a", limits); });
  attempt([&] { return import::topograph_model(d, limits); });
  attempt([&] { return import::topograph_response(d); });
  attempt([&] { return import::topograph_instances(d); });
  attempt([&] { return import::nmx_compute_nodes(d); });
}

}  // namespace topoplan_fuzz
