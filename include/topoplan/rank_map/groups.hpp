// The groups of a layout or rank map as lazy range-v3 views: a range of groups, each a range of rank_id.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/layout.hpp>

#include <range/v3/view/iota.hpp>
#include <range/v3/view/transform.hpp>

#include <concepts>
#include <cstdint>

namespace topoplan::inline v1::views {

// A layout, or whatever has one, such as a rank map.
template <class T>
concept has_layout = requires(const T& t) {
  { t.layout() } -> std::convertible_to<const layout&>;
};

// The members of one group in order. pre: group < family.size(). post: a sized random-access view of rank_id that holds
// nothing but a copy of the family. complexity: O(1), a member O(axes). errors: none.
[[nodiscard]] inline auto members(const group_family& family, std::uint32_t group) {
  return ::ranges::views::iota(std::uint32_t{0}, family.group_size()) |
         ::ranges::views::transform([family, group](std::uint32_t i) { return family.member(group, i); });
}

// All groups of an axis set, in order. post: a sized random-access view of what members() returns; it doesn't refer to its
// argument. complexity: O(axes), a group O(1). errors: invalid_argument as layout::groups().
[[nodiscard]] inline auto groups(const layout& l, axis_set set) {
  const group_family family = l.groups(set);
  return ::ranges::views::iota(std::uint32_t{0}, family.size()) |
         ::ranges::views::transform([family](std::uint32_t group) { return members(family, group); });
}
template <has_layout T> [[nodiscard]] auto groups(const T& map, axis_set set) { return groups(map.layout(), set); }

// The group of an axis set that holds a rank. pre: the layout has the rank. complexity: O(axes). errors: as groups().
[[nodiscard]] inline auto group_of(const layout& l, axis_set set, rank_id r) {
  const group_family family = l.groups(set);
  return members(family, family.group_of(r));
}
template <has_layout T> [[nodiscard]] auto group_of(const T& map, axis_set set, rank_id r) {
  return group_of(map.layout(), set, r);
}

}  // namespace topoplan::inline v1::views
