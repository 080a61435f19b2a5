// Tables and JSON of a report on published runs.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string_view>

#include "statistics.hpp"

namespace accuracy {

namespace {

[[nodiscard]] std::string fixed(double value, int digits) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
  return buffer.data();
}
[[nodiscard]] std::string percent(double part, bool sign = false) {
  return (sign && part >= 0 ? "+" : "") + fixed(100 * part, 1);
}
[[nodiscard]] std::string optional_figure(const std::optional<double>& value, double factor, int digits) {
  return value ? fixed(*value * factor, digits) : "-";
}
[[nodiscard]] std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}
[[nodiscard]] std::string right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// A measured figure beside its bar. `least`: the bar is a lower bound.
struct bar {
  std::string figure, best_known;
  double value = 0;
  double bound = 0;
  bool least = false;
  bool known = true;
};

// Returns false where the bar is missed.
bool print_bar(std::ostream& out, const bar& b, std::string_view unit) {
  const bool met = b.least ? b.value >= b.bound : b.value <= b.bound;
  out << "  " << padded(b.figure, 58) << right(b.known ? fixed(b.value, 2) : "-", 8) << "  bar "
      << right((b.least ? ">= " : "<= ") + fixed(b.bound, 2), 9) << " " << padded(std::string(unit), 3)
      << (!b.known ? "not measured"
          : met    ? "met"
                   : "missed")
      << "; best known " << b.best_known << "\n";
  return met || !b.known;
}

[[nodiscard]] const family_result* family_of(const run_report* report, std::string_view name) {
  if (report == nullptr) return nullptr;
  for (const family_result& f : report->families)
    if (f.family == name) return &f;
  return nullptr;
}

struct family_bar {
  std::string_view family, title, best, best_left_out;
  double bound, bound_left_out;
};
constexpr std::array family_bars{
    family_bar{"A100", "A100", "Calculon 10-27, prototype 6.8", "prototype 8.4", 6.5, 8},
    family_bar{"H100", "H100 + H200", "prototype 7.3", "prototype 12.2", 7, 11},
    family_bar{"B200", "B200 + B300", "prototype 7.0", "prototype 15.1", 7, 13},
    family_bar{"GB200", "GB200 + GB300", "prototype 12.1", "prototype 18.3", 11, 16},
};

struct memory_bar {
  std::string_view group, best;
  double bound;
};
constexpr std::array memory_bars{
    memory_bar{"simumax-b200", "prototype 3.5", 3},
    memory_bar{"bigscience-sweep", "Calculon -35, prototype 4.9", 5},
    memory_bar{"torchtitan", "prototype 17", 10},
};

bool print_bars(std::ostream& out, const run_report& report, const run_report* left_out) {
  out << "bars\n";
  bool met = true;
  for (const family_bar& f : family_bars) {
    const family_result* r = family_of(&report, f.family);
    const std::string title(f.title);
    const bool known = r != nullptr && r->all.runs > 0;
    met &= print_bar(out,
                     {"step time, mean absolute error, " + title, std::string(f.best), known ? 100 * r->all.mean_absolute : 0,
                      f.bound, false, known},
                     "%");
    const bool dense = r != nullptr && r->dense.runs > 0;
    met &=
        print_bar(out, {"  dense models", "prototype 3.2 - 6.8", dense ? 100 * r->dense.mean_absolute : 0, 5, false, dense}, "%");
    const family_result* l = family_of(left_out, f.family);
    const bool left = l != nullptr && l->all.runs > 0;
    met &= print_bar(out,
                     {"  source left out of the calibration", std::string(f.best_left_out), left ? 100 * l->all.mean_absolute : 0,
                      f.bound_left_out, false, left},
                     "%");
  }
  const family_result* inside = family_of(left_out, "all");
  const bool stated = inside != nullptr && inside->with_interval > 0;
  const double share = stated ? 100.0 * static_cast<double>(inside->inside) / static_cast<double>(inside->with_interval) : 0;
  met &= print_bar(
      out, {"measured times inside the 80 % interval, sources left out", "nobody states one", share, 75, true, stated}, "%");
  met &= print_bar(out, {"  the same, not too wide", "nobody states one", share, 85, false, stated}, "%");
  for (const sweep_result& s : report.sweeps) {
    if (s.group == "vtrain-multi" && s.runs >= 40)
      met &= print_bar(
          out, {"rank correlation, " + s.name, "0.43, prototype 0.67", s.rank_correlation.value_or(0), 0.75, true, true}, "");
  }
  double regret = 0;
  for (const sweep_result& s : report.sweeps) regret = std::max(regret, s.regret);
  met &= print_bar(out, {"largest regret of a sweep", "8.2, prototype 4.5", 100 * regret, 3, false, !report.sweeps.empty()}, "%");
  met &= print_bar(out,
                   {"TP groups across hosts, worst error", "+45 ... +70, prototype 9",
                    100 * std::abs(report.tp_across_hosts.worst), 10, false, report.tp_across_hosts.runs > 0},
                   "%");
  const verdict_counts& v = report.measured_memory;
  const std::size_t failed = v.failed_out + v.failed_tight + v.failed_fits;
  met &= print_bar(out,
                   {"out-of-memory runs said to fit, of " + std::to_string(failed), "3 of 3, prototype 1 of 3",
                    static_cast<double>(v.failed_fits), 0, false, failed > 0},
                   "");
  const std::size_t read = v.fitted_out + v.fitted_tight + v.fitted_fits;
  met &= print_bar(out,
                   {"runs with a printed peak said to be out, of " + std::to_string(read), "0", static_cast<double>(v.fitted_out),
                    0, false, read > 0},
                   "");
  const std::size_t fitted = report.verdicts.fitted_out + report.verdicts.fitted_tight + report.verdicts.fitted_fits;
  met &= print_bar(out,
                   {"runs that fitted said to be out, of " + std::to_string(fitted), "0",
                    static_cast<double>(report.verdicts.fitted_out), 0, false, fitted > 0},
                   "");
  for (const memory_bar& m : memory_bars) {
    const auto found =
        std::find_if(report.memory.begin(), report.memory.end(), [&](const auto& r) { return r.group == m.group; });
    const bool known = found != report.memory.end();
    met &= print_bar(out,
                     {"peak memory, mean absolute error, " + std::string(m.group), std::string(m.best),
                      known ? 100 * found->peak.mean_absolute : 0, m.bound, false, known},
                     "%");
  }
  return met;
}

