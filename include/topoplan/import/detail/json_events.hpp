// JSON as the events of a parser, each with the place where it stands.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/document_builder.hpp>
#include <topoplan/import/detail/json.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1::import::detail {

// Takes nlohmann-json's events, and walks over the text beside the parser, which tells no places.
class json_events : public nlohmann::json_sax<nlohmann::json> {
 public:
  json_events(std::string_view text, const std::string& source, std::uint32_t first_line)
      : text_(text), source_(source), builder_(source), line_(first_line) {}

  bool null() override {
    const auto at = scalar();
    builder_.none(at.line, at.column);
    return true;
  }
  bool boolean(bool) override { return plain(); }
  bool number_integer(number_integer_t) override { return plain(); }
  bool number_unsigned(number_unsigned_t) override { return plain(); }
  bool number_float(number_float_t, const string_t&) override { return plain(); }
  bool string(string_t& value) override {
    const auto at = quoted_text();
    builder_.text(std::move(value), false, at.line, at.column);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(document_kind::map); }
  bool key(string_t& name) override {
    const auto at = quoted_text();
    builder_.key(std::move(name), at.line, at.column);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(document_kind::list); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& problem) override {
    if (problem.id == 406) {
      const auto at = scalar();
      throw topoplan::parse_error({source_, at.line, at.column}, "numbers that a double holds",
                                  quoted(text_.substr(at.offset, at_ - at.offset)));
    }
    move_to(std::min(position == 0 ? 0 : position - 1, text_.size()));
    const auto rest = text_.substr(at_);
    throw topoplan::parse_error({source_, line_, column()}, "JSON", rest.empty() ? "the end" : quoted(rest, 20));
  }

  [[nodiscard]] document take() { return builder_.take(); }

 private:
  struct place {
    std::uint32_t line;
    std::uint32_t column;
    std::size_t offset;
  };

  [[nodiscard]] std::uint32_t column() const noexcept { return static_cast<std::uint32_t>(at_ - line_start_ + 1); }

  void move_to(std::size_t offset) noexcept {
    for (; at_ < offset; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_start_ = at_ + 1;
    }
  }
  // Where the next token begins.
  [[nodiscard]] place next() noexcept {
    move_to(std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size()));
    return {line_, column(), at_};
  }
  [[nodiscard]] place scalar() noexcept {
    const auto at = next();
    move_to(std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size()));
    return at;
  }
  [[nodiscard]] place quoted_text() noexcept {
    const auto at = next();
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2U : 1U;
    move_to(std::min(end + 1, text_.size()));
    return at;
  }
  bool plain() {
    const auto at = scalar();
    builder_.text(std::string(text_.substr(at.offset, at_ - at.offset)), true, at.line, at.column);
    return true;
  }
  bool open(document_kind kind) {
    const auto at = next();
    builder_.open(kind, at.line, at.column);
    move_to(at_ + 1);
    return true;
  }
  bool close() {
    static_cast<void>(next());
    move_to(at_ + 1);
    builder_.close();
    return true;
  }

  std::string_view text_;
  const std::string& source_;
  document_builder builder_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_;
};

[[nodiscard]] inline document read_json_events(std::string_view text, const std::string& source, std::uint32_t first_line) {
  const auto plain = plain_text(text, source);
  // The parser would pass over a second mark, and every place be wrong.
  if (plain.starts_with("\xef\xbb\xbf")) throw parse_error({source, first_line, 1}, "JSON", "a second byte order mark");
  json_events events(plain, source, first_line);
  nlohmann::json::sax_parse(plain.begin(), plain.end(), &events);
  return events.take();
}

}  // namespace topoplan::inline v1::import::detail
