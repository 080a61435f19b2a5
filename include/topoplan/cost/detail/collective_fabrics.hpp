// Rows of the network: latency, efficiency and ramp of collectives between domains, by fabric class.
#pragma once

#include <topoplan/cost/link_parameters.hpp>

#include <string_view>

namespace topoplan::inline v1::detail {

// Microseconds and 10^6 bytes.
[[nodiscard]] constexpr link_parameters networked(double first, double step, double efficiency, double half_size, double power,
                                                  bool pair_bonus, evidence known, std::string_view source) noexcept {
  return {first * 1e-6, step * 1e-6, efficiency, half_size * 1e6, power, 1, 1, pair_bonus, known, source};
}

// clang-format off
inline constexpr fabric_row fabric_rows[] = {
  // class, collective, first us, step us, efficiency, half size MB, power, bonus of two domains
  {fabric_class::infiniband_edr, collective::all_reduce, networked(22, 12, 0.95, 43, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_edr, collective::all_gather, networked(18.7, 12, 0.855, 43, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_edr, collective::reduce_scatter, networked(18.7, 12, 0.855, 43, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_edr, collective::all_to_all, networked(22, 12, 0.75, 2.4, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_edr, collective::send_recv, networked(8.8, 0, 0.731, 1, 0.9, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_hdr, collective::all_reduce, networked(22, 12, 0.95, 43, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_hdr, collective::all_gather, networked(18.7, 12, 0.855, 43, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_hdr, collective::reduce_scatter, networked(18.7, 12, 0.855, 43, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_hdr, collective::all_to_all, networked(22, 12, 0.75, 2.4, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_hdr, collective::send_recv, networked(8.8, 0, 0.731, 1, 0.9, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_ndr, collective::all_reduce, networked(22, 12, 0.95, 43, 0.65, true, evidence::measured, "preliminary")},
  {fabric_class::infiniband_ndr, collective::all_gather, networked(18.7, 12, 0.855, 43, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::infiniband_ndr, collective::reduce_scatter, networked(18.7, 12, 0.855, 43, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::infiniband_ndr, collective::all_to_all, networked(22, 12, 0.75, 2.4, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::infiniband_ndr, collective::send_recv, networked(8.8, 0, 0.731, 1, 0.9, false, evidence::measured, "preliminary")},
  {fabric_class::infiniband_xdr, collective::all_reduce, networked(22, 12, 0.95, 60, 0.65, true, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_xdr, collective::all_gather, networked(18.7, 12, 0.855, 60, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_xdr, collective::reduce_scatter, networked(18.7, 12, 0.855, 60, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_xdr, collective::all_to_all, networked(22, 12, 0.75, 2.4, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::infiniband_xdr, collective::send_recv, networked(8.8, 0, 0.731, 1, 0.9, false, evidence::assumed, "preliminary")},
  {fabric_class::roce, collective::all_reduce, networked(30, 12, 0.95, 75, 0.65, true, evidence::measured, "preliminary")},
  {fabric_class::roce, collective::all_gather, networked(25.5, 12, 0.855, 75, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::roce, collective::reduce_scatter, networked(25.5, 12, 0.855, 75, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::roce, collective::all_to_all, networked(30, 12, 0.75, 2.4, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::roce, collective::send_recv, networked(12, 0, 0.731, 1, 0.9, false, evidence::measured, "preliminary")},
  {fabric_class::roce_untuned, collective::all_reduce, networked(30, 12, 0.57, 75, 0.65, true, evidence::assumed, "preliminary")},
  {fabric_class::roce_untuned, collective::all_gather, networked(25.5, 12, 0.513, 75, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::roce_untuned, collective::reduce_scatter, networked(25.5, 12, 0.513, 75, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::roce_untuned, collective::all_to_all, networked(30, 12, 0.45, 2.4, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::roce_untuned, collective::send_recv, networked(12, 0, 0.439, 1, 0.9, false, evidence::assumed, "preliminary")},
  {fabric_class::spectrum_x, collective::all_reduce, networked(30, 12, 0.95, 75, 0.65, true, evidence::assumed, "preliminary")},
  {fabric_class::spectrum_x, collective::all_gather, networked(25.5, 12, 0.855, 75, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::spectrum_x, collective::reduce_scatter, networked(25.5, 12, 0.855, 75, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::spectrum_x, collective::all_to_all, networked(30, 12, 0.75, 2.4, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::spectrum_x, collective::send_recv, networked(12, 0, 0.731, 1, 0.9, false, evidence::assumed, "preliminary")},
  {fabric_class::efa_v1, collective::all_reduce, networked(145, 0, 0.95, 30, 0.65, true, evidence::measured, "preliminary")},
  {fabric_class::efa_v1, collective::all_gather, networked(123.25, 0, 0.855, 30, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::efa_v1, collective::reduce_scatter, networked(123.25, 0, 0.855, 30, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::efa_v1, collective::all_to_all, networked(145, 0, 0.75, 2.4, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::efa_v1, collective::send_recv, networked(58, 0, 0.731, 1, 0.9, false, evidence::measured, "preliminary")},
  {fabric_class::efa_v2, collective::all_reduce, networked(74, 0, 0.95, 62, 0.65, true, evidence::measured, "preliminary")},
  {fabric_class::efa_v2, collective::all_gather, networked(62.9, 0, 0.855, 62, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::efa_v2, collective::reduce_scatter, networked(62.9, 0, 0.855, 62, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::efa_v2, collective::all_to_all, networked(74, 0, 0.75, 2.4, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::efa_v2, collective::send_recv, networked(29.6, 0, 0.731, 1, 0.9, false, evidence::measured, "preliminary")},
  {fabric_class::efa_v4, collective::all_reduce, networked(300, 0, 0.95, 40, 0.65, true, evidence::assumed, "preliminary")},
  {fabric_class::efa_v4, collective::all_gather, networked(255, 0, 0.855, 40, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::efa_v4, collective::reduce_scatter, networked(255, 0, 0.855, 40, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::efa_v4, collective::all_to_all, networked(300, 0, 0.75, 2.4, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::efa_v4, collective::send_recv, networked(120, 0, 0.731, 1, 0.9, false, evidence::assumed, "preliminary")},
  {fabric_class::tcpxo, collective::all_reduce, networked(110, 12, 0.9, 152, 0.65, true, evidence::measured, "preliminary")},
  {fabric_class::tcpxo, collective::all_gather, networked(93.5, 12, 0.81, 152, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::tcpxo, collective::reduce_scatter, networked(93.5, 12, 0.81, 152, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::tcpxo, collective::all_to_all, networked(110, 12, 0.711, 2.4, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::tcpxo, collective::send_recv, networked(44, 0, 0.693, 1, 0.9, false, evidence::measured, "preliminary")},
  {fabric_class::slingshot, collective::all_reduce, networked(40, 12, 0.8, 60, 0.65, true, evidence::assumed, "preliminary")},
  {fabric_class::slingshot, collective::all_gather, networked(34, 12, 0.72, 60, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::slingshot, collective::reduce_scatter, networked(34, 12, 0.72, 60, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::slingshot, collective::all_to_all, networked(40, 12, 0.632, 2.4, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::slingshot, collective::send_recv, networked(16, 0, 0.616, 1, 0.9, false, evidence::assumed, "preliminary")},
  {fabric_class::ethernet_tcp, collective::all_reduce, networked(150, 60, 0.5, 60, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::ethernet_tcp, collective::all_gather, networked(127.5, 60, 0.45, 60, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::ethernet_tcp, collective::reduce_scatter, networked(127.5, 60, 0.45, 60, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::ethernet_tcp, collective::all_to_all, networked(150, 60, 0.395, 2.4, 0.65, false, evidence::assumed, "preliminary")},
  {fabric_class::ethernet_tcp, collective::send_recv, networked(60, 0, 0.385, 1, 0.9, false, evidence::assumed, "preliminary")},
  {fabric_class::nvl72, collective::all_reduce, networked(184, 20, 0.95, 213, 0.65, true, evidence::measured, "preliminary")},
  {fabric_class::nvl72, collective::all_gather, networked(156.4, 20, 0.855, 213, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::nvl72, collective::reduce_scatter, networked(156.4, 20, 0.855, 213, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::nvl72, collective::all_to_all, networked(184, 20, 0.75, 2.4, 0.65, false, evidence::measured, "preliminary")},
  {fabric_class::nvl72, collective::send_recv, networked(73.6, 0, 0.731, 1, 0.9, false, evidence::measured, "preliminary")},
};
// clang-format on

}  // namespace topoplan::inline v1::detail
