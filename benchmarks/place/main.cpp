// What placing costs and how good the plans are: a million GPUs against the bars; a public set and random instances against the
// lower bound, the orders that launchers make, and Scotch's mapping program; ten cases that mapping tools were measured on.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/step_table.hpp>
#include <topoplan/rank_map/binary.hpp>
#include <topoplan/solve/metrics.hpp>
#include <topoplan/solve/place.hpp>
#include <topoplan/solve/step_objective.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include "instances.hpp"
#include "peers.hpp"
#include "random_instances.hpp"

namespace {

using namespace topoplan;
using topoplan_bench::instance;
using topoplan_bench::mapped;

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

bool bars_kept = true;

void verdict_of(bool kept, const char* what, double measured, double limit, const char* unit) {
  bars_kept = bars_kept && kept;
  std::printf("  %-62s %9.3f %-3s bar %8.3f  %s\n", what, measured, unit, limit, kept ? "kept" : "MISSED");
}
void bar(const char* what, double measured, double limit, const char* unit) {
  verdict_of(measured <= limit, what, measured, limit, unit);
}
void at_least(const char* what, double measured, double limit, const char* unit) {
  verdict_of(measured >= limit, what, measured, limit, unit);
}

void million() {
  std::printf("dgx-h100:131072 (1,048,576 GPUs), tp 8 pp 16\n");
  const double start = seconds_now();
  const cluster c = presets::dgx_h100(131072);
  const double built = seconds_now();
  const double used = processor_seconds();
  const placement p = place(c, {.tp = 8, .pp = 16});
  const double placed = seconds_now();
  if (!p) std::printf("%s\n", p.why().c_str()), std::exit(1);
  char name[] = "/tmp/topoplan-benchmark-XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) std::exit(1);
  write_rank_map(name, p->rank_map);
  const double written = seconds_now();
  std::remove(name);
  std::printf("  cluster %.3f s, place %.3f s, binary %.3f s (%.1f MB); %s, %.3f of the order given\n", built - start,
              placed - built, written - placed, static_cast<double>(p->rank_map.image().size()) / 1e6,
              std::string(to_string(p->optimality)).c_str(),
              static_cast<double>(p->cost.cost) / static_cast<double>(p->given_order->cost));
  bar("place and binary, processor time", processor_seconds() - used, 1, "s");
  bar("place and binary, wall time", written - built, 1, "s");
  bar("peak memory, cluster and plan included", peak_megabytes(), 200, "MB");
}

double part(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

// The units of an instance as Scotch gets them: tensor-parallel groups (or what else is confined) contracted.
struct contracted {
  detail::slot_tree tree;
  detail::unit_graph graph;
  std::int64_t inside = 0;  // cost of the edges within units
};
std::optional<contracted> contract(const instance& k, bool by_rank = false) {
  const layout l(resolve_for(k.d, usable_gpus(k.c)), orders::megatron);
  const detail::network net(k.c);
  detail::pool p = detail::pools_of(k.c, net).front();
  if (p.usable < l.world() || detail::settle_nesting(k.c, p)) return std::nullopt;
  const detail::prices price = detail::priced(k.price, k.c.tiers.size());
  const std::vector<confinement> none;
  const auto s = detail::free_units(l, detail::confined_axes(by_rank ? none : k.options.confine, p), p.nest);
  if (!s || !s->one_domain) return std::nullopt;
  contracted made{detail::make_slot_tree(k.c, p, price, detail::slots_of(k.c, p, *s, detail::cutting::any), s->size,
                                         detail::container_kind::domain),
                  detail::make_unit_graph(l, detail::edge_axes(l, price), *s)};
  made.inside = made.graph.inside * price.distance[meeting::domain];
  return made;
}

// The cost of ranks on hosts in that order, where that keeps the rules. `whole`: only domains without a dead GPU are used.
std::optional<std::int64_t> cost_in_order(const instance& k, std::vector<std::uint32_t> hosts, bool whole) {
  const layout l(resolve_for(k.d, usable_gpus(k.c)), orders::megatron);
  if (whole) std::erase_if(hosts, [&](std::uint32_t h) { return detail::usable_on(k.c, h) < k.c.hosts[h].gpu_count; });
  const std::vector<std::uint32_t> gpus = detail::filled(k.c, hosts, l.world());
  if (gpus.empty()) return std::nullopt;
  const detail::network net(k.c);
  const detail::seating seats = detail::seats_of(k.c, gpus);
  if (!detail::judge(k.c, net, l, seats, k.options.confine, k.options.launcher, {}, k.options.mix).kept()) return std::nullopt;
  return detail::cost_of(net, l, detail::priced(k.price, k.c.tiers.size()), seats).cost;
}

std::string over(const std::optional<std::int64_t>& theirs, std::int64_t ours) {
  if (!theirs) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", ours > 0 ? static_cast<double>(*theirs) / static_cast<double>(ours) : 1.0);
  return text;
}

struct outcome {
  std::optional<std::int64_t> cost;
  double gap = 0;
  double seconds = 0;
  topoplan::optimality how = optimality::heuristic;
  std::uint32_t ranks = 0;
  bool judged = false;
};
outcome run(const instance& k, search_effort effort) {
  place_options o = k.options;
  o.effort = effort;
  const double start = processor_seconds();
  const placement p = place(k.c, k.d, orders::megatron, o, k.price);
  outcome out;
  out.seconds = processor_seconds() - start;
  if (!p) {
    std::printf("%-20s %s\n", k.name.c_str(), p.why().c_str());
    return out;
  }
  out.cost = p->cost.cost;
  out.gap = p->gap();
  out.how = p->optimality;
  out.ranks = p->rank_map.world();
  out.judged = measure(k.c, p->rank_map, k.price).cost == p->cost.cost &&
               check(k.c, p->rank_map, o.confine, o.launcher, {}, o.mix).kept() && p->lower_bound <= p->cost.cost;
  return out;
}

void named(const std::string& path, const std::string& only, bool peers) {
  std::printf("\nThe public set (%s); ratios: cost over ours at thorough effort; times in processor seconds\n", path.c_str());
  std::printf("%-20s %7s %12s %7s %7s %7s %7s %7s %8s %8s %8s  %s\n", "instance", "ranks", "cost", "gap %", "given", "natural",
              "segment", "scotch", "standard", "thorough", "scotch s", "verdict");
  std::vector<double> gaps;
  std::string worst;
  double most = 0;
  int behind = 0;
  int orders_ahead = 0;
  int wrong = 0;
  int dividing = 0;
  int met = 0;
  double slowest = 0;
  for (const instance& k : topoplan_bench::read_instances(path)) {
    if (!only.empty() && k.name != only) continue;
    const outcome standard = run(k, search_effort::standard);
    const outcome best = run(k, search_effort::thorough);
    if (!best.cost || !standard.cost) {
      ++wrong;
      continue;
    }
    wrong += best.judged && standard.judged ? 0 : 1;
    std::vector<std::uint32_t> hosts(k.c.hosts.size());
    std::iota(hosts.begin(), hosts.end(), 0U);
    const auto given = cost_in_order(k, hosts, false);
    const std::vector<std::uint32_t> by_name = detail::by_natural_name(k.c, hosts);
    const auto natural = cost_in_order(k, by_name, false);
    const auto segments = cost_in_order(k, by_name, true);
    for (const auto& theirs : {given, natural, segments}) orders_ahead += theirs && *theirs < *standard.cost ? 1 : 0;
    mapped other;
    if (peers && best.ranks <= 16384)
      if (const std::optional<contracted> c = contract(k)) {
        other = topoplan_bench::scotch(c->graph, c->tree, 5);
        if (other.cost) *other.cost += c->inside;
      }
    if (other.cost && *other.cost < *best.cost) ++behind;
    if (best.ranks <= 8192) slowest = std::max(slowest, best.seconds);
    const bool regular = k.origin == "powers of two";
    dividing += regular ? 1 : 0;
    met += regular && best.gap == 0 ? 1 : 0;
    if (!regular) gaps.push_back(100 * best.gap);
    if (best.gap > most) {
      most = best.gap;
      worst = k.name;
    }
    std::printf("%-20s %7u %12lld %7.2f %7s %7s %7s %7s %8.3f %8.3f %8.3f  %s%s\n", k.name.c_str(), best.ranks,
                static_cast<long long>(*best.cost), 100 * best.gap, over(given, *best.cost).c_str(),
                over(natural, *best.cost).c_str(), over(segments, *best.cost).c_str(), over(other.cost, *best.cost).c_str(),
                standard.seconds, best.seconds, other.seconds, std::string(to_string(best.how)).c_str(),
                best.judged && standard.judged ? "" : "  JUDGE DISAGREES");
    std::fflush(stdout);
  }
  bar("instances without a plan that the judge confirms", wrong, 0, "");
  bar("orders of launchers that cost less than standard effort", orders_ahead, 0, "");
  if (peers) bar("instances on which Scotch is ahead of thorough effort", behind, 0, "");
  bar("thorough effort up to 8,192 GPUs, slowest", slowest, 4, "s");
  if (dividing > 0) at_least("powers of two: share of gap 0", 100.0 * met / dividing, 75, "%");
  bar("gap to the bound, others, median", part(gaps, 0.5), 4, "%");
  bar("gap to the bound, others, 90th percentile", part(gaps, 0.9), 12, "%");
  std::printf("  largest gap: %s, %.1f %%\n", worst.c_str(), 100 * most);
}

void random_set(std::uint64_t count, bool peers) {
  std::printf("\n%llu random instances of 16-512 hosts; Scotch: the best of 5 vertex orders on the contracted graph\n",
              static_cast<unsigned long long>(count));
  int even[2] = {0, 0};
  std::vector<double> ratios;
  std::vector<double> times;
  double worst = 10;
  std::string worst_name;
  std::vector<double> gaps;
  for (std::uint64_t n = 0; n < count; ++n) {
    const instance k = topoplan_bench::random_instance(n);
    const outcome standard = run(k, search_effort::standard);
    const outcome best = run(k, search_effort::thorough);
    const std::optional<contracted> c = contract(k);
    if (!standard.cost || !best.cost || !c || !best.judged) {
      bars_kept = false;
      continue;
    }
    gaps.push_back(100 * best.gap);
    if (!peers) continue;
    const mapped other = topoplan_bench::scotch(c->graph, c->tree, 5);
    if (const std::optional<contracted> ranks = contract(k, true))
      times.push_back(standard.seconds / topoplan_bench::scotch(ranks->graph, ranks->tree, 1).seconds);
    const auto ratio = [&](std::int64_t ours) {
      return other.cost ? static_cast<double>(*other.cost + c->inside) / static_cast<double>(ours) : 10.0;
    };
    even[0] += ratio(*standard.cost) >= 1 ? 1 : 0;
    even[1] += ratio(*best.cost) >= 1 ? 1 : 0;
    if (other.cost) ratios.push_back(ratio(*best.cost));
    if (ratio(*best.cost) < worst) {
      worst = ratio(*best.cost);
      worst_name = k.name;
    }
  }
  std::printf("  gap to the bound at thorough effort: median %.2f %%, 90th percentile %.2f %%\n", part(gaps, 0.5),
              part(gaps, 0.9));
  if (!peers || count == 0) return;
  std::printf("  Scotch over ours (thorough): least %.4f (%s), 10th percentile %.4f, median %.4f, 90th %.4f\n", worst,
              worst_name.c_str(), part(ratios, 0.1), part(ratios, 0.5), part(ratios, 0.9));
  at_least("thorough effort: cost at most Scotch's", 100.0 * even[1] / static_cast<double>(count), 98, "%");
  at_least("thorough effort: worst of Scotch's cost over ours", worst, 0.98, "");
  at_least("standard effort: cost at most Scotch's", 100.0 * even[0] / static_cast<double>(count), 90, "%");
  bar("standard effort: time over one Scotch run on ranks, median", part(times, 0.5), 1.5, "x");
}

// The same set by the time of a step of a dense model, as far as its axes are dense, with uplinks as they are and at 4 to 1.
void by_time(const std::string& path, const std::string& only) {
  std::printf("\nBy the time of a step (24 layers of 4096, H100): how far above the least exposed communication\n");
  transformer model;
  model.name = "dense";
  model.hidden = 4096;
  model.vocabulary = 32000;
  layer_kind kind;
  kind.attention = {.heads = 32, .kv_heads = 8, .head_size = 128};
  kind.mlp.size = 16384;
  model.kinds.push_back(kind);
  model.layers.assign(96, 0);
  std::vector<double> gaps;
  int slower = 0;
  double most = 0;
  std::string worst;
  for (const double ratio : {0.0, 4.0})
    for (instance& k : topoplan_bench::read_instances(path)) {
      if ((!only.empty() && k.name != only) || k.d.ep > 1 || !k.options.mix.empty() || usable_gpus(k.c) > 8192) continue;
      if (ratio > 0)
        for (tier& t : k.c.tiers) t.oversubscription = ratio;
      k.c.nic.rate = bytes_per_second{50e9};
      k.c.nvlink.rate = bytes_per_second{450e9};
      training t;
      const resolved_degrees d = resolve_for(k.d, usable_gpus(k.c));
      t.sequence = 6144;
      t.global_batch = 16 * d.dp;
      const machine gpu = machine_of(*lookup_gpu("h100-sxm"), interconnect_of(k.c));
      const step_objective step(k.c, model, t, d, gpu, calibration_of(gpu.family));
      const placement p = place(k.c, k.d, orders::megatron, k.options, step);
      if (!p) continue;
      gaps.push_back(100 * p->gap());
      slower += p->given_step && p->given_step->seconds < p->step->seconds - 1e-9 ? 1 : 0;
      if (p->gap() > most) {
        most = p->gap();
        worst = k.name + (ratio > 0 ? ", 4 to 1" : "");
      }
    }
  bar("plans slower than the order given", slower, 0, "");
  bar("exposed time above the least, median", part(gaps, 0.5), 0, "%");
  bar("exposed time above the least, 90th percentile", part(gaps, 0.9), 25, "%");
  std::printf("  %zu runs; largest: %s, %.1f %%\n", gaps.size(), worst.c_str(), 100 * most);
}

void hard_cases() {
  struct hard {
    const char* name;
    std::uint32_t tp, pp, dp;
    std::int64_t tp_weight, dp_weight, pp_weight;
    std::uint16_t gpus;
    std::uint32_t hosts, leaves;
    bool all_pairs, whole;
    std::int64_t known;
  };
  const std::vector<hard> cases{
      {"heavy tp", 8, 8, 16, 1000, 100, 10, 8, 16, 8, false, true, 4'876'800},
      {"close weights", 8, 8, 16, 100, 90, 80, 8, 16, 8, false, true, 2'662'400},
      {"tp4", 4, 16, 16, 1000, 100, 10, 8, 16, 8, false, true, 2'284'800},
      {"tp4, odd dp", 4, 8, 24, 1000, 100, 30, 8, 12, 8, false, true, 2'076'800},
      {"tp2, dp all-to-all, tp may split", 2, 8, 64, 300, 100, 50, 8, 16, 8, true, false, 31'910'400},
      {"tp2, dp all-to-all", 2, 8, 64, 300, 100, 50, 8, 16, 8, true, true, 32'371'200},
      {"tp6, 6 GPUs a host", 6, 8, 20, 1000, 100, 10, 6, 20, 8, false, true, 3'612'000},
      {"tp16, 8 GPUs a host", 16, 8, 8, 1000, 100, 10, 8, 16, 8, false, false, 45'836'800},
      {"8192 ranks", 8, 16, 64, 1000, 100, 10, 8, 32, 32, false, true, 39'372'800},
      {"8192 ranks, tp4", 4, 32, 64, 1000, 100, 10, 8, 32, 32, false, true, 18'867'200},
  };
  std::printf("\nhard cases: distances 1, 10, 30; tp all-to-all, dp ring, pp chain; bar: the best known cost\n");
  for (const hard& k : cases) {
    cluster c = topoplan_bench::uneven({std::vector<std::uint32_t>(k.leaves, k.hosts)});
    for (gpu& g : c.gpus)
      if (g.index >= k.gpus) g.health = gpu_health::unhealthy;
    custom_objective price;
    price.distances = {1, 1, 10, 30};
    const auto set = [&](axis a, std::int64_t weight, edge_pattern pattern) {
      price.weights[static_cast<std::size_t>(a)] = weight;
      price.patterns[static_cast<std::size_t>(a)] = pattern;
    };
    set(axis::tp, k.tp_weight, edge_pattern::all_to_all);
    set(axis::dp, k.dp_weight, k.all_pairs ? edge_pattern::all_to_all : edge_pattern::ring);
    set(axis::pp, k.pp_weight, edge_pattern::chain);
    place_options o{.confine = {}, .launcher = launchers::free};
    if (k.whole) o.confine = {rules::tp_in_domain};
    const placement p = place(c, {.tp = k.tp, .dp = k.dp, .pp = k.pp}, orders::megatron, o, price);
    bar(k.name, p ? static_cast<double>(p->cost.cost) : 1e300, static_cast<double>(k.known), "");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  std::string only;
  std::string path = TOPOPLAN_INSTANCES;
  std::uint64_t random = 250;
  bool large = true;
  for (int i = 1; i < argc; ++i) {
    const std::string_view given = argv[i];
    if (given == "--only" && i + 1 < argc) only = argv[++i];
    else if (given == "--random" && i + 1 < argc) random = std::strtoull(argv[++i], nullptr, 10);
    else if (given == "--instances" && i + 1 < argc) path = argv[++i];
    else {
      std::fprintf(stderr, "usage: topoplan-bench-place [--only INSTANCE] [--random N] [--instances FILE]\n");
      return 2;
    }
  }
  if (!only.empty()) {
    large = false;
    random = 0;
  }
  const bool peers = topoplan_bench::have_scotch();
  if (!peers) std::printf("scotch_gmap isn't installed (Debian: scotch): its columns are empty and its bars aren't measured\n");
  if (large) {
    million();
    hard_cases();
  }
  named(path, only, peers);
  by_time(path, only);
  random_set(random, peers);
  return bars_kept ? 0 : 1;
} catch (const topoplan::error& e) {
  std::fprintf(stderr, "topoplan-bench-place: %s\n", e.what());
  return 2;
}
