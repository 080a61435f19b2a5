// How the networks of the products are built: leaf groups, switches, and the sizes that reference architectures print.
#pragma once

#include <topoplan/cluster/cluster.hpp>

#include <cstdint>
#include <string_view>

namespace topoplan::inline v1::detail {

namespace network_source {
inline constexpr std::string_view h100 =
    "DGX SuperPOD H100 reference architecture, network-fabrics (127 hosts); 128 hosts as in the one for B200";
inline constexpr std::string_view b200 = "DGX SuperPOD B200 reference architecture, dgx-superpod-architecture";
inline constexpr std::string_view b300 = "DGX SuperPOD B300 (Spectrum-X) reference architecture";
inline constexpr std::string_view xdr = "DGX SuperPOD B300 (XDR) reference architecture";
inline constexpr std::string_view gb200 = "DGX SuperPOD GB200 reference architecture, network-fabrics";
inline constexpr std::string_view a100 = "units of 20 hosts on 40-port switches, not verified";
inline constexpr std::string_view like_h100 = "built like the DGX SuperPOD H100";
inline constexpr std::string_view like_xdr = "built like the DGX SuperPOD B300 (XDR)";
inline constexpr std::string_view like_gb200 = "built like the DGX SuperPOD GB200, with 144-port switches";
}  // namespace network_source

struct network_row {
  std::string_view product;
  fabric_kind fabric = fabric_kind::unknown;
  std::uint32_t leaf_hosts = 0;  // hosts of a leaf group
  std::uint32_t radix = 0;       // ports of a switch at the rate of one plane of a NIC
  std::uint32_t planes = 1;      // each NIC has a port in each
  std::uint32_t pod_groups =
      0;  // leaf groups of a pod whose rails meet only above it; 0: the radix decides, rails meet in the pod
  std::uint32_t printed_hosts = 0;  // the largest size printed
  confidence how = confidence::assumed;
  std::string_view source;
};

// clang-format off
inline constexpr network_row network_rows[] = {
  {"dgx-a100", fabric_kind::infiniband, 20, 40, 1, 0, 0, confidence::assumed, network_source::a100},
  {"hgx-a100", fabric_kind::infiniband, 20, 40, 1, 0, 0, confidence::assumed, network_source::a100},
  {"dgx-h100", fabric_kind::infiniband, 32, 64, 1, 0, 128, confidence::catalogue, network_source::h100},
  {"hgx-h100", fabric_kind::infiniband, 32, 64, 1, 0, 128, confidence::assumed, network_source::like_h100},
  {"dgx-h200", fabric_kind::infiniband, 32, 64, 1, 0, 128, confidence::assumed, network_source::like_h100},
  {"hgx-h200", fabric_kind::infiniband, 32, 64, 1, 0, 128, confidence::assumed, network_source::like_h100},
  {"dgx-b200", fabric_kind::infiniband, 32, 64, 1, 0, 2048, confidence::catalogue, network_source::b200},
  {"hgx-b200", fabric_kind::infiniband, 32, 64, 1, 0, 2048, confidence::assumed, network_source::like_h100},
  {"dgx-b300", fabric_kind::spectrum_x, 64, 128, 2, 0, 1024, confidence::catalogue, network_source::b300},
  {"dgx-b300", fabric_kind::infiniband, 72, 144, 1, 0, 1296, confidence::catalogue, network_source::xdr},
  {"hgx-b300", fabric_kind::infiniband, 72, 144, 1, 0, 1296, confidence::assumed, network_source::like_xdr},
  {"gb200-nvl72", fabric_kind::infiniband, 18, 64, 1, 8, 2304, confidence::catalogue, network_source::gb200},
  {"gb300-nvl72", fabric_kind::infiniband, 18, 144, 1, 8, 2304, confidence::assumed, network_source::like_gb200},
};
// clang-format on

// The row of a product and fabric: the exact one, else the product's first, else nullptr (its network isn't published).
[[nodiscard]] constexpr const network_row* network_of(std::string_view product, fabric_kind fabric) noexcept {
  const network_row* found = nullptr;
  for (const network_row& row : network_rows) {
    if (row.product != product) continue;
    if (row.fabric == fabric) return &row;
    if (found == nullptr) found = &row;
  }
  return found;
}

}  // namespace topoplan::inline v1::detail
