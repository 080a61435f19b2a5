#include "cluster_files.hpp"

#include <topoplan/core/error.hpp>
#include <topoplan/import/aws_topology.hpp>
#include <topoplan/import/azure_topology.hpp>
#include <topoplan/import/device_paths.hpp>
#include <topoplan/import/gathered_json.hpp>
#include <topoplan/import/hosts_argument.hpp>
#include <topoplan/import/hwloc_xml.hpp>
#include <topoplan/import/ib_host_table.hpp>
#include <topoplan/import/ib_subnets.hpp>
#include <topoplan/import/ibdev2netdev.hpp>
#include <topoplan/import/iblinkinfo.hpp>
#include <topoplan/import/ibnetdiscover.hpp>
#include <topoplan/import/ibstat.hpp>
#include <topoplan/import/ibv_devinfo.hpp>
#include <topoplan/import/json_documents.hpp>
#include <topoplan/import/kubernetes_configmap.hpp>
#include <topoplan/import/kubernetes_nodes.hpp>
#include <topoplan/import/kueue_topology.hpp>
#include <topoplan/import/lambda_topology.hpp>
#include <topoplan/import/nccl_topology_xml.hpp>
#include <topoplan/import/nmx_compute_nodes.hpp>
#include <topoplan/import/node_facts.hpp>
#include <topoplan/import/nvidia_smi_nvlink.hpp>
#include <topoplan/import/nvidia_smi_q.hpp>
#include <topoplan/import/nvidia_smi_q_xml.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/nvlink_domains.hpp>
#include <topoplan/import/oci_topology.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/import/recognise.hpp>
#include <topoplan/import/slurm_blocks.hpp>
#include <topoplan/import/slurm_topologies.hpp>
#include <topoplan/import/slurm_topology.hpp>
#include <topoplan/import/topograph_instances.hpp>
#include <topoplan/import/topograph_model.hpp>
#include <topoplan/import/topograph_response.hpp>
#include <topoplan/import/volcano_hypernodes.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan_cli {
namespace {

namespace import = topoplan::import;
using import::format;
using import::format_role;
using topoplan::invalid_argument;

// A file, its text and what it is.
struct input {
  std::string option;  // as messages call it: "--network"; empty: it stands without one
  std::string path;
  std::string source;
  std::string text;
  format is = format::hostfile;

