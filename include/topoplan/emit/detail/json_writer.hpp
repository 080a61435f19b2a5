// Writes one JSON document to a stream: text escaped as RFC 8259 asks, numbers through a buffer.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::emit::detail {

// How the members of an object or array are set: on one line, or each on a line of its own.
enum class spread : std::uint8_t { line, lines };

// Length of the UTF-8 sequence that `text` begins with; 0 if it begins with none. pre: not empty.
// source: RFC 3629, section 4.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const unsigned low = lead == 0xe0 ? 0xa0U : lead == 0xf0 ? 0x90U : 0x80U;
  const unsigned high = lead == 0xed ? 0x9fU : lead == 0xf4 ? 0x8fU : 0xbfU;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  return length;
}

// A document is written front to back: open(), members and close(), then finish(). Inside an object every member begins with
// key(). Text that isn't UTF-8 is written with U+FFFD in the place of what isn't. What fails is the stream's state.
class json_writer {
 public:
  // `depth` is the number of objects and arrays around the document, for what is written in the place of a raw_value().
  explicit json_writer(std::ostream& out, std::size_t depth = 0) : out_(out), depth_(depth) {}

  void open(char bracket, spread how = spread::line) {
    begin_value();
    put(bracket);
    levels_.push_back({bracket == '{' ? '}' : ']', how, true});
  }
  void close() {
    const level closed = levels_.back();
    levels_.pop_back();
    if (closed.how == spread::lines && !closed.empty) new_line();
    put(closed.end);
  }
  void key(std::string_view name) {
    begin_member();
    quote(name);
    put(": ");
    after_key_ = true;
  }

  void value(std::string_view text) {
    begin_value();
    quote(text);
  }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool truth) {
    begin_value();
    put(truth ? "true" : "false");
  }
  template <std::integral Number> void value(Number number) {
    begin_value();
    digits(number);
  }
  // The shortest text that reads back as the same number; whole numbers without an exponent. Infinities and NaN, which JSON
  // doesn't have, become null.
  void value(double number) {
    begin_value();
    if (!std::isfinite(number)) return put("null");
    room(number_width);
    const bool whole = number == std::floor(number) && std::fabs(number) < 1e15;
    char* const at = buffer_.data() + used_;
    const auto end = whole ? std::to_chars(at, at + number_width, number, std::chars_format::fixed)
                           : std::to_chars(at, at + number_width, number);
    used_ += static_cast<std::size_t>(end.ptr - at);
  }
  void null() {
    begin_value();
    put("null");
  }

  template <class Value> void member(std::string_view name, const Value& v) {
    key(name);
    value(v);
  }
  // The values get(0), get(1), ... as an array on one line.
  template <class Get> void column(std::string_view name, std::size_t count, const Get& get) {
    key(name);
    open('[');
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) put(", ");
      after_key_ = true;  // the comma is there
      value(get(i));
    }
    close();
  }

  // Hands over what was written so far, so that somebody else can write the next value to the stream.
  std::ostream& raw_value() {
    begin_value();
    flush();
    return out_;
  }
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(used_));
    used_ = 0;
  }
  void finish() {
    put('\n');
    flush();
  }

 private:
  static constexpr std::size_t number_width = 32;

  struct level {
    char end;
    spread how;
    bool empty;
  };

  void begin_member() {
    if (levels_.empty()) return;
    level& inside = levels_.back();
    if (!inside.empty) put(inside.how == spread::lines ? "," : ", ");
    inside.empty = false;
    if (inside.how == spread::lines) new_line();
  }
  void begin_value() {
    if (!after_key_) begin_member();
    after_key_ = false;
  }
  void new_line() {
    put('\n');
    for (std::size_t i = 0; i < depth_ + levels_.size(); ++i) put("  ");
  }
  void quote(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
    put('"');
    while (!text.empty()) {
      std::size_t run = 0;
      while (run < text.size() && plain(text[run])) ++run;
      put(text.substr(0, run));
      text.remove_prefix(run);
      if (text.empty()) break;
      const std::size_t length = utf8_length(text);
      const auto c = static_cast<unsigned char>(text[0]);
      if (length == 0) put("\\ufffd");
      else if (c == '"' || c == '\\') (put('\\'), put(text[0]));
      else if (c >= 0x20) put(text.substr(0, length));
      else if (c == '\n') put("\\n");
      else if (c == '\t') put("\\t");
      else if (c == '\r') put("\\r");
      else (put("\\u00"), put(hex[c >> 4U]), put(hex[c & 0xfU]));
      text.remove_prefix(length == 0 ? 1 : length);
    }
    put('"');
  }
  template <std::integral Number> void digits(Number number) {
    room(number_width);
    char* const at = buffer_.data() + used_;
    used_ += static_cast<std::size_t>(std::to_chars(at, at + number_width, number).ptr - at);
  }
  void put(char c) {
    room(1);
    buffer_[used_++] = c;
  }
  void put(std::string_view text) {
    if (text.size() > buffer_.size()) {
      flush();
      out_.write(text.data(), static_cast<std::streamsize>(text.size()));
      return;
    }
    room(text.size());
    text.copy(buffer_.data() + used_, text.size());
    used_ += text.size();
  }
  void room(std::size_t bytes) {
    if (buffer_.size() - used_ < bytes) flush();
  }

  std::ostream& out_;
  std::size_t depth_;
  std::array<char, 16384> buffer_;
  std::size_t used_ = 0;
  std::vector<level> levels_;
  bool after_key_ = false;
};

// A 64-bit hash as 16 hexadecimal digits; empty for 0, which stands for unknown.
[[nodiscard]] inline std::array<char, 17> hash_text(std::uint64_t hash) noexcept {
  constexpr std::string_view hex = "0123456789abcdef";
  std::array<char, 17> text{};
  for (std::size_t i = 0; hash != 0 && i < 16; ++i) text[i] = hex[hash >> (60 - 4 * i) & 0xfU];
  return text;
}

}  // namespace topoplan::inline v1::emit::detail
