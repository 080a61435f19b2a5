// The GPUs of one host as `nvidia-smi -q` describes them, from its text or its XML.
#pragma once

#include <topoplan/core/units.hpp>
#include <topoplan/import/gpu_fabric.hpp>
#include <topoplan/import/node_topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// A mode that a GPU has, lacks (N/A), or that the text doesn't name.
enum class gpu_mode : std::uint8_t { not_given, none, off, on };

// A GPU. Empty or nothing: not given, or N/A.
struct inventory_gpu {
  std::string pci;    // 0000:1b:00.0; empty in a fragment without the GPU's heading
  std::string uuid;   // GPU-...
  std::string model;  // NVIDIA H100 80GB HBM3
  std::optional<bytes> memory;
  gpu_mode mig = gpu_mode::not_given;
  gpu_mode ecc = gpu_mode::not_given;
  std::uint32_t mig_devices = 0;
  std::optional<std::uint32_t> minor;   // the number of /dev/nvidia#
  std::optional<std::uint32_t> module;  // where it sits on its board
  std::string chassis;                  // serial number; with slot, tray and host: drivers from 570 on
  std::optional<std::uint32_t> slot;
  std::optional<std::uint32_t> tray;
  std::optional<std::uint32_t> host;
  gpu_fabric fabric;
  std::size_t line = 0;

  friend bool operator==(const inventory_gpu&, const inventory_gpu&) = default;
};

// A plain value. `attached` is what the tool counted: a text that describes fewer was cut, or the others don't answer.
struct gpu_inventory {
  std::string source;
  std::string driver;
  std::optional<std::uint32_t> attached;
  std::vector<inventory_gpu> gpus;  // in the order of the text, which is that of PCI
  std::vector<note> notes;
};

// True if every attached GPU is described. complexity: O(1). errors: none.
[[nodiscard]] inline bool is_complete(const gpu_inventory& inventory) noexcept {
  return inventory.attached && *inventory.attached == inventory.gpus.size();
}

}  // namespace topoplan::inline v1::import
