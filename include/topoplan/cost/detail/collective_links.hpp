// Rows of NVLink and PCIe: latency, efficiency and ramp of collectives inside a domain or a host.
#pragma once

#include <topoplan/cost/link_parameters.hpp>

#include <string_view>

namespace topoplan::inline v1::detail {

namespace link_source {
inline constexpr std::string_view ampere = "public nccl-tests: aiconfigurator A100 2, 4, 8 GPUs; Azure ND A100 v4";
inline constexpr std::string_view hopper = "public nccl-tests: aiconfigurator H100, H200 2, 4, 8 GPUs; AWS p5; Azure ND H100 v5";
inline constexpr std::string_view blackwell =
    "public nccl-tests: aiconfigurator B200, GB200, GB300 2, 4, 8 GPUs; Vultr HGX B200; GCP A4";
inline constexpr std::string_view p2p = "public nccl-tests sendrecv: Vultr HGX B200";
inline constexpr std::string_view volta = "no public table: as Ampere, at the NVLink rate of Volta";
inline constexpr std::string_view sister = "no public table of this family: as Blackwell's, Vultr HGX B200";
inline constexpr std::string_view pcie = "public nccl-tests: aiconfigurator RTX PRO 6000 2, 4, 8 GPUs";
inline constexpr std::string_view pcie_p2p = "no public table: as half of an all-to-all of RTX PRO 6000";
inline constexpr std::string_view staged =
    "8x L40S host without peer access, 4 GPUs: 5 GB/s of bus bandwidth, collectives.md section 8";
}  // namespace link_source

// Microseconds and 10^6 bytes, as one reads them beside a table of nccl-tests.
[[nodiscard]] constexpr link_parameters ramped(double first, double step, double efficiency, double half_size, double power,
                                               double two, double four, evidence known, std::string_view source) noexcept {
  return {first * 1e-6, step * 1e-6, efficiency, half_size * 1e6, power, two, four, false, known, source};
}

// clang-format off
inline constexpr link_row link_rows[] = {
  // family, collective, first us, step us, efficiency, half size MB, power, of 2 and 4 ranks
  {link_family::volta, collective::all_reduce, ramped(7.8, 1.95, 0.772, 5.4, 0.5, 0.92, 1.06, evidence::assumed, link_source::volta)},
  {link_family::volta, collective::all_gather, ramped(8.2, 0.90, 0.76, 7.9, 0.5, 0.74, 0.93, evidence::assumed, link_source::volta)},
  {link_family::volta, collective::reduce_scatter, ramped(8.3, 0.83, 0.76, 7.2, 0.5, 0.83, 0.99, evidence::assumed, link_source::volta)},
  {link_family::volta, collective::all_to_all, ramped(9.3, 0.25, 0.75, 4.6, 0.7, 0.73, 0.88, evidence::assumed, link_source::volta)},
  {link_family::volta, collective::send_recv, ramped(9, 0, 0.74, 2, 0.7, 1, 1, evidence::assumed, link_source::sister)},
  {link_family::ampere, collective::all_reduce, ramped(7.8, 1.95, 0.772, 5.4, 0.5, 0.92, 1.06, evidence::measured, link_source::ampere)},
  {link_family::ampere, collective::all_gather, ramped(8.2, 0.90, 0.76, 7.9, 0.5, 0.74, 0.93, evidence::measured, link_source::ampere)},
  {link_family::ampere, collective::reduce_scatter, ramped(8.3, 0.83, 0.76, 7.2, 0.5, 0.83, 0.99, evidence::measured, link_source::ampere)},
  {link_family::ampere, collective::all_to_all, ramped(9.3, 0.25, 0.75, 4.6, 0.7, 0.73, 0.88, evidence::measured, link_source::ampere)},
  {link_family::ampere, collective::send_recv, ramped(9, 0, 0.74, 2, 0.7, 1, 1, evidence::assumed, link_source::sister)},
  {link_family::hopper, collective::all_reduce, ramped(4.4, 1.68, 0.815, 2.4, 0.5, 0.88, 1.03, evidence::measured, link_source::hopper)},
  {link_family::hopper, collective::all_gather, ramped(4.2, 0.95, 0.803, 4.9, 0.5, 0.75, 0.95, evidence::measured, link_source::hopper)},
  {link_family::hopper, collective::reduce_scatter, ramped(4.4, 0.86, 0.806, 2.7, 0.5, 0.69, 0.91, evidence::measured, link_source::hopper)},
  {link_family::hopper, collective::all_to_all, ramped(5.9, 0.07, 0.76, 5.2, 0.7, 0.85, 0.94, evidence::measured, link_source::hopper)},
  {link_family::hopper, collective::send_recv, ramped(9, 0, 0.74, 2, 0.7, 1, 1, evidence::assumed, link_source::sister)},
  {link_family::blackwell, collective::all_reduce, ramped(7.5, 2.46, 0.758, 5.7, 0.5, 0.90, 1.03, evidence::measured, link_source::blackwell)},
  {link_family::blackwell, collective::all_gather, ramped(7.5, 1.28, 0.747, 10.4, 0.5, 0.78, 0.99, evidence::measured, link_source::blackwell)},
  {link_family::blackwell, collective::reduce_scatter, ramped(7.4, 1.29, 0.772, 8.2, 0.5, 0.70, 0.92, evidence::measured, link_source::blackwell)},
  {link_family::blackwell, collective::all_to_all, ramped(8.6, 0.22, 0.747, 10.8, 0.7, 0.56, 0.84, evidence::measured, link_source::blackwell)},
  {link_family::blackwell, collective::send_recv, ramped(8.5, 0, 0.74, 2, 0.7, 1, 1, evidence::measured, link_source::p2p)},
  {link_family::pcie, collective::all_reduce, ramped(3.2, 3.37, 0.396, 0, 0.5, 1, 1, evidence::measured, link_source::pcie)},
  {link_family::pcie, collective::all_gather, ramped(4.4, 1.70, 0.369, 0, 0.5, 1, 1, evidence::measured, link_source::pcie)},
  {link_family::pcie, collective::reduce_scatter, ramped(4.2, 1.76, 0.371, 0, 0.5, 1, 1, evidence::measured, link_source::pcie)},
  {link_family::pcie, collective::all_to_all, ramped(5.8, 1.09, 0.331, 0, 0.5, 1, 1, evidence::measured, link_source::pcie)},
  {link_family::pcie, collective::send_recv, ramped(7, 0, 0.6, 0, 0.5, 1, 1, evidence::assumed, link_source::pcie_p2p)},
  {link_family::pcie_staged, collective::all_reduce, ramped(10, 4, 0.16, 0, 0.5, 1, 1, evidence::assumed, link_source::staged)},
  {link_family::pcie_staged, collective::all_gather, ramped(10, 3, 0.16, 0, 0.5, 1, 1, evidence::assumed, link_source::staged)},
  {link_family::pcie_staged, collective::reduce_scatter, ramped(10, 3, 0.16, 0, 0.5, 1, 1, evidence::assumed, link_source::staged)},
  {link_family::pcie_staged, collective::all_to_all, ramped(10, 2, 0.16, 0, 0.5, 1, 1, evidence::assumed, link_source::staged)},
  {link_family::pcie_staged, collective::send_recv, ramped(10, 0, 0.25, 0, 0.5, 1, 1, evidence::assumed, link_source::staged)},
};

inline constexpr nvls_row nvls_rows[] = {
  // family, fewest ranks, across, then as above
  {link_family::volta, 0, 0.75, {}},
  {link_family::ampere, 0, 0.75, {}},
  {link_family::hopper, 5, 1.0, ramped(4.4, 1.68, 1.067, 8.1, 0.5, 1, 1, evidence::measured, link_source::hopper)},
  {link_family::blackwell, 6, 0.79, ramped(7.5, 2.46, 0.94, 22.9, 0.5, 1, 1, evidence::measured, link_source::blackwell)},
};
// clang-format on

}  // namespace topoplan::inline v1::detail
