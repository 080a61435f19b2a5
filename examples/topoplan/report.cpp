#include "report.hpp"

#include <topoplan/import/hostlist.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "amounts.hpp"
#include "table.hpp"

namespace topoplan_cli {
namespace {

using namespace topoplan;

constexpr std::size_t max_lines = 40;  // of any list that grows with the cluster

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

// "[given: --nic]", "[catalogue]"; what is behind a catalogue's or an assumption's word stands in the list of sources.
std::string told(const provenance& p) {
  const bool brief = p.how == confidence::given && !p.source.empty() && p.source.size() <= 40;
  return '[' + std::string(to_string(p.how)) + (brief ? ": " + p.source : std::string{}) + ']';
}

std::string rate(const link& l) { return l.rate.value <= 0 ? "rate unknown" : number(l.rate.gigabytes()) + " GB/s"; }

// "24 hosts of 8 GPUs", "3 domains of 72 GPUs and 1 domain of 68".
std::string histogram(const std::vector<std::size_t>& sizes, std::string_view what) {
  std::map<std::size_t, std::size_t, std::greater<>> count;
  for (const std::size_t s : sizes) ++count[s];
  std::string text;
  std::size_t shown = 0;
  for (const auto& [size, n] : count) {
    if (++shown > 4) return text + " and others";
    if (shown > 1) text += shown == count.size() ? " and " : ", ";
    text += counted(n, what) + " of " + (shown == 1 ? counted(size, "GPU") : std::to_string(size));
  }
  return text;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const auto& part : parts) (text += text.empty() ? std::string_view{} : separator) += part;
  return text;
}

std::string range_text(std::uint32_t low, std::uint32_t high) {
  return low == high ? std::to_string(low) : std::to_string(low) + '-' + std::to_string(high);
}

void report_network(std::ostream& out, const cluster& c) {
  std::vector<std::size_t> below(c.tiers[0].nodes.size());
  for (const host& h : c.hosts) ++below[h.leaf];
  std::vector<std::uint32_t> by_name(below.size());
  std::iota(by_name.begin(), by_name.end(), 0U);
  std::sort(by_name.begin(), by_name.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::string& left = c.tiers[0].nodes[a].name;
    const std::string& right = c.tiers[0].nodes[b].name;
    return std::tuple(left.size(), std::string_view(left), a) < std::tuple(right.size(), std::string_view(right), b);
  });
  table tree({1});
  for (std::size_t i = 0; i < below.size() && i < max_lines; ++i) {
    const std::uint32_t n = by_name[i];
    std::string above;
    std::uint32_t node = n;
    for (std::size_t t = 0; t + 1 < c.tiers.size(); ++t) {
      node = c.tiers[t].nodes[node].parent;
      (above += above.empty() ? "under " : ", ") += c.tiers[t + 1].nodes[node].name;
    }
    tree.row({c.tiers[0].nodes[n].name, counted(below[n], "host"), above});
  }
  tree.print(out, "             ");
  if (below.size() > max_lines)
    out << "             ... and " << counted(below.size() - max_lines, "further " + c.tiers[0].name + " group") << '\n';
}

