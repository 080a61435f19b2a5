// Rank maps for tests: seeded, of all the shapes that a map may have.
#pragma once

#include <topoplan/rank_map/rank_map.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"

namespace topoplan_test {

// What a rank map is made of, to compare its accessors with.
struct rank_map_parts {
  topoplan::layout layout;
  std::vector<std::string> hosts;
  topoplan::rank_columns columns;
  std::vector<topoplan::spare> spares;
  topoplan::digests made_for;

  [[nodiscard]] topoplan::rank_map build() const { return {layout, hosts, columns, spares, made_for}; }
};

// Full hosts in order, GPUs in PCI order, one domain a host.
inline rank_map_parts regular_parts(const topoplan::degrees& d, std::uint32_t hosts, std::uint16_t gpus_per_host) {
  rank_map_parts parts{
      topoplan::layout(topoplan::resolve(d, std::uint64_t{hosts} * gpus_per_host), topoplan::orders::megatron), {}, {}, {}, {}};
  for (std::uint32_t h = 0; h < hosts; ++h) {
    parts.hosts.push_back("gpu-" + std::to_string(1000 + h * 7));
    for (std::uint16_t g = 0; g < gpus_per_host; ++g) {
      parts.columns.host.push_back(h);
      parts.columns.gpu.push_back(g);
      parts.columns.domain.push_back(h);
    }
  }
  return parts;
}

// Uneven hosts, permuted GPUs, spares on and off the hosts in use, optional columns; ranks of a host consecutive or not.
inline rank_map_parts random_parts(random& numbers, bool contiguous) {
  const auto world = static_cast<std::uint32_t>(numbers.between(1, 12) * 4);
  std::vector<std::uint32_t> seat_host;
  std::vector<std::uint16_t> seat_gpu;
  rank_map_parts parts{topoplan::layout(topoplan::resolve({.tp = 2, .pp = 2}, world), topoplan::orders::megatron),
                       {},
                       {},
                       {},
                       {numbers.next(), 7}};
  std::uint32_t host = 0;
  for (std::uint32_t left = world; left != 0; ++host) {
    std::vector<std::uint16_t> gpus{0, 1, 2, 3, 4, 5, 6, 7};
    numbers.shuffle(gpus);
    const auto taken = static_cast<std::uint32_t>(numbers.between(1, left < 8 ? left : 8));
    for (std::uint32_t i = 0; i < taken; ++i) {
      seat_host.push_back(host);
      seat_gpu.push_back(gpus[i]);
    }
    left -= taken;
    const std::string name = "h" + std::to_string(numbers.below(1000)) + "-" + std::to_string(host);
    parts.hosts.push_back(name);
    if (taken < 8 && numbers.below(2) == 0) parts.spares.push_back({name, {gpus.begin() + taken, gpus.end()}});
  }
  if (numbers.below(2) == 0) parts.spares.push_back({"idle host", {0, 1, 2, 3}});

  std::vector<std::uint32_t> seats(world);
  for (std::uint32_t i = 0; i < world; ++i) seats[i] = i;
  if (!contiguous) numbers.shuffle(seats);
  std::vector<std::uint32_t> launch_order(host, host);  // of each host, `host` where not met yet
  std::vector<std::string> ordered;
  for (const std::uint32_t seat : seats) {
    std::uint32_t& place = launch_order[seat_host[seat]];
    if (place == host) {
      place = static_cast<std::uint32_t>(ordered.size());
      ordered.push_back(parts.hosts[seat_host[seat]]);
    }
    parts.columns.host.push_back(place);
    parts.columns.gpu.push_back(seat_gpu[seat]);
    parts.columns.domain.push_back(place / 2 + 3);
  }
  parts.hosts = ordered;
  if (numbers.below(2) == 0) {
    for (std::uint32_t r = 0; r < world; ++r) {
      parts.columns.rail.push_back(parts.columns.gpu[r]);
      parts.columns.numa.push_back(static_cast<std::int16_t>(numbers.between(0, 2)) - 1);
      parts.columns.uuid.push_back("GPU-" + std::to_string(numbers.next()));
      parts.columns.pci.push_back("0000:" + std::to_string(10 + parts.columns.gpu[r]) + ":00.0");
    }
  }
  return parts;
}

}  // namespace topoplan_test
