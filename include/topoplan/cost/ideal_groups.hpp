// Group shapes from the degrees alone: the best that a placement on the cluster could do.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/group_shape.hpp>
#include <topoplan/layout/degrees.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace topoplan::inline v1 {

namespace detail {

// Ranks on GPUs 0, 1, 2, ..., domain after domain, where a group that fits into a unit never straddles two.
struct packed_cluster {
  std::uint32_t domain = 1;  // GPUs of each unit, on average
  std::uint32_t host = 1;
  const cluster* of = nullptr;

  explicit packed_cluster(const cluster& c) : of(&c) {
    domain = share(c, c.domains);
    host = share(c, c.hosts.size());
  }

  static std::uint32_t share(const cluster& c, std::size_t units) {
    const double each = static_cast<double>(c.gpus.size()) / static_cast<double>(std::max<std::size_t>(1, units));
    return static_cast<std::uint32_t>(std::max(1.0, std::floor(each + 0.5)));
  }

  // Ranks of a group in one unit of that many GPUs: all, or the most that cut the group into equal parts.
  // complexity: O(1) where the unit holds a whole number of strides that divides the group, else O(GPUs of the unit).
  static std::uint32_t members(std::uint32_t unit, std::uint32_t extent, std::uint64_t stride) {
    if (extent * stride <= unit) return extent;
    auto most = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, unit / stride));
    while (extent % most != 0) --most;
    return most;
  }

  [[nodiscard]] group_shape shape(std::uint32_t extent, std::uint64_t stride) const {
    group_shape g;
    if (extent <= 1) return g;
    g.ranks = extent;
    g.per_domain = members(domain, extent, stride);
    g.per_host = members(host, extent, stride);
    g.domains = extent / g.per_domain;
    g.hosts = extent / g.per_host;
    const std::uint32_t lanes = std::max(g.per_domain, g.per_host);
    if (lanes == extent) return g;
    // The chain of a group inside a tier node ends once, with all its lanes; what an all-to-all sends to peers elsewhere leaves.
    for (const tier& t : of->tiers) {
      const std::uint32_t inside = members(share(*of, t.nodes.size()), extent, stride);
      if (inside == extent) continue;
      g.ring_load = std::max(g.ring_load, t.oversubscription * std::min(1.0, static_cast<double>(lanes) / inside));
      // A run of units touches each of the two trees at about four places.
      g.tree_load = std::max(g.tree_load, t.oversubscription * std::min(1.0, 2.0 * lanes / inside));
      g.exchange_load =
          std::max(g.exchange_load, t.oversubscription * std::min(1.0, static_cast<double>(extent - inside) / (extent - lanes)));
    }
    return g;
  }
};

}  // namespace detail

// The shapes of all groups of a job whose ranks fill the cluster in the order tp-cp-ep-dp-pp, the experts' in
// expert_tp-ep-expert_dp-pp: what a placement can reach if no domain, host or tier node is cut badly. Domains, hosts and tier
// nodes count with their average size.
// pre: c is valid, d resolved. post: shapes of degree 1 are those of one rank. complexity: O(tiers) for products of powers of
// two, else O(tiers * GPUs of a domain). errors: none.
[[nodiscard]] inline axis_groups ideal_groups(const cluster& c, const resolved_degrees& d) {
  const detail::packed_cluster packed(c);
  const std::uint64_t dense = std::uint64_t{d.tp} * d.cp;
  const std::uint64_t expert = std::uint64_t{d.expert_tp} * d.ep;
  axis_groups g;
  g.tp = packed.shape(d.tp, 1);
  g.cp = packed.shape(d.cp, d.tp);
  g.dp = packed.shape(d.dp, dense);
  g.dp_cp = packed.shape(d.cp * d.dp, d.tp);
  g.pp = packed.shape(d.pp, dense * d.dp);
  g.expert_tp = packed.shape(d.expert_tp, 1);
  g.ep = packed.shape(d.ep, d.expert_tp);
  g.expert_dp = packed.shape(d.expert_dp, expert);
  return g;
}

}  // namespace topoplan::inline v1