  [[nodiscard]] const import::format_traits& traits() const { return import::traits_of(is); }
  [[nodiscard]] std::string named() const { return (option.empty() ? "" : option + ' ') + path; }
};

// What an option takes, by the roles of formats; a file without an option may be anything.
bool takes(const std::string& option, format_role role) {
  if (option == "--node-topology") return role == format_role::node || role == format_role::facts;
  if (option == "--network") return role == format_role::network || role == format_role::levels;
  if (option == "--domains") return role == format_role::domains || role == format_role::network;
  if (option == "--host-table") return role == format_role::table;
  return role != format_role::document;
}

[[noreturn]] void wrong_kind(const input& in, const std::string& expected, const std::string& way_out) {
  throw invalid_argument(in.named() + ": expected " + expected + ", and this is " + std::string(in.traits().title) +
                         (way_out.empty() ? "" : "; " + way_out));
}

// The files of one class of hosts: at most one that describes the node, and any that add to it.
struct class_input {
  import::host_list hosts;
  std::vector<input> files;
};

import::node_topology node_of(const class_input& one) {
  const input* base = nullptr;
  for (const input& in : one.files) {
    if (in.traits().role != format_role::node) continue;
    if (base != nullptr) {
      throw invalid_argument(base->path + " and " + in.path +
                             " both describe a host; give one, or say which hosts are like which: --node-topology HOSTS=FILE");
    }
    base = &in;
  }
  if (base == nullptr) {
    const input& first = one.files.front();
    wrong_kind(first, "`nvidia-smi topo -m`, an NCCL topology XML or an hwloc XML",
               "it adds to one of them, give that file, too (--node-topology)");
  }
  import::node_topology node;
  switch (base->is) {
    case format::nccl_topology_xml: node = import::node_topology_of(import::nccl_topology_xml(base->text, base->source)); break;
    case format::hwloc_xml: node = import::node_topology_of(import::hwloc_xml(base->text, base->source)); break;
    default: node = import::nvidia_smi_topo(base->text, base->source); break;
  }
  for (const input& in : one.files) {
    switch (in.is) {
      case format::nvidia_smi_q: node = with_gpus(std::move(node), import::nvidia_smi_q(in.text, in.source)); break;
      case format::nvidia_smi_q_xml: node = with_gpus(std::move(node), import::nvidia_smi_q_xml(in.text, in.source)); break;
      case format::nvidia_smi_nvlink: node = with_nvlinks(std::move(node), import::nvidia_smi_nvlink(in.text, in.source)); break;
      case format::ibstat: node = with_nics(std::move(node), import::ibstat(in.text, in.source)); break;
      case format::ibv_devinfo: node = with_nics(std::move(node), import::ibv_devinfo(in.text, in.source)); break;
      case format::ibdev2netdev: node = with_nics(std::move(node), import::ibdev2netdev(in.text, in.source)); break;
      default: break;
    }
  }
  return node;
}

std::vector<import::document> documents_of(const input& in) {
  const auto body = in.text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool json = body != std::string::npos && (in.text[body] == '{' || in.text[body] == '[');
  return json ? import::json_documents(in.text, in.source) : import::yaml_documents(in.text, in.source);
}

const import::document& only(const std::vector<import::document>& documents, const input& in) {
  if (documents.size() != 1)
    throw invalid_argument(in.named() + ": expected one document, found " + std::to_string(documents.size()));
  return documents.front();
}

// What a file of role network or domains says. `hosts` are the allocation, for formats that select by pattern.
import::cluster_topology topology_of(const input& in, const std::vector<std::string>& hosts,
                                     const std::optional<import::kueue_levels>& levels) {
  switch (in.is) {
    case format::slurm_topology: return {import::slurm_topology(in.text, in.source), std::nullopt};
    case format::slurm_blocks: return {std::nullopt, import::slurm_blocks(in.text, in.source)};
    case format::nvlink_domains: return {std::nullopt, import::nvlink_domains(in.text, in.source)};
    case format::slurm_topologies: return import::slurm_topology_yaml(only(documents_of(in), in));
    case format::topograph_model: return import::topograph_model(only(documents_of(in), in));
    case format::topograph_response: return import::topograph_response(only(documents_of(in), in));
    case format::topograph_instances: return import::topograph_instances(only(documents_of(in), in));
    case format::nmx_compute_nodes: return import::nmx_compute_nodes(only(documents_of(in), in));
    case format::aws_topology: return import::aws_topology(documents_of(in));
    case format::lambda_topology: return import::lambda_topology(documents_of(in));
    case format::azure_topology: return import::azure_topology(in.text, in.source);
    case format::oci_topology:
      return in.text.find_first_not_of(" \t\r\n") == in.text.find_first_of("{[")
                 ? import::oci_topology(only(documents_of(in), in))
                 : import::oci_topology(import::gathered_json(in.text, in.source));
    case format::kubernetes_nodes:
      return levels ? import::kubernetes_nodes(documents_of(in), *levels) : import::kubernetes_nodes(documents_of(in));
    case format::volcano_hypernodes: return import::volcano_hypernodes(documents_of(in), hosts);
    default: wrong_kind(in, "a network or NVLink domains", "");
  }
}

// The file of a network or of domains that a ConfigMap holds, beside others that don't matter here.
input unwrapped(input in) {
  if (in.is != format::kubernetes_configmap) return in;
  std::optional<input> found;
  std::string names;
  for (const import::embedded_text& file : import::kubernetes_configmap(documents_of(in))) {
    (names += names.empty() ? "" : ", ") += file.name;
    const auto held = import::read_embedded(file, [&](std::string_view text, const std::string& source) {
      input one{in.option, in.path, source, std::string(text), format::hostfile};
      try {
        one.is = import::recognise(one.text, one.source);
      } catch (const topoplan::parse_error&) {
        one.is = format::hostfile;
      }
      return one;
    });
    const auto role = held.traits().role;
    if (role != format_role::network && role != format_role::domains) continue;
    if (found) throw invalid_argument(in.named() + ": the ConfigMap holds several networks; give one as a file of its own");
    found = held;
  }
  if (!found)
    throw invalid_argument(in.named() + ": of the files in the ConfigMap (" + names + ") none is a network that is read");
  return std::move(*found);
}

class pile {
 public:
  explicit pile(const cluster_options& o) : options_(o) {
    files_.parts.options = {o.gpu, o.nic_gbits};
    find_forced();
    if (!o.hosts.empty()) set_hosts(import::hosts_argument(o.hosts));
    for (const std::string& argument : o.node_topologies) add_class_file(argument);
    for (const std::string& path : o.networks) add_network(read("--network", path));
    if (!o.domains.empty() && o.domains != "none") add_domains(read("--domains", o.domains));
    if (!o.host_table.empty()) add_table(read("--host-table", o.host_table));
    for (const std::string& path : o.files) add(read({}, path));
  }

