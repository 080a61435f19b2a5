// Matches NVLinks as each GPU tells its own end of them: to another GPU, to an NVSwitch that may stand nowhere else, to a CPU.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/device_notes.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/host_devices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import::detail {

struct nvlink_end {
  std::uint32_t gpu = 0;
  std::string target;        // PCI address; "fffffff:ffff:ff" where a virtual machine hides it
  std::string target_class;  // PCI class; empty: the target isn't visible
  std::uint32_t count = 0;
  std::size_t line = 0;
};

// POWER9's CPU end of an NVLink.
inline constexpr std::string_view nvlink_cpu_class = "0x068001";

// Adds to `host` the NVSwitches that the ends name, and the links. A target that is neither visible nor of a known class is an
// NVSwitch, as NCCL takes it.
// errors: parse_error for one target twice and for a link of a GPU to itself. complexity: O(ends log ends).
inline void resolve(const std::vector<nvlink_end>& ends, host_devices& host) {
  std::map<std::string, std::uint32_t> by_address;
  for (std::uint32_t d = 0; d < host.devices.size(); ++d) by_address.emplace(host.devices[d].pci, d);
  std::map<std::pair<std::uint32_t, std::uint32_t>, const nvlink_end*> told;
  std::size_t unlisted_switches = 0;
  for (const nvlink_end& end : ends) {
    const location where{host.source, end.line, 0};
    const auto address = parse_pci(end.target);
    const auto name = address ? to_string(*address) : "hidden " + end.target;
    if (end.target_class == nvlink_cpu_class) continue;
    auto found = by_address.find(name);
    if (found == by_address.end()) {
      const auto kind = kind_of_class(end.target_class);
      if (kind == pci_kind::gpu) {
        host.notes.push_back({end.line, gpu_name(host.devices[end.gpu]) + " has " + counted(end.count, "NVLink") + " to " +
                                            end.target + ", a GPU that isn't in the file"});
        continue;
      }
      if (kind != pci_kind::nvswitch && kind != pci_kind::unknown) {
        host.notes.push_back({end.line, "NVLinks to " + end.target + " of PCI class " + end.target_class + " are left out"});
        continue;
      }
      ++unlisted_switches;
      host_device nvswitch;
      nvswitch.kind = device_kind::nvswitch;
      nvswitch.pci = address ? name : std::string{};
      nvswitch.line = end.line;
      host.devices.push_back(nvswitch);
      found = by_address.emplace(name, static_cast<std::uint32_t>(host.devices.size() - 1)).first;
    }
    if (found->second == end.gpu) throw parse_error(where, "NVLinks to another device", "of " + name + " to itself");
    if (!told.emplace(std::pair{end.gpu, found->second}, &end).second) {
      throw parse_error(where, "each target once for a GPU", end.target + " twice");
    }
  }
  for (const auto& [pair, end] : told) {
    const auto [from, to] = pair;
    auto count = end->count;
    if (const auto back = told.find({to, from}); back != told.end()) {
      if (from > to) continue;
      count = std::min(count, back->second->count);
      if (end->count != back->second->count) {
        host.notes.push_back({back->second->line, gpu_name(host.devices[from]) + " names " + counted(end->count, "NVLink") +
                                                      " to " + gpu_name(host.devices[to]) + ", that one " +
                                                      std::to_string(back->second->count) + ": the lesser number counts"});
      }
    } else if (host.devices[to].kind == device_kind::gpu) {
      host.notes.push_back({end->line, "only " + gpu_name(host.devices[from]) + " names the NVLinks between it and " +
                                           gpu_name(host.devices[to])});
    }
    host.nvlinks.push_back({std::min(from, to), std::max(from, to), count, {}, end->line});
  }
  if (unlisted_switches > 0) {
    host.notes.push_back({0, "NVSwitches known from the NVLinks to them only: " + std::to_string(unlisted_switches)});
  }
}

}  // namespace topoplan::inline v1::import::detail
