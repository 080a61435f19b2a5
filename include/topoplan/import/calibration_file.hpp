// Reads a user's calibration, `topoplan.calibration` version 1: what replaces topoplan's own figures.
//
//   { "format": "topoplan.calibration", "version": 1,
//     "note": "...",                                                            ignored
//     "links": [{"fabric": "roce", "collective": "all-reduce",                  or "family": "hopper"; as the link table names
//     them
//                "latency_us": 30, "step_us": 4, "efficiency": 0.8,             what isn't given stays
//                "half_size_bytes": 1048576, "power": 0.5}, ...],
//     "steps": {"hopper": {"matmul_16bit": 0.78, "tp_exposed": 0.3}, ...},      by GPU family; members of step_calibration
//     "memory": {"context": 1e9} }                                              members of memory_calibration
//
// All parts may be left out. An unknown version and unknown keys are refused: a misspelt factor would count for nothing.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/cost/user_calibration.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/json_document.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// A number without quotes, times 10^shift, within bounds. The power is put into the text, so that nothing is rounded twice.
[[nodiscard]] inline double bounded_number(const document_reader& value, const std::string& what, double least, double most,
                                           int shift = 0) {
  std::array<char, 32> low{};
  std::array<char, 32> high{};
  const auto shown = [](std::array<char, 32>& buffer, double bound) {
    return std::string(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), bound).ptr);
  };
  const std::string expected = what + ", a number from " + shown(low, least) + " to " + shown(high, most);
  if (value.value().kind != document_kind::text || !value.value().plain) value.refuse(expected);
  const auto read = [&](const std::string& text) -> std::optional<double> {
    double number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
  };
  const std::string& text = value.value().text;
  const auto written = read(text);
  if (!written || !(*written >= least && *written <= most)) value.refuse(expected);
  if (shift == 0) return *written;
  const std::size_t e = text.find_first_of("eE");
  int exponent = 0;
  if (e != std::string::npos) {
    const std::size_t sign = text[e + 1] == '+' ? 2 : 1;
    std::from_chars(text.data() + e + sign, text.data() + text.size(), exponent);
  }
  const auto shifted = read(text.substr(0, e) + 'e' + std::to_string(exponent + shift));
  return shifted ? *shifted : 0;  // too small for a number
}

// The names of a list, for messages.
template <class Names, class Name> [[nodiscard]] std::string names_text(const Names& names, const Name& name) {
  std::string all;
  for (const auto& n : names) (all += all.empty() ? "" : ", ") += name(n);
  return all;
}

inline void refuse_unknown_keys(const document_reader& map, const std::string& what, const std::vector<std::string_view>& known) {
  if (map.value().kind != document_kind::map) map.refuse(what);
  for (std::size_t i = 0; i < map.value().keys.size(); ++i)
    if (std::find(known.begin(), known.end(), map.value().keys[i]) == known.end())
      map[i].refuse(what + " of " + names_text(known, [](std::string_view n) { return std::string(n); }),
                    "the key " + quoted(map.value().keys[i]));
}

// The value of an enumeration by its name.
template <class Value> [[nodiscard]] Value named_value(const document_reader& value, const std::string& what, std::size_t count) {
  std::string known;
  for (std::size_t i = 0; i < count; ++i) {
    const auto one = static_cast<Value>(i);
    if (value.value().kind == document_kind::text && value.value().text == to_string(one)) return one;
    (known += known.empty() ? "" : ", ") += to_string(one);
  }
  value.refuse(what + " of " + known);
}

