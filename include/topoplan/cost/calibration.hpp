// What was measured of GPUs and software, as a few factors each: how near to its peaks a family comes, and what stays exposed.
#pragma once

#include <topoplan/workload/training.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace topoplan::inline v1 {

// Factors of one GPU family. Efficiencies are parts of a data-sheet peak; exposures are the part of a communication that
// isn't hidden; times are seconds.
struct step_calibration {
  // Matrix multiplications: the part of the peak that large shapes reach, and the size at which a side costs as much as itself.
  double matmul_16bit = 0.8;
  double matmul_fp8 = 0.75;
  double matmul_mxfp8 = 0.8;
  double matmul_nvfp4 = 0.65;
  double matmul_side = 200;  // elements
  double board = 1;          // of a later board of the family (B300, GB300) over the first
  double board_fp4 = 1;      // a further one for 4-bit formats
  double expert_matmul = 0.9;
  // Attention core and memory.
  double attention = 0.58;           // fused kernels, of the 16-bit peak
  double attention_backward = 0.85;  // of the forward rate
  double state_space = 1.5;          // time of the scan kernels over that of their memory traffic and matrices at half rate
  double memory = 0.75;              // of the HBM rate
  double pointwise_2021 = 1;         // traffic of norms, activations, residuals over the least possible
  double pointwise_fused = 1.5;
  double pointwise_eager = 2.5;
  double quantization = 1;  // traffic of casts to 8 and 4 bits
  // Overheads.
  double launch = 6e-6;
  double layer = 20e-6;         // a layer and direction, beside its kernels
  double expert_layer = 1e-3;   // a layer of experts and direction: routing, small kernels, host work
  double expert_traffic = 1.5;  // traffic of permutation and activation over the least possible
  double step = 5e-3;
  double straggler = 0.004;  // a doubling of 8-GPU hosts
  // Communication inside a step: what of a collective's time alone shows; for tensor and expert parallelism and sends also where
  // nothing overlaps, as collectives inside a step take another time than alone.
  double tp_exposed = 0.35;          // overlapped with matrices
  double tp_exposed_plain = 0.6;     // not overlapped: collectives on their own, as sustained inside a step
  double tp_exposed_backward = 0.5;  // all-reduce of input gradients behind weight gradients
  double tp_across_domains = 1.3;
  double cp_exposed = 0.3;
  double expert_exposed = 0.8;
  double expert_exposed_overlapped = 0.24;
  double pp_exposed_plain = 1.2;
  double pp_exposed = 0.5;
  double dp_rate = 0.6;                   // of the measured rate of the collective, beside compute
  double dp_exposed = 0.2;                // first and last buckets
  double gather_rate = 0.7;               // FSDP: of the measured rate of the collectives, beside compute
  double gather_hidden = 0.6;             // PyTorch FSDP: part of the shorter of compute and communication that overlaps
  double gather_hidden_prefetched = 0.9;  // the same where gathers are prefetched (Megatron-FSDP, DeepSpeed)
  double power = 1.2;                     // exponent: rate of arithmetic over power below the part's own
};

inline constexpr std::size_t step_calibration_size = sizeof(step_calibration) / sizeof(double);

}  // namespace topoplan::inline v1
