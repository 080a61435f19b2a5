// Whether as many GPUs or hosts stay free as a spare rule asks for.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/solve/detail/breaches.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/wording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1::detail {

// "domain 3 (gpu-017)": the number alone means nothing to a person; the host is that of its first GPU.
[[nodiscard]] inline std::string person_name(const cluster& c, domain_id d) {
  if (!c.domain_names.empty()) return c.name_of(d);
  const auto first = std::find_if(c.gpus.begin(), c.gpus.end(), [&](const gpu& g) { return g.domain == d; });
  return c.name_of(d) + (first == c.gpus.end() ? std::string{} : " (" + c.at(first->host).name + ")");
}

// The places in which a rule counts spares.
[[nodiscard]] inline std::size_t spare_places(const cluster& c, spare_spread per) {
  return per == spare_spread::domain ? c.domains : per == spare_spread::leaf ? c.tiers[0].nodes.size() : 1;
}
[[nodiscard]] inline std::uint32_t spare_place(const cluster& c, spare_spread per, gpu_id g) {
  return per == spare_spread::domain ? c.at(g).domain.value : per == spare_spread::leaf ? c.host_of(g).leaf : 0;
}
[[nodiscard]] inline std::string spare_place_name(const cluster& c, spare_spread per, std::uint32_t place) {
  if (per == spare_spread::cluster) return "the cluster";
  if (per == spare_spread::domain) return person_name(c, domain_id{place});
  return c.tiers[0].name + " group " + c.tiers[0].nodes[place].name;
}

// How many GPUs or whole hosts of every place are free. A host whose GPUs lie in several domains counts in that of its first.
// complexity: O(GPUs).
[[nodiscard]] inline std::vector<std::uint32_t> free_in(const cluster& c, const spare_rule& rule,
                                                        const std::vector<bool>& taken) {
  std::vector<std::uint32_t> free(spare_places(c, rule.per), 0);
  for (const host_id h : c.all_hosts()) {
    std::uint32_t here = 0;
    for (const gpu_id g : c.gpus_of(h)) {
      if (!c.usable(g) || taken[g.value]) continue;
      ++here;
      if (rule.what == spare_kind::gpus) ++free[spare_place(c, rule.per, g)];
    }
    if (rule.what == spare_kind::hosts && here > 0 && here == c.at(h).gpu_count)
      ++free[spare_place(c, rule.per, gpu_id{c.at(h).first_gpu})];
  }
  return free;
}

// "8 GPUs", "1 host".
[[nodiscard]] inline std::string spares_text(spare_kind what, std::uint32_t count) {
  return count_of(count, what == spare_kind::gpus ? "GPU" : "whole host");
}

// complexity: O(GPUs + ranks).
[[nodiscard]] inline finding check_spares(const cluster& c, const seating& seats, const spare_rule& rule) {
  finding f{.rule = "spares " + to_string(rule), .breaches = {}, .text = {}};
  std::vector<bool> taken(c.gpus.size(), false);
  std::vector<std::uint32_t> ranks(spare_places(c, rule.per), 0);
  for (const seat& s : seats) {
    taken[s.gpu] = true;
    ++ranks[spare_place(c, rule.per, gpu_id{s.gpu})];
  }
  const std::vector<std::uint32_t> free = free_in(c, rule, taken);
  for (std::uint32_t p = 0; p < ranks.size(); ++p) {
    if (ranks[p] == 0) continue;
    ++f.checked;
    if (free[p] < rule.count)
      note_breach(f, seats, {}, [&] {
        return spares_text(rule.what, free[p]) + " free in " + spare_place_name(c, rule.per, p) + ", which holds " +
               count_of(ranks[p], "rank");
      });
  }
  const std::string_view place = rule.per == spare_spread::domain ? "NVLink domain" : "leaf group";
  const std::string asked = spares_text(rule.what, rule.count) + " or more";
  if (rule.per == spare_spread::cluster)
    f.text = f.kept ? asked + " free in the cluster" : spares_text(rule.what, free[0]) + " free in the cluster";
  else if (f.kept) f.text = asked + " free in each of " + count_of(f.checked, place) + " with ranks";
  else f.text = std::to_string(f.broken) + " of " + count_of(f.checked, place) + " with ranks have less free";
  return f;
}

}  // namespace topoplan::inline v1::detail
