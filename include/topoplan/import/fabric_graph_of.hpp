// An InfiniBand fabric and the inside of its hosts as one graph: what fold, paths and cut read.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/detail/compose_class.hpp>
#include <topoplan/import/detail/compose_tiers.hpp>
#include <topoplan/import/detail/ib_leaf_groups.hpp>
#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/detail/ib_node_nics.hpp>
#include <topoplan/import/detail/ib_tiers.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class ib_graph_builder {
 public:
  ib_graph_builder(const ib_fabric& fabric, const ib_hosts& hosts, const cluster_parts& parts)
      : fabric_(fabric), hosts_(hosts), parts_(parts), find_class_(parts.classes), graph_(name_of(parts, fabric)) {
    std::vector<std::string> notes;
    for (const node_class& one : parts.classes) {
      classes_.push_back(figures_of(one.node, parts.options, parts.domains.has_value(), notes));
    }
    for (std::uint32_t i = 0; parts.domains && i < parts.domains->hosts.size(); ++i) names_.add(parts.domains->hosts[i].name, i);
    nic_ = parts.options.nic_gigabits > 0 ? gigabits_per_second(parts.options.nic_gigabits) : bytes_per_second{};
    graph_.set_fabric(fabric_kind::infiniband);
    graph_.set_gpu_model(classes_.front().title);
  }

  [[nodiscard]] fabric_graph build() {
    std::vector<note> notes;
    links_ = links_of(fabric_, hosts_, notes);
    groups_ = group_leafs(links_);
    const auto level = switch_levels(links_, groups_);
    for (const auto h : hosts_of_the_job()) add_host(h);
    for (std::uint32_t h = 0; h < hosts_.hosts.size(); ++h) {
      if (groups_.of_host[h] != ib_none && !added_.contains(h)) add_nics(h, graph_.add_host(hosts_.hosts[h].name));
    }
    std::vector<std::uint32_t> vertex(links_.switches.size(), ib_none);
    for (std::uint32_t s = 0; s < vertex.size(); ++s) {
      const auto kind = level[s] == 0 ? vertex_kind::leaf : level[s] == 1 ? vertex_kind::spine : vertex_kind::core;
      if (level[s] != ib_none) vertex[s] = graph_.add_switch(kind, links_.switches[s].name);
    }
    for (std::uint32_t s = 0; s < vertex.size(); ++s) {
      if (vertex[s] == ib_none) continue;
      connect_hosts(s, vertex[s]);
      for (const ib_neighbour& n : links_.switches[s].neighbours) {
        if (n.to < s || vertex[n.to] == ib_none) continue;
        bytes_per_second sum;
        for (const auto cable : n.cables) sum = sum + rate_of(cable);
        graph_.connect(vertex[s], vertex[n.to], link_kind::network, sum, static_cast<std::uint32_t>(n.cables.size()));
      }
    }
    return graph_.build();
  }

 private:
  // The cable's own rate, or --nic where the text has none.
  [[nodiscard]] bytes_per_second rate_of(std::uint32_t cable) const {
    const ib_rate rate = fabric_.cables[cable].rate;
    return rate.known() ? data_rate(rate) : nic_;
  }

  // The hosts that get GPUs: those of the allocation, in its order, or all that hang on a switch and have at least half of the
  // NICs that their class sends by: storage and login nodes haven't. Hosts beside these keep their NICs, since their cables are
  // part of the fabric. errors: invalid_argument for a host of the allocation that the fabric lacks, or may mean twice, and when
  // no host is left.
  [[nodiscard]] std::vector<std::uint32_t> hosts_of_the_job() const {
    std::vector<std::uint32_t> found;
    host_names names;
    for (std::uint32_t h = 0; h < hosts_.hosts.size(); ++h) {
      if (groups_.of_host[h] == ib_none) continue;
      names.add(hosts_.hosts[h].name, h);
      if (parts_.hosts.hosts.empty() && fits(hosts_.hosts[h], classes_[find_class_(hosts_.hosts[h].name)])) found.push_back(h);
    }
    for (const listed_host& listed : parts_.hosts.hosts) {
      const auto match = names.find(listed.name);
      if (match.hosts.size() != 1) {
        throw invalid_argument(place_of(parts_.hosts.source, listed.line) + ": host " + listed.name +
                               (match.none() ? " hangs on no switch of " : " is several hosts of ") + source_of(fabric_));
      }
      found.push_back(match.hosts.front());
    }
    if (found.empty()) refuse_all();
    return found;
  }

  void add_host(std::uint32_t h) {
    const ib_host& host = hosts_.hosts[h];
    const class_figures& like = classes_[find_class_(host.name)];
    const node_topology& node = *like.node;
    const auto number = graph_.add_host(host.name);
    added_.insert(h);
    std::vector<std::uint32_t> gpus;
    for (std::size_t g = 0; g < node.gpus.size(); ++g) gpus.push_back(graph_.add_gpu(number));
    const auto shared = domain_of(host.name);
    std::size_t most = 0;
    for (const nvlink_group& group : like.groups) most = std::max(most, group.gpus.size());
    for (const nvlink_group& group : like.groups) {
      const bool in_table = shared && group.gpus.size() == most && (most > 1 || node.gpus.size() == 1);
      if (group.gpus.size() < 2 && !in_table) continue;
      const auto nvswitch = in_table ? nvswitch_of(*shared) : graph_.add_nvswitch(number);
      for (const auto gpu : group.gpus) graph_.connect(gpus[gpu], nvswitch, link_kind::nvlink, like.nvlink.rate, group.links);
    }
    add_nics(h, number);
    const auto nics = match_nics(host, like);
    if (nics.wanted > 0 && nics.missing.size() == nics.wanted) refuse(host, like, nics.missing.front());
    for (std::size_t rail = 0; rail < nics.adapters.size(); ++rail) {
      for (const auto adapter : nics.adapters[rail]) {
        for (std::size_t g = 0; g < gpus.size(); ++g) {
          if (like.rails.of_gpu[g] == rail) graph_.connect(gpus[g], nic_of_.at({h, adapter}), link_kind::pcie, like.pcie.rate);
        }
      }
    }
  }

  void add_nics(std::uint32_t h, std::uint32_t number) {
    for (std::uint32_t a = 0; a < hosts_.hosts[h].adapters.size(); ++a) nic_of_.emplace(std::pair(h, a), graph_.add_nic(number));
  }

  // errors: always invalid_argument.
  [[noreturn]] void refuse(const ib_host& host, const class_figures& like, std::uint32_t nic) const {
    std::size_t gpu = 0;
    const auto& rails = like.rails;
    while (gpu + 1 < rails.of_gpu.size() &&
           std::count(rails.nics[rails.of_gpu[gpu]].begin(), rails.nics[rails.of_gpu[gpu]].end(), nic) == 0)
      ++gpu;
    const node_nic& missing = like.node->nics[nic];
    std::string has;
    for (const ib_adapter& adapter : host.adapters)
      (has += has.empty() ? "" : ", ") += adapter.name.empty() ? "an adapter without a name" : adapter.name;
    throw invalid_argument(like.node->source + " and " + source_of(fabric_) + " disagree: " + like.node->gpus[gpu].name +
                           " sends by " + import::name_of(missing) + ", and host " + host.name +
                           " has none of the NICs that GPUs send by; in the fabric it has " + has);
  }
  [[noreturn]] void refuse_all() const {
    for (std::uint32_t h = 0; h < hosts_.hosts.size(); ++h) {
      if (groups_.of_host[h] == ib_none) continue;
      const ib_host& host = hosts_.hosts[h];
      const class_figures& like = classes_[find_class_(host.name)];
      const auto nics = match_nics(host, like);
      if (!nics.missing.empty()) refuse(host, like, nics.missing.front());
    }
    throw invalid_argument(source_of(fabric_) + ": no host hangs on a switch");
  }

  // The domain that the table gives a host. errors: invalid_argument for a host that the table lacks or may mean twice.
  [[nodiscard]] std::optional<std::uint32_t> domain_of(const std::string& host) const {
    if (!parts_.domains) return std::nullopt;
    const auto match = names_.find(host);
    if (match.hosts.size() != 1) {
      throw invalid_argument("host " + host + " of " + source_of(fabric_) + " is " +
                             (match.none() ? "not in " : "several times in ") + parts_.domains->source +
                             ", which gives the NVLink domains");
    }
    return parts_.domains->hosts[match.hosts.front()].domain;
  }

  // One vertex stands for the NVSwitches of a domain.
  [[nodiscard]] std::uint32_t nvswitch_of(std::uint32_t domain) {
    const auto known = nvswitch_of_.find(domain);
    return known != nvswitch_of_.end() ? known->second : nvswitch_of_.emplace(domain, graph_.add_nvswitch()).first->second;
  }

  // A stray cable would make one leaf group of two: network_of says it, the graph leaves it out.
  void connect_hosts(std::uint32_t s, std::uint32_t vertex) {
    for (const ib_host_port& port : links_.switches[s].ports) {
      if (groups_.of_host[port.host] != groups_.of_switch[s]) continue;
      graph_.connect(nic_of_.at({port.host, port.adapter}), vertex, link_kind::network, rate_of(port.cable));
    }
  }

  [[nodiscard]] static std::string name_of(const cluster_parts& parts, const ib_fabric& fabric) {
    std::string name = source_of(fabric);
    for (const node_class& one : parts.classes) name += " + " + one.node.source;
    return name;
  }

  const ib_fabric& fabric_;
  const ib_hosts& hosts_;
  const cluster_parts& parts_;
  class_of_host find_class_;
  std::vector<class_figures> classes_;
  host_names names_;  // of the table of domains
  fabric_graph_builder graph_;
  std::set<std::uint32_t> added_;  // hosts that have their GPUs
  bytes_per_second nic_;
  ib_links links_;
  ib_groups groups_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> nic_of_;
  std::map<std::uint32_t, std::uint32_t> nvswitch_of_;
};

}  // namespace detail

