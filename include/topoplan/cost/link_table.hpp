// THE table of links: latency, efficiency and ramp of each NVLink generation, PCIe and fabric class, each with its source.
#pragma once

#include <topoplan/cost/detail/collective_fabrics.hpp>
#include <topoplan/cost/detail/collective_links.hpp>
#include <topoplan/cost/link_parameters.hpp>

#include <span>

namespace topoplan::inline v1 {

// Its rows: NVLink and PCIe; all-reduce by NVSwitch; networks. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::span<const link_row> link_table() noexcept { return detail::link_rows; }
[[nodiscard]] constexpr std::span<const nvls_row> nvls_table() noexcept { return detail::nvls_rows; }
[[nodiscard]] constexpr std::span<const fabric_row> fabric_table() noexcept { return detail::fabric_rows; }

// The row of a family, or of a fabric class, for a collective. pre: the table is complete (tests/cost). complexity: O(rows).
// errors: none.
[[nodiscard]] constexpr const link_parameters& parameters_of(link_family family, collective what) noexcept {
  for (const link_row& row : detail::link_rows)
    if (row.family == family && row.what == what) return row.parameters;
  return detail::link_rows[0].parameters;
}
[[nodiscard]] constexpr const link_parameters& parameters_of(fabric_class fabric, collective what) noexcept {
  for (const fabric_row& row : detail::fabric_rows)
    if (row.fabric == fabric && row.what == what) return row.parameters;
  return detail::fabric_rows[0].parameters;
}

}  // namespace topoplan::inline v1
