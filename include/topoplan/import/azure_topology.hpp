// Reads the table of blocks that `azslurm show_topology` prints on Azure.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/hostlist.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import {

namespace detail {

// The three cells between '|', or fewer.
struct azure_row {
  std::array<std::string_view, 3> cells{};
  std::size_t count = 0;
};
[[nodiscard]] inline azure_row azure_row_of(std::string_view line) noexcept {
  azure_row row;
  while (row.count < row.cells.size()) {
    const auto bar = row.count + 1 < row.cells.size() ? line.find('|') : std::string_view::npos;
    row.cells[row.count++] = trimmed(line.substr(0, bar));
    if (bar == std::string_view::npos) break;
    line.remove_prefix(bar + 1);
  }
  return row;
}

}  // namespace detail

// Reads blocks, their sizes and their hosts; a block is an NVLink domain. post: sizes and totals agree with the hosts.
// complexity: O(names). errors: parse_error for what isn't such a table, a host in two blocks, sizes that disagree, and names cut
//   with "...", as azslurm prints long lists: such a table is for the eye only.
[[nodiscard]] inline cluster_topology azure_topology(std::string_view text, const std::string& source,
                                                     const hostlist_limits& limits = {}) {
  constexpr auto expected = "the table of `azslurm show_topology`: Block Name | Size | Nodes";
  auto left = limits;
  detail::domain_builder builder(source);
  std::size_t hosts = 0;
  bool in_table = false;
  for (const auto& line : detail::lines_of(text, source)) {
    const auto row = detail::azure_row_of(line.text);
    const auto trimmed = detail::trimmed(line.text);
    if (!in_table) {
      in_table = row.count == 3 && row.cells[0] == "Block Name" && row.cells[1] == "Size" && row.cells[2] == "Nodes";
      if (!in_table && !trimmed.empty()) throw parse_error({source, line.number, 1}, expected, quoted(trimmed));
      continue;
    }
    if (trimmed.empty() || trimmed.find_first_not_of("-+|") == std::string_view::npos) continue;
    if (constexpr std::string_view total = "Total nodes:"; trimmed.starts_with(total)) {
      const auto count = detail::number(detail::trimmed(trimmed.substr(total.size())));
      if (count != hosts) throw parse_error({source, line.number, 1}, "the total of " + std::to_string(hosts), quoted(trimmed));
      continue;
    }
    if (trimmed.starts_with("Total ")) continue;
    if (row.count != 3) throw parse_error({source, line.number, 1}, "NAME | SIZE | HOSTS", quoted(trimmed));
    const auto at = location{source, line.number, detail::column_of(line.text, row.cells[2])};
    if (row.cells[2].find("...") != std::string_view::npos) {
      throw parse_error(at, "all hosts of block " + quoted(row.cells[0]),
                        "names cut with \"...\": the table is for the eye; use the topology.conf that azslurm writes");
    }
    if (!detail::is_plain_name(row.cells[0]))
      throw parse_error({source, line.number, 1}, "the name of a block", quoted(row.cells[0]));
    const auto size = detail::number(row.cells[1]);
    const auto names = expand_hostlist(row.cells[2], at, left);
    if (size != names.size()) {
      throw parse_error(at, quoted(row.cells[1]) + " hosts of block " + quoted(row.cells[0]), std::to_string(names.size()));
    }
    left.hosts -= names.size();
    for (const auto& name : names) {
      left.characters -= name.size();
      builder.add_named(name, std::string(row.cells[0]), line.number);
    }
    hosts += names.size();
  }
  if (hosts == 0) throw parse_error({source, 0, 0}, expected, in_table ? "no block" : "nothing");
  return {{}, builder.take()};
}

}  // namespace topoplan::inline v1::import
