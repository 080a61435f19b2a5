// Any bytes as ibnetdiscover's output: refused, or a fabric whose hosts and switches make a tree, and with a node a valid
// cluster.
#include <topoplan/core/error.hpp>
#include <topoplan/import/ibnetdiscover.hpp>

#include <cstddef>
#include <cstdint>

#include "fuzz_ib_fabric.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    topoplan_fuzz::check_fabric(topoplan::import::ibnetdiscover(topoplan_fuzz::text_of(data, size), "fuzz"));
  } catch (const topoplan::error&) {
  }
  return 0;
}
