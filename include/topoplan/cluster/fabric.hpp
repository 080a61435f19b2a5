// The switches of a spec's network: layers, how many of each, and how each layer hangs on the next.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/detail/network_table.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cluster/spec.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1 {

// One layer of switches and the groups that they span: layer 0 the leafs and leaf groups, 1 the spines and pods, ...
//
// The switches of a group fall into classes that have no link to each other: one class a plane, and while rails are apart
// one a rail and plane. A class holds `bundles * per_bundle` switches; switch k of a class in the layer below, in each of the
// group's children, has the same number of links to each of the `per_bundle` switches of bundle k.
struct fabric_layer {
  std::uint32_t groups = 1;      // groups of this layer
  std::uint32_t children = 1;    // hosts or lower groups of one group; the last group may hold fewer
  std::uint32_t bundles = 1;     // switches of a class in the layer below
  std::uint32_t per_bundle = 1;  // switches
  bool rails_apart = false;
  std::uint32_t uplinks = 0;     // of one switch, links at the rate of a NIC port; 0 at the top
  bytes_per_second uplink_rate;  // of one switch, all uplinks together, one direction
  double oversubscription = 1;   // of one switch when all its children are there: rate from below over uplink_rate

  friend bool operator==(const fabric_layer&, const fabric_layer&) = default;
};

// The network of a spec.
struct fabric_design {
  std::uint32_t hosts = 0;
  std::uint16_t gpus_per_host = 0;
  std::uint16_t rails = 1;
  std::uint16_t nics_per_host = 1;  // NICs, or bundles of NICs that serve the same GPUs
  std::uint32_t planes = 1;
  std::uint32_t nic_links = 1;  // of one NIC or bundle in one plane
  bytes_per_second link_rate;   // of one such link, one direction
  fabric_kind fabric = fabric_kind::unknown;
  std::vector<fabric_layer> layers;  // never empty
  provenance from;
  std::vector<std::string> notes;

  friend bool operator==(const fabric_design&, const fabric_design&) = default;

  // Classes of switches in a group of that layer.
  [[nodiscard]] std::uint32_t classes(std::size_t layer) const { return planes * (layers[layer].rails_apart ? rails : 1U); }
  // Switches of one group of that layer.
  [[nodiscard]] std::uint64_t switches_per_group(std::size_t layer) const {
    return std::uint64_t{classes(layer)} * layers[layer].bundles * layers[layer].per_bundle;
  }
  // Switches of that layer; 0 if there is no such layer. units: switches. complexity: O(1). errors: none.
  [[nodiscard]] std::uint64_t switches(std::size_t layer) const {
    return layer < layers.size() ? switches_per_group(layer) * layers[layer].groups : 0;
  }
  // Links from that layer up. units: links at link_rate. complexity: O(1). errors: none.
  [[nodiscard]] std::uint64_t uplinks(std::size_t layer) const {
    return layer < layers.size() ? switches(layer) * layers[layer].uplinks : 0;
  }
};

// Numbers of switches as reference architectures print them.
struct fabric_counts {
  std::uint64_t leafs = 0;
  std::uint64_t spines = 0;
  std::uint64_t cores = 0;  // of all layers above the spines

  friend bool operator==(const fabric_counts&, const fabric_counts&) = default;
};

namespace detail {

// The smallest divisor of `uplinks` that is at least `least`; `uplinks` if there is none.
[[nodiscard]] inline std::uint32_t divisor_from(std::uint32_t uplinks, std::uint32_t least) {
  for (std::uint32_t d = std::max(1U, least); d < uplinks; ++d)
    if (uplinks % d == 0) return d;
  return std::max(1U, uplinks);
}

[[nodiscard]] constexpr std::uint32_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint32_t>((a + b - 1) / b);
}

// Builds layer by layer: the widest group that a layer's switches can serve at half their ports; as soon as one group
// serves all, it uses all its ports and is the top.
class fabric_builder {
 public:
  fabric_builder(const cluster_spec& spec, const system_model& system)
      : spec_(spec), system_(system), row_(network_of(system.name, spec.fabric.value_or(system.fabric))) {}

