// An InfiniBand fabric and the inside of its hosts as one graph: what fold, paths and cut read.
#pragma once

#include <topoplan/cluster/hardware.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/detail/compose_node.hpp>
#include <topoplan/import/detail/ib_adapter_name.hpp>
#include <topoplan/import/detail/ib_leaf_groups.hpp>
#include <topoplan/import/detail/ib_links.hpp>
#include <topoplan/import/detail/ib_tiers.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/node_topology.hpp>
#include <topoplan/import/rails.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class ib_graph_builder {
 public:
  ib_graph_builder(const ib_fabric& fabric, const ib_hosts& hosts, const node_topology& node, const domain_table& domains,
                   const compose_options& options)
      : fabric_(fabric), hosts_(hosts), node_(node), table_(domains), graph_(source_of(fabric) + " + " + node.source) {
    const gpu_model* model = options.gpu.empty() ? nullptr : &find_gpu(options.gpu);
    domains_ = domains.hosts.empty() ? domains_of_node(node, model) : nvlink_groups(node);
    for (std::uint32_t i = 0; i < domains.hosts.size(); ++i) names_.add(domains.hosts[i].name, i);
    rails_ = rails_of(node);
    found_.assign(node.nics.size(), false);
    std::vector<std::string> notes;
    nvlink_ = nvlink_figure(node, domains_, model, notes).rate;
    pcie_ = pcie_figure(model).rate;
    nic_ = options.nic_gigabits > 0 ? gigabits_per_second(options.nic_gigabits) : bytes_per_second{};
    graph_.set_fabric(fabric_kind::infiniband);
    graph_.set_gpu_model(model != nullptr ? std::string(model->title) : "unknown GPU");
  }

  [[nodiscard]] fabric_graph build() {
    std::vector<note> notes;
    links_ = links_of(fabric_, hosts_, notes);
    groups_ = group_leafs(links_);
    const auto level = switch_levels(links_, groups_);
    for (std::uint32_t h = 0; h < hosts_.hosts.size(); ++h) {
      if (groups_.of_host[h] != ib_none) add_host(h);
    }
    refuse_unknown_nics();
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

  void add_host(std::uint32_t h) {
    const ib_host& host = hosts_.hosts[h];
    const auto number = graph_.add_host(host.name);
    std::vector<std::uint32_t> gpus;
    for (std::size_t g = 0; g < node_.gpus.size(); ++g) gpus.push_back(graph_.add_gpu(number));
    for (const nvlink_group& group : domains_) {
      const auto shared = domain_of(host.name);
      if (group.gpus.size() < 2 && !shared) continue;
      const auto nvswitch = shared ? nvswitch_of(*shared) : graph_.add_nvswitch(number);
      for (const auto gpu : group.gpus) graph_.connect(gpus[gpu], nvswitch, link_kind::nvlink, nvlink_, group.links);
    }
    for (std::uint32_t a = 0; a < host.adapters.size(); ++a) nic_of_.emplace(std::pair(h, a), graph_.add_nic(number));
    for (std::size_t rail = 0; rail < rails_.nics.size(); ++rail) {
      for (const auto nic : rails_.nics[rail]) {
        const auto adapter = adapter_of(host, nic);
        if (adapter) found_[nic] = true;
        for (std::size_t g = 0; adapter && g < gpus.size(); ++g) {
          if (rails_.of_gpu[g] == rail) graph_.connect(gpus[g], nic_of_.at({h, *adapter}), link_kind::pcie, pcie_);
        }
      }
    }
  }

  // errors: invalid_argument for a NIC that serves GPUs of the node, and that no host has in the fabric.
  void refuse_unknown_nics() const {
    for (std::size_t g = 0; g < node_.gpus.size() && !rails_.nics.empty(); ++g) {
      for (const auto nic : rails_.nics[rails_.of_gpu[g]]) {
        if (found_[nic]) continue;
        const node_nic& missing = node_.nics[nic];
        throw invalid_argument(node_.source + " and " + source_of(fabric_) + " disagree: " + node_.gpus[g].name + " sends by " +
                               (missing.device.empty() ? missing.column : missing.device) + ", and no host of the fabric has it");
      }
    }
  }

  // The domain that the table gives a host. errors: invalid_argument for a host that the table lacks or may mean twice.
  [[nodiscard]] std::optional<std::uint32_t> domain_of(const std::string& host) const {
    if (table_.hosts.empty()) return std::nullopt;
    const auto match = names_.find(host);
    if (match.hosts.size() != 1) {
      throw invalid_argument("host " + host + " of " + source_of(fabric_) + " is " +
                             (match.none() ? "not in " : "several times in ") + table_.source +
                             ", which gives the NVLink domains");
    }
    return table_.hosts[match.hosts.front()].domain;
  }

  // One vertex stands for the NVSwitches of a domain.
  [[nodiscard]] std::uint32_t nvswitch_of(std::uint32_t domain) {
    const auto known = nvswitch_of_.find(domain);
    return known != nvswitch_of_.end() ? known->second : nvswitch_of_.emplace(domain, graph_.add_nvswitch()).first->second;
  }

  // By the name that the node's description gives the NIC, or by the number in it, or, where neither side has names, by order.
  [[nodiscard]] std::optional<std::uint32_t> adapter_of(const ib_host& host, std::uint32_t nic) const {
    const std::string& name = node_.nics[nic].device;
    const auto position = position_of(name);
    for (std::uint32_t a = 0; a < host.adapters.size(); ++a) {
      const ib_adapter& adapter = host.adapters[a];
      if (!name.empty() && equal_ignoring_case(adapter.name, name)) return a;
      if (position && adapter.position == position) return a;
    }
    const bool nameless = name.empty() || !position;
    if (nameless && host.adapters.size() == node_.nics.size()) return nic;
    return std::nullopt;
  }

  // A stray cable would make one leaf group of two: network_of says it, the graph leaves it out.
  void connect_hosts(std::uint32_t s, std::uint32_t vertex) {
    for (const ib_host_port& port : links_.switches[s].ports) {
      if (groups_.of_host[port.host] != groups_.of_switch[s]) continue;
      graph_.connect(nic_of_.at({port.host, port.adapter}), vertex, link_kind::network, rate_of(port.cable));
    }
  }

  const ib_fabric& fabric_;
  const ib_hosts& hosts_;
  const node_topology& node_;
  const domain_table& table_;
  host_names names_;
  fabric_graph_builder graph_;
  std::vector<nvlink_group> domains_;
  node_rails rails_;
  std::vector<bool> found_;  // of the node's NICs: some host has it
  bytes_per_second nvlink_;
  bytes_per_second pcie_;
  bytes_per_second nic_;
  ib_links links_;
  ib_groups groups_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> nic_of_;
  std::map<std::uint32_t, std::uint32_t> nvswitch_of_;
};

}  // namespace detail

// Every host with the inside that `node` describes, its adapters as NICs, and the switches and cables of the fabric. A GPU is
// joined with the NICs of its rail, by their names. Cables of a host to another leaf group than its own are left out. `domains`
// says which hosts share NVLink; without it each host is for itself.
// post: hosts are those of ib_hosts that hang on a switch, in the same order. complexity: O((devices + cables) log devices).
// errors: invalid_argument when the node doesn't show its NVLink domains, as compose, for a host that `domains` lacks, and for a
//   NIC of the node that no host has.
[[nodiscard]] inline fabric_graph fabric_graph_of(const ib_fabric& fabric, const ib_hosts& hosts, const node_topology& node,
                                                  const domain_table& domains = {}, const compose_options& options = {}) {
  return detail::ib_graph_builder(fabric, hosts, node, domains, options).build();
}

}  // namespace topoplan::inline v1::import
