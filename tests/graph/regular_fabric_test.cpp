#include <topoplan/cluster/fabric.hpp>
#include <topoplan/graph/regular_fabric.hpp>

#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/edmonds_karp_max_flow.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <boost/property_map/property_map.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using topoplan::fabric_arc;
using topoplan::fabric_edge;
using topoplan::fabric_graph;
using topoplan::fabric_vertex;
using topoplan::link_kind;
using topoplan::regular_fabric;
using topoplan::reverse_arc;
using topoplan::vertex_kind;

namespace {

constexpr std::string_view specs[] = {"dgx-h100:1",
                                      "dgx-h100:31",
                                      "dgx-h100:70",
                                      "dgx-a100:45",
                                      "dgx-b200:300",
                                      "dgx-b300:65",
                                      "dgx-b300:73 fabric=ib",
                                      "gb200-nvl72:1",
                                      "gb200-nvl72:10",
                                      "gb300-nvl72:9 leaf=2",
                                      "hgx-h100:96 leaf=32 oversubscription=2 fabric=roce",
                                      "dgx-b200:300 oversubscription=1,7",
                                      "dgx-h100:40 rails=2 leaf=3",
                                      "dgx-h100:40 rails=1 leaf=4",
                                      "aws-p4d:5",
                                      "aws-p5:3 leaf=2",
                                      "oci-mi300x:3",
                                      "isambard-ai:2"};

std::map<vertex_kind, std::size_t> count_kinds(const regular_fabric& g) {
  std::map<vertex_kind, std::size_t> kinds;
  for (auto [v, end] = vertices(g); v != end; ++v) ++kinds[g[*v].kind];
  return kinds;
}

std::size_t degree_to(const regular_fabric& g, std::uint32_t v, vertex_kind kind) {
  std::size_t count = 0;
  for (auto [u, end] = adjacent_vertices(v, g); u != end; ++u) count += g[*u].kind == kind ? 1U : 0U;
  return count;
}

std::uint32_t first_of(const regular_fabric& g, vertex_kind kind) {
  for (auto [v, end] = vertices(g); v != end; ++v)
    if (g[*v].kind == kind) return *v;
  return regular_fabric::null_vertex();
}

// All that BGL promises of a graph, and that arcs come in pairs.
void check_graph(const regular_fabric& g) {
  std::uint64_t number = 0;
  std::uint32_t expected = 0;
  bool good = true;
  const auto index = get(boost::edge_index, g);
  auto [all, all_end] = edges(g);
  for (auto [v, end] = vertices(g); v != end; ++v, ++expected) {
    good = good && *v == expected;
    auto [out, out_end] = out_edges(*v, g);
    auto [in, in_end] = in_edges(*v, g);
    auto [near, near_end] = adjacent_vertices(*v, g);
    good = good && static_cast<std::size_t>(out_end - out) == out_degree(*v, g);
    good = good && in_end - in == out_end - out && near_end - near == out_end - out;
    for (; out != out_end; ++out, ++in, ++near, ++all, ++number) {
      const fabric_arc e = *out, back = reverse_arc(e);
      good = good && *all == e && get(index, e) == number;
      good = good && source(e, g) == *v && target(e, g) == *near && target(e, g) != *v;
      good = good && reverse_arc(*in) == e && target(*in, g) == *v;
      // The arc that leads back is where it says, carries the same, and has the same link number.
      good = good && back.slot < out_degree(back.from, g);
      const fabric_arc there = *(out_edges(back.from, g).first + back.slot);
      good = good && there == back && there.to == e.from && there.back_slot == e.slot;
      good = good && g[e] == g[back] && g[e].rate.value > 0 && g[e].count > 0;
      good = good && get(get(boost::edge_reverse, g), e) == back;
      good = good && get(&fabric_edge::rate, g, e) == g[e].rate && get(&fabric_vertex::host, g, *v) == g[*v].host;
    }
  }
  CHECK(good);
  CHECK(all == all_end);
  CHECK(number == num_edges(g));
  CHECK(expected == num_vertices(g));
}

template <class Graph> std::size_t components(const Graph& g) {
  std::vector<int> component(num_vertices(g));
  return static_cast<std::size_t>(
      boost::connected_components(g, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, g))));
}

