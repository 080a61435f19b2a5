// From a table of NVLink domains and the NVLinks inside a node to the domain of every GPU of the hosts.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/detail/compose_class.hpp>
#include <topoplan/import/detail/compose_node.hpp>
#include <topoplan/import/detail/compose_tiers.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/name_list.hpp>
#include <topoplan/import/domain_table.hpp>
#include <topoplan/import/gpu_fabric.hpp>
#include <topoplan/import/host_names.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/node_topology.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace topoplan::inline v1::import::detail {

// Deals domains to the GPUs of a cluster, host by host.
class domain_dealer {
 public:
  domain_dealer(cluster& c, const std::optional<domain_table>& table) : c_(c), table_(table ? &*table : nullptr) {
    for (std::uint32_t i = 0; table_ != nullptr && i < table_->hosts.size(); ++i) names_.add(table_->hosts[i].name, i);
  }

  // The host's entry in the table; null without a table.
  // errors: invalid_argument for a host that the table lacks or may mean twice.
  [[nodiscard]] const domain_host* find(const listed_host& listed, const std::string& list) const {
    if (table_ == nullptr) return nullptr;
    const auto match = names_.find(listed.name);
    if (match.none()) {
      throw invalid_argument(place_of(list, listed.line) + ": host " + listed.name + " isn't in " + table_->source +
                             ", which gives the NVLink domains");
    }
    if (match.ambiguous()) {
      throw invalid_argument(place_of(list, listed.line) + ": host " + listed.name + " may be " +
                             table_->hosts[match.hosts[0]].name + " or " + table_->hosts[match.hosts[1]].name + " of " +
                             table_->source + "; give the full name");
    }
    return &table_->hosts[match.hosts.front()];
  }

  // Sets the domain, and where its fabric isn't ready the health, of the host's GPUs. pre: the GPUs are there, with index and
  // host. errors: invalid_argument when table and node disagree.
  void deal(host_id id, const class_figures& like, const domain_host* entry) {
    const topoplan::host& host = c_.at(id);
    const node_topology& node = *like.node;
    const auto& groups = like.groups;
    const auto largest = std::max_element(groups.begin(), groups.end(),
                                          [](const auto& a, const auto& b) { return a.gpus.size() < b.gpus.size(); });
    if (entry != nullptr) check(host, like, *entry);
    for (const nvlink_group& group : groups) {
      const bool in_table = entry != nullptr && entry->domain && group.gpus.size() == largest->gpus.size() &&
                            (group.gpus.size() > 1 || node.gpus.size() == 1);
      const bool stray = entry != nullptr && entry->domain && !in_table;
      const domain_id d =
          in_table || stray ? shared_domain(*entry->domain, host, group.gpus.size(), like) : own_domain(host, group);
      for (const auto gpu : group.gpus) {
        c_.gpus[host.first_gpu + gpu].domain = d;
        if (stray) c_.gpus[host.first_gpu + gpu].health = gpu_health::unhealthy;
      }
      if (stray) {
        c_.notes.push_back(node.source + ": " + gpus_text(node, group) + " of host " + host.name + " take" +
                           (group.gpus.size() == 1 ? "s" : "") + " no rank: off the NVLink of domain " +
                           table_->domains[*entry->domain].name);
      }
    }
    if (entry != nullptr && entry->domain && !entry->unready.empty()) {
      const bool placed = entry->gpus == host.gpu_count;
      for (std::uint32_t g = 0; g < host.gpu_count; ++g) {
        const bool out = !placed || std::find(entry->unready.begin(), entry->unready.end(), g) != entry->unready.end();
        if (out) c_.gpus[host.first_gpu + g].health = gpu_health::unhealthy;
      }
      c_.notes.push_back(place_of(table_->source, entry->line) + ": host " + host.name + ": " +
                         counted(entry->unready.size(), "GPU") + " of " + std::to_string(host.gpu_count) +
                         " isn't on its NVLink fabric and takes no rank" +
                         (placed ? "" : "; which one can't be told, so none does"));
    }
    if (entry != nullptr && (entry->standing == fabric_standing::not_ready || entry->standing == fabric_standing::failed)) {
      for (std::uint32_t g = 0; g < host.gpu_count; ++g) c_.gpus[host.first_gpu + g].health = gpu_health::unhealthy;
      c_.notes.push_back(
          place_of(table_->source, entry->line) + ": host " + host.name + ": " + std::string(to_string(entry->standing)) +
          " with its NVLink fabric, so that its domain isn't known; its " + counted(host.gpu_count, "GPU") + " take no rank");
    }
  }

