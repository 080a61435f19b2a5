// What srun needs to start a rank map inside an allocation: a hostfile for -m arbitrary, and a wrapper that picks the GPU.
//
// Written against Slurm 22.05 to 26.05. With SLURM_HOSTFILE and -m arbitrary, line i of the file is the host of task i, and the
// file has as many lines as the step has tasks. SLURM_NODEID keeps the order of the node table: only SLURM_PROCID tells a rank.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/emit/detail/shell.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace topoplan::inline v1::emit {

// Where rank 0 listens.
struct slurm_options {
  std::string master_addr = {};  // empty: the host of rank 0, line 1 of the hostfile
  std::uint16_t master_port = 29500;
};

namespace detail {

// A name as a line of a hostfile. errors: invalid_argument if Slurm would read it as something else than one host.
[[nodiscard]] inline std::string_view hostfile_name(std::string_view name) {
  require_printable("host name", name);
  if (name.find_first_of(" ,*[]#") != std::string_view::npos)
    throw invalid_argument("host name " + quoted(name) + " can't stand in a Slurm hostfile: it holds one of ' ,*[]#'");
  return name;
}

// The smallest period in which the GPU indices repeat over the ranks, out of 1 and the numbers of ranks a host; else world().
[[nodiscard]] inline std::uint32_t gpu_period(const rank_map_view& map) {
  const auto repeats = [&](std::uint32_t period) {
    for (std::uint32_t r = period; r < map.world(); ++r)
      if (map.gpu_of(rank_id{r}) != map.gpu_of(rank_id{r - period})) return false;
    return true;
  };
  const auto first = static_cast<std::uint32_t>(map.ranks_on(host_id{0}).size());
  return repeats(first) ? first : map.world();
}

}  // namespace detail

// Writes the hostfile of a step with one task a GPU: line i is the host of rank i, nothing else.
// post: as many lines as ranks. complexity: O(ranks). errors: invalid_argument for a host name that Slurm reads otherwise.
// source: srun(1), SLURM_HOSTFILE.
inline void slurm_hostfile(std::ostream& out, const rank_map_view& map) {
  for (std::uint32_t r = 0; r < map.world(); ++r) out << detail::hostfile_name(map.host_name(map.host_of(rank_id{r}))) << '\n';
}

// Writes the hostfile of a step with one task a host, for launchers of one agent a host: task i runs on the i-th host, and
// SLURM_PROCID is the node rank. complexity: O(hosts). errors: as slurm_hostfile().
inline void slurm_hosts(std::ostream& out, const rank_map_view& map) {
  for (std::uint32_t h = 0; h < map.hosts(); ++h) out << detail::hostfile_name(map.host_name(host_id{h})) << '\n';
}

// Writes the wrapper that every task of the one-task-a-GPU step runs: `wrapper.sh COMMAND...`. Its table gives the rank's GPU by
// SLURM_PROCID. The command sees that GPU only, and RANK, WORLD_SIZE, LOCAL_RANK (0, the one GPU it sees), MASTER_ADDR and
// MASTER_PORT. What a batch script set before is overridden: the first host of SLURM_JOB_NODELIST isn't that of rank 0.
// pre: the step has --gpu-bind=none, so that every task may see all of its host's GPUs.
// post: CUDA_VISIBLE_DEVICES of task r is map.gpu_of(r). complexity: O(ranks).
// errors: invalid_argument for a host name with a control character.
inline void slurm_wrapper(std::ostream& out, const rank_map_view& map, const slurm_options& options = {}) {
  const std::string master = options.master_addr.empty() ? std::string(map.host_name(host_id{0})) : options.master_addr;
  detail::require_printable("master address", master);
  const std::uint32_t period = detail::gpu_period(map);
  out << "#!/bin/bash\n"
         "# Runs a command as the rank that SLURM_PROCID says, on the GPU that a topoplan rank map gives it.\n"
         "#   SLURM_HOSTFILE=hostfile srun --ntasks="
      << map.world() << " --distribution=arbitrary --gpu-bind=none wrapper.sh COMMAND...\n"
      << "# GPUs by rank";
  if (period != map.world()) out << "; the same for every " << period << " ranks";
  out << "\ngpus=(";
  for (std::uint32_t r = 0; r < period; ++r) out << (r % 32 == 0 ? '\n' : ' ') << map.gpu_of(rank_id{r});
  out << "\n)\nworld=" << map.world() << R"(
if [[ ! $SLURM_PROCID =~ ^[0-9]+$ ]] || ((SLURM_PROCID >= world)) || [[ ${SLURM_NTASKS:-$world} != "$world" ]]; then
  printf '%s: needs a step of %d tasks, started by srun; this is task %s of %s\n' \
    "$0" "$world" "${SLURM_PROCID:-(none)}" "${SLURM_NTASKS:-(none)}" >&2
  exit 2
fi
export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=${gpus[SLURM_PROCID % ${#gpus[@]}]}
export RANK=$SLURM_PROCID WORLD_SIZE=$world LOCAL_RANK=0
export MASTER_ADDR=)"
      << detail::shell_word(master) << " MASTER_PORT=" << options.master_port << "\nexec \"$@\"\n";
}

// Writes the script that starts the one-task-a-GPU step from inside an allocation: `srun.sh COMMAND...`, with `hostfile` and
// `wrapper.sh` in its folder. SRUN says which srun to start, and may be several words with further options.
// complexity: O(hosts). errors: none.
inline void slurm_run(std::ostream& out, const rank_map_view& map) {
  std::size_t most = 0;
  for (std::uint32_t h = 0; h < map.hosts(); ++h) most = std::max(most, map.ranks_on(host_id{h}).size());
  out << "#!/bin/bash\n"
         "# Starts a topoplan rank map, one task a GPU, inside an allocation: srun.sh COMMAND...\n"
         "# SRUN says which srun to start, and may be several words, such as 'srun --gpus-per-node="
      << most << "'.\n"
      << "folder=$(CDPATH= cd -- \"$(dirname -- \"${BASH_SOURCE[0]}\")\" && pwd -P) || exit 2\n"
         "for file in hostfile wrapper.sh; do\n"
         "  [[ -r $folder/$file ]] && continue\n"
         "  printf '%s: no %s beside this script, in %s\\n' \"$0\" \"$file\" \"$folder\" >&2\n"
         "  exit 2\n"
         "done\n"
         "export SLURM_HOSTFILE=$folder/hostfile\n"
         "exec ${SRUN:-srun} --nodes="
      << map.hosts() << " --ntasks=" << map.world()
      << " --distribution=arbitrary --gpu-bind=none bash \"$folder/wrapper.sh\" \"$@\"\n";
}

// The same for a plan. complexity, errors: as above.
inline void slurm_hostfile(std::ostream& out, const plan& p) { slurm_hostfile(out, p.rank_map); }
inline void slurm_hosts(std::ostream& out, const plan& p) { slurm_hosts(out, p.rank_map); }
inline void slurm_wrapper(std::ostream& out, const plan& p, const slurm_options& options = {}) {
  slurm_wrapper(out, p.rank_map, options);
}
inline void slurm_run(std::ostream& out, const plan& p) { slurm_run(out, p.rank_map); }

}  // namespace topoplan::inline v1::emit
