// The calibrations that topoplan ships: one a GPU family, fitted on published runs.
#pragma once

#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/machine.hpp>

namespace topoplan::inline v1 {

namespace detail {

// 197 runs.
[[nodiscard]] constexpr step_calibration ampere_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.833;
  c.matmul_side = 99.7;
  c.attention = 0.559;
  c.memory = 0.801;
  c.pointwise_2021 = 1.1;
  c.pointwise_fused = 1.46;
  c.pointwise_eager = 2.2;
  c.layer = 0.00011;
  c.straggler = 0.00388;
  c.tp_exposed = 0.38;
  c.tp_exposed_plain = 0.81;
  c.tp_exposed_backward = 0.337;
  c.tp_across_domains = 1.11;
  c.pp_exposed_plain = 0.84;
  c.pp_exposed = 0.416;
  c.dp_rate = 0.683;
  c.dp_exposed = 0.25;
  c.gather_rate = 0.711;
  c.gather_hidden = 0.514;
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
  c.gather_hidden_prefetched = 0.9;
  c.power = 0.9;
  c.launch = 9e-06;  // host code of 2021 starts kernels one by one
  return c;
}

// 104 runs.
[[nodiscard]] constexpr step_calibration hopper_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.728;
  c.matmul_fp8 = 0.75;
  c.matmul_side = 171;
  c.expert_matmul = 0.872;
  c.attention = 0.558;
  c.state_space = 1.35;
  c.memory = 0.786;
  c.pointwise_fused = 1.78;
  c.pointwise_eager = 3.03;
  c.quantization = 0.987;
  c.layer = 0.000105;
  c.expert_layer = 0.00159;
  c.expert_traffic = 1.28;
  c.straggler = 0.00327;
  c.tp_exposed = 0.438;
  c.tp_exposed_plain = 0.654;
  c.cp_exposed = 0.537;
  c.expert_exposed = 0.49;
  c.expert_exposed_overlapped = 0.346;
  c.pp_exposed = 0.372;
  c.dp_rate = 0.909;
  c.dp_exposed = 0.222;
  c.gather_rate = 0.965;
  c.gather_hidden = 0.445;
  c.gather_hidden_prefetched = 1;
  c.power = 1.1;
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

// 69 runs.
[[nodiscard]] constexpr step_calibration blackwell_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.525;
  c.matmul_fp8 = 0.719;
  c.matmul_mxfp8 = 0.821;
  c.matmul_side = 161;
  c.board = 1.06;
  c.expert_matmul = 0.81;
  c.attention = 0.45;
  c.state_space = 2.96;
  c.memory = 0.798;
  c.pointwise_fused = 1.66;
  c.quantization = 0.583;
  c.layer = 0.000107;
  c.expert_layer = 0.000993;
  c.expert_traffic = 1.03;
  c.tp_exposed = 0.412;
  c.tp_exposed_plain = 1.67;
  c.cp_exposed = 0.655;
  c.expert_exposed = 1.05;
  c.expert_exposed_overlapped = 0.138;
  c.pp_exposed = 0.372;
  c.dp_rate = 0.423;
  c.dp_exposed = 0.525;
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

// 167 runs.
[[nodiscard]] constexpr step_calibration grace_blackwell_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.617;
  c.matmul_fp8 = 0.657;
  c.matmul_mxfp8 = 0.726;
  c.matmul_nvfp4 = 0.683;
  c.matmul_side = 94.2;
  c.board = 1.4;
  c.board_fp4 = 1.13;
  c.expert_matmul = 0.985;
  c.attention = 0.739;
  c.state_space = 3.68;
  c.memory = 0.784;
  c.pointwise_fused = 3.2;
  c.quantization = 0.332;
  c.layer = 0.000177;
  c.expert_layer = 0.000266;
  c.expert_traffic = 3.64;
  c.tp_exposed = 0.882;
  c.cp_exposed = 1.15;
  c.expert_exposed = 0.078;
  c.expert_exposed_overlapped = 0.133;
  c.pp_exposed = 0.101;
  c.dp_exposed = 1.43;
  c.gather_hidden_prefetched = 0.549;
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
// source: topoplan-bench-accuracy --fit on 537 published runs: the most probable factors, with priors that hold for all families.
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
