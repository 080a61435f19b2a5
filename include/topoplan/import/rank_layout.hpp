// Reads a layout that exists: the file that a launcher is given, as the seat of every rank on a cluster.
//
//   a host list       one name a line or a hostlist, `slots=8` (Open MPI, DeepSpeed) or `name:8` (MPICH)
//   SLURM_HOSTFILE    one host a task, `name*4` for four of them
//   rankfile          rank 0=gpu-017 slot=0-15
//
// A process uses the GPU of its local rank, counted over the healthy GPUs of its host in PCI order; over all of them where the
// file asks for more processes than GPUs are healthy. DeepSpeed's slots are numbers of GPUs.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/detail/launch_entries.hpp>
#include <topoplan/import/detail/launch_order.hpp>
#include <topoplan/import/detail/rankfile.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/launch_method.hpp>
#include <topoplan/import/rank_seats.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1::import {

// What the file alone doesn't say.
struct rank_layout_options {
  std::optional<launch_method> launched_by;  // none: what the content shows
  std::string include;                       // DeepSpeed's --include, "host:3,1@host2"
  std::uint32_t ranks = 0;                   // processes that are started; 0: as many as the file has room for
  hostlist_limits limits = {};
};

// The launcher that such a file is for, by its content: `rank N=` a rankfile, `name*N` or a name repeated without counts Slurm,
// `name:N` MPICH, `slots=` Open MPI, else torchrun.
// complexity: O(characters of the names). errors: parse_error for what is none of these, and where Open MPI and DeepSpeed
// would number the GPUs of the hosts differently.
[[nodiscard]] inline launch_method recognise_launch_method(std::string_view text, const std::string& source,
                                                           const hostlist_limits& limits = {}) {
  if (detail::is_rankfile(text, source)) return launch_method::openmpi_rankfile;
  if (detail::counts_tasks(text, source)) return launch_method::slurm;
  return detail::method_of(detail::read_hosts(text, source, limits, true), text);
}

// Reads a layout.
// post: result.ranks[r] is the seat of rank r, as the launcher assigns them; two ranks may share a GPU; every host is one of the
//   cluster, every GPU one of its host; with options.ranks, that many ranks.
// complexity: O(characters + ranks + GPUs), for c10d and rankfiles times log.
// errors: parse_error with the line: a host that the cluster doesn't have (near names are told), more processes than the host
//   has GPUs, ranks missing or named twice, an include that the hostfile doesn't fit, a number of ranks other than asked for.
[[nodiscard]] inline rank_seats rank_layout(std::string_view text, const std::string& source, const cluster& c,
                                            const rank_layout_options& options = {}) {
  const bool included = !options.include.empty();
  const launch_method method = options.launched_by ? *options.launched_by
                               : included          ? launch_method::deepspeed
                                                   : recognise_launch_method(text, source, options.limits);
  if (included && method != launch_method::deepspeed)
    throw invalid_argument("--include is DeepSpeed's, and the launcher is " + std::string(to_string(method)));
  const detail::hosts_of_cluster hosts(c);
  rank_seats seats{.source = source, .method = method, .ranks = {}, .hosts = {}, .names = {}, .notes = {}};
  if (method == launch_method::openmpi_rankfile) {
    detail::seat_tasks(seats, detail::read_rankfile(text, source, options.limits), hosts);
  } else if (method == launch_method::slurm) {
    detail::seat_tasks(seats, detail::read_tasks(text, source, options.limits), hosts);
  } else {
    detail::seat_hosts(seats, detail::read_hosts(text, source, options.limits, true), hosts, options.include, options.ranks);
  }
  if (options.ranks != 0 && seats.ranks.size() != options.ranks)
    throw parse_error({source, 0, 0}, detail::counted_ranks(options.ranks) + ", as the degrees make",
                      detail::counted_ranks(seats.ranks.size()) + detail::task_advice(seats, c));
  return seats;
}

}  // namespace topoplan::inline v1::import