template <class Graph> std::vector<double> hops_by_dijkstra(const Graph& g, std::uint32_t from) {
  using edge = typename boost::graph_traits<Graph>::edge_descriptor;
  std::vector<double> distance(num_vertices(g));
  const auto one = boost::make_function_property_map<edge, double>([](const edge&) { return 1.0; });
  boost::dijkstra_shortest_paths(g, from, boost::dummy_property_map(),
                                 boost::make_iterator_property_map(distance.begin(), get(boost::vertex_index, g)), one,
                                 get(boost::vertex_index, g), std::less<>(), std::plus<>(),
                                 std::numeric_limits<double>::infinity(), 0.0, boost::dijkstra_visitor<>());
  return distance;
}

// Max-flow between two vertices in whole bytes per second by two algorithms. Not push-relabel: Boost's wants arcs that lead
// back to have no capacity of their own.
template <class Graph, class Reverse>
std::array<std::int64_t, 2> flows(Graph& g, std::uint32_t from, std::uint32_t to, Reverse reverse) {
  using edge = typename boost::graph_traits<Graph>::edge_descriptor;
  const auto index = get(boost::edge_index, g);
  const auto capacity =
      boost::make_function_property_map<edge, std::int64_t>([&g](const edge& e) { return std::llround(g[e].rate.value); });
  std::vector<std::int64_t> left(num_edges(g));
  const auto residual = boost::make_iterator_property_map(left.begin(), index);
  const std::int64_t grown =
      boost::boykov_kolmogorov_max_flow(g, capacity, residual, reverse, get(boost::vertex_index, g), from, to);
  std::vector<boost::default_color_type> colors(num_vertices(g));
  std::vector<edge> before(num_vertices(g));
  const std::int64_t augmented = boost::edmonds_karp_max_flow(
      g, from, to, capacity, residual, reverse, boost::make_iterator_property_map(colors.begin(), get(boost::vertex_index, g)),
      boost::make_iterator_property_map(before.begin(), get(boost::vertex_index, g)));
  return {grown, augmented};
}

}  // namespace

TEST_SUITE_BEGIN("graph/regular_fabric");

TEST_CASE("every arc of every fabric is where its neighbours say it is") {
  for (const std::string_view spec : specs) {
    CAPTURE(spec);
    check_graph(regular_fabric(spec));
  }
}

TEST_CASE("as many GPUs, NICs and switches as the design has") {
  for (const std::string_view spec : specs) {
    CAPTURE(spec);
    const regular_fabric g(spec);
    const auto& d = g.design();
    auto kinds = count_kinds(g);
    CHECK(kinds[vertex_kind::gpu] == std::size_t{d.hosts} * d.gpus_per_host);
    CHECK(kinds[vertex_kind::nic] == std::size_t{d.hosts} * d.nics_per_host);
    const topoplan::fabric_counts counts = topoplan::count_switches(d);
    CHECK(kinds[vertex_kind::leaf] == counts.leafs);
    CHECK(kinds[vertex_kind::spine] == counts.spines);
    CHECK(kinds[vertex_kind::core] == counts.cores);
  }
}

TEST_CASE("no switch has more links than ports, and full leafs use them as the reference architectures do") {
  struct product {
    std::string_view spec;
    std::uint64_t radix;
    std::uint64_t leaf_ports;
  };
  for (const auto& [spec, radix, leaf_ports] :
       {product{"dgx-h100:128", 64, 64}, product{"dgx-b200:256", 64, 64}, product{"dgx-b200:512", 64, 64},
        product{"dgx-b300:128", 128, 128}, product{"dgx-b300:144 fabric=ib", 144, 144}, product{"gb200-nvl72:128", 64, 36}}) {
    CAPTURE(spec);
    const regular_fabric g(spec);
    std::uint64_t most = 0;
    for (auto [v, end] = vertices(g); v != end; ++v) {
      const vertex_kind kind = g[*v].kind;
      if (kind != vertex_kind::leaf && kind != vertex_kind::spine && kind != vertex_kind::core) continue;
      std::uint64_t ports = 0;
      for (auto [e, e_end] = out_edges(*v, g); e != e_end; ++e) ports += g[*e].count;
      if (kind == vertex_kind::leaf) CHECK(ports == leaf_ports);
      most = std::max(most, ports);
    }
    CHECK(most == radix);
  }
}

