// Reads a cluster file, `topoplan.cluster` version 1: what `topoplan show --json` prints and `--cluster FILE` takes.
//
// One JSON object. Columns rather than objects, since a cluster may hold a million GPUs; ids are positions in a column.
//
//   { "format": "topoplan.cluster", "version": 1,
//     "name": "dgx-h100:2",                              text
//     "fabric": "infiniband",                            a name of fabric_kind
//     "rails": 8, "domains": 2,                          counts
//     "domain_names": ["", ""],                          optional, one a domain
//     "gpu_models": ["H100-SXM 80GB"],                   never empty
//     "links": {                                         all three; bytes per second a GPU and direction, seconds (0: unknown)
//       "nvlink": {"rate": 450000000000, "latency": 0, "from": {"how": "catalogue", "source": "..."}},
//       "pcie": {...}, "nic": {...} },                   how: given, derived, catalogue, extrapolated, assumed
//     "tiers": [                                         leaf first, never empty
//       {"name": "leaf", "oversubscription": 1, "sharp": false, "from": {"how": "given", "source": "topology.conf"},
//        "nodes": {"name": ["leaf1"], "parent": [0]}} ],  parent: index into the next tier's nodes; 0 in the last tier
//     "hosts": {
//       "name": ["a", "b"], "leaf": [0, 0], "gpu_count": [8, 8],
//       "model": [0, 0],                                 optional, index into gpu_models, default 0
//       "address": ["", ""],                             optional, default empty
//       "cordoned": [1] },                               optional, indices of the cordoned hosts
//     "gpus": {                                          by host, then in PCI order
//       "domain": [0, ...], "rail": [0, ...],
//       "numa": [0, ...],                                optional, default -1, which is "unknown"
//       "unhealthy": [3],                                optional, indices of the unhealthy GPUs
//       "uuid": ["GPU-..."], "pci": ["0000:1b:00.0"] },  optional, one a GPU
//     "notes": ["..."] }                                 optional
//
// An unknown version is refused, unknown further keys are ignored. Printing and reading back yields an equal value.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// The enumerator that a text names. errors: parse_error with the names that there are.
template <class Enum, std::size_t N> [[nodiscard]] Enum enumerator(const json_value& value, const std::array<Enum, N>& all) {
  std::string known;
  for (const Enum e : all) {
    if (value.text() == to_string(e)) return e;
    (known += known.empty() ? "" : ", ") += to_string(e);
  }
  value.refuse("one of " + known);
}

[[nodiscard]] inline provenance provenance_of(const json_value& value) {
  constexpr std::array all = {confidence::given, confidence::derived, confidence::catalogue, confidence::extrapolated,
                              confidence::assumed};
  return {enumerator(value.at("how"), all), value.at("source").text()};
}

[[nodiscard]] inline link link_of(const json_value& value) {
  return {bytes_per_second{value.at("rate").real()}, seconds{value.at("latency").real()}, provenance_of(value.at("from"))};
}

[[nodiscard]] inline tier tier_of(const json_value& value) {
  tier t;
  t.name = value.at("name").text();
  t.oversubscription = value.at("oversubscription").real();
  t.sharp = value.at("sharp").boolean();
  t.from = provenance_of(value.at("from"));
  const json_value nodes = value.at("nodes");
  auto names = nodes.at("name").texts();
  const auto parents = nodes.at("parent").integers<std::uint32_t>(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) t.nodes.push_back({std::move(names[i]), parents[i]});
  return t;
}

[[nodiscard]] inline std::vector<tier> tiers_of(const json_value& value) {
  std::vector<tier> tiers;
  for (std::size_t t = 0; t < value.size(); ++t) {
    tiers.push_back(tier_of(value[t]));
    if (tiers.back().nodes.empty()) value[t].refuse("a tier with nodes");
  }
  if (tiers.empty()) value.refuse("an array with at least one tier");
  for (std::size_t t = 0; t + 1 < tiers.size(); ++t) {
    for (std::size_t n = 0; n < tiers[t].nodes.size(); ++n) {
      if (tiers[t].nodes[n].parent < tiers[t + 1].nodes.size()) continue;
      const auto tier_value = value[t];
      const auto nodes = tier_value.at("nodes");
      const auto parents = nodes.at("parent");
      parents[n].refuse("a node of the next tier, which has " + std::to_string(tiers[t + 1].nodes.size()));
    }
  }
  return tiers;
}

