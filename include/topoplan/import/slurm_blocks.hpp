// Reads Slurm's topology.conf for topology/block, and what `scontrol show topology` prints of it.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/slurm_block_builder.hpp>
#include <topoplan/import/detail/slurm_lines.hpp>
#include <topoplan/import/detail/slurm_names.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/hostlist.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// The first number of "16,32". errors: parse_error when one isn't a number above zero.
[[nodiscard]] inline std::uint32_t base_size(const slurm_pair& pair) {
  std::optional<std::uint32_t> base;
  for (std::string_view rest = pair.value;;) {
    const auto size = number(rest.substr(0, rest.find(',')));
    if (!size || *size == 0) throw parse_error(pair.value_at, "sizes such as 16,32", quoted(pair.value));
    if (!base) base = size;
    const auto comma = rest.find(',');
    if (comma == std::string_view::npos) return *base;
    rest.remove_prefix(comma + 1);
  }
}

// errors: parse_error for a line that isn't of topology/block.
inline void add_block_line(const slurm_line& line, const std::string& source, slurm_block_builder& blocks,
                           hostlist_limits& left) {
  const auto pairs = slurm_pairs(line, source);
  const slurm_pair& first = pairs.front();
  // scontrol repeats the hosts of several blocks as an aggregated one.
  if (first.key == "aggregatedblock") return;
  if (first.key != "blockname" && first.key != "blocksizes") {
    refuse_other_plugin(first, "BlockName=NAME Nodes=HOSTS or BlockSizes=SIZES, as topology/block has them");
  }
  std::string name;
  std::vector<std::string> hosts;
  for (const slurm_pair& pair : pairs) {
    if (pair.key == "blockname" && first.key == pair.key) {
      name = only_name(line, pair, "block", name, left);
    } else if (pair.key == "nodes" && first.key != "blocksizes") {
      append_list(line, pair, hosts, left);
    } else if ((pair.key == "blocksizes" && first.key == pair.key) || pair.key == "blocksize") {
      blocks.base(base_size(pair));
    } else if (pair.key != "blockindex") {
      throw parse_error(pair.key_at, first.key == "blockname" ? "BlockName or Nodes" : "BlockSizes alone on its line",
                        quoted(pair.key));
    }
  }
  if (!name.empty()) blocks.add(name, hosts, first.key_at);
}

}  // namespace detail

// Reads which hosts share an NVLink domain: each block is one, by its name. Keys in any case, comments, continuation lines,
// hostlists. A block without Nodes is empty; blocks may be larger than the base block size.
// post: hosts in the order of the file, each once, in a domain without a key. Placeholders, blocks short of hosts against the
// base
//   block size or others, and larger ones are notes.
// complexity: O(names). errors: parse_error for a tree, ring or torus file, a block that stands twice or has a list as its name,
//   a host in two blocks, unknown keys, sizes that are no numbers, and a file without hosts.
[[nodiscard]] inline domain_table slurm_blocks(std::string_view text, const std::string& source,
                                               const hostlist_limits& limits = {}) {
  auto left = limits;
  detail::slurm_block_builder blocks(source);
  for (const auto& line : detail::slurm_lines(text, source)) detail::add_block_line(line, source, blocks, left);
  return blocks.take();
}

}  // namespace topoplan::inline v1::import