void print_summary(std::ostream& out, const error_summary& e) {
  out << right(std::to_string(e.runs), 5);
  if (e.runs == 0) return;
  out << right(percent(e.mean_absolute), 8) << right(percent(e.bias, true), 8) << right(percent(e.median), 8)
      << right(percent(e.p90), 8) << right(percent(e.worst, true), 9) << " (" << e.worst_row << ")";
}

[[nodiscard]] std::string escaped(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) out += ' ';
    else out += c;
  }
  return out + "\"";
}
[[nodiscard]] std::string number(double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", value);
  return std::isfinite(value) ? buffer.data() : "null";
}
[[nodiscard]] std::string number(const std::optional<double>& value) { return value ? number(*value) : "null"; }

void write_summary(std::ostream& out, const error_summary& e) {
  out << "\"runs\": " << e.runs;
  const auto figure = [&](const char* name, double value) {
    out << ", \"" << name << "\": " << (e.runs == 0 ? "null" : number(value));
  };
  figure("mean_absolute_error", e.mean_absolute);
  figure("bias", e.bias);
  figure("median_absolute_error", e.median);
  figure("p90_absolute_error", e.p90);
  figure("worst_error", e.worst);
  out << ", \"worst_row\": " << (e.runs == 0 ? "null" : std::to_string(e.worst_row));
}

// Writes what `one` writes for every item, with commas, as a list.
template <class Items, class One> void write_list(std::ostream& out, const Items& items, const char* indent, const One& one) {
  out << "[";
  bool first = true;
  for (const auto& item : items) {
    out << (first ? "\n" : ",\n") << indent;
    one(item);
    first = false;
  }
  out << "]";
}

void write_families(std::ostream& out, const run_report& report) {
  write_list(out, report.families, "    ", [&](const family_result& f) {
    out << "{\"family\": " << escaped(f.family) << ", ";
    write_summary(out, f.all);
    for (const auto& [name, part] : {std::pair{"dense", &f.dense}, std::pair{"moe", &f.moe}}) {
      out << ", \"" << name << "\": {";
      write_summary(out, *part);
      out << "}";
    }
    out << ", \"with_interval\": " << f.with_interval << ", \"inside_interval\": " << f.inside << "}";
  });
}

void write_verdicts(std::ostream& out, const verdict_counts& v) {
  out << "{\"out_of_memory\": {\"out\": " << v.failed_out << ", \"tight\": " << v.failed_tight << ", \"fits\": " << v.failed_fits
      << "}, \"fitted\": {\"out\": " << v.fitted_out << ", \"tight\": " << v.fitted_tight << ", \"fits\": " << v.fitted_fits
      << "}, \"missed\": ";
  write_list(out, v.missed, "", [&](int row) { out << row; });
  out << ", \"false_alarms\": ";
  write_list(out, v.alarms, "", [&](int row) { out << row; });
  out << "}";
}

}  // namespace

