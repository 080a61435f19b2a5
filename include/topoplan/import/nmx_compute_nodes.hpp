// Reads the compute nodes that NetQ's NVLink management (NMX) lists: which host is in which NVLink domain.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/note_pile.hpp>
#include <topoplan/import/detail/tally.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/gpu_fabric.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class nmx_reader {
 public:
  explicit nmx_reader(const std::string& source) : domains_(source) {}

  // errors: parse_error for another shape and a node that stands twice.
  void add(const document_reader& node) {
    if (node.value().kind != document_kind::map) node.refuse("a compute node, a map with Name and DomainUUID");
    const auto& host = name_in(node.at("Name"), "the Name of a compute node", unquoted::taken);
    const auto [known, fresh] = lines_.emplace(host, node.line());
    if (!fresh) node.refuse("each compute node once", quoted(host) + " again, as in line " + std::to_string(known->second));
    add_domain(node, host);
    if (node.has("GpuIDList")) {
      const auto gpus = static_cast<std::uint32_t>(node.at("GpuIDList").size());
      domains_.set_gpus(host, gpus, node.line());
      gpus_of_.push_back({host, node.line(), gpus});
      usual_.add(gpus);
    }
    if (node.has("Health") && !equal_ignoring_case(node.at("Health").text(), "HEALTHY")) {
      unhealthy_.add(node.line(), [&] { return host + " is reported as " + quoted(node.at("Health").text()); });
    }
  }

  // errors: parse_error when no node has a domain.
  [[nodiscard]] domain_table take(const document_reader& list) {
    if (named_ == 0) list.refuse("compute nodes with a DomainUUID", lines_.empty() ? "no compute node" : "none that has one");
    note_pile fewer;
    for (const auto& node : gpus_of_) {
      if (!usual_.has_usual() || node.gpus == usual_.usual()) continue;
      fewer.add(node.line, [&] {
        return node.host + " lists " + counted(node.gpus, "GPU") + ", most nodes " + std::to_string(usual_.usual());
      });
    }
    std::vector<note> notes;
    unnamed_.move_to(notes);
    unhealthy_.move_to(notes);
    fewer.move_to(notes);
    for (note& n : notes) domains_.say(n.line, std::move(n.text));
    return domains_.take();
  }

 private:
  struct listed {
    std::string host;
    std::size_t line;
    std::uint32_t gpus;
  };

  void add_domain(const document_reader& node, const std::string& host) {
    constexpr auto key = "DomainUUID";
    std::string uuid;
    if (node.has(key)) {
      uuid = lower(node.at(key).text());
      if (!uuid.empty() && !is_uuid(uuid)) node.at(key).refuse("a DomainUUID, 8-4-4-4-12 hex digits");
    }
    if (uuid.empty() || is_zero_uuid(uuid)) {
      domains_.add(host, node.line());
      unnamed_.add(node.line(), [&] { return host + " has no DomainUUID: it is in no domain, or not known yet"; });
      return;
    }
    domains_.add_named(host, uuid, node.line());
    ++named_;
  }

  domain_builder domains_;
  std::unordered_map<std::string, std::size_t> lines_;  // of every node
  std::vector<listed> gpus_of_;
  tally<std::uint32_t> usual_;
  note_pile unnamed_;
  note_pile unhealthy_;
  std::size_t named_ = 0;
};

}  // namespace detail

// Reads the list that GET nmx/v1/compute-nodes answers: each node's Name, DomainUUID, GpuIDList and Health.
// post: domains are called by their DomainUUID, which is NMX's own and not the ClusterUUID that GPUs report, so that they have no
//   key; nodes without one, unhealthy ones and those with another number of GPUs than most are notes.
// complexity: O(nodes). errors: parse_error for another document, a node that stands twice, a DomainUUID that is no UUID, and
// when
//   no node has one.
[[nodiscard]] inline cluster_topology nmx_compute_nodes(const document& d) {
  const document_reader list(d);
  if (list.value().kind != document_kind::list) list.refuse("NMX's list of compute nodes");
  detail::nmx_reader reader(d.source);
  for (std::size_t i = 0; i < list.size(); ++i) reader.add(list[i]);
  return {{}, reader.take(list)};
}

}  // namespace topoplan::inline v1::import
