// Reads `iblinkinfo`, by device and line by line (`-l`), whole or restricted to switches or adapters.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/ib_fabric_builder.hpp>
#include <topoplan/import/detail/ib_link_line.hpp>
#include <topoplan/import/detail/ib_text.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/ib_fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// A device as headings or lines tell it, before kinds are known.
struct ib_link_device {
  std::optional<ib_kind> kind;
  std::uint64_t guid = 0;
  std::uint32_t lid = 0;
  std::string description;
  location where;
  std::uint16_t port = 0;      // the first that is named
  bool several_ports = false;  // under one GUID or LID: only a switch has that
  bool printed = false;        // has lines of its own
};

class iblinkinfo_reader {
 public:
  explicit iblinkinfo_reader(std::string source) : source_(std::move(source)) {}

  [[nodiscard]] ib_fabric read(const std::vector<text_line>& lines) {
    for (const text_line& line : lines) read_line(line);
    ib_fabric_builder built(source_);
    strange_.move_to(built.notes());
    for (const auto& [line, device] : lines_) far_of_.push_back(line.far ? peer_of(line) : device);
    add_devices(built);
    add_cables(built);
    return built.take("the lines of `iblinkinfo`", false);
  }

 private:
  void read_line(const text_line& line) {
    const auto text = trimmed(line.text);
    if (text.empty() || text.front() == '#') return;
    if (is_ib_link_line(line.text)) {
      if (text.front() == '<' || text.front() == '>') {
        throw parse_error({source_, line.number, 1}, "one scan", "the difference of two (`iblinkinfo --diff`)");
      }
      const auto link = ib_link_line_of(line.text, source_, line.number);
      lines_.emplace_back(link, local_of(link));
      return;
    }
    if (read_heading(text, line)) return;
    strange_.add(line.number, [&] { return quoted(text, 100) + " is no line of `iblinkinfo`: left out"; });
  }

  // "CA: gpu-007 mlx5_7:", "Switch: 0x0002c90300000005 leaf-su1-r7:"; old tools leave the first colon out.
  [[nodiscard]] bool read_heading(std::string_view text, const text_line& line) {
    auto word = text.substr(0, text.find_first_of(" \t"));
    auto rest = trimmed(text.substr(word.size()));
    if (word.ends_with(':')) word.remove_suffix(1);
    const auto kind = ib_kind_of(word);
    if (!kind || !rest.ends_with(':')) return false;
    rest.remove_suffix(1);
    heading_ = ib_link_device{};
    heading_->kind = kind;
    heading_->where = {source_, line.number, column_of(line.text, text)};
    if (*kind == ib_kind::fabric_switch) {
      const auto guid = rest.substr(0, rest.find_first_of(" \t"));
      heading_->guid = ib_guid_of(guid).value_or(0);
      if (heading_->guid == 0) {
        throw parse_error({source_, line.number, column_of(line.text, guid)}, "the GUID of the switch", quoted(guid));
      }
      rest = trimmed(rest.substr(guid.size()));
    }
    heading_->description = std::string(rest);
    under_heading_.reset();
    return true;
  }

  // The device that a line is a port of.
  [[nodiscard]] std::uint32_t local_of(const ib_link_line& line) {
    const bool line_form = line.near.guid != 0 && (!line.near.description.empty() || !heading_);
    if (line_form) {
      const auto device = by_guid(line.near.guid, line.near, line.where);
      if (devices_[device].description.empty()) devices_[device].description = std::string(line.near.description);
      devices_[device].printed = true;
      return device;
    }
    if (!heading_) throw parse_error(line.where, "a heading (Switch: GUID NAME:) above the port of a switch", "none");
    if (!under_heading_) {
      if (heading_->guid == 0) heading_->guid = line.near.guid;
      if (heading_->guid == 0) throw parse_error(line.where, "the GUID of the port of an adapter", "none");
      under_heading_ = by_guid(heading_->guid, line.near, heading_->where);
      ib_link_device& device = devices_[*under_heading_];
      if (device.kind && device.kind != heading_->kind) {
        throw parse_error(heading_->where, "one kind of device for " + guid_text(device.guid), "two");
      }
      device.kind = heading_->kind;
      device.description = heading_->description;
      device.printed = true;
    }
    note_lid(*under_heading_, line.near.lid, line.where);
    return *under_heading_;
  }

  [[nodiscard]] std::uint32_t by_guid(std::uint64_t guid, const ib_link_end& end, const location& where) {
    const auto next = static_cast<std::uint32_t>(devices_.size());
    const auto device = of_guid_.emplace(guid, next).first->second;
    if (device == next) add_device(guid, end, where);
    if (devices_[device].port != end.number) devices_[device].several_ports = true;
    note_lid(device, end.lid, where);
    return device;
  }

