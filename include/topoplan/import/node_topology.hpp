// One host as a tool on it describes it: its GPUs, its NICs, how near each is to each, and what the text leaves open.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

// What a reader has to say beside its result: which line it is about (0: the whole text), and a sentence.
struct note {
  std::size_t line = 0;
  std::string text;

  friend bool operator==(const note&, const note&) = default;
};

// What traffic between two devices of a host passes, nearest first. `unknown` is "the text doesn't say", never "far".
enum class path_kind : std::uint8_t {
  unknown,
  self,
  nvlink,  // NV#: that many NVLinks, direct or through NVSwitch
  pix,     // at most one PCIe switch
  pxb,     // several PCIe switches, no host bridge
  phb,     // one PCIe host bridge
  node,    // several host bridges of one NUMA node
  sys      // the link between NUMA nodes (SOC in old drivers)
};

// As the tool prints it, without the number of NVLinks: "PIX". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(path_kind kind) noexcept {
  constexpr std::string_view names[] = {"unknown", "X", "NV", "PIX", "PXB", "PHB", "NODE", "SYS"};
  return names[static_cast<std::size_t>(kind)];
}

// A cell of the matrix.
struct path {
  path_kind kind = path_kind::unknown;
  std::uint8_t nvlinks = 0;  // more than 0 only when kind is nvlink

  friend constexpr bool operator==(path, path) = default;
};

// As the tool prints it: NV18, SYS, X. complexity: O(1). errors: none.
[[nodiscard]] inline std::string to_string(path p) {
  return std::string(to_string(p.kind)) + (p.kind == path_kind::nvlink ? std::to_string(p.nvlinks) : std::string{});
}

// Whether the text shows NVLink.
enum class nvlink_view : std::uint8_t {
  shown,   // at least one pair of GPUs is joined by NVLink
  absent,  // NVLink would be shown, every pair is known, and none is joined
  unknown  // `topo -mp` hides NVLink, or the text is too short to tell
};

// A GPU of the host, and what its row says of it.
struct node_gpu {
  std::string name;                          // GPU0
  std::size_t line = 0;                      // its row; 0: the row is missing
  bool complete = false;                     // its row has a cell for every column
  std::string cpus;                          // CPU affinity, "0-51,104-155"; empty: not given
  std::optional<std::uint32_t> numa;         // NUMA affinity; nothing: not given, which isn't 0
  std::optional<std::uint32_t> memory_numa;  // GPU NUMA ID: the NUMA node that the GPU's own memory forms
  std::string pci = {};                      // 0000:1b:00.0; empty: not given, as by `topo -m`
  std::string uuid = {};
  std::string model = {};
  std::string fault = {};  // why it can hold no rank: "in MIG mode"; empty: nothing is known

  friend bool operator==(const node_gpu&, const node_gpu&) = default;
};

// A NIC of the host: a column, whether or not it has a row.
struct node_nic {
  std::string column;    // as the matrix calls it: NIC3, or mlx5_3 in old drivers
  std::string device;    // mlx5_3; empty when no NIC legend names it
  std::size_t line = 0;  // its row; 0: the row is missing
  bool complete = false;
  std::string pci = {};                       // 0000:1b:00.0; empty: not given, as by `topo -m`
  std::string guid = {};                      // 0x...
  std::optional<bytes_per_second> rate = {};  // 0: the port is down

  friend bool operator==(const node_nic&, const node_nic&) = default;
};

// The name that messages call a NIC: that of its device, else of its column. complexity: O(1). errors: none.
[[nodiscard]] inline const std::string& name_of(const node_nic& nic) noexcept {
  return nic.device.empty() ? nic.column : nic.device;
}

// A plain value. The paths are symmetric: a cell that one row lacks is known from the other row.
struct node_topology {
  std::string source;
  std::vector<node_gpu> gpus;
  std::vector<node_nic> nics;
  std::vector<path> paths;  // (gpus + nics) x (gpus + nics), GPUs first
  nvlink_view nvlink = nvlink_view::unknown;
  fabric_kind fabric = fabric_kind::unknown;  // what its NICs speak
  std::vector<std::string> more_sources;      // that add to the description
  std::string model_from;                     // which of these names the GPUs' model; empty: `source`
  std::vector<note> notes;
  std::vector<std::string> other_notes;  // of further sources, each with its place

