// Puts a node, a network and an allocation together into one cluster.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/detail/compose_node.hpp>
#include <topoplan/import/detail/compose_tiers.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/network_tree.hpp>
#include <topoplan/import/node_topology.hpp>
#include <topoplan/import/rails.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// What no input says. units: gigabits per second of one NIC.
struct compose_options {
  std::string gpu;          // --gpu, a name of the catalogue; empty: unknown, rates are assumed
  double nic_gigabits = 0;  // --nic; 0: unknown, assumed
};

namespace detail {

// More than any job takes; a mistyped list of hosts times GPUs is refused before it takes memory.
inline constexpr std::size_t compose_max_gpus = std::size_t{1} << 22U;

// The hosts that the network names, as if a file listed them.
[[nodiscard]] inline host_list all_of(const network_tree& network) {
  host_list list{network.source, {}};
  for (const network_host& host : network.hosts) list.hosts.push_back({host.name, host.line, {}});
  return list;
}

// errors: invalid_argument for a host with more slots than GPUs.
inline void check_slots(const node_topology& node, const host_list& list, cluster& c) {
  std::size_t fewer = 0;
  for (const listed_host& host : list.hosts) {
    if (!host.slots) continue;
    if (*host.slots > node.gpus.size()) {
      throw invalid_argument(place_of(list.source, host.line) + ": " + host.name + " has " + std::to_string(*host.slots) +
                             " slots, and " + node.source + " shows " + std::to_string(node.gpus.size()) + " GPUs a host");
    }
    fewer += *host.slots < node.gpus.size() ? 1U : 0U;
  }
  if (fewer > 0) {
    c.notes.push_back(list.source + ": " + std::to_string(fewer) +
                      " hosts have fewer slots than GPUs; slots are ignored, all GPUs count");
  }
}

inline void add_hosts(cluster& c, const node_topology& node, const host_list& list, const std::vector<nvlink_group>& domains,
                      const node_rails& rails) {
  const auto per_host = static_cast<std::uint32_t>(node.gpus.size());
  std::vector<std::uint32_t> domain_of(per_host);
  for (std::uint32_t d = 0; d < domains.size(); ++d) {
    for (const auto gpu : domains[d].gpus) domain_of[gpu] = d;
  }
  c.hosts.reserve(list.hosts.size());
  c.gpus.reserve(list.hosts.size() * per_host);
  for (const listed_host& listed : list.hosts) {
    const host_id id{static_cast<std::uint32_t>(c.hosts.size())};
    host h;
    h.name = listed.name;
    h.first_gpu = static_cast<std::uint32_t>(c.gpus.size());
    h.gpu_count = static_cast<std::uint16_t>(per_host);
    c.hosts.push_back(h);
    for (std::uint32_t g = 0; g < per_host; ++g) {
      gpu seat;
      seat.host = id;
      seat.domain = domain_id{c.domains + domain_of[g]};
      seat.index = static_cast<std::uint16_t>(g);
      seat.rail = rails.of_gpu[g];
      const auto numa = node.gpus[g].numa;
      seat.numa = numa && *numa <= 32767 ? static_cast<std::int16_t>(*numa) : std::int16_t{-1};
      c.gpus.push_back(seat);
    }
    c.domains += static_cast<std::uint32_t>(domains.size());
  }
}

inline void add_notes(cluster& c, const std::string& source, const std::vector<note>& notes) {
  for (const note& n : notes) c.notes.push_back(place_of(source, n.line) + ": " + n.text);
}

}  // namespace detail

// Every host of `hosts` (or, when that is empty, of the network) is a node as described; the network's other hosts are left
// out, and so are switches that carry none of the allocation. Names match short against fully qualified, in any case.
// post: hosts in the order of the list; validate() accepts the result; every figure says where it came from, and is `assumed`
//   where no input says it. complexity: O(GPUs + hosts x levels).
// errors: invalid_argument when a host is missing in the network, when two inputs disagree (hosts, slots, NVLinks of the
//   product), when the NVLink domains can't be told (hidden, cut, a mesh, or wider than the host), and when there are no hosts.
[[nodiscard]] inline cluster compose(const node_topology& node, const std::optional<network_tree>& network,
                                     const host_list& hosts = {}, const compose_options& options = {}) {
  if (node.gpus.empty()) throw invalid_argument(node.source + ": a node has at least one GPU");
  if (!(options.nic_gigabits >= 0) || !std::isfinite(options.nic_gigabits)) {
    throw invalid_argument("--nic is a rate in Gb/s, more than 0; it is " + std::to_string(options.nic_gigabits));
  }
  const host_list list = hosts.hosts.empty() && network ? detail::all_of(*network) : hosts;
  if (list.hosts.empty()) throw invalid_argument("no hosts: neither an allocation (--hosts) nor a network (--network) names any");
  if (list.hosts.size() > detail::compose_max_gpus / node.gpus.size()) {
    throw invalid_argument(std::to_string(list.hosts.size()) + " hosts with " + std::to_string(node.gpus.size()) +
                           " GPUs each are more than " + std::to_string(detail::compose_max_gpus) + " GPUs");
  }
  const gpu_model* model = options.gpu.empty() ? nullptr : &find_gpu(options.gpu);
  const auto domains = detail::domains_of_node(node, model);
  const node_rails rails = rails_of(node);

  cluster c;
  c.name = node.source + (network ? " + " + network->source : "") + (hosts.hosts.empty() ? "" : " + " + hosts.source);
  c.gpu_models = {model != nullptr ? std::string(model->title) : "unknown GPU"};
  c.rails = static_cast<std::uint16_t>(rails.nics.empty() ? 1 : rails.nics.size());
  c.nvlink = detail::nvlink_figure(node, domains, model, c.notes);
  c.pcie = detail::pcie_figure(model);
  c.nic = detail::nic_figure(node, rails, options.nic_gigabits);
  c.fabric = detail::fabric_of(node, rails);
  detail::add_hosts(c, node, list, domains, rails);
  if (network) {
    const auto in_network = detail::hosts_in_network(*network, list);
    detail::add_tiers(c, *network, in_network);
    if (in_network.size() < network->hosts.size()) {
      c.notes.push_back(network->source + ": " + std::to_string(network->hosts.size() - in_network.size()) + " of " +
                        std::to_string(network->hosts.size()) + " hosts aren't in the allocation and are left out");
    }
    detail::add_notes(c, network->source, network->notes);
  } else {
    detail::add_assumed_tier(c);
  }
  detail::check_slots(node, list, c);
  detail::add_notes(c, node.source, node.notes);
  if (!rails.unknown.empty())
    c.notes.push_back(node.source + ": the rails can't be told, all GPUs count as on one: " + rails.unknown);
  if (rails.paired) c.notes.push_back(node.source + ": equally near GPUs and NICs are paired in order, as NCCL does");
  if (const auto broken = validate(c)) throw invalid_argument(c.name + ": " + *broken);
  return c;
}

}  // namespace topoplan::inline v1::import
