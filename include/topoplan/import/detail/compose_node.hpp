// From the description of one node to what every host of a cluster has: NVLink domains, rails, link figures.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/units.hpp>
#include <topoplan/import/detail/compose_tiers.hpp>
#include <topoplan/import/detail/tally.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/node_topology.hpp>
#include <topoplan/import/rails.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import::detail {

// "GPU0-GPU7", "GPU2".
[[nodiscard]] inline std::string gpus_text(const node_topology& node, const nvlink_group& group) {
  const auto& first = node.gpus[group.gpus.front()].name;
  return group.gpus.size() == 1 ? first : first + "..." + node.gpus[group.gpus.back()].name;
}

// Fewest NVLinks of a pair. pre: the group is all-to-all.
[[nodiscard]] inline std::uint32_t fewest_links(const node_topology& node, const nvlink_group& group) {
  std::uint32_t fewest = 0;
  for (const auto a : group.gpus) {
    for (const auto b : group.gpus) {
      const std::uint32_t links = node.between(a, b).nvlinks;
      if (a != b && (fewest == 0 || links < fewest)) fewest = links;
    }
  }
  return fewest;
}

// 72 CPUs a NUMA node, numbered through: the Grace superchips, and nothing else that carries four GPUs.
[[nodiscard]] inline bool on_grace(const node_topology& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(), [](const node_gpu& gpu) {
    const auto dash = gpu.cpus.find('-');
    if (dash == std::string::npos || gpu.cpus.find(',') != std::string::npos) return false;
    const auto first = number(std::string_view(gpu.cpus).substr(0, dash));
    const auto last = number(std::string_view(gpu.cpus).substr(dash + 1));
    return first && last && *last > *first && *last - *first == 71 && *first % 72 == 0;
  });
}

[[nodiscard]] inline bool spans_hosts(const gpu_model* model) {
  return model != nullptr && model->domain.known() && model->domain.value > 16;
}

// Shown by nothing else, a tray of an NVL72 rack: wired directly, 18 links would be shared out among three peers; through a
// switch each pair shows them all.
[[nodiscard]] inline bool looks_like_tray(const node_topology& node, const nvlink_group& group) {
  const bool no_cpus = std::all_of(node.gpus.begin(), node.gpus.end(), [](const node_gpu& gpu) { return gpu.cpus.empty(); });
  return group.gpus.size() == node.gpus.size() && group.gpus.size() <= 4 && fewest_links(node, group) >= 18 &&
         (on_grace(node) || (group.gpus.size() > 2 && no_cpus));
}

// True if the NVLink domain of the group reaches beyond its host, as far as product and matrix tell.
[[nodiscard]] inline bool reaches_beyond(const node_topology& node, const nvlink_group& group, const gpu_model* model) {
  return spans_hosts(model) || (model == nullptr && looks_like_tray(node, group));
}

// errors: invalid_argument for a node whose NVLink domain reaches beyond it: the matrix can't show how far.
inline void refuse_part_of_a_domain(const node_topology& node, const nvlink_group& group, const gpu_model* model) {
  if (!reaches_beyond(node, group, model)) return;
  const std::uint32_t links = fewest_links(node, group);
  const bool product_says = spans_hosts(model);
  throw invalid_argument(node.source + ": " + gpus_text(node, group) +
                         (links > 0 ? " are joined by NV" + std::to_string(links) : std::string(" is alone")) + ", and " +
                         (product_says ? std::string(model->title) + " has NVLink domains of " +
                                             std::to_string(static_cast<int>(model->domain.value)) + " GPUs"
                                       : std::string("look like a tray of an NVL72 rack")) +
                         ": their NVLink domain spans several hosts, and the matrix can't say which; name the domains with "
                         "--domains (for whole racks: --cluster gb200-nvl72:RACKS)" +
                         (product_says ? "" : ", or the product with --gpu if it is another"));
}

