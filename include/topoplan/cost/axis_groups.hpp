// The group shapes of all axes of one job: what the step model asks the collective model with.
#pragma once

#include <topoplan/cost/group_shape.hpp>

namespace topoplan::inline v1 {

// One shape an axis; an axis of degree 1 has the shape of a single rank. `dp_cp` is the group that reduces dense gradients.
struct axis_groups {
  group_shape tp;
  group_shape cp;
  group_shape dp;
  group_shape dp_cp;
  group_shape pp;
  group_shape ep;
  group_shape expert_tp;
  group_shape expert_dp;

  friend bool operator==(const axis_groups&, const axis_groups&) = default;
};

}  // namespace topoplan::inline v1
