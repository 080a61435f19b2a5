// The job that a prediction is about: cluster, model, training, degrees, groups and the machine, put together from options.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/user_calibration.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/rank_map/rank_map.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "training_settings.hpp"

namespace topoplan_cli {

struct predicted_job {
  topoplan::cluster cluster;
  topoplan::machine gpu;
  topoplan::transformer model;
  topoplan::training training;
  topoplan::resolved_degrees degrees;
  topoplan::order order = topoplan::orders::megatron;
  topoplan::axis_groups groups;
  bool placed = false;        // groups are those of a plan; else the best placement is assumed
  bool fabric_given = false;  // by --fabric
};

// Reads a calibration; without a path topoplan's own. errors: io_error, parse_error.
[[nodiscard]] topoplan::user_calibration read_calibration(const std::string& path);

// Reads a configuration; the name is that of its folder or file. errors: io_error, parse_error.
[[nodiscard]] topoplan::transformer read_model(const std::string& path);

// The degrees of a job on a cluster: those of the plan if there is one, else as the options say.
// errors: invalid_argument for illegal degrees, and for given ones that contradict the plan.
struct job_degrees {
  topoplan::resolved_degrees degrees;
  topoplan::order order;
};
[[nodiscard]] job_degrees degrees_of(const job_options& job, const std::vector<std::string>& given,
                                     const std::optional<topoplan::rank_map>& plan, const topoplan::cluster& c);

// Why a job has no seats: more ranks than usable GPUs; empty when it has. complexity: O(GPUs).
[[nodiscard]] std::string why_no_seats(const topoplan::resolved_degrees& d, const topoplan::cluster& c);

// Where the groups sit: as the plan puts them, or at best. pre: the job has seats.
[[nodiscard]] topoplan::axis_groups groups_for(const topoplan::cluster& c, const job_degrees& job,
                                               const std::optional<topoplan::rank_map>& plan);

}  // namespace topoplan_cli
