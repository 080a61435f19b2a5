// Which NVSwitches of a host the listed NVLinks join, through GPUs or directly.
#pragma once

#include <topoplan/import/host_devices.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace topoplan::inline v1::import::detail {

// The NVSwitches that have links, by connected component, in the order of the devices. complexity: O(devices + links, almost).
[[nodiscard]] inline std::vector<std::vector<std::uint32_t>> nvswitch_groups(const host_devices& host) {
  std::vector<std::uint32_t> above(host.devices.size());
  for (std::uint32_t d = 0; d < above.size(); ++d) above[d] = d;
  const auto root = [&](std::uint32_t d) {
    while (above[d] != d) d = above[d] = above[above[d]];
    return d;
  };
  std::vector<bool> linked(host.devices.size(), false);
  for (const nvlink_bundle& bundle : host.nvlinks) {
    linked[bundle.a] = linked[bundle.b] = true;
    above[root(bundle.a)] = root(bundle.b);
  }
  std::map<std::uint32_t, std::size_t> group_of;
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t d = 0; d < host.devices.size(); ++d) {
    if (host.devices[d].kind != device_kind::nvswitch || !linked[d]) continue;
    const auto [found, fresh] = group_of.emplace(root(d), groups.size());
    if (fresh) groups.emplace_back();
    groups[found->second].push_back(d);
  }
  return groups;
}

}  // namespace topoplan::inline v1::import::detail
