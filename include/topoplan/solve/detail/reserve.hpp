// Which GPUs stay free for the spares that are asked for.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/solve/detail/check_spares.hpp>
#include <topoplan/solve/detail/fill.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

// Which whole hosts stay free in the cluster at large: those that the search leaves empty, those that even leaf groups out, or
// those that empty small leaf groups.
enum class spare_hosts : std::uint8_t { searched, of_large_leaves, of_small_leaves };

// Ranks that must share a host and ranks that must share a domain; 1 without such a rule.
struct confined_sizes {
  std::uint32_t host = 1;
  std::uint32_t domain = 1;
};

// Sets spares aside. In each place whole hosts go first, and of these those whose loss costs the fewest groups of confined
// ranks, then those with the fewest usable GPUs, then those of the fullest domain, then by name.
class reserver {
 public:
  reserver(const cluster& c, confined_sizes sizes)
      : c_(c), sizes_(sizes), reserved_(c.gpus.size(), false), left_host_(c.hosts.size(), 0), left_domain_(c.domains, 0) {
    for (const gpu_id g : c.all_gpus()) {
      if (!c.usable(g)) continue;
      ++left_host_[c.at(g).host.value];
      ++left_domain_[c.at(g).domain.value];
    }
  }

  // Sets aside what the rule still lacks in each place, or all that the place has.
  // complexity: O(GPUs + spares * hosts of a place).
  void reserve(const spare_rule& rule, spare_hosts how) {
    const std::vector<std::uint32_t> free = spares_now(rule);
    std::vector<std::vector<std::uint32_t>> hosts_in(free.size());
    for (const host_id h : c_.all_hosts())
      for (const gpu_id g : c_.gpus_of(h)) {
        std::vector<std::uint32_t>& list = hosts_in[spare_place(c_, rule.per, g)];
        if (list.empty() || list.back() != h.value) list.push_back(h.value);
      }
    for (std::uint32_t p = 0; p < free.size(); ++p)
      for (std::uint32_t missing = rule.count - std::min(rule.count, free[p]); missing > 0;) {
        const std::vector<std::uint32_t> gpus = next(rule, p, hosts_in[p], missing, how);
        if (gpus.empty()) break;
        for (const std::uint32_t g : gpus) {
          reserved_[g] = true;
          --left_host_[c_.gpus[g].host.value];
          --left_domain_[c_.gpus[g].domain.value];
        }
        missing -= rule.what == spare_kind::hosts ? 1 : static_cast<std::uint32_t>(gpus.size());
      }
  }

  // The cluster with what is set aside marked unhealthy. complexity: O(GPUs).
  [[nodiscard]] cluster rest() const {
    cluster made = c_;
    for (std::uint32_t g = 0; g < reserved_.size(); ++g)
      if (reserved_[g]) made.gpus[g].health = gpu_health::unhealthy;
    return made;
  }

 private:
  // Spares of a place that are set aside by now.
  [[nodiscard]] std::vector<std::uint32_t> spares_now(const spare_rule& rule) const {
    std::vector<bool> taken(reserved_.size());
    for (std::size_t g = 0; g < taken.size(); ++g) taken[g] = !reserved_[g];
    return free_in(c_, rule, taken);
  }

  // The GPUs of a host that are left in a place, the last first.
  [[nodiscard]] std::vector<std::uint32_t> left_on(std::uint32_t h, spare_spread per, std::uint32_t place) const {
    std::vector<std::uint32_t> gpus;
    for (std::uint32_t g = c_.hosts[h].first_gpu + c_.hosts[h].gpu_count; g-- > c_.hosts[h].first_gpu;)
      if (!reserved_[g] && c_.usable(gpu_id{g}) && spare_place(c_, per, gpu_id{g}) == place) gpus.push_back(g);
    return gpus;
  }

