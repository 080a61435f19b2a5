// Tells from a text alone which of the formats it is.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/slurm_lines.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/topo_row.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

// The formats that are read, each by the header of its name.
enum class format : std::uint8_t { nvidia_smi_topo, slurm_topology, hostfile, cluster_file, rank_map_file };

inline constexpr std::array<format, 5> all_formats = {format::nvidia_smi_topo, format::slurm_topology, format::hostfile,
                                                      format::cluster_file, format::rank_map_file};

// The name that --format takes. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(format f) noexcept {
  constexpr std::string_view names[] = {"nvidia-smi-topo", "slurm-topology", "hostfile", "topoplan.cluster", "topoplan.rank_map"};
  return names[static_cast<std::size_t>(f)];
}

// All names, separated by commas, for help texts and messages. complexity: O(1). errors: none.
[[nodiscard]] inline std::string format_names() {
  std::string names;
  for (const format f : all_formats) (names += names.empty() ? "" : ", ") += to_string(f);
  return names;
}

// The format of that name. complexity: O(1). errors: invalid_argument with the known names.
[[nodiscard]] inline format parse_format(std::string_view name) {
  for (const format f : all_formats) {
    if (to_string(f) == name) return f;
  }
  throw invalid_argument("unknown format " + quoted(name) + "; the formats are " + format_names());
}

namespace detail {

// The "format" of one of this library's own JSON documents: the first such key decides.
[[nodiscard]] inline std::optional<std::string_view> json_format(std::string_view text) {
  const auto key = text.find("\"format\"");
  if (key == std::string_view::npos) return std::nullopt;
  const auto colon = text.find_first_not_of(" \t\r\n", key + 8);
  if (colon == std::string_view::npos || text[colon] != ':') return std::nullopt;
  const auto open = text.find_first_not_of(" \t\r\n", colon + 1);
  if (open == std::string_view::npos || text[open] != '"') return std::nullopt;
  return text.substr(open + 1, text.find('"', open + 1) - open - 1);
}

[[nodiscard]] inline bool is_line_of_topo(const text_line& line) {
  if (topo_header_of(line)) return true;
  const auto row = topo_row_of(line);
  return row && (row->self || row->p2p || row->foreign) && (numbered(row->name, "GPU") || numbered(row->name, "NIC"));
}

// A line of any of Slurm's topology plugins; the reader says which it reads.
[[nodiscard]] inline bool is_line_of_slurm_topology(std::string_view content) {
  const auto line = trimmed(content);
  const auto key = line.substr(0, line.find_first_of(" \t="));
  if (key.size() == line.size()) return false;
  constexpr std::array<std::string_view, 5> keys = {"SwitchName", "BlockName", "BlockSizes", "RingName", "TorusName"};
  return std::any_of(keys.begin(), keys.end(), [&](auto known) { return equal_ignoring_case(key, known); });
}

// What people also have at hand, by a mark that its text carries; nothing for a text that none of them marks.
[[nodiscard]] inline std::string_view format_that_is_not_read(std::string_view text) {
  struct mark {
    std::string_view begins_or_holds;
    std::string_view name;
  };
  constexpr std::array<mark, 11> marks = {{{"<system", "an NCCL topology XML"},
                                           {"<graphs", "an NCCL graph XML"},
                                           {"<nvidia_smi_log", "`nvidia-smi -q -x`"},
                                           {"==NVSMI LOG==", "`nvidia-smi -q`"},
                                           {"<topology", "an hwloc XML"},
                                           {"\nvendid=", "`ibnetdiscover`"},
                                           {"vendid=0x", "`ibnetdiscover`"},
                                           {"CA type: ", "`ibstat`"},
                                           {"hca_id:", "`ibv_devinfo`"},
                                           {"- topology:", "a Slurm topology.yaml"},
                                           {"\"NetworkNodes\"", "AWS DescribeInstanceTopology"}}};
  const auto* found = std::find_if(marks.begin(), marks.end(),
                                   [&](const mark& m) { return text.find(m.begins_or_holds) != std::string_view::npos; });
  return found == marks.end() ? std::string_view{} : found->name;
}

}  // namespace detail

// Which format a text is. A name of --format isn't needed: a matrix, SwitchName=, and JSON documents mark themselves, and what is
// left and reads as host names is a hostfile.
// complexity: O(text). errors: parse_error for a text that is none of them; one that is known but not read is named.
[[nodiscard]] inline format recognise(std::string_view text, const std::string& source) {
  constexpr std::size_t looked_at = 1U << 20U;  // marks stand early
  const auto plain = detail::plain_text(text, source);
  const auto expected = "one of " + format_names();
  const auto body = plain.find_first_not_of(" \t\r\n");
  if (body == std::string_view::npos) throw parse_error({source, 0, 0}, expected, "an empty text");
  if (plain[body] == '{') {
    const auto named = detail::json_format(plain.substr(0, looked_at));
    if (named == to_string(format::cluster_file)) return format::cluster_file;
    if (named == to_string(format::rank_map_file)) return format::rank_map_file;
    throw parse_error({source, 0, 0}, expected,
                      named ? "a JSON document of format " + quoted(*named) : "a JSON document without a \"format\"");
  }
  const auto unread = detail::format_that_is_not_read(plain.substr(0, looked_at));
  const std::string readable = detail::without_escapes(plain.substr(0, looked_at));
  bool pairs = false;
  for (const auto& line : detail::lines_of(readable, source)) {
    const auto content = line.text.substr(0, line.text.find('#'));
    auto commented = line;  // "# GPU0 X NV4", as scripts keep it
    commented.text.remove_prefix(std::min(content.size() + 1, line.text.size()));
    if (detail::is_line_of_topo(line) || detail::is_line_of_topo(commented)) return format::nvidia_smi_topo;
    if (detail::is_line_of_slurm_topology(content)) return format::slurm_topology;
    pairs = pairs || (content.find('=') != std::string_view::npos && content.find("slots=") == std::string_view::npos);
  }
  if (!unread.empty()) throw parse_error({source, 0, 0}, expected, std::string(unread) + ", which isn't read");
  if (pairs || plain[body] == '<' || plain[body] == '[') throw parse_error({source, 0, 0}, expected, quoted(plain.substr(body)));
  return format::hostfile;
}

}  // namespace topoplan::inline v1::import
