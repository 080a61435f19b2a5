// Masks of CPUs and NUMA nodes as hex words: NCCL's "00000000,000fffff" and hwloc's "0x000000ff,,0x1".
#pragma once

#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/detail/text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

inline constexpr std::size_t mask_max_words = 2048;  // 65,536 CPUs

// The bits that are set, ascending; words are of 32 bits, the last one holds bit 0, a short or empty word has leading zeros.
// Nothing for text that is no mask, and for hwloc's endless ones ("0xf...f").
[[nodiscard]] inline std::optional<std::vector<std::uint32_t>> bits_of_mask(std::string_view text) {
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at <= text.size();) {
    const auto comma = std::min(text.find(',', at), text.size());
    const auto word = trimmed(text.substr(at, comma - at));
    const auto value = word.empty() ? std::optional<std::uint32_t>(0) : hex(word);
    if (!value || words.size() == mask_max_words) return std::nullopt;
    words.push_back(*value);
    at = comma + 1;
  }
  std::vector<std::uint32_t> bits;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t word = words[words.size() - 1 - i];
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      if (((word >> bit) & 1U) != 0) bits.push_back(static_cast<std::uint32_t>(i * 32) + bit);
    }
  }
  return bits;
}

// As the kernel lists CPUs: "0-51,104-155"; empty for no bits. pre: bits ascend.
[[nodiscard]] inline std::string as_list(const std::vector<std::uint32_t>& bits) {
  std::string list;
  for (std::size_t i = 0; i < bits.size();) {
    std::size_t last = i;
    while (last + 1 < bits.size() && bits[last + 1] == bits[last] + 1) ++last;
    (list += list.empty() ? "" : ",") += std::to_string(bits[i]);
    if (last > i) (list += "-") += std::to_string(bits[last]);
    i = last + 1;
  }
  return list;
}

}  // namespace topoplan::inline v1::import::detail
