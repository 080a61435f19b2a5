// Places a job on a graph that isn't topoplan's: your own Boost.Graph type, your own structs, a few property maps.
#include <topoplan/graph/fold.hpp>
#include <topoplan/solve/place.hpp>

#include <boost/graph/adjacency_list.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace inventory {

// What a site's asset database knows.
enum class item { accelerator, adapter, edge_switch, aggregation_switch };
enum class cable { bridge, slot, fibre };
struct asset {
  item what;
  std::string server;  // empty for switches
};
struct connection {
  cable what;
  double gbit;
};
using graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, asset, connection>;

// Eight servers of four GPUs, all joined by NVLink bridges, and one adapter for each pair. Half of the servers hang on one
// edge switch, half on the other, and the database lists them in turn.
graph read() {
  graph g;
  const auto add = [&](item what, const std::string& server = {}) { return add_vertex(asset{what, server}, g); };
  const auto join = [&](auto a, auto b, cable what, double gbit) { add_edge(a, b, connection{what, gbit}, g); };
  const auto top = add(item::aggregation_switch);
  const std::size_t edge[] = {add(item::edge_switch), add(item::edge_switch)};
  for (const std::size_t one : edge) join(one, top, cable::fibre, 800);
  const std::string servers[] = {"ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"};
  for (std::size_t s = 0; s < 8; ++s) {
    std::vector<std::size_t> gpus;
    for (int i = 0; i < 4; ++i) gpus.push_back(add(item::accelerator, servers[s]));
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) join(gpus[i], gpus[j], cable::bridge, 800);
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const std::size_t adapter = add(item::adapter, servers[s]);
      for (std::size_t i = 0; i < 2; ++i) join(gpus[2 * pair + i], adapter, cable::slot, 252);
      join(adapter, edge[s % 2], cable::fibre, 200);
    }
  }
  return g;
}

}  // namespace inventory

int main() try {
  const inventory::graph g = inventory::read();

  // Properties are Boost property maps, or functions of a vertex or an edge.
  const auto kind = [&](std::size_t v) {
    switch (g[v].what) {
      case inventory::item::accelerator: return topoplan::vertex_kind::gpu;
      case inventory::item::adapter: return topoplan::vertex_kind::nic;
      case inventory::item::edge_switch: return topoplan::vertex_kind::leaf;
      default: return topoplan::vertex_kind::spine;
    }
  };
  const auto link = [&](const auto& e) {
    switch (g[e].what) {
      case inventory::cable::bridge: return topoplan::link_kind::nvlink;
      case inventory::cable::slot: return topoplan::link_kind::pcie;
      default: return topoplan::link_kind::network;
    }
  };
  const auto rate = [&](const auto& e) { return topoplan::gigabits_per_second(g[e].gbit); };
  const topoplan::cluster c =
      topoplan::fold(g, kind, get(&inventory::asset::server, g), link, rate, {.name = "inventory", .gpu_model = "A100-SXM 80GB"});

  std::cout << c.hosts.size() << " hosts, " << c.gpus.size() << " GPUs, " << c.domains << " NVLink domains, " << c.rails
            << " rail, " << c.tiers[0].nodes.size() << " leaf groups, oversubscription " << c.tiers[0].oversubscription << '\n'
            << "NVLink " << c.nvlink.rate.gigabytes() << " GB/s, PCIe " << c.pcie.rate.gigabytes() << " GB/s, NIC "
            << c.nic.rate.gigabytes() << " GB/s per GPU\n";

  const topoplan::placement answer = topoplan::place(c, {.tp = 4, .dp = 4, .pp = 2});
  if (!answer) {
    std::cout << answer.why() << '\n';
    return 1;
  }
  const topoplan::rank_map& map = answer->rank_map;
  for (std::uint32_t r = 0; r < map.world(); r += 4) {
    const topoplan::coordinate at = map.coordinate(topoplan::rank_id{r});
    std::cout << "ranks " << r << '-' << r + 3 << ": " << map.host_name(map.host_of(topoplan::rank_id{r})) << ", stage "
              << at[topoplan::axis::pp] << ", replica " << at[topoplan::axis::dp] << '\n';
  }
  std::cout << "cost " << answer->cost.cost << ", in the order of the database "
            << (answer->given_order ? std::to_string(answer->given_order->cost) : "none") << ", " << to_string(answer->optimality)
            << '\n';
} catch (const topoplan::error& e) {
  std::cerr << e.what() << '\n';
  return 2;
}
