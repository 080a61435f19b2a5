// The lines of `iblinkinfo`: a port, what its link is doing, and the other end.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/ib_record.hpp>
#include <topoplan/import/detail/ib_text.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/ib_fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace topoplan::inline v1::import::detail {

struct ib_link_end {
  std::uint64_t guid = 0;  // 0: not printed
  std::uint32_t lid = 0;
  std::uint16_t number = 0;
  std::string_view description;
};

// 0x0002c90303000771 84 1[ ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 21 4[ ] "leaf-su1-r7" ( )
struct ib_link_line {
  ib_link_end near;
  std::optional<ib_link_end> far;  // nothing: no peer
  ib_rate rate;
  std::string_view state;     // Active, Initialize, Armed, Down
  std::string_view could_be;  // what both ends support beyond that: "Could be 53.125 Gbps"
  location where;
};

// Signalling rate of a lane, as the tool prints it.
[[nodiscard]] inline ib_speed ib_speed_of_signalling(std::string_view gigabits) noexcept {
  constexpr std::string_view rates[] = {"2.5", "5.0", "10.0", "", "14.0625", "25.78125", "53.125", "106.25", "212.5"};
  for (std::uint8_t i = 0; i < std::size(rates); ++i) {
    if (gigabits == rates[i] && !gigabits.empty()) return static_cast<ib_speed>(i + 1);
  }
  return ib_speed::unknown;
}

[[nodiscard]] inline bool is_ib_link_line(std::string_view line) noexcept { return line.find("==(") != std::string_view::npos; }

// LID, port and "[  ]", after a GUID and, in the line form, the name of the device in quotes.
[[nodiscard]] inline ib_link_end ib_link_end_of(ib_cursor& at, bool with_name) {
  ib_link_end end;
  at.skip_blanks();
  if (at.rest().starts_with("0x")) end.guid = at.guid("a GUID");
  at.skip_blanks();
  if (with_name && !at.done() && at.rest().front() == '"') {
    std::size_t after = 0;
    const auto before_arrow = at.rest().substr(0, at.rest().find("==("));
    end.description = trimmed(widest_quotes(before_arrow, '"', after));
    if (after == 0) at.fail("a closing quote");
    at.move_to(at.offset() + after);
  }
  end.lid = at.whole<std::uint32_t>("a LID");
  end.number = at.whole<std::uint16_t>("the number of a port");
  if (end.number == 0) at.fail("a port number of 1 or more before this");
  at.skip_blanks();
  at.want('[', "[ ] after the number of a port");
  (void)at.until(']', "]");
  return end;
}

// "4X 53.125 Gbps Active/ LinkUp", "4X 10.0 Gbps (FDR10) Active/ LinkUp", "Down/ Polling".
inline void read_link_state(std::string_view text, ib_link_line& line, ib_cursor& at) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) at.fail("STATE/ PHYSICAL STATE");
  auto before = trimmed(text.substr(0, slash));
  const auto last = before.find_last_of(" \t");
  line.state = last == std::string_view::npos ? before : before.substr(last + 1);
  before.remove_suffix(line.state.size());
  const auto width = before.substr(0, before.find_first_of(" \t"));
  before.remove_prefix(width.size());
  before = trimmed(before);
  line.rate.lanes = ib_lanes_of(width);
  line.rate.speed = before.find("FDR10") != std::string_view::npos
                        ? ib_speed::fdr10
                        : ib_speed_of_signalling(before.substr(0, before.find_first_of(" \t")));
}

// pre: is_ib_link_line(text). errors: parse_error where the line is cut or malformed.
[[nodiscard]] inline ib_link_line ib_link_line_of(std::string_view text, const std::string& source, std::size_t number) {
  ib_cursor at(text, source, number);
  ib_link_line line;
  at.skip_blanks();
  line.where = at.here();
  line.near = ib_link_end_of(at, true);
  at.skip_blanks();
  if (!at.rest().starts_with("==(")) at.fail("==(");
  const auto arrow = at.rest().find(")==>");
  if (arrow == std::string_view::npos) at.fail("==( ... )==>");
  read_link_state(at.rest().substr(3, arrow - 3), line, at);
  at.move_to(at.offset() + arrow + 4);
  at.skip_blanks();
  if (at.done()) at.fail("the other end");
  if (at.rest().front() == '[' || at.rest().front() == '"') return line;  // [  ] "" ( ), or "Port not available"
  line.far = ib_link_end_of(at, false);
  at.skip_blanks();
  std::size_t after = 0;
  line.far->description = trimmed(widest_quotes(at.rest(), '"', after));
  if (after == 0) at.fail("the name of the other end in quotes");
  const auto remark = at.rest().substr(after);
  if (const auto could = remark.find("Could be"); could != std::string_view::npos) {
    line.could_be = trimmed(remark.substr(could, remark.rfind(')') - could));
  }
  return line;
}

}  // namespace topoplan::inline v1::import::detail
