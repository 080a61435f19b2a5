// The text of `nvidia-smi -q` as a walk over "key : value" lines, each with the section that it stands in.
#pragma once

#include <topoplan/import/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// A line of the text. A heading has no value.
struct smi_line {
  std::string_view key;
  std::optional<std::string_view> value;
  std::size_t number = 0;
};

// "Product Name            : NVIDIA H100": the colon has a blank before it, or a blank or nothing behind it.
[[nodiscard]] inline smi_line smi_line_of(const text_line& line) {
  const auto text = trimmed(line.text);
  for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    const bool separates = colon > 0 && (is_blank(text[colon - 1]) || colon + 1 == text.size() || is_blank(text[colon + 1]));
    if (separates) return {trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1)), line.number};
  }
  return {text, std::nullopt, line.number};
}

// Which sections are open, told by the indentation; where that was lost, the last heading.
class smi_sections {
 public:
  // Takes note of a line; a heading opens a section.
  void enter(const text_line& line, const smi_line& parsed) {
    std::size_t indent = 0;
    while (indent < line.text.size() && is_blank(line.text[indent])) ++indent;
    while (!open_.empty() && open_.back().first >= indent) open_.pop_back();
    if (parsed.value) return;
    open_.emplace_back(indent, parsed.key);
    last_heading_ = parsed.key;
  }

  // The section that the last line stands in. pre: that line had a value.
  [[nodiscard]] std::string_view parent() const noexcept { return open_.empty() ? last_heading_ : open_.back().second; }
  [[nodiscard]] bool inside(std::string_view section) const noexcept {
    return std::any_of(open_.begin(), open_.end(), [&](const auto& entry) { return entry.second == section; });
  }
  void reset() {
    open_.clear();
    last_heading_ = {};
  }

 private:
  std::vector<std::pair<std::size_t, std::string_view>> open_;
  std::string_view last_heading_;
};

}  // namespace topoplan::inline v1::import::detail
