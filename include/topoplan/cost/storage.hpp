// Checkpoints and data: how much is written, how long it stalls, how often it should be, what failures cost, what to read.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/workload/training.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// What a checkpoint holds: 16-bit weights to use a model, or all that training goes on from.
enum class checkpoint_content : std::uint8_t { weights, training_state };

// Who writes it: one rank that gathers everything, the ranks of one replica, or all ranks an equal share each.
enum class checkpoint_writers : std::uint8_t { one_rank, one_replica, all_ranks };

// Bytes of a checkpoint for each parameter that is trained.
// units: bytes. complexity: O(1). errors: none. source: 2 (weights) + 4 (master copy) + the optimizer's moments; Adam: 14.
[[nodiscard]] constexpr std::uint64_t checkpoint_bytes_per_parameter(const training& t, checkpoint_content content) noexcept {
  if (content == checkpoint_content::weights) return 2;
  const std::uint64_t kept = t.master_weights ? 6 : 2;
  switch (t.optimizer) {
    case optimizer_kind::adam: return kept + 8;
    case optimizer_kind::adam_bf16_moments: return kept + 4;
    case optimizer_kind::adam_8bit: return kept + 2;
    case optimizer_kind::sgd_momentum:
    case optimizer_kind::muon: return kept + 4;
  }
  return kept;
}

// A checkpoint and how it is cut. units: bytes.
struct checkpoint {
  bytes total{};
  bytes per_writer{};
  std::uint32_t writers = 1;
};

// The checkpoint of a job. `parameters`: those that are trained, of adapters alone with LoRA; `replica_ranks`: ranks of one
// data-parallel replica, tp * cp * pp.
// pre: 0 < replica_ranks <= ranks. units: bytes. complexity: O(1). errors: none.
[[nodiscard]] constexpr checkpoint checkpoint_of(std::uint64_t parameters, const training& t, std::uint32_t replica_ranks,
                                                 std::uint32_t ranks,
                                                 checkpoint_content content = checkpoint_content::training_state,
                                                 checkpoint_writers writers = checkpoint_writers::all_ranks) noexcept {
  checkpoint c;
  c.total = bytes{parameters * checkpoint_bytes_per_parameter(t, content)};
  c.writers = writers == checkpoint_writers::one_rank ? 1 : writers == checkpoint_writers::one_replica ? replica_ranks : ranks;
  c.per_writer = bytes{(c.total.value + c.writers - 1) / c.writers};
  return c;
}

// What checkpoints and data are kept on. A rate of 0 sets no limit. units: bytes per second.
struct storage_rates {
  bytes_per_second host_read{};  // of one host
  bytes_per_second host_write{};
  bytes_per_second total_read{};  // of all hosts together
  bytes_per_second total_write{};
  bool node_local = false;  // disks in the hosts, which a lost host takes with it
};

namespace detail {

[[nodiscard]] constexpr seconds transfer_time(bytes total, std::uint64_t hosts, bytes_per_second of_host,
                                              bytes_per_second of_all) noexcept {
  double time = 0;
  if (of_host.value > 0) time = static_cast<double>(total.value) / (static_cast<double>(hosts) * of_host.value);
  if (of_all.value > 0) time = std::max(time, static_cast<double>(total.value) / of_all.value);
  return seconds{time};
}

}  // namespace detail

// How long writing takes; with `gpus_per_host`, how many of the writers share a host's rate.
// pre: gpus_per_host > 0. units: seconds. complexity: O(1). errors: none.
[[nodiscard]] constexpr seconds write_time(const checkpoint& c, const storage_rates& s, std::uint32_t gpus_per_host) noexcept {
  return detail::transfer_time(c.total, (c.writers + gpus_per_host - 1) / gpus_per_host, s.host_write, s.total_write);
}

// How long all hosts take to read an amount, evenly spread: a checkpoint once, or as often as it is read where each replica
// reads its own. pre: hosts > 0. units: seconds. complexity: O(1). errors: none.
[[nodiscard]] constexpr seconds read_time(bytes amount, const storage_rates& s, std::uint32_t hosts) noexcept {
  return detail::transfer_time(amount, hosts, s.host_read, s.total_read);
}

// Rates at which a GPU copies its states to host memory. units: bytes per second.
// source: PCIe 4 and 5 with 16 lanes, as copies of large tensors reach them.
inline constexpr bytes_per_second snapshot_rate_pcie4 = gigabytes_per_second(25);
inline constexpr bytes_per_second snapshot_rate_pcie5 = gigabytes_per_second(55);

// How long the step stands still while every GPU copies its share to host memory. units: seconds. complexity: O(1). errors: none.
[[nodiscard]] constexpr seconds snapshot_time(const checkpoint& c, bytes_per_second rate_of_gpu) noexcept {
  return c.per_writer / rate_of_gpu;
}

// Failures of hosts that stop a job. units: per 1,000 host-days.
struct failure_rate {
  double per_1000_host_days = 0;
  std::string_view source;
};
inline constexpr failure_rate failures_llama3 = {3.8, "Llama 3 405B: 419 unexpected stops of 2,048 hosts in 54 days"};
inline constexpr failure_rate failures_rsc1 = {6.5, "Meta RSC-1, 16,000 A100 in 11 months"};
inline constexpr failure_rate failures_rsc2 = {2.3, "Meta RSC-2, 8,000 A100 in 11 months"};

