// Lines of `nvidia-smi topo -m`: which is a header, which is a row, and what their cells are. Knows no matrix.
#pragma once

#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

inline constexpr std::array<std::string_view, 8> topo_keywords = {"X", "SYS", "SOC", "NODE", "PHB", "PXB", "PIX", "NV"};

// The path that a cell names, or nothing.
[[nodiscard]] inline std::optional<path> topo_cell(std::string_view word) noexcept {
  if (word == "X") return path{path_kind::self};
  if (word == "SYS" || word == "SOC") return path{path_kind::sys};
  if (word == "NODE") return path{path_kind::node};
  if (word == "PHB") return path{path_kind::phb};
  if (word == "PXB") return path{path_kind::pxb};
  if (word == "PIX") return path{path_kind::pix};
  if (const auto links = numbered(word, "NV"); links && *links > 0 && *links <= std::numeric_limits<std::uint8_t>::max()) {
    return path{path_kind::nvlink, static_cast<std::uint8_t>(*links)};
  }
  return std::nullopt;
}

// A cell of `nvidia-smi topo -p2p`, which says whether peer access works, not what lies between.
[[nodiscard]] inline bool p2p_cell(std::string_view word) noexcept {
  return word == "OK" || word == "CNS" || word == "GNS" || word == "TNS" || word == "NS" || word == "DR" || word == "U";
}

// A link of another vendor's tool that prints the same table.
[[nodiscard]] inline bool foreign_cell(std::string_view word) noexcept {
  return numbered(word, "ICN") || word == "ICN#" || word == "XGMI" || word == "HCCS" || word == "HCCS_SW";
}

// True if the end of the text may have cut `word` out of a keyword: "SY", "NOD", "NV1" of "NV18".
[[nodiscard]] inline bool may_be_cut(std::string_view word) noexcept {
  if (numbered(word, "NV")) return true;
  return std::any_of(topo_keywords.begin(), topo_keywords.end(),
                     [&](auto keyword) { return word.size() < keyword.size() && keyword.starts_with(word); }) ||
         word == "N" || word == "NV";
}

struct topo_row {
  std::string_view name;
  std::vector<path> cells;
  std::string_view rest;  // what follows the cells
  text_line line;
  bool p2p = false;
  bool foreign = false;
  std::optional<std::size_t> self;  // where the X is

  // What two rows of one name must agree on.
  [[nodiscard]] bool says_the_same(const topo_row& other) const {
    return cells == other.cells && trimmed(rest) == trimmed(other.rest);
  }
};

// The row that a line is, or nothing: a name, then cells as long as words are cells. complexity: O(line).
[[nodiscard]] inline std::optional<topo_row> topo_row_of(const text_line& line) {
  const auto words = words_of(line.text);
  if (words.size() < 2 || !is_plain_name(words[0])) return std::nullopt;
  topo_row row{words[0], {}, {}, line, false, false, std::nullopt};
  auto rest = words[0].data() + words[0].size();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto cell = topo_cell(words[i]);
    row.p2p = row.p2p || p2p_cell(words[i]);
    row.foreign = row.foreign || foreign_cell(words[i]);
    if (!cell) break;
    if (cell->kind == path_kind::self && !row.self) row.self = row.cells.size();
    row.cells.push_back(*cell);
    rest = words[i].data() + words[i].size();
  }
  row.rest = {rest, static_cast<std::size_t>(line.text.data() + line.text.size() - rest)};
  if (row.cells.empty() && !row.p2p && !row.foreign) return std::nullopt;
  return row;
}

struct topo_header {
  std::vector<std::string_view> columns;  // GPUs and NICs
  std::size_t affinities = 0;             // how many of CPU Affinity, NUMA Affinity, GPU NUMA ID follow
  bool numa = false;                      // NUMA Affinity is among them
  text_line line;
};

// The header that a line is, or nothing. Column names need no blank between them (tabs get lost in pastes).
// complexity: O(line).
[[nodiscard]] inline std::optional<topo_header> topo_header_of(const text_line& line) {
  topo_header header{{}, 0, false, line};
  bool any_gpu = false;
  std::string_view text = trimmed(line.text);
  if (!numbered(text.substr(0, std::min(text.find_first_not_of("0123456789", 3), text.size())), "GPU")) return std::nullopt;
  while (!(text = trimmed(text)).empty()) {
    bool affinity = false;
    for (const std::string_view title : {"CPU Affinity", "NUMA Affinity", "GPU NUMA ID"}) {
      if (!text.starts_with(title)) continue;
      text.remove_prefix(title.size());
      header.numa = header.numa || title == "NUMA Affinity";
      ++header.affinities;
      affinity = true;
      break;
    }
    if (affinity) continue;
    if (header.affinities > 0) break;
    std::size_t end = 0;
    if (text.starts_with("GPU") || text.starts_with("NIC")) {
      end = std::min(text.find_first_not_of("0123456789", 3), text.size());
      if (end == 3) return std::nullopt;
    } else {
      while (end < text.size() && !is_blank(text[end])) ++end;
    }
    const auto column = text.substr(0, end);
    if (column == "CPU" || column == "NUMA" || topo_cell(column) || p2p_cell(column) || foreign_cell(column)) break;
    if (!is_plain_name(column)) return std::nullopt;
    any_gpu = any_gpu || column.starts_with("GPU");
    header.columns.push_back(column);
    text.remove_prefix(end);
  }
  // A row of a matrix begins like a header; it goes on with a cell.
  const auto words = words_of(line.text);
  if (words.size() > 1 && (topo_cell(words[1]) || p2p_cell(words[1]) || foreign_cell(words[1]))) return std::nullopt;
  if (!any_gpu) return std::nullopt;
  return header;
}

// CPU affinity, NUMA affinity and GPU NUMA ID of a row, as texts; empty where the row leaves them blank.
struct topo_affinities {
  std::string_view cpus;
  std::string_view numa;
  std::string_view memory_numa;
};

// Splits what follows the cells; nothing when it can't be told which field is blank. With tabs a blank field is a field, with
// blanks alone all of `expected` fields must be there. complexity: O(rest).
[[nodiscard]] inline std::optional<topo_affinities> topo_affinities_of(std::string_view rest, std::size_t expected) {
  topo_affinities found;
  if (rest.find('\t') == std::string_view::npos) {
    const auto words = words_of(rest);
    if (words.size() < expected) return std::nullopt;
    if (expected > 0) found.cpus = words[0];
    if (expected > 1) found.numa = words[1];
    if (expected > 2) found.memory_numa = words[2];
    return found;
  }
  std::size_t field = 0;
  for (auto tab = rest.find('\t'); tab != std::string_view::npos; tab = rest.find('\t'), ++field) {
    rest.remove_prefix(tab + 1);
    const auto text = trimmed(rest.substr(0, rest.find('\t')));
    if (field == 0) found.cpus = text;
    else if (field == 1) found.numa = text;
    else if (!text.empty()) found.memory_numa = text;  // the tool prints one tab more before GPU NUMA ID than its header has
  }
  return found;
}

}  // namespace topoplan::inline v1::import::detail
