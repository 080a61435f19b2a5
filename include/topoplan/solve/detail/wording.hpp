// Pieces of sentences: counts, rank ranges, short lists of names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::detail {

// "1 host", "3 hosts"; `many` where the plural isn't the word with an s.
[[nodiscard]] inline std::string count_of(std::uint64_t n, std::string_view word, std::string_view many = {}) {
  std::string text = std::to_string(n) + ' ';
  if (n == 1 || many.empty()) text += word;
  else text += many;
  if (n != 1 && many.empty()) text += 's';
  return text;
}

// "0-7, 16": ascending numbers, cut after a few pieces.
[[nodiscard]] inline std::string ranges_of(const std::vector<std::uint32_t>& sorted, std::size_t limit = 6) {
  std::string text;
  std::size_t pieces = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (pieces++ == limit) return text + ", ...";
    if (!text.empty()) text += ", ";
    text += std::to_string(sorted[i]);
    if (last > i) (text += '-') += std::to_string(sorted[last]);
    i = last + 1;
  }
  return text;
}

// "a, b, c and 4 more".
[[nodiscard]] inline std::string list_of(const std::vector<std::string>& names, std::size_t limit = 4) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == limit && names.size() > limit + 1) return text + " and " + std::to_string(names.size() - limit) + " more";
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace topoplan::inline v1::detail
