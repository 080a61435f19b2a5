// The command line of topoplan: options, help and exit status.
#include <topoplan/core/error.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>

#include "commands.hpp"
#include "formats.hpp"
#include "groups_command.hpp"
#include "options.hpp"

namespace {

using namespace topoplan_cli;

constexpr int bad_usage = 2;

void add_show(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("show", "Print the cluster that topoplan understands from your files");
  const auto o = std::make_shared<show_options>();
  add_cluster_options(*command, o->cluster);
  command->add_flag("--json", o->json, "Print a cluster file (topoplan.cluster) that --cluster reads");
  command->add_flag("--sources", o->sources, "Print for every host where each fact about it came from");
  command->footer(
      "Examples:\n"
      "  topoplan show --cluster 'gb200-nvl72:4'\n"
      "  topoplan show topo.txt topology.yaml hosts --gpu h100-sxm");
  refuse_empty_values(*command);
  command->callback([o, &status] { status = run_show(*o, std::cout); });
}

void add_emit(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("emit", "Print one file of an existing plan for one launcher");
  const auto o = std::make_shared<emit_options>();
  command->add_option("rank_map", o->rank_map, "rank_map.json, rank_map.bin, or the directory that place wrote")
      ->required()
      ->type_name("FILE|DIR");
  command->add_option("--for", o->format, "What to print:\n" + emit_names("\n"))->required()->type_name("NAME");
  command->add_option("--out", o->out, "File to write (default: standard output)")->type_name("FILE");
  command->add_flag("--force", o->force, "Let --out replace a file");
  command->footer("Example: topoplan emit plan --for torchrun > run.sh");
  refuse_empty_values(*command);
  command->callback([o, &status] { status = run_emit(*o, std::cout); });
}

void add_groups(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(
      "groups", "Print the process groups that Megatron-LM creates for given sizes, and why; needs no cluster");
  const auto o = std::make_shared<groups_options>();
  constexpr auto sizes = "Sizes, as Megatron-LM has them";
  command->add_option("--world-size", o->world_size, "Number of ranks (default: tp*cp*dp*pp)")
      ->group(sizes)
      ->type_name("N")
      ->check(quietly(CLI::PositiveNumber));
  positive(*command, "--tp", o->tp, "Tensor parallel degree", sizes)->capture_default_str();
  positive(*command, "--cp", o->cp, "Context parallel degree", sizes)->capture_default_str();
  positive(*command, "--ep", o->ep, "Expert parallel degree", sizes)->capture_default_str();
  positive(*command, "--expert-tp", o->expert_tp, "Tensor parallel degree of the experts (default: as --tp)", sizes);
  positive(*command, "--dp", o->dp, "Data parallel degree (default: what --world-size leaves)", sizes);
  positive(*command, "--pp", o->pp, "Pipeline parallel degree", sizes)->capture_default_str();
  command->add_option("--order", o->order, "Order of the axes in a rank number, fastest first")
      ->group(sizes)
      ->type_name("A-B-...")
      ->default_str("tp-cp-ep-dp-pp");
  constexpr auto further = "Further groups";
  positive(*command, "--dist-opt-instances", o->dist_opt_instances, "Distributed optimizer instances", further)
      ->capture_default_str();
  command
      ->add_option("--hierarchical-cp", o->hierarchical_cp, "Sizes of the context parallel levels, innermost first, such as 2,2")
      ->group(further)
      ->type_name("N,...")
      ->delimiter(',');
  command->add_option("--vpp", o->vpp, "Virtual pipeline stages; makes no group, but Megatron-LM refuses it without pp")
      ->group(further)
      ->type_name("N");
  positive(*command, "--gtp-remat", o->gtp_remat, "Generalised tensor parallel degree with weight rematerialisation", further)
      ->capture_default_str();
  positive(*command, "--expert-gtp-remat", o->expert_gtp_remat, "The same for the experts", further)->capture_default_str();
  command->add_flag("--hybrid-cp", o->hybrid_cp, "Hybrid context parallel groups of 2, 4, ... ranks")->group(further);
  command->add_option("--rank-offset", o->rank_offset, "Number of the first rank")
      ->group(further)
      ->type_name("N")
      ->capture_default_str();
  constexpr auto output = "Output";
  command->add_option("--rank", o->rank, "Print the groups that this rank is in")->group(output)->type_name("R");
  command->add_option("--explain", o->explain, "Explain one family, such as ep or dp_cp")->group(output)->type_name("NAME");
  command->add_flag("--all", o->all, "Print every group with every member")->group(output);
  command->add_flag("--json", o->json, "Print groups, creation order and coordinates as one JSON document")->group(output);
  command->footer(
      "Examples:\n"
      "  topoplan groups --world-size 64 --tp 4 --cp 2 --ep 4 --pp 2\n"
      "  topoplan groups --world-size 64 --tp 4 --ep 8 --expert-tp 1 --explain ep");
  refuse_empty_values(*command);
  command->callback([o, &status] { status = run_groups(*o, std::cout); });
}

// CLI11 alone says "a subcommand is required" for a mistyped one.
void require_known_command(const CLI::App& app, int argc, char** argv) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (argc > 1 && command->get_name() == argv[1]) return;
    (names += names.empty() ? "" : ", ") += command->get_name();
  }
  if (argc < 2) throw topoplan::invalid_argument("no command; the commands are " + names + " (see topoplan --help)");
  if (argv[1][0] != '-')
    throw topoplan::invalid_argument("unknown command " + topoplan::quoted(argv[1]) + "; the commands are " + names);
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  CLI::App app{
      "topoplan plans where the ranks of a large training job run, and predicts what a step costs.\n"
      "Exit status: 0 done; 1 an honest no (no placement keeps the rules, memory runs out); 2 bad usage or bad input."};
  app.name("topoplan");
  app.set_version_flag("--version", "topoplan " TOPOPLAN_VERSION);
  app.require_subcommand(1);
  int status = 0;
  add_show(app, status);
  add_place(app, status);
  add_lint(app, status);
  add_emit(app, status);
  add_groups(app, status);
  add_predict(app, status);
  add_calibrate(app, status);
  app.footer("topoplan COMMAND --help explains a command.");
  try {
    require_known_command(app, argc, argv);
    app.parse(argc, argv);
    std::cout.flush();
    if (!std::cout) throw topoplan::io_error("standard output", "can't be written");
    return status;
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help, --version
  } catch (const CLI::ParseError& e) {
    std::cerr << "topoplan: " << e.what() << " (see topoplan"
              << (app.get_subcommands().empty() ? "" : ' ' + app.get_subcommands().front()->get_name()) << " --help)\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "topoplan: out of memory\n";
  } catch (const std::exception& e) {
    std::cerr << "topoplan: " << e.what() << '\n';
  }
  return bad_usage;
}
