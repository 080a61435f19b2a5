// The one place that includes nlohmann-json: a document whose values know their JSON pointer and, for messages, their line.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/json_place.hpp>
#include <topoplan/import/detail/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

struct json_text {
  std::string_view text;
  const std::string& source;
};

// A value of a document and the way to it. Values point to their parents, which must outlive them.
class json_value {
 public:
  json_value(const json_text& document, const nlohmann::json& value) : document_(&document), value_(&value) {}

  // errors: parse_error that names the value's line and JSON pointer.
  [[noreturn]] void refuse(const std::string& expected, std::string found = {}) const {
    json_path path;
    for (const json_value* v = this; v->parent_ != nullptr; v = v->parent_) path.push_back({v->key_, v->index_});
    std::reverse(path.begin(), path.end());
    if (found.empty()) found = short_dump();
    const auto offset = offset_of(document_->text, path);
    throw parse_error(line_and_column(document_->text, offset, document_->source), pointer_text(path) + " to be " + expected,
                      found);
  }

  // A member that must be there.
  [[nodiscard]] json_value at(const char* key) const {
    if (auto found = find(key)) return *found;
    refuse("an object with " + quoted(key), value_->is_object() ? "no such key" : short_dump());
  }
  [[nodiscard]] std::optional<json_value> find(const char* key) const {
    if (!value_->is_object()) refuse("an object");
    const auto found = value_->find(key);
    if (found == value_->end()) return std::nullopt;
    return json_value(*this, *found, key, 0);
  }

  // Elements of an array. pre: index < size().
  [[nodiscard]] std::size_t size() const {
    if (!value_->is_array()) refuse("an array");
    return value_->size();
  }
  [[nodiscard]] json_value operator[](std::size_t index) const { return {*this, (*value_)[index], nullptr, index}; }

  [[nodiscard]] const std::string& text() const {
    if (!value_->is_string()) refuse("a string");
    return value_->get_ref<const std::string&>();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_boolean()) refuse("true or false");
    return value_->get<bool>();
  }
  // A finite number that isn't negative.
  [[nodiscard]] double real() const {
    if (!value_->is_number()) refuse("a number");
    const auto number = value_->get<double>();
    if (!std::isfinite(number) || number < 0) refuse("a number that isn't negative");
    return number;
  }
  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const {
    const bool fits = value_->is_number_unsigned()
                          ? value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(std::max(most, std::int64_t{0}))
                          : value_->is_number_integer();
    if (!fits || value_->get<std::int64_t>() < least || value_->get<std::int64_t>() > most) {
      refuse("an integer from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value_->get<std::int64_t>();
  }
  template <class Integer> [[nodiscard]] Integer integer(std::int64_t least = 0) const {
    constexpr auto largest = static_cast<std::int64_t>(std::numeric_limits<Integer>::max());
    return static_cast<Integer>(integer(least, largest));
  }

  // A column: integers up to `most`, or texts. post: `rows` elements. errors: parse_error for another size or element.
  template <class Integer>
  [[nodiscard]] std::vector<Integer> integers(
      std::size_t rows, std::int64_t least = 0,
      std::int64_t most = static_cast<std::int64_t>(std::numeric_limits<Integer>::max())) const {
    require_rows(rows);
    std::vector<Integer> column;
    column.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) column.push_back(static_cast<Integer>((*this)[i].integer(least, most)));
    return column;
  }
  [[nodiscard]] std::vector<std::string> texts(std::size_t rows) const {
    require_rows(rows);
    std::vector<std::string> column;
    column.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) column.push_back((*this)[i].text());
    return column;
  }
  [[nodiscard]] std::vector<std::string> texts() const { return texts(size()); }

 private:
  json_value(const json_value& parent, const nlohmann::json& value, const char* key, std::size_t index)
      : document_(parent.document_), value_(&value), parent_(&parent), key_(key), index_(index) {}

  void require_rows(std::size_t rows) const {
    if (size() != rows) refuse("an array of " + std::to_string(rows), std::to_string(size()) + " elements");
  }
  // What stands there, cut short; a large value isn't printed whole first.
  [[nodiscard]] std::string short_dump() const {
    if (value_->is_structured()) return value_->is_array() ? "an array" : "an object";
    if (value_->is_string()) return quoted(value_->get_ref<const std::string&>());
    return value_->dump();
  }

  const json_text* document_;
  const nlohmann::json* value_;
  const json_value* parent_ = nullptr;
  const char* key_ = nullptr;
  std::size_t index_ = 0;
};

// Parses a document and hands its root, checked to be `format` version 1, to `read`.
// errors: parse_error with line and column where the text is no JSON, or the format or version is another.
template <class Read>
[[nodiscard]] auto read_json(std::string_view text, const std::string& source, std::string_view format, const Read& read) {
  const json_text document{plain_text(text, source), source};
  nlohmann::json parsed;
  try {
    parsed = nlohmann::json::parse(document.text);
  } catch (const nlohmann::json::parse_error& e) {
    const std::size_t offset = e.byte == 0 ? 0 : e.byte - 1;
    const auto rest = document.text.substr(std::min(offset, document.text.size()));
    throw parse_error(line_and_column(document.text, offset, source), "JSON", rest.empty() ? "the end" : quoted(rest, 20));
  } catch (const nlohmann::json::exception& e) {
    throw parse_error({source, 0, 0}, "JSON with numbers that a double holds", e.what());
  }
  const json_value root(document, parsed);
  const json_value named = root.at("format");
  if (named.text() != format) named.refuse(quoted(format));
  const json_value version = root.at("version");
  if (version.integer(0, std::numeric_limits<std::int64_t>::max()) != 1) version.refuse("1, the version that is read here");
  return read(root);
}

}  // namespace topoplan::inline v1::import::detail
