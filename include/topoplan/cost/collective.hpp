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

// The law of link_parameters. pre: bytes > 0.
[[nodiscard]] inline double time_on(const link_parameters& p, double latency, double hops, double wire, double bytes,
                                    double half_size) noexcept {
  double ramp = 1;
  if (half_size > 0) {
    const double small = half_size / bytes;
    ramp += p.power == 0.5 ? std::sqrt(small) : std::pow(small, p.power);
  }
  const double late = latency + hops + p.lift;
  const double large = std::sqrt(late * late + wire * ramp * (wire * ramp));
  return p.small > 0 ? std::min(latency + wire / p.small, large) : large;
}

// Efficiency of a group of few ranks over that of eight.
[[nodiscard]] constexpr double few_ranks(const link_parameters& p, double ranks) noexcept {
  if (ranks >= 8) return 1;
  return ranks >= 4 ? p.four + (1 - p.four) * (ranks - 4) / 4 : p.two + (p.four - p.two) * (ranks - 2) / 2;
}

[[nodiscard]] constexpr bool direct(collective what) noexcept {
  return what == collective::all_to_all || what == collective::send_recv;
}

[[nodiscard]] inline timed nvlink_time(const interconnect& x, collective what, double bytes, double ranks) noexcept {
  const link_parameters& p = x.nvlink[static_cast<std::size_t>(what)];
  const double wire = bus_factor(what, ranks) * bytes / x.facts.nvlink_rate;
  const double steps = std::min(ranks, 8.0) - 1;
  timed best{time_on(p, p.first + p.step * steps, 0, wire / (p.efficiency * few_ranks(p, ranks)), bytes, p.half_size),
             direct(what) ? algorithm::direct : algorithm::ring};
  if (what == collective::all_reduce && x.nvls.fewest != 0 && ranks >= x.nvls.fewest) {
    const link_parameters& s = x.nvls.parameters;
    const double seconds = time_on(s, s.first + s.step * steps, 0, wire / s.efficiency, bytes, s.half_size);
    if (seconds < best.seconds) best = {seconds, algorithm::nvls};
  }
  return best;
}

[[nodiscard]] inline timed host_time(const interconnect& x, collective what, double bytes, double ranks) noexcept {
  const link_parameters& p = x.host[static_cast<std::size_t>(what)];
  const double wire = bus_factor(what, ranks) * bytes / (p.efficiency * few_ranks(p, ranks) * x.facts.host_rate);
  return {time_on(p, p.first + p.step * (ranks - 1), 0, wire, bytes, p.half_size),
          direct(what) ? algorithm::direct : algorithm::ring};
}

// What each NIC of a domain sends in an all-reduce, in buffers over ranks of the domain. Trees between two and three domains
// send less than a ring of many ranks each: each domain is a leaf in one of the two trees.
// source: Sanders, Speck, Träff, "Two-tree algorithms", Parallel Computing 35 (2009); the bonus at two nodes: nccl-tests #309.
[[nodiscard]] constexpr double reduce_share(const link_parameters& p, double ranks, double units) noexcept {
  const double ring = bus_factor(collective::all_reduce, ranks);
  if (!p.pair_bonus || units > 3) return ring;
  return std::min(ring, units <= 2 ? 1.0 : 1.5);
}

// SHARP's part of a ring's traffic: about 30 % faster in practice. source: jax-ml/scaling-book, GPU chapter.
inline constexpr double sharp_share = 2 / 1.3;

[[nodiscard]] constexpr double load_of(const group_shape& g, collective what, algorithm by) noexcept {
  return what == collective::all_to_all ? g.exchange_load : by == algorithm::tree ? g.tree_load : g.ring_load;
}

// A unit is what reaches its ranks without a NIC: a domain, or a host of several.
[[nodiscard]] inline timed network_time(const interconnect& x, collective what, double bytes, const group_shape& g) noexcept {
  const auto row = static_cast<std::size_t>(what);
  const link_parameters& p = x.network[row];
  const double ranks = g.ranks;
  const bool by_host = g.per_host > g.per_domain || x.facts.nvlink_rate <= 0;
  const double lanes = by_host ? g.per_host : g.per_domain;
  const double units = std::max(2.0, static_cast<double>(by_host ? g.hosts : g.domains));
  const double nic = p.efficiency * x.facts.nic_rate * g.nic_share;
  const double inner = by_host ? x.host[row].efficiency * x.facts.host_rate : x.nvlink[row].efficiency * x.facts.nvlink_rate;
  const auto within = [&](double sent) { return lanes > 1 && inner > 0 ? sent / inner : 0.0; };
  timed out{0, direct(what) ? algorithm::direct : algorithm::ring};
  double latency = p.first;
  double hops = 0;
  double half_size = p.half_size;
  double outside = 0;  // seconds of the wires
  double inside = 0;
  if (what == collective::all_reduce) {
    double share = reduce_share(p, ranks, units);
    if (p.pair_bonus && lanes > 1) out.by = algorithm::tree;
    if (x.facts.sharp && sharp_share < share) {
      share = sharp_share;
      out.by = algorithm::sharp;
    }
    outside = share * bytes / (lanes * nic);
    inside = within(bus_factor(what, lanes) * bytes);
    if (!by_host && x.nvls.across > 0) inside *= x.nvlink[row].efficiency / x.nvls.across;
    latency += p.step * std::log2(0.5 * units);
    hops = p.hop * (units - 2) * (lanes + 2);
    half_size *= std::min(1.0, lanes / p.lanes);
  } else if (what == collective::send_recv) {
    outside = bytes / nic;
  } else {
    latency += p.hop * (units - 2) * (lanes + 2);
    if (what == collective::all_to_all) {
      outside = (ranks - lanes) / ranks * bytes / nic;
      inside = within((lanes - 1) / ranks * bytes);
    } else {
      outside = bus_factor(what, ranks) * bytes / (lanes * nic);
      inside = within(bus_factor(what, ranks) * bytes);
      half_size *= std::min(1.0, lanes / p.lanes);
    }
  }
  const double load = std::max(1.0, load_of(g, what, out.by));
  double wire = std::max(inside, outside * x.slow_down * load);
  if (p.loss > 0) wire *= std::pow(0.5 * units, p.loss);
  out.seconds = time_on(p, latency, hops, wire, bytes, half_size);
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
  const double load = detail::load_of(g, what, t.by);
  if (out.over == link_tier::network && (x.assumed_network || t.by == algorithm::sharp || load > 1))
    out.known = evidence::assumed;
  return out;
}

}  // namespace topoplan::inline v1
