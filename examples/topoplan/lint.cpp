#include <topoplan/cluster/cluster.hpp>
#include <topoplan/emit/lint_json.hpp>
#include <topoplan/import/hostlist.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/plan/layout_report.hpp>
#include <topoplan/solve/lint_layout.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "amounts.hpp"
#include "cluster_input.hpp"
#include "commands.hpp"
#include "lint_input.hpp"
#include "lint_suggestion.hpp"
#include "output_directory.hpp"
#include "report.hpp"
#include "table.hpp"

namespace topoplan_cli {
namespace {

using topoplan::advice;
using topoplan::invalid_argument;
using topoplan::layout_report;

constexpr std::size_t max_lines = 40;

// True if the hosts follow each other as strings do, which is how most tools list them. Two hosts say little.
bool alphabetical(const lint_input& in) {
  if (!in.seats) return false;
  std::vector<std::string_view> names(in.seats->names.begin(), in.seats->names.end());
  return names.size() > 2 && std::is_sorted(names.begin(), names.end());
}

std::string headline(const layout_report& r, const lint_input& in, bool file) {
  std::string text = "Your " + in.kind;
  const bool kept = r.verdict.kept();
  if (in.seats && in.seats->method == topoplan::import::launch_method::torchrun_c10d)
    text += " is sorted by name at rendezvous: ";
  else if (alphabetical(in)) text += " is in alphabetical order: ";
  else if (!kept) text += " can't be used as it is: ";
  else text += r.advice == advice::keep ? " is good: " : " costs more than it must: ";
  text += r.summary();
  if (r.advice == advice::replace)
    text += file ? "; use the order below" : "; use the plan that topoplan place makes for these hosts";
  if (r.advice == advice::none) text += "; " + r.refused->str();
  return text;
}

std::string percent(double ratio) { return short_number(ratio * 100) + " %"; }

void report_excess(std::ostream& out, const layout_report& r) {
  if (r.excess.empty()) return;
  out << "Where it loses\n";
  table t;
  for (const topoplan::excess_crossings& e : r.excess)
    t.row({std::string(to_string(e.of)), grouped(e.crossing) + " of " + grouped(e.edges) + " edges meet only at " +
                                             r.levels[e.level] + (e.outermost ? "" : " or beyond") + ", " + grouped(e.needed) +
                                             (e.needed == 1 ? " needs to" : " need to")});
  t.print(out);
  out << "Costliest groups\n";
  table groups;
  for (const topoplan::costly_group& g : r.worst) {
    std::string ranks;
    for (std::size_t i = 0; i < std::min<std::size_t>(g.ranks.size(), 8); ++i)
      (ranks += i == 0 ? "" : ", ") += std::to_string(g.ranks[i].value);
    if (g.ranks.size() > 8) ranks += ", ...";
    if (g.alike > 1) ranks += " and " + counted(g.alike - 1, "group") + " beside it";
    const std::vector<std::string> first(g.hosts.begin(),
                                         g.hosts.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(g.hosts.size(), 8)));
    groups.row({std::string(to_string(g.of)), "ranks " + ranks,
                "on " + topoplan::import::fold_hostlist(first) + (g.hosts.size() > 8 ? ", ..." : ""),
                counted(g.edges, "edge") + " at " + r.levels[g.level] + ", cost " + grouped(g.cost)});
  }
  groups.print(out);
}

void report_costs(std::ostream& out, const layout_report& r) {
  out << "Cost: " << grouped(r.cost.cost) << ", lower bound " << grouped(r.lower_bound);
  if (!r.verdict.kept()) out << " (of layouts that keep the rules)";
  else if (r.gap() > 0) out << ": at most " << percent(r.gap()) << " above the best possible";
  else out << ": optimal";
  out << '\n';
  if (r.advice == advice::replace)
    out << "  the suggestion costs " << grouped(r.suggested->cost.cost) << ": " << to_string(r.suggested->optimality) << '\n';
  out << "  objective: " << r.objective << '\n';
}

void report_idle(std::ostream& out, const layout_report& r) {
  if (r.idle.empty()) return;
  std::size_t gpus = 0;
  std::vector<std::string> hosts;
  for (const topoplan::spare& s : r.idle) {
    gpus += s.gpus.size();
    if (hosts.size() < max_lines) hosts.push_back(s.host);
  }
  out << "Idle: " << counted(gpus, "usable GPU") << " on " << topoplan::import::fold_hostlist(hosts)
      << (r.idle.size() > hosts.size() ? " and " + counted(r.idle.size() - hosts.size(), "further host") : "") << '\n';
}

void report_order(std::ostream& out, const layout_report& r, const std::optional<suggested_file>& file) {
  if (r.advice != advice::replace) return;
  if (!file) {
    std::vector<std::string> names;
    for (std::uint32_t h = 0; h < r.suggested->rank_map.hosts(); ++h)
      names.emplace_back(r.suggested->rank_map.host_name(topoplan::host_id{h}));
    out << "Hosts in the order of the plan: " << topoplan::import::fold_hostlist(names) << '\n';
    return;
  }
  out << "Use this order\n";
  std::string_view rest = file->text;
  std::size_t lines = 0;
  for (; !rest.empty() && lines < max_lines; ++lines) {
    const std::size_t end = rest.find('\n');
    out << "  " << rest.substr(0, end) << '\n';
    rest.remove_prefix(end + 1);
  }
  if (!rest.empty())
    out << "  ... " << counted(static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n')), "further line")
        << "; --out FILE writes all\n";
  if (!file->include.empty()) out << "  with --include '" << file->include << "'\n";
}

// Writes the better order; returns what to tell a person.
std::string write_order(const layout_report& r, const std::optional<suggested_file>& file, const lint_options& o) {
  if (o.out.empty()) return {};
  if (r.advice != advice::replace) return "Nothing was written to " + o.out + ": there is no better order\n";
  if (!file) throw invalid_argument("--out " + o.out + ": no file of this form says the plan; topoplan place --out writes it");
  write_file(o.out, {{}, [&](std::ostream& to) { to << file->text; }}, o.force);
  return "Wrote " + o.out + '\n';
}

}  // namespace

int run_lint(const lint_options& o, std::ostream& out) {
  if (o.force && o.out.empty()) throw invalid_argument("--force is about what --out writes; give --out FILE");
  topoplan::place_options rules;
  if (!o.confine.empty()) rules.confine = confinements_of(o.confine);
  if (o.thorough) rules.effort = topoplan::search_effort::thorough;
  const topoplan::cluster c = load_cluster(o.cluster);
  const lint_input in = read_layout(o, c);
  rules.launcher = in.plan_by;
  layout_report r = topoplan::lint_layout(c, in.job, in.gpu_of_rank, in.by, rules);
  r.notes.insert(r.notes.end(), in.notes.begin(), in.notes.end());
  const std::optional<suggested_file> file = r.advice == advice::replace ? suggest(*r.suggested, in, c) : std::nullopt;
  if (const std::size_t other = r.advice == advice::replace ? hosts_with_other_counts(*r.suggested, in, c) : 0; other > 0)
    r.notes.push_back("the suggestion runs another number of ranks than your file on " + counted(other, "host") +
                      "; --cluster FILE can mark GPUs that aren't yours as unhealthy");
  const std::string outcome = write_order(r, file, o);
  const int status = r.verdict.kept() ? 0 : 1;
  const std::string source = topoplan::import::source_name(o.layout);
  if (o.json) {
    topoplan::emit::lint_json(out, r, source);
    return status;
  }
  out << headline(r, in, file.has_value()) << '\n';
  out << "Layout: " << source << ", " << in.by.name << " (" << in.by.form << ")\n";
  for (const std::string& note : r.notes) out << "  note: " << note << '\n';
  report_job(out, in.job, c);
  report_rules(out, r.verdict);
  report_excess(out, r);
  report_costs(out, r);
  report_idle(out, r);
  report_order(out, r, file);
  out << outcome;
  return status;
}

}  // namespace topoplan_cli
