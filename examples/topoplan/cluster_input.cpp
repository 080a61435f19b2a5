#include "cluster_input.hpp"

#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/select.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_file.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/compose_fabric.hpp>
#include <topoplan/import/facts.hpp>
#include <topoplan/import/hosts_argument.hpp>
#include <topoplan/import/ib_network.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/import/recognise.hpp>

#include <string>
#include <utility>
#include <vector>

#include "cluster_files.hpp"

namespace topoplan_cli {
namespace {

namespace import = topoplan::import;
using topoplan::invalid_argument;

std::vector<std::string> names_of(const std::string& argument, const char* option) {
  std::vector<std::string> names;
  for (const import::listed_host& host : import::hosts_argument(argument, option).hosts) names.push_back(host.name);
  return names;
}

topoplan::cluster from_spec_or_file(const cluster_options& o) {
  for (const auto& [given, name] : {std::pair{!o.node_topologies.empty(), "--node-topology"},
                                    {!o.networks.empty(), "--network"},
                                    {!o.domains.empty(), "--domains"},
                                    {!o.host_table.empty(), "--host-table"},
                                    {!o.files.empty(), "a file"},
                                    {!o.gpu.empty(), "--gpu"},
                                    {o.nic_gbits > 0, "--nic"}})
    if (given)
      throw invalid_argument(std::string(name) + " says what --cluster " + o.cluster + " already holds; give one or the other");
  if (import::is_file(o.cluster)) {
    const std::string text = import::read_file(o.cluster);
    const auto found =
        o.format.empty() ? import::recognise(text, import::source_name(o.cluster)) : import::parse_format(o.format);
    if (found != import::format::cluster_file) {
      throw invalid_argument("--cluster " + o.cluster + ": expected " +
                             std::string(import::to_string(import::format::cluster_file)) + ", and this is " +
                             std::string(import::traits_of(found).title) +
                             (o.format.empty() ? " by its content" : " by --format"));
    }
    return import::cluster_file(text, o.cluster);
  }
  if (!o.format.empty()) throw invalid_argument("--format goes with a file, and --cluster " + o.cluster + " is a spec");
  if (o.cluster.find(':') == std::string::npos && o.cluster.find_first_of("./") != std::string::npos)
    throw topoplan::io_error(o.cluster, "no such file");
  return topoplan::make_cluster(topoplan::parse_spec(o.cluster));
}

topoplan::cluster from_files(const cluster_options& o, std::vector<import::host_facts>* facts) {
  const bool some = !o.networks.empty() || !o.domains.empty() || !o.hosts.empty();
  if (o.node_topologies.empty() && o.files.empty() && some)
    throw invalid_argument("no description of a host: give what `nvidia-smi topo -m` prints on one (--node-topology)");
  if (o.node_topologies.empty() && o.files.empty())
    throw invalid_argument(
        "no cluster: give --cluster, such as dgx-h100:32, or your files, such as --node-topology with --network and --hosts");
  cluster_files files = read_cluster_files(o);
  topoplan::cluster c =
      files.fabric ? import::compose_fabric(*files.fabric, files.fabric_hosts, files.parts) : import::compose(files.parts);
  if (facts != nullptr) {
    if (files.fabric) files.parts.network = import::network_of(*files.fabric, files.fabric_hosts).tree;
    *facts = import::facts_of(files.parts);
  }
  return c;
}

}  // namespace

topoplan::cluster load_cluster(const cluster_options& o, std::vector<import::host_facts>* facts) {
  topoplan::cluster c;
  if (o.cluster.empty()) {
    c = from_files(o, facts);
  } else {
    c = from_spec_or_file(o);
    if (!o.hosts.empty()) c = topoplan::select_hosts(c, names_of(o.hosts, "--hosts"));
  }
  if (!o.exclude.empty()) c = topoplan::exclude_hosts(c, names_of(o.exclude, "--exclude"));
  if (facts != nullptr) {
    std::erase_if(*facts, [&](const auto& known) { return !topoplan::find_host(c, known.name); });
  }
  if (const auto broken = topoplan::validate(c)) throw invalid_argument(c.name + ": " + *broken);
  return c;
}

}  // namespace topoplan_cli
