// Rows of published runs as problems for the cost model: model, settings, degrees, machine, and what was measured.
#pragma once

#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "csv.hpp"

namespace accuracy {

// One run. Nothing in it but the remarks depends on which row it is.
struct posed_run {
  int row_id = 0;
  std::string group, source, model, quality;
  std::string family;                      // "A100", "H100", "B200", "GB200"
  std::string gpu;                         // name in the catalogue
  double power_watts = 0;                  // a stated cap; 0: the part's own
  double memory_gigabytes = 0;             // a stated size; 0: the part's own
  double memory_gigabytes_per_second = 0;  // where a stated kind of memory differs from the part's own
  std::uint32_t gpus_per_host = 8;
  std::uint32_t domain_gpus = 8;
  std::uint32_t used_domain_gpus = 8;  // of each domain, where a job takes alike of all
  double nic_gigabytes = 50;           // per second, GPU and direction
  bool nic_stated = false;
  std::string fabric;                    // "infiniband", "roce", "omni-path", "efa", "tcpx", "ethernet"; empty: not stated
  std::vector<double> oversubscription;  // of the tiers above a pod
  std::uint32_t pod_gpus = 0;            // GPUs below full bisection; 0: all
  topoplan::transformer model_shape;
  topoplan::training training;
  topoplan::resolved_degrees degrees;
  bool moe = false;
  bool asynchronous_tp_gradient = false;  // of Megatron-LM 2022
  std::string software;                   // name of the defaults used
  double release = 0;                     // of a container, year and month as 26.06; 0: none
  double measured_seconds = 0;            // of a step; 0: none printed
  std::string measured_from;              // "step time", "tokens/s", "TFLOP/s", "MFU"
  double printed_flops_per_token = 0;     // TFLOP/s over tokens/s, where a row prints both
  double measured_peak_bytes = 0;
  bool out_of_memory = false;
  std::string memory_reading;  // "allocator", "reserved" (by the allocator), "process"
  bool suspicious = false;
  std::string remark;
  std::string assumed;  // what filled blank cells
};

struct unposed_run {
  int row_id = 0;
  std::string group, source, why;
};

// Poses every row that can be; the others, with the reason, go to `not_posed`.
// complexity: O(rows). errors: as csv_table.
[[nodiscard]] std::vector<posed_run> pose_runs(const csv_table& runs, std::vector<unposed_run>& not_posed);
[[nodiscard]] std::vector<posed_run> pose_runs(const std::string& path, std::vector<unposed_run>& not_posed);

// Poses one row. post: a reason in `why` if and only if false. complexity: O(layers). errors: none.
[[nodiscard]] bool pose_run(const csv_table& runs, std::size_t row, posed_run& out, std::string& why);

}  // namespace accuracy
