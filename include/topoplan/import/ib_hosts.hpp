// Which host each InfiniBand adapter belongs to: by its description, or by a table; what neither says is refused by name.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/ib_adapter_name.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/ib_host_table.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// An adapter of a host. In the port report of `ibnetdiscover -p` and in `iblinkinfo -l` each port is an adapter.
struct ib_adapter {
  std::uint32_t device = 0;
  std::string name;                       // mlx5_3, HCA-4; empty: not given
  std::optional<std::uint32_t> position;  // its number among the adapters of the host, from 0; mlx5_3 and HCA-4: 3

  friend bool operator==(const ib_adapter&, const ib_adapter&) = default;
};

// A host and the adapters that are its own.
struct ib_host {
  std::string name;
  std::vector<ib_adapter> adapters;  // by position, then by name, then by device

  friend bool operator==(const ib_host&, const ib_host&) = default;
};

// Adapters whose name tells no host.
struct ib_refusal {
  std::string name;                    // what they are called
  std::vector<std::uint32_t> devices;  // ascending
  std::string why;

  friend bool operator==(const ib_refusal&, const ib_refusal&) = default;
};

// A plain value. post: every adapter is in one host, or in one refusal, or an aggregation node.
struct ib_hosts {
  std::vector<ib_host> hosts;  // in the order in which the fabric names them
  std::vector<ib_refusal> refused;
  std::size_t aggregation_nodes = 0;  // adapters inside switches, which no host has
  std::vector<note> notes;

  friend bool operator==(const ib_hosts&, const ib_hosts&) = default;
};

namespace detail {

class ib_host_builder {
 public:
  ib_host_builder(const ib_fabric& fabric, const ib_host_table& table) : fabric_(fabric), table_(table) {}

  [[nodiscard]] ib_hosts build() {
    read_table();
    for (std::uint32_t device = 0; device < fabric_.devices.size(); ++device) place(device);
    join_short_names();
    refuse_twins();
    std::erase_if(found_.hosts, [](const ib_host& host) { return host.adapters.empty(); });
    for (ib_host& host : found_.hosts) {
      std::sort(host.adapters.begin(), host.adapters.end(), [](const ib_adapter& a, const ib_adapter& b) {
        return std::tuple(!a.position, a.position, std::string_view(a.name), a.device) <
               std::tuple(!b.position, b.position, std::string_view(b.name), b.device);
      });
    }
    say_refused();
    return std::move(found_);
  }

