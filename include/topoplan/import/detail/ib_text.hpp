// The words of InfiniBand tools: rates, GUIDs, node ids, and a cursor that says where a line is wrong.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/ib_fabric_builder.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/ib_fabric.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace topoplan::inline v1::import::detail {

// "SDR" ... "XDR"; `unknown` for anything else, "???" included.
[[nodiscard]] inline ib_speed ib_speed_of(std::string_view word) noexcept {
  for (auto s = static_cast<std::uint8_t>(ib_speed::sdr); s <= static_cast<std::uint8_t>(ib_speed::xdr); ++s) {
    if (word == to_string(static_cast<ib_speed>(s))) return static_cast<ib_speed>(s);
  }
  return ib_speed::unknown;
}

// "4x" or "4X"; 0 for anything else.
[[nodiscard]] inline std::uint8_t ib_lanes_of(std::string_view word) noexcept {
  if (word.size() < 2 || lower(word.back()) != 'x') return 0;
  return number<std::uint8_t>(word.substr(0, word.size() - 1)).value_or(0);
}

// "4xNDR", "4x???", "??SDR"; nothing when the word is none of these.
[[nodiscard]] inline std::optional<ib_rate> ib_rate_of(std::string_view word) noexcept {
  if (word.starts_with("??")) return ib_rate{0, ib_speed_of(word.substr(2))};
  const auto x = word.find('x');
  if (x == std::string_view::npos || x + 1 == word.size() || !all_digits(word.substr(0, x))) return std::nullopt;
  return ib_rate{ib_lanes_of(word.substr(0, x + 1)), ib_speed_of(word.substr(x + 1))};
}

// Hexadecimal, with or without 0x.
[[nodiscard]] inline std::optional<std::uint64_t> ib_guid_of(std::string_view word) noexcept {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  std::uint64_t guid = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), guid, 16);
  if (word.empty() || problem != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return guid;
}

// "S-0002c90301000f00" by its GUID, any other id as it stands.
[[nodiscard]] inline ib_key ib_key_of(std::string_view id) noexcept {
  if (id.size() == 18 && id[1] == '-') {
    if (const auto guid = ib_guid_of(id.substr(2)); guid && !id.substr(2).starts_with("0x")) return {*guid, id};
  }
  return {0, id};
}

// The text between the first quote and the last: descriptions may hold quotes themselves. `after`: offset behind it.
[[nodiscard]] inline std::string_view widest_quotes(std::string_view text, char quote, std::size_t& after) noexcept {
  const auto open = text.find(quote);
  const auto close = text.rfind(quote);
  if (open == std::string_view::npos || open == close) return {};
  after = close + 1;
  return text.substr(open + 1, close - open - 1);
}

// Reads a line from left to right. Every failure names the column.
class ib_cursor {
 public:
  ib_cursor(std::string_view line, const std::string& source, std::size_t number)
      : line_(line), source_(source), number_(number) {}

  [[nodiscard]] location here() const { return {source_, number_, at_ + 1}; }
  [[nodiscard]] std::string_view rest() const noexcept { return line_.substr(at_); }
  [[nodiscard]] bool done() const noexcept { return at_ >= line_.size(); }

  [[noreturn]] void fail(std::string_view expected) const {
    throw parse_error(here(), std::string(expected), done() ? "the end of the line" : quoted(rest(), 30));
  }

  void skip_blanks() noexcept {
    while (!done() && is_blank(line_[at_])) ++at_;
  }
  [[nodiscard]] bool accept(char c) noexcept {
    if (done() || line_[at_] != c) return false;
    ++at_;
    return true;
  }
  void want(char c, std::string_view expected) {
    if (!accept(c)) fail(expected);
  }

  // Up to the next blank. post: empty at the end of the line.
  std::string_view word() noexcept {
    skip_blanks();
    const auto from = at_;
    while (!done() && !is_blank(line_[at_])) ++at_;
    return line_.substr(from, at_ - from);
  }

  // What stands before `stop`, which is passed over.
  std::string_view until(char stop, std::string_view expected) {
    const auto end = line_.find(stop, at_);
    if (end == std::string_view::npos) fail(expected);
    const auto text = line_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  template <class Integer> Integer whole(std::string_view expected) {
    skip_blanks();
    auto end = at_;
    while (end < line_.size() && is_digit(line_[end])) ++end;
    const auto value = number<Integer>(line_.substr(at_, end - at_));
    if (!value) fail(expected);
    at_ = end;
    return *value;
  }

  // A GUID that a blank or the end of the line follows.
  std::uint64_t guid(std::string_view expected) {
    skip_blanks();
    const auto from = at_;
    const auto value = ib_guid_of(word());
    if (!value) {
      at_ = from;
      fail(expected);
    }
    return *value;
  }

  void move_to(std::size_t at) noexcept { at_ = at < line_.size() ? at : line_.size(); }
  [[nodiscard]] std::size_t offset() const noexcept { return at_; }

 private:
  std::string_view line_;
  const std::string& source_;
  std::size_t number_;
  std::size_t at_ = 0;
};

}  // namespace topoplan::inline v1::import::detail
