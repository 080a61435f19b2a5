// What the readers of ibstat, ibv_devinfo and ibdev2netdev share: how values read, and what to say of a finished inventory.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/guid.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/nic_inventory.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace topoplan::inline v1::import::detail {

inline constexpr std::size_t nic_max_devices = 1024;

// "key: value" with the blanks around both removed; the value is empty for a heading.
[[nodiscard]] inline std::optional<std::pair<std::string_view, std::string_view>> field_of(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return std::pair{trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))};
}

// The number at the beginning of a text, and what follows it.
[[nodiscard]] inline std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) noexcept {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || !(value >= 0) || value > 1e6) return std::nullopt;
  return std::pair{value, trimmed(text.substr(static_cast<std::size_t>(end - text.data())))};
}

// Active, PORT_ACTIVE (4), 4: ACTIVE.
[[nodiscard]] inline port_state port_state_of(std::string_view text) {
  const auto words = lower(text);
  const auto has = [&](std::string_view part) { return words.find(part) != std::string::npos; };
  if (has("active")) return port_state::active;
  if (has("down")) return port_state::down;
  if (has("init")) return port_state::initializing;
  return has("arm") ? port_state::armed : port_state::unknown;
}

[[nodiscard]] inline link_layer link_layer_of(std::string_view text) {
  if (equal_ignoring_case(text, "InfiniBand")) return link_layer::infiniband;
  return equal_ignoring_case(text, "Ethernet") ? link_layer::ethernet : link_layer::unknown;
}

// Adds a device. errors: parse_error for a name that stands there already, for one that is none, and for too many.
inline nic_device& begin_device(nic_inventory& nics, std::string_view name, std::size_t line) {
  const location where{nics.source, line, 0};
  if (!is_plain_name(name)) throw parse_error(where, "the name of a device, such as mlx5_0", quoted(name));
  for (const nic_device& other : nics.devices) {
    if (other.name == name) {
      throw parse_error(where, "each device of one host once", std::string(name) + " as in line " + std::to_string(other.line));
    }
  }
  if (nics.devices.size() == nic_max_devices)
    throw parse_error(where, "at most " + std::to_string(nic_max_devices) + " devices", "more");
  nics.devices.push_back({});
  nics.devices.back().name = name;
  nics.devices.back().line = line;
  return nics.devices.back();
}

// errors: parse_error for a number that is none, or that the device has already.
inline nic_port& begin_port(const nic_inventory& nics, nic_device& device, std::string_view number_text, std::size_t line) {
  const location where{nics.source, line, 0};
  const auto number = detail::number(number_text);
  if (!number || *number > 255) throw parse_error(where, "the number of a port", quoted(number_text));
  for (const nic_port& other : device.ports) {
    if (other.number == *number) {
      throw parse_error(where, "each port of " + device.name + " once", "port " + std::to_string(*number) + " twice");
    }
  }
  device.ports.push_back({});
  device.ports.back().number = *number;
  device.ports.back().line = line;
  return device.ports.back();
}

[[nodiscard]] inline std::string title_of(const nic_device& device, const nic_port& port) {
  const bool many = device.ports.size() > 1 || device.promised_ports.value_or(1) > 1;
  return many ? device.name + " port " + std::to_string(port.number) : device.name;
}

[[nodiscard]] inline std::string gigabits_text(bytes_per_second rate) {
  std::string text = std::to_string(rate.gigabits());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " Gb/s";
}

// Notes: ports that are down, slower than others of their kind, on few lanes, missing.
inline void conclude(nic_inventory& nics) {
  std::map<std::pair<std::string, link_layer>, double> fastest;
  for (nic_device& device : nics.devices) {
    for (nic_port& port : device.ports) {
      if (port.state == port_state::down) port.rate.reset();
      if (port.rate) {
        auto& rate = fastest[{device.type, port.layer}];
        rate = std::max(rate, port.rate->value);
      }
    }
  }
  for (const nic_device& device : nics.devices) {
    for (const nic_port& port : device.ports) {
      const auto title = title_of(device, port);
      if (port.state == port_state::down) {
        nics.notes.push_back({port.line, title + " is down" + (port.physical.empty() ? "" : ": " + quoted(port.physical))});
      } else if (port.state == port_state::initializing || port.state == port_state::armed) {
        nics.notes.push_back({port.line, title + " isn't active yet: no subnet manager has brought it up"});
      }
      if (const auto most = fastest[{device.type, port.layer}]; port.rate && port.rate->value < most) {
        nics.notes.push_back({port.line, title + " runs at " + gigabits_text(*port.rate) + ", another " +
                                             (device.type.empty() ? "port" : device.type) + " at " +
                                             gigabits_text(bytes_per_second{most})});
      }
      if (port.lanes && *port.lanes < 4) {
        nics.notes.push_back(
            {port.line, title + " runs on " + counted(*port.lanes, "lane") + ": a split port, or lanes are down"});
      }
    }
    if (device.promised_ports && *device.promised_ports > device.ports.size()) {
      nics.notes.push_back({device.line, device.name + " has " + counted(*device.promised_ports, "port") + ", " +
                                             std::to_string(device.ports.size()) + " described: the text was cut"});
    }
  }
  std::sort(nics.notes.begin(), nics.notes.end(),
            [](const note& a, const note& b) { return std::tie(a.line, a.text) < std::tie(b.line, b.text); });
}

}  // namespace topoplan::inline v1::import::detail