  [[nodiscard]] fabric_design build() {
    basics();
    leaf_layer();
    while (!flat_ && (d_.layers.size() == 1 || d_.layers.back().groups > 1 || d_.layers.back().rails_apart)) add_layer();
    fabric_layer& top = d_.layers.back();
    top.uplinks = 0;
    top.uplink_rate = {};
    top.oversubscription = 1;
    if (spec_.oversubscription.size() >= d_.layers.size())
      throw invalid_argument(to_string(spec_) + ": oversubscription has " + std::to_string(spec_.oversubscription.size()) +
                             " ratios, but only " + std::to_string(d_.layers.size() - 1) + " of the " +
                             std::to_string(d_.layers.size()) + " tiers have uplinks");
    say_where_from();
    return std::move(d_);
  }

 private:
  void basics() {
    const std::uint64_t gpus = std::uint64_t{spec_.count} * system_.hosts_per_domain * system_.gpus_per_host;
    if (gpus == 0 || gpus > most_gpus)
      throw invalid_argument(to_string(spec_) + ": a spec makes 1 to " + std::to_string(most_gpus) + " GPUs, this is " +
                             std::to_string(gpus));
    if (spec_.leaf && (*spec_.leaf == 0 || *spec_.leaf > most_leaf))
      throw invalid_argument(spec_.product + ": leaf is 1 to " + std::to_string(most_leaf) + ", this is " +
                             std::to_string(*spec_.leaf));
    for (const double ratio : spec_.oversubscription)
      if (!(ratio >= 1 && ratio <= most_oversubscription))
        throw invalid_argument(spec_.product + ": an oversubscription is 1 to " + number_text(most_oversubscription) +
                               ", this is " + number_text(ratio));
    d_.hosts = spec_.count * system_.hosts_per_domain;
    d_.gpus_per_host = system_.gpus_per_host;
    d_.nics_per_host = system_.rails;
    d_.rails = spec_.rails.value_or(system_.rails);
    if (d_.rails == 0 || d_.nics_per_host % d_.rails != 0)
      throw invalid_argument(to_string(spec_) + ": rails=" + std::to_string(d_.rails) + " doesn't divide the " +
                             std::to_string(d_.nics_per_host) + " NIC planes of a " + std::string(system_.title));
    d_.planes = row_ != nullptr ? row_->planes : 1;
    d_.nic_links = static_cast<std::uint32_t>(system_.nics.value) / system_.rails;
    d_.link_rate = gigabits_per_second(system_.nic_gigabits.value / d_.planes);
    d_.fabric = spec_.fabric.value_or(system_.fabric);
    radix_ = row_ != nullptr ? row_->radix : 64;
    flat_ = row_ == nullptr && !spec_.leaf;
  }

  void leaf_layer() {
    fabric_layer leaf;
    leaf.children = row_ != nullptr ? row_->leaf_hosts : d_.hosts;
    if (spec_.leaf) leaf.children = *spec_.leaf * system_.hosts_per_domain;
    leaf.groups = ceil_div(d_.hosts, leaf.children);
    leaf.rails_apart = d_.rails > 1;
    const std::uint32_t hosts_nics = d_.nics_per_host;
    const std::uint32_t nics = leaf.rails_apart ? hosts_nics / d_.rails : hosts_nics;
    const std::uint32_t links = leaf.children * nics * d_.nic_links;
    give_uplinks(leaf, links, d_.link_rate * links);
    if (!flat_ && links + leaf.uplinks > radix_) {
      d_.notes.push_back("a leaf switch needs " + std::to_string(links + leaf.uplinks) + " ports, more than " +
                         std::to_string(radix_) + ": switches of that size are assumed");
      radix_ = links + leaf.uplinks;
    }
    d_.layers.push_back(leaf);
  }

