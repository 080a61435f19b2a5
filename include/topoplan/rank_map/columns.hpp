// What a rank map is made from: columns indexed by rank, spare GPUs, and digests of the inputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1 {

// GPUs of a host that are deliberately left without a rank. The host may be one that holds no rank at all.
struct spare {
  std::string host;
  std::vector<std::uint16_t> gpus = {};

  friend bool operator==(const spare&, const spare&) = default;
};

// Where every rank runs; each column is indexed by rank.
struct rank_columns {
  std::vector<std::uint32_t> host;    // index into the hosts
  std::vector<std::uint16_t> gpu;     // index on its host, PCI order
  std::vector<std::uint32_t> domain;  // NVLink domain id of the cluster, dense there
  // Optional: empty, or one entry a rank.
  std::vector<std::uint16_t> rail = {};
  std::vector<std::int16_t> numa = {};  // -1 if unknown
  std::vector<std::string> uuid = {};
  std::vector<std::string> pci = {};
};

// What the map was made for, as hashes; 0 stands for unknown.
struct digests {
  std::uint64_t cluster = 0;
  std::uint64_t workload = 0;

  friend constexpr bool operator==(const digests&, const digests&) = default;
};

}  // namespace topoplan::inline v1
