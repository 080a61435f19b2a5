// The arithmetic of a preset's graph: which vertex is what, who its neighbours are, and which arc leads back.
#pragma once

#include <topoplan/cluster/fabric.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cluster/spec.hpp>
#include <topoplan/graph/elements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace topoplan::inline v1::detail {

// Vertices are numbered in blocks: GPUs by host, NICs by host, host bridges by host, NVSwitches by domain, then the switches
// of each layer by group, class and place in the class. The arcs of a vertex are numbered from 0 (slots):
//   gpu       its NVSwitches (or the other GPUs of its domain), its NIC, its bridge
//   nic       its GPUs, its bridge, a leaf in each plane
//   bridge    its GPUs, its NICs, the other bridges of the host
//   nvswitch  the GPUs of its domain
//   switch    what hangs on it, host by host or child group by child group, then the switches above
class regular_shape {
 public:
  struct end {
    std::uint32_t vertex;
    std::uint32_t slot;  // of the arc that leads back
  };

  explicit regular_shape(const cluster_spec& spec)
      : design_(design_fabric(spec)), system_(&find_system(spec.product)), gpu_(&find_gpu(system_->gpu)) {
    hosts_ = design_.hosts;
    gpus_ = system_->gpus_per_host;
    nics_ = design_.nics_per_host;
    const std::uint32_t numa = system_->numa_nodes;
    bridges_ = numa != 0 && gpus_ % numa == 0 && nics_ % numa == 0 ? numa : 1;
    domain_ = gpus_ * system_->hosts_per_domain;
    links_ = static_cast<std::uint32_t>(gpu_->nvlinks.value);
    mesh_ = system_->nvswitches.known() && system_->nvswitches.value == 0;
    nvswitches_ = mesh_ ? 0 : std::max(1U, static_cast<std::uint32_t>(system_->nvswitches.value));
    nvlink_arcs_ = mesh_ ? domain_ - 1 : nvswitches_;
    nvlink_rate_ = nvlink_of(*gpu_).rate;
    host_link_ = host_link_of(*gpu_).rate;
    number_blocks();
  }

