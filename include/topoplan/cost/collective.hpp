// The time of a collective: all-reduce, all-gather, reduce-scatter, all-to-all, send and receive, on any tier.
#pragma once

#include <topoplan/cost/group_shape.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/link_parameters.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace topoplan::inline v1 {

// What carries a collective. `none`: nothing is sent.
enum class algorithm : std::uint8_t { none, ring, tree, nvls, sharp, direct };

// "ring", ... complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(algorithm a) noexcept {
  constexpr std::string_view names[] = {"none", "ring", "tree", "nvls", "sharp", "direct"};
  return names[static_cast<std::size_t>(a)];
}

// Which link is the widest that a group needs.
enum class link_tier : std::uint8_t { nvlink, host, network };
[[nodiscard]] constexpr std::string_view to_string(link_tier t) noexcept {
  constexpr std::string_view names[] = {"nvlink", "pcie", "network"};
  return names[static_cast<std::size_t>(t)];
}

// units: seconds; bytes per second, by the convention of nccl-tests.
struct collective_cost {
  double seconds = 0;
  double bus_bandwidth = 0;
  algorithm by = algorithm::none;
  link_tier over = link_tier::nvlink;
  evidence known = evidence::measured;
};

// Bus bandwidth over bytes per second of a collective: what a ring sends for each byte of the buffer.
// complexity: O(1). errors: none. source: NVIDIA/nccl-tests doc/PERFORMANCE.md.
[[nodiscard]] constexpr double bus_factor(collective what, double ranks) noexcept {
  if (what == collective::send_recv) return 1;
  return (what == collective::all_reduce ? 2 : 1) * (ranks - 1) / ranks;
}

// The widest link that a group needs: NVLink in one domain, PCIe between domains of a host, else the network.
// complexity: O(1). errors: none.
[[nodiscard]] constexpr link_tier tier_of(const interconnect& x, const group_shape& g) noexcept {
  if (g.in_domain() && x.facts.nvlink_rate > 0) return link_tier::nvlink;
  return g.hosts <= 1 ? link_tier::host : link_tier::network;
}

