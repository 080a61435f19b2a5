// Whether the groups of a job keep their traffic on one rail.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/solve/detail/breaches.hpp>
#include <topoplan/solve/detail/edges.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/wording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1::detail {

// A group that leaves its NVLink domain keeps its rails if it uses the same rails on each of its hosts, so that every NIC finds
// its peer on its own plane.
[[nodiscard]] inline finding check_rails(const cluster& c, const layout& l, const seating& seats) {
  finding f{.rule = "rails aligned", .hard = false, .breaches = {}, .text = {}};
  std::vector<std::uint64_t> pairs;  // host << 16 | rail
  std::vector<std::uint32_t> members;
  const auto aligned = [&](const edge_axis& a, std::uint32_t first) {
    bool same_rail = true;
    bool same_domain = true;
    const std::uint16_t rail = c.gpus[seats[first].gpu].rail;
    for (std::uint32_t i = 1; i < a.degree; ++i) {
      const seat& s = seats[first + i * a.stride];
      same_rail = same_rail && c.gpus[s.gpu].rail == rail;
      same_domain = same_domain && s.domain == seats[first].domain;
    }
    if (same_rail || same_domain) return true;
    pairs.clear();
    for (std::uint32_t i = 0; i < a.degree; ++i) {
      const seat& s = seats[first + i * a.stride];
      pairs.push_back(std::uint64_t{s.host} << 16U | c.gpus[s.gpu].rail);
    }
    std::sort(pairs.begin(), pairs.end());
    const auto host_at = [&](std::size_t i) { return pairs[i] >> 16U; };
    std::size_t width = 0;
    while (width < pairs.size() && host_at(width) == host_at(0)) ++width;
    if (pairs.size() % width != 0) return false;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if ((pairs[i] & 0xffffU) != (pairs[i % width] & 0xffffU) || host_at(i) != host_at(i - i % width)) return false;
    return true;
  };
  for (const edge_axis& a : edge_axes(l, prices{})) {
    for (std::uint32_t block = 0; block < l.world(); block += a.stride * a.degree)
      for (std::uint32_t i = 0; i < a.stride; ++i) {
        ++f.checked;
        if (aligned(a, block + i)) continue;
        members.clear();
        for (std::uint32_t m = 0; m < a.degree; ++m) members.push_back(block + i + m * a.stride);
        note_breach(f, seats, members, [&] {
          return std::string(to_string(a.of)) + " group of ranks " + ranges_of(members) +
                 " uses different rails on its hosts, from " + gpu_name(c, seats[members.front()].gpu) + " to " +
                 gpu_name(c, seats[members.back()].gpu);
        });
      }
  }
  f.text = f.kept ? "every group that leaves its NVLink domain uses the same rails on all of its hosts"
                  : std::to_string(f.broken) + " of " + count_of(f.checked, "group") +
                        " use different rails on their hosts, so their traffic crosses rails";
  return f;
}

}  // namespace topoplan::inline v1::detail
