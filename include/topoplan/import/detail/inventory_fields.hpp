// What the text and the XML of `nvidia-smi -q` have in common: how values read, and what to say of a finished inventory.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/pci.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/gpu_inventory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace topoplan::inline v1::import::detail {

[[nodiscard]] inline bool is_not_available(std::string_view text) noexcept {
  return text.empty() || equal_ignoring_case(text, "N/A") || equal_ignoring_case(text, "[N/A]") ||
         equal_ignoring_case(text, "Not Supported") || equal_ignoring_case(text, "[Not Supported]");
}

// Empty for N/A and for what isn't printable ASCII.
[[nodiscard]] inline std::string available(std::string_view text) {
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return is_not_available(text) || !printable ? std::string{} : std::string(text);
}

[[nodiscard]] inline gpu_mode mode_of(std::string_view text) noexcept {
  if (equal_ignoring_case(text, "Enabled")) return gpu_mode::on;
  if (equal_ignoring_case(text, "Disabled")) return gpu_mode::off;
  return is_not_available(text) ? gpu_mode::none : gpu_mode::not_given;
}

[[nodiscard]] inline fabric_state state_of(std::string_view text) noexcept {
  if (is_not_available(text)) return fabric_state::none;
  if (equal_ignoring_case(text, "Completed")) return fabric_state::completed;
  if (equal_ignoring_case(text, "In Progress")) return fabric_state::in_progress;
  if (equal_ignoring_case(text, "Not Started")) return fabric_state::not_started;
  return fabric_state::unclear;
}

// "81559 MiB", or nothing.
[[nodiscard]] inline std::optional<bytes> memory_of(std::string_view text) noexcept {
  if (!text.ends_with(" MiB")) return std::nullopt;
  const auto mebi = number<std::uint64_t>(text.substr(0, text.size() - 4));
  if (!mebi || *mebi > (std::uint64_t{1} << 40U)) return std::nullopt;
  return bytes{*mebi << 20U};
}

// What nvidia-smi writes where a GPU doesn't answer.
[[nodiscard]] inline bool is_failure(std::string_view text) noexcept {
  return text == "ERR!" || text == "Unknown Error" || text.find("GPU is lost") != std::string_view::npos ||
         text.find("GPU requires reset") != std::string_view::npos;
}

// Fields of the Fabric section, by the name that text and XML share but for case.
// errors: parse_error for a clique or UUID that is none.
inline void set_fabric_field(gpu_fabric& fabric, std::string_view name, std::string_view value, const location& where) {
  if (equal_ignoring_case(name, "State")) {
    fabric.state = state_of(value);
  } else if (equal_ignoring_case(name, "Status")) {
    fabric.status = available(value);
  } else if (equal_ignoring_case(name, "CliqueId") && !is_not_available(value)) {
    fabric.clique = number(value);
    if (!fabric.clique) throw parse_error(where, "a number up to 4294967295 as CliqueId", quoted(value));
  } else if (equal_ignoring_case(name, "ClusterUUID") && !is_not_available(value)) {
    if (!is_uuid(value)) throw parse_error(where, "a UUID as ClusterUUID", quoted(value));
    fabric.cluster_uuid = lower(value);
  }
}

// How messages name a GPU: by its address, its UUID, or its place in the text.
[[nodiscard]] inline std::string title_of(const inventory_gpu& gpu, std::size_t position) {
  if (!gpu.pci.empty()) return "GPU " + gpu.pci;
  return gpu.uuid.empty() ? "GPU number " + std::to_string(position + 1) + " of the text" : gpu.uuid;
}

inline void say_fabric(const inventory_gpu& gpu, const std::string& title, std::vector<note>& notes) {
  switch (standing_of(gpu.fabric)) {
    case fabric_standing::not_ready:
      notes.push_back({gpu.fabric.line, title + " is still registering with its NVLink fabric; its domain isn't known yet"});
      break;
    case fabric_standing::failed:
      notes.push_back({gpu.fabric.line, title + " couldn't register with its NVLink fabric: " + gpu.fabric.status});
      break;
    default: break;
  }
  if (is_degraded(gpu.fabric)) {
    notes.push_back(
        {gpu.fabric.line, title + " reports its NVLink fabric as " +
                              (gpu.fabric.health.empty() ? "of bandwidth " + gpu.fabric.bandwidth : gpu.fabric.health)});
  }
}

// Notes for what is missing or degraded. errors: parse_error for a GPU that is described twice.
inline void conclude(gpu_inventory& inventory) {
  std::map<std::string, std::size_t> lines;
  std::map<std::string, std::size_t> models;
  for (std::size_t i = 0; i < inventory.gpus.size(); ++i) {
    const inventory_gpu& gpu = inventory.gpus[i];
    const std::string title = title_of(gpu, i);
    if (!gpu.pci.empty()) {
      if (const auto [known, fresh] = lines.emplace(gpu.pci, gpu.line); !fresh) {
        throw parse_error({inventory.source, gpu.line, 0}, "each GPU of one host once",
                          gpu.pci + " as in line " + std::to_string(known->second));
      }
    }
    if (!gpu.model.empty()) models.emplace(gpu.model, gpu.line);
    if (gpu.mig == gpu_mode::on) {
      const std::string parts = gpu.mig_devices == 0 ? "" : ", cut into " + counted(gpu.mig_devices, "device");
      inventory.notes.push_back(
          {gpu.line, title + " is in MIG mode" + parts + ": NVLink is off, and no rank can have all of it"});
    }
    say_fabric(gpu, title, inventory.notes);
  }
  if (models.size() > 1) {
    std::string names;
    for (const auto& [model, line] : models) (names += names.empty() ? "" : ", ") += model;
    inventory.notes.push_back({0, "the GPUs of this host aren't of one model: " + names});
  }
  if (inventory.attached && *inventory.attached != inventory.gpus.size()) {
    inventory.notes.push_back({0, std::to_string(*inventory.attached) + " GPUs are attached and " +
                                      std::to_string(inventory.gpus.size()) +
                                      " described: the text was cut, or the others don't answer"});
  }
  std::sort(inventory.notes.begin(), inventory.notes.end(),
            [](const note& a, const note& b) { return std::tie(a.line, a.text) < std::tie(b.line, b.text); });
}

}  // namespace topoplan::inline v1::import::detail
