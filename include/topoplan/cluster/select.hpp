// Parts of a cluster: an allocation's hosts, hosts left out, GPUs and hosts that hold no rank.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/detail/near.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1 {

// A range of host names: std::string, std::string_view, const char*.
template <class Names>
concept host_names = requires(const Names& names) {
  std::begin(names) != std::end(names);
  std::string_view(*std::begin(names));
};

namespace detail {

using host_index = std::unordered_map<std::string_view, std::uint32_t>;

[[nodiscard]] inline host_index index_hosts(const cluster& c) {
  host_index index;
  index.reserve(c.hosts.size());
  for (std::uint32_t h = 0; h < c.hosts.size(); ++h) index.emplace(c.hosts[h].name, h);
  return index;
}

// The sentence on names that the cluster doesn't have: the first few of them, each with what it may have meant.
[[nodiscard]] inline std::string unknown_hosts(const cluster& c, const std::vector<std::string_view>& missing) {
  std::vector<std::string_view> known;
  for (const host& h : c.hosts) known.push_back(h.name);
  std::string text = c.name + " has no host ";
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < missing.size() && i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + quoted(missing[i]);
    const std::vector<std::string> near = near_names(missing[i], known);
    if (!near.empty()) text += " (did you mean " + listed(near) + "?)";
  }
  if (missing.size() > shown) text += " and " + std::to_string(missing.size() - shown) + " more";
  return text;
}

// The hosts of those names, in their order. errors: invalid_argument for unknown and repeated names.
template <host_names Names> [[nodiscard]] std::vector<host_id> hosts_named(const cluster& c, const Names& names) {
  const host_index index = index_hosts(c);
  std::vector<host_id> found;
  std::vector<bool> taken(c.hosts.size(), false);
  std::vector<std::string_view> missing;
  for (const auto& name : names) {
    const auto at = index.find(std::string_view(name));
    if (at == index.end()) {
      missing.emplace_back(name);
      continue;
    }
    if (taken[at->second]) throw invalid_argument("host " + quoted(name) + " is named twice");
    taken[at->second] = true;
    found.emplace_back(at->second);
  }
  if (!missing.empty()) throw invalid_argument(unknown_hosts(c, missing));
  return found;
}

// Gives each number that is met the next new number.
class renumbering {
 public:
  explicit renumbering(std::size_t count) : to_(count, none) {}
  [[nodiscard]] std::uint32_t operator()(std::uint32_t old) {
    if (to_[old] == none) {
      to_[old] = static_cast<std::uint32_t>(from_.size());
      from_.push_back(old);
    }
    return to_[old];
  }
  // The old numbers in the order of the new ones.
  [[nodiscard]] const std::vector<std::uint32_t>& kept() const noexcept { return from_; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> to_;
  std::vector<std::uint32_t> from_;
};

inline void keep_tiers(cluster& to, const cluster& from) {
  for (std::size_t t = 0; t < from.tiers.size(); ++t) {
    const bool last = t + 1 == from.tiers.size();
    const tier& old = from.tiers[t];
    // to.tiers[t] is already there for t > 0, with the numbers of its old nodes in `parent`.
    tier level{old.name, {}, old.oversubscription, old.sharp, old.from};
    renumbering nodes(old.nodes.size());
    if (t == 0) {
      for (host& h : to.hosts) h.leaf = nodes(h.leaf);
    } else {
      for (tier_node& below : to.tiers[t - 1].nodes) below.parent = nodes(below.parent);
    }
    for (const std::uint32_t node : nodes.kept()) level.nodes.push_back(old.nodes[node]);
    if (last)
      for (tier_node& node : level.nodes) node.parent = 0;
    to.tiers.push_back(std::move(level));
  }
}

}  // namespace detail

// The host of that name. complexity: O(hosts). errors: none (no value).
[[nodiscard]] inline std::optional<host_id> find_host(const cluster& c, std::string_view name) {
  for (const host_id h : c.all_hosts())
    if (c.at(h).name == name) return h;
  return std::nullopt;
}

