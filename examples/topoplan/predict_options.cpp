#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "options.hpp"
#include "training_settings.hpp"

namespace topoplan_cli {
namespace {

constexpr double giga = 1e9;

}  // namespace

void add_settings(CLI::App& command, std::vector<std::pair<std::string, std::string>>& given) {
  for (const setting& s : all_settings()) {
    const std::string first = s.names.substr(0, s.names.find(','));
    CLI::Option* option = nullptr;
    if (s.value[0] == '\0')
      option = command.add_flag_callback(s.names, [&given, first] { given.emplace_back(first, ""); }, s.help);
    else
      option = command
                   .add_option_function<std::string>(
                       s.names, [&given, first](const std::string& value) { given.emplace_back(first, value); }, s.help)
                   ->type_name(s.value);
    option->group(s.group);
  }
  for (const auto& [one, other] : {std::pair{"--lora", "--qlora"},
                                   {"--sequence-parallel", "--no-sequence-parallel"},
                                   {"--cross-entropy-loss-fusion", "--no-cross-entropy-loss-fusion"}})
    command.get_option(one)->excludes(command.get_option(other));
}

void add_predict(CLI::App& app, int& status) {
  auto* command =
      app.add_subcommand("predict", "Predict the time of a step by part, MFU, memory and traffic; or one collective's time");
  const auto o = std::make_shared<predict_options>();
  constexpr auto what = "What is predicted";
  command->add_option("--model", o->model, "config.json of HuggingFace, or the folder that holds it: a step of training")
      ->group(what)
      ->type_name("FILE|DIR");
  command->add_option("--plan", o->plan, "Plan whose placement counts: what place --out wrote (default: the best placement)")
      ->group(what)
      ->type_name("DIR|FILE");
  command
      ->add_option("--collective", o->collective,
                   "One collective instead of a step, of all GPUs within each tier: all_reduce, all_gather,\n"
                   "reduce_scatter, all_to_all or send_recv")
      ->group(what)
      ->type_name("NAME");
  command->add_option("--bytes", o->bytes, "Its buffer, such as 1GiB, 512MB or 1e9 (default: several sizes)")
      ->group(what)
      ->type_name("SIZE");
  command
      ->add_option("--group", o->group,
                   "Of the groups of an axis, all at once: tp, cp, dp, dp_cp, pp, ep, expert_tp or expert_dp;\n"
                   "with degrees or --plan")
      ->group(what)
      ->type_name("AXIS");
  add_cluster_options(*command, o->cluster);
  add_job_options(*command, o->job);
  add_settings(*command, o->settings);
  constexpr auto further = "Checkpoints, calibration, output";
  command
      ->add_option_function<double>(
          "--storage-write", [o](const double& rate) { o->storage_write = rate * giga; },
          "Rate at which all hosts together write checkpoints, in GB/s (default: what a\nreference architecture aims at)")
      ->group(further)
      ->type_name("GBPS")
      ->check(quietly(CLI::Range(1e-6, 1e9)));
  command->add_flag("--node-local", o->node_local, "Checkpoints stay on disks of the hosts")->group(further);
  command->add_option("--calibration", o->calibration, "Your own figures in place of topoplan's (topoplan.calibration)")
      ->group(further)
      ->type_name("FILE");
  command->add_flag("--json", o->json, "Print the prediction (topoplan.prediction) as one JSON document")->group(further);
  command->footer(
      "Examples:\n"
      "  topoplan predict --cluster dgx-h100:16 --model config.json --tp 8 --pp 4 --seq-length 8192 --global-batch-size 512\n"
      "  topoplan predict --cluster dgx-h100:16 --model config.json --plan plan --json\n"
      "  topoplan predict --cluster 'dgx-h100:128 oversubscription=2' --collective all_reduce --bytes 1GiB");
  refuse_empty_values(*command);
  command->callback([o, command, &status] {
    for (const char* name : {"--tp", "--cp", "--ep", "--expert-tp", "--pp", "--dp"})
      if (command->count(name) > 0) o->degrees_given.emplace_back(name);
    status = run_predict(*o, std::cout);
  });
}

void add_calibrate(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("calibrate", "Fit the factors of a GPU family to steps that you measured");
  const auto o = std::make_shared<calibrate_options>();
  command
      ->add_option("--runs", o->runs,
                   "At least 3 runs of one GPU family (topoplan.runs): {\"format\": \"topoplan.runs\", \"version\": 1,\n"
                   "\"runs\": [{\"model\": \"config.json\", \"cluster\": \"dgx-h100:4\", \"degrees\": {\"tp\": 8, \"pp\": 2},\n"
                   "\"training\": {\"seq_length\": 4096, \"global_batch_size\": 128}, \"seconds\": 4.21}, ...]};\n"
                   "\"gpu\" and \"nic\" (Gb/s) stand for \"cluster\" too; \"training\" takes the options of predict")
      ->required()
      ->type_name("FILE");
  command->add_option("--calibration", o->calibration, "Calibration to start from (default: topoplan's)")->type_name("FILE");
  command->add_option("--out", o->out, "Calibration file to write, for predict --calibration")->type_name("FILE");
  command->add_flag("--force", o->force, "Let --out replace a file");
  command->add_flag("--json", o->json, "Print runs, errors and the fitted factors as one JSON document");
  command->footer("Example: topoplan calibrate --runs runs.json --out calibration.json");
  refuse_empty_values(*command);
  command->callback([o, &status] { status = run_calibrate(*o, std::cout); });
}

}  // namespace topoplan_cli
