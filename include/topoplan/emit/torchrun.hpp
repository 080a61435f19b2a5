// The script that starts a rank map's processes with torchrun: static rendezvous, one script for all hosts.
//
// Written against torchrun of PyTorch 1.13 to 2.x: options are spelled with underscores, which every version takes, and the
// rendezvous is static, since c10d numbers hosts by name.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/emit/detail/shell.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace topoplan::inline v1::emit {

// One agent a host starts its ranks with LOCAL_RANK = place among the host's GPUs, and needs consecutive ranks on a host. One
// agent a GPU starts any map; there LOCAL_RANK is 0 and LOCAL_WORLD_SIZE 1 everywhere, and each process sees its own GPU only.
enum class torchrun_agents : std::uint8_t { as_needed, one_a_host, one_a_gpu };

// Where rank 0 listens, and how agents are started.
struct torchrun_options {
  std::string master_addr = {};  // empty: the host of rank 0
  std::uint16_t master_port = 29500;
  torchrun_agents agents = torchrun_agents::as_needed;  // one a host where the map allows it
};

namespace detail {

inline void write_torchrun_head(std::ostream& out, const rank_map_view& map) {
  out << "#!/bin/bash\n"
         "# Starts the ranks that a topoplan rank map puts on one host: "
      << map.world() << " ranks on " << map.hosts()
      << " hosts.\n"
         "#   run.sh HOST [torchrun options] SCRIPT [arguments]\n"
         "# HOST is a name below, with or without its domain. A later option wins, such as --master_addr=ADDRESS.\n"
         "# TORCHRUN says which torchrun to start, and may be several words.\n"
         "if (($# < 1)) || [[ $1 == -h || $1 == --help ]]; then\n"
         "  printf 'usage: %s HOST [torchrun options] SCRIPT [arguments]\\n' \"$0\" >&2\n"
         "  exit 2\n"
         "fi\n"
         "host=$1\n"
         "shift\n";
  write_host_arrays(out, map);
}

// The number of GPUs of the text that visible_gpus() made is what the agent starts.
inline void write_agent_a_host(std::ostream& out, const rank_map_view& map, const std::string& rendezvous) {
  const std::string usual = visible_gpus(map, host_id{0});
  out << find_host_lines << "gpus=" << usual << "\n"
      << "case $index in\n";
  for (std::uint32_t h = 1; h < map.hosts(); ++h) {
    const std::string gpus = visible_gpus(map, host_id{h});
    if (gpus != usual) out << h << ") gpus=" << gpus << " ;;\n";
  }
  out << "esac\n"
         "IFS=, read -ra each <<< \"$gpus\"\n"
         "export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=$gpus\n"
         "exec ${TORCHRUN:-torchrun} --nnodes="
      << map.hosts() << " --nproc_per_node=\"${#each[@]}\" --node_rank=\"$index\" " << rendezvous << " \"$@\"\n";
}

inline void write_agent_a_gpu(std::ostream& out, const rank_map_view& map, const std::string& rendezvous) {
  out << "# Of each host: its ranks, each with its GPU.\n";
  write_array(out, "seats", map.hosts(), [&](std::uint32_t h) {
    std::string text;
    for (const rank_id r : map.ranks_on(host_id{h}))
      (text += text.empty() ? "" : " ") += std::to_string(r.value) + ":" + std::to_string(map.gpu_of(r));
    return shell_word(text);
  });
  out << find_host_lines << R"(export CUDA_DEVICE_ORDER=PCI_BUS_ID
agents=()
status=0
stop() {
  ((status == 0)) && status=$1
  kill -TERM "${agents[@]}" 2> /dev/null
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM
start() {
  CUDA_VISIBLE_DEVICES=$gpu exec ${TORCHRUN:-torchrun} --nnodes=)"
      << map.world() << " --nproc_per_node=1 --node_rank=\"$rank\" " << rendezvous << R"( "$@"
}
for seat in ${seats[index]}; do
  ((status == 0)) || break
  rank=${seat%:*} gpu=${seat#*:}
  start "$@" &
  agents+=($!)
done
# The first agent that fails, or a signal, stops the others and gives the script's status. Old versions of bash forget an
# agent that ended before wait -n; so the wait has an end.
while ((${#agents[@]} > 0)); do
  running=()
  failed=0
  for agent in "${agents[@]}"; do
    if kill -0 "$agent" 2> /dev/null; then
      running+=("$agent")
    else
      wait "$agent"
      ended=$?
      ((ended != 0 && failed == 0)) && failed=$ended
    fi
  done
  agents=("${running[@]}")
  ((failed != 0)) && stop "$failed"
  ((${#agents[@]} > 0)) || break
  sleep 5 &
  timer=$!
  wait -n
  kill "$timer" && wait "$timer"
done 2> /dev/null
exit "$status"
)";
}

}  // namespace detail

// Writes run.sh: `bash run.sh HOST [torchrun options] SCRIPT [arguments]` starts the host's ranks. A host that holds none ends
// it with 2, or with 0 if all of the host's GPUs are spares. CUDA_VISIBLE_DEVICES holds the host's GPUs in launch order.
// post: RANK of every process is the map's rank, on the map's host and GPU. complexity: O(ranks).
// errors: invalid_argument if one agent a host was asked for and a host's ranks aren't consecutive, or a name holds a control
// character; then nothing useful was written.
// source: torch/distributed/elastic/agent/server/api.py: ranks of one agent are consecutive, agents in the order of node_rank.
inline void torchrun(std::ostream& out, const rank_map_view& map, const torchrun_options& options = {}) {
  if (options.agents == torchrun_agents::one_a_host && !map.contiguous()) {
    for (std::uint32_t r = 1; r < map.world(); ++r) {
      if (map.host_of(rank_id{r - 1}).value <= map.host_of(rank_id{r}).value) continue;
      throw invalid_argument("torchrun with one agent a host needs consecutive ranks on every host: rank " + std::to_string(r) +
                             " is back on host " + quoted(map.host_name(map.host_of(rank_id{r}))) + " after rank " +
                             std::to_string(r - 1) + " on " + quoted(map.host_name(map.host_of(rank_id{r - 1}))) +
                             "; use one agent a GPU");
    }
  }
  const std::string master = options.master_addr.empty() ? std::string(map.host_name(host_id{0})) : options.master_addr;
  detail::require_printable("master address", master);
  const std::string rendezvous =
      "--master_addr=" + detail::shell_word(master) + " --master_port=" + std::to_string(options.master_port);
  detail::write_torchrun_head(out, map);
  const bool agent_a_gpu =
      options.agents == torchrun_agents::one_a_gpu || (options.agents == torchrun_agents::as_needed && !map.contiguous());
  if (agent_a_gpu) detail::write_agent_a_gpu(out, map, rendezvous);
  else detail::write_agent_a_host(out, map, rendezvous);
}

// The same for a plan on its cluster: the master's address is the cluster's for the host of rank 0, where it has one, and a
// plan made for one agent a GPU is started so. complexity: O(ranks + hosts). errors: as above.
inline void torchrun(std::ostream& out, const plan& p, const cluster& c, torchrun_options options = {}) {
  const std::string_view first = p.rank_map.host_name(host_id{0});
  for (const host& h : c.hosts)
    if (options.master_addr.empty() && h.name == first) options.master_addr = h.address;
  if (options.agents == torchrun_agents::as_needed && p.launcher == launchers::torchrun_per_gpu)
    options.agents = torchrun_agents::one_a_gpu;
  torchrun(out, p.rank_map, options);
}

}  // namespace topoplan::inline v1::emit
