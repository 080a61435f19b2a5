// Tests of core/hash.hpp. The values are fixed for ever: files hold them.
#include <topoplan/core/hash.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.hpp"

namespace {

using topoplan::hash64;
using topoplan::hasher;

std::string bytes_up_to(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 + 7);
  return text;
}

TEST_CASE("known answers") {
  CHECK(hash64("") == 0x11686762c79dee7eU);
  CHECK(hash64("a") == 0xab73f6b47c0f5d1fU);
  CHECK(hash64("topoplan") == 0xfc1963905d7a2cf7U);
  CHECK(hash64(bytes_up_to(31)) == 0x92c22353433f8f10U);
  CHECK(hash64(bytes_up_to(32)) == 0xd084af780bca4161U);
  CHECK(hash64(bytes_up_to(33)) == 0xb4ff13237d95e53fU);
  CHECK(hash64(bytes_up_to(1000)) == 0x1fffbb50471e95a9U);
  CHECK(hasher{}.add(std::uint64_t{42}).add("tp").finish() == 0xa6c32ac2cb28016aU);
}

TEST_CASE("the same at compile time") {
  constexpr std::string_view text = "the quick brown fox jumps over the lazy dog, and over another one";
  constexpr std::uint64_t at_compile_time = hash64(text);
  CHECK(hash64(std::string(text)) == at_compile_time);
  CHECK(hash64(std::as_bytes(std::span(text.data(), text.size()))) == at_compile_time);
}

TEST_CASE("how the input is cut into calls doesn't matter") {
  topoplan_test::random numbers(1);
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string text = bytes_up_to(size);
    hasher pieces;
    for (std::string_view rest = text; !rest.empty();) {
      const auto cut = static_cast<std::size_t>(numbers.between(1, rest.size()));
      pieces.update(rest.substr(0, cut));
      rest.remove_prefix(cut);
    }
    CHECK(pieces.finish() == hash64(text));
  }
}

TEST_CASE("finish() doesn't end the stream") {
  hasher h;
  h.update("abc");
  CHECK(h.finish() == hash64("abc"));
  h.update("def");
  CHECK(h.finish() == hash64("abcdef"));
}

TEST_CASE("every change of one byte, every length and every prefix of zeros gives another hash") {
  for (const std::size_t size : {1U, 8U, 31U, 32U, 40U, 100U}) {
    std::string text = bytes_up_to(size);
    std::set<std::uint64_t> seen{hash64(text)};
    for (char& c : text) {
      const char before = c;
      for (unsigned change = 1; change < 256; ++change) {
        c = static_cast<char>(static_cast<unsigned char>(before) ^ change);
        seen.insert(hash64(text));
      }
      c = before;
    }
    CHECK(seen.size() == 1 + 255 * size);
  }
  std::set<std::uint64_t> zeros;
  for (std::size_t size = 0; size < 100; ++size) zeros.insert(hash64(std::string(size, '\0')));
  CHECK(zeros.size() == 100);
}

TEST_CASE("flipped bits of successive words of a lane don't cancel out") {
  topoplan_test::random numbers(3);
  std::string text = bytes_up_to(100);
  for (char& c : text) c = static_cast<char>(numbers.below(256));
  std::set<std::uint64_t> seen{hash64(text)};
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    const auto mask = static_cast<unsigned char>(1U << bit % 8);
    const auto flip = [&] { text[bit / 8] = static_cast<char>(static_cast<unsigned char>(text[bit / 8]) ^ mask); };
    flip();
    seen.insert(hash64(text));
    flip();
  }
  CHECK(seen.size() == 1 + text.size() * 8);
}

TEST_CASE("fields don't run into each other") {
  CHECK(hasher{}.add("ab").add("c").finish() != hasher{}.add("a").add("bc").finish());
  CHECK(hasher{}.add("").add("a").finish() != hasher{}.add("a").add("").finish());
}

TEST_CASE("a changed input bit changes every output bit about every second time") {
  topoplan_test::random numbers(2);
  std::vector<int> changed(64, 0);
  constexpr int rounds = 4000;
  for (int i = 0; i < rounds; ++i) {
    std::string text = bytes_up_to(48);
    for (char& c : text) c = static_cast<char>(numbers.below(256));
    const std::uint64_t before = hash64(text);
    char& hit = text[static_cast<std::size_t>(numbers.below(text.size()))];
    hit = static_cast<char>(static_cast<unsigned char>(hit) ^ 1U << numbers.below(8));
    const std::uint64_t difference = before ^ hash64(text);
    for (std::size_t bit = 0; bit < 64; ++bit) changed[bit] += static_cast<int>(difference >> bit & 1U);
  }
  for (const int count : changed) {
    CHECK(count > rounds * 45 / 100);
    CHECK(count < rounds * 55 / 100);
  }
}

}  // namespace
