// Any bytes as topology.conf of topology/block: refused, or a table of domains.
#include <topoplan/core/error.hpp>
#include <topoplan/import/slurm_blocks.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"
#include "fuzz_cluster_topology.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    topoplan_fuzz::check(topoplan::import::slurm_blocks(topoplan_fuzz::text_of(data, size), "fuzz", {20'000, 2'000'000}));
  } catch (const topoplan::error&) {
  }
  return 0;
}
