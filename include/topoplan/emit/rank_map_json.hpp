// The rank map as a JSON document, `topoplan.rank_map` version 1.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/emit/detail/json_writer.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>

namespace topoplan::inline v1::emit {

namespace detail {

inline void write_degrees(json_writer& json, const rank_map_view& map) {
  json.key("degrees");
  json.open('{');
  for (const axis a : all_axes) json.member(to_string(a), map.degrees().of(a));
  json.close();
}

inline void write_ranks(json_writer& json, const rank_map_view& map) {
  const auto column = [&](const char* name, const auto& of) {
    json.column(name, map.world(), [&](std::size_t r) { return of(rank_id{static_cast<std::uint32_t>(r)}); });
  };
  json.key("ranks");
  json.open('{', spread::lines);
  column("host", [&](rank_id r) { return map.host_of(r).value; });
  column("gpu", [&](rank_id r) { return map.gpu_of(r); });
  column("local_rank", [&](rank_id r) { return map.local_rank_of(r); });
  column("domain", [&](rank_id r) { return map.domain_of(r).value; });
  if (map.has_uuid()) column("uuid", [&](rank_id r) { return map.uuid_of(r); });
  if (map.has_pci()) column("pci", [&](rank_id r) { return map.pci_of(r); });
  if (map.has_rail()) column("rail", [&](rank_id r) { return map.rail_of(r).value; });
  if (map.has_numa()) column("numa", [&](rank_id r) { return map.numa_of(r); });
  json.close();
}

inline void write_spares(json_writer& json, const rank_map_view& map) {
  json.key("spares");
  json.open('[', spread::lines);
  for (const spare& s : map.spares()) {
    json.open('{');
    json.member("host", s.host);
    json.column("gpus", s.gpus.size(), [&](std::size_t i) { return s.gpus[i]; });
    json.close();
  }
  json.close();
}

// The document's object; `extend` may add members.
template <class Extend> void write_rank_map(json_writer& json, const rank_map_view& map, const Extend& extend) {
  json.open('{', spread::lines);
  json.member("format", "topoplan.rank_map");
  json.member("version", 1);
  json.member("world_size", map.world());
  json.member("order", to_string(map.order()));
  write_degrees(json, map);
  json.column("hosts", map.hosts(), [&](std::size_t h) { return map.host_name(host_id{static_cast<std::uint32_t>(h)}); });
  write_ranks(json, map);
  write_spares(json, map);
  json.key("digest");
  json.open('{');
  json.member("cluster", hash_text(map.digests().cluster).data());
  json.member("workload", hash_text(map.digests().workload).data());
  json.close();
  extend();
  json.close();
}

}  // namespace detail

// Writes the map. Digests are 16 hexadecimal digits, empty where unknown. Optional columns stand where the map has them.
// post: one JSON document and a line feed. complexity: O(ranks). errors: none of its own (what fails is the stream's state).
inline void rank_map_json(std::ostream& out, const rank_map_view& map) {
  detail::json_writer json(out);
  detail::write_rank_map(json, map, [] {});
  json.finish();
}

// The same with a last member "groups", whose value `groups` writes: what the groups command prints under that name.
// pre: groups(out) writes one JSON value. complexity: O(ranks) and that of `groups`. errors: what `groups` throws.
template <std::invocable<std::ostream&> Groups>
void rank_map_json(std::ostream& out, const rank_map_view& map, const Groups& groups) {
  detail::json_writer json(out);
  detail::write_rank_map(json, map, [&] {
    json.key("groups");
    groups(json.raw_value());
  });
  json.finish();
}

}  // namespace topoplan::inline v1::emit
