// Reads what Oracle's cloud says of its hosts: the blocks above each, and the GPU memory fabric that it is on.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/path_tree.hpp>
#include <topoplan/import/document.hpp>
#include <topoplan/import/gathered_documents.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

// What the blocks are called, closest first, and the fabric.
struct oci_keys {
  std::array<std::string_view, 3> blocks;
  std::string_view fabric;
};
inline constexpr oci_keys oci_metadata_keys{{"customerLocalBlock", "customerNetworkBlock", "customerHPCIslandId"},
                                            "customerGpuMemoryFabric"};
inline constexpr oci_keys oci_api_keys{{"local-block-id", "network-block-id", "hpc-island-id"}, "gpu-memory-fabric-id"};

class oci_reader {
 public:
  explicit oci_reader(const std::string& source) : tree_(source), domains_(source) {}

  void add(const std::string& host, const document_reader& value, const oci_keys& keys, std::size_t line) {
    std::vector<std::string> path;
    for (const auto key : keys.blocks) {
      if (const auto name = name_at(value, key)) path.push_back(*name);
    }
    tree_.add(host, path, value.where());
    const auto fabric = name_at(value, keys.fabric);
    if (fabric) domains_.add_named(host, *fabric, line);
    else domains_.add(host, line);
    on_fabric_ = on_fabric_ || fabric;
  }

  void say(std::size_t line, std::string text) { tree_.say(line, std::move(text)); }

  [[nodiscard]] cluster_topology take(const std::string& source) {
    cluster_topology result{tree_.take(), {}};
    if (on_fabric_) result.domains = domains_.take();
    if (!result.network && !result.domains) {
      throw parse_error({source, 0, 0}, "hosts with an HPC island, a network block and a local block",
                        "none has any; the tenancy must have RDMA topology data enabled");
    }
    return result;
  }

 private:
  path_tree tree_;
  domain_builder domains_;
  bool on_fabric_ = false;
};

}  // namespace detail

// Reads what the hosts' metadata service answers under /opc/v2/host/rdmaTopologyData, or /opc/v2/host with that inside. A host is
// the name that pdsh prints. From the closest, a host is under its local block, network block and HPC island; hosts of one GPU
// memory fabric are an NVLink domain. post: a host without blocks isn't in the tree, which a note says.
// complexity: O(values log hosts). errors: parse_error for a value that isn't a text, blocks that are no tree, and when no host
//   has any block or fabric.
[[nodiscard]] inline cluster_topology oci_topology(const gathered_documents& gathered) {
  detail::oci_reader reader(gathered.source);
  for (const host_document& host : gathered.hosts) {
    const document_reader whole(host.content);
    const auto inner = detail::part_at(whole, "rdmaTopologyData", document_kind::map);
    reader.add(host.host, inner ? *inner : whole, detail::oci_metadata_keys, host.line);
  }
  for (const note& n : gathered.notes) reader.say(n.line, n.text);
  return reader.take(gathered.source);
}

// Reads what `oci compute compute-host list --all` prints. A host is an instance-id; a machine without an instance is left out.
// complexity: as above. errors: as above, and parse_error for what isn't such an answer.
[[nodiscard]] inline cluster_topology oci_topology(const document& answer) {
  const auto data = document_reader(answer).at("data");
  const auto items = data.value().kind == document_kind::list ? data : data.at("items");
  detail::oci_reader reader(answer.source);
  std::size_t idle = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto host = detail::name_at(items[i], "instance-id");
    if (host) reader.add(*host, items[i], detail::oci_api_keys, items[i].line());
    idle += host ? 0U : 1U;
  }
  if (idle > 0) reader.say(0, std::to_string(idle) + " compute hosts run no instance and are left out");
  return reader.take(answer.source);
}

}  // namespace topoplan::inline v1::import
