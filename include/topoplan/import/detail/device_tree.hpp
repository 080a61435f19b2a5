// Where two devices of a host meet: on a bridge, a host bridge, a NUMA node, or only through NVLink.
#pragma once

#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/host_devices.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace topoplan::inline v1::import::detail {

// By index where every device of the kind has one, else by PCI address, else as in the file.
[[nodiscard]] inline std::vector<std::uint32_t> in_tool_order(const host_devices& host, device_kind kind) {
  auto found = devices_of(host, kind);
  std::vector<std::optional<pci_address>> address(host.devices.size());
  for (const auto d : found) address[d] = parse_pci(host.devices[d].pci);
  const bool all_indexed = std::all_of(found.begin(), found.end(), [&](auto d) { return host.devices[d].index.has_value(); });
  const bool all_on_pci = std::all_of(found.begin(), found.end(), [&](auto d) { return address[d].has_value(); });
  std::sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (all_indexed) return std::tie(*host.devices[a].index, a) < std::tie(*host.devices[b].index, b);
    return all_on_pci ? std::tie(*address[a], a) < std::tie(*address[b], b) : a < b;
  });
  return found;
}

class device_tree {
 public:
  explicit device_tree(const host_devices& host) : host_(host), numa_nodes_(devices_of(host, device_kind::numa_node).size()) {}

  // What traffic between two devices passes that doesn't use NVLink. complexity: O(depth).
  // source: the legend of `nvidia-smi topo -m`.
  [[nodiscard]] path_kind between(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return path_kind::self;
    const auto& x = host_.devices[a];
    const auto& y = host_.devices[b];
    if (!x.pci.empty() && x.pci == y.pci) return path_kind::pix;
    const auto up_a = upward(a);
    const auto up_b = upward(b);
    std::size_t shared = 0;
    while (shared < std::min(up_a.size(), up_b.size()) && up_a[up_a.size() - 1 - shared] == up_b[up_b.size() - 1 - shared])
      ++shared;
    if (shared == 0) return across_roots(x, y);
    const auto meeting = up_a[up_a.size() - shared];
    switch (host_.devices[meeting].kind) {
      case device_kind::numa_node: return host_.bridges_are_ports ? path_kind::node : path_kind::phb;
      case device_kind::host_bridge: return path_kind::phb;
      default: break;
    }
    const std::size_t inside = host_.bridges_are_ports ? 1 : 0;  // one switch: the port downward of each device
    const auto below = [&](const std::vector<std::uint32_t>& up) { return up.size() - shared; };
    return below(up_a) <= inside + 1 && below(up_b) <= inside + 1 ? path_kind::pix : path_kind::pxb;
  }

 private:
  // The device itself and what it hangs on, up to the root.
  [[nodiscard]] std::vector<std::uint32_t> upward(std::uint32_t device) const {
    std::vector<std::uint32_t> chain{device};
    while (host_.devices[chain.back()].parent) chain.push_back(*host_.devices[chain.back()].parent);
    return chain;
  }

  [[nodiscard]] path_kind across_roots(const host_device& a, const host_device& b) const {
    if (a.numa && b.numa) return a.numa == b.numa ? path_kind::node : path_kind::sys;
    return numa_nodes_ == 1 ? path_kind::node : path_kind::unknown;
  }

  const host_devices& host_;
  std::size_t numa_nodes_;
};

// NVLinks between GPUs: the direct ones, and those that both have to NVSwitches, which join all GPUs on them.
class nvlink_counts {
 public:
  nvlink_counts(const host_devices& host, const std::vector<std::uint32_t>& gpus)
      : gpus_(gpus.size()), direct_(gpus.size() * gpus.size()), to_switches_(gpus.size()), total_(gpus.size()) {
    std::vector<std::size_t> position(host.devices.size(), gpus.size());
    for (std::size_t i = 0; i < gpus.size(); ++i) position[gpus[i]] = i;
    for (const nvlink_bundle& bundle : host.nvlinks) {
      const auto a = position[bundle.a];
      const auto b = position[bundle.b];
      if (a < gpus_ && b < gpus_) {
        direct_[a * gpus_ + b] = direct_[b * gpus_ + a] = {true, bundle.count};
        total_[a] += bundle.count;
        total_[b] += bundle.count;
      } else if ((a < gpus_) != (b < gpus_)) {
        const auto gpu = std::min(a, b);
        const auto other = a < gpus_ ? bundle.b : bundle.a;
        if (host.devices[other].kind != device_kind::nvswitch) continue;
        to_switches_[gpu].joined = true;
        to_switches_[gpu].count += bundle.count;
        total_[gpu] += bundle.count;
      }
    }
  }

  [[nodiscard]] bool joined(std::size_t a, std::size_t b) const {
    return direct_[a * gpus_ + b].joined || (to_switches_[a].joined && to_switches_[b].joined);
  }
  // 0 when they are joined by an unknown number.
  [[nodiscard]] std::uint8_t between(std::size_t a, std::size_t b) const {
    const auto through =
        to_switches_[a].joined && to_switches_[b].joined ? std::min(to_switches_[a].count, to_switches_[b].count) : 0;
    const auto sum = std::uint64_t{direct_[a * gpus_ + b].count} + through;
    return static_cast<std::uint8_t>(std::min<std::uint64_t>(sum, std::numeric_limits<std::uint8_t>::max()));
  }
  [[nodiscard]] std::uint64_t total(std::size_t gpu) const { return total_[gpu]; }
  [[nodiscard]] bool on_switches(std::size_t gpu) const { return to_switches_[gpu].joined; }
  [[nodiscard]] bool any() const {
    for (std::size_t a = 0; a < gpus_; ++a) {
      for (std::size_t b = a + 1; b < gpus_; ++b) {
        if (joined(a, b)) return true;
      }
    }
    return false;
  }

 private:
  struct links {
    bool joined = false;
    std::uint32_t count = 0;
  };
  std::size_t gpus_;
  std::vector<links> direct_;
  std::vector<links> to_switches_;
  std::vector<std::uint64_t> total_;
};

}  // namespace topoplan::inline v1::import::detail
