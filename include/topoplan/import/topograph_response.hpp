// Reads what the DSX API answers topograph: switches, and below the leaves the nodes with their accelerated network.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/topograph_documents.hpp>
#include <topoplan/import/detail/topograph_switches.hpp>
#include <topoplan/import/document.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace topoplan::inline v1::import {

namespace detail {

// A host and its domain, if it has one. errors: parse_error for another shape.
[[nodiscard]] inline bool add_response_node(const document_reader& node, declared_switch& leaf, domain_builder& domains,
                                            note_pile& unnamed) {
  if (node.value().kind != document_kind::map) node.refuse("a map with 'node_id'");
  const auto& host = name_in(node.at("node_id"), "the node_id", unquoted::taken);
  leaf.host_names.push_back(host);
  constexpr auto key = "accelerated_network_id";
  if (node.has(key) && !(node.at(key).value().kind == document_kind::text && node.at(key).value().text.empty())) {
    domains.add_named(host, name_in(node.at(key), "the accelerated_network_id", unquoted::taken), node.line());
    return true;
  }
  domains.add(host, node.line());
  unnamed.add(node.line(), [&] { return host + " has no accelerated_network_id: it is in no domain, as far as this says"; });
  return false;
}

}  // namespace detail

// Reads a response of the DSX API: the map `switches`, each with the switches or the nodes below it. A node's
// accelerated_network_id is its NVLink domain.
// post: as switch_graph; nodes without a domain where others have one, switches without nodes, and the token of a further page
// are
//   notes; domains have no key.
// complexity: O(names log names x levels). errors: parse_error for another document, with what it is where topograph made it, a
//   response without nodes, a node under two switches or in two domains, and as switch_graph.
[[nodiscard]] inline cluster_topology topograph_response(const document& d) {
  const document_reader root(d);
  constexpr auto expected = "a response of the DSX API, a map with switches and their nodes";
  detail::refuse_other_topograph_documents(root, expected);
  const auto all = root.at("switches");
  detail::topograph_switches switches(root);
  detail::domain_builder domains(d.source);
  detail::note_pile unnamed;
  std::size_t named = 0;
  for (std::size_t i = 0; i < all.value().keys.size(); ++i) {
    if (all[i].value().kind != document_kind::map || !all[i].has("nodes")) continue;
    const auto nodes = all[i].at("nodes");
    auto& leaf = *switches.find(all.value().keys[i]);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      named += detail::add_response_node(nodes[n], leaf, domains, unnamed) ? 1U : 0U;
    }
  }
  cluster_topology topology;
  topology.network = switches.take(d.source);
  if (!topology.network) all.refuse(expected, "no node below any switch");
  if (root.has("next_page_token") && root.at("next_page_token").shown() != "''") {
    topology.network->notes.push_back(
        {root.at("next_page_token").line(), "the response goes on at next_page_token: what other pages hold is missing here"});
  }
  if (named > 0) {
    domains.say(std::move(unnamed));
    topology.domains = domains.take();
  }
  return topology;
}

}  // namespace topoplan::inline v1::import
