// Figures over predictions of published runs.
#include "statistics.hpp"

#include <topoplan/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace accuracy {

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(values[a], a) < std::pair(values[b], b); });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end + 1) / 2;
    begin = end;
  }
  return ranks;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 3 || a.size() != b.size()) return {};
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (!(xx > 0) || !(yy > 0)) return {};
  return xy / std::sqrt(xx * yy);
}

double regret_of(std::span<const double> predicted, std::span<const double> measured) {
  const auto picked = static_cast<std::size_t>(std::min_element(predicted.begin(), predicted.end()) - predicted.begin());
  return measured[picked] / *std::min_element(measured.begin(), measured.end()) - 1;
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const double at = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

error_summary summarize(std::span<const double> errors, std::span<const int> row_ids) {
  error_summary out;
  out.runs = errors.size();
  if (errors.empty()) return out;
  std::vector<double> absolute;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    absolute.push_back(std::abs(errors[i]));
    out.bias += errors[i];
    if (absolute.back() > std::abs(out.worst)) {
      out.worst = errors[i];
      out.worst_row = row_ids[i];
    }
  }
  const double n = static_cast<double>(errors.size());
  out.mean_absolute = std::accumulate(absolute.begin(), absolute.end(), 0.0) / n;
  out.bias /= n;
  out.median = percentile(absolute, 0.5);
  out.p90 = percentile(std::move(absolute), 0.9);
  return out;
}

namespace {

// Errors with the rows that they belong to, as they gather.
struct error_list {
  std::vector<double> errors;
  std::vector<int> rows;
  void add(double error, int row) {
    errors.push_back(error);
    rows.push_back(row);
  }
  [[nodiscard]] error_summary sum() const { return summarize(errors, rows); }
};

[[nodiscard]] bool timed(const posed_run& run) { return run.measured_seconds > 0 && !run.out_of_memory; }
[[nodiscard]] double error_of(const posed_run& run, const run_prediction& p) { return p.seconds / run.measured_seconds - 1; }

void add_groups(run_report& report) {
  struct gathered {
    error_list time;
    std::vector<double> predicted, measured;
    std::vector<unposed_run> not_posed;
    std::size_t posed = 0;
  };
  std::map<std::string, gathered> groups;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const posed_run& run = report.runs[i];
    gathered& g = groups[run.group];
    ++g.posed;
    if (!timed(run)) continue;
    g.time.add(error_of(run, report.predictions[i]), run.row_id);
    g.predicted.push_back(report.predictions[i].seconds);
    g.measured.push_back(run.measured_seconds);
  }
  for (const unposed_run& u : report.not_posed) groups[u.group].not_posed.push_back(u);
  for (auto& [name, g] : groups) {
    group_result r;
    r.group = name;
    r.rows = g.posed + g.not_posed.size();
    r.not_posed = std::move(g.not_posed);
    r.time = g.time.sum();
    r.rank_correlation = rank_correlation(g.predicted, g.measured);
    for (const sweep_result& s : report.sweeps)
      if (s.group == name) r.regret = std::max(r.regret.value_or(0), s.regret);
    report.groups.push_back(std::move(r));
  }
}

// Sweeps of at least four runs with two plans or more; runs of a released container differ in software and don't count.
void add_sweeps(run_report& report) {
  using key = std::tuple<std::string, std::uint32_t, std::size_t, std::uint32_t, std::string, std::uint64_t>;
  std::map<key, std::vector<std::size_t>> sweeps;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const posed_run& run = report.runs[i];
    if (!timed(run) || run.release > 0) continue;
    sweeps[{run.group, run.model_shape.hidden, run.model_shape.layers.size(), run.training.sequence, run.gpu,
            run.degrees.world()}]
        .push_back(i);
  }
  for (const auto& [k, members] : sweeps) {
    const auto differs = [&](std::size_t i) {
      const posed_run& a = report.runs[i];
      const posed_run& b = report.runs[members.front()];
      return !(a.degrees == b.degrees) || a.training.micro_batch != b.training.micro_batch;
    };
    if (members.size() < 4 || std::none_of(members.begin(), members.end(), differs)) continue;
    sweep_result s;
    error_list errors;
    std::vector<double> predicted;
    std::vector<double> measured;
    for (const std::size_t i : members) {
      const posed_run& run = report.runs[i];
      const double samples = run.training.global_batch;
      predicted.push_back(report.predictions[i].seconds / samples);
      measured.push_back(run.measured_seconds / samples);
      errors.add(error_of(run, report.predictions[i]), run.row_id);
    }
    const posed_run& first = report.runs[members.front()];
    s.group = first.group;
    s.name = first.model + " (" + std::to_string(first.model_shape.hidden) + " x " +
             std::to_string(first.model_shape.layers.size()) + ") on " + std::to_string(first.degrees.world()) + " " + first.gpu +
             ", " + std::to_string(first.training.sequence) + " tokens";
    s.runs = members.size();
    s.mean_absolute = errors.sum().mean_absolute;
    s.rank_correlation = rank_correlation(predicted, measured);
    s.regret = regret_of(predicted, measured);
    const auto row_at = [&](const std::vector<double>& v) {
      return report.runs[members[static_cast<std::size_t>(std::min_element(v.begin(), v.end()) - v.begin())]].row_id;
    };
    s.picked_row = row_at(predicted);
    s.best_row = row_at(measured);
    report.sweeps.push_back(std::move(s));
  }
}

