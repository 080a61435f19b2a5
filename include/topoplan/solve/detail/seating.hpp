// Where every rank sits, and at which level two seats meet.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/rank_map/rank_map.hpp>
#include <topoplan/solve/objective.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace topoplan::inline v1::detail {

// What a GPU's place looks like to the objective.
struct seat {
  std::uint32_t gpu = 0;
  std::uint32_t domain = 0;
  std::uint32_t host = 0;
};

using seating = std::vector<seat>;  // by rank

[[nodiscard]] inline seat seat_of(const cluster& c, std::uint32_t g) { return {g, c.gpus[g].domain.value, c.gpus[g].host.value}; }

// complexity: O(ranks).
[[nodiscard]] inline seating seats_of(const cluster& c, const std::vector<std::uint32_t>& gpu_of_rank) {
  seating seats;
  seats.reserve(gpu_of_rank.size());
  for (const std::uint32_t g : gpu_of_rank) seats.push_back(seat_of(c, g));
  return seats;
}

// The seats of a rank map on a cluster; its own domain column isn't believed.
// complexity: O(hosts + ranks). errors: invalid_argument for a host or GPU that the cluster doesn't have.
[[nodiscard]] inline seating seats_of(const cluster& c, const rank_map_view& map) {
  std::unordered_map<std::string_view, std::uint32_t> by_name(c.hosts.size());
  for (std::uint32_t h = 0; h < c.hosts.size(); ++h) by_name.emplace(c.hosts[h].name, h);
  seating seats(map.world());
  for (std::uint32_t m = 0; m < map.hosts(); ++m) {
    const auto found = by_name.find(map.host_name(host_id{m}));
    if (found == by_name.end())
      throw invalid_argument("the rank map puts ranks on host " + quoted(map.host_name(host_id{m})) + ", which cluster " +
                             quoted(c.name) + " doesn't have");
    const host& h = c.hosts[found->second];
    for (const rank_id r : map.ranks_on(host_id{m})) {
      const std::uint32_t index = map.gpu_of(r);
      if (index >= h.gpu_count)
        throw invalid_argument("the rank map puts rank " + std::to_string(r.value) + " on GPU " + std::to_string(index) +
                               " of host " + quoted(h.name) + ", which has " + std::to_string(h.gpu_count) + " GPUs");
      seats[r.value] = seat_of(c, h.first_gpu + index);
    }
  }
  return seats;
}

// The network above the hosts as plain arrays.
class network {
 public:
  explicit network(const cluster& c) {
    leaf_of_host_.reserve(c.hosts.size());
    for (const host& h : c.hosts) leaf_of_host_.push_back(h.leaf);
    for (const tier& t : c.tiers) {
      std::vector<std::uint32_t> up;
      up.reserve(t.nodes.size());
      for (const tier_node& n : t.nodes) up.push_back(n.parent);
      parent_.push_back(std::move(up));
    }
  }

  [[nodiscard]] std::size_t tiers() const noexcept { return parent_.size(); }

  // The level at which two seats meet; meeting::first_tier + tiers() if they have no common network.
  // complexity: O(tiers).
  [[nodiscard]] std::size_t level(const seat& a, const seat& b) const noexcept {
    if (a.domain == b.domain) return meeting::domain;
    if (a.host == b.host) return meeting::host;
    std::uint32_t x = leaf_of_host_[a.host];
    std::uint32_t y = leaf_of_host_[b.host];
    for (std::size_t t = 0; t < parent_.size(); ++t) {
      if (x == y) return meeting::first_tier + t;
      x = parent_[t][x];
      y = parent_[t][y];
    }
    return meeting::first_tier + parent_.size();
  }

  // The node of the last tier above a host. complexity: O(tiers).
  [[nodiscard]] std::uint32_t root(std::uint32_t host) const noexcept {
    std::uint32_t x = leaf_of_host_[host];
    for (std::size_t t = 0; t + 1 < parent_.size(); ++t) x = parent_[t][x];
    return x;
  }

 private:
  std::vector<std::uint32_t> leaf_of_host_;
  std::vector<std::vector<std::uint32_t>> parent_;  // by tier
};

}  // namespace topoplan::inline v1::detail
