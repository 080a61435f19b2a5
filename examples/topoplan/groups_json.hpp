// Megatron-LM's process groups as JSON: {"groups": {NAME: [[ranks]]}, "creation_order": [NAME], "coordinates": {AXIS: [...]}}.
#pragma once

#include <topoplan/core/ids.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/megatron_groups.hpp>

#include <cstdint>
#include <ostream>
#include <string_view>

#include "text_buffer.hpp"

namespace topoplan_cli {

// The value of "groups": one family a line, in creation order. Also what rank_map.json holds under that name.
inline void print_groups_value(text_buffer& out, const topoplan::megatron::group_set& set) {
  std::string_view separator = "{\n";
  for (const auto& family : set.families()) {
    out << separator << "  \"" << family.name() << "\": [";
    for (std::uint32_t g = 0; g < family.size(); ++g) {
      out << (g == 0 ? "[" : ", [");
      for (std::uint32_t i = 0; i < family.group_size(g); ++i) (i == 0 ? out : out << ", ") << family.member(g, i).value;
      out << ']';
    }
    out << ']';
    separator = ",\n";
  }
  out << '}';
}
inline void print_groups_value(std::ostream& stream, const topoplan::megatron::group_set& set) {
  text_buffer out(stream);
  print_groups_value(out, set);
  out.flush();
}

// The whole document. Coordinates are indexed by rank - rank_offset.
inline void print_groups_json(std::ostream& stream, const topoplan::megatron::group_set& set) {
  using topoplan::axis;
  text_buffer out(stream);
  out << "{\"groups\": ";
  print_groups_value(out, set);
  out << ",\n\"creation_order\": [";
  std::string_view separator = "\n  \"";
  for (const auto& family : set.families()) {
    out << separator << family.name() << '"';
    separator = ",\n  \"";
  }
  out << "],\n\"coordinates\": {";
  separator = "\n  \"";
  for (const axis a : {axis::tp, axis::cp, axis::dp, axis::pp, axis::ep, axis::expert_tp, axis::expert_dp}) {
    const auto& grid = topoplan::dense_axes.contains(a) ? set.dense() : set.expert();
    const auto digit = grid.mode_of(to_string(a));
    out << separator << to_string(a) << "\": [";
    for (std::uint64_t r = 0; r < grid.size(); ++r) (r == 0 ? out : out << ", ") << r / digit.stride % digit.extent;
    out << ']';
    separator = ",\n  \"";
  }
  out << "}}\n";
  out.flush();
}

}  // namespace topoplan_cli