  cluster_files take() {
    for (const class_input& one : classes_) files_.parts.classes.push_back({one.hosts, node_of(one)});
    std::vector<std::string> names;
    for (const auto& host : files_.parts.hosts.hosts) names.push_back(host.name);
    for (const input& in : networks_) {
      auto found = topology_of(in, names, levels_);
      if (found.network) set_network(std::move(*found.network), in);
      if (found.states) set_states(std::move(*found.states));
      if (found.domains && !domains_) set_domains(std::move(*found.domains));
      else if (!found.network && !found.domains)
        throw invalid_argument(in.named() + ": it tells neither switches nor NVLink domains");
    }
    if (domains_) {
      auto found = topology_of(*domains_, names, levels_);
      if (!found.domains) wrong_kind(*domains_, "NVLink domains", "it tells switches: give it with --network");
      if (found.states && !files_.parts.states) set_states(std::move(*found.states));
      set_domains(std::move(*found.domains));
    }
    if (options_.domains == "none") files_.parts.domains.reset();
    const bool nodes =
        std::any_of(networks_.begin(), networks_.end(), [](const input& in) { return in.is == format::kubernetes_nodes; }) ||
        (domains_ && domains_->is == format::kubernetes_nodes);
    if (levels_ && !nodes) {
      throw invalid_argument(levels_source_ +
                             ": it names the labels by which nodes are placed; give the nodes, too: kubectl get "
                             "nodes -o json");
    }
    finish_fabric();
    return std::move(files_);
  }

 private:
  input read(const std::string& option, const std::string& path) {
    input in{option, path, import::source_name(path), import::read_file(path), format::hostfile};
    in.is = forced_ && *forced_ == std::pair(option, path) ? import::parse_format(options_.format)
                                                           : import::recognise(in.text, in.source);
    return unwrapped(std::move(in));
  }

  // The one file that --format is about: the only one that an option which takes such a format names, else that stands alone.
  void find_forced() {
    if (options_.format.empty()) return;
    const auto role = import::traits_of(import::parse_format(options_.format)).role;
    std::vector<std::pair<std::string, std::string>> may;
    const auto add_all = [&](const std::string& option, const std::vector<std::string>& paths) {
      for (const std::string& path : paths) {
        if (takes(option, role)) may.emplace_back(option, path);
      }
    };
    std::vector<std::string> nodes;
    for (const std::string& argument : options_.node_topologies) nodes.push_back(class_file(argument).second);
    add_all("--node-topology", nodes);
    add_all("--network", options_.networks);
    if (!options_.domains.empty() && options_.domains != "none") add_all("--domains", {options_.domains});
    if (!options_.host_table.empty()) add_all("--host-table", {options_.host_table});
    if (may.empty()) add_all({}, options_.files);
    if (may.size() == 1) {
      forced_ = may.front();
      return;
    }
    std::string names;
    for (const auto& [option, path] : may) (names += names.empty() ? "" : " or ") += (option.empty() ? "" : option + ' ') + path;
    throw invalid_argument("--format " + options_.format +
                           (may.empty() ? ": no file is given that may be one" : " may be about " + names) +
                           "; it goes to the one file of an option that takes such a format");
  }

  // HOSTS=FILE as its two parts, or FILE for every host that no other names.
  static std::pair<std::string, std::string> class_file(const std::string& argument) {
    const auto equals = argument.find('=');
    if (equals == std::string::npos || import::is_file(argument)) return {{}, argument};
    return {argument.substr(0, equals), argument.substr(equals + 1)};
  }

  void set_hosts(import::host_list hosts) {
    if (!files_.parts.hosts.hosts.empty())
      throw invalid_argument(files_.parts.hosts.source + " and " + hosts.source + " both list hosts; give one allocation");
    files_.parts.hosts = std::move(hosts);
  }
  void set_network(import::network_tree network, const input& in) {
    if (files_.parts.network || !fabrics_.empty())
      throw invalid_argument(in.named() + ": a second network; give one (several are merged only of `ibnetdiscover`)");
    files_.parts.network = std::move(network);
  }
  void set_states(import::host_states states) {
    if (files_.parts.states)
      throw invalid_argument(files_.parts.states->source + " and " + states.source +
                             " both say which hosts may be used; give one");
    files_.parts.states = std::move(states);
  }
  void set_domains(import::domain_table domains) {
    if (files_.parts.domains) {
      throw invalid_argument(files_.parts.domains->source + " and " + domains.source +
                             " both name NVLink domains; say which counts with --domains");
    }
    files_.parts.domains = std::move(domains);
  }

