// The hosts of a cluster that is put together: which they are, what they bring, and what keeps them from use.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/detail/compose_class.hpp>
#include <topoplan/import/detail/compose_tiers.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/host_state.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/network_tree.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import::detail {

// More than any job takes; a mistyped list of hosts times GPUs is refused before it takes memory.
inline constexpr std::size_t compose_max_gpus = std::size_t{1} << 22U;

// The hosts that the network names, as if a file listed them.
[[nodiscard]] inline host_list all_of(const network_tree& network) {
  host_list list{network.source, {}};
  for (const network_host& host : network.hosts) list.hosts.push_back({host.name, host.line, {}});
  return list;
}

// The hosts that a table of domains names, as if a file listed them.
[[nodiscard]] inline host_list all_of(const domain_table& domains) {
  host_list list{domains.source, {}};
  for (const domain_host& host : domains.hosts) list.hosts.push_back({host.name, host.line, {}});
  return list;
}

// errors: invalid_argument for parts that name no host.
[[nodiscard]] inline host_list list_of(const cluster_parts& parts) {
  if (!parts.hosts.hosts.empty()) return parts.hosts;
  host_list list;
  if (parts.network) list = all_of(*parts.network);
  else if (parts.domains) list = all_of(*parts.domains);
  if (list.hosts.empty()) {
    throw invalid_argument(
        "no hosts: neither an allocation (--hosts) nor a network (--network) nor NVLink domains (--domains) name any");
  }
  return list;
}

inline void check_options(const compose_options& options) {
  if (!(options.nic_gigabits >= 0) || !std::isfinite(options.nic_gigabits)) {
    throw invalid_argument("--nic is a rate in Gb/s, more than 0; it is " + std::to_string(options.nic_gigabits));
  }
}

// errors: invalid_argument for two names of one host: short and full, or in another case.
inline void refuse_twins(const host_list& list) {
  host_names seen;
  for (std::uint32_t i = 0; i < list.hosts.size(); ++i) {
    const auto match = seen.find(list.hosts[i].name);
    if (!match.none()) {
      const listed_host& first = list.hosts[match.hosts.front()];
      throw invalid_argument(place_of(list.source, list.hosts[i].line) + ": " + list.hosts[i].name + " and " + first.name + " (" +
                             place_of(list.source, first.line) + ") are one host by their names; give full names if they aren't");
    }
    seen.add(list.hosts[i].name, i);
  }
}

// Cordons hosts that a scheduler keeps from use. errors: invalid_argument where it counts other GPUs than the node shows.
class state_check {
 public:
  explicit state_check(const std::optional<host_states>& states) : states_(states ? &*states : nullptr) {
    for (std::uint32_t i = 0; states_ != nullptr && i < states_->hosts.size(); ++i) names_.add(states_->hosts[i].name, i);
  }

  void apply(cluster& c, host_id id, const node_topology& node) const {
    if (states_ == nullptr) return;
    host& h = c.hosts[id.value];
    const auto match = names_.find(h.name);
    if (match.hosts.size() != 1) return;
    const host_state& state = states_->hosts[match.hosts.front()];
    const std::string place = place_of(states_->source, state.line);
    if (state.gpus && *state.gpus != node.gpus.size()) {
      throw invalid_argument(place + " and " + node.source + " disagree: host " + h.name + " has " + counted(*state.gpus, "GPU") +
                             " there, " + std::to_string(node.gpus.size()) + " here");
    }
    std::string why = state.cordoned;
    if (why.empty() && state.usable && *state.usable < node.gpus.size()) {
      why = "only " + std::to_string(*state.usable) + " of " + counted(node.gpus.size(), "GPU") +
            " may be used, and which isn't said";
    }
    if (why.empty()) return;
    h.cordoned = true;
    c.notes.push_back(place + ": host " + h.name + " takes no rank: " + why);
  }

 private:
  const host_states* states_;
  host_names names_;
};

