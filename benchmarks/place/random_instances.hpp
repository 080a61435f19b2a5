// Seeded random jobs on random uneven clusters, as hosts whose tensor-parallel groups are whole.
#pragma once

#include <cstdint>

#include "instances.hpp"

namespace topoplan_bench {

// The n-th random instance: 16-512 hosts of 8 GPUs in 1-4 pods, one to three axes beside tp 8, a third with spare hosts.
[[nodiscard]] instance random_instance(std::uint64_t n);

}  // namespace topoplan_bench
