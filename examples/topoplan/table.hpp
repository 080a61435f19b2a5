// Columns of text for people: each as wide as its widest cell, two blanks between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan_cli {

class table {
 public:
  // `right` lists the columns whose cells are flushed right.
  explicit table(std::vector<std::size_t> right = {}) : right_(std::move(right)) {}

  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  void print(std::ostream& out, std::string_view indent = "  ") const {
    std::vector<std::size_t> width;
    for (const auto& cells : rows_) {
      width.resize(std::max(width.size(), cells.size()));
      for (std::size_t i = 0; i < cells.size(); ++i) width[i] = std::max(width[i], cells[i].size());
    }
    for (const auto& cells : rows_) {
      std::string line(indent);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string fill(width[i] - cells[i].size(), ' ');
        line += std::find(right_.begin(), right_.end(), i) != right_.end() ? fill + cells[i] : cells[i] + fill;
        line += "  ";
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out << line << '\n';
    }
  }

 private:
  std::vector<std::size_t> right_;
  std::vector<std::vector<std::string>> rows_;
};

// 1234567 as "1,234,567".
[[nodiscard]] inline std::string grouped(std::int64_t n) {
  std::string digits = std::to_string(n < 0 ? -n : n);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return n < 0 ? "-" + digits : digits;
}
[[nodiscard]] inline std::string grouped(std::size_t n) { return grouped(static_cast<std::int64_t>(n)); }

// "1 host", "24 hosts".
[[nodiscard]] inline std::string counted(std::size_t n, std::string_view one, std::string_view many = {}) {
  return grouped(n) + ' ' + (n == 1 ? std::string(one) : many.empty() ? std::string(one) + 's' : std::string(many));
}

}  // namespace topoplan_cli
