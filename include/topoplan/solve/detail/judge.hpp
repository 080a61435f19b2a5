// The single checks behind a verdict, on a seating.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/plan/verdict.hpp>
#include <topoplan/solve/detail/breaches.hpp>
#include <topoplan/solve/detail/check_rails.hpp>
#include <topoplan/solve/detail/check_spares.hpp>
#include <topoplan/solve/detail/components.hpp>
#include <topoplan/solve/detail/mixed_models.hpp>
#include <topoplan/solve/detail/seating.hpp>
#include <topoplan/solve/detail/wording.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace topoplan::inline v1::detail {

[[nodiscard]] inline finding check_single_use(const cluster& c, const seating& seats) {
  finding f{.rule = "one rank a GPU", .checked = seats.size(), .breaches = {}, .text = {}};
  std::vector<std::uint32_t> holder(c.gpus.size(), ~std::uint32_t{0});
  for (std::uint32_t r = 0; r < seats.size(); ++r) {
    std::uint32_t& first = holder[seats[r].gpu];
    if (first == ~std::uint32_t{0}) first = r;
    else
      note_breach(f, seats, {first, r}, [&] {
        return gpu_name(c, seats[r].gpu) + " holds ranks " + std::to_string(first) + " and " + std::to_string(r);
      });
  }
  f.text = f.kept ? count_of(f.checked, "rank") + " on as many GPUs" : count_of(f.broken, "rank") + " share a GPU with another";
  return f;
}

[[nodiscard]] inline finding check_health(const cluster& c, const seating& seats) {
  finding f{.rule = "healthy GPUs", .checked = seats.size(), .breaches = {}, .text = {}};
  for (std::uint32_t r = 0; r < seats.size(); ++r) {
    const gpu_id g{seats[r].gpu};
    if (c.usable(g)) continue;
    note_breach(f, seats, {r}, [&] {
      return "rank " + std::to_string(r) + " sits on " + gpu_name(c, g.value) +
             (c.host_of(g).cordoned ? ", whose host is cordoned" : ", which is unhealthy");
    });
  }
  f.text = f.kept ? "no rank on an unhealthy GPU or a cordoned host"
                  : count_of(f.broken, "rank") + " on unhealthy GPUs or cordoned hosts";
  return f;
}

[[nodiscard]] inline finding check_network(const cluster& c, const network& net, const seating& seats) {
  finding f{.rule = "one network", .checked = seats.size(), .breaches = {}, .text = {}};
  const std::vector<tier_node>& roots = c.tiers.back().nodes;
  const std::uint32_t home = seats.empty() ? 0 : net.root(seats[0].host);
  for (std::uint32_t r = 0; r < seats.size(); ++r)
    if (roots.size() > 1 && net.root(seats[r].host) != home)
      note_breach(f, seats, {r}, [&] {
        return "rank " + std::to_string(r) + " on " + c.hosts[seats[r].host].name + " is below " + c.tiers.back().name + " " +
               roots[net.root(seats[r].host)].name + ", rank 0 below " + roots[home].name;
      });
  const std::string& top = c.tiers.back().name;
  f.text = f.kept ? "all ranks reach each other through " + (top == roots[home].name ? top : top + " " + roots[home].name)
                  : count_of(f.broken, "rank") + " can't reach rank 0 through the network";
  return f;
}

// One job runs at the pace of its slowest GPU, so a mixture is never made unasked.
[[nodiscard]] inline finding check_model(const cluster& c, const seating& seats) {
  finding f{.rule = "one GPU model", .checked = seats.size(), .breaches = {}, .text = {}};
  const auto model_of = [&](std::uint32_t r) { return c.hosts[seats[r].host].model; };
  for (std::uint32_t r = 0; r < seats.size(); ++r)
    if (model_of(r) != model_of(0))
      note_breach(f, seats, {r}, [&] {
        return "rank " + std::to_string(r) + " sits on " + gpu_name(c, seats[r].gpu) + ", " + c.gpu_models[model_of(r)] +
               ", and rank 0 on " + c.gpu_models[model_of(0)];
      });
  f.text = f.kept ? "all ranks sit on " + (seats.empty() ? c.gpu_models[0] : c.gpu_models[model_of(0)])
                  : count_of(f.broken, "rank") + " sit on another model than rank 0";
  return f;
}

// The groups of a rule and how many of them are torn apart.
struct torn {
  std::vector<std::uint32_t> root;   // of every rank: the smallest rank of its group
  std::vector<std::uint32_t> shown;  // the first torn groups, by their smallest rank
  std::uint64_t groups = 0;
  std::uint64_t broken = 0;
};

