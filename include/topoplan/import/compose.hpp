// Puts nodes, a network, NVLink domains and an allocation together into one cluster.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/detail/compose_class.hpp>
#include <topoplan/import/detail/compose_domains.hpp>
#include <topoplan/import/detail/compose_hosts.hpp>
#include <topoplan/import/detail/compose_tiers.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/network_tree.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

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
  double slowest = 0;
  double fastest = 0;
  for (const auto& nics : like.rails.nics) {
    for (const auto nic : nics) {
      const double rate = node.nics[nic].rate ? node.nics[nic].rate->gigabits() : 0;
      if (rate > 0 && (slowest == 0 || rate < slowest)) slowest = rate;
      fastest = std::max(fastest, rate);
    }
  }
  if (slowest < fastest) {
    c.notes.push_back(node.source + ": the NICs that GPUs send by run at " + std::to_string(static_cast<int>(slowest)) + " to " +
                      std::to_string(static_cast<int>(fastest)) + " Gb/s; the slowest counts for all");
  }
  if (!like.rails.unknown.empty())
    c.notes.push_back(node.source + ": the rails can't be told, all GPUs count as on one: " + like.rails.unknown);
  if (like.rails.paired) c.notes.push_back(node.source + ": equally near GPUs and NICs are paired in order, as NCCL does");
}

// Unnamed GPUs with different NVLinks aren't of one model, whatever they are.
inline void tell_apart_unknown(std::vector<class_figures>& classes) {
  for (std::size_t k = 1; k < classes.size(); ++k) {
    for (std::size_t other = 0; other < k; ++other) {
      if (classes[k].model != nullptr || classes[k].title != classes[other].title) continue;
      if (classes[k].nvlink.rate.value != classes[other].nvlink.rate.value) classes[k].title += " of " + classes[k].node->source;
    }
  }
}

// Models, rails and link figures of all classes together.
inline void add_figures(cluster& c, const std::vector<class_figures>& classes) {
  c.fabric = classes.front().fabric;
  c.rails = static_cast<std::uint16_t>(classes.front().rails.nics.empty() ? 1 : classes.front().rails.nics.size());
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
  for (const node_class& one : parts.classes) {
    add(one.node.source);
    for (const std::string& more : one.node.more_sources) add(more);
  }
  if (parts.network) add(parts.network->source);
  if (parts.domains && (!parts.network || parts.domains->source != parts.network->source)) add(parts.domains->source);
  if (!parts.hosts.hosts.empty()) add(parts.hosts.source);
  return name;
}

}  // namespace detail

// Every host of the allocation (or, when that is empty, of the network, or of the domains) looks inside as its class says, hangs
// on the switches that the network shows above it and is in the NVLink domain that the table gives it. The network's other hosts
// are left out, and so are switches that carry none of the allocation. Names match short against fully qualified, in any case.
// A GPU in MIG mode, or whose NVLink fabric isn't ready, takes no rank, nor does a host that a scheduler keeps from use; a note
// says why. Classes that no host is of don't count.
// post: hosts in the order of the list; validate() accepts the result; every figure says where it came from, and is `assumed`
//   where no input says it; of classes with different rates the lowest counts. complexity: O(GPUs + hosts x levels).
// errors: invalid_argument when a host is missing in the network, the domains or the classes, when two inputs disagree (hosts,
//   slots, GPUs, models, NVLinks of the product), when the NVLink domains can't be told (hidden, cut, a mesh, or wider than the
//   host), and when there are no hosts.
[[nodiscard]] inline cluster compose(const cluster_parts& parts) {
  detail::check_options(parts.options);
  const host_list list = detail::list_of(parts);
  detail::refuse_twins(list);

  cluster c;
  c.name = detail::name_of(parts);
  const auto class_of = detail::classes_of(list, parts.classes, c.notes);
  std::vector<detail::class_figures> classes(parts.classes.size());
  std::vector<detail::class_figures> used;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (std::find(class_of.begin(), class_of.end(), k) == class_of.end()) continue;
    classes[k] = detail::figures_of(parts.classes[k].node, parts.options, parts.domains.has_value(), c.notes);
    used.push_back(classes[k]);
  }
  detail::tell_apart_unknown(used);
  for (std::size_t k = 0, u = 0; k < classes.size(); ++k) {
    if (classes[k].node != nullptr) classes[k].title = used[u++].title;
  }
  detail::add_figures(c, used);

  detail::domain_dealer domains(c, parts.domains);
  detail::slot_check slots(list);
  const detail::state_check states(parts.states);
  for (std::size_t h = 0; h < list.hosts.size(); ++h) {
    const listed_host& listed = list.hosts[h];
    const detail::class_figures& like = classes[class_of[h]];
    slots.add(listed, *like.node);
    const auto title = std::find(c.gpu_models.begin(), c.gpu_models.end(), like.title);
    const auto id = detail::add_host(c, listed.name, like, static_cast<std::uint16_t>(title - c.gpu_models.begin()));
    domains.deal(id, like, domains.find(listed, list.source));
    states.apply(c, id, *like.node);
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
    if (classes[k].node != nullptr)
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
