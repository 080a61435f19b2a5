// The cluster as a flat value: hosts, GPUs, NVLink domains, rails, network tiers, link figures and where each came from.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/core/units.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// How a figure is known. `assumed` and `extrapolated` are always shown to the user.
enum class confidence : std::uint8_t { given, derived, catalogue, extrapolated, assumed };

// "given", "derived", ... complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(confidence c) noexcept {
  constexpr std::string_view names[] = {"given", "derived", "catalogue", "extrapolated", "assumed"};
  return names[static_cast<std::size_t>(c)];
}

// Where a figure or fact came from: "topology.conf:3", a reference architecture, an option.
struct provenance {
  confidence how = confidence::assumed;
  std::string source;

  friend bool operator==(const provenance&, const provenance&) = default;
};

// A link figure. Rates are per GPU and direction; a latency of 0 means unknown.
struct link {
  bytes_per_second rate;
  seconds latency;
  provenance from;

  friend bool operator==(const link&, const link&) = default;
};

// What the network outside the hosts is.
enum class fabric_kind : std::uint8_t { unknown, infiniband, roce, spectrum_x, efa, slingshot, ethernet };

// "infiniband", "roce", ... complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(fabric_kind kind) noexcept {
  constexpr std::string_view names[] = {"unknown", "infiniband", "roce", "spectrum-x", "efa", "slingshot", "ethernet"};
  return names[static_cast<std::size_t>(kind)];
}

// Whether a GPU may hold a rank.
enum class gpu_health : std::uint8_t { ok, unhealthy };

// A physical GPU (a seat).
struct gpu {
  host_id host;
  domain_id domain;
  std::uint16_t index = 0;  // on its host, PCI order
  std::uint16_t rail = 0;   // the NIC plane that its traffic leaves by
  std::int16_t numa = -1;   // NUMA node, -1 unknown
  gpu_health health = gpu_health::ok;

  friend bool operator==(const gpu&, const gpu&) = default;
};

// One OS instance: a DGX node, a GB200 tray.
struct host {
  std::string name;
  std::string address;          // empty: the name resolves
  std::uint32_t first_gpu = 0;  // its GPUs are gpus[first_gpu] ... gpus[first_gpu + gpu_count - 1], in PCI order
  std::uint32_t leaf = 0;       // index into tiers[0].nodes
  std::uint16_t gpu_count = 0;
  std::uint16_t model = 0;  // index into gpu_models
  bool cordoned = false;    // holds no rank

  friend bool operator==(const host&, const host&) = default;
};

// One switch group of a tier: a leaf group, a pod, a core.
struct tier_node {
  std::string name;
  std::uint32_t parent = 0;  // index into the next tier's nodes; unused in the last tier

  friend bool operator==(const tier_node&, const tier_node&) = default;
};

// A level of the network above the host. tiers[0] holds the leaf groups, the last one the widest groups: its nodes have no
// network path to each other.
struct tier {
  std::string name;  // "leaf", "pod", "core"
  std::vector<tier_node> nodes;
  double oversubscription = 1;  // of its nodes' uplinks: capacity from below over capacity upward
  bool sharp = false;           // in-network reduction available
  provenance from;

  friend bool operator==(const tier&, const tier&) = default;
};

// A cluster, cheap to copy and to compare. validate() of cluster/validate.hpp names its invariants.
struct cluster {
  std::string name;                   // the spec or the files it was made from
  std::vector<topoplan::host> hosts;  // in the order that the user gave them
  std::vector<topoplan::gpu> gpus;    // by host, then by index
  std::uint32_t domains = 0;          // NVLink domains are 0 ... domains-1
  std::uint16_t rails = 1;
  std::vector<topoplan::tier> tiers;    // never empty: a cluster whose network is unknown has one leaf group, assumed
  std::vector<std::string> gpu_models;  // "H100-SXM 80GB"; never empty
  fabric_kind fabric = fabric_kind::unknown;
  link nvlink;                            // within a domain
  link pcie;                              // between domains of one host
  link nic;                               // out of the host, per GPU
  std::vector<std::string> domain_names;  // empty, or one a domain
  std::vector<std::string> uuid;          // empty, or one a GPU
  std::vector<std::string> pci;           // empty, or one a GPU: "0000:1b:00.0"
  std::vector<std::string> notes;         // what a person should know: degraded links, assumptions, extrapolations

  friend bool operator==(const cluster&, const cluster&) = default;

  [[nodiscard]] const topoplan::gpu& at(gpu_id g) const { return gpus[g.value]; }
  [[nodiscard]] const topoplan::host& at(host_id h) const { return hosts[h.value]; }
  [[nodiscard]] const topoplan::host& host_of(gpu_id g) const { return at(at(g).host); }
  [[nodiscard]] id_range<gpu_id> all_gpus() const { return {0, static_cast<std::uint32_t>(gpus.size())}; }
  [[nodiscard]] id_range<host_id> all_hosts() const { return {0, static_cast<std::uint32_t>(hosts.size())}; }
  [[nodiscard]] id_range<gpu_id> gpus_of(host_id h) const { return {at(h).first_gpu, at(h).first_gpu + at(h).gpu_count}; }
  // True if a rank may sit there: the GPU is healthy and its host isn't cordoned.
  [[nodiscard]] bool usable(gpu_id g) const { return at(g).health == gpu_health::ok && !host_of(g).cordoned; }
  // The tier node above a host at that tier. pre: tier < tiers.size(). complexity: O(tier).
  [[nodiscard]] std::uint32_t ancestor(host_id h, std::size_t tier) const {
    std::uint32_t node = at(h).leaf;
    for (std::size_t t = 0; t < tier; ++t) node = tiers[t].nodes[node].parent;
    return node;
  }
  [[nodiscard]] std::string name_of(domain_id d) const {
    return d.value < domain_names.size() ? domain_names[d.value] : "domain " + std::to_string(d.value);
  }
};

// Number of GPUs that may hold a rank. complexity: O(gpus). errors: none.
[[nodiscard]] inline std::size_t usable_gpus(const cluster& c) {
  std::size_t count = 0;
  for (const gpu_id g : c.all_gpus()) count += c.usable(g) ? 1U : 0U;
  return count;
}

}  // namespace topoplan::inline v1
