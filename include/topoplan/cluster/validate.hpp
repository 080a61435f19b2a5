// The invariants of a cluster, and which of them is broken.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace topoplan::inline v1 {

namespace detail {

// Looks for the first broken invariant; each function returns a sentence or an empty text.
class cluster_check {
 public:
  explicit cluster_check(const cluster& c) : c_(c) {}

  [[nodiscard]] std::string first() const {
    using check = std::string (cluster_check::*)() const;
    for (const check one : {&cluster_check::hosts, &cluster_check::gpus, &cluster_check::domains, &cluster_check::nesting,
                            &cluster_check::tiers, &cluster_check::links, &cluster_check::columns}) {
      std::string found = (this->*one)();
      if (!found.empty()) return found;
    }
    return {};
  }

 private:
  [[nodiscard]] std::string host_text(std::size_t h) const {
    return "host " + std::to_string(h) + " (" + quoted(c_.hosts[h].name) + ")";
  }
  [[nodiscard]] static std::string of(std::uint64_t value, std::uint64_t count) {
    return std::to_string(value) + ", but there are " + std::to_string(count);
  }

  [[nodiscard]] std::string hosts() const {
    if (c_.hosts.empty()) return "a cluster has at least one host";
    if (c_.gpu_models.empty()) return "gpu_models is empty";
    std::unordered_map<std::string_view, std::size_t> names;
    names.reserve(c_.hosts.size());
    std::uint64_t next = 0;
    for (std::size_t h = 0; h < c_.hosts.size(); ++h) {
      const host& at = c_.hosts[h];
      if (at.name.empty()) return "host " + std::to_string(h) + " has no name";
      const auto [first, fresh] = names.emplace(at.name, h);
      if (!fresh)
        return "hosts " + std::to_string(first->second) + " and " + std::to_string(h) + " are both named " + quoted(at.name);
      if (at.gpu_count == 0) return host_text(h) + " has no GPU";
      if (at.first_gpu != next)
        return host_text(h) + " begins at GPU " + std::to_string(at.first_gpu) + ", the host before it ends at " +
               std::to_string(next);
      next += at.gpu_count;
      if (at.model >= c_.gpu_models.size()) return host_text(h) + " has GPU model " + of(at.model, c_.gpu_models.size());
    }
    if (next != c_.gpus.size())
      return "the hosts hold " + std::to_string(next) + " GPUs, but gpus lists " + std::to_string(c_.gpus.size());
    return {};
  }

  [[nodiscard]] std::string gpus() const {
    if (c_.rails == 0) return "rails is 0; a cluster has at least one";
    for (std::uint32_t h = 0; h < c_.hosts.size(); ++h) {
      for (std::uint32_t i = 0; i < c_.hosts[h].gpu_count; ++i) {
        const gpu& g = c_.gpus[c_.hosts[h].first_gpu + i];
        const auto says = [&](std::string text) {
          return "GPU " + std::to_string(i) + " of " + host_text(h) + " says " + std::move(text);
        };
        if (g.host.value != h) return says("that it is on host " + std::to_string(g.host.value));
        if (g.index != i) return says("that its index is " + std::to_string(g.index));
        if (g.domain.value >= c_.domains) return says("domain " + of(g.domain.value, c_.domains));
        if (g.rail >= c_.rails) return says("rail " + of(g.rail, c_.rails));
        if (g.numa < -1) return says("NUMA node " + std::to_string(g.numa) + "; -1 means unknown");
      }
    }
    return {};
  }

  [[nodiscard]] std::string domains() const {
    std::vector<bool> used(c_.domains, false);
    for (const gpu& g : c_.gpus) used[g.domain.value] = true;
    for (std::uint32_t d = 0; d < c_.domains; ++d)
      if (!used[d]) return "domain " + std::to_string(d) + " has no GPU";
    return {};
  }

  // A domain lies within one host, or consists of whole hosts.
  [[nodiscard]] std::string nesting() const {
    std::vector<std::uint32_t> host_of(c_.domains, 0);
    std::vector<bool> seen(c_.domains, false), wide(c_.domains, false);
    for (const gpu& g : c_.gpus) {
      const std::uint32_t d = g.domain.value;
      if (seen[d] && host_of[d] != g.host.value) wide[d] = true;
      seen[d] = true;
      host_of[d] = g.host.value;
    }
    for (const gpu& g : c_.gpus) {
      const std::uint32_t first = c_.gpus[c_.at(g.host).first_gpu].domain.value;
      if (g.domain.value == first || !(wide[g.domain.value] || wide[first])) continue;
      const std::uint32_t spanning = wide[first] ? first : g.domain.value;
      return "domain " + std::to_string(spanning) + " spans hosts, but " + host_text(g.host.value) +
             " has GPUs of another domain too";
    }
    return {};
  }

