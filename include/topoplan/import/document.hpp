// A JSON or YAML document as its readers see it: texts, lists and maps that know where they stand.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// What a value is: null, a scalar, a sequence, a mapping.
enum class document_kind : std::uint8_t { none, text, list, map };

// One value and what it holds. A number or truth value is kept as it is written.
struct document_value {
  document_kind kind = document_kind::none;
  bool plain = false;                 // of a text: it stood without quotes, so that it may be meant as a number or truth value
  bool literal = false;               // of a text: a block after "|", whose lines are lines of the document
  std::uint32_t line = 0;             // from 1
  std::uint32_t column = 0;           // from 1
  std::string text;                   // of a text
  std::vector<std::string> keys;      // of a map, in its order; each once
  std::vector<document_value> items;  // of a list, or the values of a map's keys

  // The value of a key, or nothing where there is no such key or no map. complexity: O(keys). errors: none.
  [[nodiscard]] const document_value* find(std::string_view key) const noexcept {
    const auto at = std::find(keys.begin(), keys.end(), key);
    return at == keys.end() ? nullptr : &items[static_cast<std::size_t>(at - keys.begin())];
  }
};

// A plain value: what one text, or one of the documents that a YAML text holds, says.
struct document {
  std::string source;
  document_value root;
};

// A value while it is read: it knows its document, so that every refusal names the place.
class document_reader {
 public:
  // pre: the document outlives the reader.
  explicit document_reader(const document& d) noexcept : source_(&d.source), value_(&d.root) {}
  document_reader(const std::string& source, const document_value& value) noexcept : source_(&source), value_(&value) {}

  [[nodiscard]] const document_value& value() const noexcept { return *value_; }
  [[nodiscard]] std::size_t line() const noexcept { return value_->line; }
  [[nodiscard]] location where() const { return {*source_, value_->line, value_->column}; }

  // What stands there, for messages: a text in quotes if it has some, "a list", "a map", "nothing". complexity: O(1). errors:
  // none.
  [[nodiscard]] std::string shown() const {
    switch (value_->kind) {
      case document_kind::none: return "nothing";
      case document_kind::text:
        return value_->plain && is_short_and_printable(value_->text) ? value_->text : quoted(value_->text);
      case document_kind::list: return "a list";
      case document_kind::map: return "a map";
    }
    return {};
  }

  // errors: always a parse_error at the value; without `found` it says what stands there.
  [[noreturn]] void refuse(std::string expected, std::string found = {}) const {
    throw parse_error(where(), std::move(expected), found.empty() ? shown() : std::move(found));
  }

  // Whether a map has the key with a value; a key with null counts as missing. complexity: O(keys). errors: none.
  [[nodiscard]] bool has(std::string_view key) const noexcept {
    const document_value* found = value_->find(key);
    return found != nullptr && found->kind != document_kind::none;
  }
  // The value of a key that must be there. complexity: O(keys). errors: parse_error for another kind or a missing key.
  [[nodiscard]] document_reader at(std::string_view key) const {
    if (value_->kind != document_kind::map) refuse("a map with " + quoted(key));
    const document_value* found = value_->find(key);
    if (found == nullptr) refuse("a map with " + quoted(key), "no such key");
    return {*source_, *found};
  }

  // The number of items of a list. complexity: O(1). errors: parse_error for another kind.
  [[nodiscard]] std::size_t size() const {
    if (value_->kind != document_kind::list) refuse("a list");
    return value_->items.size();
  }
  // pre: index < the number of items or keys. complexity: O(1). errors: none.
  [[nodiscard]] document_reader operator[](std::size_t index) const { return {*source_, value_->items[index]}; }

  // complexity: O(1). errors: parse_error for a list, a map or nothing.
  [[nodiscard]] const std::string& text() const {
    if (value_->kind != document_kind::text) refuse("a text");
    return value_->text;
  }
  // A whole number, in quotes or without. complexity: O(1). errors: parse_error when it is none, or more than `most`.
  [[nodiscard]] std::uint32_t count(std::uint32_t most) const {
    const auto number = value_->kind == document_kind::text ? detail::number(value_->text) : std::nullopt;
    if (!number || *number > most) refuse("a whole number up to " + std::to_string(most));
    return *number;
  }

 private:
  [[nodiscard]] static bool is_short_and_printable(const std::string& text) noexcept {
    return text.size() <= 60 && std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < '\x7f'; });
  }

  const std::string* source_;
  const document_value* value_;
};

}  // namespace topoplan::inline v1::import
