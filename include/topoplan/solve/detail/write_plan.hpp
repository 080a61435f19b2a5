// Turns the GPU of every rank into the rank map and the notes of a plan.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/digest.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/rank_map/rank_map.hpp>
#include <topoplan/solve/detail/breaches.hpp>
#include <topoplan/solve/detail/wording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Every healthy GPU without a rank on a host that isn't cordoned, host by host. complexity: O(GPUs).
[[nodiscard]] inline std::vector<spare> spares_of(const cluster& c, const std::vector<std::uint32_t>& gpu_of_rank) {
  std::vector<bool> taken(c.gpus.size(), false);
  for (const std::uint32_t g : gpu_of_rank) taken[g] = true;
  std::vector<spare> spares;
  for (const host_id h : c.all_hosts()) {
    std::vector<std::uint16_t> free;
    for (const gpu_id g : c.gpus_of(h))
      if (!taken[g.value] && c.usable(g)) free.push_back(c.at(g).index);
    if (!free.empty()) spares.push_back({c.at(h).name, std::move(free)});
  }
  return spares;
}

// pre: every rank has a GPU of its own. complexity: O(ranks + GPUs + hosts log hosts).
[[nodiscard]] inline rank_map written_map(const cluster& c, const layout& l, const std::vector<std::uint32_t>& gpu_of_rank) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> place(c.hosts.size(), none);  // in launch order
  std::vector<std::string> hosts;
  rank_columns columns;
  columns.host.reserve(gpu_of_rank.size());
  columns.gpu.reserve(gpu_of_rank.size());
  columns.domain.reserve(gpu_of_rank.size());
  bool numa = false;
  for (const std::uint32_t g : gpu_of_rank) {
    const gpu& at = c.gpus[g];
    if (place[at.host.value] == none) {
      place[at.host.value] = static_cast<std::uint32_t>(hosts.size());
      hosts.push_back(c.at(at.host).name);
    }
    columns.host.push_back(place[at.host.value]);
    columns.gpu.push_back(at.index);
    columns.domain.push_back(at.domain.value);
    numa = numa || at.numa >= 0;
  }
  const auto fill = [&](auto& column, const auto& value) {
    column.reserve(gpu_of_rank.size());
    for (const std::uint32_t g : gpu_of_rank) column.push_back(value(g));
  };
  fill(columns.rail, [&](std::uint32_t g) { return c.gpus[g].rail; });
  if (numa) fill(columns.numa, [&](std::uint32_t g) { return c.gpus[g].numa; });
  if (!c.uuid.empty()) fill(columns.uuid, [&](std::uint32_t g) { return c.uuid[g]; });
  if (!c.pci.empty()) fill(columns.pci, [&](std::uint32_t g) { return c.pci[g]; });
  return rank_map(l, hosts, columns, spares_of(c, gpu_of_rank), {digest(c), 0});
}

// GPUs and hosts that may hold no rank, named. complexity: O(GPUs).
[[nodiscard]] inline std::vector<std::string> exclusions(const cluster& c) {
  std::vector<std::string> unhealthy;
  std::vector<std::string> cordoned;
  for (const host_id h : c.all_hosts()) {
    if (c.at(h).cordoned) {
      cordoned.push_back(c.at(h).name);
      continue;
    }
    for (const gpu_id g : c.gpus_of(h))
      if (!c.usable(g)) unhealthy.push_back(gpu_name(c, g.value));
  }
  std::vector<std::string> notes;
  if (!unhealthy.empty()) notes.push_back("unhealthy, without a rank: " + list_of(unhealthy, 16));
  if (!cordoned.empty()) notes.push_back("cordoned, without a rank: " + list_of(cordoned, 16));
  return notes;
}

}  // namespace topoplan::inline v1::detail
