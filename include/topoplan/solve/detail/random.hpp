// Pseudo-random numbers that are the same with every compiler and library.
#pragma once

#include <cstdint>

namespace topoplan::inline v1::detail {

// source: splitmix64, Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  // 0 ... bound - 1. pre: 0 < bound <= 2^32.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept { return (next() >> 32U) * bound >> 32U; }

 private:
  std::uint64_t state_;
};

}  // namespace topoplan::inline v1::detail
