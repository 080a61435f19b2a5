// The systems of the catalogue: what one host and one NVLink domain hold.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/detail/gpu_table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace topoplan::inline v1 {

// One system product. Figures hold for one host unless they say otherwise.
struct system_model {
  std::string_view name;   // as a spec names it: "dgx-h100"
  std::string_view title;  // "DGX H100"
  std::array<std::string_view, 2> aliases;
  std::string_view gpu;  // name of its gpu_model
  std::uint16_t gpus_per_host = 0;
  std::uint16_t hosts_per_domain = 0;  // 18 trays in an NVL72
  std::uint16_t rails = 0;             // NICs, or bundles of NICs, that serve one GPU or one pair of GPUs
  std::uint16_t numa_nodes = 0;        // each serves an equal run of GPUs; 0 unknown
  fabric_kind fabric = fabric_kind::unknown;
  figure nvswitches;    // of one NVLink domain; 0: GPUs are joined without a switch
  figure nics;          // of the GPU network
  figure nic_gigabits;  // 10^9 bits per second, of one NIC
};

}  // namespace topoplan::inline v1

namespace topoplan::inline v1::detail {

namespace system_source {
inline constexpr std::string_view a100 = "https://dilipnaik.substack.com/p/certified-storage-for-nvidia-dgx; RA-09950-001";
inline constexpr std::string_view h100 =
    "https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-h100/latest/network-fabrics.html; "
    "MLPerf inference v4.1 NVIDIA system file";
inline constexpr std::string_view h200 = "MLPerf inference v4.1 closed/NVIDIA/systems/H200-SXM-141GBx8";
inline constexpr std::string_view b200 =
    "https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-b200/latest/; "
    "https://docs.vultr.com/inference-cookbook/cuda/getting-started/hardware-overview; MLPerf inference v6.0 Nebius";
inline constexpr std::string_view b300 =
    "https://docs.nvidia.com/dgx-superpod/reference-architecture/scalable-infrastructure-b300/latest/network-fabrics.html; "
    "https://docs.nvidia.com/dgx-superpod/reference-architecture/scalable-infrastructure-b300-xdr/latest/";
inline constexpr std::string_view gb200 =
    "https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-gb200/latest/network-fabrics.html; "
    "https://docs.nvidia.com/dgx/dgxgb200-user-guide/storage.html";
inline constexpr std::string_view gb300 = "GCP A4X Max documentation; OCI GB300 guide";
inline constexpr std::string_view azure = "learn.microsoft.com Azure ND-family size pages";
inline constexpr std::string_view mle = "github stas00/ml-engineering@744d01e network/README.md";
inline constexpr std::string_view gcp = "cloud.google.com GPU machine-type and network pages";
inline constexpr std::string_view oci =
    "github oracle-quickstart/oci-hpc-oke@61d210a docs/recommended-nccl-rccl-parameters-by-shape.md";
inline constexpr std::string_view oci_gb300 = "OCI GB300 guide";
inline constexpr std::string_view coreweave = "github coreweave/nccl-tests@cb86553 README.md";
inline constexpr std::string_view isambard = "Isambard-AI documentation";
}  // namespace system_source

// One row as the sources print it; a negative number: not known, or not verified.
struct system_row {
  std::string_view name, title;
  std::array<std::string_view, 2> aliases;
  std::string_view gpu;
  std::uint16_t gpus, hosts, rails, numa;
  fabric_kind fabric;
  double nvswitches, nics, nic_gigabits;
  std::string_view source;
};

// clang-format off
inline constexpr system_row system_rows[] = {
  // name, title, aliases, gpu, GPUs a host, hosts a domain, rails, NUMA nodes, fabric, NVSwitches a domain, NICs, Gb/s a NIC, source
  {"dgx-a100", "DGX A100", {}, "a100-sxm", 8, 1, 8, 0, fabric_kind::infiniband, 6, 8, 200, system_source::a100},
  {"dgx-h100", "DGX H100", {}, "h100-sxm", 8, 1, 8, 2, fabric_kind::infiniband, 4, 8, 400, system_source::h100},
  {"dgx-h200", "DGX H200", {}, "h200-sxm", 8, 1, 8, 2, fabric_kind::infiniband, 4, 8, 400, system_source::h200},
  {"dgx-b200", "DGX B200", {}, "b200-sxm", 8, 1, 8, 2, fabric_kind::infiniband, -1, 8, 400, system_source::b200},
  {"dgx-b300", "DGX B300", {}, "b300-sxm", 8, 1, 8, 2, fabric_kind::spectrum_x, -1, 8, 800, system_source::b300},
  {"gb200-nvl72", "GB200 NVL72", {"gb200", "dgx-gb200"}, "gb200", 4, 18, 4, 2, fabric_kind::infiniband, 18, 4, 400,
   system_source::gb200},
  {"gb300-nvl72", "GB300 NVL72", {"gb300", "dgx-gb300"}, "gb300", 4, 18, 4, 2, fabric_kind::infiniband, 18, 4, 800,
   system_source::gb300},
  {"hgx-a100", "HGX A100", {}, "a100-sxm", 8, 1, 8, 0, fabric_kind::infiniband, 6, 8, 200, system_source::a100},
  {"hgx-h100", "HGX H100", {"coreweave-h100"}, "h100-sxm", 8, 1, 8, 2, fabric_kind::infiniband, 4, 8, 400,
   system_source::coreweave},
  {"hgx-h200", "HGX H200", {}, "h200-sxm", 8, 1, 8, 2, fabric_kind::infiniband, 4, 8, 400, system_source::h200},
  {"hgx-b200", "HGX B200", {}, "b200-sxm", 8, 1, 8, 2, fabric_kind::infiniband, -1, 8, 400, system_source::b200},
  {"hgx-b300", "HGX B300", {}, "b300-sxm", 8, 1, 8, 2, fabric_kind::infiniband, -1, 8, 800, system_source::b300},
  {"azure-nd-a100-v4", "Azure ND A100 v4", {}, "a100-sxm-40gb", 8, 1, 8, 0, fabric_kind::infiniband, 6, 8, 200,
   system_source::azure},
  {"azure-nd-h100-v5", "Azure ND H100 v5", {}, "h100-sxm", 8, 1, 8, 2, fabric_kind::infiniband, 4, 8, 400, system_source::azure},
  {"azure-nd-h200-v5", "Azure ND H200 v5", {}, "h200-sxm", 8, 1, 8, 2, fabric_kind::infiniband, 4, 8, 400, system_source::azure},
  {"azure-nd-gb200-v6", "Azure ND GB200 v6", {}, "gb200", 4, 18, 4, 2, fabric_kind::infiniband, 18, 4, 400, system_source::azure},
  {"azure-nd-gb300-v6", "Azure ND GB300 v6", {}, "gb300", 4, 18, 4, 2, fabric_kind::infiniband, 18, 4, 800, system_source::azure},
  {"aws-p4d", "AWS p4d", {}, "a100-sxm-40gb", 8, 1, 4, 2, fabric_kind::efa, 6, 4, 100, system_source::mle},
  {"aws-p4de", "AWS p4de", {}, "a100-sxm", 8, 1, 4, 2, fabric_kind::efa, 6, 4, 100, system_source::mle},
  {"aws-p5", "AWS p5", {}, "h100-sxm", 8, 1, 8, 2, fabric_kind::efa, 4, 32, 100, system_source::mle},
  {"aws-p5e", "AWS p5e", {}, "h200-sxm", 8, 1, 8, 2, fabric_kind::efa, 4, 32, 100, system_source::mle},
  {"aws-p5en", "AWS p5en", {}, "h200-sxm", 8, 1, 8, 2, fabric_kind::efa, 4, 16, 200, system_source::mle},
  {"aws-p6-b200", "AWS p6-b200", {}, "b200-sxm", 8, 1, 8, 2, fabric_kind::efa, -1, 8, 400, system_source::mle},
  {"aws-p6-b300", "AWS p6-b300", {}, "b300-sxm", 8, 1, 8, 2, fabric_kind::efa, -1, 16, 400, system_source::mle},
  {"gcp-a3-high", "GCP a3-highgpu-8g", {"gcp-a3"}, "h100-sxm", 8, 1, 4, 2, fabric_kind::ethernet, 4, 4, 200, system_source::gcp},
  {"gcp-a3-mega", "GCP a3-megagpu-8g", {}, "h100-sxm", 8, 1, 8, 2, fabric_kind::ethernet, 4, 8, 200, system_source::gcp},
  {"gcp-a3-ultra", "GCP a3-ultragpu-8g", {}, "h200-sxm", 8, 1, 8, 2, fabric_kind::roce, 4, 8, 400, system_source::gcp},
  {"gcp-a4", "GCP a4-highgpu-8g", {}, "b200-sxm", 8, 1, 8, 2, fabric_kind::roce, -1, 8, 400, system_source::gcp},
  {"gcp-a4x", "GCP a4x-highgpu-4g", {}, "gb200", 4, 18, 4, 2, fabric_kind::roce, 18, 4, 400, system_source::gcp},
  {"gcp-a4x-max", "GCP a4x-maxgpu-4g", {}, "gb300", 4, 18, 4, 2, fabric_kind::roce, 18, 4, 800, system_source::gcp},
  {"oci-a100", "OCI BM.GPU.A100-v2.8", {}, "a100-sxm", 8, 1, 8, 2, fabric_kind::roce, 6, 16, 100, system_source::oci},
  {"oci-h100", "OCI BM.GPU.H100.8", {}, "h100-sxm", 8, 1, 8, 2, fabric_kind::roce, 4, 16, 200, system_source::oci},
  {"oci-h200", "OCI BM.GPU.H200.8", {}, "h200-sxm", 8, 1, 8, 2, fabric_kind::roce, 4, 8, 400, system_source::oci},
  {"oci-b200", "OCI BM.GPU.B200.8", {}, "b200-sxm", 8, 1, 8, 2, fabric_kind::roce, -1, 8, 400, system_source::oci},
  {"oci-b300", "OCI BM.GPU.B300.8", {}, "b300-sxm", 8, 1, 8, 2, fabric_kind::roce, -1, 16, 400, system_source::oci},
  {"oci-gb200", "OCI BM.GPU.GB200.4", {}, "gb200", 4, 18, 4, 2, fabric_kind::roce, 18, 4, 400, system_source::oci},
  {"oci-gb300", "OCI BM.GPU.GB300.4", {}, "gb300", 4, 18, 4, 2, fabric_kind::roce, 18, 8, 400, system_source::oci_gb300},
  {"oci-mi300x", "OCI BM.GPU.MI300X.8", {}, "mi300x", 8, 1, 8, 2, fabric_kind::roce, 0, 8, 400, system_source::oci},
  {"isambard-ai", "Isambard-AI (GH200)", {}, "gh200", 4, 1, 4, 4, fabric_kind::slingshot, 0, 4, 200, system_source::isambard},
};
// clang-format on

inline constexpr auto system_table = [] {
  std::array<system_model, sizeof system_rows / sizeof system_rows[0]> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const system_row& r = system_rows[i];
    const auto of = [&](double value) { return value < 0 ? figure{} : figure{value, r.source}; };
    table[i] = {r.name,           r.title,    r.aliases,         r.gpu, r.gpus, r.hosts, r.rails, r.numa, r.fabric,
                of(r.nvswitches), of(r.nics), of(r.nic_gigabits)};
  }
  return table;
}();

}  // namespace topoplan::inline v1::detail
