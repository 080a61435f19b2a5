// A seeded generator for property tests whose numbers are the same with every compiler and standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace topoplan_test {

// splitmix64. source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class random {
 public:
  explicit random(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }

  // A number in 0 ... bound-1. pre: bound > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

  // A number in first ... last, both included.
  [[nodiscard]] std::uint64_t between(std::uint64_t first, std::uint64_t last) noexcept {
    return first + below(last - first + 1);
  }

  // An element of a non-empty vector.
  template <class T> [[nodiscard]] const T& pick(const std::vector<T>& from) noexcept {
    return from[static_cast<std::size_t>(below(from.size()))];
  }

  // Fisher and Yates.
  template <class T> void shuffle(std::vector<T>& values) noexcept {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace topoplan_test
