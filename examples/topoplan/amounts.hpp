// Amounts as people write and read them: bytes with units, times, rates.
#pragma once

#include <topoplan/core/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

namespace topoplan_cli {

// Reads "1GiB", "512MB", "1e9" or "4096": whole or decimal numbers, units in any case, K, M, G and T with or without B.
// errors: invalid_argument for anything else, no bytes, and 2^60 bytes or more.
[[nodiscard]] inline double parse_bytes(std::string_view text, const std::string& option) {
  const auto refuse = [&] {
    throw topoplan::invalid_argument(option + ' ' + topoplan::quoted(text) +
                                     ": expected a number of bytes, such as 1GiB, 512MB, 1e9 or 4096");
  };
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) refuse();
  std::string unit;
  for (const char* c = end; c != text.data() + text.size(); ++c)
    if (*c != ' ') unit += *c >= 'A' && *c <= 'Z' ? static_cast<char>(*c - 'A' + 'a') : *c;
  constexpr std::string_view prefixes = "kmgt";
  double factor = 1;
  if (const std::size_t at = unit.empty() ? std::string_view::npos : prefixes.find(unit[0]); at != std::string_view::npos) {
    const bool binary = unit.size() > 1 && unit[1] == 'i';
    factor = std::pow(binary ? 1024 : 1000, static_cast<double>(at + 1));
    unit.erase(0, binary ? 2 : 1);
  }
  if (!unit.empty() && unit != "b") refuse();
  number *= factor;
  if (!(number >= 1 && number < 1152921504606846976.0)) refuse();
  return number;
}

// A number with `places` decimals and commas between thousands: "12,345.7".
[[nodiscard]] inline std::string fixed(double value, int places) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", places, value);
  std::string out(text.data());
  std::size_t at = std::min(out.find('.'), out.size());
  const std::size_t first = out.starts_with('-') ? 1 : 0;
  for (; at > first + 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

// Three significant digits, never with an exponent: "0.0123", "1.23", "123", "12,345".
[[nodiscard]] inline std::string short_number(double value) {
  if (value == 0 || !std::isfinite(value)) return value == 0 ? "0" : "inf";
  std::array<char, 32> rounded{};
  std::snprintf(rounded.data(), rounded.size(), "%.2e", value);
  int exponent = 0;
  const std::string_view text(rounded.data());
  const std::size_t digits = text.find('e') + (text[text.find('e') + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  const int places = exponent >= 2 ? 0 : std::min(2 - exponent, 9);
  return fixed(value, places);
}

// "512 B", "1.05 MB", "8.6 GB".
[[nodiscard]] inline std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 6> units{" B", " kB", " MB", " GB", " TB", " PB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return short_number(bytes) + units[unit];
}

// Sizes that somebody chose: "1 GiB" where it is a whole number of binary units, else as bytes_text.
[[nodiscard]] inline std::string size_text(double bytes) {
  constexpr std::array<const char*, 4> units{" KiB", " MiB", " GiB", " TiB"};
  for (std::size_t i = units.size(); i > 0; --i) {
    const double n = bytes / std::pow(1024, static_cast<double>(i));
    if (n >= 1 && n < 1024 && n == std::floor(n)) return fixed(n, 0) + units[i - 1];
  }
  return bytes_text(bytes);
}

// "12.3 us", "4.56 ms", "7.8 s", "34 min", "5.6 h", "3.2 days".
[[nodiscard]] inline std::string time_text(double seconds) {
  if (seconds < 1e-3) return short_number(seconds * 1e6) + " us";
  if (seconds < 1) return short_number(seconds * 1e3) + " ms";
  if (seconds < 120) return short_number(seconds) + " s";
  if (seconds < 7200) return short_number(seconds / 60) + " min";
  if (seconds < 172800) return short_number(seconds / 3600) + " h";
  return short_number(seconds / 86400) + " days";
}

}  // namespace topoplan_cli
