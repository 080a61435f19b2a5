// Ranks bundled into units that the rules keep together, so that a search moves units and not ranks.
#pragma once

#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/solve/detail/components.hpp>
#include <topoplan/solve/detail/pool.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace topoplan::inline v1::detail {

// Units of equal size made of blocks of equal size. A block lies in one inner place (the smaller of host and domain), a unit
// in one outer place.
struct unit_scheme {
  std::vector<std::uint32_t> unit_of;      // by rank; units are numbered by their smallest rank
  std::vector<std::uint32_t> position_of;  // by rank: its place in the unit, block after block
  std::uint32_t units = 0;
  std::uint32_t size = 1;   // ranks of a unit
  std::uint32_t block = 1;  // ranks of a block
  std::uint32_t run = 0;    // consecutive ranks of every host, where the launcher asks for them; else 0
  bool one_domain = true;   // the outer place is a domain; else a host that holds several
};

// The axes that the rules confine to hosts and to domains; where a domain is a host, all to hosts.
struct confined_axes {
  axis_set host;
  axis_set domain;

  confined_axes(std::span<const confinement> rules, const pool& p) {
    for (const confinement& r : rules) {
      axis_set& set = r.within == scope::host || p.domain_is_host ? host : domain;
      set = set | r.axes;
    }
  }
};

// Bundles ranks by the smallest rank of the block and of the unit of each.
// pre: no block reaches over two units. post: none if blocks or units differ in size. complexity: O(ranks).
[[nodiscard]] inline std::optional<unit_scheme> bundled(const std::vector<std::uint32_t>& block_root,
                                                        const std::vector<std::uint32_t>& unit_root) {
  const std::size_t world = unit_root.size();
  unit_scheme s;
  s.unit_of.resize(world);
  s.position_of.resize(world);
  std::vector<std::uint32_t> block_size(world, 0);
  std::vector<std::uint32_t> unit_size(world, 0);
  for (std::uint32_t r = 0; r < world; ++r) {
    ++block_size[block_root[r]];
    ++unit_size[unit_root[r]];
  }
  s.block = block_size[0];
  s.size = unit_size[0];
  std::vector<std::uint32_t> start(world);   // of a block root: position of its first rank in the unit
  std::vector<std::uint32_t> filled(world);  // of a unit root: positions given to its blocks; of a block root: to its ranks
  std::vector<std::uint32_t> taken(world);
  for (std::uint32_t r = 0; r < world; ++r) {
    const std::uint32_t u = unit_root[r];
    const std::uint32_t b = block_root[r];
    if (u == r) {
      if (unit_size[r] != s.size) return std::nullopt;
      s.unit_of[r] = s.units++;
    }
    if (b == r) {
      if (block_size[r] != s.block) return std::nullopt;
      start[r] = filled[u];
      filled[u] += s.block;
    }
    s.unit_of[r] = s.unit_of[u];
    s.position_of[r] = start[b] + taken[b]++;
  }
  return s;
}

// The units of a launcher that takes any map. complexity: O(ranks * confined axes).
[[nodiscard]] inline std::optional<unit_scheme> free_units(const layout& l, const confined_axes& axes, nesting nest) {
  const bool wide = nest == nesting::host_in_domain;
  const std::vector<std::uint32_t> blocks = component_roots(l, wide ? axes.host : axes.domain);
  const bool more = wide ? !axes.domain.empty() : !axes.host.empty();
  std::optional<unit_scheme> s = bundled(blocks, more ? component_roots(l, axes.host | axes.domain) : blocks);
  if (s) s->one_domain = wide || s->size == s->block;
  return s;
}

// The units of a launcher that wants the same number of consecutive ranks, `run`, on every host.
// post: none if a group that must share a host isn't inside one run. complexity: O(ranks * confined axes).
[[nodiscard]] inline std::optional<unit_scheme> run_units(const layout& l, const confined_axes& axes, nesting nest,
                                                          std::uint32_t run) {
  const bool wide = nest == nesting::host_in_domain;
  components on_host(l.world());
  on_host.join_groups(l, wide ? axes.host : axes.host | axes.domain);
  for (std::uint32_t r = 0; r < l.world(); ++r)
    if (on_host.find(r) / run != r / run) return std::nullopt;
  components runs(l.world());
  runs.join_runs(run);
  std::optional<unit_scheme> s;
  if (wide) {
    components together(l.world());
    together.join_runs(run);
    together.join_groups(l, axes.domain);
    s = bundled(std::move(runs).roots(), std::move(together).roots());
  } else {
    s = bundled(component_roots(l, axes.domain), std::move(runs).roots());
  }
  if (s) {
    s->run = run;
    s->one_domain = wide;
  }
  return s;
}

}  // namespace topoplan::inline v1::detail
