// Reads `ibnetdiscover`, in full and as the port report of `-p`, and the network files of ibsim, which look the same.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/ib_fabric_builder.hpp>
#include <topoplan/import/detail/ib_record.hpp>
#include <topoplan/import/detail/ib_text.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/ib_fabric.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class ibnetdiscover_reader {
 public:
  explicit ibnetdiscover_reader(std::string source) : built_(std::move(source)) {}

  [[nodiscard]] ib_fabric read(const std::vector<text_line>& lines) {
    for (const text_line& line : lines) read_line(line);
    strange_.move_to(built_.notes());
    return built_.take("the records of `ibnetdiscover`, or the lines of `ibnetdiscover -p`", true);
  }

 private:
  enum class form : std::uint8_t { unknown, records, report };

  void read_line(const text_line& line) {
    ib_cursor at(line.text, built_.source(), line.number);
    at.skip_blanks();
    if (at.done() || at.rest().front() == '#') return;
    if (at.rest().front() == '[') return read_port(at, line.number);
    const location where = at.here();
    const auto text = at.rest();
    const auto word = kind_or_word(at);
    at.skip_blanks();
    refuse_other_outputs(word, at, where);
    if (const auto kind = ib_kind_of(word); kind && !at.done() && is_digit(at.rest().front())) {
      const bool capitals = word == "SW" || word == "CA" || word == "RT";
      return capitals ? read_report(at, *kind, where) : read_header(at, *kind, where);
    }
    if (is_known(text, word)) return;
    const bool complaint = word.starts_with("src/") || word == "ibwarn:" || text.find("timed out") != std::string_view::npos;
    strange_.add(line.number, [&] {
      return quoted(text, 100) +
             (complaint ? " is a complaint of the tool: devices may be missing" : " is no line of `ibnetdiscover`: left out");
    });
  }

  // "Switch36", where a paste has lost the tab, is two words.
  [[nodiscard]] static std::string_view kind_or_word(ib_cursor& at) {
    const auto start = at.offset();
    const auto word = at.word();
    const auto letters = word.substr(0, word.find_first_of("0123456789"));
    if (letters.size() < word.size() && ib_kind_of(letters) && all_digits(word.substr(letters.size()))) {
      at.move_to(start + letters.size());
      return letters;
    }
    return word;
  }

  static void refuse_other_outputs(std::string_view word, const ib_cursor& at, const location& where) {
    if (ib_kind_of(word) && at.rest().starts_with(": 0x")) {
      throw parse_error(where, "records with their ports", "a list of devices (`ibnetdiscover -l`), which shows no cables");
    }
    if (word == "<" || word == ">") throw parse_error(where, "one scan", "the difference of two (`ibnetdiscover --diff`)");
    if (word == "include") {
      throw parse_error(where, "the whole network", "include, which isn't followed; put the file in its place");
    }
    if (word.starts_with("@[")) throw parse_error(where, "[PORT]", "an alias of ibsim, which isn't read");
  }

  // What says nothing about cables: ids of vendors, headings of chassis, progress that -s prints, settings of ibsim.
  [[nodiscard]] static bool is_known(std::string_view rest, std::string_view word) {
    constexpr std::array<std::string_view, 12> keys = {"vendid",   "devid", "sysimgguid", "switchguid", "caguid", "rtguid",
                                                       "hcaguids", "width", "speed",      "module",     "pdebug", "switchguids"};
    const auto key = word.substr(0, word.find_first_of("=+"));
    if (key.size() < word.size() && std::find(keys.begin(), keys.end(), key) != keys.end()) return true;
    return word == "Chassis" || rest.starts_with("Non-Chassis Nodes") || word == "Hostname:" || rest.starts_with("DR path ");
  }

  void is_in_form(form f, const location& where) {
    if (form_ != form::unknown && form_ != f) {
      throw parse_error(where, "one form of `ibnetdiscover` in a text", "records beside the lines of `-p`");
    }
    form_ = f;
  }

  void read_header(ib_cursor& at, ib_kind kind, const location& where) {
    is_in_form(form::records, where);
    const ib_header header = ib_header_of(at, kind);
    current_ = built_.device(kind, ib_key_of(header.id), where);
    built_.record(*current_, header.description, header.ports, where.line);
  }

  void read_port(ib_cursor& at, std::size_t number) {
    const location where = at.here();
    const ib_port_line line = ib_port_line_of(at);
    if (!current_) throw parse_error(where, "a record (Switch, Ca) before its ports", "a port");
    const ib_device& own = built_.at(*current_);
    if (line.number == 0) throw parse_error(where, "a port number of 1 or more", "0");
    if (own.ports != 0 && line.number > own.ports) {
      throw parse_error(where, "a port of the " + std::to_string(own.ports) + " that " + name_of(own) + " has",
                        std::to_string(line.number));
    }
    const ib_key key = ib_key_of(line.peer);
    const auto peer = peer_of(key, where);
    built_.call(peer, line.peer_description, number);
    (void)built_.cable({*current_, line.number, line.guid}, {peer, line.peer_number, line.peer_guid}, line.rate, where);
  }

  // A GUID says by its letter what it is of; an id of ibsim needs a record.
  [[nodiscard]] std::uint32_t peer_of(const ib_key& key, const location& where) {
    if (key.guid == 0) return built_.device(std::nullopt, key, where);
    switch (key.id.front()) {
      case 'S': return built_.device(ib_kind::fabric_switch, key, where);
      case 'R': return built_.device(ib_kind::router, key, where);
      case 'H': return built_.device(ib_kind::adapter, key, where);
      default: return built_.device(std::nullopt, key, where);
    }
  }

  void read_report(ib_cursor& at, ib_kind kind, const location& where) {
    is_in_form(form::report, where);
    const ib_report_line line = ib_report_line_of(at, kind);
    const auto near = built_.device(kind, {line.near.guid, {}}, where);
    built_.record(near, line.near.description, 0, where.line);
    if (!line.far) return built_.idle(near, line.near.number, where.line);
    const auto far = built_.device(line.far->kind, {line.far->guid, {}}, where);
    built_.call(far, line.far->description, where.line);
    (void)built_.cable({near, line.near.number, port_guid_of(line.near)}, {far, line.far->number, port_guid_of(*line.far)},
                       line.rate, where);
  }

  [[nodiscard]] static std::uint64_t port_guid_of(const ib_end& end) noexcept {
    return end.kind == ib_kind::fabric_switch ? 0 : end.guid;
  }

  ib_fabric_builder built_;
  note_pile strange_;
  std::optional<std::uint32_t> current_;
  form form_ = form::unknown;
};

}  // namespace detail

// Reads switches, adapters and cables. Records and ports in any order; lines of stderr, chassis headings and progress beside
// them are passed over, what no such tool prints is noted. In the port report every adapter port is a device of its own: it
// prints no GUID that two ports share.
// post: each cable once, however often it is printed; at the lower rate where its ends don't agree, which is noted.
// complexity: O(text). errors: parse_error for a line that is cut or malformed, a port with two peers, a device of two kinds, a
//   list or a difference of scans, and a text without a cable, such as a scan that found nothing but its own adapter.
[[nodiscard]] inline ib_fabric ibnetdiscover(std::string_view text, std::string source) {
  const bool coloured = text.find('\x1b') != std::string_view::npos;
  const std::string plain = coloured ? detail::without_escapes(text) : std::string{};
  const auto lines = detail::lines_of(coloured ? std::string_view(plain) : text, source);
  return detail::ibnetdiscover_reader(std::move(source)).read(lines);
}

}  // namespace topoplan::inline v1::import
