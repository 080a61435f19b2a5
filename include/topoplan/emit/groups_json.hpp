// The process groups that Megatron-LM creates, as the JSON that `topoplan groups --json` prints.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/emit/detail/json_writer.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/megatron_groups.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

namespace topoplan::inline v1::emit {

namespace detail {

// {NAME: [[ranks], ...], ...}, a family a line.
inline void write_groups(json_writer& json, const megatron::group_set& set) {
  json.open('{', spread::lines);
  for (const megatron::group_family& family : set.families()) {
    json.key(family.name());
    json.open('[');
    for (std::uint32_t g = 0; g < family.size(); ++g) {
      json.open('[');
      for (std::uint32_t i = 0; i < family.group_size(g); ++i) json.value(family.member(g, i).value);
      json.close();
    }
    json.close();
  }
  json.close();
}

}  // namespace detail

// Writes {"groups": {NAME: [[ranks], ...]}, "creation_order": [NAME, ...], "coordinates": {AXIS: [position of each rank]}}.
// Names are Megatron-LM's descriptions.
// post: one JSON document and a line feed. complexity: O(ranks * families). errors: none of its own.
inline void groups_json(std::ostream& out, const megatron::group_set& set) {
  detail::json_writer json(out);
  json.open('{', detail::spread::lines);
  json.key("groups");
  detail::write_groups(json, set);
  const auto families = set.families();
  json.column("creation_order", families.size(), [&](std::size_t i) { return std::string_view(families[i].name()); });
  json.key("coordinates");
  json.open('{', detail::spread::lines);
  for (const axis a : all_axes)
    json.column(to_string(a), static_cast<std::size_t>(set.given().world_size),
                [&](std::size_t i) { return set.position(rank_id{static_cast<std::uint32_t>(set.given().rank_offset + i)}, a); });
  json.close();
  json.close();
  json.finish();
}

// Writes what stands under "groups" there, as one JSON value: what rank_map_json() takes as its extension.
// complexity: O(ranks * families). errors: none of its own.
inline void groups_value(std::ostream& out, const megatron::group_set& set) {
  detail::json_writer json(out, 1);
  detail::write_groups(json, set);
  json.flush();
}

}  // namespace topoplan::inline v1::emit
