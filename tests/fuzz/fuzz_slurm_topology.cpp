// Any bytes as topology.conf: refused, or a tree; and with a node, a valid cluster.
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/slurm_topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fuzz.hpp"

using topoplan_fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  static const auto node = import::nvidia_smi_topo("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV4\tPIX\nGPU1\tNV4\t X \tPIX\n", "node");
  try {
    const auto tree = import::slurm_topology(topoplan_fuzz::text_of(data, size), "fuzz", {20'000, 2'000'000});
    require(!tree.hosts.empty());
    for (const auto& host : tree.hosts) require(host.leaf < tree.switches.size() && tree.switches[host.leaf].level == 0);
    for (const auto& s : tree.switches) {
      require(!s.parent || (*s.parent < tree.switches.size() && tree.switches[*s.parent].level > s.level));
    }
    require(!validate(import::compose(node, tree)));
  } catch (const topoplan::error&) {
  }
  return 0;
}
