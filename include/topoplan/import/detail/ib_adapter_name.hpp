// What the description of an InfiniBand adapter says: "gpu-017 mlx5_3" is adapter mlx5_3 of gpu-017.
#pragma once

#include <topoplan/import/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace topoplan::inline v1::import::detail {

struct ib_adapter_name {
  std::string_view host;
  std::string_view adapter;  // empty: the description is the host alone
};

[[nodiscard]] inline bool is_host_name(std::string_view word) noexcept {
  const auto legal = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; };
  return !word.empty() && (is_letter(word.front()) || is_digit(word.front())) && std::all_of(word.begin(), word.end(), legal);
}

// mlx5_3, HCA-1, hfi1_0, qib0, ibp12s0: letters, then something that ends in a digit.
[[nodiscard]] inline bool is_adapter_name(std::string_view word) noexcept {
  return is_host_name(word) && is_letter(word.front()) && is_digit(word.back()) && !word.starts_with("ConnectX");
}

// Nothing for text that names no host, such as "MT4129 ConnectX7 Mellanox Technologies".
[[nodiscard]] inline std::optional<ib_adapter_name> adapter_name_of(std::string_view description) noexcept {
  description = trimmed(description);
  const auto blank = description.find_first_of(" \t");
  const auto host = description.substr(0, blank);
  const auto adapter = blank == std::string_view::npos ? std::string_view{} : trimmed(description.substr(blank));
  if (!is_host_name(host) || (!adapter.empty() && !is_adapter_name(adapter))) return std::nullopt;
  return ib_adapter_name{host, adapter};
}

// Names that a machine has before it is given one.
[[nodiscard]] inline bool is_nobodys_name(std::string_view host) noexcept {
  return equal_ignoring_case(host, "localhost") || host.starts_with("localhost.");
}

// The number at the end of an adapter's name, from 0: mlx5_3 and HCA-4 are both 3. Nothing for ibp12s0, which counts slots.
[[nodiscard]] inline std::optional<std::uint32_t> position_of(std::string_view adapter) noexcept {
  auto start = adapter.size();
  while (start > 0 && is_digit(adapter[start - 1])) --start;
  const auto stem = adapter.substr(0, start);
  const auto value = number(adapter.substr(start));
  const bool counted = stem.ends_with('_') || stem == "HCA-" || stem == "qib" || stem == "mthca";
  const bool from_one = stem == "HCA-";
  if (!value || !counted || (from_one && *value == 0)) return std::nullopt;
  return from_one ? *value - 1 : *value;
}

}  // namespace topoplan::inline v1::import::detail
