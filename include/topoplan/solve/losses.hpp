// What a cluster has lost, by the names that people know: hosts, GPUs, switches, a rail.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// What is lost.
struct losses {
  std::vector<std::string> hosts = {};    // names
  std::vector<std::string> gpus = {};     // "gpu-017:3": host and index in PCI order
  std::vector<std::string> tiers = {};    // tier nodes by name, such as a leaf group whose switches are gone: all hosts below
  std::vector<std::uint16_t> rails = {};  // whose NICs reach nobody: every GPU that sends by one
};

namespace detail {

[[nodiscard]] inline host_id host_named(const cluster& c, std::string_view name) {
  for (const host_id h : c.all_hosts())
    if (c.at(h).name == name) return h;
  throw invalid_argument("cluster " + quoted(c.name) + " has no host " + quoted(name));
}

}  // namespace detail

// The GPUs that are lost, ascending, each once. A GPU whose rail is lost can't leave its host, so no rank can use it.
// complexity: O(names * (hosts + tier nodes) + GPUs). errors: invalid_argument for a name, index or rail that the cluster doesn't
// have, with what it has.
[[nodiscard]] inline std::vector<gpu_id> lost_gpus(const cluster& c, const losses& lost) {
  std::vector<bool> gone(c.gpus.size(), false);
  const auto lose_host = [&](host_id h) {
    for (const gpu_id g : c.gpus_of(h)) gone[g.value] = true;
  };
  for (const std::string& name : lost.hosts) lose_host(detail::host_named(c, name));
  for (const std::string& name : lost.gpus) {
    const std::size_t colon = name.rfind(':');
    std::uint32_t index = 0;
    const char* first = name.data() + (colon == std::string::npos ? name.size() : colon + 1);
    const auto [end, wrong] = std::from_chars(first, name.data() + name.size(), index);
    if (colon == std::string::npos || wrong != std::errc{} || end != name.data() + name.size())
      throw invalid_argument("can't read GPU " + quoted(name) + "; write HOST:INDEX, such as gpu-017:3");
    const host& h = c.at(detail::host_named(c, std::string_view(name).substr(0, colon)));
    if (index >= h.gpu_count)
      throw invalid_argument("host " + quoted(h.name) + " has GPUs 0 to " + std::to_string(h.gpu_count - 1) + ", not " +
                             std::to_string(index));
    gone[h.first_gpu + index] = true;
  }
  for (const std::string& name : lost.tiers) {
    bool found = false;
    for (std::size_t t = 0; t < c.tiers.size(); ++t)
      for (std::uint32_t n = 0; n < c.tiers[t].nodes.size(); ++n) {
        if (c.tiers[t].nodes[n].name != name) continue;
        found = true;
        for (const host_id h : c.all_hosts())
          if (c.ancestor(h, t) == n) lose_host(h);
      }
    if (found) continue;
    std::string known;
    for (const tier_node& n : c.tiers[0].nodes) {
      if (known.size() > 200) {
        known += ", ...";
        break;
      }
      (known += known.empty() ? "" : ", ") += n.name;
    }
    throw invalid_argument("the network of cluster " + quoted(c.name) + " has no " + quoted(name) + "; its leaf groups are " +
                           known);
  }
  for (const std::uint16_t rail : lost.rails) {
    if (rail >= c.rails)
      throw invalid_argument("cluster " + quoted(c.name) + " has rails 0 to " + std::to_string(c.rails - 1) + ", not " +
                             std::to_string(rail));
    for (const gpu_id g : c.all_gpus())
      if (c.at(g).rail == rail) gone[g.value] = true;
  }
  std::vector<gpu_id> all;
  for (const gpu_id g : c.all_gpus())
    if (gone[g.value]) all.push_back(g);
  return all;
}

// The cluster without them: they are unhealthy. complexity: O(GPUs). errors: none.
[[nodiscard]] inline cluster without(cluster c, const std::vector<gpu_id>& lost) {
  for (const gpu_id g : lost) c.gpus[g.value].health = gpu_health::unhealthy;
  return c;
}

}  // namespace topoplan::inline v1
