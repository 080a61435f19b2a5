// The loads that units put on the uplinks of tiers, kept up to date while units change places.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/detail/exact_places.hpp>
#include <topoplan/solve/detail/slot_tree.hpp>
#include <topoplan/solve/detail/unit_graph.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
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
    for (group_shape axis_groups::* g : {&axis_groups::tp, &axis_groups::cp, &axis_groups::dp, &axis_groups::dp_cp,
                                         &axis_groups::pp, &axis_groups::ep, &axis_groups::expert_tp, &axis_groups::expert_dp})
      (shapes_.*g).ring_load = (shapes_.*g).tree_load = (shapes_.*g).exchange_load = 0;
    applies_ = true;
    add(l, s, axis::tp, &axis_groups::tp, false);
    add(l, s, axis::cp, &axis_groups::cp, false);
    add(l, s, axis::dp, &axis_groups::dp, false);
    add(l, s, {axis::dp, axis::cp}, &axis_groups::dp_cp, false);
    add(l, s, axis::pp, &axis_groups::pp, false);
    add(l, s, axis::ep, &axis_groups::ep, true);
    add(l, s, axis::expert_tp, &axis_groups::expert_tp, false);
    add(l, s, axis::expert_dp, &axis_groups::expert_dp, false);
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

  // What the tiers above a slot can carry, as a number: equal ones are alike. complexity: O(1).
  [[nodiscard]] std::uint32_t class_of(std::uint32_t slot) const noexcept { return class_of_slot_[slot]; }

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
    std::vector<std::uint32_t> size(c.domains, 0);
    for (const gpu& g : c.gpus) ++size[g.domain.value];
    std::vector<std::uint32_t> taken(std::size_t{c.domains} + c.hosts.size(), nowhere);
    for (std::uint32_t slot = 0; slot < tree.slots(); ++slot)
      for (std::uint32_t i = 0; i < tree.unit_size; ++i) {
        const gpu& g = c.gpus[tree.gpus[std::size_t{slot} * tree.unit_size + i]];
        if (g.rail != c.gpus[tree.gpus[i]].rail) return false;
        const bool whole = size[g.domain.value] >= c.hosts[g.host.value].gpu_count;
        std::uint32_t& owner = taken[whole ? g.domain.value : c.domains + g.host.value];
        if (owner != nowhere && owner != slot) return false;
        owner = slot;
      }
    return true;
  }

  void read_tiers(const cluster& c, const slot_tree& tree) {
    std::size_t nodes = 0;
    std::vector<std::size_t> first;
    for (std::size_t t = 0; t + 1 < c.tiers.size(); ++t) {
      first.push_back(nodes);
      nodes += c.tiers[t].nodes.size();
    }
    tiers_ = first.size();
    capacity_.assign(nodes, 0);
    for (const host_id h : c.all_hosts())
      for (std::size_t t = 0; t < tiers_; ++t) capacity_[first[t] + c.ancestor(h, t)] += c.at(h).gpu_count;
    for (std::size_t t = 0; t < tiers_; ++t)
      for (std::size_t n = 0; n < c.tiers[t].nodes.size(); ++n) capacity_[first[t] + n] /= c.tiers[t].oversubscription;
    std::map<std::vector<double>, std::uint32_t> known;
    for (std::uint32_t slot = 0; slot < tree.slots(); ++slot) {
      const host_id h = c.gpus[tree.gpus[std::size_t{slot} * tree.unit_size]].host;
      std::vector<double> above;
      for (std::size_t t = 0; t < tiers_; ++t) {
        node_.push_back(static_cast<std::uint32_t>(first[t] + c.ancestor(h, t)));
        above.push_back(capacity_[node_.back()]);
      }
      class_of_slot_.push_back(known.emplace(above, static_cast<std::uint32_t>(known.size())).first->second);
    }
  }

  void add(const layout& l, const unit_scheme& s, axis_set set, group_shape axis_groups::* group, bool exchanges) {
    const group_family family = l.groups(set);
    if (!applies_ || family.group_size() < 2 || (shapes_.*group).in_domain()) return;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> ring;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> tree;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int32_t> pairs;
    std::int32_t lanes = 0;
    std::vector<std::uint32_t> order;
    std::vector<std::int32_t> count(s.units, 0);
    for (std::uint32_t g = 0; g < family.size(); ++g) {
      order.clear();
      for (std::uint32_t i = 0; i < family.group_size(); ++i) {
        const std::uint32_t u = s.unit_of[family.member(g, i).value];
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
    append(group, &group_shape::ring_load, 1, ring);
    append(group, &group_shape::tree_load, 1 / tree_share, tree);
    append(group, &group_shape::exchange_load, static_cast<double>(family.group_size()) - lanes, pairs);
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
  std::vector<std::uint32_t> class_of_slot_;
  std::vector<flow> flows_;
};

}  // namespace topoplan::inline v1::detail
