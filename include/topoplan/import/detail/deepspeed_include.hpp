// DeepSpeed's --include: which hosts of the hostfile take part, and which slots of each, in which order.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/process_block.hpp>
#include <topoplan/import/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// Keeps the blocks that "host:3,1@host2" names: hosts stay in the order of the hostfile, slots in the order of the include,
// where they become CUDA_VISIBLE_DEVICES; a host without slots keeps all.
// errors: parse_error for a host that the hostfile lacks or that stands twice, and a slot that it lacks or that stands twice.
inline void apply_include(std::vector<process_block>& blocks, const std::string& include) {
  std::vector<bool> kept(blocks.size(), false);
  const std::string source = "--include";
  for (std::string_view rest = include; !rest.empty();) {
    const std::string_view item = trimmed(rest.substr(0, rest.find('@')));
    const location where{source, 1, column_of(include, item)};
    rest.remove_prefix(std::min(rest.find('@'), rest.size() - 1) + 1);
    const std::size_t colon = item.find(':');
    const std::string_view name = item.substr(0, colon);
    const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const process_block& b) { return b.name == name; });
    if (found == blocks.end()) throw parse_error(where, "a host of the hostfile, as it is written there", quoted(name));
    const auto at = static_cast<std::size_t>(found - blocks.begin());
    if (kept[at]) throw parse_error(where, "each host once", quoted(name) + " again");
    kept[at] = true;
    if (colon == std::string_view::npos) continue;
    std::vector<std::uint16_t> slots;
    for (std::string_view list = item.substr(colon + 1);;) {
      const std::string_view word = list.substr(0, list.find(','));
      const auto slot = number<std::uint16_t>(word);
      const location here{source, 1, column_of(include, word)};
      if (!slot || *slot >= found->processes)
        throw parse_error(here, "a slot of " + found->name + ", 0 to " + std::to_string(found->processes - 1), quoted(word));
      if (std::find(slots.begin(), slots.end(), *slot) != slots.end())
        throw parse_error(here, "each slot once", quoted(word) + " again");
      slots.push_back(*slot);
      if (word.size() == list.size()) break;
      list.remove_prefix(word.size() + 1);
    }
    found->processes = slots.size();
    found->gpus = std::move(slots);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (kept[i]) {
      if (next != i) blocks[next] = std::move(blocks[i]);
      ++next;
    }
  blocks.resize(next);
}

}  // namespace topoplan::inline v1::import::detail
