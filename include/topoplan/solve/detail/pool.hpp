// The hosts that one job may use together: below one network root, of one GPU model, with domains that nest.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/wording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Which of the two contains the other. Where every host is a domain, host_in_domain.
enum class nesting : std::uint8_t { host_in_domain, domain_in_host };

struct pool {
  std::vector<std::uint32_t> hosts;  // with a usable GPU, in the order of the cluster
  std::uint64_t usable = 0;          // GPUs
  nesting nest = nesting::host_in_domain;
  bool domain_is_host = true;  // every domain is one host
  std::uint32_t root = 0;
  std::uint16_t model = 0;
};

[[nodiscard]] inline std::uint32_t usable_on(const cluster& c, std::uint32_t h) {
  std::uint32_t n = 0;
  for (const gpu_id g : c.gpus_of(host_id{h})) n += c.usable(g) ? 1U : 0U;
  return n;
}

// Why the domains of a pool can't be treated, or nothing; sets pool::nest and domain_is_host.
// complexity: O(GPUs of the pool + domains of the cluster).
[[nodiscard]] inline std::optional<refusal> settle_nesting(const cluster& c, pool& p) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> host_of(c.domains, none);
  std::vector<bool> shared(c.domains, false);
  std::optional<std::uint32_t> split;  // a host with several domains
  std::optional<std::uint32_t> wide;   // a domain with several hosts
  const auto refuse = [&](std::string reason, std::string where) {
    return refusal{"nested NVLink domains", std::move(reason), std::move(where),
                   "describe the NVLink domains so that each lies in one leaf group and either holds whole hosts or lies in one "
                   "host",
                   false};
  };
  for (const std::uint32_t h : p.hosts) {
    for (const gpu_id g : c.gpus_of(host_id{h})) {
      if (!c.usable(g)) continue;
      const std::uint32_t d = c.at(g).domain.value;
      if (host_of[d] == none) host_of[d] = h;
      if (host_of[d] == h) continue;
      shared[d] = true;
      wide = d;
      if (c.hosts[host_of[d]].leaf != c.hosts[h].leaf)
        return refuse("this solver can't place on an NVLink domain that spans leaf groups",
                      c.name_of(domain_id{d}) + " holds " + c.hosts[host_of[d]].name + " below " +
                          c.tiers[0].nodes[c.hosts[host_of[d]].leaf].name + " and " + c.hosts[h].name + " below " +
                          c.tiers[0].nodes[c.hosts[h].leaf].name);
    }
  }
  for (const std::uint32_t h : p.hosts) {
    std::uint32_t first = none;
    bool several = false;
    bool reaches_out = false;
    for (const gpu_id g : c.gpus_of(host_id{h})) {
      if (!c.usable(g)) continue;
      const std::uint32_t d = c.at(g).domain.value;
      if (first == none) first = d;
      several = several || d != first;
      reaches_out = reaches_out || shared[d];
    }
    if (several) split = h;
    if (several && reaches_out)
      return refuse("this solver can't place on an NVLink domain that crosses a host's border without holding the whole host",
                    c.hosts[h].name + " has several domains, and one of them holds GPUs of another host");
  }
  if (split && wide)
    return refuse("this solver can't mix hosts with several NVLink domains and domains with several hosts in one job",
                  c.hosts[*split].name + " has several domains, " + c.name_of(domain_id{*wide}) + " several hosts");
  p.domain_is_host = !split && !wide;
  p.nest = split ? nesting::domain_in_host : nesting::host_in_domain;
  return std::nullopt;
}

// The pools of a cluster, by network root and GPU model, largest first. complexity: O(hosts * tiers + GPUs).
[[nodiscard]] inline std::vector<pool> pools_of(const cluster& c, const network& net) {
  std::vector<pool> pools;
  for (std::uint32_t h = 0; h < c.hosts.size(); ++h) {
    const std::uint32_t usable = usable_on(c, h);
    if (usable == 0) continue;
    const std::uint32_t root = net.root(h);
    const auto same = [&](const pool& p) { return p.root == root && p.model == c.hosts[h].model; };
    auto found = std::find_if(pools.begin(), pools.end(), same);
    if (found == pools.end()) {
      pools.push_back({.hosts = {}, .root = root, .model = c.hosts[h].model});
      found = pools.end() - 1;
    }
    found->hosts.push_back(h);
    found->usable += usable;
  }
  std::sort(pools.begin(), pools.end(), [](const pool& a, const pool& b) {
    return std::pair(b.usable, a.hosts.front()) < std::pair(a.usable, b.hosts.front());
  });
  return pools;
}

}  // namespace topoplan::inline v1::detail
