// Reads the table that says which host an InfiniBand adapter belongs to: a GUID and a name a line, as node name maps have it.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/ib_text.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/ib_fabric.hpp>
#include <topoplan/import/nic_inventory.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// GUID of an adapter or of one of its ports, and whose it is.
struct ib_host_entry {
  std::uint64_t guid = 0;
  std::string host;
  std::string adapter;  // mlx5_3; empty: not given
  std::size_t line = 0;

  friend bool operator==(const ib_host_entry&, const ib_host_entry&) = default;
};

// A plain value.
struct ib_host_table {
  std::string source;
  std::vector<ib_host_entry> entries;  // in the order of the source; each GUID once

  friend bool operator==(const ib_host_table&, const ib_host_table&) = default;
};

// Reads lines `GUID HOST [ADAPTER]`, or `GUID "HOST ADAPTER"` as the --node-name-map of ibnetdiscover; '#' begins a comment.
// complexity: O(text). errors: parse_error for a line that is neither, a GUID that stands twice, and a table without a line.
[[nodiscard]] inline ib_host_table read_ib_host_table(std::string_view text, std::string source) {
  ib_host_table table{std::move(source), {}};
  std::unordered_map<std::uint64_t, std::size_t> line_of;
  for (const detail::text_line& line : detail::lines_of(text, table.source)) {
    detail::ib_cursor at(line.text.substr(0, line.text.find('#')), table.source, line.number);
    at.skip_blanks();
    if (at.done()) continue;
    const location where = at.here();
    ib_host_entry entry;
    entry.guid = at.guid("the GUID of an adapter or of its port");
    entry.line = line.number;
    at.skip_blanks();
    std::size_t after = 0;
    const auto quotes = detail::widest_quotes(at.rest(), '"', after);
    detail::ib_cursor name(after == 0 ? at.rest() : quotes, table.source, line.number);
    entry.host = std::string(name.word());
    entry.adapter = std::string(name.word());
    name.skip_blanks();
    if (entry.host.empty()) at.fail("the name of the host");
    if (!name.done()) at.fail("HOST and ADAPTER, nothing more");
    const auto [known, fresh] = line_of.emplace(entry.guid, line.number);
    if (!fresh) {
      throw parse_error(where, "each GUID once",
                        guid_text(entry.guid) + " again, which line " + std::to_string(known->second) + " has");
    }
    table.entries.push_back(std::move(entry));
  }
  if (table.entries.empty()) throw parse_error({table.source, 0, 0}, "lines such as 0x0002c90303000470 gpu-004 mlx5_7", "none");
  return table;
}

// Adds what `ibstat` or `ibv_devinfo` print on a host: the GUIDs of its adapters and of their ports, whatever they are called in
// the fabric. complexity: O(ports + entries). errors: parse_error for a GUID that is no number, or that another host has already.
inline void add_host(ib_host_table& table, const std::string& host, const nic_inventory& nics) {
  std::unordered_map<std::uint64_t, std::string> host_of;
  for (const ib_host_entry& entry : table.entries) host_of.emplace(entry.guid, entry.host);
  const auto add = [&](const std::string& text, const std::string& adapter, std::size_t line) {
    if (text.empty()) return;
    const auto guid = detail::ib_guid_of(text);
    if (!guid) throw parse_error({nics.source, line, 0}, "a GUID", quoted(text));
    const auto [known, fresh] = host_of.emplace(*guid, host);
    if (!fresh && known->second != host) {
      throw parse_error({nics.source, line, 0}, "a GUID of " + host + " alone",
                        guid_text(*guid) + ", which " + known->second + " has");
    }
    if (fresh && *guid != 0) table.entries.push_back({*guid, host, adapter, line});
  };
  for (const nic_device& device : nics.devices) {
    add(device.node_guid, device.name, device.line);
    for (const nic_port& port : device.ports) add(port.guid, device.name, port.line);
  }
  if (table.source.find(nics.source) == std::string::npos) table.source += (table.source.empty() ? "" : ", ") + nics.source;
}

}  // namespace topoplan::inline v1::import