// The mean time between failures of a job: it falls with the number of hosts. Small jobs fail for other reasons too: at 128
// hosts RSC measured a quarter of it. pre: hosts > 0, rate > 0. units: seconds. complexity: O(1). errors: none.
// source: Kokolis et al., "Revisiting reliability in large-scale machine learning research clusters", 2024.
[[nodiscard]] constexpr seconds mean_time_between_failures(double hosts, const failure_rate& r) noexcept {
  return seconds{1000 * 86400 / (r.per_1000_host_days * hosts)};
}

// The interval between checkpoints that loses least, to the first order: sqrt(2 C M), C the stall of one, M the mean time
// between failures. units: seconds. complexity: O(1). errors: none. source: Young, 1974.
[[nodiscard]] inline seconds young_interval(seconds stall, seconds between_failures) noexcept {
  return seconds{std::sqrt(2 * stall.value * between_failures.value)};
}

// The same to a higher order; M where a checkpoint takes longer than 2 M. units: seconds. complexity: O(1). errors: none.
// source: Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", 2006, equation 37.
[[nodiscard]] inline seconds daly_interval(seconds stall, seconds between_failures) noexcept {
  const double c = stall.value;
  const double m = between_failures.value;
  if (c >= 2 * m) return between_failures;
  const double r = std::sqrt(c / (2 * m));
  return seconds{std::sqrt(2 * c * m) * (1 + r / 3 + r * r / 9) - c};
}

// The part of a job's time that checkpoints and failures take: stalls, work done again, restarts. `drain`: how long a checkpoint
// needs behind its stall until it counts. pre: interval > 0. complexity: O(1). errors: none.
// source: C/tau + (tau/2 + drain)/M + R/M; exact only while the result is small.
[[nodiscard]] constexpr double lost_fraction(seconds interval, seconds stall, seconds between_failures, seconds restart = {},
                                             seconds drain = {}) noexcept {
  return stall / interval + (interval.value / 2 + drain.value + restart.value) / between_failures.value;
}

// Bytes of a token in a file of token numbers: 2 where all numbers fit, else 4.
// units: bytes. complexity: O(1). errors: none. source: Megatron-LM core/datasets/indexed_dataset.py.
[[nodiscard]] constexpr std::uint32_t bytes_per_token(std::uint32_t vocabulary) noexcept { return vocabulary < 65'500 ? 2 : 4; }

// The rate at which training reads tokens. units: bytes per second. complexity: O(1). errors: none.
[[nodiscard]] constexpr bytes_per_second data_rate(double tokens_per_second, double bytes_per_token) noexcept {
  return bytes_per_second{tokens_per_second * bytes_per_token};
}

// How well storage serves a cluster.
enum class storage_grade : std::uint8_t { below, good, better, best };

// "below good", "good", "better", "best". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(storage_grade g) noexcept {
  constexpr std::string_view names[] = {"below good", "good", "better", "best"};
  return names[static_cast<std::uint8_t>(g)];
}

// Aggregate rates to aim for. units: bytes per second.
struct storage_target {
  bytes_per_second read{};
  bytes_per_second write{};
};

// The target of a grade for that many hosts of 8 GPUs: what one host needs, or a share of what 32 need, whichever is more.
// units: bytes per second. complexity: O(1). errors: none; `below` has no target: 0.
// source: NVIDIA DGX SuperPOD H100 reference architecture, table 6, whose four units need four times what one does.
[[nodiscard]] constexpr storage_target storage_target_of(storage_grade grade, double hosts) noexcept {
  constexpr std::array<std::array<double, 4>, 4> gigabytes = {
      {{0, 0, 0, 0}, {4, 2, 15, 7}, {8, 4, 40, 20}, {40, 20, 125, 62}}};  // one host read, write; 32 hosts read, write
  const auto& row = gigabytes[static_cast<std::size_t>(grade)];
  return {gigabytes_per_second(std::max(row[0], row[2] * hosts / 32)),
          gigabytes_per_second(std::max(row[1], row[3] * hosts / 32))};
}

// The best grade whose targets both rates meet. complexity: O(1). errors: none.
[[nodiscard]] constexpr storage_grade grade_storage(bytes_per_second total_read, bytes_per_second total_write,
                                                    double hosts) noexcept {
  for (const auto grade : {storage_grade::best, storage_grade::better, storage_grade::good}) {
    const auto target = storage_target_of(grade, hosts);
    if (total_read >= target.read && total_write >= target.write) return grade;
  }
  return storage_grade::below;
}

