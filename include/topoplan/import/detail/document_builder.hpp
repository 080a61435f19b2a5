// Builds a document from the events of a parser, and refuses what no reader should have to bear.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// A document takes about a hundred bytes a value; nested deeper than this it is no description of a cluster.
inline constexpr std::size_t document_max_values = std::size_t{1} << 22U;
inline constexpr std::size_t document_max_depth = 100;
inline constexpr std::size_t document_max_copied = std::size_t{1} << 22U;

class document_builder {
 public:
  explicit document_builder(const std::string& source) : source_(source) {}

  // errors: parse_error for a document that is too deep or too large.
  void open(document_kind kind, std::uint32_t line, std::uint32_t column) {
    document_value& value = place(line, column);
    value.kind = kind;
    if (open_.size() >= document_max_depth) {
      throw parse_error({source_, line, column}, "lists and maps at most " + std::to_string(document_max_depth) + " deep",
                        "a deeper one");
    }
    open_.push_back({&value, {}, {}});
  }
  void close() { open_.pop_back(); }

  // errors: parse_error for a key that stands twice.
  void key(std::string name, std::uint32_t line, std::uint32_t column) {
    if (!open_.back().seen.insert(name).second) {
      throw parse_error({source_, line, column}, "each key of a map once", quoted(name) + " again");
    }
    open_.back().key = std::move(name);
  }
  void text(std::string text, bool plain, std::uint32_t line, std::uint32_t column, bool literal = false) {
    document_value& value = place(line, column);
    value.kind = document_kind::text;
    value.plain = plain;
    value.literal = literal;
    value.text = std::move(text);
  }
  void none(std::uint32_t line, std::uint32_t column) { static_cast<void>(place(line, column)); }

  // A copy of a text, or of nothing, further up. errors: as open, and parse_error when copies grow out of proportion.
  void copy(const document_value& of, std::uint32_t line, std::uint32_t column) {
    copied_ += of.text.size();
    if (copied_ > document_max_copied) {
      throw parse_error({source_, line, column}, "aliases of at most " + std::to_string(document_max_copied) + " characters",
                        "more");
    }
    document_value& value = place(line, column);
    value.kind = of.kind;
    value.plain = of.plain;
    value.text = of.text;
  }

  [[nodiscard]] document take() { return {source_, std::move(root_)}; }

 private:
  struct level {
    document_value* value;
    std::unordered_set<std::string> seen;
    std::string key;
  };

  [[nodiscard]] document_value& place(std::uint32_t line, std::uint32_t column) {
    if (++values_ > document_max_values) {
      throw parse_error({source_, line, column}, "a document of at most " + std::to_string(document_max_values) + " values",
                        "more");
    }
    document_value* value = &root_;
    if (!open_.empty()) {
      level& parent = open_.back();
      if (parent.value->kind == document_kind::map) parent.value->keys.push_back(std::move(parent.key));
      value = &parent.value->items.emplace_back();
    }
    value->line = line;
    value->column = column;
    return *value;
  }

  std::string source_;
  document_value root_;
  std::vector<level> open_;
  std::size_t values_ = 0;
  std::size_t copied_ = 0;  // characters
};

}  // namespace topoplan::inline v1::import::detail