[[nodiscard]] inline std::uint32_t place_of(const seat& s, scope within) noexcept {
  return within == scope::host ? s.host : s.domain;
}

// complexity: O(ranks * axes of the rule).
[[nodiscard]] inline torn torn_groups(const layout& l, const seating& seats, const confinement& rule, std::size_t limit) {
  torn t{.root = component_roots(l, rule.axes), .shown = {}};
  std::vector<bool> seen(t.root.size(), false);
  for (std::uint32_t r = 0; r < t.root.size(); ++r) {
    const std::uint32_t first = t.root[r];
    if (first == r) ++t.groups;
    if (place_of(seats[r], rule.within) == place_of(seats[first], rule.within) || seen[first]) continue;
    seen[first] = true;
    ++t.broken;
    if (t.shown.size() < limit) t.shown.push_back(first);
  }
  return t;
}

[[nodiscard]] inline finding check_confinement(const cluster& c, const layout& l, const seating& seats, const confinement& rule) {
  const torn t = torn_groups(l, seats, rule, shown_breaches);
  finding f{.rule = to_string(rule), .kept = t.broken == 0, .checked = t.groups, .broken = t.broken, .breaches = {}, .text = {}};
  const std::string axes = to_string(rule.axes);
  for (const std::uint32_t first : t.shown) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t r = first; r < t.root.size(); ++r)
      if (t.root[r] == first) members.push_back(r);
    std::vector<std::string> places;
    for (const std::uint32_t r : members) {
      const std::string& host_name = c.hosts[seats[r].host].name;
      const std::string place =
          rule.within == scope::host ? host_name : c.name_of(domain_id{seats[r].domain}) + " (" + host_name + ")";
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    std::string text = axes + " group of ranks " + ranges_of(members) + " sits in " + list_of(places);
    show_breach(f, seats, members, std::move(text));
  }
  const std::uint64_t size = f.checked == 0 ? 0 : t.root.size() / f.checked;
  const std::string_view where = rule.within == scope::host ? "one host" : "one NVLink domain";
  f.text =
      f.kept ? "all " + count_of(f.checked, "group") + " of " + count_of(size, "rank") + " lie in " + std::string(where) + " each"
             : std::to_string(f.broken) + " of " + count_of(f.checked, "group") + " of " + count_of(size, "rank") + " leave " +
                   std::string(where);
  return f;
}

[[nodiscard]] inline finding check_launcher(const cluster& c, const seating& seats, const launcher& by) {
  finding f{.rule = "launcher " + std::string(by.name), .breaches = {}, .text = {}};
  std::vector<bool> met(c.hosts.size(), false);
  std::vector<bool> torn(c.hosts.size(), false);
  for (std::uint32_t r = 0; r < seats.size(); ++r) {
    const std::uint32_t h = seats[r].host;
    if (r > 0 && seats[r - 1].host == h) continue;
    if (!met[h]) ++f.checked;
    else if (by.contiguous && !torn[h]) {
      torn[h] = true;
      note_breach(f, seats, {r}, [&] {
        return "the ranks of " + c.hosts[h].name + " aren't consecutive: rank " + std::to_string(r) + " returns to it after " +
               c.hosts[seats[r - 1].host].name;
      });
    }
    met[h] = true;
  }
  if (!by.contiguous) f.text = "takes any map: " + std::string(by.form);
  else if (f.kept) f.text = "the ranks of each of " + count_of(f.checked, "host") + " are consecutive";
  else
    f.text = count_of(f.broken, "host") + " of " + std::to_string(f.checked) + " don't hold consecutive ranks, which " +
             std::string(by.name) + " (" + std::string(by.form) + ") needs";
  return f;
}

// complexity: O(ranks * axes), and for a group that mixes rails O(degree log degree).
[[nodiscard]] inline verdict judge(const cluster& c, const network& net, const layout& l, const seating& seats,
                                   std::span<const confinement> confined, const launcher& by,
                                   std::span<const spare_rule> spares = {}, axis_set mix = {}) {
  verdict v;
  v.findings.push_back(check_single_use(c, seats));
  v.findings.push_back(check_health(c, seats));
  v.findings.push_back(check_network(c, net, seats));
  if (c.gpu_models.size() > 1) v.findings.push_back(mix.empty() ? check_model(c, seats) : check_mixed_models(c, l, seats, mix));
  for (const confinement& rule : confined) v.findings.push_back(check_confinement(c, l, seats, rule));
  v.findings.push_back(check_launcher(c, seats, by));
  for (const spare_rule& rule : spares) v.findings.push_back(check_spares(c, seats, rule));
  v.findings.push_back(check_rails(c, l, seats));
  return v;
}

}  // namespace topoplan::inline v1::detail
