#include <topoplan/graph/fabric_graph.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using topoplan::fabric_edge;
using topoplan::fabric_graph;
using topoplan::fabric_graph_builder;
using topoplan::gigabytes_per_second;
using topoplan::link_kind;
using topoplan::vertex_kind;

TEST_SUITE_BEGIN("graph/fabric_graph");

TEST_CASE("a graph of nothing") {
  const fabric_graph g = fabric_graph_builder("empty").build();
  CHECK(num_vertices(g) == 0);
  CHECK(num_edges(g) == 0);
  CHECK(g[boost::graph_bundle].name == "empty");
  CHECK(reverse_arcs(g).empty());
}

TEST_CASE("vertices are numbered as they are added, and counted by kind on their host") {
  fabric_graph_builder b("two hosts");
  const std::uint32_t first = b.add_host("gpu-017"), second = b.add_host("gpu-003");
  const std::uint32_t a = b.add_gpu(second), c = b.add_gpu(first), d = b.add_gpu(second), nic = b.add_nic(first);
  const std::uint32_t bridge = b.add_host_bridge(second), own = b.add_nvswitch(second), shared = b.add_nvswitch();
  const std::uint32_t leaf = b.add_switch(vertex_kind::leaf), named = b.add_switch(vertex_kind::leaf, "s0-leaf-b");
  b.set_gpu_model("H100");
  b.set_fabric(topoplan::fabric_kind::roce);
  const fabric_graph g = b.build();
  CHECK(num_vertices(g) == 9);
  CHECK(g[d] == topoplan::fabric_vertex{vertex_kind::gpu, second, 1});
  CHECK(name_of(a, g) == "gpu-003.gpu0");
  CHECK(name_of(c, g) == "gpu-017.gpu0");
  CHECK(name_of(d, g) == "gpu-003.gpu1");
  CHECK(name_of(nic, g) == "gpu-017.nic0");
  CHECK(name_of(bridge, g) == "gpu-003.bridge0");
  CHECK(name_of(own, g) == "gpu-003.nvswitch0");
  CHECK(name_of(shared, g) == "nvswitch0");
  CHECK(name_of(leaf, g) == "leaf0");
  CHECK(name_of(named, g) == "s0-leaf-b");
  CHECK(g[boost::graph_bundle].gpu_model == "H100");
  CHECK(g[boost::graph_bundle].fabric == topoplan::fabric_kind::roce);
}

TEST_CASE("a link is two arcs that share a number and lead to each other") {
  fabric_graph_builder b;
  const std::uint32_t h = b.add_host("h");
  std::vector<std::uint32_t> gpus;
  for (int i = 0; i < 5; ++i) gpus.push_back(b.add_gpu(h));
  // Out of order, and two links between one pair.
  b.connect(gpus[4], gpus[1], link_kind::nvlink, gigabytes_per_second(50), 2, topoplan::seconds{1e-6});
  b.connect(gpus[0], gpus[3], link_kind::pcie, gigabytes_per_second(63));
  b.connect(gpus[1], gpus[4], link_kind::pcie, gigabytes_per_second(31));
  b.connect(gpus[2], gpus[4], link_kind::nvlink, gigabytes_per_second(25));
  const fabric_graph g = b.build();
  REQUIRE(num_edges(g) == 8);
  const auto back = reverse_arcs(g);
  const auto index = get(boost::edge_index, g);
  std::size_t seen = 0;
  for (auto [e, end] = edges(g); e != end; ++e, ++seen) {
    const auto r = back[get(index, *e)];
    CHECK(source(r, g) == target(*e, g));
    CHECK(target(r, g) == source(*e, g));
    CHECK(g[r] == g[*e]);
    CHECK(back[get(index, r)] == *e);
  }
  CHECK(seen == 8);
  auto [e, end] = out_edges(4U, g);
  CHECK(g[*e] == fabric_edge{link_kind::nvlink, gigabytes_per_second(50), topoplan::seconds{1e-6}, 2, 0});
  CHECK(end - e == 3);
}

TEST_CASE("hosts and vertices that aren't there are refused by number") {
  fabric_graph_builder b;
  b.add_host("h");
  const std::uint32_t g = b.add_gpu(0);
  CHECK_THROWS_WITH_AS(b.add_gpu(1), "a gpu is added to host 1, but there are 1", topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS(b.connect(g, 7, link_kind::pcie, {}), "a link joins vertices 0 and 7, but there are 1",
                       topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS(b.connect(g, g, link_kind::pcie, {}), "a link joins vertex 0 to itself", topoplan::invalid_argument);
}

TEST_CASE("a builder can be used again after build") {
  fabric_graph_builder b("first");
  b.add_host("h");
  b.add_gpu(0);
  CHECK(num_vertices(b.build()) == 1);
  const fabric_graph second = b.build();
  CHECK(num_vertices(second) == 0);
  CHECK(second[boost::graph_bundle].name.empty());
}
