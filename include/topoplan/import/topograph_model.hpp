// Reads the model of a cluster that topograph simulates: switches, and blocks of hosts below them.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/document_names.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/topograph_documents.hpp>
#include <topoplan/import/detail/topograph_domains.hpp>
#include <topoplan/import/detail/topograph_switches.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/hostlist.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class topograph_model_reader {
 public:
  topograph_model_reader(const document& d, const hostlist_limits& limits)
      : root_(d), source_(d.source), left_(limits), switches_(root_), annotations_(root_, switches_), domains_(d.source) {}

  [[nodiscard]] cluster_topology read() {
    const auto blocks = root_.at("blocks");
    for (std::size_t i = 0; i < blocks.size(); ++i) read_block(blocks[i]);
    if (hosts_ == 0) blocks.refuse("blocks with nodes", blocks.size() == 0 ? "no block" : "blocks without any");
    cluster_topology topology;
    topology.network = switches_.take(source_);
    if (topology.network) off_network_.move_to(topology.network->notes);
    if (named_ > 0) {
      unnamed_.move_to(unnamed_notes_);
      for (note& n : unnamed_notes_) domains_.say(n.line, std::move(n.text));
      subs_.say(domains_);
      topology.domains = domains_.take();
    }
    if (!topology.network && !topology.domains) {
      blocks.refuse("blocks with a switch or with the annotation accelerator.topology.test/domain", "neither");
    }
    return topology;
  }

 private:
  void read_block(const document_reader& block) {
    std::vector<std::string> hosts;
    append_hostlist(block.at("nodes"), hosts, left_);
    if (hosts.empty()) block.at("nodes").refuse("at least one node in a block", "none");
    hosts_ += hosts.size();
    const auto line = block.line();
    std::string at;
    if (block.has("switch")) {
      at = name_in(block.at("switch"), "the name of a switch", unquoted::taken);
      auto* leaf = switches_.find(at);
      if (leaf == nullptr) block.at("switch").refuse("a switch that `switches` names", quoted(at));
      leaf->host_names.insert(leaf->host_names.end(), hosts.begin(), hosts.end());
    } else {
      off_network_.add(line, [&] { return hosts_from(hosts) + " in a block without a switch; the network hasn't them"; });
    }
    const auto names = annotations_.of(block, at);
    if (names.domain.empty()) {
      unnamed_.add(line, [&] { return hosts_from(hosts) + " in a block without the annotation of a domain"; });
      for (const auto& host : hosts) domains_.add(host, line);
      return;
    }
    ++named_;
    for (const auto& host : hosts) domains_.add_named(host, names.domain, line);
    subs_.add(names.domain, names.sub_domain, hosts.size(), line);
  }

  // "3 hosts from n1".
  [[nodiscard]] static std::string hosts_from(const std::vector<std::string>& hosts) {
    return counted(hosts.size(), "host") + " from " + hosts.front();
  }

  document_reader root_;
  std::string source_;
  hostlist_limits left_;
  topograph_switches switches_;
  topograph_annotations annotations_;
  domain_builder domains_;
  sub_domains subs_;
  note_pile off_network_;
  note_pile unnamed_;
  std::vector<note> unnamed_notes_;
  std::size_t hosts_ = 0;
  std::size_t named_ = 0;  // blocks with a domain
};

}  // namespace detail

// Reads a topograph model (`tests/models` of topograph): the map `switches`, and the list `blocks` with the hosts, the leaf
// switch and, in the annotation accelerator.topology.test/domain of a block or a switch above it, the NVLink domain.
// post: as switch_graph; hosts without a domain, or without a switch, switches without hosts and sub-domains are notes; domains
//   have no key.
// complexity: O(names log names x levels). errors: parse_error for another document, with what it is where topograph made it, for
//   a switch that nobody names, a block without hosts, a host under two switches or in two domains, and as switch_graph.
[[nodiscard]] inline cluster_topology topograph_model(const document& d, const hostlist_limits& limits = {}) {
  const document_reader root(d);
  detail::refuse_other_topograph_documents(root, "a topograph model, a map with switches and blocks");
  if (root.has("capacity_blocks") && !root.has("blocks")) {
    root.at("capacity_blocks").refuse("blocks, a list", "capacity_blocks, as models of older versions of topograph have them");
  }
  return detail::topograph_model_reader(d, limits).read();
}

}  // namespace topoplan::inline v1::import
