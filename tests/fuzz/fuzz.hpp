// What every fuzzer shares: the bytes as text, and an abort when a promise of the reader is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace topoplan_fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A promise that the input must not be able to break.
inline void require(bool kept) {
  if (!kept) std::abort();
}

}  // namespace topoplan_fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
