// The network half of fold: rails, leaf groups and wider groups by the switches that NICs hang on.
#pragma once

#include <topoplan/core/units.hpp>
#include <topoplan/graph/concepts.hpp>
#include <topoplan/graph/detail/union_find.hpp>
#include <topoplan/graph/elements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

inline constexpr std::uint32_t no_number = std::numeric_limits<std::uint32_t>::max();

[[nodiscard]] constexpr bool is_network_switch(vertex_kind kind) noexcept {
  return kind == vertex_kind::leaf || kind == vertex_kind::spine || kind == vertex_kind::core;
}

// One NIC as the graph shows it.
struct folded_nic {
  std::uint32_t host = 0;
  double rate = 0;                   // of its network links, bytes per second
  std::vector<std::uint32_t> leafs;  // the switches it hangs on, ascending
  std::uint32_t rail = 0;
};

// One tier: the group of each host or of each lower group, and the busiest switch's rate from below over rate upward.
struct folded_tier {
  std::vector<std::uint32_t> parent;
  std::uint32_t groups = 0;
  double oversubscription = 1;
};

// The rail of a NIC is the place of its switches among those of its host, in the order of the host's NICs; switches that an
// earlier host numbered keep their number. nics: by host, then in order.
// Returns the NICs that hang on another rail than the NIC in the same place of the first host with as many NICs.
inline std::vector<std::size_t> number_rails(std::vector<folded_nic>& nics) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> rail_of;  // by set of switches
  std::map<std::size_t, std::size_t> first_with;                // first NIC of a host, by the host's number of NICs
  std::vector<std::size_t> odd;
  for (std::size_t first = 0; first < nics.size();) {
    std::size_t last = first;
    std::vector<std::vector<std::uint32_t>> met;
    for (; last < nics.size() && nics[last].host == nics[first].host; ++last) {
      folded_nic& nic = nics[last];
      if (nic.leafs.empty()) continue;
      auto place = std::find(met.begin(), met.end(), nic.leafs);
      if (place == met.end()) place = met.insert(met.end(), nic.leafs);
      nic.rail = rail_of.emplace(nic.leafs, static_cast<std::uint32_t>(place - met.begin())).first->second;
    }
    const std::size_t pattern = first_with.emplace(last - first, first).first->second;
    for (std::size_t n = first; n < last; ++n)
      if (!nics[n].leafs.empty() && !nics[pattern + n - first].leafs.empty() && nics[n].rail != nics[pattern + n - first].rail)
        odd.push_back(n);
    first = last;
  }
  return odd;
}

// Layers of switches by their distance from the NICs, and the groups that each joins.
template <class Graph, class Kind, class Link, class Rate> class tier_finder {
 public:
  tier_finder(const Graph& g, const Kind& kind, const Link& link, const Rate& rate)
      : g_(g), kind_(kind), link_(link), rate_(rate), layer_(num_vertices(g), no_number) {}

  // nics: each with its host and switches; at: vertices by number.
  [[nodiscard]] std::vector<folded_tier> find(const std::vector<folded_nic>& nics, std::uint32_t hosts) {
    std::vector<folded_tier> tiers;
    std::vector<std::uint32_t> front = switches_of(nics);
    std::vector<double> below(num_vertices(g_), 0);
    for (const folded_nic& nic : nics)
      for (const std::uint32_t leaf : nic.leafs) below[leaf] += nic.rate / static_cast<double>(nic.leafs.size());
    std::vector<std::uint32_t> group(num_vertices(g_), no_number);  // of a switch: its group in its tier
    {
      union_find joined(hosts + num_vertices(g_));
      for (const folded_nic& nic : nics)
        for (const std::uint32_t leaf : nic.leafs) joined.unite(nic.host, hosts + leaf);
      tiers.push_back(number_groups(joined, hosts, front, group));
    }
    while (!front.empty()) {
      const std::uint32_t lower_groups = tiers.back().groups;
      std::vector<std::uint32_t> above = next_layer(front);
      union_find joined(lower_groups + num_vertices(g_));
      std::vector<double> from_below(num_vertices(g_), 0);
      double busiest = 0;
      for (const std::uint32_t s : front) {
        double up = 0;
        for_links(s, [&](std::uint32_t to, double rate) {
          if (layer_[to] == no_number || layer_[to] != layer_[s] + 1) return;
          up += rate;
          from_below[to] += rate;
          joined.unite(group[s], lower_groups + to);
        });
        if (up > 0) busiest = std::max(busiest, below[s] / up);
      }
      if (above.empty()) break;
      tiers.back().oversubscription = busiest;
      tiers.push_back(number_groups(joined, lower_groups, above, group));
      below = std::move(from_below);
      front = std::move(above);
    }
    return tiers;
  }

 private:
  template <class Visit> void for_links(std::uint32_t number, const Visit& visit) const {
    const auto index = get(boost::vertex_index, g_);
    for (auto [e, e_end] = out_edges(vertex_at_[number], g_); e != e_end; ++e) {
      const auto edge = *e;
      if (static_cast<link_kind>(read(link_, edge)) != link_kind::network) continue;
      visit(static_cast<std::uint32_t>(get(index, target(edge, g_))), static_cast<bytes_per_second>(read(rate_, edge)).value);
    }
  }

  std::vector<std::uint32_t> switches_of(const std::vector<folded_nic>& nics) {
    vertex_at_.resize(num_vertices(g_));
    const auto index = get(boost::vertex_index, g_);
    for (auto [v, v_end] = vertices(g_); v != v_end; ++v) vertex_at_[static_cast<std::size_t>(get(index, *v))] = *v;
    std::vector<std::uint32_t> front;
    for (const folded_nic& nic : nics)
      for (const std::uint32_t leaf : nic.leafs)
        if (layer_[leaf] == no_number) {
          layer_[leaf] = 0;
          front.push_back(leaf);
        }
    std::sort(front.begin(), front.end());
    return front;
  }

  // The switches that hang over the layer and are in none yet. A leaf without NICs serves something else, such as storage.
  std::vector<std::uint32_t> next_layer(const std::vector<std::uint32_t>& front) {
    std::vector<std::uint32_t> above;
    for (const std::uint32_t s : front)
      for_links(s, [&](std::uint32_t to, double) {
        const auto kind = static_cast<vertex_kind>(read(kind_, vertex_at_[to]));
        if (layer_[to] != no_number || !is_network_switch(kind) || kind == vertex_kind::leaf) return;
        layer_[to] = layer_[s] + 1;
        above.push_back(to);
      });
    std::sort(above.begin(), above.end());
    return above;
  }

  // Numbers the sets that hold one of the first `members` numbers, by their first member; notes the group of each switch s, whose
  // number is members + s.
  static folded_tier number_groups(union_find& joined, std::uint32_t members, const std::vector<std::uint32_t>& switches,
                                   std::vector<std::uint32_t>& group) {
    folded_tier tier;
    std::map<std::uint32_t, std::uint32_t> number;  // by root
    for (std::uint32_t m = 0; m < members; ++m) {
      const auto [at, fresh] = number.emplace(joined.root(m), tier.groups);
      if (fresh) ++tier.groups;
      tier.parent.push_back(at->second);
    }
    for (const std::uint32_t s : switches) group[s] = number.at(joined.root(members + s));
    return tier;
  }

  const Graph& g_;
  const Kind& kind_;
  const Link& link_;
  const Rate& rate_;
  std::vector<std::uint32_t> layer_;
  std::vector<vertex_of<Graph>> vertex_at_;
};

}  // namespace topoplan::inline v1::detail