// Adds the hosts, with first_gpu as their GPU counts make it. Returns the number of GPUs.
inline std::size_t add_hosts(cluster& c, const json_value& value) {
  auto names = value.at("name").texts();
  const std::size_t rows = names.size();
  const auto last = [](std::size_t count) { return static_cast<std::int64_t>(count) - 1; };
  const auto leaf = value.at("leaf").integers<std::uint32_t>(rows, 0, last(c.tiers.front().nodes.size()));
  const auto gpu_count = value.at("gpu_count").integers<std::uint16_t>(rows);
  const auto model = value.find("model");
  const auto models =
      model ? model->integers<std::uint16_t>(rows, 0, last(c.gpu_models.size())) : std::vector<std::uint16_t>(rows, 0);
  const auto address = value.find("address");
  auto addresses = address ? address->texts(rows) : std::vector<std::string>(rows);
  std::size_t gpus = 0;
  for (std::size_t h = 0; h < rows; ++h) {
    host added;
    added.name = std::move(names[h]);
    added.address = std::move(addresses[h]);
    added.first_gpu = static_cast<std::uint32_t>(gpus);
    added.leaf = leaf[h];
    added.gpu_count = gpu_count[h];
    added.model = models[h];
    c.hosts.push_back(std::move(added));
    gpus += gpu_count[h];
  }
  if (const auto cordoned = value.find("cordoned")) {
    for (const auto h : cordoned->integers<std::uint32_t>(cordoned->size(), 0, last(rows))) c.hosts[h].cordoned = true;
  }
  return gpus;
}

inline void add_gpus(cluster& c, const json_value& value, std::size_t rows) {
  const auto domain = value.at("domain").integers<std::uint32_t>(rows, 0, static_cast<std::int64_t>(c.domains) - 1);
  const auto rail = value.at("rail").integers<std::uint16_t>(rows, 0, std::int64_t{c.rails} - 1);
  const auto numa = value.find("numa");
  const auto numas = numa ? numa->integers<std::int16_t>(rows, -1) : std::vector<std::int16_t>(rows, -1);
  c.gpus.reserve(rows);
  for (std::uint32_t h = 0; h < c.hosts.size(); ++h) {
    for (std::uint16_t i = 0; i < c.hosts[h].gpu_count; ++i) {
      const std::size_t g = c.gpus.size();
      gpu seat;
      seat.host = host_id{h};
      seat.domain = domain_id{domain[g]};
      seat.index = i;
      seat.rail = rail[g];
      seat.numa = numas[g];
      c.gpus.push_back(seat);
    }
  }
  if (const auto unhealthy = value.find("unhealthy")) {
    for (const auto g : unhealthy->integers<std::uint32_t>(unhealthy->size(), 0, static_cast<std::int64_t>(rows) - 1)) {
      c.gpus[g].health = gpu_health::unhealthy;
    }
  }
  if (const auto uuid = value.find("uuid")) c.uuid = uuid->texts(uuid->size() == 0 ? 0 : rows);
  if (const auto pci = value.find("pci")) c.pci = pci->texts(pci->size() == 0 ? 0 : rows);
}

[[nodiscard]] inline cluster cluster_of(const json_value& root) {
  constexpr std::array kinds = {fabric_kind::unknown, fabric_kind::infiniband, fabric_kind::roce,    fabric_kind::spectrum_x,
                                fabric_kind::efa,     fabric_kind::slingshot,  fabric_kind::ethernet};
  cluster c;
  c.name = root.at("name").text();
  c.fabric = enumerator(root.at("fabric"), kinds);
  c.rails = root.at("rails").integer<std::uint16_t>(1);
  c.domains = root.at("domains").integer<std::uint32_t>();
  if (const auto names = root.find("domain_names")) c.domain_names = names->texts(names->size() == 0 ? 0 : c.domains);
  c.gpu_models = root.at("gpu_models").texts();
  if (c.gpu_models.empty()) root.at("gpu_models").refuse("an array with at least one name");
  const json_value links = root.at("links");
  c.nvlink = link_of(links.at("nvlink"));
  c.pcie = link_of(links.at("pcie"));
  c.nic = link_of(links.at("nic"));
  c.tiers = tiers_of(root.at("tiers"));
  const std::size_t gpus = add_hosts(c, root.at("hosts"));
  if (c.domains > gpus) root.at("domains").refuse("at most the number of GPUs, " + std::to_string(gpus));
  add_gpus(c, root.at("gpus"), gpus);
  if (const auto notes = root.find("notes")) c.notes = notes->texts();
  if (const auto broken = validate(c)) root.refuse("a cluster whose parts fit together", *broken);
  return c;
}

}  // namespace detail

// Reads a cluster file (see the top of this header).
// post: the value that was printed; validate() finds nothing. complexity: O(text).
// errors: parse_error with line, column and JSON pointer for a text that is no JSON, another format or version, a key that is
//   missing, a column of a wrong length, a value out of range, and what validate() finds.
[[nodiscard]] inline cluster cluster_file(std::string_view text, const std::string& source) {
  return detail::read_json(text, source, "topoplan.cluster", detail::cluster_of);
}

}  // namespace topoplan::inline v1::import
