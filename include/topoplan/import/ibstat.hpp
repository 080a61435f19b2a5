// Reads `ibstat` and `ibstatus`.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/nic_fields.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/nic_inventory.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1::import {

namespace detail {

class ibstat_reader {
 public:
  explicit ibstat_reader(std::string source) { nics_.source = std::move(source); }

  // errors: parse_error for a device or port twice and for a rate that is none.
  void add(const text_line& line) {
    const auto text = trimmed(line.text);
    if (text.starts_with("CA '")) {
      begin_device(nics_, text.substr(4, text.find('\'', 4) - 4), line.number);
      in_port_ = false;
    } else if (text.starts_with("Infiniband device '")) {
      begin_status(text.substr(19), line.number);
    } else if (text.starts_with("ibpanic:") || text.starts_with("ibwarn:")) {
      nics_.notes.push_back({line.number, "ibstat stopped, so that devices may be missing: " + quoted(text, 120)});
    } else if (!nics_.devices.empty()) {
      if (const auto field = field_of(text)) add_field(field->first, field->second, line);
    }
  }

  // errors: parse_error for a text without a device.
  [[nodiscard]] nic_inventory take() {
    if (nics_.devices.empty()) {
      const auto found = nics_.notes.empty() ? std::string("no line such as \"CA 'mlx5_0'\"") : nics_.notes.front().text;
      throw parse_error({nics_.source, nics_.notes.empty() ? 0 : nics_.notes.front().line, 0},
                        "the output of `ibstat` or `ibstatus`", found);
    }
    conclude(nics_);
    return std::move(nics_);
  }

 private:
  // ibstatus: "mlx5_7' port 1 status:"; the ports of a device follow each other.
  void begin_status(std::string_view text, std::size_t line) {
    const auto name = text.substr(0, text.find('\''));
    auto rest = trimmed(text.substr(std::min(name.size() + 1, text.size())));
    if (nics_.devices.empty() || nics_.devices.back().name != name) begin_device(nics_, name, line);
    if (rest.starts_with("port ")) rest.remove_prefix(5);
    begin_port(nics_, nics_.devices.back(), rest.substr(0, rest.find(' ')), line);
    in_port_ = true;
  }

  void add_field(std::string_view key, std::string_view value, const text_line& line) {
    nic_device& device = nics_.devices.back();
    if (key.starts_with("Port ") && value.empty()) {
      begin_port(nics_, device, trimmed(key.substr(5)), line.number);
      in_port_ = true;
    } else if (in_port_) {
      add_field(device.ports.back(), key, value, line);
    } else {
      if (key == "CA type") device.type = is_plain_name(value) ? value : std::string_view{};
      else if (key == "Number of ports") device.promised_ports = number(value);
      else if (key == "Node GUID") device.node_guid = guid_of(value);
      else if (key == "System image GUID") device.system_guid = guid_of(value);
    }
  }

  void add_field(nic_port& port, std::string_view key, std::string_view value, const text_line& line) {
    if (equal_ignoring_case(key, "State")) {
      port.state = port_state_of(value);
    } else if (key == "Physical state" || key == "phys state") {
      port.physical = trimmed(value.substr(value.find(':') + 1));
    } else if (equal_ignoring_case(key, "Rate")) {
      add_rate(port, value, line);
    } else if (key == "Link layer" || key == "link_layer") {
      port.layer = link_layer_of(value);
    } else if (equal_ignoring_case(key, "Base lid")) {
      const auto hexadecimal = value.starts_with("0x");
      port.lid = hexadecimal ? hex(value) : number(value);
    } else if (key == "Port GUID") {
      port.guid = guid_of(value);
    }
  }

  // 400, 200 (HDR), 200 Gb/sec (2X NDR).
  void add_rate(nic_port& port, std::string_view value, const text_line& line) {
    const auto rate = leading_number(value);
    if (!rate) {
      if (!line.ended) return;
      throw parse_error({nics_.source, line.number, 0}, "a rate in Gb/s", quoted(value));
    }
    port.rate = gigabits_per_second(rate->first);
    if (const auto open = value.find('('); open != std::string_view::npos) {
      const auto width = value.substr(open + 1);
      if (const auto cross = width.find('X'); cross != std::string_view::npos) port.lanes = number(width.substr(0, cross));
    }
  }

  nic_inventory nics_;
  bool in_port_ = false;
};

}  // namespace detail

// Reads the devices of one host.
// post: devices in the order of the text; a port that is down has no rate, whatever the tool printed; ports that are down, slower
//   than others of their type, or missing are notes, and so is a tool that stopped half-way. complexity: O(text + devices^2).
// errors: parse_error for a text without a device, for a device or port twice, and for a rate that is none.
[[nodiscard]] inline nic_inventory ibstat(std::string_view text, std::string source) {
  const std::string plain = detail::without_escapes(text);
  const auto lines = detail::lines_of(plain, source);
  detail::ibstat_reader reader(std::move(source));
  for (const auto& line : lines) reader.add(line);
  return reader.take();
}

}  // namespace topoplan::inline v1::import
