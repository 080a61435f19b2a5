// Group shapes of a placement: how the groups of each axis really sit on domains, hosts, rails and tiers.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/detail/group_axes.hpp>
#include <topoplan/cost/detail/uplinks.hpp>
#include <topoplan/cost/group_shape.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace topoplan::inline v1 {

namespace detail {

// Counts of ids that are forgotten at once.
class tally {
 public:
  explicit tally(std::size_t ids) : count_(ids, 0), of_(ids, 0) {}
  void clear() noexcept { ++now_; }
  // post: the count before.
  std::uint32_t add(std::uint32_t id) noexcept {
    if (of_[id] != now_) {
      of_[id] = now_;
      count_[id] = 0;
    }
    return count_[id]++;
  }
  [[nodiscard]] std::uint32_t of(std::uint32_t id) const noexcept { return of_[id] == now_ ? count_[id] : 0; }

 private:
  std::vector<std::uint32_t> count_;
  std::vector<std::uint32_t> of_;
  std::uint32_t now_ = 1;
};

// The parent of unit u in one of the two binary trees that an all-reduce of n units uses; of a root: itself. The second tree is
// the first one mirrored, for odd n shifted by one, so that inner units of one are leaves of the other.
// source: NCCL's double binary trees, by the lowest bit that is set: Sanders, Speck, Träff, Parallel Computing 35 (2009).
[[nodiscard]] constexpr std::uint32_t tree_parent(std::uint32_t u, std::uint32_t n, bool second) noexcept {
  const auto first = [n](std::uint32_t v) {
    if (v == 0) return v;
    const std::uint32_t bit = v & (~v + 1);
    const std::uint32_t up = (v ^ bit) | (bit << 1U);
    return up < n ? up : v ^ bit;
  };
  if (!second) return first(u);
  if (n % 2 == 0) return n - 1 - first(n - 1 - u);
  return (first((u + n - 1) % n) + 1) % n;
}

// Part of a NIC's rate that one direction of an edge of one tree takes: an inner unit sends to two children and a parent in one
// tree and to a parent in the other, each half of the buffer.
inline constexpr double tree_share = 0.25;

// Where every rank sits, as columns; and the uplinks of every tier.
class placed_ranks {
 public:
  placed_ranks(const cluster& c, const layout& l, std::span<const std::uint32_t> gpu_of_rank) : cluster_(c), layout_(l) {
    find_seats(gpu_of_rank);
    capacity_ = uplinks_of(c);
  }

  [[nodiscard]] group_shape shape(axis_set set) const {
    const group_family family = layout_.groups(set);
    group_shape out;
    if (family.group_size() <= 1) return out;
    worker w(*this, family.group_size());
    for (std::uint32_t g = 0; g < family.size(); ++g) {
      for (std::uint32_t i = 0; i < family.group_size(); ++i) w.members[i] = family.member(g, i).value;
      const group_shape one = w.measure();
      if (g == 0 || slower(one, out)) out = one;
    }
    out.ring_load = w.fullest(w.ring);
    out.tree_load = w.fullest(w.tree);
    out.exchange_load = w.fullest(w.exchange);
    return out;
  }

 private:
  struct worker {
    worker(const placed_ranks& s, std::uint32_t size)
        : members(size),
          seats(s),
          domains(s.cluster_.domains),
          hosts(s.cluster_.hosts.size()),
          units(s.units_),
          rails(s.cluster_.rails),
          leaf_rails(s.cluster_.tiers[0].nodes.size() * s.cluster_.rails),
          place_(s.units_) {
      for (const tier& t : s.cluster_.tiers) {
        nodes.emplace_back(t.nodes.size());
        ring.emplace_back(t.nodes.size(), 0.0);
        tree.emplace_back(t.nodes.size(), 0.0);
        exchange.emplace_back(t.nodes.size(), 0.0);
      }
    }

    group_shape measure() {
      count();
      group_shape g;
      g.ranks = static_cast<std::uint32_t>(members.size());
      g.per_domain = g.per_host = g.ranks;
      g.domains = domains_touched;
      g.hosts = hosts_touched;
      for (const std::uint32_t r : members) {
        g.per_domain = std::min(g.per_domain, domains.of(seats.domain_[r]));
        g.per_host = std::min(g.per_host, hosts.of(seats.host_[r]));
      }
      if (order.size() > 1) send();
      return g;
    }

    [[nodiscard]] double fullest(const std::vector<std::vector<double>>& load) const {
      double most = 0;
      for (std::size_t t = 0; t < load.size(); ++t)
        for (std::size_t n = 0; n < load[t].size(); ++n)
          if (load[t][n] > 0)
            most = std::max(
                most, seats.capacity_[t][n] > 0 ? load[t][n] / seats.capacity_[t][n] : std::numeric_limits<double>::infinity());
      return most;
    }

