// Any bytes as the text of `nvidia-smi -q`: refused, or GPUs whose domain follows from their fabric.
#include <topoplan/core/error.hpp>
#include <topoplan/import/nvidia_smi_q.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"

using topoplan_fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  try {
    const auto read = import::nvidia_smi_q(topoplan_fuzz::text_of(data, size), "fuzz");
    for (const auto& gpu : read.gpus) {
      require(domain_of(gpu.fabric).has_value() == (standing_of(gpu.fabric) == import::fabric_standing::in_domain));
    }
  } catch (const topoplan::error&) {
  }
  return 0;
}
