#include <topoplan/graph/cut.hpp>
#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/graph/regular_fabric.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/random.hpp"
#include "support/tiny_graph.hpp"

using topoplan::bisection;
using topoplan::bytes_per_second;
using topoplan::fabric_edge;
using topoplan::fabric_graph;
using topoplan::fabric_graph_builder;
using topoplan::link_kind;
using topoplan::max_flow;
using topoplan::regular_fabric;
using topoplan::vertex_kind;

namespace {

using vertex_list = std::vector<std::uint32_t>;

template <class Graph> double flow(const Graph& g, const vertex_list& from, const vertex_list& to) {
  return max_flow(g, from, to, get(&fabric_edge::rate, g)).value;
}

}  // namespace

TEST_SUITE_BEGIN("graph/cut");

TEST_CASE("a non-blocking fabric carries what its NICs offer, a 2:1 fabric half of it") {
  struct test {
    std::string_view spec;
    double hosts;  // of the smaller half
    double ratio;
  };
  // Hosts of 8 x 50 GB/s. Halves meet at the spines where each leaf group is in one half.
  const test tests[] = {{"dgx-h100:64", 32, 1},
                        {"dgx-h100:128", 64, 1},
                        {"hgx-h100:64 leaf=32 oversubscription=2", 32, 2},
                        {"hgx-h100:128 leaf=32 oversubscription=2 fabric=roce", 64, 2},
                        {"dgx-h100:64 leaf=32 oversubscription=7", 32, 7},
                        {"dgx-h100:32", 16, 1},  // one leaf group: the leafs carry all
                        {"hgx-h100:32 leaf=32 oversubscription=2", 16, 1},
                        {"dgx-b200:512", 256, 1},
                        {"dgx-b200:512 oversubscription=1,4", 256, 4},
                        {"dgx-b200:512 oversubscription=2,3", 256, 6},
                        {"dgx-h100:65", 32, 1}};
  for (const auto& [spec, hosts, ratio] : tests) {
    CAPTURE(spec);
    const regular_fabric g(spec);
    const topoplan::cut_report cut = bisection(g);
    CHECK(cut.offered.gigabytes() == doctest::Approx(hosts * 400));
    CHECK(cut.carried.gigabytes() == doctest::Approx(hosts * 400 / ratio));
    CHECK(cut.oversubscription() == doctest::Approx(ratio));
    const topoplan::cut_report stored = bisection(to_fabric_graph(g));
    CHECK(stored.offered.value == doctest::Approx(cut.offered.value));
    CHECK(stored.carried == cut.carried);
  }
}

TEST_CASE("racks: every unit of a GB200 SuperPOD is non-blocking up to the cores") {
  CHECK(bisection(regular_fabric("gb200-nvl72:2")).oversubscription() == doctest::Approx(1));
  const topoplan::cut_report cut = bisection(regular_fabric("gb200-nvl72:16"));
  CHECK(cut.offered.gigabytes() == doctest::Approx(8 * 72 * 50));
  CHECK(cut.oversubscription() == doctest::Approx(1));
}

TEST_CASE("two planes carry their NIC's rate together") {
  const topoplan::cut_report cut = bisection(regular_fabric("dgx-b300:128"));
  CHECK(cut.offered.gigabytes() == doctest::Approx(64 * 8 * 100));
  CHECK(cut.oversubscription() == doctest::Approx(1));
}

TEST_CASE("any two groups of NICs") {
  const regular_fabric g("hgx-h100:12 leaf=4 oversubscription=2");
  vertex_list first, others;
  for (auto [v, end] = vertices(g); v != end; ++v) {
    if (g[*v].kind != vertex_kind::nic) continue;
    if (g[*v].host < 4) first.push_back(*v);
    else others.push_back(*v);
  }
  const auto cut = network_cut(g, first, others, get(&fabric_edge::kind, g), get(&fabric_edge::rate, g));
  CHECK(cut.offered.gigabytes() == doctest::Approx(4 * 400));
  CHECK(cut.carried.gigabytes() == doctest::Approx(2 * 400));
}

TEST_CASE("flow equals the smallest cut, by exhaustion on random small graphs") {
  topoplan_test::random rng(37);
  for (int i = 0; i < 300; ++i) {
    fabric_graph_builder b;
    const std::uint32_t h = b.add_host("h");
    const auto count = static_cast<std::uint32_t>(rng.between(2, 8));
    for (std::uint32_t v = 0; v < count; ++v) b.add_gpu(h);
    for (std::uint64_t links = rng.below(16); links > 0; --links) {
      const auto x = static_cast<std::uint32_t>(rng.below(count)), y = static_cast<std::uint32_t>(rng.below(count));
      if (x != y) b.connect(x, y, link_kind::network, bytes_per_second{static_cast<double>(rng.between(0, 9))});
    }
    const fabric_graph g = b.build();
    // The first one or two vertices send, the last one or two receive.
    const auto ends = static_cast<std::uint32_t>(count >= 4 ? rng.between(1, 2) : 1);
    vertex_list from, to;
    for (std::uint32_t v = 0; v < ends; ++v) {
      from.push_back(v);
      to.push_back(count - 1 - v);
    }
    double smallest = 1e9;
    for (std::uint32_t side = 0; side < 1U << count; ++side) {
      const auto in = [&](std::uint32_t v) { return (side >> v & 1U) != 0; };
      if (!std::all_of(from.begin(), from.end(), in) || std::any_of(to.begin(), to.end(), in)) continue;
      double cut = 0;
      for (auto [e, end] = edges(g); e != end; ++e)
        if (in(source(*e, g)) && !in(target(*e, g))) cut += g[*e].rate.value;
      smallest = std::min(smallest, cut);
    }
    CHECK(flow(g, from, to) == smallest);
  }
}

TEST_CASE("sets that make no flow are refused") {
  const regular_fabric g("dgx-h100:2");
  CHECK_THROWS_WITH_AS((void)flow(g, {}, {1}), "a flow needs vertices to come from and to go to", topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS((void)flow(g, {0}, {}), "a flow needs vertices to come from and to go to", topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS((void)flow(g, {0, 3}, {1, 3}), "vertex 3 is in both sets of a flow", topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS((void)bisection(regular_fabric("dgx-h100:1")),
                       "a bisection needs NICs of at least two hosts, the graph has those of 1", topoplan::invalid_argument);
}

TEST_CASE("any graph type is taken, rates as a function") {
  topoplan_test::tiny_graph g(4);
  g.join(0, 1);
  g.join(0, 2);
  g.join(1, 3);
  g.join(2, 3);
  const auto rate = [](const topoplan_test::tiny_graph::edge& e) { return bytes_per_second{static_cast<double>(e.from + e.to)}; };
  const std::vector<std::size_t> from{0}, to{3};
  CHECK(max_flow(g, from, to, rate).value == 3);
}