  // Groups of confined ranks that have no room any more without these GPUs of one host.
  [[nodiscard]] std::uint32_t groups_lost(std::uint32_t h, const std::vector<std::uint32_t>& gpus) const {
    const auto lost = [](std::uint32_t left, std::uint32_t taken, std::uint32_t size) {
      return size < 2 ? 0 : left / size - (left - taken) / size;
    };
    std::uint32_t sum = lost(left_host_[h], static_cast<std::uint32_t>(gpus.size()), sizes_.host);
    for (std::size_t i = 0; i < gpus.size();) {
      const std::uint32_t d = c_.gpus[gpus[i]].domain.value;
      std::uint32_t taken = 0;
      for (; i < gpus.size() && c_.gpus[gpus[i]].domain.value == d; ++i) ++taken;
      sum += lost(left_domain_[d], taken, sizes_.domain);
    }
    return sum;
  }

  // What a place gives next; empty if it has nothing left.
  [[nodiscard]] std::vector<std::uint32_t> next(const spare_rule& rule, std::uint32_t place,
                                                const std::vector<std::uint32_t>& hosts, std::uint32_t missing,
                                                spare_hosts how) const {
    const bool whole = rule.what == spare_kind::hosts;
    std::vector<std::uint32_t> left_leaf;
    if (rule.per == spare_spread::cluster) {
      left_leaf.resize(c_.tiers[0].nodes.size());
      for (std::uint32_t h = 0; h < c_.hosts.size(); ++h) left_leaf[c_.hosts[h].leaf] += left_host_[h];
    }
    std::vector<std::uint32_t> best;
    std::array<std::int64_t, 5> best_key{};
    std::uint32_t best_host = 0;
    for (const std::uint32_t h : hosts) {
      std::vector<std::uint32_t> gpus = left_on(h, whole ? spare_spread::cluster : rule.per, whole ? 0 : place);
      if (gpus.empty() || (whole && gpus.size() != c_.hosts[h].gpu_count)) continue;
      if (whole && spare_place(c_, rule.per, gpu_id{c_.hosts[h].first_gpu}) != place) continue;
      const bool part = !whole && gpus.size() > missing;
      const auto usable = static_cast<std::int64_t>(gpus.size());
      if (part) gpus.resize(missing);
      std::int64_t leaf = 0;
      if (rule.per == spare_spread::cluster) leaf = left_leaf[c_.hosts[h].leaf];
      const std::array<std::int64_t, 5> key{how == spare_hosts::of_small_leaves ? leaf : -leaf, part ? 1 : 0,
                                            groups_lost(h, gpus), usable,
                                            -std::int64_t{left_domain_[c_.gpus[gpus.front()].domain.value]}};
      if (!best.empty() && (best_key < key || (best_key == key && !natural_less(c_.hosts[h].name, c_.hosts[best_host].name))))
        continue;
      best = std::move(gpus);
      best_key = key;
      best_host = h;
    }
    return best;
  }

  const cluster& c_;
  confined_sizes sizes_;
  std::vector<bool> reserved_;
  std::vector<std::uint32_t> left_host_;
  std::vector<std::uint32_t> left_domain_;
};

// A cluster without its spares.
struct reservation {
  cluster rest;           // what is set aside is unhealthy there
  std::size_t seats = 0;  // GPUs that ranks may have: of rest, less those that must stay free anywhere
};

// Sets aside what the rules ask for; GPUs that may be free anywhere are only counted, and so are such hosts where the search
// chooses them. complexity: O(rules * GPUs + spares * hosts of a place).
[[nodiscard]] inline reservation reserve(const cluster& c, std::span<const spare_rule> rules, confined_sizes sizes = {},
                                         spare_hosts how = spare_hosts::of_large_leaves) {
  reserver r(c, sizes);
  std::size_t anywhere = 0;
  for (const spare_spread per : {spare_spread::domain, spare_spread::leaf, spare_spread::cluster})
    for (const spare_kind what : {spare_kind::hosts, spare_kind::gpus})
      for (const spare_rule& rule : rules) {
        if (rule.per != per || rule.what != what) continue;
        if (per == spare_spread::cluster && what == spare_kind::gpus) anywhere = std::max<std::size_t>(anywhere, rule.count);
        else if (per != spare_spread::cluster || how != spare_hosts::searched) r.reserve(rule, how);
      }
  reservation made{r.rest(), 0};
  const std::size_t usable = usable_gpus(c);
  made.seats = std::min(usable_gpus(made.rest), usable - std::min(usable, anywhere));
  return made;
}

}  // namespace topoplan::inline v1::detail
