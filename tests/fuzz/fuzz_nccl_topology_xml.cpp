// Any bytes as an NCCL topology XML: refused, or hosts that are trees; then composed to a valid cluster or refused.
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/device_paths.hpp>
#include <topoplan/import/nccl_topology_xml.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fuzz.hpp"

using topoplan_fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace import = topoplan::import;
  try {
    for (const auto& host : import::nccl_topology_hosts_xml(topoplan_fuzz::text_of(data, size), "fuzz")) {
      for (std::size_t d = 0; d < host.devices.size(); ++d) require(!host.devices[d].parent || *host.devices[d].parent < d);
      for (const auto& bundle : host.nvlinks) require(bundle.a < bundle.b && bundle.b < host.devices.size());
      const auto node = import::node_topology_of(host);
      const auto width = node.gpus.size() + node.nics.size();
      require(!node.gpus.empty() && node.paths.size() == width * width);
      for (std::size_t a = 0; a < width; ++a) {
        for (std::size_t b = 0; b < width; ++b) require(node.between(a, b) == node.between(b, a));
      }
      const import::host_list hosts{"fuzz", {{"a", 1, {}}, {"b", 2, {}}}};
      require(!validate(import::compose(node, std::nullopt, hosts, {"", 400})));
    }
  } catch (const topoplan::error&) {
  }
  return 0;
}
