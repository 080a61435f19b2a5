// The lines of `ibnetdiscover`: headers of records, their ports, and the one-line ports of `ibnetdiscover -p`.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/ib_text.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/ib_fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import::detail {

// Switch 40 "S-0002c90301000f00" # "leaf-su1-r7" enhanced port 0 lid 21 lmc 0
struct ib_header {
  ib_kind kind = ib_kind::adapter;
  std::uint32_t ports = 0;
  std::string_view id;
  std::string_view description;
};

// [1](2c90303000471) "S-0002c90301000f00"[4] # lid 81 lmc 0 "leaf-su1-r7" lid 21 4xHDR
struct ib_port_line {
  std::uint16_t number = 0;
  std::uint64_t guid = 0;
  std::string_view peer;
  std::uint16_t peer_number = 1;  // what ibsim takes when it isn't written
  std::uint64_t peer_guid = 0;
  std::string_view peer_description;
  ib_rate rate;
};

[[nodiscard]] inline std::optional<ib_kind> ib_kind_of(std::string_view word) noexcept {
  if (word == "Switch" || word == "SW") return ib_kind::fabric_switch;
  if (word == "Ca" || word == "Hca" || word == "CA") return ib_kind::adapter;
  if (word == "Rt" || word == "Router" || word == "RT") return ib_kind::router;
  return std::nullopt;
}

// True for a header of a record or a line of the port report, by which the format is known.
[[nodiscard]] inline bool is_line_of_ibnetdiscover(std::string_view text) {
  const auto words = words_of(text.substr(0, 200));
  if (words.size() < 3 || !ib_kind_of(words[0]) || !all_digits(words[1])) return false;
  return words[2].starts_with('"') || (words.size() > 3 && all_digits(words[2]) && words[3].starts_with("0x"));
}

[[nodiscard]] inline ib_header ib_header_of(ib_cursor& at, ib_kind kind) {
  ib_header header{kind, at.whole<std::uint32_t>("the number of ports"), {}, {}};
  at.skip_blanks();
  at.want('"', "an id in quotes");
  header.id = at.until('"', "a closing quote");
  if (header.id.empty()) at.fail("an id that isn't empty");
  std::size_t after = 0;
  if (const auto sign = at.rest().find('#'); sign != std::string_view::npos) {
    header.description = trimmed(widest_quotes(at.rest().substr(sign + 1), '"', after));
  }
  return header;
}

// "[ext 12]": the number on the housing, which grouping adds.
inline void skip_outer_number(ib_cursor& at) {
  if (at.rest().starts_with("[ext")) (void)at.until(']', "]");
}

[[nodiscard]] inline std::uint16_t bracketed_port(ib_cursor& at) {
  const auto port = at.whole<std::uint16_t>("the number of a port");
  at.skip_blanks();
  at.want(']', "] after the number of a port");
  skip_outer_number(at);
  return port;
}

// GUID in parentheses, if one follows.
[[nodiscard]] inline std::uint64_t port_guid(ib_cursor& at) {
  at.skip_blanks();
  const auto before = at.offset();
  if (!at.accept('(')) return 0;
  const auto guid = ib_guid_of(at.until(')', ") after a GUID"));
  if (!guid) {
    at.move_to(before);
    at.fail("the GUID of a port");
  }
  return *guid;
}

// pre: the line begins with '[', after blanks.
[[nodiscard]] inline ib_port_line ib_port_line_of(ib_cursor& at) {
  ib_port_line line;
  at.skip_blanks();
  at.want('[', "[PORT]");
  line.number = bracketed_port(at);
  line.guid = port_guid(at);
  at.skip_blanks();
  at.want('"', "the id of the other end in quotes");
  line.peer = at.until('"', "a closing quote");
  if (line.peer.empty()) at.fail("an id that isn't empty");
  at.skip_blanks();
  if (at.accept('[')) line.peer_number = bracketed_port(at);
  line.peer_guid = port_guid(at);
  const auto sign = at.rest().find('#');
  if (sign == std::string_view::npos) return line;
  std::size_t after = 0;
  line.peer_description = trimmed(widest_quotes(at.rest().substr(sign + 1), '"', after));
  at.move_to(at.offset() + sign + 1 + after);
  for (auto word = at.word(); !word.empty(); word = at.word()) {
    const auto rate = ib_rate_of(word);
    if (!rate) continue;
    line.rate = *rate;
    break;
  }
  return line;
}

// CA 134 1 0x7cfe9003003b4bde 4x EDR - SW 1719 10 0x7cfe9003009ce5b0 ( 'o0001 HCA-1' - 'ib-i1l1s01' )
struct ib_end {
  ib_kind kind = ib_kind::adapter;
  std::uint16_t number = 0;
  std::uint64_t guid = 0;
  std::string_view description;
};
struct ib_report_line {
  ib_end near;
  std::optional<ib_end> far;  // nothing: no peer
  ib_rate rate;
};

[[nodiscard]] inline ib_end ib_end_of(ib_cursor& at, ib_kind kind) {
  ib_end end;
  end.kind = kind;
  (void)at.whole<std::uint32_t>("a LID");
  end.number = at.whole<std::uint16_t>("the number of a port");
  end.guid = at.guid("a GUID");
  if (end.guid == 0) at.fail("a GUID other than 0");
  return end;
}

// pre: the first word, the kind, is read. errors: parse_error, also for names without quotes, which can't be told apart.
[[nodiscard]] inline ib_report_line ib_report_line_of(ib_cursor& at, ib_kind kind) {
  ib_report_line line{ib_end_of(at, kind), {}, {}};
  const auto width = at.word();
  const auto speed = at.word();
  line.rate = {ib_lanes_of(width), ib_speed_of(speed)};
  if (line.rate.lanes == 0 && !width.starts_with("??")) at.fail("a width such as 4x and a speed such as EDR");
  at.skip_blanks();
  std::size_t after = 0;
  if (!at.accept('-')) {
    if (!at.rest().starts_with('\'') || trimmed(at.rest()).size() < 2 || !trimmed(at.rest()).ends_with('\'')) {
      at.fail("- and the other end, or a name in single quotes");
    }
    line.near.description = trimmed(widest_quotes(at.rest(), '\'', after));
    return line;
  }
  const auto far_kind = ib_kind_of(at.word());
  if (!far_kind) at.fail("SW, CA or RT before this");
  line.far = ib_end_of(at, *far_kind);
  at.skip_blanks();
  at.want('(', "( 'NAME' - 'NAME' )");
  const auto names = widest_quotes(at.rest(), '\'', after);
  const auto between = names.find("' - '");
  if (between == std::string_view::npos || trimmed(at.rest().substr(after)) != ")") at.fail("'NAME' - 'NAME' )");
  line.near.description = trimmed(names.substr(0, between));
  line.far->description = trimmed(names.substr(between + 5));
  return line;
}

}  // namespace topoplan::inline v1::import::detail