// What a plan for checkpoints starts from. units: as named.
struct checkpoint_request {
  checkpoint what;
  storage_rates storage;
  std::uint32_t hosts = 1;
  std::uint32_t gpus_per_host = 8;
  failure_rate failures = failures_llama3;
  bool asynchronous = true;  // a snapshot to host memory, drained while training goes on
  bytes_per_second snapshot_rate = snapshot_rate_pcie4;
  seconds fixed_stall = seconds{1};         // of each checkpoint, beside its bytes: ranks agree, files are opened; assumed
  seconds restart_overhead = seconds{300};  // finding the fault, starting processes and communicators, without reading
  double read_copies = 1;                   // how often the checkpoint is read at a restart: replicas that each read their own
};

// When to write checkpoints, and what that costs. units: as named.
struct checkpoint_plan {
  seconds stall{};  // of the step, for each checkpoint
  seconds drain{};  // behind the stall, until the checkpoint is safe
  seconds between_failures{};
  seconds interval{};  // Daly's, or the drain where that is longer
  seconds restart{};
  double lost = 0;      // part of the job's time
  bytes host_memory{};  // of one host, for snapshots
  std::vector<std::string> warnings;
};

// Plans the checkpoints of a job. complexity: O(1). errors: invalid_argument without hosts, a failure rate, a snapshot rate or
// any rate of writing.
[[nodiscard]] inline checkpoint_plan plan_checkpoints(const checkpoint_request& r) {
  if (r.hosts == 0 || r.gpus_per_host == 0) throw invalid_argument("checkpoints of a job without hosts or GPUs");
  if (!(r.failures.per_1000_host_days > 0)) throw invalid_argument("a failure rate is above 0 per 1,000 host-days");
  if (!(r.storage.host_write.value > 0) && !(r.storage.total_write.value > 0))
    throw invalid_argument("a rate of writing, of a host or of all, is needed to plan checkpoints");
  if (r.asynchronous && !(r.snapshot_rate.value > 0)) throw invalid_argument("a snapshot rate is above 0");
  checkpoint_plan p;
  const seconds write = write_time(r.what, r.storage, r.gpus_per_host);
  p.stall = r.fixed_stall + (r.asynchronous ? snapshot_time(r.what, r.snapshot_rate) : write);
  p.drain = r.asynchronous ? write : seconds{};
  p.between_failures = mean_time_between_failures(r.hosts, r.failures);
  const seconds best = daly_interval(p.stall, p.between_failures);
  p.interval = std::max(best, p.drain + p.stall);
  const auto read = static_cast<std::uint64_t>(static_cast<double>(r.what.total.value) * r.read_copies);
  p.restart = r.restart_overhead + read_time(bytes{read}, r.storage, r.hosts);
  p.lost = lost_fraction(p.interval, p.stall, p.between_failures, p.restart, p.drain);
  if (r.asynchronous) p.host_memory = r.what.per_writer * std::min(r.gpus_per_host, r.what.writers);
  const auto whole = [](double value) { return std::to_string(std::llround(value)); };
  if (p.drain > best) {
    p.warnings.push_back("draining a checkpoint takes " + whole(p.drain.value) + " s, longer than the best interval of " +
                         whole(best.value) + " s: faster storage or fewer bytes would let checkpoints be that frequent");
  }
  if (p.stall.value > 0.05 * p.interval.value) {
    p.warnings.push_back("each checkpoint stops the step for " + whole(p.stall.value) + " s, " +
                         whole(100 * (p.stall / p.interval)) + " % of the interval" +
                         (r.asynchronous ? "" : ": an asynchronous copy to host memory would stop it for less"));
  }
  if (r.storage.node_local) {
    p.warnings.push_back(
        "checkpoints are on disks of the hosts only: a lost host takes its part with it, and the rest is no checkpoint; copy "
        "each "
        "to shared storage or to another host");
  }
  return p;
}

// How training samples are stored. units: as named.
struct sample_files {
  double tokens_per_second = 0;
  double bytes_per_token = 4;
  double samples_per_second = 0;
  bool one_file_each = false;
};

// What is wrong with the way that data is read, in words; empty: nothing. complexity: O(1). errors: none.
[[nodiscard]] inline std::vector<std::string> data_warnings(const sample_files& d, const storage_rates& s, std::uint32_t hosts) {
  std::vector<std::string> warnings;
  const auto need = data_rate(d.tokens_per_second, d.bytes_per_token);
  const double of_hosts = s.host_read.value * hosts;
  const double available = s.total_read.value <= 0 ? of_hosts
                           : of_hosts <= 0         ? s.total_read.value
                                                   : std::min(of_hosts, s.total_read.value);
  const auto megabytes = [](double rate) { return std::to_string(std::llround(rate / 1e6)) + " MB/s"; };
  if (available > 0 && need.value > available)
    warnings.push_back("training reads " + megabytes(need.value) + ", storage gives " + megabytes(available));
  const double sample = d.samples_per_second > 0 ? need.value / d.samples_per_second : 0;
  if (d.one_file_each && sample < 1e6) {
    warnings.push_back(
        "each sample is a file of its own, of about " + std::to_string(std::llround(sample / 1e3)) +
        " kB: " + std::to_string(std::llround(d.samples_per_second)) +
        " files a second are opened, which metadata servers feel before any disk does; pack samples into shards of "
        "100 MB or more (indexed token files, tar shards) that are read in order");
  }
  return warnings;
}

}  // namespace topoplan::inline v1
