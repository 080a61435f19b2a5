#include <iostream>
#include <memory>
#include <string>

#include "commands.hpp"
#include "options.hpp"
#include "training_settings.hpp"

namespace topoplan_cli {

void add_place(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("place", "Assign every rank to a GPU, prove the rules, write the plan for your launcher");
  const auto o = std::make_shared<place_options>();
  add_cluster_options(*command, o->cluster);
  add_job_options(*command, o->job);
  constexpr auto rules = "Rules";
  add_confine_option(*command, o->confine, rules);
  command
      ->add_option("--launcher", o->launcher,
                   "What starts the job; what it can express binds the plan: torchrun (contiguous ranks\n"
                   "on a host), torchrun-per-gpu, slurm or free")
      ->group(rules)
      ->type_name("NAME")
      ->default_str("torchrun");
  command
      ->add_option("--spares", o->spares,
                   "Leave that many GPUs, or whole hosts, free in every NVLink domain, every leaf group or the\n"
                   "whole cluster: 8/domain, 1host/leaf, 2hosts/cluster; repeatable")
      ->group(rules)
      ->type_name("N[hosts]/domain|leaf|cluster")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--mix", o->mix,
                   "Axes whose groups may hold several GPU models where no model alone has room: pp gives\n"
                   "stages different models, dp replicas; the fastest model comes first (default: never)")
      ->group(rules)
      ->type_name("AXES");
  command->add_flag("--thorough", o->thorough, "Search longer: seconds instead of a fraction of one")->group(rules);
  command
      ->add_option("--time-limit", o->time_limit,
                   "Seconds after which the search stops with the best so far; a plan that was cut says so")
      ->group(rules)
      ->type_name("SECONDS")
      ->check(quietly(CLI::Range(1e-3, 1e6)));
  command->add_option("--seed", o->seed, "Seed of the search; the same seed gives the same plan")
      ->check(quietly(CLI::NonNegativeNumber))
      ->group(rules)
      ->type_name("N")
      ->capture_default_str();
  constexpr auto workload = "Workload: with --model, plans are compared by the time of a step instead of weighted edges";
  command->add_option("--model", o->model, "config.json of HuggingFace, or the folder that holds it")
      ->group(workload)
      ->type_name("FILE|DIR");
  command->add_option("--calibration", o->calibration, "Your own figures in place of topoplan's (topoplan.calibration)")
      ->group(workload)
      ->type_name("FILE");
  add_settings(*command, o->settings);
  constexpr auto output = "Output";
  command
      ->add_option("--out", o->out, "Directory to write: rank_map.json, rank_map.bin, plan.json, and a folder for each launcher")
      ->group(output)
      ->type_name("DIR");
  command
      ->add_option("--emit", o->emit,
                   "Launchers whose files --out writes: torchrun, megatron, slurm (default: all that can take the plan)")
      ->group(output)
      ->type_name("NAME,...")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_flag("--force", o->force, "Let --out replace a different plan")->group(output);
  command->add_flag("--groups", o->groups, "Add every communication group to rank_map.json")->group(output);
  command->add_flag("--json", o->json, "Print the plan (topoplan.plan) as one JSON document")->group(output);
  command->footer(
      "Examples:\n"
      "  topoplan place --cluster dgx-h100:32 --tp 8 --pp 4 --out plan\n"
      "  topoplan place --node-topology topo.txt --gpu h100-sxm --nic 400 --network topology.conf --hosts hosts.txt --tp 8 --pp "
      "4 --out plan\n"
      "  topoplan place --cluster gb200-nvl72:4 --tp 8 --ep 64 --expert-tp 1 --dp 32 --confine tp=domain --confine ep=domain\n"
      "  topoplan place --cluster 'dgx-h100:64 oversubscription=4' --model config.json --tp 8 --pp 4 --global-batch-size 512");
  refuse_empty_values(*command);
  command->callback([o, &status] { status = run_place(*o, std::cout); });
}

}  // namespace topoplan_cli
