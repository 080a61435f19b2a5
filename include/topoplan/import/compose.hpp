// Puts nodes, a network, NVLink domains and an allocation together into one cluster.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/detail/compose_class.hpp>
#include <topoplan/import/detail/compose_domains.hpp>
#include <topoplan/import/detail/compose_tiers.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/network_tree.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// More than any job takes; a mistyped list of hosts times GPUs is refused before it takes memory.
inline constexpr std::size_t compose_max_gpus = std::size_t{1} << 22U;

// The hosts that the network names, as if a file listed them.
[[nodiscard]] inline host_list all_of(const network_tree& network) {
  host_list list{network.source, {}};
  for (const network_host& host : network.hosts) list.hosts.push_back({host.name, host.line, {}});
  return list;
}

// The hosts that a table of domains names, as if a file listed them.
[[nodiscard]] inline host_list all_of(const domain_table& domains) {
  host_list list{domains.source, {}};
  for (const domain_host& host : domains.hosts) list.hosts.push_back({host.name, host.line, {}});
  return list;
}

// errors: invalid_argument for parts that name no host.
[[nodiscard]] inline host_list list_of(const cluster_parts& parts) {
  if (!parts.hosts.hosts.empty()) return parts.hosts;
  host_list list;
  if (parts.network) list = all_of(*parts.network);
  else if (parts.domains) list = all_of(*parts.domains);
  if (list.hosts.empty()) {
    throw invalid_argument(
        "no hosts: neither an allocation (--hosts) nor a network (--network) nor NVLink domains (--domains) name any");
  }
  return list;
}

inline void check_options(const compose_options& options) {
  if (!(options.nic_gigabits >= 0) || !std::isfinite(options.nic_gigabits)) {
    throw invalid_argument("--nic is a rate in Gb/s, more than 0; it is " + std::to_string(options.nic_gigabits));
  }
}

// Counts the hosts whose list gives them fewer slots than GPUs. errors: invalid_argument for a host with more.
class slot_check {
 public:
  explicit slot_check(const host_list& list) : list_(list) {}

  void add(const listed_host& host, const node_topology& node) {
    if (!host.slots) return;
    if (*host.slots > node.gpus.size()) {
      throw invalid_argument(place_of(list_.source, host.line) + ": " + host.name + " has " + std::to_string(*host.slots) +
                             " slots, and " + node.source + " shows " + std::to_string(node.gpus.size()) + " GPUs a host");
    }
    fewer_ += *host.slots < node.gpus.size() ? 1U : 0U;
  }
  void finish(cluster& c) const {
    if (fewer_ == 0) return;
    c.notes.push_back(list_.source + ": " + std::to_string(fewer_) +
                      " hosts have fewer slots than GPUs; slots are ignored, all GPUs count");
  }

 private:
  const host_list& list_;
  std::size_t fewer_ = 0;
};

// Adds a host and its GPUs, which have no domain yet. errors: invalid_argument for more GPUs than any job takes.
inline host_id add_host(cluster& c, const std::string& name, const class_figures& like, std::uint16_t model) {
  const node_topology& node = *like.node;
  const host_id id{static_cast<std::uint32_t>(c.hosts.size())};
  if (c.gpus.size() + node.gpus.size() > compose_max_gpus) {
    throw invalid_argument("more than " + std::to_string(compose_max_gpus) + " GPUs, with host " + name);
  }
  host h;
  h.name = name;
  h.first_gpu = static_cast<std::uint32_t>(c.gpus.size());
  h.gpu_count = static_cast<std::uint16_t>(node.gpus.size());
  h.model = model;
  c.hosts.push_back(h);
  for (std::uint32_t g = 0; g < node.gpus.size(); ++g) {
    gpu seat;
    seat.host = id;
    seat.index = static_cast<std::uint16_t>(g);
    seat.rail = like.rails.of_gpu[g];
    const auto numa = node.gpus[g].numa;
    seat.numa = numa && *numa <= 32767 ? static_cast<std::int16_t>(*numa) : std::int16_t{-1};
    if (!node.gpus[g].fault.empty()) seat.health = gpu_health::unhealthy;
    c.gpus.push_back(seat);
  }
  return id;
}

// Addresses and UUIDs are known where every class is one host.
inline void add_addresses(cluster& c, const std::vector<std::uint32_t>& class_of, const std::vector<class_figures>& classes) {
  std::vector<std::size_t> hosts(classes.size());
  for (const auto k : class_of) ++hosts[k];
  if (std::any_of(hosts.begin(), hosts.end(), [](std::size_t n) { return n > 1; })) return;
  bool pci = false;
  bool uuid = false;
  for (const auto k : class_of) {
    for (const node_gpu& gpu : classes[k].node->gpus) {
      pci = pci || !gpu.pci.empty();
      uuid = uuid || !gpu.uuid.empty();
    }
  }
  for (const auto k : class_of) {
    for (const node_gpu& gpu : classes[k].node->gpus) {
      if (pci) c.pci.push_back(gpu.pci);
      if (uuid) c.uuid.push_back(gpu.uuid);
    }
  }
}

inline void add_notes(cluster& c, const std::string& source, const std::vector<note>& notes) {
  for (const note& n : notes) c.notes.push_back(place_of(source, n.line) + ": " + n.text);
}

