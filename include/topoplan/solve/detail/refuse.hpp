// Why no placement exists: which rule, where, and what would help.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/solve/detail/check_spares.hpp>
#include <topoplan/solve/detail/pool.hpp>
#include <topoplan/solve/detail/slots.hpp>
#include <topoplan/solve/detail/units.hpp>
#include <topoplan/solve/detail/wording.hpp>
#include <topoplan/solve/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

[[nodiscard]] inline std::string rules_text(const std::vector<confinement>& rules) {
  std::vector<std::string> names;
  for (const confinement& r : rules) names.push_back(to_string(r));
  return names.empty() ? "no confinement" : list_of(names, 8);
}

// "gpu-004 (7 of 8 GPUs usable)" for hosts with GPUs that can't be used.
[[nodiscard]] inline std::vector<std::string> impaired_hosts(const cluster& c) {
  std::vector<std::string> names;
  for (std::uint32_t h = 0; h < c.hosts.size(); ++h) {
    const std::uint32_t usable = usable_on(c, h);
    if (usable == c.hosts[h].gpu_count) continue;
    names.push_back(c.hosts[h].name + " (" +
                    (c.hosts[h].cordoned
                         ? "cordoned"
                         : std::to_string(usable) + " of " + std::to_string(c.hosts[h].gpu_count) + " GPUs usable") +
                    ")");
  }
  return names;
}

// "dp 5 would fit", "a smaller tp" and the like for a job that has room for `ranks` only.
[[nodiscard]] inline std::string smaller_job(const layout& l, std::uint64_t ranks) {
  const resolved_degrees& d = l.degrees();
  const std::uint64_t step = std::uint64_t{d.tp} * d.cp * d.pp;
  for (std::uint64_t dp = ranks / step; dp > 0; --dp)
    if (step * dp % (std::uint64_t{d.expert_tp} * d.ep * d.pp) == 0)
      return "dp " + std::to_string(dp) + ", which needs " + std::to_string(step * dp) + " GPUs";
  return "smaller degrees: tp*cp*pp alone is " + std::to_string(step);
}

// More ranks than GPUs.
[[nodiscard]] inline refusal refuse_seats(const cluster& c, const layout& l, std::uint64_t usable) {
  const std::vector<std::string> impaired = impaired_hosts(c);
  return {"one rank a GPU",
          count_of(l.world(), "rank") + " need as many usable GPUs, and the cluster has " + std::to_string(usable) + " of " +
              std::to_string(c.gpus.size()),
          impaired.empty() ? std::string{} : "not usable: " + list_of(impaired), smaller_job(l, usable)};
}

// Enough GPUs, but not below one network root or not of one model.
[[nodiscard]] inline refusal refuse_pools(const cluster& c, const layout& l, const std::vector<pool>& pools) {
  std::vector<std::string> parts;
  bool models = false;
  for (const pool& p : pools) {
    models = models || p.model != pools.front().model;
    parts.push_back(std::to_string(p.usable) + " of " + c.gpu_models[p.model] + " below " + c.tiers.back().name + " " +
                    c.tiers.back().nodes[p.root].name);
  }
  return {models ? "one GPU model" : "one network",
          count_of(l.world(), "rank") +
              " don't fit into GPUs of one model that share a network; a job mixes GPU models only where it is told which axis "
              "may, and never networks",
          "usable GPUs: " + list_of(parts, 8),
          smaller_job(l, pools.front().usable) +
              (models ? "; or let an axis mix models: pp gives stages different ones, dp replicas" : ""),
          false};
}

