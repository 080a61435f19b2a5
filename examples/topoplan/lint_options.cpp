#include <topoplan/import/launch_method.hpp>

#include <iostream>
#include <memory>
#include <string>

#include "commands.hpp"
#include "options.hpp"

namespace topoplan_cli {

void add_lint(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("lint", "Check and price a layout that you have, against the degrees of the job");
  const auto o = std::make_shared<lint_options>();
  command
      ->add_option("layout", o->layout,
                   "A host file (plain, slots=N or host:N), a SLURM_HOSTFILE, an Open MPI rankfile, or a rank map:\n"
                   "rank_map.json, rank_map.bin or the directory that place wrote")
      ->required()
      ->type_name("FILE|DIR");
  constexpr auto launch = "Launcher: what it makes of the file";
  std::string names;
  for (const topoplan::import::launch_traits& m : topoplan::import::launch_methods::all)
    (((names += names.empty() ? "" : "\n") += m.name) += ": ") += m.how;
  command->add_option("--launched-by", o->launched_by, "Who starts the ranks (default: what the content shows):\n" + names)
      ->group(launch)
      ->type_name("NAME");
  command->add_option("--include", o->include, "DeepSpeed's --include, such as gpu-017:0,1@gpu-018")
      ->group(launch)
      ->type_name("HOSTS");
  add_cluster_options(*command, o->cluster);
  add_job_options(*command, o->job);
  constexpr auto rules = "Rules";
  add_confine_option(*command, o->confine, rules);
  command->add_flag("--thorough", o->thorough, "Search longer for a better order")->group(rules);
  constexpr auto output = "Output";
  command->add_option("--out", o->out, "File to write: the better order, in the form of your file")
      ->group(output)
      ->type_name("FILE");
  command->add_flag("--force", o->force, "Let --out replace a file")->group(output);
  command->add_flag("--json", o->json, "Print the report (topoplan.lint) as one JSON document")->group(output);
  command->footer(
      "Exit status: 0 every hard rule is kept, 1 one is broken, 2 bad usage or bad input.\n"
      "Examples:\n"
      "  topoplan lint hosts.txt --cluster cluster.json --tp 8 --pp 4\n"
      "  topoplan lint hostfile --launched-by deepspeed --cluster cluster.json --tp 8 --pp 4 --out better\n"
      "  topoplan lint plan --cluster dgx-h100:32");
  refuse_empty_values(*command);
  command->callback([o, command, &status] {
    for (const char* name : {"--tp", "--cp", "--ep", "--expert-tp", "--pp", "--dp", "--order"})
      if (command->count(name) > 0) o->degrees_given.emplace_back(name);
    status = run_lint(*o, std::cout);
  });
}

}  // namespace topoplan_cli
