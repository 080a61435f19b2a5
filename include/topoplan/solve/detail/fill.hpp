// The placement that a user gets without a planner: ranks in order on the hosts in some order.
#pragma once

#include <topoplan/cluster/cluster.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::detail {

// Compares names as people count: digits by value, so that node9 comes before node10. complexity: O(length).
[[nodiscard]] inline bool natural_less(std::string_view a, std::string_view b) noexcept {
  const auto digit = [](char ch) { return ch >= '0' && ch <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    std::size_t p = i;
    std::size_t q = j;
    while (p < a.size() && digit(a[p])) ++p;
    while (q < b.size() && digit(b[q])) ++q;
    if (p - i != q - j) return p - i < q - j;
    const int order = a.substr(i, p - i).compare(b.substr(j, q - j));
    if (order != 0) return order < 0;
    i = p;
    j = q;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

// The GPU of every rank when ranks fill the usable GPUs of the hosts in that order; empty if they don't fit.
// complexity: O(GPUs).
[[nodiscard]] inline std::vector<std::uint32_t> filled(const cluster& c, const std::vector<std::uint32_t>& hosts,
                                                       std::uint32_t world) {
  std::vector<std::uint32_t> gpu_of_rank;
  gpu_of_rank.reserve(world);
  for (const std::uint32_t h : hosts)
    for (const gpu_id g : c.gpus_of(host_id{h})) {
      if (gpu_of_rank.size() == world) return gpu_of_rank;
      if (c.usable(g)) gpu_of_rank.push_back(g.value);
    }
  if (gpu_of_rank.size() < world) gpu_of_rank.clear();
  return gpu_of_rank;
}

// Hosts by name as people count, ties in the order given. complexity: O(n log n).
[[nodiscard]] inline std::vector<std::uint32_t> by_natural_name(const cluster& c, std::vector<std::uint32_t> hosts) {
  std::sort(hosts.begin(), hosts.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (natural_less(c.hosts[a].name, c.hosts[b].name)) return true;
    return !natural_less(c.hosts[b].name, c.hosts[a].name) && a < b;
  });
  return hosts;
}

}  // namespace topoplan::inline v1::detail