    std::vector<std::uint32_t> members;
    std::vector<std::vector<double>> ring;  // by tier and node, in NIC rates
    std::vector<std::vector<double>> tree;
    std::vector<std::vector<double>> exchange;

   private:
    void count() {
      domains.clear();
      hosts.clear();
      units.clear();
      leaf_rails.clear();
      domains_touched = hosts_touched = 0;
      for (tally& t : nodes) t.clear();
      for (auto& u : order) u.clear();
      std::size_t used = 0;
      for (const std::uint32_t r : members) {
        domains_touched += domains.add(seats.domain_[r]) == 0 ? 1U : 0U;
        hosts_touched += hosts.add(seats.host_[r]) == 0 ? 1U : 0U;
        const std::uint32_t u = seats.unit_[r];
        if (units.add(u) == 0) {
          place_[u] = static_cast<std::uint32_t>(used++);
          if (order.size() < used) order.emplace_back();
        }
        order[place_[u]].push_back(r);
        for (std::size_t t = 0; t < nodes.size(); ++t) nodes[t].add(seats.node(t, r));
        leaf_rails.add(seats.node(0, r) * seats.cluster_.rails + seats.rail_[r]);
      }
      order.resize(used);
    }

    // Rings go through units in the order of their first ranks, each rank to its like in the next unit; the two trees of an
    // all-reduce hang in the same order.
    void send() {
      const auto n = static_cast<double>(members.size());
      const auto count = static_cast<std::uint32_t>(order.size());
      for (std::uint32_t u = 0; u < count; ++u) {
        const std::vector<std::uint32_t>& from = order[u];
        const double elsewhere = n - static_cast<double>(from.size());
        rails.clear();
        for (const std::uint32_t r : from) rails.add(seats.rail_[r]);
        for (std::size_t i = 0; i < from.size(); ++i) {
          for (std::size_t t = 0; t < nodes.size(); ++t) {
            const std::uint32_t node = seats.node(t, from[i]);
            exchange[t][node] += (n - nodes[t].of(node)) / elsewhere;
          }
          if (nodes.size() > 1) exchange[0][seats.node(0, from[i])] += peers_off_rails(seats.node(0, from[i])) / elsewhere;
        }
        flow(ring, from, order[(u + 1) % count], 1);
        for (const bool second : {false, true})
          if (const std::uint32_t parent = tree_parent(u, count, second); parent != u) {
            flow(tree, from, order[parent], tree_share);
            flow(tree, order[parent], from, tree_share);
          }
      }
    }

    // Members of the group below a leaf group on rails where the unit whose rails were counted last has no member: what goes to
    // others is handed to the member on their rail first (PXN).
    [[nodiscard]] double peers_off_rails(std::uint32_t leaf) const {
      double peers = 0;
      for (std::uint32_t rail = 0; rail < seats.cluster_.rails; ++rail)
        if (rails.of(rail) == 0) peers += leaf_rails.of(leaf * seats.cluster_.rails + rail);
      return peers;
    }

    // Adds what the ranks of one unit send to those of another: each to its like, at that part of the rate of its NIC.
    void flow(std::vector<std::vector<double>>& load, const std::vector<std::uint32_t>& from,
              const std::vector<std::uint32_t>& to, double rate) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        const std::uint32_t a = from[i];
        const std::uint32_t b = to[i % to.size()];
        for (std::size_t t = 0; t < nodes.size(); ++t) {
          const std::uint32_t node = seats.node(t, a);
          const bool crosses_rails = t == 0 && seats.rail_[a] != seats.rail_[b] && nodes.size() > 1;
          if (node != seats.node(t, b) || crosses_rails) load[t][node] += rate;
        }
      }
    }

