// What predictions of published runs are worth: errors by group and family, ranking, regret, intervals, memory.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pose.hpp"

namespace accuracy {

// What a model says of a run. `failed` tells why it says nothing.
struct run_prediction {
  double seconds = 0;
  double low = 0;  // of the interval stated
  double high = 0;
  double peak_bytes = 0;  // as the run's memory reading counts
  std::string verdict;    // "fits", "tight", "out of memory"; empty: none
  std::string failed;
};
using predictor = std::function<run_prediction(const posed_run&)>;

// --- Figures of any numbers --------------------------------------------------------------------------------------------------

// Ranks from 1; equal values share the mean of theirs. complexity: O(n log n). errors: none.
[[nodiscard]] std::vector<double> ranks_of(std::span<const double> values);

// Spearman's rank correlation; nothing for fewer than 3 values or where one side is constant.
// pre: a.size() == b.size(). complexity: O(n log n). errors: none.
[[nodiscard]] std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

// Measured time of the entry with the least predicted one, over the least measured one, less 1; the first of equals counts.
// pre: as many of both, at least one, all above 0. complexity: O(n). errors: none.
[[nodiscard]] double regret_of(std::span<const double> predicted, std::span<const double> measured);

// The value below which that part of the values lies, between neighbours by a straight line. pre: values not empty,
// 0 <= part <= 1. complexity: O(n log n). errors: none.
[[nodiscard]] double percentile(std::vector<double> values, double part);

// Errors are predicted over measured, less 1.
struct error_summary {
  std::size_t runs = 0;
  double mean_absolute = 0;
  double bias = 0;
  double median = 0;  // of absolute errors
  double p90 = 0;
  double worst = 0;  // with its sign
  int worst_row = 0;
};
[[nodiscard]] error_summary summarize(std::span<const double> errors, std::span<const int> row_ids);

// --- Results -----------------------------------------------------------------------------------------------------------------

// Runs of one model on the same GPUs that differ in their plan, compared by time per sample.
struct sweep_result {
  std::string name, group;
  std::size_t runs = 0;
  double mean_absolute = 0;
  std::optional<double> rank_correlation;
  double regret = 0;
  int picked_row = 0;
  int best_row = 0;
};

struct group_result {
  std::string group;
  std::size_t rows = 0;  // in the file
  std::vector<unposed_run> not_posed;
  error_summary time;
  std::optional<double> rank_correlation;
  std::optional<double> regret;  // the largest of the group's sweeps
};

struct family_result {
  std::string family;
  error_summary all, dense, moe;
  std::size_t inside = 0;  // measured times within the interval stated
  std::size_t with_interval = 0;
};

struct memory_result {
  std::string group;
  std::string reading;
  error_summary peak;
};

// Runs by what was measured and what was said.
struct verdict_counts {
  std::size_t failed_out = 0, failed_tight = 0, failed_fits = 0;
  std::size_t fitted_out = 0, fitted_tight = 0, fitted_fits = 0;
  std::vector<int> missed;  // ran out of memory, said to fit
  std::vector<int> alarms;  // fitted, said to be out of memory
};

struct run_report {
  std::vector<posed_run> runs;
  std::vector<run_prediction> predictions;  // one a run
  std::vector<unposed_run> not_posed;
  std::vector<group_result> groups;     // by name
  std::vector<family_result> families;  // A100, H100, B200, GB200; last: all together
  std::vector<sweep_result> sweeps;
  error_summary tp_across_hosts;  // runs whose TP group is wider than a host
  std::vector<memory_result> memory;
  verdict_counts verdicts;         // of all runs
  verdict_counts measured_memory;  // of runs that print a peak, and those that ran out of memory
};

// Predicts every run and sums up. complexity: O(runs log runs) and as many predictions. errors: none; what the predictor throws
// as topoplan::error becomes a reason not to pose the run.
[[nodiscard]] run_report evaluate(std::vector<posed_run> runs, std::vector<unposed_run> not_posed, const predictor& predict);

// --- Output ------------------------------------------------------------------------------------------------------------------

// The tables, with the bars and the best known figures beside; `left_out` holds the same runs predicted with a calibration that
// hasn't seen their source. Returns false where a bar is missed. errors: none.
bool print_report(std::ostream& out, const run_report& report, const run_report* left_out = nullptr);

// One line a run: group, row, measured and predicted time, error, remark. errors: none.
void print_runs(std::ostream& out, const run_report& report);

// A JSON object: groups, families, sweeps, intervals, memory; `left_out` as its own families. errors: none.
void write_json(std::ostream& out, const run_report& report, const run_report* left_out = nullptr);

}  // namespace accuracy
