// Noting in a finding where a rule is broken: all places are counted, the first few described.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/solve/detail/seating.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

inline constexpr std::size_t shown_breaches = 4;
inline constexpr std::size_t shown_members = 64;

// "gpu-017:gpu3".
[[nodiscard]] inline std::string gpu_name(const cluster& c, std::uint32_t g) {
  return c.hosts[c.gpus[g].host.value].name + ":gpu" + std::to_string(c.gpus[g].index);
}

// Describes a breach by the ranks that show it.
inline void show_breach(finding& f, const seating& seats, const std::vector<std::uint32_t>& ranks, std::string text) {
  breach b;
  for (std::size_t i = 0; i < std::min(ranks.size(), shown_members); ++i) {
    b.ranks.emplace_back(ranks[i]);
    b.gpus.emplace_back(seats[ranks[i]].gpu);
  }
  b.text = std::move(text);
  f.breaches.push_back(std::move(b));
}

// Counts a breach and, if it is among the first, describes it in the words that `text` makes.
template <class Text>
void note_breach(finding& f, const seating& seats, const std::vector<std::uint32_t>& ranks, const Text& text) {
  ++f.broken;
  f.kept = false;
  if (f.breaches.size() < shown_breaches) show_breach(f, seats, ranks, text());
}

}  // namespace topoplan::inline v1::detail
