#include <topoplan/core/error.hpp>
#include <topoplan/cost/calibrate.hpp>
#include <topoplan/emit/calibration_json.hpp>
#include <topoplan/emit/detail/json_writer.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "amounts.hpp"
#include "commands.hpp"
#include "output_directory.hpp"
#include "predict_job.hpp"
#include "runs_file.hpp"
#include "table.hpp"

namespace topoplan_cli {
namespace {

using namespace topoplan;

struct fitted_run {
  std::string name;
  double measured = 0;  // seconds
  double before = 0;
  double after = 0;
};

struct fitted_factor {
  std::string_view name;
  double before = 0;
  double after = 0;
};

struct fit_report {
  gpu_family family = gpu_family::hopper;
  std::vector<fitted_run> runs;
  std::vector<fitted_factor> factors;
  double error_before = 0;
  double error_after = 0;
};

// A factor at the end of what makes sense means that the runs say something else than they seem to.
void check_factors(const calibration_fit& fit) {
  for (const auto& f : step_factors) {
    const double value = fit.factors.*f.value;
    if (value >= f.least && value <= f.most) continue;
    throw invalid_argument("the runs ask for " + std::string(f.name) + ' ' + short_number(value) + ", outside " +
                           short_number(f.least) + " ... " + short_number(f.most) +
                           ": check their seconds (of one step), batch sizes and degrees");
  }
}

std::string signed_percent(double error) { return (error < 0 ? "" : "+") + fixed(100 * error, 1); }

void report_fit(std::ostream& out, const fit_report& r) {
  out << "Runs: " << r.runs.size() << " of " << to_string(r.family) << "; predicted over measured\n";
  table t({1, 2, 3, 4, 5});
  t.row({"run", "measured s", "before s", "error %", "after s", "error %"});
  const auto s = [](double seconds) { return seconds < 100 ? fixed(seconds, 3) : fixed(seconds, 1); };
  for (const fitted_run& run : r.runs)
    t.row({run.name, s(run.measured), s(run.before), signed_percent(run.before / run.measured - 1), s(run.after),
           signed_percent(run.after / run.measured - 1)});
  t.row({"mean of absolute errors", "", "", fixed(100 * r.error_before, 1), "", fixed(100 * r.error_after, 1)});
  t.print(out);
  out << "Factors of " << to_string(r.family) << " that were fitted\n";
  table factors({1, 3});
  for (const fitted_factor& f : r.factors)
    factors.row({std::string(f.name), short_number(f.before), "->", short_number(f.after)});
  factors.print(out);
  if (r.error_after > 0.15)
    out << "  note: these factors don't explain the runs; check seconds (of one step), batch sizes and degrees of those far "
           "off\n";
}

void write_fit_json(std::ostream& out, const fit_report& r) {
  using topoplan::emit::detail::spread;
  topoplan::emit::detail::json_writer json(out);
  json.open('{', spread::lines);
  json.member("format", "topoplan.calibration_fit");
  json.member("version", 1);
  json.member("family", key_of(r.family));
  json.key("runs");
  json.open('[', spread::lines);
  for (const fitted_run& run : r.runs) {
    json.open('{');
    json.member("name", run.name);
    json.member("seconds", run.measured);
    json.member("before", run.before);
    json.member("after", run.after);
    json.close();
  }
  json.close();
  json.key("factors");
  json.open('{', spread::lines);
  for (const fitted_factor& f : r.factors) {
    json.key(f.name);
    json.open('{');
    json.member("before", f.before);
    json.member("after", f.after);
    json.close();
  }
  json.close();
  json.member("error_before", r.error_before);
  json.member("error_after", r.error_after);
  json.close();
  json.finish();
}

}  // namespace

int run_calibrate(const calibrate_options& o, std::ostream& out) {
  if (o.force && o.out.empty()) throw invalid_argument("--force is about what --out writes; give --out FILE");
  user_calibration own = read_calibration(o.calibration);
  const std::vector<named_run> named = read_runs(o.runs, own);
  std::vector<measured_run> runs;
  for (const named_run& r : named) runs.push_back(r.run);
  fit_report report;
  report.family = runs.empty() ? gpu_family::other : runs.front().gpu.family;
  const step_calibration start = own.factors_of(report.family);
  const calibration_fit fit = calibrate(runs, start);
  check_factors(fit);
  for (const named_run& r : named)
    report.runs.push_back({r.name, r.run.seconds, detail::seconds_of(r.run, start), detail::seconds_of(r.run, fit.factors)});
  for (const std::string_view name : fit.fitted) {
    const auto at = std::find_if(step_factors.begin(), step_factors.end(), [&](const auto& f) { return f.name == name; });
    if (at != step_factors.end()) report.factors.push_back({name, start.*at->value, fit.factors.*at->value});
  }
  report.error_before = fit.error_before;
  report.error_after = fit.error_after;

  std::erase_if(own.steps, [&](const family_factors& f) { return f.family == report.family; });
  own.steps.push_back({report.family, fit.factors});
  if (!o.out.empty()) write_file(o.out, {{}, [&](std::ostream& file) { topoplan::emit::calibration_json(file, own); }}, o.force);
  if (o.json) {
    write_fit_json(out, report);
    return 0;
  }
  report_fit(out, report);
  if (o.out.empty()) out << "Nothing was written; --out FILE writes the calibration that predict --calibration takes.\n";
  else out << "Wrote " << o.out << "; predict takes it as --calibration " << o.out << '\n';
  return 0;
}

}  // namespace topoplan_cli
