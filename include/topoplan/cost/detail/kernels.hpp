// Times of single kernels: matrix multiplications, attention, and what only moves memory.
#pragma once

#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cmath>

namespace topoplan::inline v1::detail {

// Rates that one GPU sustains, resolved from its peaks and the calibration of its family.
struct kernel_rates {
  double linear = 0;     // operations per second of large linear layers
  double half = 0;       // the same in 16 bits
  double attention = 0;  // of the attention core, forward
  double attention_backward = 0;
  double memory = 0;       // bytes per second
  double input_bytes = 2;  // of an element of a linear layer's input
  double side = 0;         // elements
  double launch = 0;
  double pointwise = 1;     // traffic factor of the software profile
  double quantization = 0;  // bytes per element cast
  bool fused_attention = true;
};

[[nodiscard]] inline kernel_rates rates_of(const machine& m, const step_calibration& c, const training& t) noexcept {
  kernel_rates r;
  const double power = m.power < 1 ? std::pow(m.power, c.power) : 1;
  const double board = m.later_board ? c.board : 1;
  const double half = m.peak_16bit * power * board;
  r.half = half * c.matmul_16bit;
  switch (t.precision) {
    case precision::bf16:
    case precision::fp16: r.linear = r.half; break;
    case precision::fp8: r.linear = m.peak_fp8 * power * board * c.matmul_fp8; break;
    case precision::mxfp8: r.linear = m.peak_fp8 * power * board * c.matmul_mxfp8; break;
    case precision::nvfp4: r.linear = m.peak_fp4 * power * board * c.matmul_nvfp4 * (m.later_board ? c.board_fp4 : 1); break;
  }
  r.input_bytes = t.precision == precision::nvfp4                                    ? 0.5
                  : t.precision == precision::fp8 || t.precision == precision::mxfp8 ? 1
                                                                                     : 2;
  r.quantization = r.input_bytes < 2 ? 5 * c.quantization : 0;
  r.attention = half * c.attention;
  r.attention_backward = r.attention * c.attention_backward;
  r.memory = m.memory_rate * c.memory;
  r.side = c.matmul_side;
  r.launch = c.launch;
  r.fused_attention = t.software != software_profile::megatron_2021;
  r.pointwise = t.software == software_profile::megatron_2021 ? c.pointwise_2021
                : t.software == software_profile::fsdp_eager  ? c.pointwise_eager
                                                              : c.pointwise_fused;
  return r;
}

// `count` products of an m x k and a k x n matrix in one launch: the slower of arithmetic and memory. A side that isn't much
// longer than r.side costs efficiency, as tiles and pipelines of a kernel are only partly filled.
[[nodiscard]] inline double matmul(const kernel_rates& r, double rate, double bytes, double m, double n, double k,
                                   double count = 1) noexcept {
  const double work = 2 * m * n * k * count * (1 + r.side * (1 / m + 1 / n + 1 / k)) / rate;
  const double moved = count * (bytes * k * (m + n) + 2 * m * n) / r.memory;
  return std::max(work, moved) + r.launch;
}
[[nodiscard]] inline double linear(const kernel_rates& r, double m, double n, double k, double count = 1) noexcept {
  return matmul(r, r.linear, r.input_bytes, m, n, k, count);
}
[[nodiscard]] inline double half_linear(const kernel_rates& r, double m, double n, double k) noexcept {
  return matmul(r, r.half, 2, m, n, k);
}

}  // namespace topoplan::inline v1::detail
