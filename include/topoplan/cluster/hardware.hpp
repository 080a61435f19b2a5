// The catalogue of GPUs and systems: published figures, each with its source; what isn't known is left out.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/detail/gpu_table.hpp>
#include <topoplan/cluster/detail/near.hpp>
#include <topoplan/cluster/detail/system_table.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1 {

// All GPUs, all systems that the catalogue knows. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::span<const gpu_model> gpu_catalogue() noexcept { return detail::gpu_table; }
[[nodiscard]] constexpr std::span<const system_model> system_catalogue() noexcept { return detail::system_table; }

namespace detail {

// True if the folded text is one of the names of the model.
template <class Model> [[nodiscard]] bool named(const Model& model, std::string_view wanted) {
  if (folded(model.name) == wanted || folded(model.title) == wanted) return true;
  return std::any_of(model.aliases.begin(), model.aliases.end(),
                     [&](std::string_view alias) { return !alias.empty() && folded(alias) == wanted; });
}

template <class Model> [[nodiscard]] const Model* lookup(std::span<const Model> catalogue, std::string_view name) {
  std::string wanted = folded(name);
  if (wanted.starts_with("nvidia") && wanted.size() > 6) wanted.erase(0, 6);
  if (wanted.starts_with("amdinstinct")) wanted.erase(0, 11);
  const auto at = std::find_if(catalogue.begin(), catalogue.end(), [&](const Model& m) { return named(m, wanted); });
  return at == catalogue.end() || wanted.empty() ? nullptr : &*at;
}

template <class Model>
[[nodiscard]] const Model& find(std::span<const Model> catalogue, std::string_view name, std::string_view kind) {
  if (const Model* found = lookup(catalogue, name)) return *found;
  std::vector<std::string> known;
  for (const Model& m : catalogue) known.emplace_back(m.name);
  const std::vector<std::string> near = near_names(name, known);
  throw invalid_argument("unknown " + std::string(kind) + " " + quoted(name) +
                         (near.empty() ? "; known are " + listed(known) : "; did you mean " + listed(near) + "?"));
}

}  // namespace detail

// The GPU that people call by that name: "h100-sxm", "H100-SXM 80GB", "NVIDIA H100 80GB HBM3", "gb200"; letter case, blanks
// and punctuation don't matter. A name that leaves the memory size open means the larger part ("a100-sxm": 80 GB).
// complexity: O(catalogue). errors: lookup_gpu none (nullptr); find_gpu invalid_argument with the near names.
[[nodiscard]] inline const gpu_model* lookup_gpu(std::string_view name) { return detail::lookup(gpu_catalogue(), name); }
[[nodiscard]] inline const gpu_model& find_gpu(std::string_view name) { return detail::find(gpu_catalogue(), name, "GPU"); }

// The system of that name: "dgx-h100", "gb200-nvl72", "aws-p5".
// complexity: O(catalogue). errors: lookup_system none (nullptr); find_system invalid_argument with the near names.
[[nodiscard]] inline const system_model* lookup_system(std::string_view name) { return detail::lookup(system_catalogue(), name); }
[[nodiscard]] inline const system_model& find_system(std::string_view name) {
  return detail::find(system_catalogue(), name, "system");
}

// What NVLink gives a GPU of that model, in one direction, all links together; rate 0 for a model without NVLink.
// units: bytes per second. complexity: O(1). errors: none.
[[nodiscard]] inline link nvlink_of(const gpu_model& model) {
  return {gigabytes_per_second(model.nvlink_rate.value),
          {},
          {confidence::catalogue, std::string(model.title) + ": " + std::string(model.nvlink_rate.source)}};
}

// What a GPU of that model reaches of its host in one direction: NVLink-C2C where it has that, else PCIe x16. The rate of
// PCIe is the payload rate after line coding: 128b/130b up to generation 5, 236 of the 256 bytes of a flit in generation 6.
// units: bytes per second. complexity: O(1). errors: none. source: PCI Express Base Specification 6.0, §4.2.
[[nodiscard]] inline link host_link_of(const gpu_model& model) {
  const std::string title(model.title);
  if (model.c2c_rate.known())
    return {gigabytes_per_second(model.c2c_rate.value),
            {},
            {confidence::catalogue, title + ", NVLink-C2C: " + std::string(model.c2c_rate.source)}};
  const double coding = model.pcie_generation.value < 6 ? 128.0 / 130.0 : 236.0 / 256.0;
  double transfers = 8;
  for (double generation = 3; generation < model.pcie_generation.value; ++generation) transfers *= 2;
  return {gigabytes_per_second(model.pcie_generation.known() ? transfers * 16 / 8 * coding : 0),
          {},
          {confidence::derived, title + ", PCIe x16: " + std::string(model.pcie_generation.source)}};
}

// Rate of a system's NICs per GPU and direction. units: bytes per second. complexity: O(1). errors: none.
[[nodiscard]] constexpr bytes_per_second nic_rate_per_gpu(const system_model& s) noexcept {
  return gigabits_per_second(s.nics.value * s.nic_gigabits.value / s.gpus_per_host);
}

}  // namespace topoplan::inline v1
