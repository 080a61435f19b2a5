// Puts nodes, an InfiniBand fabric, NVLink domains and an allocation together: what hangs on what is read off a graph of the
// cables.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/graph/fold.hpp>
#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/detail/compose_class.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/detail/ib_node_nics.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/detail/tally.hpp>
#include <topoplan/import/fabric_graph_of.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/ib_network.hpp>
#include <topoplan/import/network_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// The tiers that the graph shows, with the names of the switches where the tree has one for the whole group.
inline void take_tiers(cluster& c, cluster folded) {
  for (std::size_t h = 0; h < c.hosts.size(); ++h) {
    for (std::size_t t = 0; t < folded.tiers.size() && t < c.tiers.size(); ++t) {
      const host_id id{static_cast<std::uint32_t>(h)};
      if (c.tiers[t].nodes.size() != folded.tiers[t].nodes.size()) break;
      folded.tiers[t].nodes[folded.ancestor(id, t)].name = c.tiers[t].nodes[c.ancestor(id, t)].name;
    }
  }
  for (std::size_t h = 0; h < c.hosts.size(); ++h) c.hosts[h].leaf = folded.hosts[h].leaf;
  const auto joined = std::find_if(folded.tiers.begin(), folded.tiers.end(), [](const tier& t) { return t.nodes.size() == 1; });
  if (joined != folded.tiers.end()) {
    joined->nodes.front().parent = 0;
    folded.tiers.erase(joined + 1, folded.tiers.end());
  }
  c.tiers = std::move(folded.tiers);
}

// The oversubscription of the whole fabric, whose other hosts send, too: that of the busiest group that carries a host.
inline void take_capacity(cluster& c, const ib_network& network, const std::vector<std::uint32_t>& in_network) {
  for (std::uint32_t t = 0; t < c.tiers.size(); ++t) {
    double busiest = 0;
    for (const auto h : in_network) {
      const ib_capacity& capacity = network.capacity[group_at(network.tree, network.tree.hosts[h].leaf, t)];
      if (capacity.upward.value > 0) busiest = std::max(busiest, capacity.from_below.value / capacity.upward.value);
    }
    if (busiest > 0) c.tiers[t].oversubscription = busiest;
  }
}

// What the fabric says of the NICs of the job's hosts.
struct ib_nic_rates {
  double of_gpu = 0;   // gigabits per second, of the scarcest rail that has any; 0: rates aren't given
  double of_port = 0;  // that of most NICs
  std::vector<std::string> notes;
};

// pre: `job` are hosts of ib_hosts, and classes[class_of[i]] is the class of job[i]. complexity: O(ports).
// errors: invalid_argument for a host that has none of the NICs of its class.
[[nodiscard]] inline ib_nic_rates nic_rates(const ib_fabric& fabric, const ib_hosts& hosts, const std::vector<std::uint32_t>& job,
                                            const std::vector<class_figures>& classes,
                                            const std::vector<std::uint32_t>& class_of) {
  std::vector<note> seen_elsewhere;
  const auto links = links_of(fabric, hosts, seen_elsewhere);
  std::vector<std::vector<double>> rate(hosts.hosts.size());
  for (std::size_t h = 0; h < rate.size(); ++h) rate[h].resize(hosts.hosts[h].adapters.size());
  for (const ib_switch& s : links.switches) {
    for (const ib_host_port& port : s.ports)
      rate[port.host][port.adapter] += data_rate(fabric.cables[port.cable].rate).gigabits();
  }
  ib_nic_rates found;
  tally<double> ports;
  for (std::size_t i = 0; i < job.size(); ++i) {
    const ib_host& host = hosts.hosts[job[i]];
    const class_figures& like = classes[class_of[i]];
    const auto nics = match_nics(host, like);
    if (!nics.missing.empty()) {
      name_list names;
      for (const auto nic : nics.missing) names.add(import::name_of(like.node->nics[nic]));
      found.notes.push_back(source_of(fabric) + ": host " + host.name + " lacks " + names.text() + ", by which GPUs of " +
                            like.node->source + " send");
    }
    for (std::size_t rail = 0; rail < nics.adapters.size(); ++rail) {
      double sum = 0;
      for (const auto adapter : nics.adapters[rail]) {
        sum += rate[job[i]][adapter];
        if (rate[job[i]][adapter] > 0) ports.add(rate[job[i]][adapter]);
      }
      const double share = sum / static_cast<double>(std::count(like.rails.of_gpu.begin(), like.rails.of_gpu.end(), rail));
      if (share > 0 && (found.of_gpu == 0 || share < found.of_gpu)) found.of_gpu = share;
    }
  }
  if (ports.total() > 0) found.of_port = ports.usual();
  return found;
}