// Ranks of one host, and where they stand on an axis.
struct span_of {
  std::uint32_t low = ~0U;
  std::uint32_t high = 0;
  void add(std::uint32_t v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  friend bool operator==(const span_of&, const span_of&) = default;
};

struct stretch {  // hosts that follow each other in launch order, in one leaf group and pipeline stage
  std::vector<std::string> hosts;
  std::uint32_t leaf = 0;
  std::size_t first_host = 0;
  span_of ranks, pp;
  std::array<span_of, 3> inner;  // cp, ep, dp
  std::size_t per_host = 0;
  bool consecutive = true;
};

constexpr std::array inner_axes{axis::cp, axis::ep, axis::dp};

std::vector<stretch> stretches(const rank_map& map, const cluster& c) {
  std::map<std::string_view, std::uint32_t> leaf_of;
  for (const host& h : c.hosts) leaf_of.emplace(h.name, h.leaf);
  const layout job = map.layout();
  std::vector<stretch> all;
  for (std::uint32_t h = 0; h < map.hosts(); ++h) {
    stretch s;
    s.hosts.emplace_back(map.host_name(host_id{h}));
    const auto at = leaf_of.find(s.hosts.front());
    s.leaf = at == leaf_of.end() ? 0 : at->second;
    s.first_host = h;
    for (const rank_id r : map.ranks_on(host_id{h})) {
      ++s.per_host;
      s.ranks.add(r.value);
      s.pp.add(job.position(r, axis::pp));
      for (std::size_t i = 0; i < inner_axes.size(); ++i) s.inner[i].add(job.position(r, inner_axes[i]));
    }
    s.consecutive = s.ranks.high - s.ranks.low + 1 == s.per_host;
    if (!all.empty()) {
      stretch& last = all.back();
      if (last.leaf == s.leaf && last.pp == s.pp && last.per_host == s.per_host && last.consecutive && s.consecutive &&
          last.ranks.high + 1 == s.ranks.low) {
        last.hosts.push_back(s.hosts.front());
        last.ranks.high = s.ranks.high;
        for (std::size_t i = 0; i < inner_axes.size(); ++i) {
          last.inner[i].add(s.inner[i].low);
          last.inner[i].add(s.inner[i].high);
        }
        continue;
      }
    }
    all.push_back(std::move(s));
  }
  return all;
}

void report_order(std::ostream& out, const plan& p, const cluster& c) {
  const rank_map& map = p.rank_map;
  const layout job = map.layout();
  const auto all = stretches(map, c);
  table t({0, 3});
  std::vector<std::string> head{"launch", "hosts", c.tiers[0].name, "ranks", "pp"};
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < inner_axes.size(); ++i) {
    if (job.degrees().of(inner_axes[i]) == 1) continue;
    used.push_back(i);
    head.emplace_back(to_string(inner_axes[i]));
  }
  t.row(std::move(head));
  for (std::size_t i = 0; i < all.size() && i < max_lines; ++i) {
    const stretch& s = all[i];
    std::vector<std::string> row{
        range_text(static_cast<std::uint32_t>(s.first_host), static_cast<std::uint32_t>(s.first_host + s.hosts.size() - 1)),
        topoplan::import::fold_hostlist(s.hosts), c.tiers[0].nodes[s.leaf].name,
        s.consecutive ? range_text(s.ranks.low, s.ranks.high) : counted(s.per_host, "rank"), range_text(s.pp.low, s.pp.high)};
    for (const std::size_t a : used) row.push_back(range_text(s.inner[a].low, s.inner[a].high));
    t.row(std::move(row));
  }
  t.print(out);
  if (all.size() > max_lines)
    out << "  ... " << counted(all.size() - max_lines, "further line") << "; rank_map.json has every rank\n";
}

void report_crossings(std::ostream& out, const plan& p) {
  std::vector<std::size_t> used;
  const auto any = [](const std::optional<cost_report>& r, std::size_t level) {
    return r && std::any_of(r->edges.begin(), r->edges.end(), [&](const crossings& x) { return x.levels[level] != 0; });
  };
  for (std::size_t level = 0; level < p.levels.size(); ++level)
    if (any(p.cost, level) || any(p.given_order, level)) used.push_back(level);
  const bool compare = p.given_order && !p.keeps_given_order;
  table t(compare ? std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10} : std::vector<std::size_t>{1, 2, 3, 4, 5, 6});
  std::vector<std::string> head{"axis"};
  for (const std::size_t level : used) {
    head.push_back(p.levels[level]);
    if (compare) head.emplace_back("(given)");
  }
  t.row(std::move(head));
  for (std::size_t a = 0; a < p.cost.edges.size(); ++a) {
    std::vector<std::string> row{std::string(to_string(p.cost.edges[a].of))};
    for (const std::size_t level : used) {
      row.push_back(grouped(p.cost.edges[a].levels[level]));
      if (compare) row.push_back('(' + grouped(p.given_order->edges[a].levels[level]) + ')');
    }
    t.row(std::move(row));
  }
  t.print(out);
}