 private:
  void read_table() {
    std::unordered_map<std::uint64_t, std::size_t> entry_of;
    for (std::size_t i = 0; i < table_.entries.size(); ++i) entry_of.emplace(table_.entries[i].guid, i);
    std::vector<bool> used(table_.entries.size(), false);
    const auto match = [&](std::uint64_t guid, std::uint32_t device) {
      const auto entry = guid == 0 ? entry_of.end() : entry_of.find(guid);
      if (entry == entry_of.end()) return;
      used[entry->second] = true;
      if (fabric_.devices[device].kind != ib_kind::adapter) return;
      const auto [known, fresh] = given_.emplace(device, entry->second);
      const ib_host_entry& a = table_.entries[known->second];
      const ib_host_entry& b = table_.entries[entry->second];
      if (fresh || equal_ignoring_case(a.host, b.host)) return;
      throw parse_error({table_.source, b.line, 0}, "one host for the ports of " + name_of(fabric_.devices[device]),
                        quoted(b.host) + ", and line " + std::to_string(a.line) + " has " + quoted(a.host));
    };
    for (std::uint32_t device = 0; device < fabric_.devices.size(); ++device) match(fabric_.devices[device].guid, device);
    for (const ib_cable& cable : fabric_.cables) {
      for (const ib_port& end : cable.ends) match(end.guid, end.device);
    }
    std::set<std::pair<std::string_view, std::string_view>> found;  // by any of its GUIDs
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) found.emplace(table_.entries[i].host, table_.entries[i].adapter);
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      const ib_host_entry& entry = table_.entries[i];
      if (used[i] || (!entry.adapter.empty() && found.contains({entry.host, entry.adapter}))) continue;
      strangers_.add(0, [&] {
        return table_.source + ':' + std::to_string(entry.line) + ": no device of the fabric has " + guid_text(entry.guid);
      });
    }
    strangers_.move_to(found_.notes);
  }

  void place(std::uint32_t device) {
    const ib_device& d = fabric_.devices[device];
    if (d.kind != ib_kind::adapter) return;
    if (is_aggregation_node(d)) {
      ++found_.aggregation_nodes;
      return;
    }
    const std::string& description = d.description.empty() ? d.id : d.description;
    if (const auto given = given_.find(device); given != given_.end()) {
      const ib_host_entry& entry = table_.entries[given->second];
      const auto name = adapter_name_of(description);
      add(entry.host,
          !entry.adapter.empty() ? std::string_view(entry.adapter)
          : name                 ? name->adapter
                                 : std::string_view{},
          device);
      return;
    }
    const auto name = adapter_name_of(description);
    if (!name) return refuse(description, device, "names no host");
    if (is_nobodys_name(name->host)) return refuse(std::string(name->host), device, "is what unnamed machines are called");
    add(name->host, name->adapter, device);
  }

  void add(std::string_view host, std::string_view adapter, std::uint32_t device) {
    const auto next = static_cast<std::uint32_t>(found_.hosts.size());
    const auto index = host_of_.emplace(lower(host), next).first->second;
    if (index == next) found_.hosts.push_back({std::string(host), {}});
    found_.hosts[index].adapters.push_back({device, std::string(adapter), position_of(adapter)});
  }

  void refuse(const std::string& name, std::uint32_t device, std::string_view why) {
    const auto next = found_.refused.size();
    const auto index = refusal_of_.emplace(name, next).first->second;
    if (index == next) found_.refused.push_back({name, {}, std::string(why)});
    found_.refused[index].devices.push_back(device);
  }

  // "gpu01" and "gpu01.cluster" are one host, unless two domains have a gpu01.
  void join_short_names() {
    host_names names;
    for (std::uint32_t i = 0; i < found_.hosts.size(); ++i) {
      if (found_.hosts[i].name.find('.') != std::string::npos) names.add(found_.hosts[i].name, i);
    }
    for (ib_host& host : found_.hosts) {
      if (host.name.find('.') != std::string::npos) continue;
      const auto match = names.find(host.name);
      if (match.hosts.size() != 1) continue;
      auto& into = found_.hosts[match.hosts.front()].adapters;
      into.insert(into.end(), host.adapters.begin(), host.adapters.end());
      host.adapters.clear();
    }
  }

  // Two adapters of one name on one host are two hosts of one name.
  void refuse_twins() {
    std::vector<std::uint16_t> port_of(fabric_.devices.size(),
                                       0);  // tells the ports of one adapter apart, where they are devices
    for (const ib_cable& cable : fabric_.cables) {
      for (const ib_port& end : cable.ends) {
        if (fabric_.devices[end.device].ports == 0) port_of[end.device] = end.number;
      }
    }
    for (ib_host& host : found_.hosts) {
      std::map<std::pair<std::string_view, std::uint16_t>, std::size_t> seen;
      const bool twins = std::any_of(host.adapters.begin(), host.adapters.end(), [&](const ib_adapter& adapter) {
        return ++seen[{adapter.name, port_of[adapter.device]}] > 1;
      });
      if (!twins) continue;
      std::vector<std::uint32_t> devices;
      for (const ib_adapter& adapter : host.adapters) devices.push_back(adapter.device);
      std::sort(devices.begin(), devices.end());
      found_.refused.push_back({host.name, std::move(devices), "is the name of several hosts, or has an adapter name twice"});
      host.adapters.clear();
    }
  }

  void say_refused() {
    for (const ib_refusal& refusal : found_.refused) {
      const ib_device& first = fabric_.devices[refusal.devices.front()];
      const auto n = refusal.devices.size();
      found_.notes.push_back({fabric_.sources.size() > 1 ? 0 : first.line,
                              quoted(refusal.name) + " " + refusal.why + ": the " + std::to_string(n) +
                                  (n == 1 ? " adapter" : " adapters") + " of that name (" + guid_text(first.guid) +
                                  (n == 1 ? ")" : ", ...)") +
                                  " can't be placed; a table of GUIDs and hosts would say whose they are"});
    }
  }

  const ib_fabric& fabric_;
  const ib_host_table& table_;
  ib_hosts found_;
  std::unordered_map<std::uint32_t, std::size_t> given_;  // device to entry of the table
  std::unordered_map<std::string, std::uint32_t> host_of_;
  std::map<std::string, std::size_t> refusal_of_;
  note_pile strangers_;
};

}  // namespace detail

// The hosts of a fabric and their adapters. The table comes before the description; "HOST mlx5_0" and "HOST HCA-1" name a host,
// what firmware is called when nobody named it doesn't. Two adapters of one name make the whole host ambiguous.
// post: no adapter is placed by guess; hosts of one name in several subnets are one host.
// complexity: O(devices log devices). errors: parse_error for a table that gives the ports of an adapter to two hosts.
[[nodiscard]] inline ib_hosts hosts_of(const ib_fabric& fabric, const ib_host_table& table = {}) {
  return detail::ib_host_builder(fabric, table).build();
}

}  // namespace topoplan::inline v1::import