  void add_layer() {
    const fabric_layer& below = d_.layers.back();
    fabric_layer layer;
    const bool rail_pod = d_.layers.size() == 1 && row_ != nullptr && row_->pod_groups != 0;
    layer.rails_apart = below.rails_apart && rail_pod;
    const std::uint32_t merged = below.rails_apart && !layer.rails_apart ? d_.rails : 1;
    const bool top = !rail_pod && std::uint64_t{below.groups} * merged <= radix_;
    const std::uint32_t ports = top ? radix_ : radix_ / 2;
    layer.children = top ? below.groups : rail_pod ? row_->pod_groups : std::max(1U, ports / merged);
    layer.groups = ceil_div(below.groups, layer.children);
    layer.bundles = below.bundles * below.per_bundle;
    const std::uint32_t lower = layer.children * merged;  // switches that hang on one switch
    layer.per_bundle = divisor_from(below.uplinks, ceil_div(std::uint64_t{lower} * below.uplinks, ports));
    give_uplinks(layer, lower * (below.uplinks / layer.per_bundle), below.uplink_rate / layer.per_bundle * lower);
    d_.layers.push_back(layer);
  }

  // `links` and `rate`: what comes from below to one switch of the layer that is pushed next.
  void give_uplinks(fabric_layer& layer, std::uint32_t links, bytes_per_second rate) {
    const std::size_t tier = d_.layers.size();
    layer.oversubscription = tier < spec_.oversubscription.size() ? spec_.oversubscription[tier] : 1.0;
    layer.uplinks = std::max(1U, static_cast<std::uint32_t>(std::ceil(links / layer.oversubscription)));
    layer.uplink_rate = rate / layer.oversubscription;
  }

  void say_where_from() {
    const bool changed = spec_.leaf || spec_.rails || !spec_.oversubscription.empty();
    if (row_ == nullptr) {
      d_.from = {confidence::assumed, changed ? "spec, on 64-port switches" : "network not published"};
      if (flat_)
        d_.notes.push_back("the network of " + std::string(system_.title) +
                           " isn't published: one leaf group for all hosts is assumed; leaf=N says otherwise");
      return;
    }
    const std::string source(row_->source);
    d_.from = {row_->how, source};
    if (row_->fabric != d_.fabric && row_->how != confidence::assumed)
      d_.from = {confidence::assumed, "built like the " + source};
    if (d_.from.how == confidence::assumed) d_.notes.push_back("the network is assumed: " + d_.from.source);
    if (changed) d_.from = {confidence::given, "spec; else " + source};
    if (d_.hosts > row_->printed_hosts && row_->printed_hosts != 0) {
      d_.notes.push_back("extrapolated: " + std::to_string(d_.hosts) + " hosts are more than the " +
                         std::to_string(row_->printed_hosts) + " that a reference architecture prints for this network; " +
                         "tiers are added at 1:1");
      if (d_.from.how == confidence::catalogue) d_.from.how = confidence::extrapolated;
    }
  }

  const cluster_spec& spec_;
  const system_model& system_;
  const network_row* row_;
  fabric_design d_;
  std::uint32_t radix_ = 64;
  bool flat_ = false;  // nothing is known: one leaf group
};

}  // namespace detail

// The network of a spec. Up to the sizes that reference architectures print it has their switches; beyond, tiers are added at
// 1:1 and it says so. A leaf group that isn't full keeps all its switches and cables.
// complexity: O(tiers). errors: invalid_argument when the product is unknown, the size is 0 or too large, or an option doesn't
// fit the product.
// source: the reference architectures named in detail/network_table.hpp; a two-tier network of switches with k ports serves
// k^2/2 ports, each further tier k/2 times as many.
[[nodiscard]] inline fabric_design design_fabric(const cluster_spec& spec) {
  return detail::fabric_builder(spec, find_system(spec.product)).build();
}

// How many switches that is. complexity: O(tiers). errors: as design_fabric.
[[nodiscard]] inline fabric_counts count_switches(const fabric_design& design) {
  fabric_counts counts{design.switches(0), design.switches(1), 0};
  for (std::size_t layer = 2; layer < design.layers.size(); ++layer) counts.cores += design.switches(layer);
  return counts;
}
[[nodiscard]] inline fabric_counts count_switches(const cluster_spec& spec) { return count_switches(design_fabric(spec)); }

}  // namespace topoplan::inline v1