  void add_device(std::uint64_t guid, const ib_link_end& end, const location& where) {
    ib_link_device made;
    made.guid = guid;
    made.lid = end.lid;
    made.port = end.number;
    made.where = where;
    devices_.push_back(std::move(made));
  }

  void note_lid(std::uint32_t device, std::uint32_t lid, const location& where) {
    if (lid == 0) return;
    const auto known = of_lid_.emplace(lid, device).first->second;
    if (known == device) return;
    throw parse_error(
        where, "one device with LID " + std::to_string(lid),
        "another one in line " + std::to_string(devices_[known].where.line) + "; two subnets in one text? One file for each");
  }

  // pre: line.far. A GUID names the peer, else its LID.
  [[nodiscard]] std::uint32_t peer_of(const ib_link_line& line) {
    const ib_link_end& far = *line.far;
    if (far.guid != 0) return by_guid(far.guid, far, line.where);
    if (far.lid == 0) {
      throw parse_error(line.where, "the LID of the other end",
                        "0: no subnet manager has set up the fabric, and names alone don't say which port it is; "
                        "take `iblinkinfo -l` or `ibnetdiscover`");
    }
    const auto next = static_cast<std::uint32_t>(devices_.size());
    const auto device = of_lid_.emplace(far.lid, next).first->second;
    if (device == next) add_device(0, far, line.where);
    if (devices_[device].port != far.number) devices_[device].several_ports = true;
    return device;
  }

  void add_devices(ib_fabric_builder& built) {
    for (const ib_link_device& d : devices_) {
      const ib_kind kind = d.kind.value_or(d.several_ports ? ib_kind::fabric_switch : ib_kind::adapter);
      const std::string id = "LID " + std::to_string(d.lid);
      const auto device = built.device(kind, {d.guid, id}, d.where);
      if (d.printed) built.record(device, d.description, 0, d.where.line);
      numbers_.push_back(device);
    }
  }

  void add_cables(ib_fabric_builder& built) {
    note_pile slow;
    note_pile inactive;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto& [line, local] = lines_[i];
      const auto near = numbers_[local];
      if (!line.far) {
        built.idle(near, line.near.number, line.where.line);
        continue;
      }
      const auto far = numbers_[far_of_[i]];
      built.call(far, line.far->description, line.where.line);
      const bool fresh = built.cable({near, line.near.number, adapter_guid(built, near, line.near)},
                                     {far, line.far->number, adapter_guid(built, far, *line.far)}, line.rate, line.where);
      if (!fresh) continue;  // its other end has said the rest
      const auto port = [&] { return name_of(built.at(near)) + " port " + std::to_string(line.near.number); };
      if (line.could_be.find("Gbps") != std::string_view::npos || line.could_be.find("FDR10") != std::string_view::npos) {
        slow.add(line.where.line, [&] {
          return port() + " runs at " + to_string(line.rate) + ", below what both ends can: " + quoted(line.could_be);
        });
      }
      if (line.state != "Active") {
        inactive.add(line.where.line, [&] { return port() + " isn't active: " + quoted(line.state); });
      }
    }
    slow.move_to(built.notes());
    inactive.move_to(built.notes());
  }

  [[nodiscard]] static std::uint64_t adapter_guid(const ib_fabric_builder& built, std::uint32_t device, const ib_link_end& end) {
    return built.at(device).kind == ib_kind::fabric_switch ? 0 : end.guid;
  }

  std::string source_;
  std::optional<ib_link_device> heading_;
  std::optional<std::uint32_t> under_heading_;
  std::vector<ib_link_device> devices_;
  std::vector<std::pair<ib_link_line, std::uint32_t>> lines_;  // each with its own device
  std::vector<std::uint32_t> far_of_;                          // of each line
  std::vector<std::uint32_t> numbers_;                         // of each device, in the fabric
  std::unordered_map<std::uint64_t, std::uint32_t> of_guid_;
  std::unordered_map<std::uint32_t, std::uint32_t> of_lid_;
  note_pile strange_;
};

}  // namespace detail

// Reads devices and cables. The other end of a cable is found by its GUID (`-l`) or its LID, never by its name; what the tool
// says a link could be, and links that aren't active, are noted. Without headings (`-l`) a device with several ports under one
// GUID is a switch, any other an adapter.
// post: each cable once, however often it is printed; at the lower rate where its ends don't agree.
// complexity: O(text). errors: parse_error for a line that is cut or malformed, a LID or a GUID of two devices, a port with two
//   peers, peers without a LID, and a text without a cable.
[[nodiscard]] inline ib_fabric iblinkinfo(std::string_view text, std::string source) {
  const bool coloured = text.find('\x1b') != std::string_view::npos;
  const std::string plain = coloured ? detail::without_escapes(text) : std::string{};
  const auto lines = detail::lines_of(coloured ? std::string_view(plain) : text, source);
  return detail::iblinkinfo_reader(std::move(source)).read(lines);
}

}  // namespace topoplan::inline v1::import