namespace detail {

struct timed {
  double seconds = 0;
  algorithm by = algorithm::ring;
};

// pre: bytes > 0.
[[nodiscard]] inline double ramp(const link_parameters& p, double bytes) noexcept {
  if (p.half_size <= 0) return 1;
  const double small = p.half_size / bytes;
  return 1 + (p.power == 0.5 ? std::sqrt(small) : std::pow(small, p.power));
}

// Efficiency of a group of few ranks over that of eight: NCCL finds fewer channels for it.
[[nodiscard]] constexpr double few_ranks(const link_parameters& p, double ranks) noexcept {
  if (ranks >= 8) return 1;
  return ranks >= 4 ? p.four + (1 - p.four) * (ranks - 4) / 4 : p.two + (p.four - p.two) * (ranks - 2) / 2;
}

[[nodiscard]] inline timed nvlink_time(const interconnect& x, collective what, double bytes, double ranks) noexcept {
  const link_parameters& p = x.nvlink[static_cast<std::size_t>(what)];
  const double wire = bus_factor(what, ranks) * bytes / x.facts.nvlink_rate;
  const double steps = std::min(ranks, 8.0) - 1;
  timed best{p.first + p.step * steps + wire / (p.efficiency * few_ranks(p, ranks)) * ramp(p, bytes), algorithm::ring};
  if (what == collective::all_to_all || what == collective::send_recv) best.by = algorithm::direct;
  if (what == collective::all_reduce && x.nvls.fewest != 0 && ranks >= x.nvls.fewest) {
    const link_parameters& s = x.nvls.parameters;
    const double seconds = s.first + s.step * steps + wire / s.efficiency * ramp(s, bytes);
    if (seconds < best.seconds) best = {seconds, algorithm::nvls};
  }
  return best;
}

[[nodiscard]] inline timed host_time(const interconnect& x, collective what, double bytes, double ranks) noexcept {
  const link_parameters& p = x.host[static_cast<std::size_t>(what)];
  const double wire = bus_factor(what, ranks) * bytes / (p.efficiency * x.facts.host_rate);
  return {p.first + p.step * (ranks - 1) + wire * ramp(p, bytes),
          what == collective::all_to_all || what == collective::send_recv ? algorithm::direct : algorithm::ring};
}

// What each NIC of a domain sends in an all-reduce, in buffers over ranks of the domain. Trees between two and three domains
// send less than a ring: each domain is a leaf in one of the two trees.
// source: Sanders, Speck, Träff, "Two-tree algorithms", Parallel Computing 35 (2009); the bonus at two nodes: nccl-tests #309.
[[nodiscard]] constexpr double reduce_share(const link_parameters& p, const group_shape& g) noexcept {
  const double ring = bus_factor(collective::all_reduce, g.ranks);
  if (!p.pair_bonus || g.per_domain < 2 || g.domains > 3) return ring;
  return std::min(ring, g.domains == 2 ? 1.0 : 1.5);
}

// SHARP's part of a ring's traffic: about 30 % faster in practice. source: jax-ml/scaling-book, GPU chapter.
inline constexpr double sharp_share = 2 / 1.3;

[[nodiscard]] inline timed network_time(const interconnect& x, collective what, double bytes, const group_shape& g) noexcept {
  const link_parameters& p = x.network[static_cast<std::size_t>(what)];
  const double ranks = g.ranks;
  const double lanes = g.per_domain;
  const double nic = p.efficiency * x.facts.nic_rate * g.nic_share;
  const bool exchange = what == collective::all_to_all;
  const double slower = x.slow_down * std::max(1.0, exchange ? g.exchange_load : g.ring_load);
  timed out{p.first, algorithm::ring};
  double outside = 0;  // seconds of the wires
  double inside = 0;
  switch (what) {
    case collective::all_reduce: {
      double share = reduce_share(p, g);
      if (p.pair_bonus && lanes > 1) out.by = algorithm::tree;
      if (x.facts.sharp && sharp_share < share) {
        share = sharp_share;
        out.by = algorithm::sharp;
      }
      outside = share * bytes / (lanes * nic);
      if (lanes > 1 && x.facts.nvlink_rate > 0)
        inside = bus_factor(what, lanes) * bytes / (std::max(0.1, x.nvls.across) * x.facts.nvlink_rate);
      out.seconds += p.step * std::log2(0.5 * std::max(2.0, static_cast<double>(g.domains)));
      break;
    }
    case collective::all_gather:
    case collective::reduce_scatter:
      outside = bus_factor(what, ranks) * bytes / (lanes * nic);
      if (lanes > 1 && x.facts.nvlink_rate > 0)
        inside = bus_factor(what, ranks) * bytes / (x.nvlink[static_cast<std::size_t>(what)].efficiency * x.facts.nvlink_rate);
      out.seconds += p.step * (std::max(2.0, static_cast<double>(g.domains)) - 2);
      break;
    case collective::all_to_all:
      out.by = algorithm::direct;
      outside = (ranks - lanes) / ranks * bytes / nic;
      if (lanes > 1 && x.facts.nvlink_rate > 0)
        inside = (lanes - 1) / ranks * bytes / (x.nvlink[static_cast<std::size_t>(what)].efficiency * x.facts.nvlink_rate);
      out.seconds += p.step * (std::max(2.0, static_cast<double>(g.domains)) - 2);
      break;
    case collective::send_recv:
      out.by = algorithm::direct;
      outside = bytes / nic;
      break;
  }
  out.seconds += std::max(inside, outside * slower) * ramp(p, bytes);
  return out;
}

[[nodiscard]] inline timed time_of(const interconnect& x, collective what, double bytes, const group_shape& g) noexcept {
  if (g.ranks <= 1 || !(bytes > 0)) return {0, algorithm::none};
  switch (tier_of(x, g)) {
    case link_tier::nvlink: return nvlink_time(x, what, bytes, g.ranks);
    case link_tier::host: return host_time(x, what, bytes, g.ranks);
    case link_tier::network: break;
  }
  return network_time(x, what, bytes, g);
}

}  // namespace detail

// The time of one collective. `bytes` is the buffer as nccl-tests counts it: all-gather the gathered size, reduce-scatter the
// input, all-to-all all that a rank has for all, send_recv what a rank sends.
// post: 0 for one rank or no bytes; rises with bytes. units: bytes, seconds. complexity: O(1). errors: none.
// source: link_parameters.hpp, link_table.hpp.
[[nodiscard]] inline double collective_seconds(const interconnect& x, collective what, double bytes,
                                               const group_shape& g) noexcept {
  return detail::time_of(x, what, bytes, g).seconds;
}

// The same with the bus bandwidth, the algorithm, and how the figures are known. complexity: O(1). errors: none.
[[nodiscard]] inline collective_cost collective_time(const interconnect& x, collective what, double bytes,
                                                     const group_shape& g) noexcept {
  const detail::timed t = detail::time_of(x, what, bytes, g);
  collective_cost out;
  out.seconds = t.seconds;
  out.by = t.by;
  out.over = tier_of(x, g);
  if (t.by == algorithm::none) return out;
  out.bus_bandwidth = bus_factor(what, g.ranks) * bytes / t.seconds;
  const auto i = static_cast<std::size_t>(what);
  out.known = out.over == link_tier::network ? x.network[i].known
              : out.over == link_tier::host  ? x.host[i].known
                                             : x.nvlink[i].known;
  const double load = what == collective::all_to_all ? g.exchange_load : g.ring_load;
  if (out.over == link_tier::network && (x.assumed_network || t.by == algorithm::sharp || load > 1))
    out.known = evidence::assumed;
  return out;
}

}  // namespace topoplan::inline v1
