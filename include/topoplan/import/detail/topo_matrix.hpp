// One matrix of `nvidia-smi topo -m`: which column is which device, from the header or, where that is missing, from the rows.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/topo_row.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// More devices than any host has; a matrix is their square.
inline constexpr std::size_t topo_max_columns = 256;

struct topo_matrix {
  std::optional<topo_header> header;
  std::vector<topo_row> rows;

  [[nodiscard]] bool is_p2p() const {
    return std::any_of(rows.begin(), rows.end(), [](const topo_row& row) { return row.p2p; });
  }
  [[nodiscard]] std::size_t line() const { return header ? header->line.number : rows.empty() ? 0 : rows.front().line.number; }
};

// The names of the columns, GPUs first.
struct topo_columns {
  std::vector<std::string> names;
  std::size_t gpus = 0;
  std::vector<note> notes;
};

// The header's columns, when every row fits under them; nothing otherwise.
[[nodiscard]] inline std::optional<topo_columns> columns_of_header(const topo_matrix& matrix) {
  if (!matrix.header) return std::nullopt;
  const auto& names = matrix.header->columns;
  topo_columns columns{{names.begin(), names.end()}, 0, {}};
  while (columns.gpus < names.size() && names[columns.gpus].starts_with("GPU")) ++columns.gpus;
  const bool fits = std::all_of(matrix.rows.begin(), matrix.rows.end(), [&](const topo_row& row) {
    return row.cells.size() <= names.size() && std::find(names.begin(), names.end(), row.name) != names.end();
  });
  return fits ? std::optional(columns) : std::nullopt;
}

// Columns from the rows alone: the X of a row says which column its device is. GPUs come first, in order; NICs follow.
// errors: parse_error when the rows contradict each other.
[[nodiscard]] inline topo_columns columns_of_rows(const topo_matrix& matrix, const std::string& source) {
  std::size_t width = 0;
  std::size_t least_gpus = 0;
  std::optional<std::size_t> gpus;
  for (const topo_row& row : matrix.rows) {
    width = std::max(width, row.cells.size());
    const auto gpu = numbered(row.name, "GPU");
    const auto nic = numbered(row.name, "NIC");
    if (gpu) least_gpus = std::max<std::size_t>(least_gpus, *gpu + std::size_t{1});
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i].kind == path_kind::nvlink) least_gpus = std::max(least_gpus, i + 1);
    }
    if (!row.self || (gpu && *row.self == *gpu)) continue;
    if (gpu || (nic && *row.self < *nic)) {
      throw parse_error({source, row.line.number, column_of(row.line.text, row.name)}, "the X of a row in its own column",
                        std::string(row.name) + " with its X in column " + std::to_string(*row.self + 1) +
                            "; columns are missing or the header is");
    }
    if (!nic) gpus = std::min(gpus.value_or(*row.self), *row.self);
    else if (gpus && *gpus != *row.self - *nic) {
      throw parse_error({source, row.line.number, 1},
                        "as many GPU columns as the rows above have (" + std::to_string(*gpus) + ")",
                        std::to_string(*row.self - *nic) + " before " + std::string(row.name));
    } else gpus = *row.self - *nic;
  }
  topo_columns columns{{}, gpus.value_or(least_gpus), {}};
  if (columns.gpus < least_gpus || columns.gpus > width || width > topo_max_columns) {
    throw parse_error({source, matrix.line(), 0}, "a matrix with a column for each of its GPUs",
                      std::to_string(columns.gpus) + " GPU columns, " + std::to_string(width) + " cells and " +
                          std::to_string(least_gpus) + " GPUs");
  }
  for (std::size_t i = 0; i < width; ++i) {
    columns.names.push_back(i < columns.gpus ? "GPU" + std::to_string(i) : "NIC" + std::to_string(i - columns.gpus));
  }
  for (const topo_row& row : matrix.rows) {
    if (row.self && *row.self >= columns.gpus) columns.names[*row.self] = row.name;
  }
  const std::string why = matrix.header ? "the header doesn't fit the rows" : "the header is missing";
  columns.notes.push_back({matrix.line(), why + "; the columns are named by the X of each row"});
  if (!gpus && width > columns.gpus) {
    columns.notes.push_back({matrix.line(), "the last " + std::to_string(width - columns.gpus) +
                                                " columns have neither header nor row; they are taken for NICs"});
  }
  return columns;
}

}  // namespace topoplan::inline v1::import::detail
