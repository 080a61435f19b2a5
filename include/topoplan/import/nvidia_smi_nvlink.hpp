// Reads `nvidia-smi nvlink -s`: the NVLinks of every GPU with their rates, and the answers that stand in their place.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/inventory_fields.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// What stands under a GPU's heading.
enum class nvlink_answer : std::uint8_t {
  nothing,     // no line at all
  listed,      // its links, all of them
  incomplete,  // links, but the text was cut or elided there
  inactive,    // "all links are inActive"
  mig,         // not supported in MIG mode
  other        // another message of the tool
};

// A link; without a rate it is inactive. units: bytes per second in one direction.
struct nvlink_port {
  std::uint32_t link = 0;
  std::optional<bytes_per_second> rate;

  friend bool operator==(const nvlink_port&, const nvlink_port&) = default;
};

// A GPU and its links.
struct nvlink_gpu {
  std::uint32_t index = 0;
  std::string model;
  std::string uuid;
  nvlink_answer answer = nvlink_answer::nothing;
  std::vector<nvlink_port> links;
  std::size_t line = 0;

  friend bool operator==(const nvlink_gpu&, const nvlink_gpu&) = default;
};

// A plain value.
struct nvlink_status {
  std::string source;
  std::vector<nvlink_gpu> gpus;
  std::vector<note> notes;
};

// How many links of a GPU carry traffic; nothing when the text doesn't tell. complexity: O(links). errors: none.
[[nodiscard]] inline std::optional<std::size_t> active_nvlinks(const nvlink_gpu& gpu) {
  if (gpu.answer == nvlink_answer::inactive || gpu.answer == nvlink_answer::mig) return 0;
  if (gpu.answer != nvlink_answer::listed) return std::nullopt;
  return static_cast<std::size_t>(
      std::count_if(gpu.links.begin(), gpu.links.end(), [](const auto& l) { return l.rate.has_value(); }));
}

namespace detail {

// "GPU 0: NVIDIA GB200 (UUID: GPU-...)", or nothing.
[[nodiscard]] inline std::optional<nvlink_gpu> nvlink_heading_of(const text_line& line) {
  const auto text = trimmed(line.text);
  const auto colon = text.find(':');
  if (!text.starts_with("GPU ") || colon == std::string_view::npos) return std::nullopt;
  const auto index = number(trimmed(text.substr(4, colon - 4)));
  const auto open = text.find("(UUID:", colon);
  if (!index || open == std::string_view::npos) return std::nullopt;
  nvlink_gpu gpu;
  gpu.index = *index;
  gpu.model = available(trimmed(text.substr(colon + 1, open - colon - 1)));
  gpu.uuid = available(trimmed(text.substr(open + 6, text.find(')', open) - open - 6)));
  gpu.line = line.number;
  return gpu;
}

// "Link 3: 26.562 GB/s", "Link 3: <inactive>"; nothing for a line that is cut. errors: parse_error for another value.
[[nodiscard]] inline std::optional<nvlink_port> nvlink_port_of(const text_line& line, const std::string& source) {
  const auto text = trimmed(line.text);
  const auto colon = text.find(':');
  const auto link = colon == std::string_view::npos ? std::nullopt : number(trimmed(text.substr(5, colon - 5)));
  const auto value = colon == std::string_view::npos ? std::string_view{} : trimmed(text.substr(colon + 1));
  const auto wrong = [&] {
    return parse_error({source, line.number, column_of(line.text, text)}, "a link such as 'Link 0: 26.562 GB/s'", quoted(text));
  };
  if (link && *link < 256) {
    if (equal_ignoring_case(value, "<inactive>") || equal_ignoring_case(value, "inactive")) return nvlink_port{*link, {}};
    double rate = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), rate);
    const auto unit = trimmed(value.substr(static_cast<std::size_t>(end - value.data())));
    if (problem == std::errc{} && unit == "GB/s" && rate >= 0 && rate < 1e6)
      return nvlink_port{*link, gigabytes_per_second(rate)};
  }
  if (!line.ended) return std::nullopt;
  throw wrong();
}