TEST_CASE("NVSwitches as the products have them, a GPU's links split over them") {
  struct product {
    std::string_view spec;
    std::size_t switches;  // of a domain
    std::vector<std::uint32_t> links;
    double rate;
  };
  const product products[] = {{"dgx-a100:2", 6, {2, 2, 2, 2, 2, 2}, 300},
                              {"dgx-h100:2", 4, {5, 5, 4, 4}, 450},
                              {"gb200-nvl72:2", 18, std::vector<std::uint32_t>(18, 1), 900},
                              {"dgx-b200:2", 1, {18}, 900}};
  for (const product& p : products) {
    CAPTURE(p.spec);
    const regular_fabric g(p.spec);
    CHECK(count_kinds(g)[vertex_kind::nvswitch] == 2 * p.switches);
    const auto gpus = static_cast<std::uint32_t>(count_kinds(g)[vertex_kind::gpu]);
    for (const std::uint32_t v : {0U, gpus - 1}) {
      std::vector<std::uint32_t> links;
      double sum = 0;
      for (auto [e, end] = out_edges(v, g); e != end; ++e) {
        if (g[*e].kind != link_kind::nvlink) continue;
        CHECK(g[target(*e, g)].kind == vertex_kind::nvswitch);
        links.push_back(g[*e].count);
        sum += g[*e].rate.gigabytes();
      }
      CHECK(links == p.links);
      CHECK(sum == doctest::Approx(p.rate));
    }
    CHECK(degree_to(g, first_of(g, vertex_kind::nvswitch), vertex_kind::gpu) == gpus / 2);
  }
  // Without NVSwitch each GPU is joined with each other: 7 links of 64 GB/s, and 4 GPUs with 6 links a pair.
  const regular_fabric mesh("oci-mi300x:2");
  CHECK(degree_to(mesh, 0, vertex_kind::gpu) == 7);
  CHECK(mesh[*out_edges(0, mesh).first].rate.gigabytes() == 64);
  const regular_fabric quad("isambard-ai:2");
  CHECK(degree_to(quad, 3, vertex_kind::gpu) == 3);
  CHECK(quad[*out_edges(3, quad).first].count == 6);
}

TEST_CASE("each GPU's traffic leaves by its rail's leaf") {
  const regular_fabric g("dgx-h100:70");
  for (std::uint32_t v = 0; v < 70 * 8; ++v) {
    std::size_t nics = 0;
    for (auto [n, end] = adjacent_vertices(v, g); n != end; ++n) {
      if (g[*n].kind != vertex_kind::nic) continue;
      ++nics;
      CHECK(g[*n].host == g[v].host);
      CHECK(g[*n].index == g[v].index);
      for (auto [leaf, leaf_end] = adjacent_vertices(*n, g); leaf != leaf_end; ++leaf)
        if (g[*leaf].kind == vertex_kind::leaf) CHECK(g[*leaf].index == g[v].host / 32 * 8 + g[v].index);
    }
    CHECK(nics == 1);
  }
}

TEST_CASE("names for people") {
  const regular_fabric g("gb200-nvl72:2");
  CHECK(name_of(0, g) == "rack01-tray01.gpu0");
  CHECK(name_of(143, g) == "rack02-tray18.gpu3");
  CHECK(name_of(first_of(g, vertex_kind::nvswitch) + 18, g) == "nvswitch18");
  CHECK(name_of(first_of(g, vertex_kind::leaf), g) == "leaf0");
  CHECK(name_of(first_of(regular_fabric("dgx-h100:2"), vertex_kind::nvswitch), regular_fabric("dgx-h100:2")) ==
        "dgx-0001.nvswitch0");
}

TEST_CASE("stored and computed, it is the same graph") {
  for (const std::string_view spec : specs) {
    CAPTURE(spec);
    const regular_fabric g(spec);
    const fabric_graph stored = to_fabric_graph(g);
    REQUIRE(num_vertices(stored) == num_vertices(g));
    REQUIRE(num_edges(stored) == num_edges(g));
    bool same = true;
    std::map<std::uint64_t, std::uint64_t> link;  // computed number to stored
    for (std::uint32_t v = 0; v < num_vertices(g); ++v) {
      same = same && stored[v] == g[v] && out_degree(v, stored) == out_degree(v, g);
      auto [e, end] = out_edges(v, g);
      for (auto [s, s_end] = out_edges(v, stored); s != s_end && e != end; ++s, ++e) {
        fabric_edge a = stored[*s], b = g[*e];
        same = same && target(*s, stored) == target(*e, g);
        same = same && link.emplace(b.link, a.link).first->second == a.link;
        a.link = b.link = 0;
        same = same && a == b;
      }
    }
    CHECK(same);
    CHECK(link.size() == num_edges(g) / 2);
    CHECK(name_of(0, stored) == name_of(0, g));
    const auto last = static_cast<std::uint32_t>(num_vertices(g) - 1);
    CHECK(name_of(last, stored) == name_of(last, g));
  }
}

