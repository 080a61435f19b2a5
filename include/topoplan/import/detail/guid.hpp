// InfiniBand GUIDs in one spelling.
#pragma once

#include <topoplan/import/detail/text.hpp>

#include <string>
#include <string_view>

namespace topoplan::inline v1::import::detail {

// 0x0002c90300000014, or 0002:c903:0000:0014; empty for zero and for text that is no GUID.
[[nodiscard]] inline std::string guid_of(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::string digits;
  for (const char c : text) {
    if (c == ':') continue;
    const char l = lower(c);
    if (!is_digit(l) && !(l >= 'a' && l <= 'f')) return {};
    digits += l;
  }
  if (digits.empty() || digits.size() > 16 || digits.find_first_not_of('0') == std::string::npos) return {};
  return "0x" + std::string(16 - digits.size(), '0') + digits;
}

}  // namespace topoplan::inline v1::import::detail
