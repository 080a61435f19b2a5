// What a cluster is put together from: how its hosts look inside, the network, the NVLink domains and the allocation.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/host_state.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/network_tree.hpp>
#include <topoplan/import/node_topology.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::import {

// What no input says. units: gigabits per second of one NIC.
struct compose_options {
  std::string gpu;          // --gpu, a name of the catalogue; empty: unknown, rates are assumed
  double nic_gigabits = 0;  // --nic; 0: unknown, assumed
};

// Hosts that look alike inside, and how.
struct node_class {
  host_list hosts;  // empty: every host that no other class names
  node_topology node;
};

// A plain value; any part but the classes may be missing.
struct cluster_parts {
  std::vector<node_class> classes;
  std::optional<network_tree> network;
  std::optional<domain_table> domains;
  std::optional<host_states> states;  // of hosts that may be cordoned
  host_list hosts;                    // the allocation; empty: all hosts that the network, else the domains, name
  compose_options options;
};

// Finds the class of a host by its name: the one that names it, else the one that names none.
class class_of_host {
 public:
  // pre: `classes` outlive the object. complexity: O(named hosts).
  // errors: invalid_argument for no class, for two that name no host, and for a host that two name.
  explicit class_of_host(const std::vector<node_class>& classes) : classes_(&classes) {
    if (classes.empty()) throw invalid_argument("no description of a node (--node-topology)");
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
      const node_class& one = classes[i];
      if (one.hosts.hosts.empty() && rest_) {
        throw invalid_argument(classes[*rest_].node.source + " and " + one.node.source +
                               " both describe every host; say which hosts are like which (HOSTS=FILE)");
      }
      if (one.hosts.hosts.empty()) rest_ = i;
      for (const listed_host& host : one.hosts.hosts) {
        const auto known = names_.find(host.name);
        if (!known.none()) {
          throw invalid_argument("host " + host.name + " is described by " + classes[known.hosts.front()].node.source +
                                 " and by " + one.node.source);
        }
        names_.add(host.name, i);
      }
    }
  }

  // Its index. complexity: O(name). errors: invalid_argument when no class describes the host, or several may.
  [[nodiscard]] std::uint32_t operator()(const std::string& host) const {
    const auto match = names_.find(host);
    for (const auto other : match.hosts) {
      if (other == match.hosts.front()) continue;
      throw invalid_argument("host " + host + " may be described by " + (*classes_)[match.hosts.front()].node.source + " or by " +
                             (*classes_)[other].node.source + "; give full names");
    }
    if (!match.none()) return match.hosts.front();
    if (!rest_) {
      std::string sources;
      for (const node_class& one : *classes_) (sources += sources.empty() ? "" : ", ") += one.node.source;
      throw invalid_argument("host " + host + " is described by none of " + sources +
                             "; name it there, or give a description without hosts for the others");
    }
    return *rest_;
  }

 private:
  const std::vector<node_class>* classes_;
  host_names names_;
  std::optional<std::uint32_t> rest_;
};

}  // namespace topoplan::inline v1::import
