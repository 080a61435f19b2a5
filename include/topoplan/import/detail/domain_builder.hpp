// Puts hosts into NVLink domains by the keys that their GPUs, or their labels, have, or by the names that a source gives them.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/gpu_fabric.hpp>
#include <topoplan/import/gpu_inventory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class domain_builder {
 public:
  explicit domain_builder(std::string source) { table_.source = std::move(source); }

  // A host and its label. A host may stand there twice with one and the same.
  // errors: parse_error for a host with two domains. complexity: O(log domains).
  void add(const std::string& host, const domain_key& key, std::size_t line) {
    const auto standing = is_zero_uuid(key.cluster_uuid) ? fabric_standing::own_host : fabric_standing::in_domain;
    domain_host& entry = host_at(host, line);
    if (entry.standing != fabric_standing::not_told && entry.standing != standing) throw two_domains(entry, to_string(key), line);
    entry.standing = standing;
    if (standing == fabric_standing::in_domain) put(entry, to_string(key), key, line);
  }

  // A host and what a source calls its domain. A name that is a UUID.CLIQUE counts as that key. errors, complexity: as above.
  void add_named(const std::string& host, const std::string& name, std::size_t line) {
    if (const auto key = parse_domain_key(name)) {
      add(host, *key, line);
      return;
    }
    domain_host& entry = host_at(host, line);
    if (entry.standing != fabric_standing::not_told && entry.standing != fabric_standing::in_domain)
      throw two_domains(entry, name, line);
    entry.standing = fabric_standing::in_domain;
    put(entry, name, std::nullopt, line);
  }

  // How many GPUs a source says that a host has.
  void set_gpus(const std::string& host, std::uint32_t gpus, std::size_t line) { host_at(host, line).gpus = gpus; }

  // A host without a label, or that didn't tell.
  void add(const std::string& host, std::size_t line) { host_at(host, line); }

  // A host and what its GPUs say. errors: parse_error when they are in two domains.
  void add(const std::string& host, const gpu_inventory& inventory, std::size_t line) {
    domain_host& entry = host_at(host, line);
    std::map<fabric_standing, std::size_t> seen;
    for (const inventory_gpu& gpu : inventory.gpus) {
      const auto standing = standing_of(gpu.fabric);
      ++seen[standing];
      ++entry.gpus;
      entry.degraded += is_degraded(gpu.fabric) ? 1U : 0U;
      if (const auto key = domain_of(gpu.fabric)) put(entry, to_string(*key), key, gpu.fabric.line);
      else if (standing == fabric_standing::not_ready || standing == fabric_standing::failed)
        entry.unready.push_back(entry.gpus - 1);
    }
    constexpr fabric_standing strongest_first[] = {fabric_standing::in_domain, fabric_standing::not_ready,
                                                   fabric_standing::failed,    fabric_standing::own_host,
                                                   fabric_standing::none,      fabric_standing::not_told};
    for (const auto standing : strongest_first) {
      if (!seen.contains(standing)) continue;
      entry.standing = standing;
      break;
    }
    if (seen.size() > 1) {
      std::string parts;
      for (const auto& [standing, gpus] : seen)
        (parts += parts.empty() ? "" : ", ") += std::to_string(gpus) + " " + std::string(to_string(standing));
      disagreeing_.add(line, [&] { return host + ": its GPUs don't agree on their NVLink fabric: " + parts; });
    }
    for (const note& n : inventory.notes) table_.notes.push_back({n.line, host + ": " + n.text});
  }

  void say(std::size_t line, std::string text) { table_.notes.push_back({line, std::move(text)}); }

  void say(note_pile notes) { notes.move_to(table_.notes); }

  // post: one note names the domains that have fewer hosts than the largest; it has the line of the first. complexity: O(hosts +
  // notes log notes).
  [[nodiscard]] domain_table take() {
    std::size_t most = 0;
    for (const nvlink_domain& domain : table_.domains) most = std::max(most, domain.hosts.size());
    name_list smaller;
    const nvlink_domain* first = nullptr;
    std::size_t count = 0;
    for (const nvlink_domain& domain : table_.domains) {
      if (domain.hosts.size() == most) continue;
      if (++count == 1) first = &domain;
      smaller.add(domain.name + " (" + std::to_string(domain.hosts.size()) + ")");
    }
    if (count == 1) {
      say(table_.hosts[first->hosts.front()].line,
          "domain " + first->name + " has " + counted(first->hosts.size(), "host") + " here, another " + std::to_string(most));
    } else if (count > 1) {
      say(table_.hosts[first->hosts.front()].line, std::to_string(count) + " domains have fewer hosts here than the " +
                                                       std::to_string(most) + " of another: " + smaller.text());
    }
    disagreeing_.move_to(table_.notes);
    std::sort(table_.notes.begin(), table_.notes.end(),
              [](const note& a, const note& b) { return std::tie(a.line, a.text) < std::tie(b.line, b.text); });
    return std::move(table_);
  }

 private:
  domain_host& host_at(const std::string& name, std::size_t line) {
    const auto [found, fresh] = hosts_.emplace(name, table_.hosts.size());
    if (fresh) {
      table_.hosts.push_back({});
      table_.hosts.back().name = name;
      table_.hosts.back().line = line;
    }
    return table_.hosts[found->second];
  }

  void put(domain_host& host, const std::string& name, const std::optional<domain_key>& key, std::size_t line) {
    const auto [found, fresh] = domains_.emplace(name, static_cast<std::uint32_t>(table_.domains.size()));
    if (host.domain && *host.domain != found->second) throw two_domains(host, name, line);
    if (fresh) table_.domains.push_back({name, key, {}});
    if (host.domain) return;
    host.domain = found->second;
    table_.domains[found->second].hosts.push_back(static_cast<std::uint32_t>(&host - table_.hosts.data()));
  }

  [[nodiscard]] parse_error two_domains(const domain_host& host, const std::string& other, std::size_t line) const {
    const std::string first = host.domain ? table_.domains[*host.domain].name : std::string(to_string(host.standing));
    return {{table_.source, line, 0}, "one NVLink domain for host " + host.name, first + " and " + other};
  }

  domain_table table_;
  note_pile disagreeing_;
  std::unordered_map<std::string, std::size_t> hosts_;
  std::unordered_map<std::string, std::uint32_t> domains_;
};

}  // namespace topoplan::inline v1::import::detail
