// Open MPI rankfiles and SLURM_HOSTFILE: a host for every rank, whose local ranks rise with the rank.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/detail/launch_entries.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/rank_seats.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// True if the first line with content begins with `rank N=`.
[[nodiscard]] inline bool is_rankfile(std::string_view text, const std::string& source) {
  for (const text_line& line : lines_of(text, source)) {
    const auto words = words_of(line.text.substr(0, line.text.find('#')));
    if (words.empty()) continue;
    return words.size() > 1 && equal_ignoring_case(words[0], "rank") && is_digit(words[1].front());
  }
  return false;
}

// Reads `rank N=host slot=...`; the slots name processors and are of no concern.
// post: entry r is of rank r. errors: parse_error for other lines, relative hosts (+n0), ranks named twice or missing.
[[nodiscard]] inline std::vector<launch_entry> read_rankfile(std::string_view text, const std::string& source,
                                                             const hostlist_limits& limits) {
  std::vector<launch_entry> entries;
  constexpr const char* form = "rank N=HOST slot=...";
  for (const text_line& line : lines_of(text, source)) {
    const auto words = words_of(line.text.substr(0, line.text.find('#')));
    if (words.empty()) continue;
    const location where{source, line.number, column_of(line.text, words[0])};
    if (!equal_ignoring_case(words[0], "rank") || words.size() < 2) throw parse_error(where, form, quoted(line.text));
    const std::string_view pair = words[1];
    const location at{source, line.number, column_of(line.text, pair)};
    const std::size_t equals = pair.find('=');
    const auto rank = number(pair.substr(0, equals));
    if (equals == std::string_view::npos || !rank) throw parse_error(at, form, quoted(pair));
    const std::string_view name = pair.substr(equals + 1);
    if (name.starts_with('+')) throw parse_error(at, "the name of a host, since +n counts hosts of another file", quoted(name));
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_host_character)) throw parse_error(at, form, quoted(pair));
    for (const std::string_view word : std::span(words).subspan(2))
      if (!lower(word).starts_with("slot"))
        throw parse_error({source, line.number, column_of(line.text, word)}, "slot=...", quoted(word));
    if (entries.size() == limits.hosts) throw parse_error(where, "at most " + std::to_string(limits.hosts) + " ranks", "more");
    entries.push_back({std::string(name), line.number, *rank});
  }
  std::sort(entries.begin(), entries.end(),
            [](const launch_entry& a, const launch_entry& b) { return std::pair(a.rank, a.line) < std::pair(b.rank, b.line); });
  for (std::size_t r = 0; r < entries.size(); ++r) {
    if (r > 0 && entries[r].rank == entries[r - 1].rank)
      throw parse_error(
          {source, entries[r].line, 0}, "each rank once",
          "rank " + std::to_string(entries[r].rank) + " again, which line " + std::to_string(entries[r - 1].line) + " names");
    if (entries[r].rank != r)
      throw parse_error({source, 0, 0}, "all ranks from 0 to " + std::to_string(entries.back().rank),
                        "no rank " + std::to_string(r));
  }
  if (entries.empty()) throw parse_error({source, 0, 0}, form, "no line");
  return entries;
}

// Seats entry r as rank r. errors: parse_error for unknown hosts and hosts with more ranks than GPUs.
inline void seat_tasks(rank_seats& seats, const std::vector<launch_entry>& entries, const hosts_of_cluster& hosts) {
  std::vector<std::vector<std::uint32_t>> ranks_of(hosts.of().hosts.size());
  std::vector<host_id> on;
  for (std::size_t r = 0; r < entries.size(); ++r) {
    const bool again = r > 0 && entries[r].name == entries[r - 1].name;
    const host_id h = again ? on.back() : hosts.find(entries[r].name, {seats.source, entries[r].line, 0});
    if (ranks_of[h.value].empty()) {
      seats.hosts.push_back(h);
      seats.names.push_back(entries[r].name);
    }
    on.push_back(h);
    ranks_of[h.value].push_back(static_cast<std::uint32_t>(r));
  }
  seats.ranks.resize(entries.size());
  for (const host_id h : seats.hosts) {
    const std::vector<std::uint32_t>& ranks = ranks_of[h.value];
    const std::size_t beyond = std::min<std::size_t>(ranks.size() - 1, hosts.of().at(h).gpu_count);
    const auto gpus = hosts.seen(h, ranks.size(), {seats.source, entries[ranks[beyond]].line, 0});
    for (std::size_t i = 0; i < ranks.size(); ++i) seats.ranks[ranks[i]] = {h, gpus[i], entries[ranks[i]].line};
  }
  seats.counts = true;
}

// What a SLURM_HOSTFILE with one line a host may be meant as.
[[nodiscard]] inline std::string task_advice(const rank_seats& seats, const cluster& c) {
  if (seats.method != launch_method::slurm || seats.ranks.size() != seats.hosts.size()) return {};
  for (const host_id h : seats.hosts)
    if (c.at(h).gpu_count > 1) return "; one task a host that runs torchrun is --launched-by torchrun";
  return {};
}

}  // namespace topoplan::inline v1::import::detail
