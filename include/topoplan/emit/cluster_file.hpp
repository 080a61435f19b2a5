// The cluster file, `topoplan.cluster` version 1: what `topoplan show --json` prints and import/cluster_file.hpp reads.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/emit/detail/json_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::emit {

namespace detail {

inline void write_provenance(json_writer& json, const provenance& from) {
  json.key("from");
  json.open('{');
  json.member("how", to_string(from.how));
  json.member("source", from.source);
  json.close();
}

inline void write_link(json_writer& json, std::string_view name, const link& l) {
  json.key(name);
  json.open('{');
  json.member("rate", l.rate.value);
  json.member("latency", l.latency.value);
  write_provenance(json, l.from);
  json.close();
}

inline void write_tiers(json_writer& json, const cluster& c) {
  json.key("tiers");
  json.open('[', spread::lines);
  for (const tier& t : c.tiers) {
    json.open('{');
    json.member("name", t.name);
    json.member("oversubscription", t.oversubscription);
    json.member("sharp", t.sharp);
    write_provenance(json, t.from);
    json.key("nodes");
    json.open('{');
    json.column("name", t.nodes.size(), [&](std::size_t i) { return std::string_view(t.nodes[i].name); });
    json.column("parent", t.nodes.size(), [&](std::size_t i) { return t.nodes[i].parent; });
    json.close();
    json.close();
  }
  json.close();
}

// The positions of the entries that meet a condition.
template <class Entry, class Condition>
[[nodiscard]] std::vector<std::size_t> positions(const std::vector<Entry>& entries, const Condition& meets) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (meets(entries[i])) found.push_back(i);
  return found;
}

inline void write_positions(json_writer& json, std::string_view name, const std::vector<std::size_t>& found) {
  if (!found.empty()) json.column(name, found.size(), [&](std::size_t i) { return found[i]; });
}
inline void write_texts(json_writer& json, std::string_view name, const std::vector<std::string>& texts) {
  if (!texts.empty()) json.column(name, texts.size(), [&](std::size_t i) { return std::string_view(texts[i]); });
}

// Columns that hold nothing but their default are left out.
inline void write_hosts(json_writer& json, const cluster& c) {
  const auto& hosts = c.hosts;
  const auto column = [&](std::string_view name, auto&& of) {
    json.column(name, hosts.size(), [&](std::size_t i) { return of(hosts[i]); });
  };
  json.key("hosts");
  json.open('{', spread::lines);
  column("name", [](const host& h) { return std::string_view(h.name); });
  column("leaf", [](const host& h) { return h.leaf; });
  column("gpu_count", [](const host& h) { return h.gpu_count; });
  if (std::any_of(hosts.begin(), hosts.end(), [](const host& h) { return h.model != 0; }))
    column("model", [](const host& h) { return h.model; });
  if (std::any_of(hosts.begin(), hosts.end(), [](const host& h) { return !h.address.empty(); }))
    column("address", [](const host& h) { return std::string_view(h.address); });
  write_positions(json, "cordoned", positions(hosts, [](const host& h) { return h.cordoned; }));
  json.close();
}

inline void write_gpus(json_writer& json, const cluster& c) {
  const auto column = [&](std::string_view name, auto&& of) {
    json.column(name, c.gpus.size(), [&](std::size_t i) { return of(c.gpus[i]); });
  };
  json.key("gpus");
  json.open('{', spread::lines);
  column("domain", [](const gpu& g) { return g.domain.value; });
  column("rail", [](const gpu& g) { return g.rail; });
  if (std::any_of(c.gpus.begin(), c.gpus.end(), [](const gpu& g) { return g.numa != -1; }))
    column("numa", [](const gpu& g) { return g.numa; });
  write_positions(json, "unhealthy", positions(c.gpus, [](const gpu& g) { return g.health != gpu_health::ok; }));
  write_texts(json, "uuid", c.uuid);
  write_texts(json, "pci", c.pci);
  json.close();
}

inline void write_cluster(json_writer& json, const cluster& c) {
  json.open('{', spread::lines);
  json.member("format", "topoplan.cluster");
  json.member("version", 1);
  json.member("name", c.name);
  json.member("fabric", to_string(c.fabric));
  json.member("rails", c.rails);
  json.member("domains", c.domains);
  write_texts(json, "domain_names", c.domain_names);
  json.column("gpu_models", c.gpu_models.size(), [&](std::size_t i) { return std::string_view(c.gpu_models[i]); });
  json.key("links");
  json.open('{', spread::lines);
  write_link(json, "nvlink", c.nvlink);
  write_link(json, "pcie", c.pcie);
  write_link(json, "nic", c.nic);
  json.close();
  write_tiers(json, c);
  write_hosts(json, c);
  write_gpus(json, c);
  write_texts(json, "notes", c.notes);
  json.close();
}

}  // namespace detail

// Writes a cluster in full, save what its invariants say: a GPU's host and index follow from gpu_count. The schema stands in
// import/cluster_file.hpp. pre: validate(c) finds nothing, and texts are UTF-8. post: reading it back yields an equal cluster.
// complexity: O(gpus). errors: none of its own (what fails is the stream's state).
inline void cluster_file(std::ostream& out, const cluster& c) {
  detail::json_writer json(out);
  detail::write_cluster(json, c);
  json.finish();
}

}  // namespace topoplan::inline v1::emit
