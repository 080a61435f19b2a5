// The seats of a pool cut into slots, each with room for one unit.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace topoplan::inline v1::detail {

// How GPUs are cut into windows: at multiples of the window size only, so that units keep their rails and a dead GPU costs
// its window; the same but only the first window of a host; or any usable GPUs, which wastes none.
enum class cutting : std::uint8_t { first_window, aligned, any };

// A place that holds slots: a domain, or a host with several domains.
struct container {
  std::uint32_t host = 0;  // one of its hosts
  std::uint32_t domain = 0;
  std::vector<std::uint32_t> gpus;  // slot after slot, unit size each
};

[[nodiscard]] inline std::uint32_t window_size(const cluster& c, const pool& p, const unit_scheme& s, cutting how) {
  if (how == cutting::any || s.run != 0) return s.block;
  std::uint32_t seats = 0;
  for (const std::uint32_t h : p.hosts) seats = std::max<std::uint32_t>(seats, c.hosts[h].gpu_count);
  if (s.size <= seats) return s.size;
  const std::uint32_t common = std::gcd(s.size, seats);
  return common % s.block == 0 ? common : s.block;
}

// Appends the windows of one inner place to a list of GPUs.
inline void cut_windows(const cluster& c, const std::vector<std::uint32_t>& seats, std::uint32_t window, cutting how,
                        std::uint32_t limit, std::vector<std::uint32_t>& out) {
  const auto usable = [&](std::uint32_t g) { return c.usable(gpu_id{g}); };
  if (how == cutting::any) {
    std::vector<std::uint32_t> left;
    std::copy_if(seats.begin(), seats.end(), std::back_inserter(left), usable);
    const std::size_t windows = std::min<std::size_t>(left.size() / window, limit);
    out.insert(out.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(windows * window));
    return;
  }
  std::uint32_t made = 0;
  for (std::size_t first = 0; first + window <= seats.size() && made < limit; first += window) {
    if (how == cutting::first_window && first > 0) return;
    const auto from = seats.begin() + static_cast<std::ptrdiff_t>(first);
    if (!std::all_of(from, from + window, usable)) continue;
    out.insert(out.end(), from, from + window);
    ++made;
  }
}

// The slots of a pool, container by container in the order of the cluster; containers without room are left out.
// post: with cutting::any the number of slots is the most that any placement of such units can use, container by container.
// complexity: O(GPUs of the pool + domains of the cluster).
[[nodiscard]] inline std::vector<container> slots_of(const cluster& c, const pool& p, const unit_scheme& s, cutting how) {
  const std::uint32_t window = window_size(c, p, s, how);
  const bool wide = p.nest == nesting::host_in_domain;
  const std::uint32_t limit = s.run != 0 && wide ? 1 : ~std::uint32_t{0};  // one run a host
  std::vector<container> all;
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> container_of(c.domains, none);
  std::vector<std::uint32_t> seats;
  const auto open = [&](std::uint32_t h, std::uint32_t d) {
    all.push_back({h, d, {}});
    return static_cast<std::uint32_t>(all.size() - 1);
  };
  for (const std::uint32_t h : p.hosts) {
    if (wide) {
      seats.clear();
      std::uint32_t d = 0;
      for (const gpu_id g : c.gpus_of(host_id{h})) {
        seats.push_back(g.value);
        if (c.usable(g)) d = c.at(g).domain.value;
      }
      if (container_of[d] == none) container_of[d] = open(h, d);
      cut_windows(c, seats, window, how, limit, all[container_of[d]].gpus);
      continue;
    }
    std::vector<std::uint32_t> domains;
    for (const gpu_id g : c.gpus_of(host_id{h}))
      if (std::find(domains.begin(), domains.end(), c.at(g).domain.value) == domains.end())
        domains.push_back(c.at(g).domain.value);
    const std::uint32_t whole = s.one_domain ? 0 : open(h, domains.front());
    for (const std::uint32_t d : domains) {
      seats.clear();
      for (const gpu_id g : c.gpus_of(host_id{h}))
        if (c.at(g).domain.value == d) seats.push_back(g.value);
      cut_windows(c, seats, window, how, limit, all[s.one_domain ? open(h, d) : whole].gpus);
    }
    if (s.run != 0) {
      std::vector<std::uint32_t>& gpus = all[whole].gpus;
      gpus.resize(gpus.size() < s.run ? 0 : s.run);
    }
  }
  for (container& k : all) k.gpus.resize(k.gpus.size() - k.gpus.size() % s.size);
  std::erase_if(all, [](const container& k) { return k.gpus.empty(); });
  return all;
}

// complexity: O(containers).
[[nodiscard]] inline std::uint64_t slot_count(const std::vector<container>& all, const unit_scheme& s) {
  std::uint64_t n = 0;
  for (const container& k : all) n += k.gpus.size() / s.size;
  return n;
}

}  // namespace topoplan::inline v1::detail
