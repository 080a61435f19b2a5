#include <topoplan/emit/plan_json.hpp>
#include <topoplan/solve/place.hpp>
#include <topoplan/solve/step_objective.hpp>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cluster_input.hpp"
#include "commands.hpp"
#include "formats.hpp"
#include "output_directory.hpp"
#include "predict_job.hpp"
#include "report.hpp"
#include "training_settings.hpp"

namespace topoplan_cli {
namespace {

using topoplan::invalid_argument;

// Refuses options that would be ignored.
void check_output(const place_options& o) {
  for (const std::string& name : o.emit)
    if (std::none_of(launcher_formats().begin(), launcher_formats().end(), [&](const format& f) { return f.launcher == name; }))
      throw invalid_argument("--emit " + name + ": unknown launcher; known are torchrun, megatron and slurm");
  for (const auto& [given, name] : {std::pair{!o.emit.empty(), "--emit"}, {o.groups, "--groups"}, {o.force, "--force"}})
    if (given && o.out.empty()) throw invalid_argument(std::string(name) + " is about what --out writes; give --out DIR");
}

topoplan::place_options constraints(const place_options& o) {
  topoplan::place_options c;
  if (!o.confine.empty()) c.confine = confinements_of(o.confine);
  if (!o.launcher.empty()) c.launcher = topoplan::parse_launcher(o.launcher);
  for (const std::string& rule : o.spares) c.spares.push_back(topoplan::parse_spares(rule));
  if (!o.mix.empty()) c.mix = topoplan::parse_axis_set(o.mix);
  c.seed = o.seed;
  if (o.thorough) c.effort = topoplan::search_effort::thorough;
  if (o.time_limit > 0) c.time_limit = o.time_limit;
  return c;
}

std::vector<output_file> plan_files(const topoplan::plan& plan, const topoplan::cluster& c, const place_options& o,
                                    std::vector<std::string>& left_out) {
  std::vector<output_file> files;
  files.push_back({"plan.json", [&](std::ostream& out) { topoplan::emit::plan_json(out, plan); }});
  files.push_back(
      {"rank_map.json", [&, groups = o.groups](std::ostream& out) { write_rank_map_json(out, plan.rank_map, groups); }});
  files.push_back({"rank_map.bin", [&](std::ostream& out) { write_image(out, plan.rank_map); }});
  const context about{&c, plan.launcher == topoplan::launchers::torchrun_per_gpu};
  for (const format& f : launcher_formats()) {
    if (f.launcher.empty()) continue;
    const bool asked = std::find(o.emit.begin(), o.emit.end(), f.launcher) != o.emit.end();
    if (!asked && !o.emit.empty()) continue;
    const std::string why = f.refuses(plan.rank_map, about);
    if (why.empty())
      files.push_back({f.file, [&plan, about, &f](std::ostream& out) { f.write(out, plan.rank_map, about); }, f.executable});
    else if (asked) throw invalid_argument("--emit " + f.launcher + ": " + why);
    else left_out.push_back(f.file + " is left out: " + why);
  }
  return files;
}

std::vector<std::filesystem::path> all_launcher_files() {
  std::vector<std::filesystem::path> names;
  for (const format& f : launcher_formats())
    if (!f.file.empty()) names.emplace_back(f.file);
  return names;
}

// Writes the directory; returns what to tell a person about it.
std::string write_plan(const topoplan::plan& plan, const topoplan::cluster& c, const place_options& o) {
  std::vector<std::string> left_out;
  const auto files = plan_files(plan, c, o, left_out);
  const written what = write_files(o.out, files, all_launcher_files(), o.force);
  std::string text = what == written::unchanged ? "Unchanged in " : what == written::replaced ? "Replaced in " : "Wrote to ";
  text += o.out + "/\n";
  for (const output_file& f : files) text += "  " + f.name.string() + '\n';
  for (const std::string& why : left_out) text += "  note: " + why + '\n';
  return text;
}

// With a workload, by the time of its step.
topoplan::placement placed(const place_options& o, const topoplan::cluster& c, const topoplan::degrees& degrees,
                           const topoplan::order& order, const topoplan::place_options& rules) {
  if (o.model.empty()) {
    if (!o.settings.empty() || !o.calibration.empty())
      throw invalid_argument((o.settings.empty() ? std::string("--calibration") : o.settings.front().first) +
                             " is about a workload; give --model FILE");
    return topoplan::place(c, degrees, order, rules);
  }
  const run_settings settings = settings_of(o.settings);
  const topoplan::user_calibration own = read_calibration(o.calibration);
  const topoplan::transformer model = read_model(o.model);
  const topoplan::resolved_degrees job = topoplan::resolve_beside(c, degrees, rules.spares);
  const topoplan::machine gpu =
      topoplan::machine_of(c, topoplan::interconnect_of(c, settings.fabric, own.links), settings.power_watts);
  const topoplan::step_objective step(c, model, training_of(settings, job), job, gpu, own.factors_of(gpu.family));
  return topoplan::place(c, degrees, order, rules, step);
}

}  // namespace

int run_place(const place_options& o, std::ostream& out) {
  check_output(o);
  const topoplan::place_options rules = constraints(o);
  const topoplan::order order = o.job.order.empty() ? topoplan::orders::megatron : topoplan::order(o.job.order);
  const topoplan::cluster c = load_cluster(o.cluster);
  const topoplan::degrees degrees{
      .tp = o.job.tp, .cp = o.job.cp, .ep = o.job.ep, .expert_tp = o.job.expert_tp, .dp = o.job.dp, .pp = o.job.pp};
  const topoplan::placement answer = placed(o, c, degrees, order, rules);
  if (!answer) {
    if (o.json) {
      topoplan::emit::plan_json(out, answer);
    } else {
      report_cluster(out, c);
      out << "No plan: " << answer.why() << '\n';
    }
    return 1;
  }
  std::string outcome = "Nothing was written; --out DIR writes the rank map and the launchers' files.\n";
  if (!o.out.empty()) outcome = write_plan(*answer, c, o);
  if (o.json) {
    topoplan::emit::plan_json(out, *answer);
    return 0;
  }
  report_cluster(out, c);
  report_job(out, answer->rank_map.layout(), c);
  report_plan(out, *answer, c);
  out << outcome;
  return 0;
}

}  // namespace topoplan_cli
