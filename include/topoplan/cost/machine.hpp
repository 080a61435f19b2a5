// One GPU and its links as the cost model sees them: peaks, memory, and the interconnect.
#pragma once

#include <topoplan/cost/interconnect.hpp>

#include <cstdint>
#include <string>

namespace topoplan::inline v1 {

// The GPU families that share one calibration.
enum class gpu_family : std::uint8_t { volta, ampere, hopper, blackwell, grace_blackwell };

// Peaks are dense, of one GPU, in floating-point operations per second; 0: the GPU has no such format.
struct machine {
  std::string gpu;
  gpu_family family = gpu_family::hopper;
  bool later_board = false;  // B300, GB300
  double peak_16bit = 0;
  double peak_fp8 = 0;
  double peak_fp4 = 0;
  double memory = 0;       // bytes
  double memory_rate = 0;  // bytes per second
  double power = 1;        // power cap over the part's own
  std::uint32_t gpus_per_host = 8;
  std::uint32_t domain = 8;  // GPUs of one NVLink domain
  topoplan::interconnect links;
};

}  // namespace topoplan::inline v1
