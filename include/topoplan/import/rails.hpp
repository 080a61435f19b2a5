// Which NIC plane each GPU of a host sends by, concluded from how near its NICs are.
#pragma once

#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

// The rails of a host, numbered by their first GPU.
struct node_rails {
  std::vector<std::uint16_t> of_gpu;             // all 0 when unknown
  std::vector<std::vector<std::uint32_t>> nics;  // of each rail; empty when unknown
  bool paired = false;                           // equally near NICs were dealt to their GPUs in order, as NCCL does
  std::string unknown;                           // why they can't be told; empty: they can

  friend bool operator==(const node_rails&, const node_rails&) = default;
};

namespace detail {

// The ports of one card reach each other through at most one PCIe switch.
[[nodiscard]] inline bool one_card(const node_topology& node, const std::vector<std::uint32_t>& nics) {
  for (const auto a : nics) {
    for (const auto b : nics) {
      if (a != b && node.between_nics(a, b).kind != path_kind::pix) return false;
    }
  }
  return true;
}

[[nodiscard]] inline std::string why_no_rails(const node_topology& node, const std::vector<nearest_nics>& nearest) {
  if (node.nics.empty()) return "no NIC is shown";
  for (std::size_t gpu = 0; gpu < nearest.size(); ++gpu) {
    if (nearest[gpu].kind == path_kind::unknown) return "the NIC nearest to " + node.gpus[gpu].name + " isn't shown";
    if (nearest[gpu].kind == path_kind::sys) return node.gpus[gpu].name + " has no NIC on its own NUMA node";
    for (std::size_t other = 0; other < gpu; ++other) {
      const auto& a = nearest[gpu].nics;
      const auto& b = nearest[other].nics;
      if (a != b && std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end()) {
        return node.gpus[other].name + " and " + node.gpus[gpu].name + " share some of their nearest NICs, but not all";
      }
    }
  }
  return {};
}

}  // namespace detail

// A rail is the NIC that a GPU is nearest to. GPUs with one nearest NIC share its rail; as many GPUs as equally near NICs are
// paired in order; ports of one card form one rail. A host whose NICs are one card has one rail, however far it is.
// post: when known, of_gpu[g] < nics.size(), each rail has a GPU, rails are numbered by their first GPU, NICs of no rail
//   (storage) are in none. complexity: O(gpus^2 nics). errors: none; what can't be told is said in `unknown`.
[[nodiscard]] inline node_rails rails_of(const node_topology& node) {
  node_rails rails{std::vector<std::uint16_t>(node.gpus.size(), 0), {}, false, {}};
  std::vector<std::uint32_t> all(node.nics.size());
  for (std::uint32_t nic = 0; nic < all.size(); ++nic) all[nic] = nic;
  std::vector<nearest_nics> nearest;
  nearest.reserve(node.gpus.size());
  for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu) nearest.push_back(nearest_to(node, gpu));
  rails.unknown = detail::why_no_rails(node, nearest);
  if (!rails.unknown.empty()) {
    if (all.empty() || !detail::one_card(node, all)) return rails;
    rails.unknown.clear();
    rails.nics.push_back(all);
    return rails;
  }
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> gpus_of;
  for (std::size_t gpu = 0; gpu < nearest.size(); ++gpu) gpus_of[nearest[gpu].nics].push_back(gpu);
  std::vector<std::vector<std::uint32_t>> nics_of_gpu(node.gpus.size());
  for (const auto& [nics, gpus] : gpus_of) {
    if (nics.size() > 1 && nics.size() == gpus.size()) {
      rails.paired = true;
      for (std::size_t i = 0; i < gpus.size(); ++i) nics_of_gpu[gpus[i]] = {nics[i]};
      continue;
    }
    if (nics.size() > 1 && gpus.size() > 1 && !detail::one_card(node, nics)) {
      rails.unknown = std::to_string(gpus.size()) + " GPUs from " + node.gpus[gpus.front()].name + " on are equally near to " +
                      std::to_string(nics.size()) + " NICs";
      rails.paired = false;
      return rails;
    }
    for (const auto gpu : gpus) nics_of_gpu[gpu] = nics;
  }
  for (std::size_t gpu = 0; gpu < nics_of_gpu.size(); ++gpu) {
    const auto known = std::find(rails.nics.begin(), rails.nics.end(), nics_of_gpu[gpu]);
    rails.of_gpu[gpu] = static_cast<std::uint16_t>(known - rails.nics.begin());
    if (known == rails.nics.end()) rails.nics.push_back(nics_of_gpu[gpu]);
  }
  return rails;
}

}  // namespace topoplan::inline v1::import
