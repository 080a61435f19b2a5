// The calibrations that topoplan ships: one a GPU family, fitted on published runs.
#pragma once

#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/machine.hpp>

namespace topoplan::inline v1 {

namespace detail {

// 78 runs.
[[nodiscard]] constexpr step_calibration ampere_steps() noexcept {
  step_calibration c;
  c.matmul_16bit = 0.864;
  c.matmul_side = 122;
  c.attention = 0.533;
  c.memory = 0.806;
  c.pointwise_2021 = 1.12;
  c.pointwise_fused = 1.58;
  c.pointwise_eager = 2.35;
  c.layer = 8.02e-05;
  c.straggler = 0.00375;
  c.tp_exposed = 0.414;
  c.tp_exposed_plain = 0.983;
  c.tp_exposed_backward = 0.352;
  c.tp_across_domains = 1.02;
  c.pp_exposed_plain = 0.865;
  c.pp_exposed = 0.408;
  c.dp_rate = 0.721;
  c.gather_rate = 0.599;
  c.gather_hidden = 0.571;
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
  c.matmul_16bit = 0.71;
  c.matmul_fp8 = 0.739;
  c.matmul_side = 166;
  c.expert_matmul = 0.885;
  c.attention = 0.559;
  c.state_space = 1.54;
  c.memory = 0.784;
  c.pointwise_fused = 1.7;
  c.pointwise_eager = 3.26;
  c.quantization = 0.975;
  c.layer = 0.000104;
  c.expert_layer = 0.00138;
  c.expert_traffic = 1.1;
  c.straggler = 0.00301;
  c.tp_exposed = 0.438;
  c.tp_exposed_plain = 0.591;
  c.cp_exposed = 0.529;
  c.expert_exposed = 0.548;
  c.expert_exposed_overlapped = 0.291;
  c.pp_exposed = 0.35;
  c.dp_rate = 1.04;
  c.dp_exposed = 0.234;
  c.gather_rate = 1;
  c.gather_hidden = 0.485;
  c.gather_hidden_prefetched = 0.97;
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
  c.matmul_16bit = 0.538;
  c.matmul_fp8 = 0.737;
  c.matmul_mxfp8 = 0.894;
  c.matmul_side = 182;
  c.board = 1.05;
  c.expert_matmul = 0.799;
  c.attention = 0.449;
  c.state_space = 2.55;
  c.memory = 0.792;
  c.pointwise_fused = 1.49;
  c.quantization = 0.852;
  c.layer = 9.1e-05;
  c.expert_layer = 0.000866;
  c.expert_traffic = 1.18;
  c.tp_exposed = 0.422;
  c.tp_exposed_plain = 1.63;
  c.cp_exposed = 0.751;
  c.expert_exposed = 1.08;
  c.expert_exposed_overlapped = 0.119;
  c.pp_exposed = 0.346;
  c.dp_rate = 0.438;
  c.dp_exposed = 0.589;
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
  c.matmul_16bit = 0.695;
  c.matmul_fp8 = 0.67;
  c.matmul_mxfp8 = 0.664;
  c.matmul_nvfp4 = 0.689;
  c.matmul_side = 104;
  c.board = 1.36;
  c.board_fp4 = 1.13;
  c.expert_matmul = 1.04;
  c.attention = 0.723;
  c.state_space = 3.3;
  c.memory = 0.771;
  c.pointwise_fused = 2.96;
  c.quantization = 0.581;
  c.layer = 9.96e-05;
  c.expert_layer = 0.000457;
  c.expert_traffic = 3.18;
  c.tp_exposed = 0.714;
  c.cp_exposed = 0.713;
  c.expert_exposed = 0.134;
  c.expert_exposed_overlapped = 0.121;
  c.pp_exposed = 0.121;
  c.dp_rate = 0.455;
  c.dp_exposed = 0.887;
  c.gather_hidden_prefetched = 0.573;
  // Of these no run of the family tells anything: what holds for all families.
  c.pointwise_2021 = 1;
  c.pointwise_eager = 2.6;
  c.straggler = 0.003;
  c.tp_exposed_plain = 0.8;
  c.tp_exposed_backward = 0.4;
  c.tp_across_domains = 1.1;
  c.pp_exposed_plain = 1.3;
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
