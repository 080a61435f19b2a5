// Reads `nvidia-smi topo -m` (and `topo -mp`), as the tool prints it and as people paste it.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/topo_matrix.hpp>
#include <topoplan/import/detail/topo_node.hpp>
#include <topoplan/import/detail/topo_row.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

struct nic_legend_entry {
  std::string_view column;
  std::string_view device;
  std::size_t line = 0;
};

// What the lines of a text say, before any of it is believed.
struct topo_scan {
  std::vector<topo_matrix> matrices;
  std::vector<nic_legend_entry> nic_legend;
  bool legend_lists_nvlink = false;
  std::size_t peer_only_command = 0;  // line with `topo -mp`
  std::size_t foreign = 0;            // line that another vendor's tool wrote
};

[[nodiscard]] inline bool is_matrix_row(const topo_row& row, const topo_matrix& current) {
  if (numbered(row.name, "GPU") || numbered(row.name, "NIC")) return true;
  if (row.p2p || row.foreign) return false;
  if (row.self && row.cells.size() > 1) return true;
  const auto known = [&](std::string_view column) { return column == row.name; };
  return current.header && std::any_of(current.header->columns.begin(), current.header->columns.end(), known);
}

// complexity: O(lines).
[[nodiscard]] inline topo_scan scan_topo(const std::vector<text_line>& lines) {
  topo_scan scan;
  topo_matrix current;
  bool in_nic_legend = false;
  const auto close = [&] {
    if (current.header || !current.rows.empty()) scan.matrices.push_back(std::exchange(current, {}));
  };
  for (const text_line& line : lines) {
    if (auto header = topo_header_of(line)) {
      const bool copy = current.header && current.rows.empty() && current.header->columns == header->columns;
      if (!copy) {
        close();
        current.header = std::move(header);
      }
      in_nic_legend = false;
      continue;
    }
    const auto words = words_of(line.text);
    if (words.empty()) continue;
    const bool legend_line = words.size() > 1 && words[1] == "=";
    if (legend_line && words[0] == "NV#") scan.legend_lists_nvlink = true;
    if ((legend_line && foreign_cell(words[0])) || numbered(words[0], "PPU") || words[0] == "PPU") scan.foreign = line.number;
    if (std::adjacent_find(words.begin(), words.end(), [](auto a, auto b) { return a == "topo" && b == "-mp"; }) != words.end()) {
      scan.peer_only_command = line.number;
    }
    if (words.size() == 2 && words[0] == "NIC" && words[1] == "Legend:") {
      in_nic_legend = true;
    } else if (in_nic_legend && words.size() == 2 && words[0].ends_with(':') && is_plain_name(words[0]) &&
               is_plain_name(words[1])) {
      scan.nic_legend.push_back({words[0].substr(0, words[0].size() - 1), words[1], line.number});
    } else if (auto row = topo_row_of(line); row && is_matrix_row(*row, current)) {
      if (row->foreign && scan.foreign == 0) scan.foreign = line.number;
      current.rows.push_back(std::move(*row));
    }
  }
  close();
  return scan;
}

// What NVLink looks like from the finished matrix: whether it is shown, and which GPUs stand apart.
inline void conclude_nvlink(node_topology& node, const topo_scan& scan) {
  const auto groups = nvlink_groups(node);
  const bool all_known = std::all_of(groups.begin(), groups.end(), [](const nvlink_group& group) { return group.known; });
  const bool shown = groups.size() < node.gpus.size();
  if (!shown) {
    const bool hidden = scan.peer_only_command != 0 || !scan.legend_lists_nvlink;
    if (node.gpus.size() > 1 && !hidden && all_known) node.nvlink = nvlink_view::absent;
    else if (node.gpus.size() > 1 && hidden) {
      node.notes.push_back({scan.peer_only_command,
                            "no NVLink is shown, and no legend with NV# says that it would be: `topo -mp` hides "
                            "it, so that nothing is concluded"});
    }
    return;
  }
  node.nvlink = nvlink_view::shown;
  for (const nvlink_group& group : groups) {
    const node_gpu& first = node.gpus[group.gpus.front()];
    if (group.gpus.size() == 1 && group.known) {
      node.notes.push_back({first.line, first.name + " has no NVLink, unlike other GPUs of this host"});
    } else if (group.known && !group.all_to_all) {
      node.notes.push_back({first.line, "the NVLinks of the " + std::to_string(group.gpus.size()) + " GPUs from " + first.name +
                                            " on form a mesh: not every pair is joined"});
    } else if (group.known && group.gpus.size() > 1 && group.links == 0) {
      node.notes.push_back(
          {first.line, "the pairs of the " + std::to_string(group.gpus.size()) + " GPUs from " + first.name +
                           " on are joined by different numbers of NVLinks: links are down or the mesh is uneven"});
    }
  }
}

