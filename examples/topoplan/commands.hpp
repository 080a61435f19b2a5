// The commands of the program, apart from the command line: options in, text out, exit status back.
#pragma once

#include <topoplan/plan/rules.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace topoplan_cli {

// Where the cluster comes from: a spec or file, or the files that people have.
struct cluster_options {
  std::string cluster;                       // spec, or topoplan.cluster file
  std::vector<std::string> files;            // of any format, told by content
  std::vector<std::string> node_topologies;  // [HOSTS=]FILE
  std::vector<std::string> networks;
  std::string domains;     // file, or "none"
  std::string host_table;  // GUIDs and hosts
  std::string hosts;       // file or hostlist expression
  std::string exclude;     // file or hostlist expression
  std::string gpu;         // product name
  double nic_gbits = 0;    // rate of a NIC; 0: not given
  std::string format;      // instead of the one that the content shows
};

struct show_options {
  cluster_options cluster;
  bool json = false;
  bool sources = false;  // also where each fact about each host came from
};

struct job_options {
  std::uint32_t tp = 1;
  std::uint32_t cp = 1;
  std::uint32_t ep = 1;
  std::uint32_t expert_tp = 0;
  std::uint32_t dp = 0;
  std::uint32_t pp = 1;
  std::string order;
};

struct place_options {
  cluster_options cluster;
  job_options job;
  std::vector<std::string> confine;
  std::string launcher;
  std::string model;  // config.json, or the folder that holds it; empty: no workload
  std::string calibration;
  std::vector<std::pair<std::string, std::string>> settings;  // of training and fabric, by option
  std::vector<std::string> spares;                            // "8/domain", "1host/leaf"
  std::string mix;                                            // axes whose groups may hold several GPU models
  std::uint64_t seed = 1;
  bool thorough = false;
  double time_limit = 0;  // seconds; 0: none
  std::string out;
  std::vector<std::string> emit;  // launchers whose files --out writes
  bool force = false;
  bool json = false;
  bool groups = false;
};

struct lint_options {
  std::string layout;  // host list, SLURM_HOSTFILE, rankfile, rank_map.json, rank_map.bin or a directory that place wrote
  cluster_options cluster;
  job_options job;
  std::vector<std::string> degrees_given;  // names of the options that the command line held: "--tp", ..., "--order"
  std::string launched_by;
  std::string include;  // DeepSpeed's
  std::vector<std::string> confine;
  bool thorough = false;
  std::string out;  // a file of the layout's form, in the better order
  bool force = false;
  bool json = false;
};

struct emit_options {
  std::string rank_map;  // rank_map.json, rank_map.bin or a directory that place wrote
  std::string format;
  std::string out;  // a file; empty: stdout
  bool force = false;
};

struct predict_options {
  cluster_options cluster;
  job_options job;
  std::vector<std::string> degrees_given;  // names of the options that the command line held: "--tp", ...
  std::string model;                       // config.json, or the folder that holds it
  std::string plan;                        // rank_map.json, rank_map.bin or a directory that place wrote
  std::string calibration;
  std::vector<std::pair<std::string, std::string>> settings;  // of training and fabric, by option
  double storage_write = 0;                                   // bytes per second of all hosts together; 0: not given
  bool node_local = false;                                    // checkpoints stay on disks of the hosts
  std::string collective;                                     // time of one instead of a step
  std::string bytes;
  std::string group;
  bool json = false;
};

struct calibrate_options {
  std::string runs;
  std::string calibration;  // to start from
  std::string out;
  bool force = false;
  bool json = false;
};

// The rules that --confine names. errors: invalid_argument for what is none, and `none` beside others.
[[nodiscard]] std::vector<topoplan::confinement> confinements_of(const std::vector<std::string>& given);

// Exit status: 0 done, 1 an honest no. Bad usage and bad input throw topoplan::error, which main() turns into 2.
[[nodiscard]] int run_show(const show_options& options, std::ostream& out);
[[nodiscard]] int run_place(const place_options& options, std::ostream& out);
[[nodiscard]] int run_lint(const lint_options& options, std::ostream& out);
[[nodiscard]] int run_emit(const emit_options& options, std::ostream& out);
[[nodiscard]] int run_predict(const predict_options& options, std::ostream& out);
[[nodiscard]] int run_calibrate(const calibrate_options& options, std::ostream& out);

}  // namespace topoplan_cli
