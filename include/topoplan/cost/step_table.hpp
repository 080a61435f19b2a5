// The calibrations that topoplan ships: one a GPU family, fitted on published runs.
#pragma once

#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/machine.hpp>

namespace topoplan::inline v1 {

namespace detail {

// 78 runs.
[[nodiscard]] constexpr step_calibration ampere_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.858;
  c.matmul_side = 122;
  c.attention = 0.535;
  c.memory = 0.808;
  c.pointwise_2021 = 1.1;
  c.pointwise_fused = 1.58;
  c.pointwise_eager = 2.32;
  c.layer = 8e-05;
  c.straggler = 0.00384;
  c.tp_exposed = 0.414;
  c.tp_exposed_plain = 0.976;
  c.tp_exposed_backward = 0.356;
  c.tp_across_domains = 1.03;
  c.pp_exposed_plain = 0.929;
  c.pp_exposed = 0.408;
  c.dp_rate = 0.691;
  c.gather_rate = 0.599;
  c.gather_hidden = 0.58;
  // Of these no run of the family tells anything: what holds for all families.
  c.matmul_fp8 = 0.75;
  c.matmul_mxfp8 = 0.75;
  c.matmul_nvfp4 = 0.65;
  c.board = 1.05;
  c.board_fp4 = 1.05;
  c.expert_matmul = 0.85;
  c.state_space = 1.5;
  c.quantization = 0.7;
  c.expert_layer = 0.0008;
  c.expert_traffic = 1.3;
  c.cp_exposed = 0.6;
  c.expert_exposed = 0.5;
  c.expert_exposed_overlapped = 0.2;
  c.dp_exposed = 0.25;
  c.gather_hidden_prefetched = 0.9;
  c.power = 0.9;
  c.launch = 9e-06;  // host code of 2021 starts kernels one by one
  return c;
}

// 56 runs.
[[nodiscard]] constexpr step_calibration hopper_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.714;
  c.matmul_fp8 = 0.748;
  c.matmul_side = 157;
  c.expert_matmul = 0.886;
  c.attention = 0.561;
  c.state_space = 1.49;
  c.memory = 0.783;
  c.pointwise_fused = 1.85;
  c.pointwise_eager = 3.41;
  c.quantization = 1.06;
  c.layer = 0.000117;
  c.expert_layer = 0.00137;
  c.expert_traffic = 0.98;
  c.straggler = 0.00291;
  c.tp_exposed = 0.467;
  c.tp_exposed_plain = 0.552;
  c.cp_exposed = 0.499;
  c.expert_exposed = 0.566;
  c.expert_exposed_overlapped = 0.375;
  c.pp_exposed = 0.335;
  c.dp_rate = 1.11;
  c.dp_exposed = 0.196;
  c.gather_rate = 0.979;
  c.gather_hidden = 0.498;
  c.gather_hidden_prefetched = 1;
  c.power = 1.08;
  // Of these no run of the family tells anything: what holds for all families.
  c.matmul_mxfp8 = 0.75;
  c.matmul_nvfp4 = 0.65;
  c.board = 1.05;
  c.board_fp4 = 1.05;
  c.pointwise_2021 = 1;
  c.tp_exposed_backward = 0.4;
  c.tp_across_domains = 1.1;
  c.pp_exposed_plain = 1.3;
  return c;
}

// 31 runs.
[[nodiscard]] constexpr step_calibration blackwell_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.534;
  c.matmul_fp8 = 0.735;
  c.matmul_mxfp8 = 0.897;
  c.matmul_side = 180;
  c.board = 1.04;
  c.expert_matmul = 0.797;
  c.attention = 0.45;
  c.state_space = 2.56;
  c.memory = 0.793;
  c.pointwise_fused = 1.48;
  c.quantization = 0.857;
  c.layer = 9.01e-05;
  c.expert_layer = 0.000869;
  c.expert_traffic = 1.19;
  c.tp_exposed = 0.423;
  c.tp_exposed_plain = 1.71;
  c.cp_exposed = 0.746;
  c.expert_exposed = 1.08;
  c.expert_exposed_overlapped = 0.119;
  c.pp_exposed = 0.346;
  c.dp_rate = 0.441;
  c.dp_exposed = 0.573;
  // Of these no run of the family tells anything: what holds for all families.
  c.matmul_nvfp4 = 0.65;
  c.board_fp4 = 1.05;
  c.pointwise_2021 = 1;
  c.pointwise_eager = 2.6;
  c.straggler = 0.003;
  c.tp_exposed_backward = 0.4;
  c.tp_across_domains = 1.1;
  c.pp_exposed_plain = 1.3;
  c.gather_rate = 0.9;
  c.gather_hidden = 0.55;
  c.gather_hidden_prefetched = 0.6;
  c.power = 0.9;
  return c;
}

// 46 runs.
[[nodiscard]] constexpr step_calibration grace_blackwell_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.696;
  c.matmul_fp8 = 0.671;
  c.matmul_mxfp8 = 0.664;
  c.matmul_nvfp4 = 0.681;
  c.matmul_side = 103;
  c.board = 1.36;
  c.board_fp4 = 1.12;
  c.expert_matmul = 1.04;
  c.attention = 0.723;
  c.state_space = 3.3;
  c.memory = 0.771;
  c.pointwise_fused = 3;
  c.quantization = 0.575;
  c.layer = 9.81e-05;
  c.expert_layer = 0.000462;
  c.expert_traffic = 3.17;
  c.tp_exposed = 0.706;
  c.cp_exposed = 0.717;
  c.expert_exposed = 0.134;
  c.expert_exposed_overlapped = 0.12;
  c.pp_exposed = 0.121;
  c.dp_exposed = 1.25;
  c.gather_hidden_prefetched = 0.575;
  // Of these no run of the family tells anything: what holds for all families.
  c.pointwise_2021 = 1;
  c.pointwise_eager = 2.6;
  c.straggler = 0.003;
  c.tp_exposed_plain = 0.8;
  c.tp_exposed_backward = 0.4;
  c.tp_across_domains = 1.1;
  c.pp_exposed_plain = 1.3;
  c.dp_rate = 0.7;
  c.gather_rate = 0.9;
  c.gather_hidden = 0.55;
  c.power = 0.9;
  return c;
}

}  // namespace detail

// The calibration of a family; `other` gets that of Hopper.
// complexity: O(1). errors: none.
// source: topoplan-bench-accuracy --fit on 211 of the published runs that it names: the most probable factors, with priors that
// hold for all families.
[[nodiscard]] constexpr step_calibration calibration_of(gpu_family family) noexcept {
  switch (family) {
    case gpu_family::ampere: return detail::ampere_steps();
    case gpu_family::blackwell: return detail::blackwell_steps();
    case gpu_family::grace_blackwell: return detail::grace_blackwell_steps();
    case gpu_family::hopper:
    case gpu_family::other: break;
  }
  return detail::hopper_steps();
}

}  // namespace topoplan::inline v1
