#include "lint_input.hpp"

#include <topoplan/core/error.hpp>
#include <topoplan/import/launch_method.hpp>
#include <topoplan/import/rank_layout.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plan_input.hpp"

namespace topoplan_cli {
namespace {

namespace import = topoplan::import;
using import::launch_method;
using topoplan::invalid_argument;

bool is_rank_map(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return (first != std::string::npos && text[first] == '{') || text.starts_with("\x89TPMAP");
}

std::string kind_of(launch_method m) {
  if (m == launch_method::slurm) return "SLURM_HOSTFILE";
  if (m == launch_method::openmpi_rankfile) return "rankfile";
  return "host file";
}

// The degrees and the order of a map, which the command line may repeat but not contradict.
void check_degrees(const lint_options& o, const topoplan::layout& job) {
  const topoplan::resolved_degrees& d = job.degrees();
  const auto given = [&](std::string_view name) {
    return std::find(o.degrees_given.begin(), o.degrees_given.end(), name) != o.degrees_given.end();
  };
  const auto same = [&](const char* name, std::uint32_t asked, std::uint32_t has) {
    if (given(name) && asked != has)
      throw invalid_argument(std::string(name) + ' ' + std::to_string(asked) + ": the rank map " + o.layout + " is of " +
                             std::string(name).substr(2) + ' ' + std::to_string(has));
  };
  same("--tp", o.job.tp, d.tp);
  same("--cp", o.job.cp, d.cp);
  same("--ep", o.job.ep, d.ep);
  same("--expert-tp", o.job.expert_tp, d.expert_tp);
  same("--pp", o.job.pp, d.pp);
  same("--dp", o.job.dp, d.dp);
  if (given("--order") && topoplan::order(o.job.order) != job.order())
    throw invalid_argument("--order " + o.job.order + ": the rank map " + o.layout + " has order " + to_string(job.order()));
}

lint_input from_map(const lint_options& o, const topoplan::cluster& c) {
  for (const auto& [given, name] : {std::pair{!o.launched_by.empty(), "--launched-by"}, {!o.include.empty(), "--include"}})
    if (given) throw invalid_argument(std::string(name) + " goes with a host list, and " + o.layout + " is a rank map");
  const topoplan::rank_map map = read_plan(o.layout);
  check_degrees(o, map.layout());
  std::unordered_map<std::string_view, topoplan::host_id> by_name;
  for (const topoplan::host_id h : c.all_hosts()) by_name.emplace(c.at(h).name, h);
  std::vector<topoplan::gpu_id> gpus(map.world());
  for (std::uint32_t m = 0; m < map.hosts(); ++m) {
    const std::string_view name = map.host_name(topoplan::host_id{m});
    const auto found = by_name.find(name);
    if (found == by_name.end())
      throw invalid_argument(o.layout + " puts ranks on host " + topoplan::quoted(name) + ", which " + c.name + " doesn't have");
    const topoplan::host& h = c.at(found->second);
    for (const topoplan::rank_id r : map.ranks_on(topoplan::host_id{m})) {
      if (map.gpu_of(r) >= h.gpu_count)
        throw invalid_argument(o.layout + " puts rank " + std::to_string(r.value) + " on GPU " + std::to_string(map.gpu_of(r)) +
                               " of host " + topoplan::quoted(name) + ", which has " + std::to_string(h.gpu_count));
      gpus[r.value] = topoplan::gpu_id{h.first_gpu + map.gpu_of(r)};
    }
  }
  const topoplan::launcher by = map.contiguous() ? topoplan::launchers::torchrun : topoplan::launchers::free;
  return {.kind = "rank map", .text = {}, .job = map.layout(), .gpu_of_rank = std::move(gpus), .by = by, .plan_by = by};
}

// The ranks that --dp and the other degrees make; 0 if --dp isn't given.
std::uint32_t ranks_asked(const topoplan::degrees& d) {
  if (d.dp == 0) return 0;
  return static_cast<std::uint32_t>(topoplan::resolve_for(d, std::numeric_limits<std::uint32_t>::max()).world());
}

lint_input from_list(const lint_options& o, const topoplan::cluster& c, std::string text) {
  const topoplan::degrees d{
      .tp = o.job.tp, .cp = o.job.cp, .ep = o.job.ep, .expert_tp = o.job.expert_tp, .dp = o.job.dp, .pp = o.job.pp};
  import::rank_layout_options options;
  if (!o.launched_by.empty()) options.launched_by = import::parse_launch_method(o.launched_by);
  options.include = o.include;
  options.ranks = ranks_asked(d);
  const std::string source = import::source_name(o.layout);
  import::rank_seats seats = import::rank_layout(text, source, c, options);
  const auto job = [&] {
    try {
      return topoplan::layout(topoplan::resolve_for(d, seats.ranks.size()),
                              o.job.order.empty() ? topoplan::orders::megatron : topoplan::order(o.job.order));
    } catch (const invalid_argument& e) {
      throw invalid_argument(source + " starts " + std::to_string(seats.ranks.size()) + " ranks, one a GPU: " + e.what());
    }
  };
  const import::launch_traits& how = import::traits_of(seats.method);
  const bool placed = seats.method == launch_method::slurm || seats.method == launch_method::openmpi_rankfile;
  lint_input made{.kind = kind_of(seats.method),
                  .text = std::move(text),
                  .job = job(),
                  .gpu_of_rank = {},
                  .by = {how.name, how.contiguous, how.how},
                  .plan_by = {how.name, !placed, how.how},
                  .seats = {},
                  .notes = seats.notes};
  for (const import::rank_seat& s : seats.ranks) made.gpu_of_rank.emplace_back(c.at(s.host).first_gpu + s.gpu);
  if (seats.method == launch_method::torchrun_c10d)
    made.notes.push_back(
        "c10d rendezvous keeps no order of yours; with --rdzv-backend static, --node-rank = line of the file does");
  if (seats.method == launch_method::openmpi_by_node) made.notes.push_back("the order below is for mpirun --map-by slot");
  made.seats = std::move(seats);
  return made;
}

}  // namespace

lint_input read_layout(const lint_options& o, const topoplan::cluster& c) {
  if (std::filesystem::is_directory(o.layout)) return from_map(o, c);
  std::string text = import::read_file(o.layout);
  return is_rank_map(text) ? from_map(o, c) : from_list(o, c, std::move(text));
}

}  // namespace topoplan_cli
