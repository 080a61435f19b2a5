// The devices of hosts as a fabric_graph: what fold, paths and cut read.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/graph/elements.hpp>
#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/import/detail/device_tree.hpp>
#include <topoplan/import/detail/nvswitch_groups.hpp>
#include <topoplan/import/device_paths.hpp>
#include <topoplan/import/host_devices.hpp>
#include <topoplan/import/node_topology.hpp>
#include <topoplan/import/rails.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class host_graph_builder {
 public:
  host_graph_builder(std::string name, bytes_per_second link) : graph_(std::move(name)), link_(link) {}

  // errors: as node_topology_of; invalid_argument for an NVLink without a rate.
  void add(const host_devices& host, const std::string& name) {
    const auto node = node_topology_of(host);
    const auto number = graph_.add_host(name);
    std::vector<std::optional<std::uint32_t>> vertex(host.devices.size());
    const auto gpus = in_tool_order(host, device_kind::gpu);
    auto nics = in_tool_order(host, device_kind::nic);
    std::erase_if(nics, [&](std::uint32_t nic) { return host.devices[nic].pci.empty(); });
    for (const auto gpu : gpus) vertex[gpu] = graph_.add_gpu(number);
    for (const auto nic : nics) vertex[nic] = graph_.add_nic(number);
    for (const auto s : devices_of(host, device_kind::nvswitch)) vertex[s] = nvswitch_of(host.devices[s], number);
    connect_nvlinks(host, vertex);
    join_switch_groups(host, vertex);
    connect_roots(host, number, vertex);
    const auto rails = rails_of(node);
    for (std::size_t g = 0; g < gpus.size() && !rails.nics.empty(); ++g) {
      for (const auto nic : rails.nics[rails.of_gpu[g]]) {
        graph_.connect(*vertex[gpus[g]], *vertex[nics[nic]], link_kind::pcie, pcie_of(host.devices[gpus[g]]));
      }
    }
  }

  // Several hosts of one file share their NVSwitches: that is why they stand there together.
  void share_nvswitches() { shared_ = true; }
  [[nodiscard]] fabric_graph build() { return graph_.build(); }

 private:
  [[nodiscard]] std::uint32_t nvswitch_of(const host_device& device, std::uint32_t host) {
    if (!shared_) return graph_.add_nvswitch(host);
    const auto known = nvswitches_.find(device.pci);
    return known != nvswitches_.end() ? known->second : nvswitches_.emplace(device.pci, graph_.add_nvswitch()).first->second;
  }

  void connect_nvlinks(const host_devices& host, const std::vector<std::optional<std::uint32_t>>& vertex) {
    for (const nvlink_bundle& bundle : host.nvlinks) {
      const auto rate = bundle.rate.value_or(link_ * bundle.count);
      if (!(rate.value > 0)) {
        throw invalid_argument(host.source + ":" + std::to_string(bundle.line) + ": the rate of its " +
                               std::to_string(bundle.count) + " NVLinks isn't in the file, so that of one link must be given");
      }
      if (vertex[bundle.a] && vertex[bundle.b]) {
        graph_.connect(*vertex[bundle.a], *vertex[bundle.b], link_kind::nvlink, rate, bundle.count);
      }
    }
  }

  // Groups of NVSwitches without a link between them, whose links no tool lists: the first is joined with each other group,
  // switch by switch, by as much as the GPUs of the lesser side have.
  void join_switch_groups(const host_devices& host, const std::vector<std::optional<std::uint32_t>>& vertex) {
    const auto groups = nvswitch_groups(host);
    std::vector<double> rates;
    for (const auto& group : groups) {
      double sum = 0;
      for (const nvlink_bundle& bundle : host.nvlinks) {
        for (const auto s : group) sum += bundle.a == s || bundle.b == s ? bundle.rate.value_or(link_ * bundle.count).value : 0;
      }
      rates.push_back(sum);
    }
    for (std::size_t other = 1; other < groups.size(); ++other) {
      const auto pairs = std::min(groups[0].size(), groups[other].size());
      const bytes_per_second share{std::min(rates[0], rates[other]) / static_cast<double>(pairs)};
      for (std::size_t i = 0; i < pairs; ++i)
        graph_.connect(*vertex[groups[0][i]], *vertex[groups[other][i]], link_kind::nvlink, share, 0);
    }
  }

  // A bridge stands for each root of the PCI tree, and a socket link joins it to the next.
  void connect_roots(const host_devices& host, std::uint32_t number, const std::vector<std::optional<std::uint32_t>>& vertex) {
    std::map<std::uint32_t, std::uint32_t> bridges;
    for (std::uint32_t d = 0; d < host.devices.size(); ++d) {
      const auto kind = host.devices[d].kind;
      if (!vertex[d] || (kind != device_kind::gpu && kind != device_kind::nic)) continue;
      std::uint32_t root = d;
      while (host.devices[root].parent) root = *host.devices[root].parent;
      if (root == d) continue;
      auto known = bridges.find(root);
      if (known == bridges.end()) {
        known = bridges.emplace(root, graph_.add_host_bridge(number)).first;
      }
      graph_.connect(*vertex[d], known->second, link_kind::pcie, pcie_of(host.devices[d]));
    }
    for (auto next = bridges.begin(); next != bridges.end();) {
      const auto from = next++;
      if (next != bridges.end()) graph_.connect(from->second, next->second, link_kind::socket, {});
    }
  }

  [[nodiscard]] static bytes_per_second pcie_of(const host_device& device) { return device.pcie.value_or(bytes_per_second{}); }

  fabric_graph_builder graph_;
  bytes_per_second link_;
  bool shared_ = false;
  std::map<std::string, std::uint32_t> nvswitches_;
};

}  // namespace detail

// One host: its GPUs and NICs in the tool's order, its NVSwitches, and a bridge for each root of its PCI tree. `link` is the rate
// of one NVLink, for files that give only how many there are; a PCIe link that the file doesn't rate has rate 0. post: a GPU is
// joined with the NICs that rails_of gives it. complexity: O(devices^2). units: bytes per second, one direction. errors: as
// node_topology_of; invalid_argument for an NVLink whose rate neither the file nor `link` gives.
[[nodiscard]] inline fabric_graph host_graph_of(const host_devices& host, const std::string& name, bytes_per_second link = {}) {
  detail::host_graph_builder builder(host.source, link);
  builder.add(host, name);
  return builder.build();
}

// The hosts of one file, which reach each other through NVSwitches that stand in no host. pre: names.size() == hosts.size().
// post, units: as above. complexity: as above. errors: as above, and invalid_argument for another number of names.
[[nodiscard]] inline fabric_graph host_graph_of(std::span<const host_devices> hosts, std::span<const std::string> names,
                                                bytes_per_second link = {}) {
  if (hosts.empty() || hosts.size() != names.size()) {
    throw invalid_argument("a graph of " + std::to_string(hosts.size()) + " hosts needs as many names, not " +
                           std::to_string(names.size()));
  }
  detail::host_graph_builder builder(hosts.front().source, link);
  if (hosts.size() > 1) builder.share_nvswitches();
  for (std::size_t h = 0; h < hosts.size(); ++h) builder.add(hosts[h], names[h]);
  return builder.build();
}

}  // namespace topoplan::inline v1::import