TEST_CASE("Boost's algorithms run on both graphs and agree") {
  for (const std::string_view spec : {"dgx-h100:40", "gb200-nvl72:3", "hgx-h100:12 leaf=4 oversubscription=2", "dgx-b300:66",
                                      "isambard-ai:3", "dgx-b200:260"}) {
    CAPTURE(spec);
    regular_fabric g(spec);
    fabric_graph stored = to_fabric_graph(g);
    CHECK(components(g) == 1);
    CHECK(components(stored) == 1);
    const auto far = static_cast<std::uint32_t>(g.design().hosts * g.design().gpus_per_host - 1);
    CHECK(hops_by_dijkstra(g, 0) == hops_by_dijkstra(stored, 0));
    CHECK(hops_by_dijkstra(g, far) == hops_by_dijkstra(stored, far));

    if (num_vertices(g) > 4000) continue;
    const auto back = reverse_arcs(stored);
    const auto [grown, augmented] = flows(g, 0, far, get(boost::edge_reverse, g));
    const auto [stored_grown, stored_augmented] =
        flows(stored, 0, far, boost::make_iterator_property_map(back.begin(), get(boost::edge_index, stored)));
    CHECK(grown == augmented);
    CHECK(grown == stored_grown);
    CHECK(grown == stored_augmented);
  }
}

TEST_CASE("hops and flows are what one reckons by hand") {
  regular_fabric g("dgx-h100:40");
  const auto hops = hops_by_dijkstra(g, 0);
  CHECK(hops[1] == 2);           // through an NVSwitch
  CHECK(hops[8] == 4);           // next host, same rail: NIC, leaf, NIC
  CHECK(hops[9] == 5);           // next host, next GPU: there from the NIC over the host bridge
  CHECK(hops[39 * 8] == 6);      // another leaf group, same rail: over a spine
  CHECK(hops[39 * 8 + 1] == 6);  // and another rail
  // A GPU gives another of its host all its NVLinks and its PCIe link by the bridge; GPU 0 and 1 share a bridge.
  const auto back = get(boost::edge_reverse, g);
  const std::int64_t nvlink = 450'000'000'000, pcie = std::llround(32e9 * 16 / 8 * 128 / 130);
  CHECK(std::abs(flows(g, 0, 1, back)[0] - (nvlink + 2 * pcie)) <= 8);
  // GPU 0 sends to a GPU of another host by all eight NICs, with the help of its neighbours, and no faster.
  CHECK(flows(g, 0, 39 * 8, back)[0] == 8 * 50'000'000'000);
  // A NIC's own link is the limit between NICs once NVLink is out of the way: one rail's leaf to the next host's GPU.
  regular_fabric narrow("hgx-h100:8 leaf=4 oversubscription=4");
  const std::uint32_t leaf = first_of(narrow, vertex_kind::leaf);
  CHECK(flows(narrow, leaf, leaf + 1, get(boost::edge_reverse, narrow))[0] == 4 * 50'000'000'000 + 50'000'000'000);
}

TEST_CASE("what make_cluster refuses is refused here too") {
  CHECK_THROWS_AS(regular_fabric(topoplan::cluster_spec{.product = "dgx-h100", .count = 0}), topoplan::invalid_argument);
  CHECK_THROWS_AS(regular_fabric(topoplan::cluster_spec{.product = "dgx-h100", .count = 1U << 30U}), topoplan::invalid_argument);
  CHECK_THROWS_AS(regular_fabric("dgx-h100:8 rails=3"), topoplan::invalid_argument);
  CHECK_THROWS_AS(regular_fabric("dgx-h100"), topoplan::parse_error);
}

TEST_CASE("a hundred thousand GPUs cost kilobytes") {
  const regular_fabric g("dgx-h100:12500");
  CHECK(num_vertices(g) > 100'000 * 2);
  CHECK(num_edges(g) > 2'000'000);
  std::size_t bytes = sizeof g + g.spec().product.capacity() + g.design().layers.capacity() * sizeof(topoplan::fabric_layer) +
                      g.design().from.source.capacity() + g.shape().blocks() * 64;
  for (const std::string& note : g.design().notes) bytes += sizeof note + note.capacity();
  CHECK(bytes < 4096);
  CHECK(hops_by_dijkstra(g, 0)[99'999] == 10);
}