inline void name_nics(node_topology& node, const topo_scan& scan) {
  for (const nic_legend_entry& entry : scan.nic_legend) {
    const auto nic =
        std::find_if(node.nics.begin(), node.nics.end(), [&](const node_nic& n) { return n.column == entry.column; });
    if (nic == node.nics.end()) {
      node.notes.push_back({entry.line, "the NIC legend names " + std::string(entry.column) + ", which has no column"});
    } else if (!nic->device.empty() && nic->device != entry.device) {
      throw parse_error({node.source, entry.line, 0}, "one name for " + nic->column,
                        nic->device + " and " + std::string(entry.device));
    } else nic->device = entry.device;
  }
}

// errors: parse_error that says what the text is instead.
[[nodiscard]] inline node_topology topo_from(const topo_scan& scan, const std::string& source) {
  constexpr auto expected = "the matrix of `nvidia-smi topo -m`";
  if (scan.foreign != 0) throw parse_error({source, scan.foreign, 0}, expected, "the table of another vendor's tool");
  const topo_matrix* chosen = nullptr;
  std::optional<node_topology> node;
  std::vector<note> notes;
  for (const topo_matrix& matrix : scan.matrices) {
    if (matrix.rows.empty()) continue;
    if (matrix.is_p2p()) {
      notes.push_back({matrix.line(), "a P2P status matrix (`topo -p2p`) is left out"});
      continue;
    }
    node_topology read = topo_node_builder(matrix, source).take();
    if (!node) {
      node = std::move(read);
      chosen = &matrix;
      continue;
    }
    if (read.paths != node->paths || read.gpus.size() != node->gpus.size()) {
      throw parse_error({source, matrix.line(), 0}, "one matrix, of one host",
                        "a second one that differs from that in line " + std::to_string(chosen->line()));
    }
    notes.push_back({matrix.line(), "the matrix repeats that of line " + std::to_string(chosen->line())});
  }
  if (!node) {
    if (!notes.empty()) {
      throw parse_error({source, notes.front().line, 0}, expected, "a P2P status matrix (`topo -p2p`), which names no links");
    }
    const std::size_t line = scan.matrices.empty() ? 0 : scan.matrices.front().line();
    throw parse_error({source, line, 0}, line == 0 ? expected : "rows of GPUs under the header", "none");
  }
  if (node->gpus.empty()) throw parse_error({source, chosen->line(), 0}, "a matrix with GPUs", "none");
  node->notes.insert(node->notes.end(), notes.begin(), notes.end());
  return *std::move(node);
}

}  // namespace detail

// Reads the matrix of one host. Tabs or blanks, CRLF, terminal colours, a missing header or legend, glued header names, comment
// signs and grep prefixes, missing rows and a cut end are all read; each hole is a note, never a guess.
// post: paths are symmetric; X stands on the diagonal and nowhere else; NVLink joins GPUs only; a GPU without a row, a NUMA
//   field that is blank and NVLink that `-mp` hides are unknown, not 0 and not absent.
// complexity: O(text + devices^2). errors: parse_error for a text without such a matrix (P2P status and other vendors' tables are
//   named), for rows that contradict each other, and for two different matrices.
[[nodiscard]] inline node_topology nvidia_smi_topo(std::string_view text, const std::string& source) {
  std::string plain = detail::without_escapes(text);
  auto scan = detail::scan_topo(detail::lines_of(plain, source));
  const bool any_row =
      std::any_of(scan.matrices.begin(), scan.matrices.end(), [](const auto& matrix) { return !matrix.rows.empty(); });
  if (!any_row && scan.foreign == 0) {
    plain = detail::without_comment_signs(plain);
    scan = detail::scan_topo(detail::lines_of(plain, source));
  }
  node_topology node = detail::topo_from(scan, source);
  detail::name_nics(node, scan);
  detail::conclude_nvlink(node, scan);
  std::sort(node.notes.begin(), node.notes.end(),
            [](const note& a, const note& b) { return a.line != b.line ? a.line < b.line : a.text < b.text; });
  return node;
}

}  // namespace topoplan::inline v1::import
