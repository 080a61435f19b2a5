// Where in a JSON text the value of a JSON pointer stands: searched for only when a message needs it.
#pragma once

#include <topoplan/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// A step down: into the member `key`, or the element `index` when there is no key.
struct json_step {
  const char* key;
  std::size_t index;
};
using json_path = std::vector<json_step>;

// "/ranks/host/3"; the whole document reads as "the document".
[[nodiscard]] inline std::string pointer_text(const json_path& path) {
  if (path.empty()) return "the document";
  std::string text;
  for (const json_step& step : path) (text += '/') += step.key != nullptr ? std::string(step.key) : std::to_string(step.index);
  return text;
}

[[nodiscard]] inline location line_and_column(std::string_view text, std::size_t offset, const std::string& source) {
  const auto before = text.substr(0, offset);
  const auto newline = before.rfind('\n');
  return {source, static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          newline == std::string_view::npos ? before.size() + 1 : before.size() - newline};
}

// Walks over a text that a parser has accepted.
class json_walker {
 public:
  explicit json_walker(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t at() const noexcept { return at_; }
  [[nodiscard]] bool done() const noexcept { return at_ >= text_.size(); }
  [[nodiscard]] char here() const noexcept { return done() ? '\0' : text_[at_]; }
  void step() noexcept { ++at_; }
  void blanks() noexcept { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  // Moves behind the string that begins here, and returns what stands between its quotes.
  std::string_view string() noexcept {
    const auto start = ++at_;
    while (!done() && here() != '"') at_ += here() == '\\' ? 2U : 1U;
    const auto inside = text_.substr(std::min(start, text_.size()), std::min(at_, text_.size()) - std::min(start, text_.size()));
    ++at_;
    return inside;
  }
  // Moves behind the value that begins here.
  void value() noexcept {
    std::size_t depth = 0;
    do {
      blanks();
      if (here() == '"') {
        string();
      } else if (here() == '{' || here() == '[') {
        ++depth;
        step();
      } else if (here() == '}' || here() == ']') {
        --depth;
        step();
      } else if (here() == ',' || here() == ':') {
        step();
      } else {
        at_ = std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size());
      }
    } while (depth > 0 && !done());
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Where the value of that path begins; where its parent does when it can't be found (a key that is written with escapes).
// pre: the text is JSON. complexity: O(text). errors: none.
[[nodiscard]] inline std::size_t offset_of(std::string_view text, const json_path& path) {
  json_walker walk(text);
  walk.blanks();
  for (const json_step& step : path) {
    const auto parent = walk.at();
    bool found = false;
    const bool object = walk.here() == '{';
    walk.step();
    for (std::size_t i = 0; !found && !walk.done(); ++i) {
      walk.blanks();
      if (walk.here() == ',') walk.step();
      walk.blanks();
      if (walk.here() == '}' || walk.here() == ']') break;
      if (object) {
        found = step.key != nullptr && walk.string() == step.key;
        if (step.key == nullptr) walk.string();
        walk.blanks();
        walk.step();
        walk.blanks();
      } else {
        found = step.key == nullptr && i == step.index;
      }
      if (!found) walk.value();
    }
    if (!found) return parent;
  }
  return walk.at();
}

}  // namespace topoplan::inline v1::import::detail
