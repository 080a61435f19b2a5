// What a prediction says about a job, in rows: time by part, traffic by axis, checkpoints, and what each figure rests on.
#pragma once

#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/collective.hpp>
#include <topoplan/cost/prediction.hpp>
#include <topoplan/cost/storage.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/traffic.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict_job.hpp"

namespace topoplan_cli {

// A figure behind a part: factors of kernels, rates of links, how much of a communication is exposed.
struct basis {
  std::string_view figure;
  topoplan::evidence known;
};

// A part of the time of a step. units: seconds.
struct part {
  std::string_view key;    // in JSON
  std::string_view label;  // for people
  double seconds = 0;      // on the critical path: of communication the exposed part
  std::optional<double> hidden;
  std::vector<basis> rests_on;
};

// One kind of message of a rank of the slowest stage.
struct traffic_row {
  topoplan::axis over;
  topoplan::collective what;
  double bytes = 0;  // of one
  double times = 0;  // a step
  topoplan::collective_cost cost;
  std::string_view behind;  // what can run meanwhile
};

struct storage_report {
  topoplan::checkpoint what;
  topoplan::checkpoint_plan plan;
  topoplan::bytes_per_second write;
  bool assumed = false;  // the rate is what a reference architecture aims at
  topoplan::seconds writing;
  topoplan::bytes_per_second data;
};

// A job with all that is predicted of it.
struct prediction_report {
  predicted_job job;
  topoplan::step_calibration factors;
  bool own_factors = false;
  topoplan::prediction prediction;
  topoplan::memory_calibration memory;
  topoplan::stage_split split;
  double micro_batches = 1;
  double samples = 1;               // of a step
  std::uint32_t slowest_stage = 0;  // the one that sets the pace
  std::vector<part> parts;
  std::vector<traffic_row> traffic;
  storage_report storage;
  std::vector<std::string> notes;
};

// Predicts a job and sorts the answer into rows. `storage`: rates of reading and writing; without a rate of writing one is
// assumed. errors: as predict().
[[nodiscard]] prediction_report predict_job(const predicted_job& job, const topoplan::user_calibration& own,
                                            topoplan::storage_rates storage);

}  // namespace topoplan_cli
