// Which axes the members of axis_groups are groups of.
#pragma once

#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/group_shape.hpp>
#include <topoplan/layout/axis.hpp>

#include <array>

namespace topoplan::inline v1::detail {

// A member of axis_groups and the axes whose groups it is the shape of.
struct axis_group {
  group_shape axis_groups::* shape = nullptr;
  axis_set over;
};

// All members of axis_groups.
inline constexpr std::array<axis_group, 8> all_axis_groups{{{&axis_groups::tp, axis::tp},
                                                            {&axis_groups::cp, axis::cp},
                                                            {&axis_groups::dp, axis::dp},
                                                            {&axis_groups::dp_cp, axis_set{axis::dp, axis::cp}},
                                                            {&axis_groups::pp, axis::pp},
                                                            {&axis_groups::ep, axis::ep},
                                                            {&axis_groups::expert_tp, axis::expert_tp},
                                                            {&axis_groups::expert_dp, axis::expert_dp}}};

}  // namespace topoplan::inline v1::detail
