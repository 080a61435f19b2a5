// How coordinates become a rank number: the sequence of axes, with its direction in the type.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/host_device.hpp>
#include <topoplan/layout/axis.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1 {

// fastest_first: the first axis has stride 1 (Megatron-LM, CuTe). slowest_first: the last one has (PyTorch meshes, DeepSpeed).
enum class direction : std::uint8_t { fastest_first, slowest_first };

// A sequence of distinct axes out of tp, cp, ep, dp, pp, written in direction D. The expert decomposition reads the same
// sequence with tp as expert_tp and dp as expert_dp. Axes that are left out have degree 1.
template <direction D> class basic_order {
 public:
  static constexpr std::size_t capacity = 5;

  // Reads "tp-cp-ep-dp-pp". pre: none. post: axes in the order written. complexity: O(length).
  // errors: invalid_argument for an empty, unknown or repeated axis, also one that only the expert decomposition has.
  constexpr explicit basic_order(std::string_view text) {
    for (std::string_view rest = text;;) {
      const std::size_t dash = rest.find('-');
      push(rest.substr(0, dash), text);
      if (dash == std::string_view::npos) return;
      rest.remove_prefix(dash + 1);
    }
  }

  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  // The axis at that place, as written. pre: place < size().
  TOPOPLAN_HOST_DEVICE [[nodiscard]] constexpr axis operator[](std::size_t place) const noexcept { return axes_[place]; }
  [[nodiscard]] constexpr const axis* begin() const noexcept { return axes_; }
  [[nodiscard]] constexpr const axis* end() const noexcept { return axes_ + size_; }
  [[nodiscard]] constexpr bool contains(axis a) const noexcept {
    for (const axis mine : *this)
      if (mine == a) return true;
    return false;
  }

  friend constexpr bool operator==(const basic_order&, const basic_order&) = default;

 private:
  constexpr void push(std::string_view name, std::string_view text) {
    for (const axis a : {axis::tp, axis::cp, axis::ep, axis::dp, axis::pp}) {
      if (to_string(a) != name) continue;
      if (contains(a)) throw invalid_argument("order " + quoted(text) + " names " + std::string(name) + " twice");
      axes_[size_++] = a;
      return;
    }
    throw invalid_argument("order " + quoted(text) + " holds " + quoted(name) +
                           "; an order is made of tp, cp, ep, dp and pp, such as tp-cp-ep-dp-pp");
  }

  axis axes_[capacity] = {};  // not std::array, whose operators a kernel can't call
  std::uint8_t size_ = 0;
};

using order = basic_order<direction::fastest_first>;
using mesh_order = basic_order<direction::slowest_first>;

// As written, axes joined by dashes. complexity: O(1). errors: none.
template <direction D> [[nodiscard]] std::string to_string(const basic_order<D>& o) {
  std::string text;
  for (const axis a : o) (text += text.empty() ? "" : "-") += to_string(a);
  return text;
}

namespace detail {
template <direction To, direction From> [[nodiscard]] basic_order<To> reversed_order(const basic_order<From>& o) {
  std::string text;
  for (std::size_t i = o.size(); i-- > 0;) (text += text.empty() ? "" : "-") += to_string(o[i]);
  return basic_order<To>(text);
}
}  // namespace detail

// The same rank numbering, written the other way round. complexity: O(1). errors: none.
[[nodiscard]] inline order to_fastest_first(const mesh_order& o) { return detail::reversed_order<direction::fastest_first>(o); }
[[nodiscard]] inline mesh_order to_slowest_first(const order& o) { return detail::reversed_order<direction::slowest_first>(o); }

// The orders that frameworks use.
// source: Megatron-LM d98e8a64, megatron/training/initialize.py: the default and --use-tp-pp-dp-mapping.
namespace orders {
inline constexpr order megatron{"tp-cp-ep-dp-pp"};
inline constexpr order megatron_tp_pp_dp{"tp-cp-ep-pp-dp"};
}  // namespace orders

}  // namespace topoplan::inline v1
