#include "predict_collective.hpp"

#include <topoplan/cluster/select.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/cost/ideal_groups.hpp>
#include <topoplan/emit/detail/json_writer.hpp>
#include <topoplan/layout/degrees.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "amounts.hpp"
#include "predict_report.hpp"
#include "report.hpp"
#include "table.hpp"

namespace topoplan_cli {
namespace {

using namespace topoplan;

// All usable GPUs of a cluster as one group.
group_shape everything(const cluster& c) { return ideal_groups(c, resolve({}, usable_gpus(c))).dp; }

// The hosts under the node of a tier that has most usable GPUs.
struct subtree {
  std::vector<std::string> hosts;
  std::size_t nodes = 0;  // of the tier
};
subtree fullest(const cluster& c, std::size_t tier) {
  std::vector<std::size_t> gpus(c.tiers[tier].nodes.size());
  for (const gpu_id g : c.all_gpus()) gpus[c.ancestor(c.at(g).host, tier)] += c.usable(g) ? 1U : 0U;
  const auto best = static_cast<std::uint32_t>(std::max_element(gpus.begin(), gpus.end()) - gpus.begin());
  subtree out;
  out.nodes = gpus.size();
  for (const host_id h : c.all_hosts())
    if (c.ancestor(h, tier) == best) out.hosts.push_back(c.at(h).name);
  return out;
}

}  // namespace

collective parse_collective(const std::string& name) {
  std::string wanted = name;
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  std::string known;
  for (std::size_t i = 0; i < interconnect::collectives; ++i) {
    std::string one(to_string(static_cast<collective>(i)));
    if (wanted == one) return static_cast<collective>(i);
    std::replace(one.begin(), one.end(), '-', '_');
    (known += known.empty() ? "" : ", ") += one;
  }
  throw invalid_argument("--collective " + quoted(name) + ": expected one of " + known);
}

std::vector<collective_groups> tiers_of(const cluster& c) {
  std::vector<std::uint32_t> in_domain(c.domains);
  std::vector<std::uint32_t> in_host(c.hosts.size());
  for (const gpu_id g : c.all_gpus()) {
    if (!c.usable(g)) continue;
    ++in_domain[c.at(g).domain.value];
    ++in_host[c.at(g).host.value];
  }
  const std::uint32_t domain = c.domains == 0 ? 0 : *std::max_element(in_domain.begin(), in_domain.end());
  const std::uint32_t on_host = *std::max_element(in_host.begin(), in_host.end());
  std::vector<collective_groups> out;
  if (on_host > 1 && on_host < domain) out.push_back({"host", c.hosts.size(), group_in_domain(on_host)});
  if (domain > 1)
    out.push_back({on_host == domain ? "NVLink domain (host)" : "NVLink domain", c.domains, group_in_domain(domain)});
  if (on_host > std::max(1U, domain)) {
    group_shape g = group_in_domain(on_host);
    g.per_domain = std::max(1U, domain);
    g.domains = (on_host + g.per_domain - 1) / g.per_domain;
    out.push_back({"host", c.hosts.size(), g});
  }
  for (std::size_t t = 0; t + 1 < c.tiers.size(); ++t) {
    const subtree part = fullest(c, t);
    if (part.nodes < 2) continue;
    const group_shape g = everything(select_hosts(c, part.hosts));
    if (g.ranks > 1 && (out.empty() || g.ranks > out.back().shape.ranks))
      out.push_back({c.tiers[t].name + " group", part.nodes, g});
  }
  const group_shape all = everything(c);
  if (all.ranks > 1 && std::isfinite(all.ring_load) && (out.empty() || all.ranks > out.back().shape.ranks))
    out.push_back({"cluster", 1, all});
  return out;
}

void report_collective(std::ostream& out, const collective_question& q, const cluster& c, const interconnect& links) {
  report_cluster(out, c);
  out << "Collective: " << to_string(q.what) << ", as " << to_string(links.facts.family) << " and "
      << to_string(links.facts.fabric) << " run it; all groups of a row work at once\n";
  table seats({1});
  for (const collective_groups& g : q.groups)
    seats.row({g.name, counted(g.groups, "group") + (g.groups > 1 ? ", the fullest of " : " of ") + counted(g.shape.ranks, "GPU"),
               seats_text(g.shape, links, q.what)});
  seats.print(out);
  table t({1, 2, 3, 4, 5});
  t.row({"within", "GPUs", "bytes", "time", "bus GB/s", "algorithm", "links", "rests on"});
  for (const collective_groups& g : q.groups) {
    for (const double bytes : q.sizes) {
      const collective_cost cost = collective_time(links, q.what, bytes, g.shape);
      t.row({g.name, grouped(std::size_t{g.shape.ranks}), size_text(bytes), time_text(cost.seconds),
             fixed(cost.bus_bandwidth / 1e9, 1), std::string(to_string(cost.by)), std::string(to_string(cost.over)),
             std::string(to_string(cost.known))});
    }
  }
  t.print(out);
  out << "  bytes and bus bandwidth as nccl-tests counts them\n";
}

void write_collective_json(std::ostream& out, const collective_question& q, const cluster& c, const interconnect& links) {
  using topoplan::emit::detail::spread;
  topoplan::emit::detail::json_writer json(out);
  json.open('{', spread::lines);
  json.member("format", "topoplan.prediction");
  json.member("version", 1);
  json.member("feasible", true);
  json.member("cluster", c.name);
  json.member("collective", to_string(q.what));
  json.member("family", to_string(links.facts.family));
  json.member("fabric", to_string(links.facts.fabric));
  json.key("times");
  json.open('[', spread::lines);
  for (const collective_groups& g : q.groups) {
    for (const double bytes : q.sizes) {
      const collective_cost cost = collective_time(links, q.what, bytes, g.shape);
      json.open('{');
      json.member("within", g.name);
      json.member("groups", g.groups);
      json.member("gpus", g.shape.ranks);
      json.member("domains", g.shape.domains);
      json.member("hosts", g.shape.hosts);
      json.member("bytes", bytes);
      json.member("seconds", cost.seconds);
      json.member("bus_bytes_per_second", cost.bus_bandwidth);
      json.member("algorithm", to_string(cost.by));
      json.member("links", to_string(cost.over));
      json.member("evidence", to_string(cost.known));
      json.close();
    }
  }
  json.close();
  json.close();
  json.finish();
}

}  // namespace topoplan_cli