bool print_report(std::ostream& out, const run_report& report, const run_report* left_out) {
  out << "step time by group: predicted over measured, less 1, in percent\n"
      << "  " << padded("group", 24) << " rows posed     MAE    bias  median     p90    worst (row)   rank  regret\n";
  for (const group_result& g : report.groups) {
    out << "  " << padded(g.group, 24) << right(std::to_string(g.rows), 5);
    print_summary(out, g.time);
    out << "  " << right(optional_figure(g.rank_correlation, 1, 2), 6) << right(optional_figure(g.regret, 100, 1), 7) << "\n";
  }
  out << "\nstep time by family\n";
  for (const family_result& f : report.families) {
    for (const auto& [name, part] : {std::pair{"", &f.all}, std::pair{" dense", &f.dense}, std::pair{" experts", &f.moe}}) {
      out << "  " << padded(f.family + name, 29);
      print_summary(out, *part);
      out << "\n";
    }
    if (f.with_interval > 0)
      out << "    inside the interval: " << f.inside << " of " << f.with_interval << " ("
          << percent(static_cast<double>(f.inside) / static_cast<double>(f.with_interval)) << " %)\n";
  }
  out << "\nplans of one model on the same GPUs\n";
  for (const sweep_result& s : report.sweeps)
    out << "  " << padded(s.group, 20) << padded(s.name, 72) << right(std::to_string(s.runs), 4) << " runs, MAE "
        << percent(s.mean_absolute) << " %, rank " << optional_figure(s.rank_correlation, 1, 2) << ", regret "
        << percent(s.regret) << " % (picks " << s.picked_row << ", best " << s.best_row << ")\n";
  out << "\npeak memory by group\n";
  for (const memory_result& m : report.memory) {
    out << "  " << padded(m.group + " (" + m.reading + ")", 29);
    print_summary(out, m.peak);
    out << "\n";
  }
  out << "\nmemory verdicts: ran out of memory: " << report.verdicts.failed_out << " out, " << report.verdicts.failed_tight
      << " tight, " << report.verdicts.failed_fits << " fits; fitted: " << report.verdicts.fitted_out << " out, "
      << report.verdicts.fitted_tight << " tight, " << report.verdicts.fitted_fits << " fits\n";
  for (const int row : report.verdicts.alarms) out << "  row " << row << " fitted and is said to be out of memory\n";
  for (const int row : report.verdicts.missed) out << "  row " << row << " ran out of memory and is said to fit\n";
  out << "\nrows not posed: " << report.not_posed.size() << "\n";
  for (const unposed_run& u : report.not_posed) out << "  row " << u.row_id << " " << u.group << ": " << u.why << "\n";
  out << "\n";
  return print_bars(out, report, left_out);
}

void print_runs(std::ostream& out, const run_report& report) {
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    const posed_run& r = report.runs[i];
    const run_prediction& p = report.predictions[i];
    out << right(std::to_string(r.row_id), 5) << " " << padded(r.group, 20) << padded(r.model, 28) << padded(r.gpu, 14)
        << right(r.measured_seconds > 0 ? fixed(r.measured_seconds, 3) : "-", 9) << right(fixed(p.seconds, 3), 9)
        << right(r.measured_seconds > 0 ? percent(p.seconds / r.measured_seconds - 1, true) : "-", 8);
    if (r.measured_peak_bytes > 0)
      out << "  memory " << fixed(r.measured_peak_bytes / 1073741824.0, 1) << " " << fixed(p.peak_bytes / 1073741824.0, 1) << " "
          << percent(p.peak_bytes / r.measured_peak_bytes - 1, true);
    if (!r.remark.empty()) out << "  ! " << r.remark;
    out << "\n";
  }
}

void write_json(std::ostream& out, const run_report& report, const run_report* left_out) {
  out << "{\"posed\": " << report.runs.size() << ", \"not_posed\": " << report.not_posed.size() << ",\n  \"groups\": ";
  write_list(out, report.groups, "    ", [&](const group_result& g) {
    out << "{\"group\": " << escaped(g.group) << ", \"rows\": " << g.rows << ", ";
    write_summary(out, g.time);
    out << ", \"rank_correlation\": " << number(g.rank_correlation) << ", \"regret\": " << number(g.regret)
        << ", \"not_posed\": ";
    write_list(out, g.not_posed, "      ",
               [&](const unposed_run& u) { out << "{\"row_id\": " << u.row_id << ", \"why\": " << escaped(u.why) << "}"; });
    out << "}";
  });
  out << ",\n  \"families\": ";
  write_families(out, report);
  if (left_out != nullptr) {
    out << ",\n  \"families_source_left_out\": ";
    write_families(out, *left_out);
  }
  out << ",\n  \"sweeps\": ";
  write_list(out, report.sweeps, "    ", [&](const sweep_result& s) {
    out << "{\"sweep\": " << escaped(s.name) << ", \"group\": " << escaped(s.group) << ", \"runs\": " << s.runs
        << ", \"mean_absolute_error\": " << number(s.mean_absolute) << ", \"rank_correlation\": " << number(s.rank_correlation)
        << ", \"regret\": " << number(s.regret) << ", \"picked_row\": " << s.picked_row << ", \"best_row\": " << s.best_row
        << "}";
  });
  out << ",\n  \"tp_across_hosts\": {";
  write_summary(out, report.tp_across_hosts);
  out << "},\n  \"memory\": ";
  write_list(out, report.memory, "    ", [&](const memory_result& m) {
    out << "{\"group\": " << escaped(m.group) << ", \"reading\": " << escaped(m.reading) << ", ";
    write_summary(out, m.peak);
    out << "}";
  });
  out << ",\n  \"verdicts\": ";
  write_verdicts(out, report.verdicts);
  out << "}";
}

}  // namespace accuracy
