// How a job is trained and what its fabric is like, as named settings: options of the command line, keys of a file of runs.
#pragma once

#include <topoplan/cost/interconnect.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/training.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan_cli {

// What settings add up to.
struct run_settings {
  topoplan::training training;
  std::optional<bool> sequence_parallel;  // else on with tp > 1
  std::optional<topoplan::sharding> sharding;
  bool distributed_optimizer = false;
  std::optional<std::uint32_t> lora_rank;
  bool embedding_counts = false;
  bool loss_counts = false;
  topoplan::fabric_properties fabric;
  double power_watts = 0;  // cap of a GPU; 0: none
};

// One setting. `apply` returns what was expected of a value that it can't take, and nothing otherwise; a flag gets "".
struct setting {
  std::string names;  // "--num-virtual-stages-per-pipeline-rank,--vpp": all mean the same
  const char* group;
  const char* value;  // what stands for the value in the help; empty: a flag
  std::string help;
  std::function<std::string(run_settings&, const std::string&)> apply;
};

// All settings, in the order of the help.
[[nodiscard]] const std::vector<setting>& all_settings();

// The setting of that name, with or without dashes in front, words joined by "-" or "_"; nothing if there is none.
[[nodiscard]] const setting* find_setting(std::string_view name);

// Names and values as given on the command line.
using given_settings = std::vector<std::pair<std::string, std::string>>;

// errors: invalid_argument with the option, the value and what is accepted.
[[nodiscard]] run_settings settings_of(const given_settings& given);

// What the settings make of training with these degrees. errors: invalid_argument for settings that don't go together.
[[nodiscard]] topoplan::training training_of(const run_settings& settings, const topoplan::resolved_degrees& degrees);

}  // namespace topoplan_cli
