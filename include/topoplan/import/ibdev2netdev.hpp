// Reads `ibdev2netdev`, also with -v: which network interface belongs to which RDMA device.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/nic_fields.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/nic_inventory.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// systemd's names: ibp26s0 is InfiniBand, enp27s0f0np0 and eth0 are Ethernet; net1, of a pod, says nothing.
[[nodiscard]] inline link_layer layer_of_netdev(std::string_view name) noexcept {
  if (name.starts_with("ib")) return link_layer::infiniband;
  return name.starts_with("en") || name.starts_with("eth") ? link_layer::ethernet : link_layer::unknown;
}

// "mlx5_0 port 1 ==> ib0 (Up)", and with -v "0000:1a:00.0 mlx5_0 (MT4129 - ...) ... port 1 (ACTIVE) ==> ib0 (Up)".
// errors: parse_error for a line with an arrow that reads otherwise.
inline void add_netdev(nic_inventory& nics, const text_line& line) {
  const auto words = words_of(line.text);
  const auto arrow = std::find(words.begin(), words.end(), "==>");
  if (arrow == words.end()) return;
  const auto port_word = std::find(words.begin(), arrow, "port");
  const bool has_address = !words.empty() && parse_pci(words.front()).has_value();
  const std::size_t name_at = has_address ? 1 : 0;
  const bool complete = std::distance(port_word, arrow) >= 2 &&
                        static_cast<std::size_t>(std::distance(words.begin(), port_word)) > name_at &&
                        std::distance(arrow, words.end()) >= 3;
  if (!complete) {
    if (!line.ended) return;
    throw parse_error({nics.source, line.number, 1}, "a line such as 'mlx5_0 port 1 ==> ib0 (Up)'", quoted(line.text));
  }
  const auto name = words[name_at];
  const bool known = !nics.devices.empty() && nics.devices.back().name == name;
  nic_device& device = known ? nics.devices.back() : begin_device(nics, name, line.number);
  if (has_address) device.pci = to_string(*parse_pci(words.front()));
  if (const auto& type = words[name_at + 1]; has_address && type.starts_with('(') && is_plain_name(type.substr(1)))
    device.type = type.substr(1);
  nic_port& port = begin_port(nics, device, *std::next(port_word), line.number);
  if (std::distance(port_word, arrow) >= 3) port.state = port_state_of(*std::next(port_word, 2));
  const auto netdev = *std::next(arrow);
  if (!is_plain_name(netdev))
    throw parse_error({nics.source, line.number, column_of(line.text, netdev)}, "a network interface", quoted(netdev));
  port.netdev = netdev;
  port.layer = layer_of_netdev(netdev);
  port.netdev_up = equal_ignoring_case(*std::next(arrow, 2), "(Up)");
}

}  // namespace detail

// Reads the devices of one host. (Up) and (Down) are the state of the network interface, so that the ports' own stays unknown
// unless -v tells it. What follows the interface on a line, such as a comment, is left out.
// post: devices in the order of the text, which is often that of names: mlx5_10 before mlx5_2. complexity: O(text + devices^2).
// errors: parse_error for a text without a device, for one that stands there twice, and for a line that reads otherwise.
[[nodiscard]] inline nic_inventory ibdev2netdev(std::string_view text, std::string source) {
  const std::string plain = detail::without_escapes(text);
  nic_inventory nics;
  nics.source = std::move(source);
  for (const auto& line : detail::lines_of(plain, nics.source)) detail::add_netdev(nics, line);
  if (nics.devices.empty()) {
    throw parse_error({nics.source, 0, 0}, "the output of `ibdev2netdev`", "no line such as 'mlx5_0 port 1 ==> ib0 (Up)'");
  }
  std::size_t down = 0;
  for (const nic_device& device : nics.devices) {
    for (const nic_port& port : device.ports) down += port.netdev_up == false ? 1U : 0U;
  }
  if (down > 0) {
    nics.notes.push_back({0, "network interfaces down: " + std::to_string(down) + "; the ports under them may work, ask ibstat"});
  }
  detail::conclude(nics);
  return nics;
}

}  // namespace topoplan::inline v1::import
