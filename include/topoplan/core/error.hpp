// The exceptions that topoplan throws; every one derives from topoplan::error and its message names what it is about.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1 {

// Root of all exceptions of this library.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A value breaks a documented rule; the message states the rule and the numbers.
class invalid_argument : public error {
 public:
  using error::error;
};

// A file can't be opened, read, mapped or written; the message holds the path and the system's reason.
class io_error : public error {
 public:
  io_error(std::string path, std::string_view reason) : error(path + ": " + std::string(reason)), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// Where in an input something stands. Lines and columns count from 1; 0 means "the whole file".
struct location {
  std::string source;
  std::size_t line = 0;
  std::size_t column = 0;

  [[nodiscard]] std::string str() const {
    std::string text = source;
    if (line != 0) text += ':' + std::to_string(line);
    if (line != 0 && column != 0) text += ':' + std::to_string(column);
    return text;
  }
};

// An input isn't what its format asks for: where, what was expected, what stood there.
class parse_error : public error {
 public:
  parse_error(location where, std::string expected, std::string found)
      : error(where.str() + ": expected " + expected + (found.empty() ? std::string{} : ", found " + found)),
        where_(std::move(where)),
        expected_(std::move(expected)),
        found_(std::move(found)) {}

  [[nodiscard]] const location& where() const noexcept { return where_; }
  [[nodiscard]] const std::string& expected() const noexcept { return expected_; }
  [[nodiscard]] const std::string& found() const noexcept { return found_; }

 private:
  location where_;
  std::string expected_;
  std::string found_;
};

namespace detail {
struct quoted_function {
  [[nodiscard]] std::string operator()(std::string_view text, std::size_t limit = 60) const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "'";
    for (const char c : text.substr(0, limit)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\t') out += "\\t";
      else if (c == '\n') out += "\\n";
      else if (c == '\r') out += "\\r";
      else if (byte < 0x20 || byte >= 0x7f) (out += "\\x") += {digits[byte >> 4U], digits[byte & 0xfU]};
      else out += c;
    }
    if (text.size() > limit) out += "...";
    return out + '\'';
  }
};
}  // namespace detail

// Shows a piece of input inside a message: quoted, control characters escaped, cut after `limit` characters. An object, since
// a std::string argument would let std::quoted of <iomanip> take part in the call of a function.
// post: the result holds printable ASCII only. complexity: O(limit). errors: none.
inline constexpr detail::quoted_function quoted{};

}  // namespace topoplan::inline v1
