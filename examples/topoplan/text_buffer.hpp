// Collects text and hands it to a stream in large pieces: for output of millions of numbers.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace topoplan_cli {

class text_buffer {
 public:
  explicit text_buffer(std::ostream& out) : out_(out) {}
  text_buffer(const text_buffer&) = delete;
  text_buffer& operator=(const text_buffer&) = delete;

  text_buffer& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= piece) flush();
    return *this;
  }
  text_buffer& operator<<(char c) { return *this << std::string_view(&c, 1); }
  template <std::integral Number>
    requires(!std::same_as<Number, char> && !std::same_as<Number, bool>)
  text_buffer& operator<<(Number n) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  // Has to be called at the end; what fails is the stream's state.
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 16U;

  std::ostream& out_;
  std::string buffer_;
};

}  // namespace topoplan_cli
