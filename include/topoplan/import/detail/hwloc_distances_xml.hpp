// From hwloc's NVLinkBandwidth matrix to the NVLinks between devices.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/hwloc_xml.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/detail/xml.hpp>
#include <topoplan/import/host_devices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

inline constexpr std::uint32_t hwloc_max_objects = 1024;

// The words of all children of that name, which hwloc cuts into chunks of ten.
[[nodiscard]] inline std::vector<std::string_view> chunked_words(xml_node matrix, const char* name) {
  std::vector<std::string_view> words;
  for (const xml_node chunk : matrix.children(name)) {
    const auto more = words_of(std::string_view(chunk.child_value()));
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

// The rate of one link when every bundle is a multiple of it; 0 when none fits. units: megabytes per second.
// source: what hwloc's NVML backend counts for a link of NVLink 1, and of later ones.
[[nodiscard]] inline std::uint64_t link_unit(const std::vector<std::uint64_t>& bundles) {
  for (const std::uint64_t unit : {std::uint64_t{25000}, std::uint64_t{20000}}) {
    const bool fits = std::all_of(bundles.begin(), bundles.end(), [&](std::uint64_t value) { return value % unit == 0; });
    if (!bundles.empty() && fits) return unit;
  }
  return 0;
}

// Adds the links of a <distances2> or <distances2hetero> to the devices that it names; CPUs, which POWER9 has there, are left
// out. errors: parse_error for a matrix whose sizes don't fit, and for a value that is no number. complexity: O(objects^2).
inline void add_nvlink_matrix(const xml_document& document, xml_node matrix, hwloc_reader& reader) {
  const auto where = document.where(matrix);
  const auto count = document.numeric(matrix, "nbobjs");
  if (!count || *count == 0 || *count > hwloc_max_objects) {
    throw parse_error(where, "a number of objects as nbobjs, 1 to 1024", quoted(attribute(matrix, "nbobjs")));
  }
  const auto names = chunked_words(matrix, "indexes");
  const auto values = chunked_words(matrix, "u64values");
  if (names.size() != *count || values.size() != std::size_t{*count} * *count) {
    throw parse_error(where, std::to_string(*count) + " indexes and " + std::to_string(std::size_t{*count} * *count) + " values",
                      std::to_string(names.size()) + " and " + std::to_string(values.size()));
  }
  const std::string type(attribute(matrix, "type"));
  std::vector<std::optional<std::uint32_t>> devices;
  for (const auto name : names) {
    devices.push_back(reader.device(type.empty() ? std::string(name) : type + ':' + std::string(name)));
  }
  std::vector<std::uint64_t> megabytes;
  for (const auto value : values) {
    const auto parsed = number<std::uint64_t>(value);
    if (!parsed || *parsed > 1'000'000'000) throw parse_error(where, "bandwidths in MB/s", quoted(value));
    megabytes.push_back(*parsed);
  }
  std::vector<nvlink_bundle> bundles;
  std::vector<std::uint64_t> given;
  bool uneven = false;
  for (std::size_t a = 0; a < *count; ++a) {
    for (std::size_t b = a + 1; b < *count; ++b) {
      const auto forth = megabytes[a * *count + b];
      const auto back = megabytes[b * *count + a];
      if (!devices[a] || !devices[b] || devices[a] == devices[b] || (forth == 0 && back == 0)) continue;
      uneven = uneven || forth != back;
      const auto least = forth == 0 ? back : back == 0 ? forth : std::min(forth, back);
      given.push_back(least);
      bundles.push_back({std::min(*devices[a], *devices[b]), std::max(*devices[a], *devices[b]), 0,
                         bytes_per_second{static_cast<double>(least) * 1e6}, where.line});
    }
  }
  const auto unit = link_unit(given);
  for (std::size_t i = 0; i < bundles.size(); ++i)
    bundles[i].count = unit == 0 ? 0U : static_cast<std::uint32_t>(given[i] / unit);
  auto& host = reader.host();
  if (uneven) host.notes.push_back({where.line, "NVLinks differ between the two directions; the lesser bandwidth counts"});
  host.nvlinks.insert(host.nvlinks.end(), bundles.begin(), bundles.end());
  host.nvlinks_given = true;
}

}  // namespace topoplan::inline v1::import::detail
