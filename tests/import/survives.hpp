// Feeds a reader every damage that a paste may have: it answers or throws this library's exceptions, and nothing else happens.
#pragma once

#include <topoplan/core/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "summary.hpp"

namespace topoplan_test {

// True if reading ended in one of the two ways that are allowed; a message names the source.
template <class Reader> bool reads_or_refuses(const Reader& reader, const std::string& text) {
  try {
    static_cast<void>(reader(text, std::string("input")));
  } catch (const topoplan::error& e) {
    return std::string(e.what()).find("input") != std::string::npos;
  }
  return true;
}

// pre: the text is short: it is cut at every byte.
template <class Reader> void check_survives(const Reader& reader, const std::string& text) {
  for (std::size_t size = 0; size < text.size(); ++size) {
    if (!reads_or_refuses(reader, text.substr(0, size))) FAIL_CHECK("cut after " << size << " bytes");
    std::string flipped = text;
    flipped[size] = static_cast<char>(static_cast<unsigned char>(flipped[size]) ^ 0x15U);
    if (!reads_or_refuses(reader, flipped)) FAIL_CHECK("byte " << size << " changed");
  }
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const auto line = text.substr(at, end - at);
    if (!reads_or_refuses(reader, text.substr(0, at) + text.substr(end))) FAIL_CHECK("without " << line);
    if (!reads_or_refuses(reader, text.substr(0, end) + text.substr(at))) FAIL_CHECK("twice " << line);
    at = end;
  }
  for (const auto& [what, damage] : damaged(text)) {
    INFO(what);
    CHECK(reads_or_refuses(reader, damage));
  }
  const std::string colours = "\x1b[4m" + text + "\x1b[0m";
  CHECK(reads_or_refuses(reader, colours));
  CHECK(reads_or_refuses(reader, std::string(10'000'000, 'x')));
  CHECK(reads_or_refuses(reader, text + std::string(10'000'000, ' ')));
}

}  // namespace topoplan_test
