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
  c.matmul_side = 100;
  c.attention = 0.558;
  c.memory = 0.799;
  c.pointwise_2021 = 1.11;
  c.pointwise_fused = 1.46;
  c.pointwise_eager = 2.22;
  c.layer = 0.000111;
  c.straggler = 0.00389;
  c.tp_exposed = 0.379;
  c.tp_exposed_plain = 0.806;
  c.tp_exposed_backward = 0.337;
  c.tp_across_domains = 1.11;
  c.pp_exposed_plain = 0.848;
  c.pp_exposed = 0.415;
  c.dp_rate = 0.684;
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
  c.dp_exposed = 0.25;
  c.gather_hidden_prefetched = 0.9;
  c.power = 0.9;
  c.launch = 9e-06;  // host code of 2021 starts kernels one by one
  return c;
}

// 104 runs.
[[nodiscard]] constexpr step_calibration hopper_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.729;
  c.matmul_fp8 = 0.75;
  c.matmul_side = 173;
  c.expert_matmul = 0.873;
  c.attention = 0.558;
  c.state_space = 1.37;
  c.memory = 0.786;
  c.pointwise_fused = 1.8;
  c.pointwise_eager = 3.07;
  c.quantization = 0.973;
  c.layer = 0.000105;
  c.expert_layer = 0.0016;
  c.expert_traffic = 1.24;
  c.straggler = 0.00329;
  c.tp_exposed = 0.437;
  c.tp_exposed_plain = 0.654;
  c.cp_exposed = 0.537;
  c.expert_exposed = 0.494;
  c.expert_exposed_overlapped = 0.351;
  c.pp_exposed = 0.374;
  c.dp_rate = 0.914;
  c.dp_exposed = 0.218;
  c.gather_rate = 0.955;
  c.gather_hidden = 0.451;
  c.gather_hidden_prefetched = 1;
  c.power = 1.09;
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
  c.matmul_16bit = 0.526;
  c.matmul_fp8 = 0.719;
  c.matmul_mxfp8 = 0.825;
  c.matmul_side = 160;
  c.board = 1.07;
  c.expert_matmul = 0.809;
  c.attention = 0.45;
  c.state_space = 2.99;
  c.memory = 0.798;
  c.pointwise_fused = 1.66;
  c.quantization = 0.582;
  c.layer = 0.000107;
  c.expert_layer = 0.000988;
  c.expert_traffic = 1.03;
  c.tp_exposed = 0.412;
  c.tp_exposed_plain = 1.67;
  c.cp_exposed = 0.654;
  c.expert_exposed = 1.05;
  c.expert_exposed_overlapped = 0.138;
  c.pp_exposed = 0.372;
  c.dp_rate = 0.423;
  c.dp_exposed = 0.529;
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
  c.matmul_16bit = 0.622;
  c.matmul_fp8 = 0.656;
  c.matmul_mxfp8 = 0.725;
  c.matmul_nvfp4 = 0.679;
  c.matmul_side = 91.5;
  c.board = 1.4;
  c.board_fp4 = 1.13;
  c.expert_matmul = 0.999;
  c.attention = 0.737;
  c.state_space = 3.71;
  c.memory = 0.787;
  c.pointwise_fused = 3.19;
  c.quantization = 0.337;
  c.layer = 0.00018;
  c.expert_layer = 0.000267;
  c.expert_traffic = 3.65;
  c.tp_exposed = 0.882;
  c.cp_exposed = 1.14;
  c.expert_exposed = 0.0767;
  c.expert_exposed_overlapped = 0.139;
  c.pp_exposed = 0.1;
  c.dp_exposed = 1.42;
  c.gather_hidden_prefetched = 0.548;
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