  // post: the cluster's domains have names where the table has, and domains that are short of GPUs are said.
  void finish() {
    if (table_ == nullptr) return;
    c_.domain_names = std::move(names_of_domains_);
    std::map<std::string, name_list> short_of;  // by what a whole one has
    for (const auto& [domain, place] : of_table_) {
      const nvlink_domain& known = table_->domains[domain];
      const class_figures& like = *place.like;
      if (like.model == nullptr || !like.model->domain.known()) continue;
      const auto has = known.hosts.size() * like.node->gpus.size();
      const auto whole = static_cast<std::size_t>(like.model->domain.value);
      if (has >= whole) continue;
      short_of["a whole one of " + like.title + " has " + std::to_string(whole) + " GPUs"].add(
          known.name + " (" + counted(known.hosts.size(), "host") + ", " + counted(has, "GPU") + ")");
    }
    for (const auto& [whole, names] : short_of) {
      c_.notes.push_back(table_->source + ": NVLink domains that are short, where " + whole + ": " + names.text());
    }
    const bool by_name = std::any_of(of_table_.begin(), of_table_.end(), [&](const auto& used) {
      return !table_->domains[used.first].key && table_->domains[used.first].hosts.size() > 1;
    });
    if (by_name) {
      c_.notes.push_back(table_->source +
                         ": groups of hosts with a name, but no UUID of an NVLink fabric, are taken for NVLink domains");
    }
    for (const note& n : table_->notes) c_.notes.push_back(place_of(table_->source, n.line) + ": " + n.text);
  }

 private:
  struct shared {
    domain_id id;
    const class_figures* like;  // of its first host
    std::size_t gpus;
  };

  // errors: invalid_argument when they disagree, and when neither says how far the host's domain reaches.
  void check(const topoplan::host& host, const class_figures& like, const domain_host& entry) const {
    const node_topology& node = *like.node;
    const std::string place = place_of(table_->source, entry.line);
    const std::string both = place + " and " + node.source + " disagree: host " + host.name;
    if (entry.gpus > node.gpus.size()) {
      throw invalid_argument(both + " has " + counted(entry.gpus, "GPU") + " there, " + std::to_string(node.gpus.size()) +
                             " here");
    }
    if (!entry.domain) {
      check_alone(host, like, entry, place);
      return;
    }
    const nvlink_domain& domain = table_->domains[*entry.domain];
    const std::string in = both + " is in NVLink domain " + domain.name + " there, and ";
    if (node.nvlink == nvlink_view::absent && node.gpus.size() > 1) throw invalid_argument(in + "no NVLink is shown here");
    const auto joined = std::count_if(like.groups.begin(), like.groups.end(), [](const auto& g) { return g.gpus.size() > 1; });
    if (joined > 1) {
      throw invalid_argument(in + "its GPUs fall into " + std::to_string(joined) +
                             " NVLink groups here, which a domain of several hosts would join; leave the file out, or give "
                             "--domains none");
    }
    // Only a UUID shows that a fabric manager made the domain; a name may be that of any group of hosts.
    const bool by_name = !domain.key && domain.hosts.size() > 1;
    if (by_name && like.model == nullptr && !looks_like_tray(node, like.groups.front())) {
      throw invalid_argument(place + ": host " + host.name + " is in group " + domain.name + ", and " + node.source +
                             " doesn't show that its NVLink leaves the host; name the product with --gpu, or, where such groups "
                             "share no NVLink, leave the file out or give --domains none");
    }
  }

  // A host that the table puts into no domain.
  static void check_alone(const topoplan::host& host, const class_figures& like, const domain_host& entry,
                          const std::string& place) {
    if (entry.standing != fabric_standing::not_told && entry.standing != fabric_standing::none) return;
    const node_topology& node = *like.node;
    const bool has_nvlink = like.model == nullptr || !like.model->nvlinks.known() || like.model->nvlinks.value > 0;
    const bool hidden = node.nvlink == nvlink_view::unknown && node.gpus.size() > 1 && has_nvlink;
    for (const nvlink_group& group : like.groups) {
      if (!hidden && !reaches_beyond(node, group, like.model)) continue;
      throw invalid_argument(place + ": host " + host.name + " doesn't say its NVLink domain (" +
                             std::string(to_string(entry.standing)) + "), and " + node.source +
                             " can't show it; leave the host out, or add what `nvidia-smi -q` prints there");
    }
  }

  [[nodiscard]] domain_id own_domain(const topoplan::host& host, const nvlink_group& group) {
    const bool whole = group.gpus.size() == host.gpu_count;
    names_of_domains_.push_back(host.name + (whole ? "" : " from GPU" + std::to_string(group.gpus.front()) + " on"));
    return domain_id{c_.domains++};
  }

  // errors: invalid_argument for more GPUs than a domain of the product has.
  [[nodiscard]] domain_id shared_domain(std::uint32_t domain, const topoplan::host& host, std::size_t gpus,
                                        const class_figures& like) {
    const auto [known, fresh] = of_table_.emplace(domain, shared{domain_id{c_.domains}, &like, 0});
    if (fresh) {
      ++c_.domains;
      names_of_domains_.push_back(table_->domains[domain].name);
    }
    known->second.gpus += gpus;
    if (like.model != nullptr && like.model->domain.known() &&
        known->second.gpus > static_cast<std::size_t>(like.model->domain.value)) {
      throw invalid_argument(table_->source + ": with host " + host.name + " domain " + table_->domains[domain].name + " has " +
                             std::to_string(known->second.gpus) + " GPUs, and " + like.title + " has NVLink domains of " +
                             std::to_string(static_cast<int>(like.model->domain.value)) +
                             ": these groups of hosts share no NVLink; leave the file out, or give --domains none");
    }
    return known->second.id;
  }

  cluster& c_;
  const domain_table* table_;
  host_names names_;
  std::map<std::uint32_t, shared> of_table_;
  std::vector<std::string> names_of_domains_;
};

}  // namespace topoplan::inline v1::import::detail
