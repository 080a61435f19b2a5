// The parameters of one kind of link for one collective, and the kinds: NVLink generations, PCIe, fabric classes.
#pragma once

#include <topoplan/workload/traffic.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace topoplan::inline v1 {

// What joins GPUs inside a host or NVLink domain: the NVLink generations, and PCIe with and without direct access to peers.
enum class link_family : std::uint8_t { volta, ampere, hopper, blackwell, pcie, pcie_staged };
inline constexpr std::size_t link_family_count = 6;

// What joins domains. EFA by generation; `roce_gib` is Google's RoCE and its NCCL plug-in; `roce_untuned` is without ECN and PFC
// set up or with few queue pairs; `ethernet_tcp` has no RDMA; `nvl72` is whatever joins NVLink domains that span hosts.
enum class fabric_class : std::uint8_t {
  infiniband_edr,
  infiniband_hdr,
  infiniband_ndr,
  infiniband_xdr,
  omni_path,
  roce,
  roce_gib,
  roce_untuned,
  spectrum_x,
  efa_v1,
  efa_v2,
  efa_v4,
  tcpxo,
  slingshot,
  ethernet_tcp,
  nvl72
};
inline constexpr std::size_t fabric_class_count = 16;

// How a parameter is known: published measurements of this very kind of link, of a sister kind, or neither.
enum class evidence : std::uint8_t { measured, fitted, assumed };

// "hopper", "infiniband-ndr", "measured", ... complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(link_family f) noexcept {
  constexpr std::string_view names[] = {"volta", "ampere", "hopper", "blackwell", "pcie", "pcie-staged"};
  return names[static_cast<std::size_t>(f)];
}
[[nodiscard]] constexpr std::string_view to_string(fabric_class f) noexcept {
  constexpr std::string_view names[] = {"infiniband-edr", "infiniband-hdr", "infiniband-ndr", "infiniband-xdr",
                                        "omni-path",      "roce",           "roce-gib",       "roce-untuned",
                                        "spectrum-x",     "efa-v1",         "efa-v2",         "efa-v4",
                                        "tcpxo",          "slingshot",      "ethernet-tcp",   "nvl72"};
  return names[static_cast<std::size_t>(f)];
}
[[nodiscard]] constexpr std::string_view to_string(evidence e) noexcept {
  constexpr std::string_view names[] = {"measured", "fitted", "assumed"};
  return names[static_cast<std::size_t>(e)];
}

// The time of a collective on one kind of link, the smaller of what two kinds of protocol take:
//   latency + wire / small                                                       small messages (LL, LL128)
//   hypot(latency + lift, wire * (1 + (half_size / bytes)^power))                large ones (Simple): latency and wire overlap
// with wire = what a rank sends / (efficiency * rate) and latency = first + step * steps. `steps` counts ranks beyond the first
// inside a domain or host (at most seven with NVLink: NVSwitch takes no longer for more), and between domains doublings of their
// number beyond two. `hop` counts where data go around a ring or to each peer (all-gather, reduce-scatter, all-to-all, and
// all-reduces of large messages): once for each rank of the domains beyond two, and twice more for each such domain.
struct link_parameters {
  double first = 0;         // seconds
  double step = 0;          // seconds
  double hop = 0;           // seconds (network)
  double lift = 0;          // seconds
  double efficiency = 1;    // of the data-sheet rate, for the largest messages
  double small = 1;         // of `efficiency`, for small messages; 0: the link has no protocol for them
  double half_size = 0;     // bytes at which the wire of large messages runs at half its rate
  double power = 0.5;       // how that fades as messages grow
  double two = 1;           // efficiency of groups of two ranks over that of eight (NVLink): NCCL finds fewer channels
  double four = 1;          // the same of four ranks
  double loss = 0;          // power of half the number of domains by which wires get slower (network)
  double lanes = 8;         // ranks of a domain where half_size was measured; fewer share fewer NICs (network)
  bool pair_bonus = false;  // all-reduce between two or three domains by trees, which need less of the NICs (network)
  evidence known = evidence::assumed;
  std::string_view source = {};

  friend constexpr bool operator==(const link_parameters&, const link_parameters&) = default;
};

// A row of the table.
struct link_row {
  link_family family;
  collective what;
  link_parameters parameters;
};
struct fabric_row {
  fabric_class fabric;
  collective what;
  link_parameters parameters;
};
// All-reduce by the NVSwitch (NVLS); `fewest` of 0: the family hasn't got it.
struct nvls_row {
  link_family family;
  std::uint32_t fewest;  // ranks that NCCL serves by it
  double across;         // of the NVLink rate, as bus bandwidth: the part inside a domain of an all-reduce between domains
  link_parameters parameters;
};

}  // namespace topoplan::inline v1
