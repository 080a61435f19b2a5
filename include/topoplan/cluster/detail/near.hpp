// Which of the known names a mistyped one is near to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Lower-case letters and digits only: "H100-SXM 80GB" and "h100_sxm-80gb" are one name.
[[nodiscard]] inline std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

// Insertions, deletions and replacements between two texts. complexity: O(a * b).
// source: Wagner, Fischer, "The string-to-string correction problem", J. ACM 21, 1974.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = corner + (a[i - 1] == b[j - 1] ? 0U : 1U);
      corner = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

// The known names nearest to `name`, best first, at most `limit`: those within a third of its length, and those that it
// begins or that begin it. complexity: O(names * length^2).
template <class Names>
[[nodiscard]] std::vector<std::string> near_names(std::string_view name, const Names& known, std::size_t limit = 3) {
  struct match {
    std::size_t apart;
    std::size_t place;  // among the known names: makes the order of equals fixed
    std::string name;
  };
  const std::string wanted = folded(name);
  std::vector<match> found;
  std::size_t place = 0;
  for (const auto& candidate : known) {
    const std::string other = folded(candidate);
    const bool begins = wanted.size() > 1 && !other.empty() && (other.starts_with(wanted) || wanted.starts_with(other));
    const std::size_t apart = edit_distance(wanted, other);
    if (begins || apart <= std::max<std::size_t>(1, wanted.size() / 3))
      found.push_back({begins ? 0 : apart, place, std::string(candidate)});
    ++place;
  }
  std::sort(found.begin(), found.end(),
            [](const match& a, const match& b) { return a.apart != b.apart ? a.apart < b.apart : a.place < b.place; });
  std::vector<std::string> names;
  for (match& m : found) {
    if (names.size() == limit) break;
    names.push_back(std::move(m.name));
  }
  return names;
}

// "a, b, c". complexity: O(length).
template <class Names> [[nodiscard]] std::string listed(const Names& names) {
  std::string out;
  for (const auto& name : names) (out += out.empty() ? "" : ", ") += name;
  return out;
}

}  // namespace topoplan::inline v1::detail
