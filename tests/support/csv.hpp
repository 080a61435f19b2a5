// Reads a small CSV file with quoted fields and a header line.
#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace topoplan_test {

using csv_row = std::map<std::string, std::string>;

// The rows of the file as column name to cell; empty when the file can't be read.
inline std::vector<csv_row> read_csv(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
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
  std::vector<csv_row> rows;
  for (std::size_t l = 1; l < lines.size(); ++l) {
    if (lines[l].size() != lines[0].size()) continue;
    csv_row row;
    for (std::size_t f = 0; f < lines[l].size(); ++f) row[lines[0][f]] = lines[l][f];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace topoplan_test
