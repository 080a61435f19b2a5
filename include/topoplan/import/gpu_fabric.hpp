// What a GPU says of the NVLink fabric that it is on, and which domain that makes it part of.
#pragma once

#include <topoplan/import/detail/text.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import {

// Names an NVLink domain that may span hosts. Both parts count: cliques of different racks share a number.
struct domain_key {
  std::string cluster_uuid;  // lower case
  std::uint32_t clique = 0;

  friend auto operator<=>(const domain_key&, const domain_key&) = default;
};

// As the label nvidia.com/gpu.clique holds it: UUID.CLIQUE. complexity: O(1). errors: none.
[[nodiscard]] inline std::string to_string(const domain_key& key) { return key.cluster_uuid + '.' + std::to_string(key.clique); }

// True for 8-4-4-4-12 hex digits. complexity: O(text). errors: none.
[[nodiscard]] inline bool is_uuid(std::string_view text) noexcept {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = detail::lower(text[i]);
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? c != '-' : !(detail::is_digit(c) || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

// True for the UUID that a fabric within one host has: zeros only. complexity: O(text). errors: none.
[[nodiscard]] inline bool is_zero_uuid(std::string_view text) noexcept {
  return is_uuid(text) && text.find_first_not_of("0-") == std::string_view::npos;
}

// The key that a value of the label nvidia.com/gpu.clique is, or nothing. complexity: O(text). errors: none.
[[nodiscard]] inline std::optional<domain_key> parse_domain_key(std::string_view text) {
  if (text.size() < 38 || text[36] != '.' || !is_uuid(text.substr(0, 36))) return std::nullopt;
  const auto clique = detail::number(text.substr(37));
  if (!clique) return std::nullopt;
  return domain_key{detail::lower(text.substr(0, 36)), *clique};
}

// The State line. `none` is N/A: the GPU isn't on a fabric that a fabric manager runs, which says nothing of NVLink bridges.
enum class fabric_state : std::uint8_t { not_given, none, not_started, in_progress, completed, unclear };

// What follows from it.
enum class fabric_standing : std::uint8_t {
  not_told,   // the text doesn't say, as before driver 550
  none,       // no fabric
  own_host,   // a fabric within the host: the UUID is zero
  in_domain,  // of the domain that domain_of() names
  not_ready,  // still registering: a domain, not known yet
  failed      // registering ended with an error
};

// As messages say it. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(fabric_standing standing) noexcept {
  constexpr std::string_view names[] = {"not told",    "no fabric",         "a fabric of its own host",
                                        "in a domain", "still registering", "registering failed"};
  return names[static_cast<std::size_t>(standing)];
}

// The Fabric section of one GPU. Empty or nothing: not given, or N/A.
struct gpu_fabric {
  fabric_state state = fabric_state::not_given;
  std::string status;                   // Success, or NVML's reason
  std::optional<std::uint32_t> clique;  // CliqueId
  std::string cluster_uuid;             // ClusterUUID, lower case
  std::string health;                   // Summary: Healthy, Unhealthy, Limited Capacity
  std::string bandwidth;                // Full, Degraded
  std::size_t line = 0;                 // of the section

  friend bool operator==(const gpu_fabric&, const gpu_fabric&) = default;
};

// What the section means for the NVLink domain. complexity: O(1). errors: none.
[[nodiscard]] inline fabric_standing standing_of(const gpu_fabric& fabric) noexcept {
  switch (fabric.state) {
    case fabric_state::none: return fabric_standing::none;
    case fabric_state::not_started:
    case fabric_state::in_progress: return fabric_standing::not_ready;
    case fabric_state::unclear: return fabric_standing::not_told;
    case fabric_state::completed:
      if (!fabric.status.empty() && !detail::equal_ignoring_case(fabric.status, "Success")) return fabric_standing::failed;
      break;
    case fabric_state::not_given: break;
  }
  if (is_zero_uuid(fabric.cluster_uuid)) return fabric_standing::own_host;
  return fabric.cluster_uuid.empty() || !fabric.clique ? fabric_standing::not_told : fabric_standing::in_domain;
}

// The domain of a GPU that is in one. complexity: O(1). errors: none.
[[nodiscard]] inline std::optional<domain_key> domain_of(const gpu_fabric& fabric) {
  if (standing_of(fabric) != fabric_standing::in_domain) return std::nullopt;
  return domain_key{fabric.cluster_uuid, *fabric.clique};
}

// True if the fabric reports a fault; the domain stands all the same. complexity: O(1). errors: none.
[[nodiscard]] inline bool is_degraded(const gpu_fabric& fabric) noexcept {
  const auto bad = [](std::string_view text) {
    return !text.empty() && !detail::equal_ignoring_case(text, "Healthy") && !detail::equal_ignoring_case(text, "Full");
  };
  return bad(fabric.health) || bad(fabric.bandwidth);
}

}  // namespace topoplan::inline v1::import
