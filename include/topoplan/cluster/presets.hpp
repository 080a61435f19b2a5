// Clusters of known products: built from a spec, or by one function a product.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/fabric.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cluster/spec.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1 {

namespace detail {

// Decimal digits of number, with leading zeros up to `width`, appended.
inline void append_number(std::string& text, std::uint32_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  text.append(width - std::min(width, digits.size()), '0').append(digits);
}

[[nodiscard]] inline std::size_t digits_of(std::uint32_t number) { return std::to_string(number).size(); }

// Names that sort like their numbers, also as plain text.
class name_series {
 public:
  name_series(std::string prefix, std::uint32_t count, std::size_t least)
      : prefix_(std::move(prefix)), width_(std::max(least, digits_of(count))) {}
  [[nodiscard]] std::string operator()(std::uint32_t index) const {
    std::string name;
    name.reserve(prefix_.size() + width_);
    name += prefix_;
    append_number(name, index + 1, width_);
    return name;
  }

 private:
  std::string prefix_;
  std::size_t width_;
};

// The names of a spec's hosts and NVLink racks.
class host_naming {
 public:
  host_naming(const cluster_spec& spec, const system_model& system)
      : trays_(system.hosts_per_domain), unit_(prefix(spec, system), spec.count, trays_ > 1 ? 2 : 4) {}
  [[nodiscard]] std::string unit(std::uint32_t index) const { return unit_(index); }
  [[nodiscard]] std::string host(std::uint32_t index) const {
    std::string name = unit_(index / trays_);
    if (trays_ > 1) append_number(name.append("-tray"), index % trays_ + 1, 2);
    return name;
  }

 private:
  static std::string prefix(const cluster_spec& spec, const system_model& system) {
    if (!spec.names.empty()) return spec.names;
    return system.hosts_per_domain > 1 ? "rack" : std::string(system.name.substr(0, system.name.find('-'))) + '-';
  }

  std::uint32_t trays_;
  name_series unit_;
};

[[nodiscard]] inline std::string_view tier_name(std::size_t tier, std::size_t tiers) {
  constexpr std::string_view names[] = {"leaf", "pod", "zone", "region", "area"};
  return tier >= 2 && tier + 1 == tiers ? "core" : names[std::min<std::size_t>(tier, 4)];
}

inline void add_tiers(cluster& c, const fabric_design& design) {
  const std::size_t tiers = design.layers.size();
  for (std::size_t t = 0; t < tiers; ++t) {
    const fabric_layer& layer = design.layers[t];
    tier level;
    level.name = tier_name(t, tiers);
    level.oversubscription = layer.oversubscription;
    level.from = design.from;
    level.nodes.resize(layer.groups);
    const name_series name(level.name, layer.groups, 1);
    for (std::uint32_t i = 0; i < layer.groups; ++i) {
      level.nodes[i].name = name(i);
      level.nodes[i].parent = t + 1 < tiers ? i / design.layers[t + 1].children : 0;
    }
    c.tiers.push_back(std::move(level));
  }
}

inline void add_hosts(cluster& c, const cluster_spec& spec, const system_model& system, const fabric_design& design) {
  const host_naming names(spec, system);
  const std::uint32_t per_host = system.gpus_per_host;
  c.hosts.resize(design.hosts);
  c.gpus.resize(std::size_t{design.hosts} * per_host);
  for (std::uint32_t unit = 0; system.hosts_per_domain > 1 && unit < spec.count; ++unit)
    c.domain_names.push_back(names.unit(unit));
  for (std::uint32_t h = 0; h < design.hosts; ++h) {
    host& at = c.hosts[h];
    at.name = names.host(h);
    at.first_gpu = h * per_host;
    at.gpu_count = system.gpus_per_host;
    at.leaf = h / design.layers[0].children;
    for (std::uint32_t i = 0; i < per_host; ++i) {
      gpu& g = c.gpus[at.first_gpu + i];
      g.host = host_id{h};
      g.domain = domain_id{h / system.hosts_per_domain};
      g.index = static_cast<std::uint16_t>(i);
      g.rail = static_cast<std::uint16_t>(i * design.rails / per_host);
      if (system.numa_nodes != 0) g.numa = static_cast<std::int16_t>(i * system.numa_nodes / per_host);
    }
  }
  c.domains = spec.count;
}

}  // namespace detail

// The cluster that a spec describes. Hosts stand in topological order, leaf group by leaf group.
// post: validate(result) finds nothing; result.name == to_string(spec). complexity: O(GPUs).
// errors: invalid_argument when the product is unknown, the count is 0 or too large, or an option doesn't fit the product.
[[nodiscard]] inline cluster make_cluster(const cluster_spec& spec) {
  const system_model& system = find_system(spec.product);
  const gpu_model& model = find_gpu(system.gpu);
  const fabric_design design = design_fabric(spec);
  cluster c;
  c.name = to_string(spec);
  c.rails = design.rails;
  c.fabric = design.fabric;
  c.gpu_models = {std::string(model.title)};
  c.nvlink = nvlink_of(model);
  c.pcie = host_link_of(model);
  c.nic = {
      nic_rate_per_gpu(system), {}, {confidence::catalogue, std::string(system.title) + ": " + std::string(system.nics.source)}};
  c.notes = design.notes;
  detail::add_tiers(c, design);
  detail::add_hosts(c, spec, system, design);
  return c;
}

// The same from text. complexity: O(length + GPUs). errors: parse_error of parse_spec, invalid_argument of make_cluster.
[[nodiscard]] inline cluster make_cluster(std::string_view spec) { return make_cluster(parse_spec(spec)); }

namespace presets {

// One product, with nothing changed; hosts, racks: how many.
// complexity: O(GPUs). errors: invalid_argument of make_cluster.
[[nodiscard]] inline cluster dgx_a100(std::uint32_t hosts) { return make_cluster({.product = "dgx-a100", .count = hosts}); }
[[nodiscard]] inline cluster dgx_h100(std::uint32_t hosts) { return make_cluster({.product = "dgx-h100", .count = hosts}); }
[[nodiscard]] inline cluster dgx_h200(std::uint32_t hosts) { return make_cluster({.product = "dgx-h200", .count = hosts}); }
[[nodiscard]] inline cluster dgx_b200(std::uint32_t hosts) { return make_cluster({.product = "dgx-b200", .count = hosts}); }
[[nodiscard]] inline cluster dgx_b300_spectrum_x(std::uint32_t hosts) {
  return make_cluster({.product = "dgx-b300", .count = hosts, .fabric = fabric_kind::spectrum_x});
}
[[nodiscard]] inline cluster dgx_b300_xdr(std::uint32_t hosts) {
  return make_cluster({.product = "dgx-b300", .count = hosts, .fabric = fabric_kind::infiniband});
}
[[nodiscard]] inline cluster gb200_nvl72(std::uint32_t racks) { return make_cluster({.product = "gb200-nvl72", .count = racks}); }
[[nodiscard]] inline cluster gb300_nvl72(std::uint32_t racks) { return make_cluster({.product = "gb300-nvl72", .count = racks}); }

}  // namespace presets

}  // namespace topoplan::inline v1
