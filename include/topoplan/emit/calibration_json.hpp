// A user's calibration as a JSON document, `topoplan.calibration` version 1.
#pragma once

#include <topoplan/cost/user_calibration.hpp>
#include <topoplan/emit/detail/json_writer.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace topoplan::inline v1::emit {

namespace detail {

// Seconds as a decimal number of microseconds: the shortest digits of the seconds with the point moved, so that a reader that
// moves it back gets the same value.
[[nodiscard]] inline std::string microseconds_text(double seconds) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds, std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  if (seconds == 0 || e == std::string_view::npos) return "0";  // an infinity or NaN, which no link has
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  int exponent = 0;
  const std::size_t sign = text[e + 1] == '+' ? 2 : 1;
  std::from_chars(text.data() + e + sign, end, exponent);
  exponent += 6;
  const auto places = static_cast<int>(digits.size());
  if (exponent < -7 || exponent > 20)
    return digits.substr(0, 1) + (places > 1 ? '.' + digits.substr(1) : std::string{}) + 'e' + std::to_string(exponent);
  if (exponent < 0) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (places <= exponent + 1) return digits + std::string(static_cast<std::size_t>(exponent + 1 - places), '0');
  return digits.insert(static_cast<std::size_t>(exponent) + 1, ".");
}

inline void write_link(json_writer& json, const link_override& row) {
  json.open('{');
  if (row.family) json.member("family", to_string(*row.family));
  if (row.fabric) json.member("fabric", to_string(*row.fabric));
  json.member("collective", to_string(row.what));
  const auto time = [&](std::string_view name, const std::optional<double>& seconds) {
    if (!seconds) return;
    json.key(name);
    json.raw_value() << microseconds_text(*seconds);
  };
  const auto number = [&](std::string_view name, const std::optional<double>& value) {
    if (value) json.member(name, *value);
  };
  time("latency_us", row.first);
  time("step_us", row.step);
  number("efficiency", row.efficiency);
  number("half_size_bytes", row.half_size);
  number("power", row.power);
  json.close();
}

}  // namespace detail

// Writes a calibration. Factors of a family are written whole, since they were fitted together; those of memory where they
// differ from topoplan's own.
// post: one JSON document and a line feed; import::calibration_file reads an equal value. complexity: O(rows + factors).
// errors: none of its own (what fails is the stream's state).
inline void calibration_json(std::ostream& out, const user_calibration& c) {
  detail::json_writer json(out);
  json.open('{', detail::spread::lines);
  json.member("format", "topoplan.calibration");
  json.member("version", 1);
  if (!c.links.rows.empty()) {
    json.key("links");
    json.open('[', detail::spread::lines);
    for (const link_override& row : c.links.rows) detail::write_link(json, row);
    json.close();
  }
  if (!c.steps.empty()) {
    json.key("steps");
    json.open('{', detail::spread::lines);
    for (const family_factors& own : c.steps) {
      json.key(key_of(own.family));
      json.open('{', detail::spread::lines);
      for (const auto& f : step_factors) json.member(f.name, own.factors.*f.value);
      json.close();
    }
    json.close();
  }
  const memory_calibration usual;
  const auto differs = [&](const auto& f) { return c.memory.*f.value != usual.*f.value; };
  if (std::any_of(memory_factors.begin(), memory_factors.end(), differs)) {
    json.key("memory");
    json.open('{', detail::spread::lines);
    for (const auto& f : memory_factors)
      if (differs(f)) json.member(f.name, c.memory.*f.value);
    json.close();
  }
  json.close();
  json.finish();
}

}  // namespace topoplan::inline v1::emit
