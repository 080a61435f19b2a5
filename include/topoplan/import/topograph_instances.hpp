// Reads what topograph's graph engine writes: for each instance the switches above it and its accelerator.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/path_tree.hpp>
#include <topoplan/import/detail/topograph_documents.hpp>
#include <topoplan/import/document.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// The NVLink domain of an instance; empty where it has none. errors: parse_error for a value that is no name.
[[nodiscard]] inline std::string domain_of_instance(const document_reader& instance) {
  struct place {
    std::string_view map;
    std::string_view key;
  };
  constexpr std::array<place, 4> places = {{{"attributes", "nvlink"},
                                            {"labels", "accelerator.topograph.run/domain"},
                                            {"labels", "network.topology.nvidia.com/accelerator"},
                                            {"labels", "nvidia.com/gpu.clique"}}};
  for (const auto& [map, key] : places) {
    if (!instance.has(map)) continue;
    const auto values = instance.at(map);
    if (values.value().kind != document_kind::map) values.refuse("a map of " + std::string(map));
    if (values.has(key)) return name_in(values.at(key), "the name of a domain", unquoted::taken);
  }
  return {};
}

}  // namespace detail

// Reads the list `instances`, each with id, network_layers (closest first) and its NVLink domain in attributes.nvlink or a label.
// post: as path_tree; domains have a key where their name is a UUID.CLIQUE. Instances without a domain where others have one are
//   without one in the table.
// complexity: O(names log names). errors: parse_error for another document, with what it is where topograph made it, an instance
//   with two paths or domains, paths that are no tree, and instances that tell neither.
[[nodiscard]] inline cluster_topology topograph_instances(const document& d) {
  const document_reader root(d);
  constexpr auto expected = "the answer of topograph's graph engine, a map with instances";
  detail::refuse_other_topograph_documents(root, expected);
  const auto all = root.at("instances");
  detail::path_tree network(d.source);
  detail::domain_builder domains(d.source);
  bool named = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& host = detail::name_in(all[i].at("id"), "the id of an instance", detail::unquoted::taken);
    std::vector<std::string> path;
    if (all[i].has("network_layers")) {
      const auto layers = all[i].at("network_layers");
      for (std::size_t l = 0; l < layers.size(); ++l)
        path.push_back(detail::name_in(layers[l], "the name of a switch", detail::unquoted::taken));
    }
    network.add(host, path, all[i].where());
    const auto domain = detail::domain_of_instance(all[i]);
    if (domain.empty()) domains.add(host, all[i].line());
    else domains.add_named(host, domain, all[i].line());
    named = named || !domain.empty();
  }
  cluster_topology topology;
  topology.network = network.take();
  if (named) topology.domains = domains.take();
  if (!topology.network && !named) all.refuse("instances with network_layers or attributes.nvlink", "none that has either");
  return topology;
}

}  // namespace topoplan::inline v1::import
