// Predicts, evaluates, prints; fits for the tables that ship.
#include "runs.hpp"

#include <topoplan/cost/interval.hpp>
#include <topoplan/cost/step_table.hpp>
#include <topoplan/workload/memory.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "defaults.hpp"
#include "fit.hpp"
#include "pose.hpp"
#include "statistics.hpp"

namespace accuracy {

namespace {

using namespace topoplan;

[[nodiscard]] gpu_family family_named(std::string_view name) {
  return name == "A100"   ? gpu_family::ampere
         : name == "H100" ? gpu_family::hopper
         : name == "B200" ? gpu_family::blackwell
                          : gpu_family::grace_blackwell;
}

// What is left out at a time: a source, or on GPUs that one source measured, a model.
[[nodiscard]] const std::string& part_of(const posed_run& run) {
  return run.family == "A100" || run.family == "H100" ? run.group : run.model;
}

[[nodiscard]] run_prediction predict(const posed_run& run, const step_calibration& factors) {
  run_prediction out;
  const problem p = problem_of(run);
  out.seconds = seconds_of(p, factors);
  const interval range = interval_of(run.model_shape, p.gpu, out.seconds);
  out.low = range.low;
  out.high = range.high;
  const memory_reading reading = run.memory_reading == "process" ? memory_reading::process : memory_reading::allocator;
  double process_peak = 0;
  for (std::uint32_t stage = 0; stage < run.degrees.pp; ++stage) {
    const stage_memory m = memory_of_stage(run.model_shape, run.training, run.degrees, p.split, stage);
    out.peak_bytes = std::max(out.peak_bytes, reading_of(m, reading));
    process_peak = std::max(process_peak, reading_of(m, reading));
  }
  out.verdict = to_string(judge_memory(process_peak, p.gpu.memory));
  return out;
}

// Calibrations with one part of a family left out each.
class left_out_calibrations {
 public:
  explicit left_out_calibrations(const std::vector<posed_run>& runs) {
    std::map<std::string, std::vector<problem>> families;
    for (const posed_run& r : runs)
      if (r.measured_seconds > 0) families[r.family].push_back(problem_of(r));
    for (const auto& [family, problems] : families) {
      const std::vector<const problem*> chosen = calibration_set(problems);
      std::set<std::string> parts;
      for (const problem& p : problems) parts.insert(part_of(*p.run));
      for (const std::string& part : parts) {
        std::vector<const problem*> rest;
        for (const problem* p : chosen)
          if (part_of(*p->run) != part) rest.push_back(p);
        fits_[{family, part}] = rest.empty() ? unfitted(family) : fit(rest, family);
      }
      whole_[family] = fit(chosen, family);
      std::vector<int>& rows = rows_[family];
      for (const problem* p : chosen) rows.push_back(p->run->row_id);
    }
  }
  [[nodiscard]] const step_calibration& without(const posed_run& run) const { return fits_.at({run.family, part_of(run)}); }
  [[nodiscard]] const std::map<std::string, step_calibration>& whole() const { return whole_; }
  [[nodiscard]] const std::map<std::string, std::vector<int>>& rows() const { return rows_; }

 private:
  std::map<std::pair<std::string, std::string>, step_calibration> fits_;
  std::map<std::string, step_calibration> whole_;
  std::map<std::string, std::vector<int>> rows_;  // that calibrate
};

}  // namespace

runs_text runs_report(const runs_options& options) {
  std::vector<unposed_run> not_posed;
  const std::vector<posed_run> runs = pose_runs(options.file, not_posed);
  const run_report shipped =
      evaluate(runs, not_posed, [](const posed_run& r) { return predict(r, calibration_of(family_named(r.family))); });
  const left_out_calibrations fits(runs);
  const run_report left_out = evaluate(runs, not_posed, [&](const posed_run& r) {
    return predict(r, r.measured_seconds > 0 ? fits.without(r) : calibration_of(family_named(r.family)));
  });
  std::ostringstream out;
  bool met = true;
  if (options.json) {
    write_json(out, shipped, &left_out);
  } else {
    if (options.defaults) out << defaults_text() << '\n';
    met = print_report(out, shipped, &left_out);
    out << "calibrating on the first row of each group, model, GPU, number format and degrees; the rest only judges:\n";
    for (const auto& [family, rows] : fits.rows()) {
      out << "  " << family << " (" << rows.size() << "):";
      for (const int row : rows) out << ' ' << row;
      out << '\n';
    }
    if (options.every_run) print_runs(out, shipped);
  }
  return {out.str(), met};
}

std::string fitted_tables(const std::string& file) {
  std::vector<unposed_run> not_posed;
  const std::vector<posed_run> runs = pose_runs(file, not_posed);
  const left_out_calibrations fits(runs);
  std::ostringstream out;
  for (const auto& [family, factors] : fits.whole()) {
    out << "  // " << fits.rows().at(family).size() << " runs\n  case gpu_family of " << family << ":\n";
    const step_calibration before = unfitted(family);
    for (const prior& p : all_priors()) {
      char text[64];
      std::snprintf(text, sizeof text, "%.3g", factors.*(p.factor));
      out << "    c." << p.name << " = " << text << ";" << (factors.*(p.factor) == before.*(p.factor) ? "  // not fitted" : "")
          << "\n";
    }
  }
  std::map<std::string, std::vector<double>> ratios;
  for (const posed_run& r : runs)
    if (r.measured_seconds > 0)
      ratios[r.family + (r.moe ? " experts" : " dense")].push_back(r.measured_seconds / predict(r, fits.without(r)).seconds);
  for (const auto& [name, values] : ratios) {
    char text[96];
    std::snprintf(text, sizeof text, "%.3f ... %.3f (%zu runs)", percentile(values, 0.1), percentile(values, 0.9), values.size());
    out << "  // " << name << ": measured over predicted " << text << '\n';
  }
  return out.str();
}

}  // namespace accuracy
