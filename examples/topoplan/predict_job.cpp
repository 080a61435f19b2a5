#include "predict_job.hpp"

#include <topoplan/core/error.hpp>
#include <topoplan/cost/ideal_groups.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/import/calibration_file.hpp>
#include <topoplan/import/hf_config.hpp>
#include <topoplan/import/read_file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "table.hpp"

namespace topoplan_cli {

namespace fs = std::filesystem;
using namespace topoplan;

user_calibration read_calibration(const std::string& path) {
  if (path.empty()) return {};
  return topoplan::import::calibration_file(topoplan::import::read_file(path), topoplan::import::source_name(path));
}

transformer read_model(const std::string& given) {
  const bool folder = fs::is_directory(given);
  const fs::path path = folder ? fs::path(given) / "config.json" : fs::path(given);
  transformer model =
      topoplan::import::hf_config(topoplan::import::read_file(path.string()), topoplan::import::source_name(path.string()));
  // A config.json without a folder in front says nothing about whose it is.
  const std::string name = folder                             ? fs::canonical(path).parent_path().filename().string()
                           : path.filename() == "config.json" ? path.parent_path().filename().string()
                                                              : path.stem().string();
  if (given != "-" && !name.empty() && name != "." && name != "..") model.name = name;
  return model;
}

job_degrees degrees_of(const job_options& job, const std::vector<std::string>& given, const std::optional<rank_map>& plan,
                       const cluster& c) {
  const order asked = job.order.empty() ? orders::megatron : order(job.order);
  const degrees open{.tp = job.tp, .cp = job.cp, .ep = job.ep, .expert_tp = job.expert_tp, .dp = job.dp, .pp = job.pp};
  if (!plan) {
    job_degrees out{resolve_for(open, usable_gpus(c)), asked};
    (void)layout(out.degrees, out.order);
    return out;
  }
  const resolved_degrees& has = plan->degrees();
  const std::array<std::pair<const char*, std::pair<std::uint32_t, std::uint32_t>>, 6> both{
      {{"--tp", {job.tp, has.tp}},
       {"--cp", {job.cp, has.cp}},
       {"--ep", {job.ep, has.ep}},
       {"--expert-tp", {job.expert_tp, has.expert_tp}},
       {"--pp", {job.pp, has.pp}},
       {"--dp", {job.dp, has.dp}}}};
  for (const auto& [name, values] : both)
    if (std::find(given.begin(), given.end(), name) != given.end() && values.first != values.second)
      throw invalid_argument(std::string(name) + ' ' + std::to_string(values.first) + " contradicts the plan, which has " +
                             std::to_string(values.second) + "; leave it out");
  if (!job.order.empty() && to_string(asked) != to_string(plan->order()))
    throw invalid_argument("--order " + job.order + " contradicts the plan, which has " + std::string(to_string(plan->order())) +
                           "; leave it out");
  return {has, plan->order()};
}

std::string why_no_seats(const resolved_degrees& d, const cluster& c) {
  const std::size_t usable = usable_gpus(c);
  if (d.world() <= usable) return {};
  return "the job has " + grouped(static_cast<std::size_t>(d.world())) + " ranks, and " + c.name + " has " +
         counted(usable, "usable GPU");
}

axis_groups groups_for(const cluster& c, const job_degrees& job, const std::optional<rank_map>& plan) {
  return plan ? groups_of(c, *plan) : ideal_groups(c, job.degrees);
}

}  // namespace topoplan_cli
