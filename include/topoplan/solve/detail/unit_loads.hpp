// The loads that units put on the uplinks of tiers, kept up to date while units change places.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/detail/group_axes.hpp>
#include <topoplan/cost/detail/uplinks.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/exact_places.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// A job whose units each have a domain or host of their own, so that the rings and trees of groups go through units in an order
// that no placement changes, and only loads depend on the placement.
class unit_loads {
 public:
  unit_loads(const cluster& c, const layout& l, const unit_scheme& s, const slot_tree& tree)
      : units_(s.units), slot_of_(s.units, nowhere) {
    if (!own_places(c, tree)) return;
    read_tiers(c, tree);
    std::vector<std::uint32_t> start(l.world());
    for (std::uint32_t r = 0; r < l.world(); ++r) start[r] = tree.gpus[std::size_t{s.unit_of[r]} * s.size + s.position_of[r]];
    shapes_ = groups_of(c, l, start);
    applies_ = true;
    for (const axis_group& g : all_axis_groups) {
      group_shape& shape = shapes_.*g.shape;
      shape.ring_load = shape.tree_load = shape.exchange_load = 0;
      add(l, s, g, g.over == axis::ep);
    }
  }

  // False if units share a domain or host, use different rails, or groups lie in them unevenly: then nothing here counts.
  [[nodiscard]] bool applies() const noexcept { return applies_; }