// "Cost: 25,088, lower bound 25,088: optimal", and what the order given costs.
void report_cost(std::ostream& out, const plan& p) {
  out << "Cost: " << grouped(p.cost.cost) << ", lower bound " << grouped(p.lower_bound) << ": " << to_string(p.optimality);
  if (p.gap() > 0) out << ", at most " << number(p.gap() * 100) << " % above the best possible";
  out << '\n';
  if (p.keeps_given_order) {
    out << "  this is the order you gave; keep it\n";
  } else if (p.given_order) {
    out << "  the order you gave costs " << grouped(p.given_order->cost);
    if (p.cost.cost > 0)
      out << " (" << number(static_cast<double>(p.given_order->cost) / static_cast<double>(p.cost.cost)) << " x)";
    out << (p.given_order_keeps_rules ? "" : " and breaks rules") << '\n';
  }
}

// The same by the time of a step.
void report_step(std::ostream& out, const plan& p) {
  const auto both = [](const step_estimate& e) {
    return number(e.seconds) + " s, " + time_text(e.exposed) + " of it exposed communication";
  };
  out << "Step: " << both(*p.step) << ": " << to_string(p.optimality) << '\n';
  if (p.least_step && p.gap() > 0)
    out << "  no placement takes less than " << time_text(p.least_step->seconds) << ": exposed communication is at most "
        << number(p.gap() * 100) << " % of it above the least\n";
  if (p.keeps_given_order) out << "  this is the order you gave; keep it\n";
  else if (p.given_step) out << "  the order you gave takes " << both(*p.given_step) << '\n';
}

// What the job loses by its spares.
void report_given_up(std::ostream& out, const plan& p) {
  const spare_report& lost = *p.given_up;
  std::vector<std::string> rules;
  for (const spare_rule& r : p.spares) rules.push_back(to_string(r));
  out << "  given up for " << join(rules, " and ") << ": ";
  if (lost.ranks < lost.ranks_without)
    out << "these degrees could use " << grouped(lost.ranks_without) << " GPUs, beside the spares " << grouped(lost.ranks);
  else out << "no rank";
  if (p.step && lost.step_without && lost.step_without->seconds < p.step->seconds)
    out << "; a step of this job would take " << number(lost.step_without->seconds) << " s without them";
  else if (!p.step && lost.cost_without < p.cost.cost)
    out << "; this job would cost " << grouped(lost.cost_without) << " without them";
  out << '\n';
}

}  // namespace

void report_cluster(std::ostream& out, const cluster& c) {
  std::vector<std::size_t> per_host;
  for (const host& h : c.hosts) per_host.push_back(h.gpu_count);
  std::vector<std::size_t> per_domain(c.domains);
  for (const gpu& g : c.gpus) ++per_domain[g.domain.value];
  const std::size_t usable = usable_gpus(c);

  out << "Cluster: " << c.name << '\n';
  table t;
  t.row({"hosts", histogram(per_host, "host")});
  t.row({"GPUs", grouped(c.gpus.size()) + " x " + join(c.gpu_models, ", ") +
                     (usable == c.gpus.size() ? ", all usable" : ", " + grouped(usable) + " usable")});
  t.row({"NVLink", histogram(per_domain, "domain") + ", " + rate(c.nvlink) + " per GPU and direction", told(c.nvlink.from)});
  t.row({"network",
         std::string(c.fabric == fabric_kind::unknown ? "" : std::string(to_string(c.fabric)) + ", ") + counted(c.rails, "rail") +
             ", " + rate(c.nic) + " per GPU and direction" +
             (c.nic.rate.value > 0 ? " (" + number(c.nic.rate.gigabits()) + " Gb/s)" : ""),
         told(c.nic.from)});
  for (std::size_t first = 0; first < c.tiers.size();) {  // tiers of one source share a line
    std::string text;
    std::size_t next = first;
    for (; next < c.tiers.size() && c.tiers[next].from == c.tiers[first].from; ++next) {
      const tier& level = c.tiers[next];
      (text += text.empty() ? "" : " under ") += counted(level.nodes.size(), level.name + " group");
      if (level.oversubscription != 1) text += " (uplinks oversubscribed " + number(level.oversubscription) + ":1)";
      if (level.sharp) text += " (SHARP)";
    }
    t.row({"", text, told(c.tiers[first].from)});
    first = next;
  }
  t.print(out);
  report_network(out, c);
  for (const auto& note : c.notes) out << "  note: " << note << '\n';
}

