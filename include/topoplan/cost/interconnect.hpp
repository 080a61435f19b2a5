// The links of a cluster as collectives see them: rates, and the parameters of every collective, found once.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cost/link_parameters.hpp>
#include <topoplan/cost/link_table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// How flows spread over equal paths: as where the class was measured, by hash (ECMP), or adaptively.
enum class path_choice : std::uint8_t { as_measured, ecmp, adaptive };

// Properties of the fabric that its kind doesn't tell.
struct fabric_properties {
  std::optional<topoplan::fabric_class> fabric = {};  // else derived from the cluster
  path_choice paths = path_choice::as_measured;
  double equal_paths = 8;      // u: links that flows are hashed on, with ECMP
  double flows_per_path = 16;  // f/u, with ECMP: queue pairs a connection, times connections
  bool gpudirect = true;       // NICs reach GPU memory; without it, data pass through host memory
  bool tuned = true;           // congestion control: PFC and ECN, queue pairs
  bool sharp = true;           // used by the job where the cluster's tiers have it
};

// A user's own figures in place of the table's, for one family or class and collective; what isn't given stays.
struct link_override {
  std::optional<link_family> family = {};   // either this
  std::optional<fabric_class> fabric = {};  // or this
  collective what = collective::all_reduce;
  std::optional<double> first = {};       // seconds
  std::optional<double> step = {};        // seconds
  std::optional<double> efficiency = {};  // of the data-sheet rate
  std::optional<double> half_size = {};   // bytes
  std::optional<double> power = {};

  friend bool operator==(const link_override&, const link_override&) = default;
};
struct link_calibration {
  std::vector<link_override> rows;

  friend bool operator==(const link_calibration&, const link_calibration&) = default;
};

// The machine in six facts. Rates are bytes per second, per GPU and direction; 0: there is none, or it isn't known.
struct link_facts {
  double nvlink_rate = 0;
  double host_rate = 0;  // PCIe, between domains of a host
  double nic_rate = 0;
  std::uint32_t domain = 1;  // GPUs of the largest NVLink domain
  link_family family = link_family::hopper;
  fabric_class fabric = fabric_class::infiniband_ndr;
  bool sharp = false;

  friend bool operator==(const link_facts&, const link_facts&) = default;
};

// All that the time of a collective takes from the machine, with the rows of the table in place.
struct interconnect {
  static constexpr std::size_t collectives = 5;

  link_facts facts;
  double slow_down = 1;          // of what the network's wires take: collisions of hashed flows, host memory in between
  bool assumed_network = false;  // its rate or a mode of it rests on no measurement
  nvls_row nvls{};
  std::array<link_parameters, collectives> nvlink{};
  std::array<link_parameters, collectives> host{};
  std::array<link_parameters, collectives> network{};
};

namespace detail {

// What hashing adds to the load of the fullest of u equal links with f flows: balls in bins, f >> u.
// source: Raab and Steger, "Balls into bins", RANDOM 1998: the maximum is f/u + sqrt(2 f/u ln u).
[[nodiscard]] inline double fullest_path(double equal_paths, double flows_per_path) noexcept {
  return equal_paths <= 1 || flows_per_path <= 0 ? 1.0 : 1 + std::sqrt(2 * std::log(equal_paths) / flows_per_path);
}

inline void replace(link_parameters& p, const link_override& by) {
  if (by.first) p.first = *by.first;
  if (by.step) p.step = *by.step;
  if (by.efficiency) p.efficiency = *by.efficiency;
  if (by.half_size) p.half_size = *by.half_size;
  if (by.power) p.power = std::min(*by.power, 1.0);  // beyond 1, more bytes would take less time
  p.known = evidence::measured;
  p.source = "calibration";
}

// The family of a GPU by its catalogue entry; without one by the rate of its NVLinks.
[[nodiscard]] inline link_family family_of(std::string_view model, double nvlink_rate) {
  if (nvlink_rate <= 0) return link_family::pcie;
  if (const gpu_model* known = lookup_gpu(model)) {
    const std::string_view architecture = known->architecture;
    if (architecture.starts_with("Volta")) return link_family::volta;
    if (architecture.starts_with("Ampere")) return link_family::ampere;
    if (architecture.starts_with("Hopper")) return link_family::hopper;
    if (architecture.starts_with("Blackwell")) return link_family::blackwell;
  }
  return nvlink_rate > 600e9 ? link_family::blackwell : nvlink_rate > 310e9 ? link_family::hopper : link_family::ampere;
}

// The class of a cluster's network, by its kind, the rate of its NICs and the width of its domains.
[[nodiscard]] inline fabric_class class_of(const cluster& c, double nic_rate, link_family family, bool domains_span_hosts,
                                           bool tuned) {
  const double gigabits = nic_rate * 8 / 1e9;
  if (domains_span_hosts) return fabric_class::nvl72;
  const auto says = [&](std::string_view word) {
    return c.name.find(word) != std::string::npos || c.nic.from.source.find(word) != std::string::npos;
  };
  switch (c.fabric) {
    case fabric_kind::efa:
      return gigabits < 100                     ? fabric_class::efa_v1
             : family == link_family::blackwell ? fabric_class::efa_v4
                                                : fabric_class::efa_v2;
    case fabric_kind::roce:
      if (!tuned) return fabric_class::roce_untuned;
      return says("gcp-") || says("GCP ") ? fabric_class::roce_gib : fabric_class::roce;
    case fabric_kind::spectrum_x: return fabric_class::spectrum_x;
    case fabric_kind::slingshot: return fabric_class::slingshot;
    case fabric_kind::ethernet: return says("gcp-a3") || says("GCP a3") ? fabric_class::tcpxo : fabric_class::ethernet_tcp;
    case fabric_kind::unknown:
    case fabric_kind::infiniband: break;
  }
  return gigabits > 450   ? fabric_class::infiniband_xdr
         : gigabits > 225 ? fabric_class::infiniband_ndr
         : gigabits > 100 ? fabric_class::infiniband_hdr
                          : fabric_class::infiniband_edr;
}

// NIC rate of a host of that family where the cluster doesn't say: that of the usual product.
[[nodiscard]] inline double usual_nic_rate(link_family family) noexcept {
  return family == link_family::volta ? 6.25e9 : family == link_family::ampere ? 25e9 : 50e9;
}

// PCIe 4.0 x16, where the cluster doesn't say.
inline constexpr double usual_host_rate = 31.5e9;

}  // namespace detail

