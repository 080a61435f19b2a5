// Reads `ibv_devinfo`, also with -v.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/nic_fields.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/nic_inventory.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace topoplan::inline v1::import {

namespace detail {

class ibv_devinfo_reader {
 public:
  explicit ibv_devinfo_reader(std::string source) { nics_.source = std::move(source); }

  // errors: parse_error for a device or port twice.
  void add(const text_line& line) {
    const auto field = field_of(trimmed(line.text));
    if (!field) return;
    const auto& [key, value] = *field;
    if (key == "hca_id") {
      begin_device(nics_, value, line.number);
      in_port_ = false;
    } else if (nics_.devices.empty()) {
      return;
    } else if (key == "port") {
      if (value.empty() && !line.ended) return;
      begin_port(nics_, nics_.devices.back(), value, line.number);
      in_port_ = true;
      width_.reset();
    } else if (in_port_) {
      add_to(nics_.devices.back().ports.back(), key, value);
    } else {
      add_to(nics_.devices.back(), key, value);
    }
  }

  // errors: parse_error for a text without a device.
  [[nodiscard]] nic_inventory take() {
    if (nics_.devices.empty())
      throw parse_error({nics_.source, 0, 0}, "the output of `ibv_devinfo`", "no line such as 'hca_id: mlx5_0'");
    conclude(nics_);
    return std::move(nics_);
  }

 private:
  void add_to(nic_device& device, std::string_view key, std::string_view value) {
    if (key == "transport") {
      const auto name = trimmed(value.substr(0, value.find('(')));
      device.transport = is_plain_name(name) ? name : std::string_view{};
    } else if (key == "node_guid") {
      device.node_guid = guid_of(value);
    } else if (key == "sys_image_guid") {
      device.system_guid = guid_of(value);
    } else if (key == "vendor_id") {
      mellanox_ = value == "0x02c9";
    } else if (key == "vendor_part_id" && all_digits(value)) {
      device.type = (mellanox_ ? "MT" : "") + std::string(value);
    } else if (key == "phys_port_cnt") {
      device.promised_ports = number(value);
    }
  }

  // -v prints "active_width: 4X (2)" before "active_speed: 100.0 Gbps (128)", which is that of one lane.
  void add_to(nic_port& port, std::string_view key, std::string_view value) {
    if (key == "state") {
      port.state = port_state_of(value);
    } else if (key == "link_layer") {
      port.layer = link_layer_of(value);
    } else if (key == "port_lid") {
      port.lid = number(value);
    } else if (key == "phys_state") {
      const auto name = trimmed(value.substr(0, value.find('(')));
      port.physical = is_plain_name(name) ? name : std::string_view{};
    } else if (key == "active_width") {
      width_ = number(value.substr(0, value.find('X')));
    } else if (key == "active_speed") {
      const auto lane = leading_number(value);
      if (!lane || !width_ || *width_ > 16 || !lane->second.starts_with("Gbps")) return;
      port.lanes = width_;
      port.rate = gigabits_per_second(lane->first * *width_);
    }
  }

  nic_inventory nics_;
  std::optional<std::uint32_t> width_;
  bool mellanox_ = false;  // whose part ids ibstat prints as MT4129
  bool in_port_ = false;
};

}  // namespace detail

// Reads the devices of one host. Rates are known from `ibv_devinfo -v` only.
// post: devices in the order of the text; ports that are down, slower than others of their type, or missing are notes.
// complexity: O(text + devices^2). errors: parse_error for a text without a device, and for a device or port twice.
[[nodiscard]] inline nic_inventory ibv_devinfo(std::string_view text, std::string source) {
  const std::string plain = detail::without_escapes(text);
  const auto lines = detail::lines_of(plain, source);
  detail::ibv_devinfo_reader reader(std::move(source));
  for (const auto& line : lines) reader.add(line);
  return reader.take();
}

}  // namespace topoplan::inline v1::import