// The GPUs of one host that share NVLink: the groups of the matrix. `told`: a table says in which domain the host is, so that
// the matrix need not show how far it reaches; where it hides NVLink, all GPUs are in it.
// errors: invalid_argument when neither shows them, or they aren't all-to-all.
[[nodiscard]] inline std::vector<nvlink_group> domains_of_node(const node_topology& node, const gpu_model* model,
                                                               bool told = false) {
  auto groups = nvlink_groups(node);
  const bool has_nvlink = model == nullptr || !model->nvlinks.known() || model->nvlinks.value > 0;
  if (node.nvlink == nvlink_view::unknown && node.gpus.size() > 1 && has_nvlink) {
    if (told) {
      nvlink_group all;
      for (std::uint32_t gpu = 0; gpu < node.gpus.size(); ++gpu) all.gpus.push_back(gpu);
      return {all};
    }
    throw invalid_argument(
        node.source +
        ": the text doesn't show whether the GPUs are joined by NVLink (`topo -mp` hides it, and a legend with "
        "NV# is missing); give the output of `nvidia-smi topo -m`, or --gpu with a product that has no NVLink");
  }
  for (const nvlink_group& group : groups) {
    if (!group.known && has_nvlink) {
      throw invalid_argument(node.source + ": the NVLinks of " + gpus_text(node, group) +
                             " are shown in part, rows are missing; give the whole matrix");
    }
    if (!group.all_to_all) {
      throw invalid_argument(
          node.source + ": the NVLinks of " + gpus_text(node, group) +
          " form a mesh in which not every pair is joined; it is no NVLink domain, and meshes aren't planned for");
    }
    if (!told && (group.gpus.size() > 1 || spans_hosts(model))) refuse_part_of_a_domain(node, group, model);
  }
  return groups;
}

// The links of a GPU that are in use: through NVSwitch each pair shows them all, wired directly they are dealt to the peers.
[[nodiscard]] constexpr std::uint32_t links_up(std::uint32_t a_pair, std::uint32_t peers, std::uint32_t most) noexcept {
  return a_pair * peers <= most ? a_pair * peers : a_pair;
}

// What NVLink gives a GPU: the catalogue's figure, less what the matrix shows to be missing.
// errors: invalid_argument when matrix and product disagree.
[[nodiscard]] inline link nvlink_figure(const node_topology& node, const std::vector<nvlink_group>& groups,
                                        const gpu_model* model, const std::string& told_by, std::vector<std::string>& notes,
                                        bool told = false) {
  const auto largest =
      std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.gpus.size() < b.gpus.size(); });
  if (told && (largest->gpus.size() < 2 || fewest_links(node, *largest) == 0)) {
    if (model != nullptr) return nvlink_of(*model);
    return {gigabytes_per_second(450), {}, {confidence::assumed, "18 NVLinks at 25 GB/s; name the product with --gpu"}};
  }
  if (largest->gpus.size() < 2) {
    if (model != nullptr && model->nvlinks.value > 0 && node.gpus.size() > 1) {
      notes.push_back(node.source + ": no NVLink is up, though " + std::string(model->title) + " has " +
                      std::to_string(static_cast<int>(model->nvlinks.value)) + "; every GPU is a domain of its own");
    }
    return {{}, {}, {confidence::derived, node.source + ": no NVLink"}};
  }
  const std::uint32_t links = fewest_links(node, *largest);
  const auto peers = static_cast<std::uint32_t>(largest->gpus.size()) - 1;
  const std::string shown = place_of(node.source, node.gpus[largest->gpus.front()].line) + " shows NV" + std::to_string(links);
  if (model == nullptr) {
    constexpr double per_link = 25;     // GB/s, of NVLink 2 to 4; NVLink 5 has twice that
    constexpr std::uint32_t most = 18;  // NVLinks of any GPU so far
    const std::uint32_t up = links_up(links, peers, most);
    return {gigabytes_per_second(per_link * up),
            {},
            {confidence::assumed, shown + ", " + std::to_string(up) + " links at 25 GB/s; name the product with --gpu"}};
  }
  link figure = nvlink_of(*model);
  if (!model->nvlinks.known()) return figure;
  const auto has = static_cast<std::uint32_t>(model->nvlinks.value);
  if (links > has) {
    throw invalid_argument(told_by + " and " + node.source + " disagree: " + std::string(model->title) + " has " +
                           (has == 0 ? std::string("no NVLink") : std::to_string(has) + " NVLinks") + ", " + shown);
  }
  const std::uint32_t up = links_up(links, peers, has);
  if (up < has) {
    figure.rate = figure.rate * (static_cast<double>(up) / has);
    figure.from = {confidence::derived,
                   figure.from.source + "; " + std::to_string(up) + " of " + std::to_string(has) + " links: " + shown};
    notes.push_back(shown + ", " + std::string(model->title) + " has " + std::to_string(has) +
                    " NVLinks: " + std::to_string(has - up) + " are down or unused");
  }
  return figure;
}

