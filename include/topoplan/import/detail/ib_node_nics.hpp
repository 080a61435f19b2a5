// Which adapters of a host in an InfiniBand fabric are the NICs that the description of a node names.
#pragma once

#include <topoplan/import/detail/compose_class.hpp>
#include <topoplan/import/detail/ib_adapter_name.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/node_topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import::detail {

// By the name that the node's description gives the NIC, or by the number in it, or, where neither side has names, by order.
[[nodiscard]] inline std::optional<std::uint32_t> adapter_of(const ib_host& host, const node_topology& node, std::uint32_t nic) {
  const std::string& name = node.nics[nic].device;
  const auto position = position_of(name);
  for (std::uint32_t a = 0; a < host.adapters.size(); ++a) {
    const ib_adapter& adapter = host.adapters[a];
    if (!name.empty() && equal_ignoring_case(adapter.name, name)) return a;
    if (position && adapter.position == position) return a;
  }
  const bool nameless = name.empty() || !position;
  if (nameless && host.adapters.size() == node.nics.size()) return nic;
  return std::nullopt;
}

// The NICs that GPUs of the class send by, and which adapters of a host they are.
struct ib_node_nics {
  std::vector<std::vector<std::uint32_t>> adapters;  // of each rail of the class
  std::vector<std::uint32_t> missing;                // NICs of the node that the host hasn't
  std::size_t wanted = 0;                            // NICs of all rails
};

[[nodiscard]] inline ib_node_nics match_nics(const ib_host& host, const class_figures& like) {
  ib_node_nics found;
  found.adapters.resize(like.rails.nics.size());
  for (std::size_t rail = 0; rail < like.rails.nics.size(); ++rail) {
    for (const auto nic : like.rails.nics[rail]) {
      ++found.wanted;
      if (const auto adapter = adapter_of(host, *like.node, nic)) found.adapters[rail].push_back(*adapter);
      else found.missing.push_back(nic);
    }
  }
  return found;
}

// True if the host may look inside as the class says: it has at least half of the NICs. Storage and login nodes haven't.
[[nodiscard]] inline bool fits(const ib_host& host, const class_figures& like) {
  const auto nics = match_nics(host, like);
  return nics.wanted == 0 || 2 * nics.missing.size() <= nics.wanted;
}

}  // namespace topoplan::inline v1::import::detail
