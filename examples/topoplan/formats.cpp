#include "formats.hpp"

#include <topoplan/emit/groups_json.hpp>
#include <topoplan/emit/megatron.hpp>
#include <topoplan/emit/rank_map_json.hpp>
#include <topoplan/emit/slurm.hpp>
#include <topoplan/emit/torchrun.hpp>
#include <topoplan/layout/megatron_groups.hpp>
#include <topoplan/layout/megatron_options.hpp>

#include <ostream>
#include <string_view>

namespace topoplan_cli {

using topoplan::rank_map_view;
namespace emit = topoplan::emit;

std::string context::master(const rank_map_view& map) const {
  if (cluster == nullptr) return {};
  for (const topoplan::host& h : cluster->hosts)
    if (h.name == map.host_name(topoplan::host_id{0})) return h.address;
  return {};
}

std::string format::refuses(const rank_map_view& map, const context& about) const {
  std::ostream nowhere(nullptr);
  try {
    write(nowhere, map, about);
  } catch (const topoplan::invalid_argument& e) {
    return e.what();
  }
  return {};
}

const std::vector<format>& launcher_formats() {
  using emit::torchrun_agents;
  static const std::vector<format> all{
      {"torchrun", "torchrun", "torchrun/run.sh", true, false,
       [](std::ostream& out, const rank_map_view& map, const context& about) {
         emit::torchrun(out, map,
                        {.master_addr = about.master(map),
                         .agents = about.agent_a_gpu ? torchrun_agents::one_a_gpu : torchrun_agents::as_needed});
       }},
      {"torchrun-per-gpu", "", "", true, false,
       [](std::ostream& out, const rank_map_view& map, const context& about) {
         emit::torchrun(out, map, {.master_addr = about.master(map), .agents = torchrun_agents::one_a_gpu});
       }},
      {"megatron", "megatron", "megatron/args.txt", false, false,
       [](std::ostream& out, const rank_map_view& map, const context&) { emit::megatron_options(out, map); }},
      {"megatron-env", "megatron", "megatron/env.sh", false, true,
       [](std::ostream& out, const rank_map_view& map, const context& about) {
         emit::megatron_environment(out, map, *about.cluster);
       }},
      {"slurm-hostfile", "slurm", "slurm/hostfile", false, false,
       [](std::ostream& out, const rank_map_view& map, const context&) { emit::slurm_hostfile(out, map); }},
      {"slurm-wrapper", "slurm", "slurm/wrapper.sh", true, false,
       [](std::ostream& out, const rank_map_view& map, const context& about) {
         emit::slurm_wrapper(out, map, {.master_addr = about.master(map)});
       }},
      {"slurm-srun", "slurm", "slurm/srun.sh", true, false,
       [](std::ostream& out, const rank_map_view& map, const context&) { emit::slurm_run(out, map); }},
      {"slurm-hosts", "slurm", "slurm/hosts", false, false,
       [](std::ostream& out, const rank_map_view& map, const context&) { emit::slurm_hosts(out, map); }},
  };
  return all;
}

std::string emit_names(std::string_view between) {
  std::string names;
  for (const format& f : launcher_formats())
    if (!f.needs_cluster) names += f.name + (f.name == "megatron" ? std::string(",").append(between) : ", ");
  return names + "json and binary";
}

void write_image(std::ostream& out, const rank_map_view& map) {
  const auto image = map.image();
  out.write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
}

void write_rank_map_json(std::ostream& out, const rank_map_view& map, bool groups) {
  if (!groups) return emit::rank_map_json(out, map);
  const topoplan::megatron::group_set set(topoplan::megatron::options_for(map.layout()));
  emit::rank_map_json(out, map, [&](std::ostream& value) { emit::groups_value(value, set); });
}

}  // namespace topoplan_cli
