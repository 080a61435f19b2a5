// Rows of NVLink and PCIe: latency, efficiency and ramp of collectives inside a domain or a host.
#pragma once

#include <topoplan/cost/link_parameters.hpp>

#include <string_view>

namespace topoplan::inline v1::detail {

namespace link_source {
inline constexpr std::string_view volta = "no public table of this family: as Ampere, at the rate of Volta's NVLinks";
inline constexpr std::string_view ampere = "nccl-tests: aiconfigurator@095f58a A100 2, 4, 8 GPUs; Azure ND A100 v4";
inline constexpr std::string_view hopper =
    "nccl-tests: aiconfigurator@095f58a H100 and H200 2, 4, 8 GPUs; AWS p5; Azure ND H100 v5; ml-engineering H200";
inline constexpr std::string_view blackwell =
    "nccl-tests: aiconfigurator@095f58a B200, GB200, GB300 2, 4, 8 GPUs; Vultr HGX B200; GCP A4; AWS p6; OCI B300";
inline constexpr std::string_view p2p = "nccl-tests sendrecv: Vultr HGX B200";
inline constexpr std::string_view sister =
    "as Blackwell's, small messages at its bytes per second: Vultr HGX B200; A100 within 18 %, li-plus/playground";
inline constexpr std::string_view pcie = "nccl-tests: aiconfigurator@095f58a RTX PRO 6000 2, 4, 8 GPUs";
inline constexpr std::string_view pcie_p2p = "no public table: between an all-gather and a copy of RTX PRO 6000";
inline constexpr std::string_view staged =
    "8x L40S host without peer access: 5 GB/s of bus bandwidth on 4 GPUs, latency not published";
}  // namespace link_source

// Microseconds and 10^6 bytes, as they stand in tables of nccl-tests.
[[nodiscard]] constexpr link_parameters inside(double first, double step, double lift, double efficiency, double small,
                                               double half_size, double two, double four, evidence known,
                                               std::string_view source) noexcept {
  link_parameters p;
  p.first = first * 1e-6;
  p.step = step * 1e-6;
  p.lift = lift * 1e-6;
  p.efficiency = efficiency;
  p.small = small;
  p.half_size = half_size * 1e6;
  p.two = two;
  p.four = four;
  p.known = known;
  p.source = source;
  return p;
}

// clang-format off
inline constexpr link_row link_rows[] = {
  // family, collective; first us, step us, lift us, efficiency, small, half size MB, of 2 and of 4 ranks
  {link_family::volta, collective::all_reduce, inside(7.51, 2.25, 2.56, 0.842, 0.039, 14.3, 0.91, 1.06, evidence::assumed, link_source::volta)},
  {link_family::volta, collective::all_gather, inside(7.85, 0.976, 3.51, 0.833, 0.0214, 20.1, 0.738, 0.923, evidence::assumed, link_source::volta)},
  {link_family::volta, collective::reduce_scatter, inside(8.18, 0.875, 2.36, 0.881, 0.0308, 23.8, 0.808, 0.973, evidence::assumed, link_source::volta)},
  {link_family::volta, collective::all_to_all, inside(11.7, 0.307, 16.1, 0.768, 0.295, 8.33, 0.804, 0.957, evidence::assumed, link_source::volta)},
  {link_family::volta, collective::send_recv, inside(9, 0, 733, 0.741, 0.714, 1.33, 1, 1, evidence::fitted, link_source::sister)},
  {link_family::ampere, collective::all_reduce, inside(7.51, 2.25, 2.56, 0.842, 0.039, 14.3, 0.91, 1.06, evidence::measured, link_source::ampere)},
  {link_family::ampere, collective::all_gather, inside(7.85, 0.976, 3.51, 0.833, 0.0214, 20.1, 0.738, 0.923, evidence::measured, link_source::ampere)},
  {link_family::ampere, collective::reduce_scatter, inside(8.18, 0.875, 2.36, 0.881, 0.0308, 23.8, 0.808, 0.973, evidence::measured, link_source::ampere)},
  {link_family::ampere, collective::all_to_all, inside(11.7, 0.307, 16.1, 0.768, 0.295, 8.33, 0.804, 0.957, evidence::measured, link_source::ampere)},
  {link_family::ampere, collective::send_recv, inside(9, 0, 733, 0.741, 0.357, 1.33, 1, 1, evidence::fitted, link_source::sister)},
  {link_family::hopper, collective::all_reduce, inside(4.18, 1.79, 1.25, 0.815, 0.0387, 9.92, 0.988, 1.15, evidence::measured, link_source::hopper)},
  {link_family::hopper, collective::all_gather, inside(4.75, 0.98, 17, 0.85, 0.357, 8.02, 0.746, 0.933, evidence::measured, link_source::hopper)},
  {link_family::hopper, collective::reduce_scatter, inside(4.35, 0.888, 0.841, 0.891, 0.0388, 13, 0.712, 0.93, evidence::measured, link_source::hopper)},
  {link_family::hopper, collective::all_to_all, inside(6.44, 0.185, 5.63, 0.794, 0.0364, 7.72, 0.874, 0.981, evidence::measured, link_source::hopper)},
  {link_family::hopper, collective::send_recv, inside(9, 0, 733, 0.741, 0.238, 1.33, 1, 1, evidence::fitted, link_source::sister)},
  {link_family::blackwell, collective::all_reduce, inside(7.94, 2.67, 23.9, 0.757, 0.371, 24.5, 1.05, 1.17, evidence::measured, link_source::blackwell)},
  {link_family::blackwell, collective::all_gather, inside(8.19, 1.3, 22.2, 0.766, 0.361, 7.93, 0.733, 0.927, evidence::measured, link_source::blackwell)},
  {link_family::blackwell, collective::reduce_scatter, inside(8.05, 1.3, 21.9, 0.773, 0.39, 7.89, 0.681, 0.895, evidence::measured, link_source::blackwell)},
  {link_family::blackwell, collective::all_to_all, inside(9.73, 0.178, 6.25, 0.754, 0.0287, 21.2, 0.623, 0.915, evidence::measured, link_source::blackwell)},
  {link_family::blackwell, collective::send_recv, inside(9, 0, 733, 0.741, 0.119, 1.33, 1, 1, evidence::measured, link_source::p2p)},
  {link_family::pcie, collective::all_reduce, inside(3.19, 3.16, 31.1, 0.386, 0.539, 0.108, 1.6, 1.11, evidence::measured, link_source::pcie)},
  {link_family::pcie, collective::all_gather, inside(4.4, 1.53, 23.9, 0.37, 0.46, 0.0948, 1.4, 1.06, evidence::measured, link_source::pcie)},
  {link_family::pcie, collective::reduce_scatter, inside(4.08, 1.65, 29.6, 0.375, 0.507, 0.0932, 1.35, 1.04, evidence::measured, link_source::pcie)},
  {link_family::pcie, collective::all_to_all, inside(5.72, 0.708, 5.44, 0.285, 0.242, 0.273, 1.59, 1.37, evidence::measured, link_source::pcie)},
  {link_family::pcie, collective::send_recv, inside(6, 0, 5, 0.6, 0.3, 0.3, 1, 1, evidence::assumed, link_source::pcie_p2p)},
  {link_family::pcie_staged, collective::all_reduce, inside(10, 4, 0, 0.16, 1, 0, 1, 1, evidence::assumed, link_source::staged)},
  {link_family::pcie_staged, collective::all_gather, inside(10, 3, 0, 0.16, 1, 0, 1, 1, evidence::assumed, link_source::staged)},
  {link_family::pcie_staged, collective::reduce_scatter, inside(10, 3, 0, 0.16, 1, 0, 1, 1, evidence::assumed, link_source::staged)},
  {link_family::pcie_staged, collective::all_to_all, inside(10, 2, 0, 0.16, 1, 0, 1, 1, evidence::assumed, link_source::staged)},
  {link_family::pcie_staged, collective::send_recv, inside(10, 0, 0, 0.25, 1, 0, 1, 1, evidence::assumed, link_source::staged)},
};

inline constexpr nvls_row nvls_rows[] = {
  // family, fewest ranks, across, then as above
  {link_family::volta, 0, 0.745, {}},
  {link_family::ampere, 0, 0.745, {}},
  {link_family::hopper, 5, 0.98, inside(4.18, 1.79, 60, 1.09, 0, 6.82, 1, 1, evidence::measured, link_source::hopper)},
  {link_family::blackwell, 6, 0.775, inside(7.94, 2.67, 89.3, 0.98, 0, 37.7, 1, 1, evidence::measured, link_source::blackwell)},
};
// clang-format on

}  // namespace topoplan::inline v1::detail
