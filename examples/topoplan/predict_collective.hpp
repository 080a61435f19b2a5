// The time of one collective on every tier of a cluster, or in the groups of one axis of a job.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cost/collective.hpp>
#include <topoplan/cost/group_shape.hpp>
#include <topoplan/cost/machine.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace topoplan_cli {

// Groups that all work at once.
struct collective_groups {
  std::string name;  // "NVLink domain", "leaf group", "cluster", "dp"
  std::size_t groups = 1;
  topoplan::group_shape shape;
};

struct collective_question {
  topoplan::collective what = topoplan::collective::all_reduce;
  std::vector<double> sizes;  // bytes
  std::vector<collective_groups> groups;
};

// "all_reduce" or "all-reduce". errors: invalid_argument with the known names.
[[nodiscard]] topoplan::collective parse_collective(const std::string& name);

// A domain, a host, the fullest group of every tier and the cluster, as far as they differ. complexity: O(GPUs * tiers).
[[nodiscard]] std::vector<collective_groups> tiers_of(const topoplan::cluster& c);

void report_collective(std::ostream& out, const collective_question& q, const topoplan::cluster& c,
                       const topoplan::interconnect& links);
void write_collective_json(std::ostream& out, const collective_question& q, const topoplan::cluster& c,
                           const topoplan::interconnect& links);

}  // namespace topoplan_cli
