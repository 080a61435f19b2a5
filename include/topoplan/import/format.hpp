// The formats that are read: their names, what a person calls them, and what of a cluster each describes.
#pragma once

#include <topoplan/core/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace topoplan::inline v1::import {

// Each is read by the header of its name.
enum class format : std::uint8_t {
  nvidia_smi_topo,
  nccl_topology_xml,
  hwloc_xml,
  nvidia_smi_q,
  nvidia_smi_q_xml,
  nvidia_smi_nvlink,
  ibstat,
  ibv_devinfo,
  ibdev2netdev,
  slurm_topology,
  slurm_blocks,
  slurm_topologies,
  ibnetdiscover,
  iblinkinfo,
  topograph_model,
  topograph_response,
  topograph_instances,
  nmx_compute_nodes,
  aws_topology,
  azure_topology,
  lambda_topology,
  oci_topology,
  kubernetes_nodes,
  kubernetes_configmap,
  kueue_topology,
  volcano_hypernodes,
  nvlink_domains,
  hostfile,
  ib_host_table,
  cluster_file,
  rank_map_file,
  nccl_graph_xml
};

// What a text of the format describes.
enum class format_role : std::uint8_t {
  node,      // one host: its GPUs, and how near its NICs are
  facts,     // more of one host: models, rates, what is down
  network,   // switches above many hosts; some formats tell NVLink domains too
  domains,   // NVLink domains over many hosts
  hosts,     // an allocation
  levels,    // which labels of Kubernetes nodes name the switches
  table,     // which InfiniBand GUID is on which host
  document,  // a whole: a cluster, a rank map
  other      // of a job, not of a cluster
};

// What is known of a format.
struct format_traits {
  format id;
  std::string_view name;   // for --format
  std::string_view title;  // for messages
  format_role role;
};

inline constexpr std::array<format_traits, 32> all_formats = {{
    {format::nvidia_smi_topo, "nvidia-smi-topo", "`nvidia-smi topo -m`", format_role::node},
    {format::nccl_topology_xml, "nccl-topology-xml", "an NCCL topology XML", format_role::node},
    {format::hwloc_xml, "hwloc-xml", "an hwloc (lstopo) XML", format_role::node},
    {format::nvidia_smi_q, "nvidia-smi-q", "`nvidia-smi -q`", format_role::facts},
    {format::nvidia_smi_q_xml, "nvidia-smi-q-xml", "`nvidia-smi -q -x`", format_role::facts},
    {format::nvidia_smi_nvlink, "nvidia-smi-nvlink", "`nvidia-smi nvlink -s`", format_role::facts},
    {format::ibstat, "ibstat", "`ibstat`", format_role::facts},
    {format::ibv_devinfo, "ibv_devinfo", "`ibv_devinfo`", format_role::facts},
    {format::ibdev2netdev, "ibdev2netdev", "`ibdev2netdev`", format_role::facts},
    {format::slurm_topology, "slurm-topology", "a Slurm topology.conf (tree)", format_role::network},
    {format::slurm_blocks, "slurm-blocks", "a Slurm topology.conf (block)", format_role::domains},
    {format::slurm_topologies, "slurm-topology-yaml", "a Slurm topology.yaml", format_role::network},
    {format::ibnetdiscover, "ibnetdiscover", "`ibnetdiscover` or an ibsim net", format_role::network},
    {format::iblinkinfo, "iblinkinfo", "`iblinkinfo`", format_role::network},
    {format::topograph_model, "topograph-model", "a topograph model", format_role::network},
    {format::topograph_response, "topograph-response", "a topograph (DSX) response", format_role::network},
    {format::topograph_instances, "topograph-instances", "topograph's instances", format_role::network},
    {format::nmx_compute_nodes, "nmx-compute-nodes", "NMX compute nodes", format_role::domains},
    {format::aws_topology, "aws-topology", "AWS DescribeInstanceTopology", format_role::network},
    {format::azure_topology, "azure-topology", "azslurm's topology table", format_role::domains},
    {format::lambda_topology, "lambda-topology", "Lambda's topology", format_role::network},
    {format::oci_topology, "oci-topology", "OCI topology", format_role::network},
    {format::kubernetes_nodes, "kubernetes-nodes", "Kubernetes nodes with labels", format_role::network},
    {format::kubernetes_configmap, "kubernetes-configmap", "a Kubernetes ConfigMap", format_role::network},
    {format::kueue_topology, "kueue-topology", "a Kueue Topology", format_role::levels},
    {format::volcano_hypernodes, "volcano-hypernodes", "Volcano HyperNodes", format_role::network},
    {format::nvlink_domains, "nvlink-domains", "NVLink domains of many hosts", format_role::domains},
    {format::hostfile, "hostfile", "a list of hosts", format_role::hosts},
    {format::ib_host_table, "ib-host-table", "a table of GUIDs and hosts", format_role::table},
    {format::cluster_file, "topoplan.cluster", "a topoplan cluster file", format_role::document},
    {format::rank_map_file, "topoplan.rank_map", "a topoplan rank map", format_role::document},
    {format::nccl_graph_xml, "nccl-graph-xml", "an NCCL graph XML", format_role::other},
}};

// What is known of the format. complexity: O(1). errors: none.
[[nodiscard]] constexpr const format_traits& traits_of(format f) noexcept { return all_formats[static_cast<std::size_t>(f)]; }
// The name that --format takes. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(format f) noexcept { return traits_of(f).name; }

// All names, separated by commas, for help texts and messages. complexity: O(1). errors: none.
[[nodiscard]] inline std::string format_names() {
  std::string names;
  for (const format_traits& f : all_formats) (names += names.empty() ? "" : ", ") += f.name;
  return names;
}

// The format of that name. complexity: O(1). errors: invalid_argument with the known names.
[[nodiscard]] inline format parse_format(std::string_view name) {
  for (const format_traits& f : all_formats) {
    if (f.name == name) return f.id;
  }
  throw invalid_argument("unknown format " + quoted(name) + "; the formats are " + format_names());
}

}  // namespace topoplan::inline v1::import
