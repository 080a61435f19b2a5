#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/graph/nvlink.hpp>
#include <topoplan/graph/regular_fabric.hpp>

#include <boost/graph/connected_components.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/property_map/property_map.hpp>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/random.hpp"

using topoplan::fabric_edge;
using topoplan::fabric_graph;
using topoplan::fabric_graph_builder;
using topoplan::fabric_vertex;
using topoplan::gigabytes_per_second;
using topoplan::link_kind;
using topoplan::regular_fabric;
using topoplan::vertex_kind;

namespace {

template <class Graph> auto domains_of(const Graph& g) {
  return nvlink_domains(g, get(&fabric_vertex::kind, g), get(&fabric_edge::kind, g), get(&fabric_edge::rate, g));
}

template <class Graph> struct is_nvlink {
  const Graph* g = nullptr;
  template <class Edge> bool operator()(const Edge& e) const { return (*g)[e].kind == link_kind::nvlink; }
};

// The post-condition: the domains are the components that Boost finds when only NVLinks are left.
template <class Graph> void check_domains(const Graph& g) {
  const boost::filtered_graph<Graph, is_nvlink<Graph>> nvlinks(g, {&g});
  std::vector<int> component(num_vertices(g));
  boost::connected_components(nvlinks, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, g)));
  const auto domains = domains_of(g);
  std::size_t gpus = 0;
  std::vector<int> owner(num_vertices(g), -1);  // domain of each component
  bool good = true;
  for (std::size_t d = 0; d < domains.size(); ++d) {
    gpus += domains[d].gpus.size();
    for (const auto v : domains[d].gpus) {
      good = good && g[v].kind == vertex_kind::gpu && component[v] == component[domains[d].gpus[0]];
      good = good && (d == 0 || domains[d - 1].gpus[0] < domains[d].gpus[0]);
    }
    int& at = owner[static_cast<std::size_t>(component[domains[d].gpus[0]])];
    good = good && at == -1;
    at = static_cast<int>(d);
  }
  CHECK(good);
  std::size_t all = 0;
  for (auto [v, end] = vertices(g); v != end; ++v) all += g[*v].kind == vertex_kind::gpu ? 1U : 0U;
  CHECK(gpus == all);
}

}  // namespace

TEST_SUITE_BEGIN("graph/nvlink");

TEST_CASE("domains are the components of the NVLinks, on both graph types") {
  for (const std::string_view spec : {"dgx-h100:5", "dgx-a100:3", "gb200-nvl72:2", "oci-mi300x:2", "isambard-ai:3"}) {
    CAPTURE(spec);
    const regular_fabric g(spec);
    check_domains(g);
    check_domains(to_fabric_graph(g));
    for (const auto& d : domains_of(g)) {
      CHECK(d.all_to_all());
      CHECK(d.switched == (g.shape().system().nvswitches.value > 0));
    }
  }
}

TEST_CASE("random NVLinks between random GPUs") {
  topoplan_test::random rng(29);
  for (int i = 0; i < 200; ++i) {
    fabric_graph_builder b;
    const std::uint32_t h = b.add_host("h");
    const auto gpus = static_cast<std::uint32_t>(rng.between(1, 12)), switches = static_cast<std::uint32_t>(rng.below(3));
    for (std::uint32_t v = 0; v < gpus + switches; ++v) (void)(v < gpus ? b.add_gpu(h) : b.add_nvswitch(h));
    for (std::uint64_t links = rng.below(14); links > 0; --links) {
      const auto x = static_cast<std::uint32_t>(rng.below(gpus + switches)),
                 y = static_cast<std::uint32_t>(rng.below(gpus + switches));
      if (x != y) b.connect(x, y, rng.below(4) == 0 ? link_kind::pcie : link_kind::nvlink, gigabytes_per_second(25));
    }
    check_domains(b.build());
  }
}

TEST_CASE("what a mesh lacks is counted, parallel links once") {
  fabric_graph_builder b;
  const std::uint32_t h = b.add_host("h");
  for (int i = 0; i < 4; ++i) b.add_gpu(h);
  b.connect(0, 1, link_kind::nvlink, gigabytes_per_second(25));
  b.connect(0, 1, link_kind::nvlink, gigabytes_per_second(25));
  b.connect(1, 2, link_kind::nvlink, gigabytes_per_second(50), 2);
  b.connect(2, 3, link_kind::nvlink, gigabytes_per_second(50), 2);
  const auto domains = domains_of(b.build());
  REQUIRE(domains.size() == 1);
  CHECK(domains[0].unjoined_pairs == 3);
  CHECK(domains[0].rate.gigabytes() == 100);
  CHECK(domains[0].slower == std::vector<std::uint32_t>{0, 3});
  CHECK_FALSE(domains[0].all_to_all());
  CHECK_FALSE(domains[0].switched);
}
