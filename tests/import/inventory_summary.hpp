// What a test needs to say of a gpu_inventory in one line.
#pragma once

#include <topoplan/import/gpu_inventory.hpp>

#include <string>

namespace topoplan_test {

// For each GPU its domain's key, or why it has none; ! where the fabric reports a fault.
inline std::string domains_of(const topoplan::import::gpu_inventory& inventory) {
  std::string out;
  for (const auto& gpu : inventory.gpus) {
    const auto key = domain_of(gpu.fabric);
    out += (out.empty() ? "" : ", ") + (key ? to_string(*key) : std::string(to_string(standing_of(gpu.fabric))));
    out += is_degraded(gpu.fabric) ? "!" : "";
  }
  return out;
}

}  // namespace topoplan_test