inline void say_nvlink_differences(nvlink_status& status) {
  std::size_t most = 0;
  for (const nvlink_gpu& gpu : status.gpus) most = std::max(most, active_nvlinks(gpu).value_or(0));
  for (const nvlink_gpu& gpu : status.gpus) {
    const std::string name = "GPU" + std::to_string(gpu.index);
    const auto active = active_nvlinks(gpu);
    if (gpu.answer == nvlink_answer::mig) status.notes.push_back({gpu.line, name + " is in MIG mode; its NVLinks aren't shown"});
    else if (gpu.answer == nvlink_answer::incomplete || gpu.answer == nvlink_answer::nothing) {
      status.notes.push_back({gpu.line, name + ": the text breaks off after " + counted(gpu.links.size(), "link")});
    } else if (active && *active < most) {
      status.notes.push_back({gpu.line, name + " has " + std::to_string(*active) + " active NVLinks, another GPU of this host " +
                                            std::to_string(most)});
    } else if (active && *active < gpu.links.size()) {
      status.notes.push_back({gpu.line, name + ": " + std::to_string(gpu.links.size() - *active) + " of " +
                                            std::to_string(gpu.links.size()) + " NVLinks are inactive"});
    }
  }
}

}  // namespace detail

// Reads the NVLinks of one host.
// post: an elided or cut list of links is `incomplete`, never a GPU with few links; GPUs with fewer active links than others, in
//   MIG mode, or cut are notes. complexity: O(text).
// errors: parse_error for a text without a GPU's heading, a GPU or a link twice, and a link without a rate.
[[nodiscard]] inline nvlink_status nvidia_smi_nvlink(std::string_view text, std::string source) {
  const std::string plain = detail::without_escapes(text);
  nvlink_status status;
  status.source = std::move(source);
  for (const auto& line : detail::lines_of(plain, status.source)) {
    const auto words = detail::trimmed(line.text);
    if (words.empty()) continue;
    if (auto gpu = detail::nvlink_heading_of(line)) {
      for (const nvlink_gpu& other : status.gpus) {
        if (other.index == gpu->index) {
          throw parse_error({status.source, line.number, 0}, "each GPU once",
                            "GPU " + std::to_string(gpu->index) + " as in line " + std::to_string(other.line));
        }
      }
      if (status.gpus.size() == 256) throw parse_error({status.source, line.number, 0}, "at most 256 GPUs", "more");
      status.gpus.push_back(std::move(*gpu));
      continue;
    }
    if (status.gpus.empty()) continue;
    nvlink_gpu& gpu = status.gpus.back();
    if (words.starts_with("Link ")) {
      const auto port = detail::nvlink_port_of(line, status.source);
      if (gpu.answer == nvlink_answer::nothing) gpu.answer = nvlink_answer::listed;
      if (!port) {
        gpu.answer = nvlink_answer::incomplete;
        continue;
      }
      const auto same = std::find_if(gpu.links.begin(), gpu.links.end(), [&](const auto& l) { return l.link == port->link; });
      if (same != gpu.links.end()) {
        throw parse_error({status.source, line.number, 0}, "each link of GPU " + std::to_string(gpu.index) + " once",
                          "link " + std::to_string(port->link) + " twice");
      }
      gpu.links.push_back(*port);
    } else if (words == "..." || words == "\xe2\x80\xa6") {
      gpu.answer = nvlink_answer::incomplete;
    } else if (words.find("MIG mode") != std::string_view::npos) {
      gpu.answer = nvlink_answer::mig;
    } else if (words.find("inActive") != std::string_view::npos) {
      gpu.answer = nvlink_answer::inactive;
    } else if (words.starts_with("NVML:") || words.starts_with("Unable")) {
      gpu.answer = nvlink_answer::other;
      status.notes.push_back({line.number, "GPU" + std::to_string(gpu.index) + ": " + quoted(words, 120)});
    }
  }
  if (status.gpus.empty())
    throw parse_error({status.source, 0, 0}, "the output of `nvidia-smi nvlink -s`", "no line such as 'GPU 0: NAME (UUID: ...)'");
  detail::say_nvlink_differences(status);
  return status;
}

}  // namespace topoplan::inline v1::import
