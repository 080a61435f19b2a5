// Blocks of hosts as Slurm's topology/block means them: which are empty, which don't fill the base block size.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/domain_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class slurm_block_builder {
 public:
  explicit slurm_block_builder(const std::string& source) : source_(source), domains_(source) {}

  // errors: parse_error for a block that stands twice, and for a host in two blocks. complexity: O(hosts).
  void add(const std::string& block, const std::vector<std::string>& hosts, const location& where) {
    const auto [known, fresh] = lines_.emplace(block, where.line);
    if (!fresh) {
      throw parse_error(where, "each block once",
                        quoted(block) + " again, which line " + std::to_string(known->second) + " describes");
    }
    for (const auto& host : hosts) domains_.add_named(host, block, where.line);
    if (hosts.empty()) empty_.push_back({block, where.line});
  }

  // The smallest of the block sizes; scontrol says it with every block. pre: size > 0.
  void base(std::uint32_t size) noexcept { base_ = size; }

  // post: as slurm_blocks. errors: parse_error when no block has hosts. complexity: O(hosts).
  [[nodiscard]] domain_table take() {
    domain_table table = domains_.take();
    if (table.hosts.empty()) {
      throw parse_error({source_, 0, 0}, "blocks with hosts", lines_.empty() ? "no block" : "blocks without any");
    }
    std::vector<note> notes;
    say_empty(notes);
    if (base_ != 0) say_sizes(table, notes);
    table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
    return table;
  }

 private:
  void say_empty(std::vector<note>& notes) const {
    if (empty_.empty()) return;
    name_list names;
    for (const auto& [name, line] : empty_) names.add(name);
    notes.push_back({empty_.front().second, counted(empty_.size(), "block") + " without hosts: " + names.text()});
  }

  void say_sizes(const domain_table& table, std::vector<note>& notes) const {
    note_pile smaller;
    std::size_t larger = 0;
    for (const nvlink_domain& block : table.domains) {
      if (block.hosts.size() > base_) ++larger;
      if (block.hosts.size() >= base_) continue;
      smaller.add(table.hosts[block.hosts.front()].line, [&] {
        return "block " + block.name + " is short: " + counted(block.hosts.size(), "host") + ", where the base block size is " +
               std::to_string(base_);
      });
    }
    smaller.move_to(notes);
    if (larger == 0) return;
    notes.push_back({0, counted(larger, "block") + " with more hosts than the base block size of " + std::to_string(base_) +
                            ": Slurm counts on that many and takes the others as spares"});
  }

  std::string source_;
  domain_builder domains_;
  std::unordered_map<std::string, std::size_t> lines_;  // of every block
  std::vector<std::pair<std::string, std::size_t>> empty_;
  std::uint32_t base_ = 0;
};

}  // namespace topoplan::inline v1::import::detail
