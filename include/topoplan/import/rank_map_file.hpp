// Reads a rank map as JSON, `topoplan.rank_map` version 1: what `topoplan place --out` writes as rank_map.json.
//
//   { "format": "topoplan.rank_map", "version": 1,
//     "world_size": 32, "order": "tp-cp-ep-dp-pp",
//     "degrees": {"tp": 8, "cp": 1, "ep": 1, "dp": 2, "pp": 2, "expert_tp": 8, "expert_dp": 2},    all seven
//     "hosts": ["gpu-017", ...],                                     in launch order: the host of rank 0 first
//     "ranks": {"host": [0, ...], "gpu": [0, ...], "local_rank": [0, ...], "domain": [0, ...],     columns, by rank
//               "rail": [...], "numa": [...], "uuid": [...], "pci": [...]},                        these four optional
//     "spares": [{"host": "gpu-017", "gpus": [6, 7]}, ...],
//     "digest": {"cluster": "0123456789abcdef", "workload": ""} }    hexadecimal; "" or no key: unknown
//
// An unknown version is refused, unknown further keys are ignored. Writing and reading back yields an equal map.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/detail/json.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// Calls `make` and turns the library's own refusal into one of the file.
template <class Make> [[nodiscard]] auto made_from(const json_value& value, const std::string& expected, const Make& make) {
  try {
    return make();
  } catch (const invalid_argument& e) {
    value.refuse(expected, e.what());
  }
}

[[nodiscard]] inline layout layout_of_map(const json_value& root) {
  const json_value value = root.at("degrees");
  const auto of = [&](const char* key) { return value.at(key).integer<std::uint32_t>(1); };
  const degrees asked{
      .tp = of("tp"), .cp = of("cp"), .ep = of("ep"), .expert_tp = of("expert_tp"), .dp = of("dp"), .pp = of("pp")};
  const auto world = root.at("world_size").integer<std::uint32_t>(1);
  const auto resolved = made_from(value, "degrees of " + std::to_string(world) + " ranks", [&] { return resolve(asked, world); });
  if (of("expert_dp") != resolved.expert_dp)
    value.at("expert_dp").refuse(std::to_string(resolved.expert_dp) + ", as the others make it");
  const json_value named = root.at("order");
  return made_from(named, "an order for these degrees", [&] { return layout(resolved, order(named.text())); });
}

[[nodiscard]] inline std::uint64_t digest_of(const json_value& digests, const char* key) {
  const auto value = digests.find(key);
  if (!value || value->text().empty()) return 0;
  const std::string& text = value->text();
  std::uint64_t digest = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), digest, 16);
  if (problem != std::errc{} || end != text.data() + text.size()) value->refuse("up to 16 hexadecimal digits");
  return digest;
}

[[nodiscard]] inline std::vector<spare> spares_of_map(const json_value& value) {
  std::vector<spare> spares;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const json_value entry = value[i];
    const json_value gpus = entry.at("gpus");
    spares.push_back({entry.at("host").text(), gpus.integers<std::uint16_t>(gpus.size())});
  }
  return spares;
}

[[nodiscard]] inline rank_map rank_map_of(const json_value& root) {
  const layout l = layout_of_map(root);
  const std::size_t world = l.world();
  const auto hosts = root.at("hosts").texts();
  const json_value ranks = root.at("ranks");
  rank_columns columns;
  columns.host = ranks.at("host").integers<std::uint32_t>(world, 0, static_cast<std::int64_t>(hosts.size()) - 1);
  columns.gpu = ranks.at("gpu").integers<std::uint16_t>(world);
  columns.domain = ranks.at("domain").integers<std::uint32_t>(world, 0, 0xfffffffe);
  if (const auto rail = ranks.find("rail")) columns.rail = rail->integers<std::uint16_t>(world);
  if (const auto numa = ranks.find("numa")) columns.numa = numa->integers<std::int16_t>(world, -1);
  if (const auto uuid = ranks.find("uuid")) columns.uuid = uuid->texts(world);
  if (const auto pci = ranks.find("pci")) columns.pci = pci->texts(world);
  const auto spares = spares_of_map(root.at("spares"));
  digests made_for;
  if (const auto digest = root.find("digest")) {
    made_for.cluster = digest_of(*digest, "cluster");
    made_for.workload = digest_of(*digest, "workload");
  }
  rank_map map =
      made_from(root, "a rank map whose parts fit together", [&] { return rank_map(l, hosts, columns, spares, made_for); });
  const json_value local = ranks.at("local_rank");
  const auto local_ranks = local.integers<std::uint32_t>(world);
  for (std::uint32_t r = 0; r < world; ++r) {
    const auto expected = map.local_rank_of(rank_id{r});
    if (local_ranks[r] != expected)
      local[r].refuse(std::to_string(expected) + ", since local ranks rise with the rank on each host");
  }
  return map;
}

}  // namespace detail

// Reads a rank map (see the top of this header).
// post: the map that was written. complexity: O(text + hosts log hosts).
// errors: parse_error with line, column and JSON pointer for a text that is no JSON, another format or version, a key that is
//   missing, degrees or an order that make no layout, a column of a wrong length, and what rank_map's constructor refuses.
[[nodiscard]] inline rank_map rank_map_file(std::string_view text, const std::string& source) {
  return detail::read_json(text, source, "topoplan.rank_map", detail::rank_map_of);
}

}  // namespace topoplan::inline v1::import