  // The path between two GPUs. pre: a, b < gpus.size().
  [[nodiscard]] path between(std::size_t a, std::size_t b) const { return paths[a * (gpus.size() + nics.size()) + b]; }
  // The path from a GPU to a NIC. pre: gpu < gpus.size(), nic < nics.size().
  [[nodiscard]] path to_nic(std::size_t gpu, std::size_t nic) const { return between(gpu, gpus.size() + nic); }
  // The path between two NICs. pre: a, b < nics.size().
  [[nodiscard]] path between_nics(std::size_t a, std::size_t b) const { return between(gpus.size() + a, gpus.size() + b); }
};

// GPUs that NVLinks join, directly or through each other. One GPU without NVLink is a group of its own.
struct nvlink_group {
  std::vector<std::uint32_t> gpus;  // ascending
  bool known = true;                // no pair inside, and none that leads out, is unknown
  bool all_to_all = true;           // every pair inside is known to be joined
  std::uint8_t links = 0;           // NVLinks of every pair; 0: they differ, or there is no pair

  friend bool operator==(const nvlink_group&, const nvlink_group&) = default;
};

// The connected components of the NVLinks that the text shows, ordered by their first GPU.
// post: every GPU is in exactly one group. complexity: O(gpus^2). errors: none.
[[nodiscard]] inline std::vector<nvlink_group> nvlink_groups(const node_topology& node) {
  const auto count = static_cast<std::uint32_t>(node.gpus.size());
  std::vector<bool> placed(count, false);
  std::vector<nvlink_group> groups;
  for (std::uint32_t first = 0; first < count; ++first) {
    if (placed[first]) continue;
    nvlink_group group;
    group.gpus.push_back(first);
    placed[first] = true;
    for (std::size_t next = 0; next < group.gpus.size(); ++next) {
      for (std::uint32_t other = 0; other < count; ++other) {
        const path p = node.between(group.gpus[next], other);
        if (p.kind == path_kind::unknown) group.known = false;
        if (p.kind != path_kind::nvlink || placed[other]) continue;
        placed[other] = true;
        group.gpus.push_back(other);
      }
    }
    std::sort(group.gpus.begin(), group.gpus.end());
    bool uniform = true;
    for (const auto a : group.gpus) {
      for (const auto b : group.gpus) {
        if (a >= b) continue;
        const path p = node.between(a, b);
        if (p.kind != path_kind::nvlink) group.all_to_all = uniform = false;
        else if (group.links != 0 && group.links != p.nvlinks) uniform = false;
        else group.links = p.nvlinks;
      }
    }
    if (!uniform) group.links = 0;
    groups.push_back(group);
  }
  return groups;
}

// The NICs that a GPU is nearest to.
struct nearest_nics {
  path_kind kind = path_kind::unknown;
  std::vector<std::uint32_t> nics;  // ascending; empty when kind is unknown

  friend bool operator==(const nearest_nics&, const nearest_nics&) = default;
};

// Unknown when the host has no NIC, or when a cell that is missing could name a nearer one.
// pre: gpu < node.gpus.size(). complexity: O(nics). errors: none.
[[nodiscard]] inline nearest_nics nearest_to(const node_topology& node, std::size_t gpu) {
  nearest_nics nearest;
  bool hole = false;
  for (std::uint32_t nic = 0; nic < node.nics.size(); ++nic) {
    const path_kind kind = node.to_nic(gpu, nic).kind;
    hole = hole || kind == path_kind::unknown;
    if (kind == path_kind::unknown || (nearest.kind != path_kind::unknown && kind > nearest.kind)) continue;
    if (kind != nearest.kind) nearest.nics.clear();
    nearest.kind = kind;
    nearest.nics.push_back(nic);
  }
  if (hole && nearest.kind != path_kind::pix) return {};
  return nearest;
}

}  // namespace topoplan::inline v1::import
