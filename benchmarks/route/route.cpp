// How far the tier model of loads is from traffic that is routed link by link: one row a fabric, axis and seating, the fullest
// link between switches as a share of its rate. Fractional splitting has a bar; what hashed ECMP makes of the same flows stands
// beside it.
#include <topoplan/cluster/spec.hpp>
#include <topoplan/cost/placement_groups.hpp>
#include <topoplan/graph/regular_fabric.hpp>
#include <topoplan/graph/route.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/solve/routed_load.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace topoplan;

constexpr double bar = 0.01;
constexpr std::uint64_t seeds[] = {1, 2, 3, 4, 5};

// Which GPU each rank takes: hosts in order, hosts of the leaf groups in turn, or that with each host's GPUs turned by one more
// than the host's before, so that groups cross rails.
enum class seating : std::uint8_t { in_order, across_leaves, across_rails };
constexpr std::string_view seating_names[] = {"in order", "across leaves", "across leaves and rails"};

struct fullest {
  double share = 0;
  std::string arc;
};

// The fullest link between switches: NIC links are what the tier model counts in.
fullest fullest_uplink(const fabric_graph& g, const routed_traffic& t) {
  fullest most;
  std::size_t hottest = 0;
  std::size_t i = 0;
  for (auto [at, end] = edges(g); at != end; ++at, ++i) {
    if (g[source(*at, g)].kind < vertex_kind::leaf || g[target(*at, g)].kind < vertex_kind::leaf) continue;
    const double share = t.load[i] / g[*at].rate.value;
    if (share <= most.share) continue;
    most.share = share;
    hottest = i;
  }
  if (most.share > 0) most.arc = arc_name(g, hottest);
  return most;
}

std::vector<std::uint32_t> seats(const cluster& c, seating how) {
  std::vector<std::vector<std::uint32_t>> below(c.tiers[0].nodes.size());
  for (std::uint32_t h = 0; h < c.hosts.size(); ++h) below[c.hosts[h].leaf].push_back(h);
  std::vector<std::uint32_t> order;
  if (how == seating::in_order) {
    order.resize(c.hosts.size());
    std::iota(order.begin(), order.end(), 0U);
  } else {
    for (std::size_t i = 0; order.size() < c.hosts.size(); ++i)
      for (const auto& hosts : below)
        if (i < hosts.size()) order.push_back(hosts[i]);
  }
  std::vector<std::uint32_t> gpus;
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    const host& h = c.hosts[order[k]];
    const std::uint32_t turn = how == seating::across_rails ? k : 0;
    for (std::uint32_t i = 0; i < h.gpu_count; ++i) gpus.push_back(h.first_gpu + (i + turn) % h.gpu_count);
  }
  return gpus;
}

struct axis_row {
  const layout* job;
  axis of;
  edge_pattern pattern;
  double load;  // of the tier model
};

}  // namespace

int main() {
  std::printf("%-40s %-24s %-3s %-10s %8s %8s %8s %8s %8s  %s\n", "fabric", "ranks", "", "pattern", "tiers", "routed", "off",
              "hashed", "worst", "fullest link");
  double worst = 0;
  std::size_t rows = 0;
  std::size_t flows_routed = 0;
  double seconds = 0;
  for (const char* spec :
       {"dgx-h100:64", "dgx-h100:64 oversubscription=2", "dgx-h100:64 oversubscription=4", "hgx-h100:48 leaf=16",
        "hgx-h100:48 leaf=16 oversubscription=2", "hgx-h100:48 leaf=16 oversubscription=4", "dgx-a100:80", "dgx-a100:48"}) {
    const cluster c = make_cluster(spec);
    const fabric_graph g = to_fabric_graph(regular_fabric(spec));
    const auto world = static_cast<std::uint32_t>(c.gpus.size());
    // A leaf switch that isn't full still has whole cables to every spine, and so more of them than the tier model counts.
    const bool full = std::string_view(spec) != "dgx-a100:48";
    const layout l(resolve({.tp = 8, .ep = 8, .expert_tp = 8, .pp = 2}, world), orders::megatron);
    const layout wide(resolve({.tp = 2, .ep = 16, .expert_tp = 2, .pp = 2}, world), orders::megatron);  // 4 of a group a host
    for (const seating how : {seating::in_order, seating::across_leaves, seating::across_rails}) {
      const std::vector<std::uint32_t> gpus = seats(c, how);
      const axis_groups tiers = groups_of(c, l, gpus);
      const axis_groups wide_tiers = groups_of(c, wide, gpus);
      for (const axis_row& a : {axis_row{&l, axis::dp, edge_pattern::ring, tiers.dp.ring_load},
                                {&l, axis::pp, edge_pattern::ring, tiers.pp.ring_load},
                                {&l, axis::ep, edge_pattern::all_to_all, tiers.ep.exchange_load},
                                {&wide, axis::ep, edge_pattern::all_to_all, wide_tiers.ep.exchange_load}}) {
        const auto flows = flows_of(g, *a.job, gpus, a.of, a.pattern, c.nic.rate);
        const auto start = std::chrono::steady_clock::now();
        const fullest routed = fullest_uplink(g, route(g, flows));
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        flows_routed += flows.size();
        double mean = 0;
        double most = 0;
        for (const std::uint64_t seed : seeds) {
          const double share = fullest_uplink(g, route(g, flows, {path_split::hashed, 16, seed})).share;
          mean += share / static_cast<double>(std::size(seeds));
          most = std::max(most, share);
        }
        // Where nothing leaves the leaf groups both are 0.
        const double off = routed.share > 0 ? std::abs(a.load - routed.share) / routed.share : a.load;
        if (full) worst = std::max(worst, off);
        ++rows;
        std::printf("%-40s %-24s %-3s %-10s %8.3f %8.3f %7.2f%% %8.3f %8.3f  %s%s\n", spec,
                    seating_names[static_cast<std::size_t>(how)].data(), to_string(a.of).data(), to_string(a.pattern).data(),
                    a.load, routed.share, off * 100, mean, most, routed.arc.c_str(),
                    full ? "" : "  (leaf group not full, no bar)");
      }
    }
  }
  std::printf(
      "\n%zu rows; share of the fullest link's rate when every NIC sends at its own; hashed: ECMP with 16 connections a flow, "
      "mean and worst of %zu seeds\n",
      rows, std::size(seeds));
  std::printf("%zu flows routed fractionally in %.2f s\n", flows_routed, seconds);
  std::printf("largest difference %.3f %%  <= %g %%  %s\n", worst * 100, bar * 100, worst <= bar ? "met" : "MISSED");
  return worst <= bar ? 0 : 1;
}