[[nodiscard]] inline link_override link_row_of(const document_reader& row) {
  refuse_unknown_keys(row, "a row of links",
                      {"family", "fabric", "collective", "latency_us", "step_us", "efficiency", "half_size_bytes", "power"});
  link_override out;
  if (row.has("family") == row.has("fabric"))
    row.refuse("a family or a fabric, one of them", row.has("family") ? "both" : "neither");
  if (row.has("family")) out.family = named_value<link_family>(row.at("family"), "a family", link_family_count);
  else out.fabric = named_value<fabric_class>(row.at("fabric"), "a fabric", fabric_class_count);
  out.what = named_value<collective>(row.at("collective"), "a collective", interconnect::collectives);
  const auto number = [&](const char* key, std::optional<double>& to, double least, double most, int shift = 0) {
    if (row.has(key)) to = bounded_number(row.at(key), key, least, most, shift);
  };
  number("latency_us", out.first, 0, 1e6, -6);
  number("step_us", out.step, 0, 1e6, -6);
  number("efficiency", out.efficiency, 0.001, 2);
  number("half_size_bytes", out.half_size, 0, 1e12);
  number("power", out.power, 0.01, 4);
  if (!out.first && !out.step && !out.efficiency && !out.half_size && !out.power)
    row.refuse("a figure: latency_us, step_us, efficiency, half_size_bytes or power", "none");
  return out;
}

// Sets the factors that a map names.
template <class Factors, std::size_t N>
void read_factors(const document_reader& map, const std::string& what, const std::array<named_factor<Factors>, N>& known,
                  Factors& to) {
  if (map.value().kind != document_kind::map) map.refuse(what + ", a map from names to numbers");
  for (std::size_t i = 0; i < map.value().keys.size(); ++i) {
    const std::string& name = map.value().keys[i];
    const auto at = std::find_if(known.begin(), known.end(), [&](const auto& f) { return f.name == name; });
    if (at == known.end())
      map[i].refuse(what + " of " + names_text(known, [](const auto& f) { return std::string(f.name); }),
                    "the name " + quoted(name));
    to.*at->value = bounded_number(map[i], name, at->least, at->most);
  }
}

}  // namespace detail

// Reads a calibration (see the top of this header). Factors that a family's map doesn't name are topoplan's.
// complexity: O(values). errors: parse_error with the line: another format or version, an unknown key, name, family, fabric or
//   collective, a number out of bounds. A key twice is refused by the JSON reader.
[[nodiscard]] inline user_calibration calibration_file(const document& d) {
  const document_reader root(d);
  if (!root.has("format") || root.at("format").value().text != "topoplan.calibration")
    root.refuse("a document with \"format\": \"topoplan.calibration\"",
                root.has("format") ? root.at("format").shown() : std::string("no such key"));
  if (root.at("version").value().text != "1") root.at("version").refuse("version 1");
  detail::refuse_unknown_keys(root, "a calibration", {"format", "version", "note", "links", "steps", "memory"});
  user_calibration out;
  if (root.has("links")) {
    const auto rows = root.at("links");
    for (std::size_t i = 0; i < rows.size(); ++i) out.links.rows.push_back(detail::link_row_of(rows[i]));
  }
  if (root.has("steps")) {
    const auto families = root.at("steps");
    std::vector<std::string_view> known;
    for (const gpu_family f : gpu_families) known.push_back(key_of(f));
    detail::refuse_unknown_keys(families, "a GPU family", known);
    for (std::size_t i = 0; i < families.value().keys.size(); ++i) {
      const auto at = std::find(known.begin(), known.end(), families.value().keys[i]);
      family_factors own{gpu_families[static_cast<std::size_t>(at - known.begin())], {}};
      own.factors = calibration_of(own.family);
      detail::read_factors(families[i], "a factor", step_factors, own.factors);
      out.steps.push_back(own);
    }
  }
  if (root.has("memory")) detail::read_factors(root.at("memory"), "a factor of memory", memory_factors, out.memory);
  return out;
}

// Reads a calibration from its text. complexity: O(text). errors: as above, and parse_error for what isn't JSON.
[[nodiscard]] inline user_calibration calibration_file(std::string_view text, const std::string& source) {
  return calibration_file(json_document(text, source));
}

}  // namespace topoplan::inline v1::import
