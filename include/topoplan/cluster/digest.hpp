// The digest of a cluster: what a rank map carries to say for which cluster it was made.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/hash.hpp>

#include <bit>
#include <cstdint>
#include <string>

namespace topoplan::inline v1 {

namespace detail {

inline void add_link(hasher& h, const link& l) {
  h.add(std::bit_cast<std::uint64_t>(l.rate.value)).add(std::bit_cast<std::uint64_t>(l.latency.value));
}

}  // namespace detail

// Hashes what a placement and its prediction depend on: hosts with names and addresses, GPUs with their domains, rails and
// health, UUIDs and PCI addresses, tiers with parents and oversubscription, rates and latencies. Left out: the cluster's own
// name, the names of domains and tiers, notes, and where figures came from.
// post: equal for clusters that differ in nothing else, on every machine. complexity: O(hosts + GPUs). errors: none.
[[nodiscard]] inline std::uint64_t digest(const cluster& c) {
  hasher h;
  h.add(std::uint64_t{c.hosts.size()}).add(std::uint64_t{c.gpus.size()}).add(c.domains).add(c.rails);
  for (const host& at : c.hosts) {
    h.add(at.name).add(at.address).add(std::uint64_t{at.leaf} << 32U | at.first_gpu);
    h.add(std::uint64_t{at.gpu_count} << 32U | std::uint64_t{at.model} << 16U | (at.cordoned ? 1U : 0U));
  }
  for (const gpu& g : c.gpus) {
    h.add(std::uint64_t{g.host.value} << 32U | g.domain.value);
    h.add(std::uint64_t{g.index} << 48U | std::uint64_t{g.rail} << 32U |
          std::uint64_t{static_cast<std::uint16_t>(g.numa)} << 16U | static_cast<std::uint64_t>(g.health));
  }
  h.add(std::uint64_t{c.tiers.size()});
  for (const tier& t : c.tiers) {
    h.add(std::uint64_t{t.nodes.size()}).add(std::bit_cast<std::uint64_t>(t.oversubscription)).add(t.sharp ? 1U : 0U);
    for (const tier_node& node : t.nodes) h.add(node.parent);
  }
  h.add(std::uint64_t{c.gpu_models.size()});
  for (const std::string& model : c.gpu_models) h.add(model);
  h.add(static_cast<std::uint64_t>(c.fabric));
  detail::add_link(h, c.nvlink);
  detail::add_link(h, c.pcie);
  detail::add_link(h, c.nic);
  for (const auto* column : {&c.uuid, &c.pci}) {
    h.add(std::uint64_t{column->size()});
    for (const std::string& value : *column) h.add(value);
  }
  return h.finish();
}

}  // namespace topoplan::inline v1
