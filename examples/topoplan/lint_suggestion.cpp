#include "lint_suggestion.hpp"

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/import/launch_method.hpp>
#include <topoplan/import/rank_layout.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace topoplan_cli {
namespace {

namespace import = topoplan::import;
using import::launch_method;
using topoplan::host_id;
using topoplan::rank_id;

// The line of the text, without its end.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Names as the file writes them, by the name of the cluster.
using names_of_hosts = std::unordered_map<std::string_view, std::string_view>;

// Which processors a rankfile binds the local ranks of a host to: "slot=...", by host and GPU.
using bindings = std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>;

bindings bindings_of(const lint_input& in) {
  const auto lines = lines_of(in.text);
  bindings all;
  for (const import::rank_seat& s : in.seats->ranks) {
    std::string_view line = lines[s.line - 1];
    line = line.substr(0, line.find('#'));
    const std::size_t slot = line.find("slot");
    if (slot == std::string_view::npos) continue;
    line = line.substr(slot, line.find_last_not_of(" \t\r") + 1 - slot);
    all.emplace(std::pair(s.host.value, s.gpu), line);
  }
  return all;
}

// "NAME slots=8", "NAME:8" or "NAME".
std::string host_line(std::string_view name, std::size_t processes, const import::rank_seats& seats) {
  std::string line(name);
  if (seats.counts && seats.method == launch_method::mpich) line += ':' + std::to_string(processes);
  else if (seats.counts) line += " slots=" + std::to_string(processes);
  return line + '\n';
}

// The slots of a DeepSpeed host file stay what they are; what the plan uses of them is the include's.
suggested_file deepspeed_file(const topoplan::rank_map_view& map, const names_of_hosts& names) {
  suggested_file made;
  bool whole = true;
  for (std::uint32_t h = 0; h < map.hosts(); ++h) {
    const auto ranks = map.ranks_on(host_id{h});
    const std::size_t n = ranks.size();
    std::vector<std::uint32_t> slots(n);  // by local rank, which is the rank modulo n
    for (const rank_id r : ranks) slots[r.value % n] = map.gpu_of(r);
    std::size_t most = n;
    std::string list;
    for (std::size_t i = 0; i < n; ++i) {
      whole = whole && slots[i] == i;
      most = std::max<std::size_t>(most, slots[i] + 1);
      (list += i == 0 ? ":" : ",") += std::to_string(slots[i]);
    }
    const std::string_view name = names.at(map.host_name(host_id{h}));
    made.text += std::string(name) + " slots=" + std::to_string(most) + '\n';
    (made.include += made.include.empty() ? "" : "@").append(name) += list;
  }
  if (whole) made.include.clear();
  return made;
}

suggested_file file_of(const topoplan::rank_map_view& map, const lint_input& in, const names_of_hosts& names,
                       const topoplan::cluster& c) {
  const import::rank_seats& seats = *in.seats;
  suggested_file made;
  if (seats.method == launch_method::deepspeed) return deepspeed_file(map, names);
  if (seats.method == launch_method::slurm) {
    const bool counted = in.text.find('*') != std::string::npos;
    for (std::uint32_t r = 0, next = 0; r < map.world(); r = next) {
      const host_id h = map.host_of(rank_id{r});
      for (next = r + 1; counted && next < map.world() && map.host_of(rank_id{next}) == h;) ++next;
      made.text += std::string(names.at(map.host_name(h))) + (counted ? '*' + std::to_string(next - r) : "") + '\n';
    }
  } else if (seats.method == launch_method::openmpi_rankfile) {
    const bindings slot = bindings_of(in);
    std::unordered_map<std::string_view, std::uint32_t> id;
    for (const host_id h : c.all_hosts()) id.emplace(c.at(h).name, h.value);
    for (std::uint32_t r = 0; r < map.world(); ++r) {
      const std::string_view host = map.host_name(map.host_of(rank_id{r}));
      const auto bound = slot.find({id.at(host), map.gpu_of(rank_id{r})});
      made.text += "rank " + std::to_string(r) + '=' + std::string(names.at(host)) +
                   (bound == slot.end() ? "" : ' ' + bound->second) + '\n';
    }
  } else {
    for (std::uint32_t h = 0; h < map.hosts(); ++h)
      made.text += host_line(names.at(map.host_name(host_id{h})), map.ranks_on(host_id{h}).size(), seats);
  }
  return made;
}

}  // namespace

std::optional<suggested_file> suggest(const topoplan::plan& p, const lint_input& in, const topoplan::cluster& c) {
  if (!in.seats) return std::nullopt;
  const topoplan::rank_map_view& map = p.rank_map;
  names_of_hosts names;
  for (std::size_t i = 0; i < in.seats->hosts.size(); ++i) names.emplace(c.at(in.seats->hosts[i]).name, in.seats->names[i]);
  suggested_file made = file_of(map, in, names, c);
  launch_method by = in.seats->method;
  if (by == launch_method::torchrun_c10d) by = launch_method::torchrun;
  if (by == launch_method::openmpi_by_node) by = launch_method::openmpi;
  try {
    const import::rank_layout_options options{.launched_by = by, .include = made.include, .ranks = map.world()};
    const import::rank_seats back = import::rank_layout(made.text, "the suggestion", c, options);
    for (std::uint32_t r = 0; r < map.world(); ++r) {
      const import::rank_seat& s = back.ranks[r];
      if (c.at(s.host).name != map.host_name(map.host_of(rank_id{r})) || s.gpu != map.gpu_of(rank_id{r})) return std::nullopt;
    }
  } catch (const topoplan::error&) {
    return std::nullopt;
  }
  return made;
}

std::size_t hosts_with_other_counts(const topoplan::plan& p, const lint_input& in, const topoplan::cluster& c) {
  if (!in.seats || !in.seats->counts) return 0;
  std::unordered_map<std::string_view, std::size_t> has;
  for (const import::rank_seat& s : in.seats->ranks) ++has[c.at(s.host).name];
  std::size_t other = has.size() - std::min<std::size_t>(has.size(), p.rank_map.hosts());
  for (std::uint32_t h = 0; h < p.rank_map.hosts(); ++h)
    other += has[p.rank_map.host_name(host_id{h})] != p.rank_map.ranks_on(host_id{h}).size() ? 1U : 0U;
  return other;
}

}  // namespace topoplan_cli