  [[nodiscard]] std::string tiers() const {
    if (c_.tiers.empty()) return "tiers is empty; a cluster whose network is unknown has one leaf group";
    for (std::size_t t = 0; t < c_.tiers.size(); ++t) {
      const tier& level = c_.tiers[t];
      const std::string text = "tier " + std::to_string(t) + " (" + quoted(level.name) + ")";
      if (level.name.empty()) return "tier " + std::to_string(t) + " has no name";
      if (level.nodes.empty()) return text + " has no groups";
      if (!std::isfinite(level.oversubscription) || level.oversubscription <= 0)
        return text + " has oversubscription " + std::to_string(level.oversubscription) + "; it is above 0";
      if (t + 1 == c_.tiers.size()) continue;
      for (std::size_t n = 0; n < level.nodes.size(); ++n)
        if (level.nodes[n].parent >= c_.tiers[t + 1].nodes.size())
          return "group " + std::to_string(n) + " of " + text + " has parent " +
                 of(level.nodes[n].parent, c_.tiers[t + 1].nodes.size()) + " groups in the next tier";
    }
    for (std::size_t h = 0; h < c_.hosts.size(); ++h)
      if (c_.hosts[h].leaf >= c_.tiers[0].nodes.size())
        return host_text(h) + " is in leaf group " + of(c_.hosts[h].leaf, c_.tiers[0].nodes.size());
    return {};
  }

  [[nodiscard]] std::string links() const {
    const bool several_hosts = c_.hosts.size() > 1;
    const bool wide_domain = c_.domains < c_.gpus.size();
    bool split_host = false;
    for (const gpu& g : c_.gpus) split_host = split_host || g.domain != c_.gpus[c_.at(g.host).first_gpu].domain;
    std::string found = link_text("nvlink", c_.nvlink, wide_domain, "a domain holds several GPUs");
    if (found.empty()) found = link_text("pcie", c_.pcie, split_host, "a host holds several domains");
    if (found.empty()) found = link_text("nic", c_.nic, several_hosts, "there are several hosts");
    return found;
  }
  [[nodiscard]] static std::string link_text(std::string_view name, const link& l, bool needed, std::string_view why) {
    const std::string text(name);
    if (!std::isfinite(l.rate.value) || l.rate.value < 0) return text + " has a rate that isn't a positive number";
    if (!std::isfinite(l.latency.value) || l.latency.value < 0) return text + " has a latency that isn't a number of seconds";
    if (needed && l.rate.value == 0) return text + " has rate 0, but " + std::string(why);
    return {};
  }

  [[nodiscard]] std::string columns() const {
    const auto wrong = [](std::string_view name, std::size_t size, std::uint64_t wanted, std::string_view things) {
      return size == 0 || size == wanted ? std::string{}
                                         : std::string(name) + " has " + std::to_string(size) + " entries for " +
                                               std::to_string(wanted) + " " + std::string(things);
    };
    std::string found = wrong("domain_names", c_.domain_names.size(), c_.domains, "domains");
    if (found.empty()) found = wrong("uuid", c_.uuid.size(), c_.gpus.size(), "GPUs");
    if (found.empty()) found = wrong("pci", c_.pci.size(), c_.gpus.size(), "GPUs");
    if (!found.empty()) return found;
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t g = 0; g < c_.uuid.size(); ++g) {
      if (c_.uuid[g].empty()) continue;
      const auto [first, fresh] = seen.emplace(c_.uuid[g], g);
      if (!fresh)
        return "GPUs " + std::to_string(first->second) + " and " + std::to_string(g) + " have the same UUID " +
               quoted(c_.uuid[g]);
    }
    return {};
  }

  const cluster& c_;
};

}  // namespace detail

// The first broken invariant of a cluster, as a sentence; nothing if all hold:
// - there is a host; every host has a name of its own, GPUs, and a GPU model that gpu_models lists;
// - gpus lists the GPUs of host 0, then of host 1, ..., each with index 0, 1, ... and the number of its host;
// - every GPU's domain and rail exist; every domain has a GPU; a domain lies within one host, or consists of whole hosts;
// - there is a tier; every tier has a name, groups, and an oversubscription above 0; hosts and groups name parents that exist;
// - rates and latencies are numbers, not negative; a rate that the cluster uses isn't 0;
// - domain_names, uuid and pci are empty or complete; no UUID stands twice.
// A domain may span leaf groups, and a group may be empty: neither is an error.
// complexity: O(hosts + GPUs + groups). errors: none.
[[nodiscard]] inline std::optional<std::string> validate(const cluster& c) {
  std::string found = detail::cluster_check(c).first();
  if (found.empty()) return std::nullopt;
  return found;
}

}  // namespace topoplan::inline v1