// The units of a rule set have too few slots. `all` are the slots by cutting::any.
[[nodiscard]] inline refusal refuse_slots(const cluster& c, const layout& l, const pool& p, const place_options& o,
                                          const unit_scheme& s, const std::vector<container>& all) {
  const bool in_domain = s.one_domain;
  const std::string_view place = in_domain ? "NVLink domain" : "host";
  // Usable GPUs of every outer place.
  std::vector<std::uint32_t> usable(in_domain ? c.domains : c.hosts.size(), 0);
  std::vector<std::uint32_t> unusable(usable.size(), 0);
  for (const std::uint32_t h : p.hosts)
    for (const gpu_id g : c.gpus_of(host_id{h}))
      if (c.usable(g)) ++usable[in_domain ? c.at(g).domain.value : h];
  for (const gpu_id g : c.all_gpus())
    if (!c.usable(g)) ++unusable[in_domain ? c.at(g).domain.value : c.at(g).host.value];
  struct remainder {
    std::uint32_t left = 0;
    std::uint32_t place = 0;
  };
  std::vector<remainder> left;
  std::uint64_t holds = 0;
  std::vector<std::uint32_t> room(usable.size(), 0);
  for (const container& k : all) room[in_domain ? k.domain : k.host] += static_cast<std::uint32_t>(k.gpus.size());
  std::uint64_t places = 0;
  std::uint32_t largest = 0;
  for (std::uint32_t i = 0; i < usable.size(); ++i) {
    if (usable[i] == 0) continue;
    ++places;
    largest = std::max(largest, usable[i]);
    holds += room[i] > 0 ? 1U : 0U;
    if (usable[i] > room[i]) left.push_back({usable[i] - room[i], i});
  }
  std::sort(left.begin(), left.end(),
            [](const remainder& a, const remainder& b) { return a.left != b.left ? a.left > b.left : a.place < b.place; });
  std::vector<std::string> where;
  for (const remainder& r : left)
    where.push_back((in_domain ? person_name(c, domain_id{r.place}) : c.hosts[r.place].name) + " has " +
                    std::to_string(usable[r.place]) + " usable, " + std::to_string(r.left) + " of them left over");
  const std::uint64_t slots = slot_count(all, s);
  refusal why;
  why.rule = rules_text(o.confine);
  why.reason = "ranks that must share one " + std::string(place) + " come in groups of " + std::to_string(s.size) + "; " +
               count_of(slots, "group") + " of the " + std::to_string(s.units) + " needed have room, in " +
               std::to_string(holds) + " of " + count_of(places, place);
  if (s.size > largest) {
    why.remedy = "groups of at most " + std::to_string(largest) + ": the largest " + std::string(place) + " has " +
                 count_of(largest, "usable GPU") + "; or no such rule, if the groups may leave it";
    return why;
  }
  why.where = list_of(where);
  why.remedy = smaller_job(l, slots * s.size);
  // One group is missing, and GPUs that can't be used now would make room for it.
  for (const remainder& r : left) {
    if (slots + 1 != s.units || s.size - r.left > unusable[r.place]) continue;
    why.remedy += "; or " + count_of(s.size - r.left, "more usable GPU") + " in " +
                  (in_domain ? person_name(c, domain_id{r.place}) : c.hosts[r.place].name);
    break;
  }
  return why;
}

// Groups that rules keep together but that differ in size.
[[nodiscard]] inline refusal refuse_uneven_groups(const place_options& o) {
  return {rules_text(o.confine), "the ranks that these rules keep together form groups of different sizes", "",
          "this solver places groups of one size; choose degrees that divide each other", false};
}

// A launcher that wants consecutive ranks on a host can't express what the rules ask for.
[[nodiscard]] inline refusal refuse_launcher(const place_options& o) {
  refusal why;
  why.rule = "launcher " + std::string(o.launcher.name);
  why.proven = false;
  why.reason = std::string(o.launcher.name) + " (" + std::string(o.launcher.form) +
               ") needs consecutive ranks on every host, and the search met no cut of the ranks into runs that keeps " +
               rules_text(o.confine) + " on these hosts";
  why.remedy = "a launcher that takes any map, such as slurm or torchrun-per-gpu, can place this job";
  return why;
}

}  // namespace topoplan::inline v1::detail