// The hosts that may be described, where no allocation says it.
[[nodiscard]] inline host_list hosts_that_fit(const ib_fabric& fabric, const ib_hosts& hosts, const network_tree& tree,
                                              const std::vector<class_figures>& classes, const class_of_host& find_class,
                                              std::vector<std::string>& notes) {
  std::unordered_map<std::string, std::uint32_t> number;
  for (std::uint32_t h = 0; h < hosts.hosts.size(); ++h) number.emplace(hosts.hosts[h].name, h);
  host_list list{source_of(fabric), {}};
  name_list others;
  std::size_t count = 0;
  for (const network_host& host : tree.hosts) {
    const class_figures& like = classes[find_class(host.name)];
    if (fits(hosts.hosts[number.at(host.name)], like)) {
      list.hosts.push_back({host.name, fabric.sources.size() > 1 ? 0 : host.line, {}});
    } else {
      others.add(host.name);
      ++count;
    }
  }
  if (count > 0) {
    notes.push_back(
        source_of(fabric) + ": " + counted(count, "host") +
        " without most of the NICs by which GPUs send are taken for storage or login nodes and left out (give --hosts to "
        "say it): " +
        others.text());
  }
  return list;
}

}  // namespace detail

// As compose(parts), but that the fabric is the network: leaf groups, tiers and their oversubscription come out of fold over the
// graph of the hosts' links and the fabric's cables, the rate of the NICs out of the cables of those that GPUs send by. Without
// an allocation the fabric's hosts are taken, but for those with less than half of the NICs of their class. parts.network isn't
// looked at. What is degraded (a link down or slow, a rail that is missing, cables out of order) is in the notes. post: as
// compose; figures of the network are `derived` where the text gives rates. complexity: O((GPUs + cables) log devices). errors:
// as compose, network_of and fabric_graph_of; invalid_argument when --nic and the cables disagree by more than 5 %.
[[nodiscard]] inline cluster compose_fabric(const ib_fabric& fabric, const ib_hosts& hosts, cluster_parts parts) {
  const ib_network network = network_of(fabric, hosts);
  parts.network = network.tree;
  const std::string name = detail::name_of(parts);
  std::vector<std::string> notes;
  if (!parts.hosts.hosts.empty()) {
    const auto used = detail::classes_of(parts.hosts, parts.classes, notes);
    std::uint32_t k = 0;
    std::erase_if(parts.classes, [&](const node_class&) { return std::find(used.begin(), used.end(), k++) == used.end(); });
  }
  const class_of_host find_class(parts.classes);
  std::vector<std::string> told_by_compose;
  std::vector<detail::class_figures> classes;
  for (const node_class& one : parts.classes) {
    classes.push_back(detail::figures_of(one.node, parts.options, parts.domains.has_value(), told_by_compose));
  }
  if (parts.hosts.hosts.empty()) {
    parts.hosts = detail::hosts_that_fit(fabric, hosts, network.tree, classes, find_class, notes);
    if (parts.hosts.hosts.empty()) static_cast<void>(fabric_graph_of(fabric, hosts, parts));  // says which NICs are missed
  }
  cluster c = compose(parts);
  c.name = name;
  cluster folded = fold(fabric_graph_of(fabric, hosts, parts));
  const auto in_network = detail::hosts_in_network(network.tree, parts.hosts);
  std::vector<std::uint32_t> job;
  std::vector<std::uint32_t> class_of;
  std::unordered_map<std::string, std::uint32_t> number;
  for (std::uint32_t h = 0; h < hosts.hosts.size(); ++h) number.emplace(hosts.hosts[h].name, h);
  for (std::size_t i = 0; i < in_network.size(); ++i) {
    job.push_back(number.at(network.tree.hosts[in_network[i]].name));
    class_of.push_back(find_class(parts.hosts.hosts[i].name));
  }
  auto rates = detail::nic_rates(fabric, hosts, job, classes, class_of);
  const double given = parts.options.nic_gigabits;
  if (given > 0 && rates.of_port > 0 && std::abs(given - rates.of_port) > 0.05 * rates.of_port) {
    throw invalid_argument("--nic and " + source_of(fabric) + " disagree: " + std::to_string(static_cast<int>(given)) +
                           " Gb/s against " + std::to_string(static_cast<int>(rates.of_port)) +
                           " Gb/s of the cables; leave --nic out");
  }
  c.fabric = fabric_kind::infiniband;
  if (rates.of_gpu > 0)
    c.nic = {gigabits_per_second(rates.of_gpu), {}, {confidence::derived, "the cables of " + source_of(fabric)}};
  for (auto* more : {&notes, &rates.notes}) c.notes.insert(c.notes.end(), more->begin(), more->end());
  detail::take_tiers(c, std::move(folded));
  detail::take_capacity(c, network, in_network);
  if (const auto broken = validate(c)) throw invalid_argument(c.name + ": " + *broken);
  return c;
}

}  // namespace topoplan::inline v1::import