  // pre: the unit has no slot. complexity: O(its neighbours * tiers).
  void put(std::uint32_t unit, std::uint32_t slot) noexcept {
    slot_of_[unit] = slot;
    change(unit, 1);
  }
  // pre: the unit has a slot. complexity: O(its neighbours * tiers).
  void lift(std::uint32_t unit) noexcept {
    change(unit, -1);
    slot_of_[unit] = nowhere;
  }
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t unit) const noexcept { return slot_of_[unit]; }

  // The shapes of all groups with their loads; those of the units that have slots, so that more units never lower a load.
  // Loads below 1 slow nothing and are left at 0. complexity: O(axes * nodes).
  [[nodiscard]] const axis_groups& groups() {
    for (const flow& f : flows_) {
      double most = 0;
      for (std::size_t i = 0; i < capacity_.size(); ++i)
        if (f.load[i] > 0) most = std::max(most, static_cast<double>(f.load[i]) / (f.scale * capacity_[i]));
      shapes_.*f.group.*f.load_of = most > 1 ? most : 0;
    }
    return shapes_;
  }

 private:
  struct arc {
    std::uint32_t to = 0;
    std::int32_t out = 0;
    std::int32_t in = 0;
  };
  // One pattern of one axis: what units send to each other, in parts of a NIC's rate.
  struct flow {
    group_shape axis_groups::* group = nullptr;
    double group_shape::* load_of = nullptr;
    double scale = 1;
    std::vector<std::uint32_t> begin;
    std::vector<arc> arcs;
    std::vector<std::int64_t> load;  // by node of all tiers
  };

  // True if no two slots share what a group crosses without a NIC, and all slots have the same rails in the same order.
  [[nodiscard]] static bool own_places(const cluster& c, const slot_tree& tree) {
    const std::vector<std::uint32_t> island = islands_of(c);
    std::vector<std::uint32_t> taken(std::size_t{c.domains} + c.hosts.size(), nowhere);
    for (std::uint32_t slot = 0; slot < tree.slots(); ++slot)
      for (std::uint32_t i = 0; i < tree.unit_size; ++i) {
        const std::uint32_t g = tree.gpus[std::size_t{slot} * tree.unit_size + i];
        if (c.gpus[g].rail != c.gpus[tree.gpus[i]].rail) return false;
        std::uint32_t& owner = taken[island[g]];
        if (owner != nowhere && owner != slot) return false;
        owner = slot;
      }
    return true;
  }

  void read_tiers(const cluster& c, const slot_tree& tree) {
    std::vector<std::uint32_t> first;
    const std::vector<std::vector<double>> uplinks = uplinks_of(c);
    tiers_ = c.tiers.size() - 1;
    for (std::size_t t = 0; t < tiers_; ++t) {
      first.push_back(static_cast<std::uint32_t>(capacity_.size()));
      capacity_.insert(capacity_.end(), uplinks[t].begin(), uplinks[t].end());
    }
    for (std::uint32_t slot = 0; slot < tree.slots(); ++slot)
      for (std::size_t t = 0; t < tiers_; ++t)
        node_.push_back(first[t] + c.ancestor(c.gpus[tree.gpus[std::size_t{slot} * tree.unit_size]].host, t));
  }

  void add(const layout& l, const unit_scheme& s, const axis_group& g, bool exchanges) {
    const group_family family = l.groups(g.over);
    if (!applies_ || family.group_size() < 2 || (shapes_.*g.shape).in_domain()) return;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> ring;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> tree;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> pairs;
    std::int32_t lanes = 0;
    std::vector<std::uint32_t> order;
    std::vector<std::int32_t> count(s.units, 0);
    for (std::uint32_t k = 0; k < family.size(); ++k) {
      order.clear();
      for (std::uint32_t i = 0; i < family.group_size(); ++i) {
        const std::uint32_t u = s.unit_of[family.member(k, i).value];
        if (count[u]++ == 0) order.push_back(u);
      }
      for (const std::uint32_t u : order) {
        if (lanes == 0) lanes = count[u];
        applies_ = applies_ && count[u] == lanes;
        count[u] = 0;
      }
      const auto n = static_cast<std::uint32_t>(order.size());
      if (n < 2) continue;
      for (std::uint32_t i = 0; i < n; ++i) {
        ring[{order[i], order[(i + 1) % n]}] += lanes;
        for (const bool second : {false, true})
          if (const std::uint32_t parent = tree_parent(i, n, second); parent != i) {
            tree[{order[i], order[parent]}] += lanes;
            tree[{order[parent], order[i]}] += lanes;
          }
        for (std::uint32_t j = 0; exchanges && j < n; ++j)
          if (j != i) pairs[{order[i], order[j]}] += lanes * lanes;
      }
    }
    append(g.shape, &group_shape::ring_load, 1, ring);
    append(g.shape, &group_shape::tree_load, 1 / tree_share, tree);
    append(g.shape, &group_shape::exchange_load, static_cast<double>(family.group_size()) - lanes, pairs);
  }

  void append(group_shape axis_groups::* group, double group_shape::* load_of, double scale,
              const std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t>& sent) {
    if (sent.empty()) return;
    flow f;
    f.group = group;
    f.load_of = load_of;
    f.scale = scale;
    f.load.assign(capacity_.size(), 0);
    std::vector<std::vector<arc>> of(units_);
    const auto both = [&](std::uint32_t u, std::uint32_t v) -> arc& {
      for (arc& a : of[u])
        if (a.to == v) return a;
      return of[u].emplace_back(arc{v, 0, 0});
    };
    for (const auto& [pair, rate] : sent) {
      both(pair.first, pair.second).out += rate;
      both(pair.second, pair.first).in += rate;
    }
    for (const std::vector<arc>& list : of) {
      f.begin.push_back(static_cast<std::uint32_t>(f.arcs.size()));
      f.arcs.insert(f.arcs.end(), list.begin(), list.end());
    }
    f.begin.push_back(static_cast<std::uint32_t>(f.arcs.size()));
    flows_.push_back(std::move(f));
  }

  void change(std::uint32_t unit, std::int64_t sign) noexcept {
    const std::uint32_t* here = node_.data() + slot_of_[unit] * tiers_;
    for (flow& f : flows_)
      for (std::uint32_t i = f.begin[unit]; i < f.begin[unit + 1]; ++i) {
        const arc& a = f.arcs[i];
        if (slot_of_[a.to] == nowhere) continue;
        const std::uint32_t* there = node_.data() + slot_of_[a.to] * tiers_;
        for (std::size_t t = 0; t < tiers_ && here[t] != there[t]; ++t) {
          f.load[here[t]] += sign * a.out;
          f.load[there[t]] += sign * a.in;
        }
      }
  }

  std::uint32_t units_;
  std::vector<std::uint32_t> slot_of_;
  axis_groups shapes_;
  bool applies_ = false;
  std::size_t tiers_ = 0;            // below the root
  std::vector<double> capacity_;     // of the nodes of all tiers, in NIC rates
  std::vector<std::uint32_t> node_;  // [slot * tiers_ + tier]
  std::vector<flow> flows_;
};

}  // namespace topoplan::inline v1::detail