// The classes that hosts of the list are of: only these make the cluster. post: a note for each that none is of.
[[nodiscard]] inline std::vector<std::uint32_t> classes_of(const host_list& list, const std::vector<node_class>& classes,
                                                           std::vector<std::string>& notes) {
  const class_of_host find(classes);
  std::vector<std::uint32_t> of_host;
  std::vector<bool> used(classes.size(), false);
  for (const listed_host& host : list.hosts) {
    of_host.push_back(find(host.name));
    used[of_host.back()] = true;
  }
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (used[k]) continue;
    notes.push_back(
        classes[k].node.source + ": no host of the cluster looks like it" +
        (classes[k].hosts.hosts.empty() ? "" : ": none of " + classes[k].hosts.hosts.front().name + "... is in " + list.source));
  }
  return of_host;
}

// Counts the hosts whose list gives them fewer slots than GPUs. errors: invalid_argument for a host with more.
class slot_check {
 public:
  explicit slot_check(const host_list& list) : list_(list) {}

  void add(const listed_host& host, const node_topology& node) {
    if (!host.slots) return;
    if (*host.slots > node.gpus.size()) {
      throw invalid_argument(place_of(list_.source, host.line) + ": " + host.name + " has " + std::to_string(*host.slots) +
                             " slots, and " + node.source + " shows " + std::to_string(node.gpus.size()) + " GPUs a host");
    }
    fewer_ += *host.slots < node.gpus.size() ? 1U : 0U;
  }
  void finish(cluster& c) const {
    if (fewer_ == 0) return;
    c.notes.push_back(list_.source + ": " + std::to_string(fewer_) +
                      " hosts have fewer slots than GPUs; slots are ignored, all GPUs count");
  }

 private:
  const host_list& list_;
  std::size_t fewer_ = 0;
};

// Adds a host and its GPUs, which have no domain yet. errors: invalid_argument for more GPUs than any job takes.
inline host_id add_host(cluster& c, const std::string& name, const class_figures& like, std::uint16_t model) {
  const node_topology& node = *like.node;
  const host_id id{static_cast<std::uint32_t>(c.hosts.size())};
  if (c.gpus.size() + node.gpus.size() > compose_max_gpus) {
    throw invalid_argument("more than " + std::to_string(compose_max_gpus) + " GPUs, with host " + name);
  }
  host h;
  h.name = name;
  h.first_gpu = static_cast<std::uint32_t>(c.gpus.size());
  h.gpu_count = static_cast<std::uint16_t>(node.gpus.size());
  h.model = model;
  c.hosts.push_back(h);
  for (std::uint32_t g = 0; g < node.gpus.size(); ++g) {
    gpu seat;
    seat.host = id;
    seat.index = static_cast<std::uint16_t>(g);
    seat.rail = like.rails.of_gpu[g];
    const auto numa = node.gpus[g].numa;
    seat.numa = numa && *numa <= 32767 ? static_cast<std::int16_t>(*numa) : std::int16_t{-1};
    if (!node.gpus[g].fault.empty()) seat.health = gpu_health::unhealthy;
    c.gpus.push_back(seat);
  }
  return id;
}

// Addresses and UUIDs are known where every class is one host.
inline void add_addresses(cluster& c, const std::vector<std::uint32_t>& class_of, const std::vector<class_figures>& classes) {
  std::vector<std::size_t> hosts(classes.size());
  for (const auto k : class_of) ++hosts[k];
  if (std::any_of(hosts.begin(), hosts.end(), [](std::size_t n) { return n > 1; })) return;
  bool pci = false;
  bool uuid = false;
  for (const auto k : class_of) {
    for (const node_gpu& gpu : classes[k].node->gpus) {
      pci = pci || !gpu.pci.empty();
      uuid = uuid || !gpu.uuid.empty();
    }
  }
  for (const auto k : class_of) {
    for (const node_gpu& gpu : classes[k].node->gpus) {
      if (pci) c.pci.push_back(gpu.pci);
      if (uuid) c.uuid.push_back(gpu.uuid);
    }
  }
}

}  // namespace topoplan::inline v1::import::detail
