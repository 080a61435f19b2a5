// What each launcher makes of a host list: the order of the hosts, the ranks of each, and the GPU of each local rank.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/detail/deepspeed_include.hpp>
#include <topoplan/import/detail/launch_entries.hpp>
#include <topoplan/import/detail/process_block.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/launch_method.hpp>
#include <topoplan/import/rank_seats.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace topoplan::inline v1::import::detail {

// The entries as each launcher joins those of one host.
// source: Open MPI (a host without slots= counts one more slot each time, with slots= twice mpirun stops; run with 4.1.4);
// MPICH Hydra (entries side by side are one proxy, others start a second one; run with 4.0.2).
[[nodiscard]] inline std::vector<process_block> joined(const rank_seats& seats, const host_list& list,
                                                       const hosts_of_cluster& hosts) {
  const bool adds = seats.method == launch_method::openmpi || seats.method == launch_method::openmpi_by_node;
  std::vector<process_block> blocks;
  constexpr std::size_t none = ~std::size_t{0};
  std::vector<std::size_t> block_of(hosts.of().hosts.size(), none);
  bool repeated = false;
  for (const listed_host& entry : list.hosts) {
    const location where{seats.source, entry.line, 0};
    const host_id h = hosts.find(entry.name, where);
    std::size_t& known = block_of[h.value];
    const std::size_t slots = entry.slots.value_or(1);
    if (known != none) {
      process_block& last = blocks[known];
      repeated = true;
      if (seats.method != launch_method::mpich && (!adds || entry.slots || last.counted))
        throw parse_error(where, "each host once",
                          quoted(entry.name) + " again, which line " + std::to_string(last.line) + " names");
      if (adds || known + 1 == blocks.size()) {
        last.processes += slots;
        continue;
      }
    }
    known = blocks.size();
    blocks.push_back({entry.name, entry.line, h, slots, entry.slots.has_value(), {}});
  }
  if (repeated)
    for (process_block& b : blocks) b.counted = true;
  return blocks;
}

// How many processes a host runs where no entry says it.
inline void assume_processes(rank_seats& seats, std::vector<process_block>& blocks, const hosts_of_cluster& hosts,
                             std::uint32_t ranks) {
  std::size_t all = 0;
  std::size_t least = ~std::size_t{0};
  for (const process_block& b : blocks) {
    all += hosts.healthy(b.host);
    least = std::min(least, hosts.healthy(b.host));
  }
  const std::size_t each = ranks / blocks.size();
  const bool shared = ranks != 0 && all != ranks && ranks % blocks.size() == 0 && each <= least;
  for (process_block& b : blocks) b.processes = shared ? each : hosts.healthy(b.host);
  seats.notes.push_back("the file doesn't say how many processes a host runs: " +
                        (shared ? std::to_string(each) + " each, as the degrees make" : "one for each healthy GPU") +
                        " is assumed");
}

// Ranks of the blocks one after the other. source: torchrun (base rank of an agent = sum of the local world sizes before it),
// Open MPI --map-by slot, Hydra, DeepSpeed's world_info.
inline void seat_in_blocks(rank_seats& seats, const std::vector<process_block>& blocks) {
  for (const process_block& b : blocks)
    for (std::size_t i = 0; i < b.processes; ++i) {
      // DeepSpeed's launcher takes the rank modulo the processes of the host, which turns the GPUs after an uneven host
      // (DeepSpeed issue 3408).
      const std::size_t local = seats.method == launch_method::deepspeed ? seats.ranks.size() % b.processes : i;
      seats.ranks.push_back({b.host, b.gpus[local], b.line});
    }
}

// Open MPI --map-by node: one rank a host in turn, full hosts left out.
inline void seat_round_robin(rank_seats& seats, const std::vector<process_block>& blocks) {
  std::size_t widest = 0;
  for (const process_block& b : blocks) widest = std::max(widest, b.processes);
  for (std::size_t i = 0; i < widest; ++i)
    for (const process_block& b : blocks)
      if (i < b.processes) seats.ranks.push_back({b.host, b.gpus[i], b.line});
}

// Seats the processes of a host list. errors: see rank_layout().
inline void seat_hosts(rank_seats& seats, const host_list& list, const hosts_of_cluster& hosts, const std::string& include,
                       std::uint32_t ranks) {
  std::vector<process_block> blocks = joined(seats, list, hosts);
  std::vector<bool> met(hosts.of().hosts.size(), false);
  for (const process_block& b : blocks) {
    seats.counts = seats.counts || b.counted;
    if (met[b.host.value]) continue;
    met[b.host.value] = true;
    seats.hosts.push_back(b.host);
    seats.names.push_back(b.name);
  }
  if (seats.counts || seats.method == launch_method::deepspeed) {
    for (const process_block& b : blocks)
      if (!b.counted)
        throw parse_error({seats.source, b.line, 0},
                          seats.counts ? "slots for every host or for none" : "HOST slots=N, as DeepSpeed reads it",
                          quoted(b.name) + " alone");
  } else {
    assume_processes(seats, blocks, hosts, ranks);
  }
  for (process_block& b : blocks) {
    const location where{seats.source, b.line, 0};
    if (seats.method == launch_method::deepspeed) {
      b.gpus = hosts.all(b.host, b.processes, where);
    } else {
      b.gpus = hosts.seen(b.host, b.processes, where);
      if (hosts.healthy(b.host) < hosts.of().at(b.host).gpu_count && b.processes <= hosts.healthy(b.host))
        seats.notes.push_back("processes on " + b.name + " are taken to see its healthy GPUs only");
    }
  }
  if (!include.empty()) apply_include(blocks, include);
  // The participants of a c10d rendezvous are sorted by their names as strings: node10 comes before node2 (PyTorch issue 191190).
  if (seats.method == launch_method::torchrun_c10d)
    std::sort(blocks.begin(), blocks.end(),
              [](const process_block& a, const process_block& b) { return std::tie(a.name, a.line) < std::tie(b.name, b.line); });
  if (seats.method == launch_method::openmpi_by_node) seat_round_robin(seats, blocks);
  else seat_in_blocks(seats, blocks);
  const bool started = seats.method == launch_method::openmpi || seats.method == launch_method::openmpi_by_node ||
                       seats.method == launch_method::mpich;  // mpirun -n takes the first slots
  if (started && ranks != 0 && ranks < seats.ranks.size()) seats.ranks.resize(ranks);
}

}  // namespace topoplan::inline v1::import::detail