// Looks the rows up and applies the properties and the user's own figures.
// post: every array is filled. units: seconds, bytes. complexity: O(rows of the table + overrides). errors: none.
[[nodiscard]] inline interconnect interconnect_of(const link_facts& facts, const fabric_properties& properties = {},
                                                  const link_calibration& own = {}) {
  interconnect x;
  x.facts = facts;
  if (properties.fabric) x.facts.fabric = *properties.fabric;
  if (!properties.tuned && (x.facts.fabric == fabric_class::roce || x.facts.fabric == fabric_class::roce_gib))
    x.facts.fabric = fabric_class::roce_untuned;
  x.facts.sharp = facts.sharp && properties.sharp;
  if (x.facts.nic_rate <= 0) {
    x.facts.nic_rate = detail::usual_nic_rate(facts.family);
    x.assumed_network = true;
  }
  if (x.facts.host_rate <= 0) x.facts.host_rate = detail::usual_host_rate;
  const link_family host = facts.family == link_family::pcie_staged ? facts.family : link_family::pcie;
  for (const nvls_row& row : nvls_table())
    if (row.family == facts.family) x.nvls = row;
  for (std::size_t i = 0; i < interconnect::collectives; ++i) {
    const auto what = static_cast<collective>(i);
    x.nvlink[i] = parameters_of(facts.family, what);
    x.host[i] = parameters_of(host, what);
    x.network[i] = parameters_of(x.facts.fabric, what);
    if (!properties.gpudirect) x.network[i].first += 10e-6;
  }
  if (properties.paths == path_choice::ecmp)
    x.slow_down *= detail::fullest_path(properties.equal_paths, properties.flows_per_path);
  if (!properties.gpudirect) x.slow_down *= 2;
  x.assumed_network = x.assumed_network || x.slow_down > 1 || !properties.gpudirect;
  for (const link_override& by : own.rows) {
    const auto i = static_cast<std::size_t>(by.what);
    if (by.fabric == x.facts.fabric) detail::replace(x.network[i], by);
    if (by.family == x.facts.family) {
      detail::replace(x.nvlink[i], by);
      if (by.what == collective::all_reduce && x.nvls.fewest != 0) detail::replace(x.nvls.parameters, by);
    }
    if (by.family == host) detail::replace(x.host[i], by);
  }
  return x;
}

// The same from a cluster; of several GPU models the one with the slowest NVLink decides.
// pre: c is valid. complexity: O(hosts + GPUs). errors: none.
[[nodiscard]] inline interconnect interconnect_of(const cluster& c, const fabric_properties& properties = {},
                                                  const link_calibration& own = {}) {
  link_facts f;
  f.nvlink_rate = c.nvlink.rate.value;
  f.host_rate = c.pcie.rate.value;
  f.nic_rate = c.nic.rate.value;
  std::vector<std::uint32_t> size(c.domains, 0);
  std::vector<host_id> first(c.domains);
  bool spans = false;
  for (const gpu& g : c.gpus) {
    if (g.domain.value >= size.size()) continue;
    if (size[g.domain.value]++ == 0) first[g.domain.value] = g.host;
    else spans = spans || !(first[g.domain.value] == g.host);
  }
  for (const std::uint32_t s : size) f.domain = std::max(f.domain, s);
  bool chosen = false;
  for (const host& h : c.hosts) {
    const link_family one = h.model < c.gpu_models.size() ? detail::family_of(c.gpu_models[h.model], f.nvlink_rate)
                                                          : detail::family_of("", f.nvlink_rate);
    if (!chosen || one < f.family) f.family = one;
    chosen = true;
  }
  for (const tier& t : c.tiers) f.sharp = f.sharp || t.sharp;
  const double nic = f.nic_rate > 0 ? f.nic_rate : detail::usual_nic_rate(f.family);
  f.fabric = properties.fabric ? *properties.fabric : detail::class_of(c, nic, f.family, spans, properties.tuned);
  return interconnect_of(f, properties, own);
}

}  // namespace topoplan::inline v1