    const placed_ranks& seats;
    tally domains;
    tally hosts;
    tally units;
    tally rails;
    tally leaf_rails;
    std::vector<tally> nodes;
    std::vector<std::uint32_t> place_;
    std::vector<std::vector<std::uint32_t>> order;  // ranks by unit
    std::uint32_t domains_touched = 0;
    std::uint32_t hosts_touched = 0;
  };

  // More domains or fewer ranks in each: the slower group.
  static bool slower(const group_shape& a, const group_shape& b) noexcept {
    const auto key = [](const group_shape& g) {
      return std::make_tuple(g.in_domain() ? 0 : 1, -static_cast<double>(g.per_domain), g.domains, g.hosts,
                             -static_cast<double>(g.per_host));
    };
    return key(a) > key(b);
  }

  void find_seats(std::span<const std::uint32_t> gpu_of_rank) {
    const std::vector<std::uint32_t> island = islands_of(cluster_);
    units_ = std::size_t{cluster_.domains} + cluster_.hosts.size();
    for (const std::uint32_t g : gpu_of_rank) {
      const gpu& seat = cluster_.gpus[g];
      host_.push_back(seat.host.value);
      domain_.push_back(seat.domain.value);
      rail_.push_back(seat.rail);
      unit_.push_back(island[g]);
    }
    for (std::size_t t = 0; t < cluster_.tiers.size(); ++t) {
      std::vector<std::uint32_t>& nodes = node_of_host_.emplace_back(cluster_.hosts.size());
      for (const host_id h : cluster_.all_hosts()) nodes[h.value] = cluster_.ancestor(h, t);
    }
  }

  [[nodiscard]] std::uint32_t node(std::size_t tier, std::uint32_t rank) const noexcept {
    return node_of_host_[tier][host_[rank]];
  }

  const cluster& cluster_;
  layout layout_;
  std::vector<std::uint32_t> host_;
  std::vector<std::uint32_t> domain_;
  std::vector<std::uint16_t> rail_;
  std::vector<std::uint32_t> unit_;  // islands_of() its GPU
  std::vector<std::vector<std::uint32_t>> node_of_host_;
  std::vector<std::vector<double>> capacity_;  // of the uplinks of each tier node, in NIC rates
  std::size_t units_ = 0;
};

// The GPU of every rank of a map. errors: invalid_argument for a host or GPU that the cluster doesn't have.
[[nodiscard]] inline std::vector<std::uint32_t> gpus_of_map(const cluster& c, const rank_map_view& map) {
  std::unordered_map<std::string_view, std::uint32_t> by_name;
  for (const host_id h : c.all_hosts()) by_name.emplace(c.at(h).name, h.value);
  std::vector<std::uint32_t> host_of(map.hosts());
  for (std::uint32_t h = 0; h < map.hosts(); ++h) {
    const std::string_view name = map.host_name(host_id{h});
    const auto at = by_name.find(name);
    if (at == by_name.end())
      throw invalid_argument("the rank map names host " + quoted(name) + ", which cluster " + quoted(c.name) +
                             " doesn't have; give the cluster that the map was made for");
    host_of[h] = at->second;
  }
  std::vector<std::uint32_t> gpus(map.world());
  for (std::uint32_t r = 0; r < map.world(); ++r) {
    const host& on = c.hosts[host_of[map.host_of(rank_id{r}).value]];
    const std::uint32_t index = map.gpu_of(rank_id{r});
    if (index >= on.gpu_count)
      throw invalid_argument("the rank map puts rank " + std::to_string(r) + " on GPU " + std::to_string(index) + " of host " +
                             quoted(on.name) + ", which has " + std::to_string(on.gpu_count) + " GPUs");
    gpus[r] = on.first_gpu + index;
  }
  return gpus;
}

}  // namespace detail

// The shape of the slowest group of an axis set, with the load of all groups of the set together: each rank that has a neighbour
// outside its domain sends at the rate of its NIC; a tier node's uplinks carry what its GPUs could send over the
// oversubscription, cordoned ones included: their cables are there. Ranks whose neighbour sits on another rail go over the spine,
// as on rail-optimised fabrics; in an all-to-all, those whose domain has no member on that rail to hand the data to. Groups in
// tier nodes that have no path to each other have an infinite load. pre: c is valid; set is of one decomposition. complexity:
// O(ranks * tiers + GPUs * tiers). errors: invalid_argument for a map of another cluster, naming its host or GPU, and as
// layout::groups().
[[nodiscard]] inline group_shape placed_group(const cluster& c, const rank_map_view& map, axis_set set) {
  return detail::placed_ranks(c, map.layout(), detail::gpus_of_map(c, map)).shape(set);
}

// The same for every axis of a job whose rank r sits on GPU gpu_of_rank[r].
// pre: c is valid; gpu_of_rank has a GPU of c for every rank of l. complexity: O(ranks * tiers + GPUs * tiers). errors: none.
[[nodiscard]] inline axis_groups groups_of(const cluster& c, const layout& l, std::span<const std::uint32_t> gpu_of_rank) {
  const detail::placed_ranks seats(c, l, gpu_of_rank);
  axis_groups g;
  for (const detail::axis_group& one : detail::all_axis_groups) g.*one.shape = seats.shape(one.over);
  return g;
}

// The same for a rank map. complexity: O(ranks * tiers + GPUs * tiers). errors: as placed_group().
[[nodiscard]] inline axis_groups groups_of(const cluster& c, const rank_map_view& map) {
  return groups_of(c, map.layout(), detail::gpus_of_map(c, map));
}

}  // namespace topoplan::inline v1
