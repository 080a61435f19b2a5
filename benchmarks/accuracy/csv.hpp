// Reads CSV files with quoted fields and a header line: cells by column name.
#pragma once

#include <topoplan/core/error.hpp>

#include <charconv>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace accuracy {

// The table of a file; a row is an index.
class csv_table {
 public:
  // errors: io_error if the file can't be read; parse_error for a row whose cells don't match the header.
  explicit csv_table(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw topoplan::io_error(path, "can't be read");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
    bool inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (inside) {
        if (c != '"') lines.back().back() += c;
        else if (i + 1 < text.size() && text[i + 1] == '"') lines.back().back() += text[++i];
        else inside = false;
      } else if (c == '"') inside = true;
      else if (c == ',') lines.back().emplace_back();
      else if (c == '\n') lines.emplace_back(1);
      else if (c != '\r') lines.back().back() += c;
    }
    if (lines.back().size() == 1 && lines.back()[0].empty()) lines.pop_back();
    for (std::size_t f = 0; !lines.empty() && f < lines[0].size(); ++f) column_[lines[0][f]] = f;
    for (std::size_t l = 1; l < lines.size(); ++l) {
      if (lines[l].size() != lines[0].size())
        throw topoplan::parse_error({path, l + 1, 1}, std::to_string(lines[0].size()) + " cells, as the header has",
                                    std::to_string(lines[l].size()));
      rows_.push_back(std::move(lines[l]));
    }
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }
  [[nodiscard]] bool has(const std::string& column) const { return column_.count(column) != 0; }
  // The cell; empty for a column that the file lacks.
  [[nodiscard]] std::string_view at(std::size_t row, const std::string& column) const {
    const auto found = column_.find(column);
    return found == column_.end() ? std::string_view{} : std::string_view(rows_[row][found->second]);
  }
  // The cell as a number; `otherwise` if it isn't one.
  [[nodiscard]] double number(std::size_t row, const std::string& column, double otherwise = 0) const {
    const std::string_view text = at(row, column);
    double value = otherwise;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    return end.ec == std::errc{} ? value : otherwise;
  }

 private:
  std::string path_;
  std::unordered_map<std::string, std::size_t> column_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace accuracy
