// What the hosts of one class bring to a cluster: model, NVLink groups, rails and link figures.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_parts.hpp>
#include <topoplan/import/detail/compose_node.hpp>
#include <topoplan/import/node_topology.hpp>
#include <topoplan/import/rails.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1::import::detail {

struct class_figures {
  const node_topology* node = nullptr;
  const gpu_model* model = nullptr;  // null: not in the catalogue, or not told
  std::string title;                 // of the model, as far as it is told
  std::string told_by;               // "--gpu", or the source that names the model
  std::vector<nvlink_group> groups;
  node_rails rails;
  link nvlink;
  link pcie;
  link nic;
  fabric_kind fabric = fabric_kind::unknown;
};

// The model of the node's GPUs: --gpu, else what the node's sources call them.
// errors: invalid_argument for an unknown --gpu, when both disagree, and for GPUs of several models.
[[nodiscard]] inline const gpu_model* model_of(const node_topology& node, const compose_options& options, std::string& title,
                                               std::string& told_by) {
  const gpu_model* given = options.gpu.empty() ? nullptr : &find_gpu(options.gpu);
  const gpu_model* told = nullptr;
  std::string words;
  for (const node_gpu& gpu : node.gpus) {
    if (gpu.model.empty()) continue;
    if (!words.empty() && gpu.model != words) {
      throw invalid_argument(place_of(node.source, gpu.line) + ": " + gpu.name + " is " + quoted(gpu.model) + ", another GPU " +
                             quoted(words) + "; hosts with GPUs of several models aren't planned for");
    }
    words = gpu.model;
    told = lookup_gpu(words);
  }
  if (given != nullptr && told != nullptr && given != told) {
    throw invalid_argument("--gpu and " + (node.model_from.empty() ? node.source : node.model_from) +
                           " disagree: " + std::string(given->title) + " against " + quoted(words));
  }
  const gpu_model* model = given != nullptr ? given : told;
  told_by = given != nullptr ? "--gpu" : node.model_from.empty() ? node.source : node.model_from;
  title = model != nullptr ? std::string(model->title) : words.empty() ? "unknown GPU" : words;
  return model;
}

// `told`: a table says in which NVLink domains the hosts are. errors: as domains_of_node, nvlink_figure and model_of.
[[nodiscard]] inline class_figures figures_of(const node_topology& node, const compose_options& options, bool told,
                                              std::vector<std::string>& notes) {
  if (node.gpus.empty()) throw invalid_argument(node.source + ": a node has at least one GPU");
  class_figures figures;
  figures.node = &node;
  figures.model = model_of(node, options, figures.title, figures.told_by);
  figures.groups = domains_of_node(node, figures.model, told);
  figures.rails = rails_of(node);
  figures.nvlink = nvlink_figure(node, figures.groups, figures.model, figures.told_by, notes, told);
  figures.pcie = pcie_figure(figures.model);
  figures.nic = nic_figure(node, figures.rails, options.nic_gigabits);
  figures.fabric = fabric_of(node, figures.rails);
  return figures;
}

// The figure that holds for all classes: the lowest; a class without the link has none. post: a note where they differ.
template <class Member>
[[nodiscard]] link lowest_figure(const std::vector<class_figures>& classes, Member member, const char* name,
                                 std::vector<std::string>& notes) {
  const link* lowest = &(classes.front().*member);
  bool differ = false;
  for (const class_figures& one : classes) {
    const link& figure = one.*member;
    const bool lower = figure.rate.value > 0 && (lowest->rate.value == 0 || figure.rate.value < lowest->rate.value);
    differ = differ || (figure.rate.value > 0 && lowest->rate.value > 0 && figure.rate.value != lowest->rate.value);
    if (lower) lowest = &figure;
  }
  if (differ) {
    notes.push_back(std::string(name) + " isn't equally fast on all hosts; the lowest rate counts for all (" +
                    lowest->from.source + ")");
  }
  return *lowest;
}

}  // namespace topoplan::inline v1::import::detail
