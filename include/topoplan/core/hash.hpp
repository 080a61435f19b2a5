// A fast 64-bit hash for checksums and digests; not cryptographic: it finds accidents, not attacks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace topoplan::inline v1 {

// Hashes a stream of bytes. The input is read as little-endian 64-bit words, dealt in turn to four lanes; a lane takes a word
// by multiplication with an odd constant, addition, rotation and a second multiplication, each of which can be undone. So two
// inputs of the same length that differ within one word never collide; others that weren't made to do so collide with a chance
// of about 2^-64. Both multiplications are needed: with one, flipped top bits of two successive words of a lane cancel out.
// Equal on every machine; the function never changes, since files hold its values.
// complexity: O(bytes), two multiplications for 8 bytes. errors: none.
// source: a lane's step is that of xxHash's XXH64; finish() is the 64-bit finalizer of splitmix64.
class hasher {
  // Before what calls it: clang needs the templates defined when a digest is computed at compile time.
  static constexpr std::uint64_t prime_a = 0x9e3779b185ebca87U;
  static constexpr std::uint64_t prime_b = 0xc2b2ae3d27d4eb4fU;
  static constexpr std::size_t block = 32;

  static constexpr std::uint64_t rotate(std::uint64_t x, unsigned by) noexcept { return x << by | x >> (64U - by); }
  static constexpr std::uint64_t step(std::uint64_t lane, std::uint64_t word) noexcept {
    return rotate(lane + word * prime_b, 31) * prime_a;
  }

  template <class Byte> static constexpr std::uint64_t word_at(const Byte* at) noexcept {
    std::uint64_t word = 0;
    if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
      std::memcpy(&word, at, sizeof word);
    } else {
      for (unsigned i = 0; i < sizeof word; ++i) word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }
    return word;
  }

  template <class Byte> constexpr hasher& feed(const Byte* at, std::size_t size) noexcept {
    length_ += size;
    for (; fill_ != 0 && size != 0; --size) put(static_cast<unsigned char>(*at++));
    std::uint64_t a = lanes_[0];
    std::uint64_t b = lanes_[1];
    std::uint64_t c = lanes_[2];
    std::uint64_t d = lanes_[3];
    for (; size >= block; size -= block, at += block) {
      a = step(a, word_at(at));
      b = step(b, word_at(at + 8));
      c = step(c, word_at(at + 16));
      d = step(d, word_at(at + 24));
    }
    lanes_[0] = a;
    lanes_[1] = b;
    lanes_[2] = c;
    lanes_[3] = d;
    for (; size != 0; --size) put(static_cast<unsigned char>(*at++));
    return *this;
  }

  constexpr void put(std::uint64_t byte) noexcept {
    words_[fill_ / 8] |= byte << (8 * (fill_ % 8));
    if (++fill_ == block) flush();
  }
  constexpr void flush() noexcept {
    for (std::size_t i = 0; i < 4; ++i) {
      lanes_[i] = step(lanes_[i], words_[i]);
      words_[i] = 0;
    }
    fill_ = 0;
  }

 public:
  // post: the digest depends on the bytes given so far, not on how they were cut into calls.
  constexpr hasher& update(std::span<const std::byte> bytes) noexcept { return feed(bytes.data(), bytes.size()); }
  constexpr hasher& update(std::string_view text) noexcept { return feed(text.data(), text.size()); }

  // For digests of structured values: a number takes 8 bytes, a text its length and its bytes, so that fields can't run
  // into each other.
  constexpr hasher& add(std::uint64_t number) noexcept {
    for (unsigned i = 0; i < sizeof number; ++i) put(number >> (8 * i) & 0xffU);
    length_ += sizeof number;
    return *this;
  }
  constexpr hasher& add(std::string_view text) noexcept { return add(std::uint64_t{text.size()}).update(text); }

  // The hash of all bytes so far; more may follow.
  [[nodiscard]] constexpr std::uint64_t finish() const noexcept {
    std::uint64_t h = length_ * prime_a;
    hasher tail = *this;
    if (tail.fill_ != 0) tail.flush();
    for (const std::uint64_t lane : tail.lanes_) h = rotate((h ^ lane) * prime_b, 27) + prime_a;
    h = (h ^ (h >> 30U)) * 0xbf58476d1ce4e5b9U;
    h = (h ^ (h >> 27U)) * 0x94d049bb133111ebU;
    return h ^ (h >> 31U);
  }

 private:
  std::uint64_t lanes_[4] = {prime_a, prime_b, prime_a ^ prime_b, prime_a + prime_b};
  std::uint64_t words_[4] = {};
  std::uint64_t length_ = 0;
  std::size_t fill_ = 0;
};

// The hash of one piece. complexity: O(bytes). errors: none.
[[nodiscard]] constexpr std::uint64_t hash64(std::span<const std::byte> bytes) noexcept {
  return hasher{}.update(bytes).finish();
}
[[nodiscard]] constexpr std::uint64_t hash64(std::string_view text) noexcept { return hasher{}.update(text).finish(); }

}  // namespace topoplan::inline v1