void report_sources(std::ostream& out, const cluster& c) {
  out << "Sources\n";
  table t;
  const auto row = [&](const std::string& what, const provenance& p) {
    t.row({what, std::string(to_string(p.how)), p.source.empty() ? "-" : p.source});
  };
  row("NVLink rate", c.nvlink.from);
  row("PCIe rate", c.pcie.from);
  row("NIC rate", c.nic.from);
  for (const tier& level : c.tiers) row(level.name + " groups", level.from);
  t.print(out);
}

void report_job(std::ostream& out, const layout& job, const cluster& c) {
  const resolved_degrees& d = job.degrees();
  out << "Job: " << grouped(std::size_t{job.world()}) << " ranks on " << grouped(usable_gpus(c)) << " usable GPUs; tp " << d.tp
      << ", cp " << d.cp << ", dp " << d.dp << ", pp " << d.pp;
  if (d.ep > 1 || d.expert_tp != d.tp)
    out << "; experts: expert_tp " << d.expert_tp << ", ep " << d.ep << ", expert_dp " << d.expert_dp;
  out << "; order " << to_string(job.order()) << " (fastest axis first)\n";
}

void report_rules(std::ostream& out, const verdict& v) {
  out << "Rules\n";
  table rules;
  for (const finding& f : v.findings) {
    rules.row({f.kept ? "kept" : f.hard ? "BROKEN" : "warning", f.rule, f.text});
    for (const breach& b : f.breaches) rules.row({"", "", b.text});
  }
  rules.print(out);
}

void report_plan(std::ostream& out, const plan& p, const cluster& c) {
  out << "Plan: " << counted(p.rank_map.hosts(), "host") << " in launch order\n";
  report_order(out, p, c);
  std::size_t spare_gpus = 0;
  std::vector<std::string> spare_hosts;
  for (const spare& s : p.rank_map.spares()) {
    spare_gpus += s.gpus.size();
    spare_hosts.push_back(s.host);
  }
  if (spare_gpus > 0) {
    const std::size_t all = spare_hosts.size();
    if (all > max_lines) spare_hosts.resize(max_lines);
    out << "  spares: " << counted(spare_gpus, "GPU") << " on " << topoplan::import::fold_hostlist(spare_hosts)
        << (all > max_lines ? " and " + counted(all - max_lines, "further host") : "") << '\n';
  }
  if (p.given_up) report_given_up(out, p);

  report_rules(out, p.verdict);

  out << "Where neighbouring ranks of a group meet";
  if (p.given_order && !p.keeps_given_order) out << " (in brackets: the order you gave)";
  out << '\n';
  report_crossings(out, p);

  if (p.step) report_step(out, p);
  else report_cost(out, p);
  out << "  objective: " << p.objective << '\n';
  for (const auto& note : p.notes) out << "  note: " << note << '\n';
}

void report_facts(std::ostream& out, const std::vector<import::host_facts>& facts) {
  if (facts.empty()) {
    out << "Hosts: all from one spec or cluster file\n";
    return;
  }
  out << "Hosts\n";
  const auto cell = [](const import::fact& f) {
    return f.value + (f.value.empty() || f.place.empty() ? "" : " ") + (f.place.empty() ? "" : '(' + f.place + ')');
  };
  const bool network = std::any_of(facts.begin(), facts.end(), [](const auto& h) { return !h.leaf.value.empty(); });
  const bool domains = std::any_of(facts.begin(), facts.end(), [](const auto& h) { return !h.domain.value.empty(); });
  const auto row = [&](const std::string& name, const std::string& inside, const std::string& leaf, const std::string& domain) {
    std::vector<std::string> cells{name, inside};
    if (network) cells.push_back(leaf);
    if (domains) cells.push_back(domain);
    return cells;
  };
  table rows;
  rows.row(row("host", "inside", "leaf group", "NVLink domain"));
  for (const auto& h : facts) rows.row(row(h.name + ' ' + cell(h.listed), cell(h.inside), cell(h.leaf), cell(h.domain)));
  rows.print(out);
}

}  // namespace topoplan_cli
