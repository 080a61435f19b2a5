// Clusters written by hand for the solver's tests, and a search that compares every placement.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/solve/metrics.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan_test {

// How the GPUs of a host share NVLink.
enum class nvlink { host, pairs, none, rack };

// A small cluster: pods of leaf groups of hosts.
struct shape {
  std::vector<std::vector<std::uint32_t>> pods;  // hosts of every leaf group
  std::uint16_t gpus = 2;                        // a host
  nvlink domains = nvlink::host;
  std::uint32_t hosts_per_rack = 1;  // of nvlink::rack; racks don't cross leaf groups
};

inline topoplan::cluster make(const shape& s) {
  topoplan::cluster c;
  c.name = "test";
  c.gpu_models = {"test GPU"};
  c.rails = s.gpus;
  c.tiers.resize(s.pods.size() > 1 ? 3 : 2);
  c.tiers[0].name = "leaf";
  c.tiers[1].name = "pod";
  if (s.pods.size() > 1) c.tiers[2] = {.name = "core", .nodes = {{"core1", 0}}, .from = {}};
  for (std::uint32_t p = 0; p < s.pods.size(); ++p) {
    c.tiers[1].nodes.push_back({"pod" + std::to_string(p + 1), 0});
    for (const std::uint32_t hosts : s.pods[p]) {
      const auto leaf = static_cast<std::uint32_t>(c.tiers[0].nodes.size());
      c.tiers[0].nodes.push_back({"leaf" + std::to_string(leaf + 1), p});
      for (std::uint32_t i = 0; i < hosts; ++i) {
        topoplan::host h;
        h.name = "h" + std::to_string(c.hosts.size() + 1);
        h.leaf = leaf;
        h.first_gpu = static_cast<std::uint32_t>(c.gpus.size());
        h.gpu_count = s.gpus;
        const auto id = static_cast<std::uint32_t>(c.hosts.size());
        if (s.domains == nvlink::host || (s.domains == nvlink::rack && i % s.hosts_per_rack == 0)) ++c.domains;
        for (std::uint16_t g = 0; g < s.gpus; ++g) {
          if (s.domains == nvlink::none || (s.domains == nvlink::pairs && g % 2 == 0)) ++c.domains;
          topoplan::gpu made;
          made.host = topoplan::host_id{id};
          made.domain = topoplan::domain_id{c.domains - 1};
          made.index = g;
          made.rail = g;
          c.gpus.push_back(made);
        }
        c.hosts.push_back(std::move(h));
      }
    }
  }
  return c;
}

// The same cluster with its hosts in another order (hosts[i] of the result is hosts[order[i]] of c), names kept.
inline topoplan::cluster reordered(const topoplan::cluster& c, const std::vector<std::uint32_t>& order) {
  topoplan::cluster made = c;
  made.hosts.clear();
  made.gpus.clear();
  for (const std::uint32_t from : order) {
    topoplan::host h = c.hosts[from];
    const auto id = static_cast<std::uint32_t>(made.hosts.size());
    for (std::uint32_t g = h.first_gpu; g < h.first_gpu + h.gpu_count; ++g) {
      made.gpus.push_back(c.gpus[g]);
      made.gpus.back().host = topoplan::host_id{id};
    }
    h.first_gpu = static_cast<std::uint32_t>(made.gpus.size()) - h.gpu_count;
    made.hosts.push_back(std::move(h));
  }
  return made;
}

// Gives every GPU of a host a domain of its own.
inline void scatter(topoplan::cluster& c, std::uint32_t host) {
  for (std::uint32_t g = c.hosts[host].first_gpu + 1; g < c.hosts[host].first_gpu + c.hosts[host].gpu_count; ++g)
    c.gpus[g].domain = topoplan::domain_id{c.domains++};
}

inline void kill_gpu(topoplan::cluster& c, std::uint32_t host, std::uint32_t index) {
  c.gpus[c.hosts[host].first_gpu + index].health = topoplan::gpu_health::unhealthy;
}

}  // namespace topoplan_test