// The cluster of just these hosts, in this order. Domains, leaf groups and wider groups that lose all their hosts go, the
// others are numbered by their first host; a domain that keeps some of its hosts stays one domain.
// pre: each id is below c.hosts.size() and stands once. post: validate(result) finds nothing if validate(c) does.
// complexity: O(hosts + GPUs). errors: invalid_argument when no host is named.
[[nodiscard]] inline cluster select_hosts(const cluster& c, std::span<const host_id> hosts) {
  if (hosts.empty()) throw invalid_argument("no host of " + c.name + " is selected");
  cluster to;
  to.name = c.name;
  to.rails = c.rails;
  to.gpu_models = c.gpu_models;
  to.fabric = c.fabric;
  to.nvlink = c.nvlink;
  to.pcie = c.pcie;
  to.nic = c.nic;
  to.notes = c.notes;
  detail::renumbering domains(c.domains);
  to.hosts.reserve(hosts.size());
  for (const host_id from : hosts) {
    host h = c.at(from);
    h.first_gpu = static_cast<std::uint32_t>(to.gpus.size());
    const host_id at{static_cast<std::uint32_t>(to.hosts.size())};
    for (const gpu_id id : c.gpus_of(from)) {
      gpu g = c.at(id);
      g.host = at;
      g.domain = domain_id{domains(g.domain.value)};
      to.gpus.push_back(g);
      if (!c.uuid.empty()) to.uuid.push_back(c.uuid[id.value]);
      if (!c.pci.empty()) to.pci.push_back(c.pci[id.value]);
    }
    to.hosts.push_back(std::move(h));
  }
  to.domains = static_cast<std::uint32_t>(domains.kept().size());
  if (!c.domain_names.empty())
    for (const std::uint32_t domain : domains.kept()) to.domain_names.push_back(c.domain_names[domain]);
  detail::keep_tiers(to, c);
  if (hosts.size() != c.hosts.size())
    to.notes.push_back(std::to_string(hosts.size()) + " of the " + std::to_string(c.hosts.size()) + " hosts of " + c.name);
  return to;
}

// The same by host names: std::string, std::string_view, ... in any range.
// complexity: O(hosts + GPUs). errors: invalid_argument that names unknown hosts, with near names, and repeated ones.
template <host_names Names> [[nodiscard]] cluster select_hosts(const cluster& c, const Names& names) {
  return select_hosts(c, std::span<const host_id>(detail::hosts_named(c, names)));
}

// The cluster without these hosts; the others keep their order. complexity: O(hosts + GPUs).
// errors: invalid_argument that names unknown hosts, with near names, and repeated ones; or when no host stays.
template <host_names Names> [[nodiscard]] cluster exclude_hosts(const cluster& c, const Names& names) {
  std::vector<bool> out(c.hosts.size(), false);
  for (const host_id h : detail::hosts_named(c, names)) out[h.value] = true;
  std::vector<host_id> kept;
  for (const host_id h : c.all_hosts())
    if (!out[h.value]) kept.push_back(h);
  if (kept.empty()) throw invalid_argument("all " + std::to_string(c.hosts.size()) + " hosts of " + c.name + " are excluded");
  return select_hosts(c, std::span<const host_id>(kept));
}

// The cluster with these hosts cordoned: they stay, and hold no rank. complexity: O(hosts).
// errors: invalid_argument that names unknown hosts, with near names, and repeated ones.
template <host_names Names> [[nodiscard]] cluster cordon_hosts(cluster c, const Names& names) {
  for (const host_id h : detail::hosts_named(c, names)) c.hosts[h.value].cordoned = true;
  return c;
}

// The cluster with one GPU marked unhealthy: it holds no rank. index: on its host. complexity: O(hosts).
// errors: invalid_argument that names the unknown host, with near names, or the GPUs that the host has.
[[nodiscard]] inline cluster mark_unhealthy(cluster c, std::string_view host_name, std::uint32_t index) {
  const host_id h = detail::hosts_named(c, std::span<const std::string_view>(&host_name, 1)).front();
  for (const gpu_id g : c.gpus_of(h)) {
    if (c.at(g).index != index) continue;
    c.gpus[g.value].health = gpu_health::unhealthy;
    return c;
  }
  throw invalid_argument("host " + quoted(host_name) + " has no GPU " + std::to_string(index) + "; it has " +
                         std::to_string(c.at(h).gpu_count) + ", counted from 0");
}

}  // namespace topoplan::inline v1
