// From the rows of one `nvidia-smi topo -m` matrix to a node_topology: cells, affinities, and a note for each hole.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/topo_matrix.hpp>
#include <topoplan/import/detail/topo_row.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

class topo_node_builder {
 public:
  // errors: parse_error when columns or rows contradict each other, or a cell is no path. complexity: O(text + columns^2).
  topo_node_builder(const topo_matrix& matrix, const std::string& source) : matrix_(matrix), columns_(columns()) {
    node_.source = source;
    name_columns();
    for (const topo_row& row : matrix.rows) add(row);
    say_what_is_missing();
  }

  [[nodiscard]] node_topology take() { return std::move(node_); }

 private:
  [[nodiscard]] topo_columns columns() const {
    if (auto found = columns_of_header(matrix_)) return *found;
    return columns_of_rows(matrix_, node_.source);
  }

  void name_columns() {
    const auto& names = columns_.names;
    const location where{node_.source, matrix_.line(), 0};
    if (names.size() > topo_max_columns) {
      throw parse_error(where, "at most " + std::to_string(topo_max_columns) + " columns", std::to_string(names.size()));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!index_.emplace(names[i], i).second) throw parse_error(where, "each column once", quoted(names[i]) + " twice");
      if (i < columns_.gpus) {
        node_.gpus.push_back({names[i], 0, false, {}, {}, {}});
      } else {
        if (names[i].starts_with("GPU"))
          throw parse_error(where, "the GPU columns before the NICs", quoted(names[i]) + " behind");
        node_.nics.push_back({names[i], numbered(names[i], "NIC") ? std::string{} : names[i], 0, false});
      }
    }
    node_.paths.assign(names.size() * names.size(), path{});
    for (std::size_t i = 0; i < names.size(); ++i) node_.paths[i * names.size() + i] = path{path_kind::self};
    node_.notes = columns_.notes;
    row_of_.assign(names.size(), nullptr);
  }

  void add(const topo_row& row) {
    const auto found = index_.find(std::string(row.name));
    if (found == index_.end()) {
      note_at(row, "the row stops before its own column, and no header says which that is; it is left out");
      return;
    }
    const std::size_t at = found->second;
    if (row_of_[at] != nullptr) {
      if (!row.says_the_same(*row_of_[at])) {
        throw parse_error(where(row), "one row for " + std::string(row.name),
                          "another one that differs from line " + std::to_string(row_of_[at]->line.number));
      }
      note_at(row, "the row is a copy of line " + std::to_string(row_of_[at]->line.number));
      return;
    }
    row_of_[at] = &row;
    const std::size_t cells = trusted_cells(row);
    for (std::size_t to = 0; to < cells; ++to) set(row, at, to);
    const bool complete = cells == columns_.names.size();
    if (!complete) {
      note_at(row, "the row stops after " + std::to_string(cells) + " of " + std::to_string(columns_.names.size()) + " columns");
    }
    if (at < columns_.gpus) {
      node_.gpus[at].line = row.line.number;
      node_.gpus[at].complete = complete;
      if (complete) affinities(row, at);
    } else {
      node_.nics[at - columns_.gpus].line = row.line.number;
      node_.nics[at - columns_.gpus].complete = complete;
    }
  }

  // How many cells of a row may be believed: the end of the text may have cut the last one.
  // errors: parse_error for a word between the cells that is none.
  [[nodiscard]] std::size_t trusted_cells(const topo_row& row) const {
    const std::size_t cells = row.cells.size();
    const auto rest = trimmed(row.rest);
    if (!rest.empty() && cells < columns_.names.size() && (row.line.ended || !may_be_cut(rest))) {
      throw parse_error({node_.source, row.line.number, column_of(row.line.text, rest)},
                        "X, NV#, PIX, PXB, PHB, NODE or SYS in each of " + std::to_string(columns_.names.size()) + " columns",
                        quoted(words_of(rest).front()) + " after " + std::to_string(cells));
    }
    if (rest.empty() && !row.line.ended && cells > 0 && row.cells.back().kind == path_kind::nvlink) return cells - 1;
    return cells;
  }

  void set(const topo_row& row, std::size_t at, std::size_t to) {
    const path p = row.cells[to];
    const std::size_t width = columns_.names.size();
    if ((p.kind == path_kind::self) != (at == to)) {
      throw parse_error(where(row), "X in the column " + columns_.names[at] + " of row " + columns_.names[at] + " and only there",
                        to_string(p) + " in the column " + columns_.names[to]);
    }
    if (p.kind == path_kind::nvlink && (at >= columns_.gpus || to >= columns_.gpus)) {
      throw parse_error(where(row), "NVLink between GPUs only",
                        to_string(p) + " between " + columns_.names[at] + " and " + columns_.names[to]);
    }
    path& known = node_.paths[at * width + to];
    if (known.kind != path_kind::unknown && known != p) {
      throw parse_error(where(row),
                        to_string(known) + " between " + columns_.names[to] + " and " + columns_.names[at] + " as in line " +
                            std::to_string(row_of_[to]->line.number),
                        to_string(p));
    }
    known = node_.paths[to * width + at] = p;
  }

  void affinities(const topo_row& row, std::size_t at) {
    const std::size_t expected = matrix_.header ? matrix_.header->affinities : words_of(row.rest).empty() ? 0U : 3U;
    const auto found = topo_affinities_of(row.rest, expected);
    if (!found) {
      if (!trimmed(row.rest).empty()) {
        note_at(row, "of " + std::to_string(expected) +
                         " affinity columns some are blank, and without tabs it can't be told which; all are left unknown");
      }
      return;
    }
    node_gpu& gpu = node_.gpus[at];
    if (found->cpus.find_first_not_of("0123456789,-") == std::string_view::npos) gpu.cpus = found->cpus;
    gpu.numa = number(found->numa);
    gpu.memory_numa = number(found->memory_numa);
    if (!gpu.numa && !found->numa.empty() && found->numa != "N/A") {
      note_at(row, "NUMA affinity " + quoted(found->numa) + " isn't one NUMA node; it is left unknown");
    }
  }

  void say_what_is_missing() {
    std::string missing;
    for (std::size_t i = 0; i < row_of_.size(); ++i) {
      if (row_of_[i] == nullptr) missing += (missing.empty() ? "" : ", ") + columns_.names[i];
    }
    if (!missing.empty()) {
      node_.notes.push_back(
          {matrix_.line(), "rows are missing: " + missing + "; their cells are taken from the rows that are there"});
    }
  }

  void note_at(const topo_row& row, const std::string& text) {
    node_.notes.push_back({row.line.number, std::string(row.name) + ": " + text});
  }
  [[nodiscard]] location where(const topo_row& row) const {
    return {node_.source, row.line.number, column_of(row.line.text, row.name)};
  }

  const topo_matrix& matrix_;
  node_topology node_;
  topo_columns columns_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<const topo_row*> row_of_;
};

}  // namespace topoplan::inline v1::import::detail