  [[nodiscard]] const fabric_design& design() const noexcept { return design_; }
  [[nodiscard]] const system_model& system() const noexcept { return *system_; }
  [[nodiscard]] const gpu_model& gpu() const noexcept { return *gpu_; }
  [[nodiscard]] std::uint32_t vertices() const noexcept { return blocks_.back().first; }
  [[nodiscard]] std::uint64_t arcs() const noexcept { return blocks_.back().first_arc; }
  [[nodiscard]] std::uint32_t hosts() const noexcept { return hosts_; }
  // Vertices of a block: 0 GPUs, 1 NICs, 2 bridges, 3 NVSwitches, 4 leafs, 5 spines, ...
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size() - 1; }
  [[nodiscard]] std::uint32_t first_of(std::size_t b) const { return blocks_[b].first; }

  [[nodiscard]] fabric_vertex vertex(std::uint32_t v) const {
    const std::size_t b = block_of(v);
    const std::uint32_t at = v - blocks_[b].first;
    switch (b) {
      case 0: return {vertex_kind::gpu, at / gpus_, at % gpus_};
      case 1: return {vertex_kind::nic, at / nics_, at % nics_};
      case 2: return {vertex_kind::host_bridge, at / bridges_, at % bridges_};
      case 3:
        if (system_->hosts_per_domain == 1) return {vertex_kind::nvswitch, at / nvswitches_, at % nvswitches_};
        return {vertex_kind::nvswitch, no_host, at};
      case 4: return {vertex_kind::leaf, no_host, at};
      case 5: return {vertex_kind::spine, no_host, at};
      default: return {vertex_kind::core, no_host, v - blocks_[6].first};
    }
  }

  [[nodiscard]] std::uint32_t degree(std::uint32_t v) const {
    const std::size_t b = block_of(v);
    return v - blocks_[b].first < blocks_[b].full ? blocks_[b].degree : blocks_[b].last_degree;
  }
  // Number of the arc from v at slot 0.
  [[nodiscard]] std::uint64_t first_arc(std::uint32_t v) const {
    const block& b = blocks_[block_of(v)];
    const std::uint64_t at = v - b.first;
    const std::uint64_t full = std::min<std::uint64_t>(at, b.full);
    return b.first_arc + full * b.degree + (at - full) * b.last_degree;
  }

  // Where the arc leads. pre: slot < degree(v).
  [[nodiscard]] end across(std::uint32_t v, std::uint32_t slot) const {
    const std::size_t b = block_of(v);
    const std::uint32_t at = v - blocks_[b].first;
    switch (b) {
      case 0: return from_gpu(at, slot);
      case 1: return from_nic(at, slot);
      case 2: return from_bridge(at, slot);
      case 3: return {at / nvswitches_ * domain_ + slot, at % nvswitches_};
      default: return from_switch(b - 4, at, slot);
    }
  }

  // The bundle of the arc but for its link number. pre: slot < degree(v).
  [[nodiscard]] fabric_edge edge(std::uint32_t v, std::uint32_t slot) const {
    const std::size_t b = block_of(v);
    if (b == 3) return nvlink(v - blocks_[3].first);
    if (b == 0 && slot < nvlink_arcs_) return mesh_ ? mesh_link() : nvlink(slot);
    if (b == 2 && slot >= gpus_ / bridges_ + nics_ / bridges_)
      return {link_kind::socket, host_link_ * (gpus_ / bridges_), {}, 1, 0};
    if (b <= 2 && !(b == 1 && slot > gpus_ / nics_)) return {link_kind::pcie, host_link_, {}, 1, 0};
    if (b == 1) return nic_link();
    const std::size_t layer = b - 4;
    const std::uint32_t down = degree(v) - up_degree(layer);
    if (slot >= down) return uplink(layer);
    return layer == 0 ? nic_link() : uplink(layer - 1);
  }

 private:
  struct block {
    std::uint32_t first;
    std::uint64_t first_arc;
    std::uint32_t full = 0;  // so many vertices have `degree`, the others, of a group that isn't full, `last_degree`
    std::uint32_t degree = 0;
    std::uint32_t last_degree = 0;
  };

  [[nodiscard]] std::size_t block_of(std::uint32_t v) const {
    std::size_t b = 0;
    while (v >= blocks_[b + 1].first) ++b;
    return b;
  }

  void number_blocks() {
    blocks_.push_back({0, 0});
    close_block(hosts_ * gpus_, hosts_ * gpus_, nvlink_arcs_ + 2, 0);
    close_block(hosts_ * nics_, hosts_ * nics_, gpus_ / nics_ + 1 + design_.planes, 0);
    close_block(hosts_ * bridges_, hosts_ * bridges_, gpus_ / bridges_ + nics_ / bridges_ + bridges_ - 1, 0);
    const std::uint32_t switches = hosts_ / system_->hosts_per_domain * nvswitches_;
    close_block(switches, switches, domain_, 0);
    for (std::size_t l = 0; l < design_.layers.size(); ++l) {
      const auto per_group = static_cast<std::uint32_t>(design_.switches_per_group(l));
      const std::uint32_t groups = design_.layers[l].groups;
      const std::uint32_t lower = l == 0 ? hosts_ : design_.layers[l - 1].groups;
      const std::uint32_t last = lower - (groups - 1) * design_.layers[l].children;
      close_block(groups * per_group, (groups - 1) * per_group, design_.layers[l].children * per_child(l) + up_degree(l),
                  last * per_child(l) + up_degree(l));
    }
  }
  void close_block(std::uint32_t count, std::uint32_t full, std::uint32_t degree, std::uint32_t last_degree) {
    block& b = blocks_.back();
    b.full = full;
    b.degree = degree;
    b.last_degree = last_degree;
    const std::uint64_t arcs = std::uint64_t{full} * degree + std::uint64_t{count - full} * last_degree;
    blocks_.push_back({b.first + count, b.first_arc + arcs});
  }

  // Arcs from a switch to one host or child group below it.
  [[nodiscard]] std::uint32_t per_child(std::size_t layer) const {
    const bool apart = design_.layers[layer].rails_apart;
    if (layer == 0) return apart ? nics_ / design_.rails : nics_;
    return design_.layers[layer - 1].rails_apart && !apart ? design_.rails : 1;
  }
  [[nodiscard]] std::uint32_t up_degree(std::size_t layer) const {
    return layer + 1 < design_.layers.size() ? design_.layers[layer + 1].per_bundle : 0;
  }
  [[nodiscard]] std::uint32_t in_class(std::size_t layer) const {
    return design_.layers[layer].bundles * design_.layers[layer].per_bundle;
  }
  [[nodiscard]] std::uint32_t switch_at(std::size_t layer, std::uint32_t group, std::uint32_t cls, std::uint32_t place) const {
    return blocks_[4 + layer].first + (group * design_.classes(layer) + cls) * in_class(layer) + place;
  }
  // Class of a rail and plane in that layer.
  [[nodiscard]] std::uint32_t class_of(std::size_t layer, std::uint32_t rail, std::uint32_t plane) const {
    return design_.layers[layer].rails_apart ? rail * design_.planes + plane : plane;
  }

  [[nodiscard]] end from_gpu(std::uint32_t g, std::uint32_t slot) const {
    const std::uint32_t h = g / gpus_, i = g % gpus_, within = g % domain_, first = g - within;
    if (slot < nvlink_arcs_) {
      if (!mesh_) return {blocks_[3].first + g / domain_ * nvswitches_ + slot, within};
      const std::uint32_t peer = slot < within ? slot : slot + 1;
      return {first + peer, within < peer ? within : within - 1};
    }
    if (slot == nvlink_arcs_) return {blocks_[1].first + h * nics_ + i * nics_ / gpus_, i % (gpus_ / nics_)};
    return {blocks_[2].first + h * bridges_ + i * bridges_ / gpus_, i % (gpus_ / bridges_)};
  }

  [[nodiscard]] end from_nic(std::uint32_t n, std::uint32_t slot) const {
    const std::uint32_t h = n / nics_, k = n % nics_, served = gpus_ / nics_;
    if (slot < served) return {h * gpus_ + k * served + slot, nvlink_arcs_};
    if (slot == served) {
      const std::uint32_t per_bridge = nics_ / bridges_;
      return {blocks_[2].first + h * bridges_ + k / per_bridge, gpus_ / bridges_ + k % per_bridge};
    }
    const std::uint32_t plane = slot - served - 1, per_rail = nics_ / design_.rails;
    const std::uint32_t group = h / design_.layers[0].children;
    const std::uint32_t below = (h - group * design_.layers[0].children) * per_child(0);
    return {switch_at(0, group, class_of(0, k / per_rail, plane), 0), below + (design_.layers[0].rails_apart ? k % per_rail : k)};
  }

  [[nodiscard]] end from_bridge(std::uint32_t bridge, std::uint32_t slot) const {
    const std::uint32_t h = bridge / bridges_, b = bridge % bridges_;
    const std::uint32_t gpus = gpus_ / bridges_, nics = nics_ / bridges_;
    if (slot < gpus) return {h * gpus_ + b * gpus + slot, nvlink_arcs_ + 1};
    if (slot < gpus + nics) return {blocks_[1].first + h * nics_ + b * nics + slot - gpus, gpus_ / nics_};
    const std::uint32_t place = slot - gpus - nics, other = place < b ? place : place + 1;
    return {blocks_[2].first + h * bridges_ + other, gpus + nics + (b < other ? b : b - 1)};
  }

  [[nodiscard]] end from_switch(std::size_t layer, std::uint32_t at, std::uint32_t slot) const {
    const fabric_layer& own = design_.layers[layer];
    const std::uint32_t place = at % in_class(layer);
    const std::uint32_t cls = at / in_class(layer) % design_.classes(layer);
    const std::uint32_t group = at / in_class(layer) / design_.classes(layer);
    const std::uint32_t plane = cls % design_.planes, rail = own.rails_apart ? cls / design_.planes : 0;
    const std::uint32_t v = blocks_[4 + layer].first + at;
    const std::uint32_t down = degree(v) - up_degree(layer);
    if (slot >= down) {
      const fabric_layer& above = design_.layers[layer + 1];
      const std::uint32_t parent = group / above.children, m = slot - down;
      const std::uint32_t lower = (group - parent * above.children) * per_child(layer + 1);
      return {switch_at(layer + 1, parent, class_of(layer + 1, rail, plane), place * above.per_bundle + m),
              lower + (per_child(layer + 1) > 1 ? rail : 0)};
    }
    const std::uint32_t child = group * own.children + slot / per_child(layer), within = slot % per_child(layer);
    if (layer == 0) {
      const std::uint32_t nic = own.rails_apart ? rail * per_child(0) + within : within;
      return {blocks_[1].first + child * nics_ + nic, gpus_ / nics_ + 1 + plane};
    }
    const std::uint32_t from = per_child(layer) > 1 ? within : rail;
    const std::uint32_t lower = switch_at(layer - 1, child, class_of(layer - 1, from, plane), place / own.per_bundle);
    return {lower, degree(lower) - own.per_bundle + place % own.per_bundle};
  }

  // A GPU's link to the NVSwitch in that place of its domain: its links are dealt evenly, the first switches take the rest.
  [[nodiscard]] fabric_edge nvlink(std::uint32_t place) const {
    const std::uint32_t s = place % nvswitches_;
    const std::uint32_t count = links_ / nvswitches_ + (s < links_ % nvswitches_ ? 1 : 0);
    const double share = links_ == 0 ? 1.0 / nvswitches_ : static_cast<double>(count) / links_;
    return {link_kind::nvlink, nvlink_rate_ * share, {}, count, 0};
  }
  [[nodiscard]] fabric_edge mesh_link() const {
    return {link_kind::nvlink, nvlink_rate_ / nvlink_arcs_, {}, links_ / nvlink_arcs_, 0};
  }
  [[nodiscard]] fabric_edge nic_link() const {
    return {link_kind::network, design_.link_rate * design_.nic_links, {}, design_.nic_links, 0};
  }
  [[nodiscard]] fabric_edge uplink(std::size_t layer) const {
    const std::uint32_t to = design_.layers[layer + 1].per_bundle;
    return {link_kind::network, design_.layers[layer].uplink_rate / to, {}, design_.layers[layer].uplinks / to, 0};
  }

  fabric_design design_;
  const system_model* system_;
  const gpu_model* gpu_;
  bytes_per_second nvlink_rate_;  // of a GPU, all its links
  bytes_per_second host_link_;
  std::uint32_t hosts_ = 0;
  std::uint32_t gpus_ = 0;         // of a host
  std::uint32_t nics_ = 0;         // of a host
  std::uint32_t bridges_ = 0;      // of a host
  std::uint32_t domain_ = 0;       // GPUs of a domain
  std::uint32_t links_ = 0;        // NVLinks of a GPU
  std::uint32_t nvswitches_ = 0;   // of a domain; products whose number isn't known have one that stands for all
  std::uint32_t nvlink_arcs_ = 0;  // of a GPU
  bool mesh_ = false;              // GPUs are joined directly, each to each
  std::vector<block> blocks_;      // and one that ends the last
};

}  // namespace topoplan::inline v1::detail