// What the sources of a class say beside figures. `hosts`: how many hosts of the cluster are of the class.
inline void add_class_notes(cluster& c, const class_figures& like, std::size_t hosts) {
  const std::string whose = hosts > 1 ? " of each of the " + std::to_string(hosts) + " hosts like it" : "";
  const node_topology& node = *like.node;
  add_notes(c, node.source, node.notes);
  for (const std::string& text : node.other_notes) c.notes.push_back(text);
  for (const node_gpu& gpu : node.gpus) {
    if (!gpu.fault.empty()) c.notes.push_back(node.source + ": " + gpu.name + whose + " takes no rank: it is " + gpu.fault);
  }
  if (!like.rails.unknown.empty())
    c.notes.push_back(node.source + ": the rails can't be told, all GPUs count as on one: " + like.rails.unknown);
  if (like.rails.paired) c.notes.push_back(node.source + ": equally near GPUs and NICs are paired in order, as NCCL does");
}

// Models, rails and link figures of all classes together.
inline void add_figures(cluster& c, const std::vector<class_figures>& classes) {
  c.fabric = classes.front().fabric;
  for (const class_figures& one : classes) {
    if (std::find(c.gpu_models.begin(), c.gpu_models.end(), one.title) == c.gpu_models.end()) c.gpu_models.push_back(one.title);
    const auto rails = one.rails.nics.empty() ? std::size_t{1} : one.rails.nics.size();
    if (&one != &classes.front() && rails != c.rails) {
      c.notes.push_back(one.node->source + ": " + counted(rails, "rail") + ", and other hosts have " + std::to_string(c.rails));
    }
    c.rails = std::max(c.rails, static_cast<std::uint16_t>(rails));
    if (one.fabric != c.fabric) c.fabric = fabric_kind::unknown;
  }
  c.nvlink = lowest_figure(classes, &class_figures::nvlink, "NVLink", c.notes);
  c.pcie = lowest_figure(classes, &class_figures::pcie, "PCIe", c.notes);
  c.nic = lowest_figure(classes, &class_figures::nic, "the network", c.notes);
}

[[nodiscard]] inline std::string name_of(const cluster_parts& parts) {
  std::string name;
  const auto add = [&](const std::string& source) { (name += name.empty() ? "" : " + ") += source; };
  for (const node_class& one : parts.classes) add(one.node.source);
  if (parts.network) add(parts.network->source);
  if (parts.domains && (!parts.network || parts.domains->source != parts.network->source)) add(parts.domains->source);
  if (!parts.hosts.hosts.empty()) add(parts.hosts.source);
  return name;
}

}  // namespace detail

// Every host of the allocation (or, when that is empty, of the network, or of the domains) looks inside as its class says, hangs
// on the switches that the network shows above it and is in the NVLink domain that the table gives it. The network's other hosts
// are left out, and so are switches that carry none of the allocation. Names match short against fully qualified, in any case.
// A GPU in MIG mode, or whose NVLink fabric isn't ready, takes no rank, and a note says why.
// post: hosts in the order of the list; validate() accepts the result; every figure says where it came from, and is `assumed`
//   where no input says it; of classes with different rates the lowest counts. complexity: O(GPUs + hosts x levels).
// errors: invalid_argument when a host is missing in the network, the domains or the classes, when two inputs disagree (hosts,
//   slots, GPUs, models, NVLinks of the product), when the NVLink domains can't be told (hidden, cut, a mesh, or wider than the
//   host), and when there are no hosts.
[[nodiscard]] inline cluster compose(const cluster_parts& parts) {
  detail::check_options(parts.options);
  const class_of_host find_class(parts.classes);
  const host_list list = detail::list_of(parts);

  cluster c;
  c.name = detail::name_of(parts);
  std::vector<detail::class_figures> classes;
  for (const node_class& one : parts.classes) {
    classes.push_back(detail::figures_of(one.node, parts.options, parts.domains.has_value(), c.notes));
  }
  c.rails = static_cast<std::uint16_t>(classes.front().rails.nics.empty() ? 1 : classes.front().rails.nics.size());
  detail::add_figures(c, classes);

  detail::domain_dealer domains(c, parts.domains);
  detail::slot_check slots(list);
  std::vector<std::uint32_t> class_of;
  for (const listed_host& listed : list.hosts) {
    const auto k = find_class(listed.name);
    const detail::class_figures& like = classes[k];
    slots.add(listed, *like.node);
    const auto title = std::find(c.gpu_models.begin(), c.gpu_models.end(), like.title);
    const auto id = detail::add_host(c, listed.name, like, static_cast<std::uint16_t>(title - c.gpu_models.begin()));
    domains.deal(id, like, domains.find(listed, list.source));
    class_of.push_back(k);
  }
  detail::add_addresses(c, class_of, classes);
  if (parts.network) {
    const auto in_network = detail::hosts_in_network(*parts.network, list);
    detail::add_tiers(c, *parts.network, in_network);
    if (in_network.size() < parts.network->hosts.size()) {
      c.notes.push_back(parts.network->source + ": " + std::to_string(parts.network->hosts.size() - in_network.size()) + " of " +
                        std::to_string(parts.network->hosts.size()) + " hosts aren't in the allocation and are left out");
    }
    detail::add_notes(c, parts.network->source, parts.network->notes);
  } else {
    detail::add_assumed_tier(c);
  }
  domains.finish();
  slots.finish(c);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    detail::add_class_notes(c, classes[k], static_cast<std::size_t>(std::count(class_of.begin(), class_of.end(), k)));
  }
  if (const auto broken = validate(c)) throw invalid_argument(c.name + ": " + *broken);
  return c;
}

// The same for hosts that all look like one. post: as above. complexity: as above. errors: as above.
[[nodiscard]] inline cluster compose(const node_topology& node, const std::optional<network_tree>& network,
                                     const host_list& hosts = {}, const compose_options& options = {}) {
  return compose(cluster_parts{{{{}, node}}, network, std::nullopt, std::nullopt, hosts, options});
}

}  // namespace topoplan::inline v1::import