[[nodiscard]] inline link pcie_figure(const gpu_model* model) {
  if (model != nullptr) {
    if (link known = host_link_of(*model); known.rate.value > 0) return known;
  }
  return {gigabytes_per_second(32), {}, {confidence::assumed, "PCIe 4.0 x16; name the product with --gpu"}};
}

// What leaves the host, per GPU: the NICs of the scarcest rail over its GPUs. Rates that the node's own sources give count where
// --nic gives none; a rail whose NICs are all down is left to the notes.
[[nodiscard]] inline link nic_figure(const node_topology& node, const node_rails& rails, double gigabits) {
  constexpr double usual = 400;
  tally<double> rates;  // of the NICs whose rate is told; one that is down has none
  for (const auto& nics : rails.nics) {
    for (const auto nic : nics) {
      if (node.nics[nic].rate && node.nics[nic].rate->value > 0) rates.add(node.nics[nic].rate->gigabits());
    }
  }
  const bool told = gigabits == 0 && rates.total() > 0;
  const double each = gigabits > 0 ? gigabits : usual;
  std::string source = gigabits > 0 ? "--nic" : "400 Gb/s a NIC; give the rate with --nic";
  auto how = gigabits > 0 ? confidence::given : confidence::assumed;
  if (!rails.unknown.empty()) {
    return {gigabits_per_second(each), {}, {confidence::assumed, source + ", one NIC a GPU: " + rails.unknown}};
  }
  double least = 0;
  std::string dealt;
  bool one_each = true;
  for (std::size_t rail = 0; rail < rails.nics.size(); ++rail) {
    const auto gpus = static_cast<double>(std::count(rails.of_gpu.begin(), rails.of_gpu.end(), rail));
    double sum = 0;
    for (const auto nic : rails.nics[rail])
      sum += !told ? each : node.nics[nic].rate ? node.nics[nic].rate->gigabits() : rates.usual();
    const double of_gpu = sum / gpus;
    if (of_gpu == 0 || (least > 0 && of_gpu >= least)) continue;
    least = of_gpu;
    one_each = static_cast<double>(rails.nics[rail].size()) == gpus;
    dealt =
        std::to_string(rails.nics[rail].size()) + " NIC for " + std::to_string(static_cast<int>(gpus)) + " GPU in " + node.source;
  }
  if (told && least > 0) {
    how = confidence::derived;
    source = "the rates of the NICs of " + node.source;
  } else if (least == 0) {
    least = each;
  }
  if (one_each) return {gigabits_per_second(least), {}, {how, source}};
  return {gigabits_per_second(least), {}, {how == confidence::given ? confidence::derived : how, source + ", " + dealt}};
}

// The kind of fabric that the node's ports speak or, failing that, that the rails' devices are named after: mlx5_0 is either.
[[nodiscard]] inline fabric_kind fabric_of(const node_topology& node, const node_rails& rails) {
  fabric_kind common = fabric_kind::unknown;
  if (node.fabric != fabric_kind::unknown) return node.fabric;
  for (const auto& nics : rails.nics) {
    for (const auto nic : nics) {
      const std::string& device = node.nics[nic].device;
      const fabric_kind kind = device.starts_with("roce")                                  ? fabric_kind::roce
                               : device.starts_with("ibp") || device.starts_with("ibs")    ? fabric_kind::infiniband
                               : device.starts_with("rdmap") || device.starts_with("efa_") ? fabric_kind::efa
                               : device.starts_with("cxi")                                 ? fabric_kind::slingshot
                                                                                           : fabric_kind::unknown;
      if (kind == fabric_kind::unknown || (common != fabric_kind::unknown && common != kind)) return fabric_kind::unknown;
      common = kind;
    }
  }
  return common;
}

}  // namespace topoplan::inline v1::import::detail
