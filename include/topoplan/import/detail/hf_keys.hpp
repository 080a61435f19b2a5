// The keys of a HuggingFace config.json: sizes, switches and texts that are refused with their name where they can't be meant.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/document.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

// No published model comes near these; what is above is a slip, and products of what is below don't overflow.
inline constexpr std::uint32_t hf_widest = 1U << 18U;
inline constexpr std::uint32_t hf_most_heads = 1U << 14U;  // of a size of that much at most
inline constexpr std::uint32_t hf_most_rows = 1U << 26U;
inline constexpr std::uint32_t hf_most_layers = 10'000;
inline constexpr std::uint32_t hf_most_experts = 1U << 12U;

// One name of a setting, or several that versions of one family use.
using hf_names = std::initializer_list<std::string_view>;

// The map that describes the language model. A key with null is missing, unless a setting means something by it.
class hf_keys {
 public:
  // pre: the document outlives this value. errors: parse_error for what isn't a map.
  hf_keys(const document_reader& map, std::string type) : map_(map), type_(std::move(type)) {
    if (map.value().kind != document_kind::map) map.refuse("a map of settings of a model");
  }

  [[nodiscard]] const document_reader& map() const noexcept { return map_; }
  [[nodiscard]] const std::string& type() const noexcept { return type_; }
  [[nodiscard]] bool has(std::string_view key) const noexcept { return map_.has(key); }
  // True for a key with null.
  [[nodiscard]] bool is_null(std::string_view key) const noexcept { return map_.value().find(key) != nullptr && !has(key); }

  // The first of the names that has a value. errors: none.
  [[nodiscard]] std::optional<std::string_view> first(hf_names names) const noexcept {
    for (const auto name : names) {
      if (has(name)) return name;
    }
    return std::nullopt;
  }

  // A size that must be stated. post: 1 ... most. errors: parse_error when it is missing, no number or out of range, and when two
  // of the names have different values.
  [[nodiscard]] std::uint32_t size(hf_names names, std::uint32_t most) const {
    if (const auto found = optional_size(names, most)) return *found;
    map_.refuse(std::string(*names.begin()) + " among the settings of model_type " + quoted(type_), "no such key");
  }
  // As above, or `otherwise` when none of the names is there.
  [[nodiscard]] std::uint32_t size_or(hf_names names, std::uint32_t most, std::uint32_t otherwise) const {
    return optional_size(names, most).value_or(otherwise);
  }
  [[nodiscard]] std::optional<std::uint32_t> optional_size(hf_names names, std::uint32_t most) const {
    return number(names, 1, most);
  }
  // A number that may be 0.
  [[nodiscard]] std::uint32_t number_or(std::string_view name, std::uint32_t most, std::uint32_t otherwise) const {
    return number({name}, 0, most).value_or(otherwise);
  }

  // A truth value. errors: parse_error for anything else.
  [[nodiscard]] bool flag_or(std::string_view name, bool otherwise) const {
    if (!has(name)) return otherwise;
    const auto at = map_.at(name);
    const auto& value = at.value();
    const bool yes = value.kind == document_kind::text && value.plain && value.text == "true";
    const bool no = value.kind == document_kind::text && value.plain && value.text == "false";
    if (!yes && !no) at.refuse(std::string(name) + ", true or false");
    return yes;
  }

  // A text. errors: parse_error for a number, a truth value, a list or a map.
  [[nodiscard]] std::string text_or(std::string_view name, std::string_view otherwise) const {
    if (!has(name)) return std::string(otherwise);
    const auto at = map_.at(name);
    if (at.value().kind != document_kind::text || at.value().plain) at.refuse(std::string(name) + ", a text");
    return at.value().text;
  }

  // The items of a list, or nothing. errors: parse_error for another kind.
  [[nodiscard]] std::vector<document_reader> list_or_none(std::string_view name) const {
    std::vector<document_reader> items;
    if (!has(name)) return items;
    const auto at = map_.at(name);
    if (at.value().kind != document_kind::list) at.refuse(std::string(name) + ", a list");
    for (std::size_t i = 0; i < at.size(); ++i) items.push_back(at[i]);
    return items;
  }

  // The map of that key as settings of the same model. errors: parse_error when it is missing or another kind.
  [[nodiscard]] hf_keys part(std::string_view name) const { return {map_.at(name), type_}; }

  // errors: always a parse_error: model_type and feature by name, at the key's value.
  [[noreturn]] void unsupported(std::string_view key, const std::string& feature) const {
    map_.at(key).refuse("a model_type " + quoted(type_) + " without " + feature + ", which isn't modelled");
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> number(hf_names names, std::uint32_t least, std::uint32_t most) const {
    std::optional<std::uint32_t> found;
    std::string_view by;
    for (const auto name : names) {
      if (!has(name)) continue;
      const auto at = map_.at(name);
      const auto& value = at.value();
      const auto n = value.kind == document_kind::text && value.plain ? detail::number(value.text) : std::nullopt;
      if (!n || *n < least || *n > most)
        at.refuse(std::string(name) + ", a whole number from " + std::to_string(least) + " to " + std::to_string(most));
      if (found && *found != *n)
        at.refuse(std::string(name) + " as " + std::string(by) + " says, " + std::to_string(*found), std::to_string(*n));
      if (!found) by = name;
      found = n;
    }
    return found;
  }

  document_reader map_;
  std::string type_;
};

}  // namespace topoplan::inline v1::import::detail
