// Which host is in which NVLink domain, whatever told it.
#pragma once

#include <topoplan/import/gpu_fabric.hpp>
#include <topoplan/import/node_topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// An NVLink domain that may span hosts.
struct nvlink_domain {
  std::string name;                  // UUID.CLIQUE, or what the source calls it
  std::optional<domain_key> key;     // nothing where the source has only a name, such as a Slurm block
  std::vector<std::uint32_t> hosts;  // ascending

  friend bool operator==(const nvlink_domain&, const nvlink_domain&) = default;
};

// A host and its domain.
struct domain_host {
  std::string name;
  std::optional<std::uint32_t> domain;  // index into domains; nothing: `standing` says why
  fabric_standing standing = fabric_standing::not_told;
  std::uint32_t gpus = 0;      // of which the source says something
  std::uint32_t degraded = 0;  // of those, how many report a fault of the fabric
  std::size_t line = 0;
  std::vector<std::uint32_t> unready = {};  // of a host in a domain: GPUs that aren't on its fabric, by their place in the text

  friend bool operator==(const domain_host&, const domain_host&) = default;
};

// A plain value. A host of standing own_host is a domain by itself; one that is not_ready is in a domain that isn't known yet.
struct domain_table {
  std::string source;
  std::vector<nvlink_domain> domains;  // in the order of their first host
  std::vector<domain_host> hosts;      // in the order of the source; each once
  std::vector<note> notes;
};

}  // namespace topoplan::inline v1::import
