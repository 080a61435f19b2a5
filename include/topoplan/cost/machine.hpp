// One GPU and its links as the cost model sees them: peaks, memory, and the interconnect.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/cost/interconnect.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1 {

// The GPU families that share one calibration. `other` uses the nearest one, and a prediction says so.
enum class gpu_family : std::uint8_t { ampere, hopper, blackwell, grace_blackwell, other };

// "A100", "H100/H200", "B200/B300", "GB200/GB300", "other". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(gpu_family f) noexcept {
  constexpr std::string_view names[] = {"A100", "H100/H200", "B200/B300", "GB200/GB300", "other"};
  return names[static_cast<std::size_t>(f)];
}

// Peaks are dense, of one GPU, in floating-point operations per second; 0: the GPU has no such format, or it isn't published.
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
  topoplan::interconnect links;
};

namespace detail {

// Operations per second in 4-bit formats of every Blackwell board, as the GB200's data sheet has it. Data sheets give those of
// the B200 and of Blackwell Ultra in several ways; what the boards differ by is a factor of the calibration.
inline constexpr double fp4_peak = 10e15;

[[nodiscard]] inline gpu_family family_of(const gpu_model& g) noexcept {
  const std::string_view a = g.architecture;
  if (a.starts_with("Ampere")) return gpu_family::ampere;
  if (a.starts_with("Hopper")) return gpu_family::hopper;
  if (a.find("sm100") != a.npos || a.find("sm103") != a.npos)
    return a.find("Grace") != a.npos ? gpu_family::grace_blackwell : gpu_family::blackwell;
  return gpu_family::other;
}

}  // namespace detail

// The machine of a GPU of the catalogue with those links. `power_watts` is a cap below the part's own power, 0 for none.
// units: FLOP/s, bytes, bytes per second. complexity: O(1). errors: invalid_argument when the catalogue doesn't know the GPU's
// arithmetic or memory, or the cap isn't between a third of its power and all of it.
[[nodiscard]] inline machine machine_of(const gpu_model& g, const interconnect& links, double power_watts = 0) {
  constexpr double tera = 1e12;
  constexpr double giga = 1e9;
  if (!g.bf16.known() || !g.memory.known() || !g.memory_rate.known())
    throw invalid_argument(std::string(g.title) +
                           ": its arithmetic or memory isn't in the catalogue, so no time can be predicted");
  machine m;
  m.gpu = g.title;
  m.family = detail::family_of(g);
  m.later_board = g.architecture.find("Ultra") != g.architecture.npos;
  m.peak_16bit = g.bf16.value * tera;
  m.peak_fp8 = g.fp8.value * tera;
  m.peak_fp4 = m.family == gpu_family::blackwell || m.family == gpu_family::grace_blackwell ? detail::fp4_peak
               : g.fp4.known()                                                              ? g.fp4.value * tera
                                                                                            : 0;
  // Sizes up to the B200's count in 2^30 bytes, those of Blackwell Ultra in 10^9. source: nvidia-smi -q: H100 80GB 81559 MiB,
  // H200 143771 MiB, B200 183359 MiB, B300 275040 MiB.
  m.memory = g.memory.value * (m.later_board ? giga : 1073741824.0);
  m.memory_rate = g.memory_rate.value * giga;
  if (power_watts > 0 && g.power.known()) {
    // Below a third of a part's power its clocks don't go; nobody caps above it.
    m.power = power_watts / g.power.value;
    if (m.power < 1.0 / 3 || m.power > 1)
      throw invalid_argument("a power cap of " + std::to_string(static_cast<long long>(power_watts)) + " W: the " +
                             std::string(g.title) + " takes " + std::to_string(static_cast<long long>(g.power.value / 3)) +
                             " to " + std::to_string(static_cast<long long>(g.power.value)) + " W");
  }
  m.links = links;
  return m;
}

// The machine of a cluster's GPUs.
// complexity: O(hosts). errors: invalid_argument when usable hosts have different GPUs, or the GPU isn't in the catalogue.
[[nodiscard]] inline machine machine_of(const cluster& c, const interconnect& links, double power_watts = 0) {
  const host* first = nullptr;
  for (const host& h : c.hosts) {
    if (h.cordoned || h.gpu_count == 0) continue;
    if (first == nullptr) first = &h;
    if (h.model != first->model)
      throw invalid_argument(h.name + " has " + c.gpu_models[h.model] + ", " + first->name + " has " +
                             c.gpu_models[first->model] +
                             ": one time of a step is predicted for GPUs of one model; leave the others out with --exclude");
  }
  if (first == nullptr) throw invalid_argument("the cluster has no usable GPU");
  const gpu_model* g = lookup_gpu(c.gpu_models[first->model]);
  if (g == nullptr)
    throw invalid_argument("the GPU " + quoted(c.gpu_models[first->model]) +
                           " isn't in the catalogue; name one with --gpu, such as h100-sxm");
  return machine_of(*g, links, power_watts);
}

}  // namespace topoplan::inline v1
