// The parallel axes and sets of them.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/host_device.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace topoplan::inline v1 {

// A parallel axis. tp, cp, dp and pp form the dense decomposition; expert_tp, ep, expert_dp and pp the expert one.
enum class axis : std::uint8_t { tp, cp, ep, dp, pp, expert_tp, expert_dp };

inline constexpr std::size_t axis_count = 7;
inline constexpr std::array<axis, axis_count> all_axes{axis::tp, axis::cp,        axis::ep,       axis::dp,
                                                       axis::pp, axis::expert_tp, axis::expert_dp};

// The name that options, files and messages use. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(axis a) noexcept {
  constexpr std::array<std::string_view, axis_count> names{"tp", "cp", "ep", "dp", "pp", "expert_tp", "expert_dp"};
  return names[static_cast<std::size_t>(a)];
}

// The axis of that name. complexity: O(1). errors: invalid_argument with the known names.
[[nodiscard]] constexpr axis parse_axis(std::string_view name) {
  for (const axis a : all_axes)
    if (to_string(a) == name) return a;
  throw invalid_argument("unknown axis " + quoted(name) + "; the axes are tp, cp, ep, dp, pp, expert_tp and expert_dp");
}

// A set of axes, a few bits wide.
class axis_set {
 public:
  constexpr axis_set() = default;
  // An axis is the set of itself.
  TOPOPLAN_HOST_DEVICE constexpr axis_set(axis a) noexcept : bits_(bit(a)) {}  // NOLINT(google-explicit-constructor)
  constexpr axis_set(std::initializer_list<axis> axes) noexcept {
    for (const axis a : axes) bits_ |= bit(a);
  }

  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr bool contains(axis a) const noexcept { return (bits_ & bit(a)) != 0; }
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  // True if every axis of this set is in the other.
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr bool within(axis_set other) const noexcept { return (bits_ & ~other.bits_) == 0; }

  TOPOPLAN_HOST_DEVICE friend constexpr axis_set operator|(axis_set a, axis_set b) noexcept {
    return from_bits(a.bits_ | b.bits_);
  }
  TOPOPLAN_HOST_DEVICE friend constexpr axis_set operator-(axis_set a, axis_set b) noexcept {
    return from_bits(a.bits_ & ~b.bits_);
  }
  TOPOPLAN_HOST_DEVICE friend constexpr bool operator==(axis_set a, axis_set b) noexcept { return a.bits_ == b.bits_; }

 private:
  TOPOPLAN_HOST_DEVICE static constexpr unsigned bit(axis a) noexcept { return 1U << static_cast<unsigned>(a); }
  TOPOPLAN_HOST_DEVICE static constexpr axis_set from_bits(unsigned bits) noexcept {
    axis_set s;
    s.bits_ = bits;
    return s;
  }

  unsigned bits_ = 0;
};

inline constexpr axis_set dense_axes{axis::tp, axis::cp, axis::dp, axis::pp};
inline constexpr axis_set expert_axes{axis::expert_tp, axis::ep, axis::expert_dp, axis::pp};

// Names joined by commas, in the order of all_axes: "tp,cp". complexity: O(1). errors: none.
[[nodiscard]] inline std::string to_string(axis_set set) {
  std::string text;
  for (const axis a : all_axes)
    if (set.contains(a)) (text += text.empty() ? "" : ",") += to_string(a);
  return text;
}

// Reads axes joined by commas. post: not empty. complexity: O(length). errors: invalid_argument for an unknown, repeated or
// missing name.
[[nodiscard]] inline axis_set parse_axis_set(std::string_view text) {
  axis_set set;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const axis a = parse_axis(rest.substr(0, comma));
    if (set.contains(a)) throw invalid_argument("axis " + std::string(to_string(a)) + " stands twice in " + quoted(text));
    set = set | a;
    if (comma == std::string_view::npos) return set;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace topoplan::inline v1
