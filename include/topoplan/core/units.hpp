// Quantities that can't be confused: bytes (GiB against GB), bytes per second (Gb/s against GB/s), seconds.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace topoplan::inline v1 {

// An amount of data, in bytes. units: bytes. Sums, differences and products are those of std::uint64_t: they wrap.
struct bytes {
  std::uint64_t value = 0;

  constexpr bytes() = default;
  constexpr explicit bytes(std::uint64_t count) noexcept : value(count) {}

  friend constexpr auto operator<=>(bytes, bytes) = default;
  friend constexpr bytes operator+(bytes a, bytes b) noexcept { return bytes{a.value + b.value}; }
  friend constexpr bytes operator-(bytes a, bytes b) noexcept { return bytes{a.value - b.value}; }
  // A template, so that a factor with a fraction is refused and not cut to a whole number.
  template <std::integral Count> friend constexpr bytes operator*(bytes a, Count n) noexcept {
    return bytes{a.value * static_cast<std::uint64_t>(n)};
  }
  template <std::integral Count> friend constexpr bytes operator*(Count n, bytes a) noexcept { return a * n; }
  friend constexpr double operator/(bytes a, bytes b) noexcept {
    return static_cast<double>(a.value) / static_cast<double>(b.value);
  }
};

// A duration, in seconds. units: seconds.
struct seconds {
  double value = 0;

  constexpr seconds() = default;
  constexpr explicit seconds(double s) noexcept : value(s) {}

  friend constexpr auto operator<=>(seconds, seconds) = default;
  friend constexpr seconds operator+(seconds a, seconds b) noexcept { return seconds{a.value + b.value}; }
  friend constexpr seconds operator-(seconds a, seconds b) noexcept { return seconds{a.value - b.value}; }
  friend constexpr seconds operator*(seconds a, double f) noexcept { return seconds{a.value * f}; }
  friend constexpr seconds operator*(double f, seconds a) noexcept { return seconds{a.value * f}; }
  friend constexpr double operator/(seconds a, seconds b) noexcept { return a.value / b.value; }
};

// A rate of one direction of a link, in bytes per second. Network products are named in bits: use gigabits() or _Gbps.
struct bytes_per_second {
  double value = 0;

  constexpr bytes_per_second() = default;
  constexpr explicit bytes_per_second(double rate) noexcept : value(rate) {}

  // The rate as products state it: 10^9 bits per second.
  [[nodiscard]] constexpr double gigabits() const noexcept { return value * 8 / 1e9; }
  // 10^9 bytes per second.
  [[nodiscard]] constexpr double gigabytes() const noexcept { return value / 1e9; }

  friend constexpr auto operator<=>(bytes_per_second, bytes_per_second) = default;
  friend constexpr bytes_per_second operator+(bytes_per_second a, bytes_per_second b) noexcept {
    return bytes_per_second{a.value + b.value};
  }
  friend constexpr bytes_per_second operator*(bytes_per_second a, double f) noexcept { return bytes_per_second{a.value * f}; }
  friend constexpr bytes_per_second operator*(double f, bytes_per_second a) noexcept { return bytes_per_second{a.value * f}; }
  friend constexpr bytes_per_second operator/(bytes_per_second a, double f) noexcept { return bytes_per_second{a.value / f}; }
  friend constexpr double operator/(bytes_per_second a, bytes_per_second b) noexcept { return a.value / b.value; }
};

// The time that an amount takes at a rate, and the rate at which it takes a time.
// units: seconds, bytes per second. complexity: O(1). errors: none (a zero rate or time yields infinity).
[[nodiscard]] constexpr seconds operator/(bytes amount, bytes_per_second rate) noexcept {
  return seconds{static_cast<double>(amount.value) / rate.value};
}
[[nodiscard]] constexpr bytes_per_second operator/(bytes amount, seconds time) noexcept {
  return bytes_per_second{static_cast<double>(amount.value) / time.value};
}

// A rate in the units of product names: 10^9 bits, or 10^9 bytes, per second.
// units: bytes per second. complexity: O(1). errors: none.
[[nodiscard]] constexpr bytes_per_second gigabits_per_second(double rate) noexcept { return bytes_per_second{rate * 1e9 / 8}; }
[[nodiscard]] constexpr bytes_per_second gigabytes_per_second(double rate) noexcept { return bytes_per_second{rate * 1e9}; }

namespace literals {

// Literals: `using namespace topoplan::literals;`. K, M, G, T are decimal, Ki, Mi, Gi, Ti binary; b is bit, B is byte.
// units: as named. complexity: O(1). errors: none.
constexpr bytes operator""_B(unsigned long long n) noexcept { return bytes{n}; }
constexpr bytes operator""_KB(unsigned long long n) noexcept { return bytes{n * 1'000}; }
constexpr bytes operator""_MB(unsigned long long n) noexcept { return bytes{n * 1'000'000}; }
constexpr bytes operator""_GB(unsigned long long n) noexcept { return bytes{n * 1'000'000'000}; }
constexpr bytes operator""_TB(unsigned long long n) noexcept { return bytes{n * 1'000'000'000'000}; }
constexpr bytes operator""_KiB(unsigned long long n) noexcept { return bytes{n << 10U}; }
constexpr bytes operator""_MiB(unsigned long long n) noexcept { return bytes{n << 20U}; }
constexpr bytes operator""_GiB(unsigned long long n) noexcept { return bytes{n << 30U}; }
constexpr bytes operator""_TiB(unsigned long long n) noexcept { return bytes{n << 40U}; }
constexpr bytes_per_second operator""_GBps(unsigned long long n) noexcept { return gigabytes_per_second(static_cast<double>(n)); }
constexpr bytes_per_second operator""_GBps(long double n) noexcept { return gigabytes_per_second(static_cast<double>(n)); }
constexpr bytes_per_second operator""_Gbps(unsigned long long n) noexcept { return gigabits_per_second(static_cast<double>(n)); }
constexpr bytes_per_second operator""_Gbps(long double n) noexcept { return gigabits_per_second(static_cast<double>(n)); }
constexpr seconds operator""_s(unsigned long long n) noexcept { return seconds{static_cast<double>(n)}; }
constexpr seconds operator""_s(long double n) noexcept { return seconds{static_cast<double>(n)}; }
constexpr seconds operator""_ms(unsigned long long n) noexcept { return seconds{static_cast<double>(n) * 1e-3}; }
constexpr seconds operator""_ms(long double n) noexcept { return seconds{static_cast<double>(n) * 1e-3}; }
constexpr seconds operator""_us(unsigned long long n) noexcept { return seconds{static_cast<double>(n) * 1e-6}; }
constexpr seconds operator""_us(long double n) noexcept { return seconds{static_cast<double>(n) * 1e-6}; }

}  // namespace literals

}  // namespace topoplan::inline v1