// The hosts of the allocation, or all that hang on a switch, with the inside that their class describes, their adapters as NICs,
// and the switches and cables of the fabric. A GPU is joined with the NICs of its rail, by their names. Cables of a host to
// another leaf group than its own are left out. The table of domains says which hosts share NVLink; without it each host is for
// itself. Without an allocation hosts with less than half of the NICs of their class have no GPUs. parts.network isn't looked at.
// post: hosts in the order of the allocation, else of ib_hosts; then those beside it, without GPUs.
// complexity: O((devices + cables) log devices).
// errors: invalid_argument when a node doesn't show its NVLink domains, as compose, for a host that the allocation has and the
//   fabric or the domains lack, and for a host that has none of the NICs of its class.
[[nodiscard]] inline fabric_graph fabric_graph_of(const ib_fabric& fabric, const ib_hosts& hosts, const cluster_parts& parts) {
  return detail::ib_graph_builder(fabric, hosts, parts).build();
}

// The same for hosts that all look like one. post: as above. complexity: as above. errors: as above.
[[nodiscard]] inline fabric_graph fabric_graph_of(const ib_fabric& fabric, const ib_hosts& hosts, const node_topology& node,
                                                  const domain_table& domains = {}, const compose_options& options = {}) {
  cluster_parts parts{{{{}, node}}, std::nullopt, std::nullopt, std::nullopt, {}, options};
  if (!domains.hosts.empty()) parts.domains = domains;
  return fabric_graph_of(fabric, hosts, parts);
}

}  // namespace topoplan::inline v1::import
