#include "runs_file.hpp"

#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cluster/presets.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/hf_config.hpp>
#include <topoplan/import/json_document.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/workload/legality.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cluster_input.hpp"
#include "commands.hpp"
#include "plan_input.hpp"
#include "predict_job.hpp"
#include "training_settings.hpp"

namespace topoplan_cli {
namespace {

namespace fs = std::filesystem;
namespace import = topoplan::import;
using namespace topoplan;
using import::document_kind;
using import::document_reader;

void check_keys(const document_reader& map, const std::string& what, const std::vector<std::string_view>& known) {
  if (map.value().kind != document_kind::map) map.refuse(what + ", a map");
  std::string names;
  for (const std::string_view name : known) (names += names.empty() ? "" : ", ") += name;
  for (std::size_t i = 0; i < map.value().keys.size(); ++i)
    if (std::find(known.begin(), known.end(), map.value().keys[i]) == known.end())
      map[i].refuse(what + " of " + names, "the key " + quoted(map.value().keys[i]));
}

double number_of(const document_reader& value, const std::string& expected, double most) {
  double number = 0;
  const std::string& text = value.value().text;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (value.value().kind != document_kind::text || !value.value().plain || problem != std::errc{} ||
      end != text.data() + text.size() || !(number > 0 && number <= most))
    value.refuse(expected);
  return number;
}

std::string beside(const fs::path& folder, const std::string& path) {
  return fs::path(path).is_absolute() || path == "-" ? path : (folder / path).string();
}

transformer model_of(const document_reader& run, const std::string& source, const fs::path& folder) {
  const document_reader value = run.at("model");
  if (value.value().kind == document_kind::map) return import::hf_config(import::document{source, value.value()});
  if (value.value().kind != document_kind::text) value.refuse("a path of a config.json, or the configuration itself");
  return read_model(beside(folder, value.text()));
}

job_options degrees_of_run(const document_reader& run, std::vector<std::string>& given) {
  job_options job;
  if (!run.has("degrees")) return job;
  const document_reader map = run.at("degrees");
  check_keys(map, "degrees", {"tp", "cp", "ep", "expert_tp", "expert-tp", "pp", "dp"});
  for (std::size_t i = 0; i < map.value().keys.size(); ++i) {
    std::string name = map.value().keys[i];
    std::replace(name.begin(), name.end(), '_', '-');
    const std::uint32_t n = map[i].count(1U << 31U);
    if (n == 0) map[i].refuse("a degree, 1 at least");
    (name == "tp"          ? job.tp
     : name == "cp"        ? job.cp
     : name == "ep"        ? job.ep
     : name == "expert-tp" ? job.expert_tp
     : name == "pp"        ? job.pp
                           : job.dp) = n;
    given.push_back("--" + name);
  }
  return job;
}

run_settings settings_of_run(const document_reader& run) {
  run_settings out;
  if (!run.has("training")) return out;
  const document_reader map = run.at("training");
  if (map.value().kind != document_kind::map) map.refuse("training, a map of the options of predict");
  for (std::size_t i = 0; i < map.value().keys.size(); ++i) {
    const setting* s = find_setting(map.value().keys[i]);
    if (s == nullptr)
      map[i].refuse("an option of training or fabric of topoplan predict, such as seq_length",
                    "the key " + quoted(map.value().keys[i]));
    const std::string& value = map[i].text();
    if (s->value[0] == '\0' && value == "false") {  // of a pair of flags the other one counts
      if (const setting* off = find_setting("no-" + map.value().keys[i]); off != nullptr) (void)off->apply(out, "");
      continue;
    }
    if (const std::string expected = s->apply(out, value); !expected.empty()) map[i].refuse(expected);
  }
  return out;
}

// The product of the catalogue that holds a GPU, as large as a job needs.
cluster cluster_of_gpu(const document_reader& run, const job_options& job) {
  const document_reader named = run.at("gpu");
  const gpu_model& gpu = find_gpu(named.text());
  const auto systems = system_catalogue();
  const auto at = std::find_if(systems.begin(), systems.end(), [&](const system_model& s) { return s.gpu == gpu.name; });
  if (at == systems.end()) named.refuse("a GPU that a system of the catalogue has; or give \"cluster\"");
  if (job.dp == 0) run.refuse("dp among the degrees, since \"gpu\" doesn't say how many there are");
  const std::uint64_t world = std::uint64_t{job.tp} * job.cp * job.pp * job.dp;
  const std::uint64_t unit = std::uint64_t{at->gpus_per_host} * at->hosts_per_domain;
  if (world > most_gpus) run.refuse("a job of up to " + std::to_string(most_gpus) + " ranks", std::to_string(world));
  cluster c = make_cluster(parse_spec(std::string(at->name) + ':' + std::to_string((world + unit - 1) / unit)));
  if (run.has("nic"))
    c.nic = {gigabits_per_second(number_of(run.at("nic"), "nic, a rate in Gb/s", 1e6)), {}, {confidence::given, "nic"}};
  return c;
}

cluster cluster_of_run(const document_reader& run, const fs::path& folder, const job_options& job) {
  if (run.has("cluster") == run.has("gpu"))
    run.refuse("\"cluster\" or \"gpu\", one of them", run.has("cluster") ? "both" : "neither");
  if (run.has("gpu")) return cluster_of_gpu(run, job);
  if (run.has("nic")) run.at("nic").refuse("no nic beside \"cluster\", which says it");
  cluster_options o;
  o.cluster = run.at("cluster").text();
  if (const std::string path = beside(folder, o.cluster); import::is_file(path)) o.cluster = path;
  return load_cluster(o);
}

std::string name_of(const document_reader& run, const measured_run& r) {
  if (run.has("name")) return run.at("name").text();
  const resolved_degrees& d = r.degrees;
  std::string name = r.model.name;
  for (const axis a : {axis::tp, axis::cp, axis::ep, axis::pp, axis::dp})
    if (d.of(a) > 1) name += ' ' + std::string(to_string(a)) + std::to_string(d.of(a));
  return name;
}

named_run run_of(const document_reader& run, const std::string& source, const fs::path& folder, const user_calibration& own) {
  check_keys(run, "a run", {"name", "model", "cluster", "gpu", "nic", "degrees", "plan", "training", "seconds"});
  named_run out;
  std::vector<std::string> given;
  const job_options job = degrees_of_run(run, given);
  const run_settings settings = settings_of_run(run);
  out.run.seconds = number_of(run.at("seconds"), "the seconds of a step, a number above 0", 1e9);
  try {
    out.run.model = model_of(run, source, folder);
    const cluster c = cluster_of_run(run, folder, job);
    std::optional<rank_map> plan;
    if (run.has("plan")) plan = read_plan(beside(folder, run.at("plan").text()));
    const job_degrees degrees = degrees_of(job, given, plan, c);
    if (const std::string why = why_no_seats(degrees.degrees, c); !why.empty()) throw invalid_argument(why);
    out.run.degrees = degrees.degrees;
    out.run.settings = training_of(settings, degrees.degrees);
    check_trainable(out.run.model, out.run.settings, out.run.degrees);
    out.run.groups = groups_for(c, degrees, plan);
    out.run.gpu = machine_of(c, interconnect_of(c, settings.fabric, own.links), settings.power_watts);
  } catch (const invalid_argument& e) {
    run.refuse("a job that can be trained", e.what());
  }
  out.name = name_of(run, out.run);
  return out;
}

}  // namespace

std::vector<named_run> read_runs(const std::string& path, const user_calibration& own) {
  const import::document d = import::json_document(import::read_file(path), import::source_name(path));
  const document_reader root(d);
  if (!root.has("format") || root.at("format").value().text != "topoplan.runs")
    root.refuse("a document with \"format\": \"topoplan.runs\"",
                root.has("format") ? root.at("format").shown() : std::string("no such key"));
  if (root.at("version").value().text != "1") root.at("version").refuse("version 1");
  check_keys(root, "a document of runs", {"format", "version", "runs", "note"});
  const document_reader list = root.at("runs");
  const fs::path folder = path == "-" ? fs::path(".") : fs::path(path).parent_path();
  std::vector<named_run> runs;
  for (std::size_t i = 0; i < list.size(); ++i) runs.push_back(run_of(list[i], d.source, folder, own));
  return runs;
}

}  // namespace topoplan_cli