void add_families(run_report& report) {
  for (const char* family : {"A100", "H100", "B200", "GB200", "all"}) {
    const bool all = std::string(family) == "all";
    family_result f;
    f.family = family;
    error_list every;
    error_list dense;
    error_list moe;
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
      const posed_run& run = report.runs[i];
      if (!timed(run) || (!all && run.family != family)) continue;
      const run_prediction& p = report.predictions[i];
      every.add(error_of(run, p), run.row_id);
      (run.moe ? moe : dense).add(error_of(run, p), run.row_id);
      if (!(p.high > 0)) continue;
      ++f.with_interval;
      if (p.low <= run.measured_seconds && run.measured_seconds <= p.high) ++f.inside;
    }
    f.all = every.sum();
    f.dense = dense.sum();
    f.moe = moe.sum();
    report.families.push_back(std::move(f));
  }
}

void count_verdict(verdict_counts& counts, const posed_run& run, const run_prediction& p) {
  if (p.verdict.empty()) return;
  const bool out = p.verdict == "out of memory";
  const bool tight = p.verdict == "tight";
  if (run.out_of_memory) {
    ++(out ? counts.failed_out : tight ? counts.failed_tight : counts.failed_fits);
    if (!out && !tight) counts.missed.push_back(run.row_id);
  } else {
    ++(out ? counts.fitted_out : tight ? counts.fitted_tight : counts.fitted_fits);
    if (out) counts.alarms.push_back(run.row_id);
  }
}

void add_memory(run_report& report) {
  std::map<std::string, std::pair<std::string, error_list>> groups;
  error_list across;
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const posed_run& run = report.runs[i];
    const run_prediction& p = report.predictions[i];
    if (timed(run) && run.degrees.tp > run.domain_gpus) across.add(error_of(run, p), run.row_id);
    count_verdict(report.verdicts, run, p);
    if (run.measured_peak_bytes > 0 || run.out_of_memory) count_verdict(report.measured_memory, run, p);
    if (!(run.measured_peak_bytes > 0) || !(p.peak_bytes > 0)) continue;
    auto& [reading, errors] = groups[run.group];
    reading = run.memory_reading;
    errors.add(p.peak_bytes / run.measured_peak_bytes - 1, run.row_id);
  }
  report.tp_across_hosts = across.sum();
  for (const auto& [name, found] : groups) report.memory.push_back({name, found.first, found.second.sum()});
}

}  // namespace

run_report evaluate(std::vector<posed_run> runs, std::vector<unposed_run> not_posed, const predictor& predict) {
  run_report report;
  report.not_posed = std::move(not_posed);
  for (posed_run& run : runs) {
    run_prediction p;
    try {
      p = predict(run);
    } catch (const topoplan::error& e) {
      p.failed = e.what();
    }
    if (p.failed.empty() && !(p.seconds > 0)) p.failed = "no time predicted";
    if (!p.failed.empty()) {
      report.not_posed.push_back({run.row_id, run.group, run.source, "not predicted: " + p.failed});
      continue;
    }
    report.runs.push_back(std::move(run));
    report.predictions.push_back(std::move(p));
  }
  add_sweeps(report);
  add_groups(report);
  add_families(report);
  add_memory(report);
  return report;
}

}  // namespace accuracy
