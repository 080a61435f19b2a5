// Any bytes as `nvidia-smi nvlink -s`: refused, or GPUs that have no more active links than links.
#include <topoplan/core/error.hpp>
#include <topoplan/import/nvidia_smi_nvlink.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"

using topoplan_fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  try {
    const auto read = import::nvidia_smi_nvlink(topoplan_fuzz::text_of(data, size), "fuzz");
    for (const auto& gpu : read.gpus) require(active_nvlinks(gpu).value_or(0) <= gpu.links.size());
  } catch (const topoplan::error&) {
  }
  return 0;
}
