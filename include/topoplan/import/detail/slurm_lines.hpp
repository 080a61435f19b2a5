// Lines of Slurm's configuration files: comments, continuation lines, and KEY=VALUE pairs with their places.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

struct slurm_pair {
  std::string key;  // lower case: Slurm ignores case in keys
  std::string value;
  location key_at;
  location value_at;
  std::size_t value_offset;  // in the line's text
};

// A line with those that a backslash joins to it, comment removed.
class slurm_line {
 public:
  void append(std::string_view text, std::size_t number) {
    pieces_.push_back({text_.size(), number});
    text_ += text;
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::size_t number() const noexcept { return pieces_.front().line; }
  [[nodiscard]] location at(const std::string& source, std::size_t offset) const {
    std::size_t in = pieces_.size() - 1;
    while (in > 0 && pieces_[in].offset > offset) --in;
    return {source, pieces_[in].line, offset - pieces_[in].offset + 1};
  }

 private:
  struct piece {
    std::size_t offset;
    std::size_t line;
  };
  std::string text_;
  std::vector<piece> pieces_;
};

// The lines that hold something. complexity: O(text). errors: as lines_of.
[[nodiscard]] inline std::vector<slurm_line> slurm_lines(std::string_view text, const std::string& source) {
  std::vector<slurm_line> joined;
  bool open = false;
  for (const text_line& line : lines_of(text, source)) {
    const auto comment = line.text.find('#');
    auto content = line.text.substr(0, comment);
    const bool continues = comment == std::string_view::npos && content.ends_with('\\');
    if (continues) content.remove_suffix(1);
    if (!open && trimmed(content).empty()) continue;
    if (!open) joined.emplace_back();
    joined.back().append(content, line.number);
    open = continues;
  }
  return joined;
}

// The KEY=VALUE pairs of a line; a value may stand in double quotes. errors: parse_error for a word without '='.
[[nodiscard]] inline std::vector<slurm_pair> slurm_pairs(const slurm_line& line, const std::string& source) {
  const std::string& text = line.text();
  std::vector<slurm_pair> pairs;
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < text.size() && is_blank(text[at])) ++at;
  };
  for (skip_blanks(); at < text.size(); skip_blanks()) {
    const auto key_at = at;
    while (at < text.size() && text[at] != '=' && !is_blank(text[at])) ++at;
    slurm_pair pair{lower(std::string_view(text).substr(key_at, at - key_at)), {}, line.at(source, key_at), {}, 0};
    skip_blanks();
    if (at >= text.size() || text[at] != '=') {
      throw parse_error(pair.key_at, "KEY=VALUE", quoted(std::string_view(text).substr(key_at, at - key_at)));
    }
    ++at;
    skip_blanks();
    const bool in_quotes = at < text.size() && text[at] == '"';
    if (in_quotes) ++at;
    const auto value_at = at;
    while (at < text.size() && (in_quotes ? text[at] != '"' : !is_blank(text[at]))) ++at;
    pair.value = text.substr(value_at, at - value_at);
    pair.value_at = line.at(source, value_at);
    pair.value_offset = value_at;
    if (in_quotes && at >= text.size()) throw parse_error(pair.value_at, "a closing quote", "the end of the line");
    if (in_quotes) ++at;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace topoplan::inline v1::import::detail
