// Rows of the network: latency, efficiency and ramp of collectives between domains, by fabric class.
#pragma once

#include <topoplan/cost/link_parameters.hpp>

#include <string_view>

namespace topoplan::inline v1::detail {

namespace fabric_source {
inline constexpr std::string_view edr = "nccl-tests#78: 16 DGX-2, 8x 100 Gb/s";
inline constexpr std::string_view omni =
    "no public table: as EDR at a quarter of the wire, which fits the steps of 42 runs on Jean Zay, bigscience tr11-176B-ml";
inline constexpr std::string_view hdr = "nccl-tests#119: 3 HGX A100, 4x 200 Gb/s; nccl#652: 32 HGX A100";
inline constexpr std::string_view ndr =
    "nccl-tests#309: XE9680 H100, 2 and 4 hosts; Nebius and CoreWeave HGX H100; nccl#1469: 16 hosts";
inline constexpr std::string_view roce = "nccl-tests: Vultr HGX B200 8x 400 Gb/s CX7; OCI A100 16x 100 Gb/s; OCI B300";
inline constexpr std::string_view cx7 = "nccl-tests: Vultr HGX B200 8x 400 Gb/s CX7, tuned";
inline constexpr std::string_view gib = "nccl-tests: GCP samples (A4 and gIB documents), 8x 400 Gb/s";
inline constexpr std::string_view untuned = "nccl-tests: Vultr HGX B200 8x 400 Gb/s CX7, untuned";
inline constexpr std::string_view untuned_by_exchange =
    "as tuned RoCE, its rate cut as untuned all-to-all and send-recv are: Vultr HGX B200; about 60 % of the wire by NVIDIA on "
    "Colossus";
inline constexpr std::string_view efa1 = "nccl-tests: AWS p4de 4x 100 Gb/s, awsome-distributed-training";
inline constexpr std::string_view efa2 = "nccl-tests: AWS p5 32x 100 Gb/s, 2 hosts; p5en 16x 200 Gb/s, 4 and 16 hosts";
inline constexpr std::string_view efa4 = "ml-engineering all_reduce_bench: AWS p6-b200 8x 400 Gb/s, 4 hosts";
inline constexpr std::string_view tcpxo = "nccl-tests: GCP A3 Mega 8x 200 Gb/s";
inline constexpr std::string_view racks =
    "nccl-tests: two OCI GB200 racks; beyond two by 20 GB200 racks, about 5 ms + S / (217 GB/s)";
inline constexpr std::string_view trays = "nccl-tests: two GB300 trays of different racks, 4x 800 Gb/s";
inline constexpr std::string_view rack_exchange =
    "nccl-tests: two OCI GB300 racks, 47 GB/s of bus bandwidth against 667 in one rack";
inline constexpr std::string_view as_ndr = "no public table: as InfiniBand NDR, the ramp twice as long at twice the rate";
inline constexpr std::string_view as_roce = "no public table: as RoCE";
inline constexpr std::string_view as_gather = "no public table: as the all-gather of this class";
inline constexpr std::string_view as_cx7 =
    "no public table: as RoCE's (Vultr HGX B200), latency and ramp scaled as the all-reduce of this class";
inline constexpr std::string_view slingshot = "no plausible public table: as InfiniBand HDR, at 0.8 of the wire";
inline constexpr std::string_view tcp =
    "no public table: sockets copy through the CPUs, about 10 GB/s of a 400 Gb/s NIC; through one slow NIC it is far less: FSDP "
    "26 to 45 times slower than InfiniBand, jingchaozhang.github.io/IB-vs-Ethernet-Fine-Tuning-at-Scale";
}  // namespace fabric_source

// Microseconds and 10^6 bytes.
[[nodiscard]] constexpr link_parameters between(double first, double step, double hop, double lift, double efficiency,
                                                double small, double half_size, double loss, double lanes, bool pair_bonus,
                                                evidence known, std::string_view source) noexcept {
  link_parameters p;
  p.first = first * 1e-6;
  p.step = step * 1e-6;
  p.hop = hop * 1e-6;
  p.lift = lift * 1e-6;
  p.efficiency = efficiency;
  p.small = small;
  p.half_size = half_size * 1e6;
  p.power = 0.75;
  p.loss = loss;
  p.lanes = lanes;
  p.pair_bonus = pair_bonus;
  p.known = known;
  p.source = source;
  return p;
}

// clang-format off
inline constexpr fabric_row fabric_rows[] = {
  // class, collective; first us, step us, hop us, lift us, efficiency, small, half size MB, loss, lanes, bonus of two domains
  {fabric_class::omni_path, collective::all_reduce, between(33.4, 10, 0, 9.87, 0.198, 0.05, 25.2, 0, 16, false, evidence::assumed, fabric_source::omni)},
  {fabric_class::omni_path, collective::all_gather, between(28.4, 0, 1, 8.03, 0.198, 0.025, 36.6, 0, 16, false, evidence::assumed, fabric_source::omni)},
  {fabric_class::omni_path, collective::reduce_scatter, between(28.9, 0, 1, 16.7, 0.198, 0.0253, 36, 0, 16, false, evidence::assumed, fabric_source::omni)},
  {fabric_class::omni_path, collective::all_to_all, between(30.9, 0, 0.2, 19.6, 0.186, 0.253, 4.61, 0, 8, false, evidence::assumed, fabric_source::omni)},
  {fabric_class::omni_path, collective::send_recv, between(11.7, 0, 0, 19, 0.18, 0.114, 0.2, 0, 8, false, evidence::assumed, fabric_source::omni)},
  {fabric_class::infiniband_edr, collective::all_reduce, between(33.4, 10, 0, 9.87, 0.793, 0.05, 25.2, 0, 16, false, evidence::measured, fabric_source::edr)},
  {fabric_class::infiniband_edr, collective::all_gather, between(28.4, 0, 1, 8.03, 0.793, 0.025, 36.6, 0, 16, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_edr, collective::reduce_scatter, between(28.9, 0, 1, 16.7, 0.793, 0.0253, 36, 0, 16, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_edr, collective::all_to_all, between(30.9, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_edr, collective::send_recv, between(11.7, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_hdr, collective::all_reduce, between(23.5, 10, 0, 9.96, 0.984, 0.0497, 1.48, 0, 8, false, evidence::measured, fabric_source::hdr)},
  {fabric_class::infiniband_hdr, collective::all_gather, between(20, 0, 1, 8.03, 0.95, 0.025, 20, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_hdr, collective::reduce_scatter, between(20.3, 0, 1, 16.7, 0.95, 0.0253, 20, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_hdr, collective::all_to_all, between(21.7, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_hdr, collective::send_recv, between(8.21, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_ndr, collective::all_reduce, between(30.9, 12, 0, 7.38, 0.94, 0.0553, 41, 0, 8, true, evidence::measured, fabric_source::ndr)},
  {fabric_class::infiniband_ndr, collective::all_gather, between(26.3, 0, 1, 8.03, 0.827, 0.025, 59.4, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_ndr, collective::reduce_scatter, between(26.8, 0, 1, 16.7, 0.827, 0.0253, 58.4, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_ndr, collective::all_to_all, between(28.6, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_ndr, collective::send_recv, between(10.8, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_xdr, collective::all_reduce, between(30.9, 12, 0, 7.38, 0.94, 0.0553, 82, 0, 8, true, evidence::fitted, fabric_source::as_ndr)},
  {fabric_class::infiniband_xdr, collective::all_gather, between(26.3, 0, 1, 8.03, 0.827, 0.025, 119, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_xdr, collective::reduce_scatter, between(26.8, 0, 1, 16.7, 0.827, 0.0253, 117, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_xdr, collective::all_to_all, between(28.6, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::infiniband_xdr, collective::send_recv, between(10.8, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::roce, collective::all_reduce, between(40, 5, 0, 38.8, 0.951, 0.0311, 52.2, 0, 8, true, evidence::measured, fabric_source::roce)},
  {fabric_class::roce, collective::all_gather, between(34.1, 0, 1, 8.03, 0.826, 0.025, 75.7, 0, 8, false, evidence::measured, fabric_source::cx7)},
  {fabric_class::roce, collective::reduce_scatter, between(34.7, 0, 1, 16.7, 0.826, 0.0253, 74.5, 0, 8, false, evidence::measured, fabric_source::cx7)},
  {fabric_class::roce, collective::all_to_all, between(37, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::measured, fabric_source::cx7)},
  {fabric_class::roce, collective::send_recv, between(14, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::measured, fabric_source::cx7)},
  {fabric_class::roce_gib, collective::all_reduce, between(55, 5, 0, 7.85, 0.935, 0.152, 102, 0, 8, true, evidence::measured, fabric_source::gib)},
  {fabric_class::roce_gib, collective::all_gather, between(56.3, 0, 1, 1, 0.846, 0.0539, 28.9, 0, 8, false, evidence::measured, fabric_source::gib)},
  {fabric_class::roce_gib, collective::reduce_scatter, between(56.3, 0, 1, 1, 0.846, 0.0539, 28.9, 0, 8, false, evidence::fitted, fabric_source::as_gather)},
  {fabric_class::roce_gib, collective::all_to_all, between(50.9, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::roce_gib, collective::send_recv, between(19.2, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::roce_untuned, collective::all_reduce, between(40, 5, 0, 38.8, 0.57, 0.0311, 52.2, 0, 8, true, evidence::assumed, fabric_source::untuned_by_exchange)},
  {fabric_class::roce_untuned, collective::all_gather, between(34.1, 0, 1, 8.03, 0.5, 0.025, 75.7, 0, 8, false, evidence::assumed, fabric_source::untuned_by_exchange)},
  {fabric_class::roce_untuned, collective::reduce_scatter, between(34.7, 0, 1, 16.7, 0.5, 0.0253, 74.5, 0, 8, false, evidence::assumed, fabric_source::untuned_by_exchange)},
  {fabric_class::roce_untuned, collective::all_to_all, between(37.6, 0, 0.2, 7.26, 0.457, 0.557, 2.25, 0, 8, false, evidence::measured, fabric_source::untuned)},
  {fabric_class::roce_untuned, collective::send_recv, between(14, 0, 0, 16.6, 0.395, 0.217, 0.0941, 0, 8, false, evidence::measured, fabric_source::untuned)},
  {fabric_class::spectrum_x, collective::all_reduce, between(40, 5, 0, 38.8, 0.951, 0.0311, 52.2, 0, 8, true, evidence::fitted, fabric_source::as_roce)},
  {fabric_class::spectrum_x, collective::all_gather, between(34.1, 0, 1, 8.03, 0.837, 0.025, 75.7, 0, 8, false, evidence::fitted, fabric_source::as_roce)},
  {fabric_class::spectrum_x, collective::reduce_scatter, between(34.7, 0, 1, 16.7, 0.837, 0.0253, 74.5, 0, 8, false, evidence::fitted, fabric_source::as_roce)},
  {fabric_class::spectrum_x, collective::all_to_all, between(37, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_roce)},
  {fabric_class::spectrum_x, collective::send_recv, between(14, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_roce)},
  {fabric_class::efa_v1, collective::all_reduce, between(164, 5, 0, 4.12, 0.876, 0.0135, 29.3, 0, 8, true, evidence::measured, fabric_source::efa1)},
  {fabric_class::efa_v1, collective::all_gather, between(140, 0, 1, 8.03, 0.876, 0.025, 42.4, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v1, collective::reduce_scatter, between(142, 0, 1, 16.7, 0.876, 0.0253, 41.7, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v1, collective::all_to_all, between(152, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v1, collective::send_recv, between(57.5, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v2, collective::all_reduce, between(69.2, 5, 0, 31.2, 0.947, 0.00256, 65.4, 0, 8, true, evidence::measured, fabric_source::efa2)},
  {fabric_class::efa_v2, collective::all_gather, between(59, 0, 1, 8.03, 0.833, 0.025, 94.7, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v2, collective::reduce_scatter, between(60, 0, 1, 16.7, 0.833, 0.0253, 93.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v2, collective::all_to_all, between(64, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v2, collective::send_recv, between(24.2, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v4, collective::all_reduce, between(263, 5, 0, 69.2, 0.99, 0.0467, 108, 0, 8, true, evidence::measured, fabric_source::efa4)},
  {fabric_class::efa_v4, collective::all_gather, between(224, 0, 1, 8.03, 0.871, 0.025, 156, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v4, collective::reduce_scatter, between(228, 0, 1, 16.7, 0.871, 0.0253, 153, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v4, collective::all_to_all, between(243, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::efa_v4, collective::send_recv, between(91.8, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::tcpxo, collective::all_reduce, between(146, 5, 0, 702, 0.95, 0.101, 126, 0, 8, true, evidence::measured, fabric_source::tcpxo)},
  {fabric_class::tcpxo, collective::all_gather, between(113, 0, 2, 68.1, 0.933, 0.05, 13, 0, 8, false, evidence::measured, fabric_source::tcpxo)},
  {fabric_class::tcpxo, collective::reduce_scatter, between(113, 0, 2, 68.1, 0.933, 0.05, 13, 0, 8, false, evidence::fitted, fabric_source::as_gather)},
  {fabric_class::tcpxo, collective::all_to_all, between(135, 0, 0.2, 19.6, 0.746, 0.253, 4.61, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::tcpxo, collective::send_recv, between(50.9, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
  {fabric_class::slingshot, collective::all_reduce, between(40, 10, 0, 9.96, 0.8, 0.0497, 1.48, 0, 8, false, evidence::assumed, fabric_source::slingshot)},
  {fabric_class::slingshot, collective::all_gather, between(34.1, 0, 1, 8.03, 0.8, 0.025, 20, 0, 8, false, evidence::assumed, fabric_source::slingshot)},
  {fabric_class::slingshot, collective::reduce_scatter, between(34.7, 0, 1, 16.7, 0.8, 0.0253, 20, 0, 8, false, evidence::assumed, fabric_source::slingshot)},
  {fabric_class::slingshot, collective::all_to_all, between(37, 0, 0.2, 19.6, 0.7, 0.253, 4.61, 0, 8, false, evidence::assumed, fabric_source::slingshot)},
  {fabric_class::slingshot, collective::send_recv, between(14, 0, 0, 19, 0.7, 0.114, 0.2, 0, 8, false, evidence::assumed, fabric_source::slingshot)},
  {fabric_class::ethernet_tcp, collective::all_reduce, between(150, 60, 0, 60, 0.2, 0.05, 30, 0, 8, false, evidence::assumed, fabric_source::tcp)},
  {fabric_class::ethernet_tcp, collective::all_gather, between(128, 0, 5, 8.03, 0.2, 0.025, 30, 0, 8, false, evidence::assumed, fabric_source::tcp)},
  {fabric_class::ethernet_tcp, collective::reduce_scatter, between(130, 0, 5, 16.7, 0.2, 0.0253, 30, 0, 8, false, evidence::assumed, fabric_source::tcp)},
  {fabric_class::ethernet_tcp, collective::all_to_all, between(139, 0, 2, 19.6, 0.15, 0.253, 4.61, 0, 8, false, evidence::assumed, fabric_source::tcp)},
  {fabric_class::ethernet_tcp, collective::send_recv, between(52.5, 0, 0, 19, 0.2, 0.114, 0.2, 0, 8, false, evidence::assumed, fabric_source::tcp)},
  {fabric_class::nvl72, collective::all_reduce, between(201, 0, 3.65, 18.2, 0.95, 0.0421, 209, 0.2, 64, true, evidence::measured, fabric_source::racks)},
  {fabric_class::nvl72, collective::all_gather, between(44.6, 0, 1, 1, 0.921, 0.0393, 35, 0, 4, false, evidence::measured, fabric_source::trays)},
  {fabric_class::nvl72, collective::reduce_scatter, between(44.6, 0, 1, 1, 0.921, 0.0393, 35, 0, 4, false, evidence::fitted, fabric_source::as_gather)},
  {fabric_class::nvl72, collective::all_to_all, between(186, 0, 0.2, 19.6, 0.24, 0.253, 4.61, 0, 8, false, evidence::measured, fabric_source::rack_exchange)},
  {fabric_class::nvl72, collective::send_recv, between(70.2, 0, 0, 19, 0.72, 0.114, 0.2, 0, 8, false, evidence::fitted, fabric_source::as_cx7)},
};
// clang-format on

}  // namespace topoplan::inline v1::detail
