#include "cluster_input.hpp"

#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/select.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_file.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/hosts_argument.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/import/recognise.hpp>
#include <topoplan/import/slurm_topology.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan_cli {
namespace {

namespace import = topoplan::import;
using topoplan::invalid_argument;

// The text of a file that must hold one format.
std::string text_of(const std::string& path, const char* option, import::format wanted, const std::string& forced) {
  std::string text = import::read_file(path);
  const import::format found = forced.empty() ? import::recognise(text, import::source_name(path)) : import::parse_format(forced);
  if (found != wanted)
    throw invalid_argument(std::string(option) + ' ' + path + ": expected " + std::string(to_string(wanted)) + ", and this is " +
                           std::string(to_string(found)) + (forced.empty() ? " by its content" : " by --format"));
  return text;
}

std::vector<std::string> names_of(const std::string& argument, const char* option) {
  std::vector<std::string> names;
  for (const import::listed_host& host : import::hosts_argument(argument, option).hosts) names.push_back(host.name);
  return names;
}

topoplan::cluster from_spec_or_file(const cluster_options& o) {
  for (const auto& [given, name] : {std::pair{!o.node_topology.empty(), "--node-topology"},
                                    {!o.network.empty(), "--network"},
                                    {!o.gpu.empty(), "--gpu"},
                                    {o.nic_gbits > 0, "--nic"}})
    if (given)
      throw invalid_argument(std::string(name) + " says what --cluster " + o.cluster + " already holds; give one or the other");
  if (import::is_file(o.cluster))
    return import::cluster_file(text_of(o.cluster, "--cluster", import::format::cluster_file, o.format), o.cluster);
  if (o.cluster.find(':') == std::string::npos && o.cluster.find_first_of("./") != std::string::npos)
    throw topoplan::io_error(o.cluster, "no such file");
  return topoplan::make_cluster(topoplan::parse_spec(o.cluster));
}

topoplan::cluster from_files(const cluster_options& o) {
  if (o.node_topology.empty())
    throw invalid_argument("no cluster: give --cluster, such as dgx-h100:32, or --node-topology with --network and --hosts");
  const auto node =
      import::nvidia_smi_topo(text_of(o.node_topology, "--node-topology", import::format::nvidia_smi_topo, o.format),
                              import::source_name(o.node_topology));
  std::optional<import::network_tree> network;
  if (!o.network.empty())
    network = import::slurm_topology(text_of(o.network, "--network", import::format::slurm_topology, {}),
                                     import::source_name(o.network));
  const auto hosts = o.hosts.empty() ? import::host_list{} : import::hosts_argument(o.hosts);
  return import::compose(node, network, hosts, {.gpu = o.gpu, .nic_gigabits = o.nic_gbits});
}

}  // namespace

topoplan::cluster load_cluster(const cluster_options& o) {
  topoplan::cluster c;
  if (o.cluster.empty()) {
    c = from_files(o);
  } else {
    c = from_spec_or_file(o);
    if (!o.hosts.empty()) c = topoplan::select_hosts(c, names_of(o.hosts, "--hosts"));
  }
  if (!o.exclude.empty()) c = topoplan::exclude_hosts(c, names_of(o.exclude, "--exclude"));
  if (const auto broken = topoplan::validate(c)) throw invalid_argument(c.name + ": " + *broken);
  return c;
}

}  // namespace topoplan_cli
