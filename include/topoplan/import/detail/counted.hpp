// "1 NVLink", "2 NVLinks".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import::detail {

// A number and a noun whose plural ends in s.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace topoplan::inline v1::import::detail