  void add_class_file(const std::string& argument) {
    const auto [names, path] = class_file(argument);
    import::host_list hosts;
    if (!names.empty()) hosts = import::hosts_argument(names, "--node-topology");
    input in = read("--node-topology", path);
    const auto role = in.traits().role;
    if (role != format_role::node && role != format_role::facts) {
      wrong_kind(in, "a description of one host", role == format_role::network ? "give it with --network" : "");
    }
    add_to_class(std::move(hosts), std::move(in));
  }
  void add_to_class(import::host_list hosts, input in) {
    const auto same = std::find_if(classes_.begin(), classes_.end(), [&](const class_input& one) {
      return std::equal(one.hosts.hosts.begin(), one.hosts.hosts.end(), hosts.hosts.begin(), hosts.hosts.end(),
                        [](const auto& a, const auto& b) { return a.name == b.name; });
    });
    if (same != classes_.end()) same->files.push_back(std::move(in));
    else classes_.push_back({std::move(hosts), {std::move(in)}});
  }

  void add_network(input in) {
    const auto role = in.traits().role;
    if (in.is == format::ibnetdiscover) fabrics_.push_back(import::ibnetdiscover(in.text, in.source));
    else if (in.is == format::iblinkinfo) fabrics_.push_back(import::iblinkinfo(in.text, in.source));
    else if (role == format_role::network) networks_.push_back(std::move(in));
    else if (role == format_role::levels) add_levels(in);
    else if (role == format_role::domains)
      wrong_kind(in, "the switches above the hosts", "it says which hosts share NVLink: give it with --domains");
    else if (role == format_role::node || role == format_role::facts)
      wrong_kind(in, "the switches above the hosts", "give it with --node-topology");
    else wrong_kind(in, "the switches above the hosts", "");
  }
  void add_domains(input in) {
    const auto role = in.traits().role;
    const bool tells = role == format_role::domains || role == format_role::network;
    if (!tells || in.is == format::ibnetdiscover || in.is == format::iblinkinfo) wrong_kind(in, "NVLink domains", "");
    if (domains_) throw invalid_argument(domains_->named() + " and " + in.named() + " both name NVLink domains; give one");
    domains_ = std::move(in);
  }
  void add_levels(const input& in) {
    if (levels_) throw invalid_argument(levels_source_ + " and " + in.named() + " both name levels; give one");
    levels_ = import::kueue_topology(documents_of(in));
    levels_source_ = in.named();
  }
  void add_table(const input& in) {
    if (table_) throw invalid_argument(table_->source + " and " + in.named() + " both are tables of GUIDs; give one");
    if (in.traits().role != format_role::table) wrong_kind(in, "a table of GUIDs and hosts", "");
    table_ = import::read_ib_host_table(in.text, in.source);
  }

  // A file without an option: its content says what it is for.
  void add(input in) {
    switch (in.traits().role) {
      case format_role::node:
      case format_role::facts: add_to_class({}, std::move(in)); break;
      case format_role::network:
      case format_role::levels: add_network(std::move(in)); break;
      case format_role::domains: add_domains(std::move(in)); break;
      case format_role::hosts: set_hosts(import::hostfile(in.text, in.source)); break;
      case format_role::table: add_table(in); break;
      case format_role::document:
        wrong_kind(in, "one of the files that a cluster is put together from",
                   in.is == format::cluster_file ? "give it with --cluster" : "");
      case format_role::other: wrong_kind(in, "a description of hosts or of their network", "");
    }
  }

  void finish_fabric() {
    if (fabrics_.empty()) {
      if (table_) throw invalid_argument(table_->source + ": a table of GUIDs goes with `ibnetdiscover` or `iblinkinfo`");
      return;
    }
    if (files_.parts.network) {
      throw invalid_argument(files_.parts.network->source + " and " + import::source_of(fabrics_.front()) +
                             " both describe the network; give one");
    }
    files_.fabric = import::merge_subnets(std::move(fabrics_));
    files_.fabric_hosts = import::hosts_of(*files_.fabric, table_.value_or(import::ib_host_table{}));
  }

  const cluster_options& options_;
  cluster_files files_;
  std::vector<class_input> classes_;
  std::vector<input> networks_;
  std::vector<import::ib_fabric> fabrics_;
  std::optional<input> domains_;
  std::optional<import::ib_host_table> table_;
  std::optional<import::kueue_levels> levels_;
  std::string levels_source_;
  std::optional<std::pair<std::string, std::string>> forced_;  // option and path
};

}  // namespace

cluster_files read_cluster_files(const cluster_options& options) { return pile(options).take(); }

}  // namespace topoplan_cli
