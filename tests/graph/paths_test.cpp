#include <topoplan/graph/fabric_graph.hpp>
#include <topoplan/graph/paths.hpp>
#include <topoplan/graph/regular_fabric.hpp>

#include <boost/graph/filtered_graph.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.hpp"
#include "support/tiny_graph.hpp"

using topoplan::bytes_per_second;
using topoplan::fabric_edge;
using topoplan::fabric_graph;
using topoplan::fabric_graph_builder;
using topoplan::gigabytes_per_second;
using topoplan::hops;
using topoplan::link_kind;
using topoplan::regular_fabric;
using topoplan::unreachable;
using topoplan::widest_path;
using topoplan::widest_paths;

namespace {

template <class Graph> auto rate_of(const Graph& g) { return get(&fabric_edge::rate, g); }

// Every path without a vertex twice, from v on: the best bottleneck and the fewest links among those, by exhaustion.
struct best {
  double rate = 0;
  std::size_t links = std::numeric_limits<std::size_t>::max();
};
void try_all(const fabric_graph& g, std::uint32_t v, std::uint32_t to, double rate, std::size_t links, std::vector<bool>& used,
             best& found) {
  if (v == to) {
    if (rate > found.rate || (rate == found.rate && links < found.links)) found = {rate, links};
    return;
  }
  used[v] = true;
  for (auto [e, end] = out_edges(v, g); e != end; ++e)
    if (!used[target(*e, g)]) try_all(g, target(*e, g), to, std::min(rate, g[*e].rate.value), links + 1, used, found);
  used[v] = false;
}

}  // namespace

TEST_SUITE_BEGIN("graph/paths");

TEST_CASE("hops in a preset, the same on both graph types") {
  for (const std::string_view spec : {"dgx-h100:70", "gb200-nvl72:10", "dgx-b200:300"}) {
    CAPTURE(spec);
    const regular_fabric g(spec);
    const fabric_graph stored = to_fabric_graph(g);
    CHECK(hops(g, 0) == hops(stored, 0));
    CHECK(widest_paths(g, 0, rate_of(g)) == widest_paths(stored, 0, rate_of(stored)));
  }
  const regular_fabric g("gb200-nvl72:10");
  const auto distance = hops(g, 0);
  CHECK(distance[0] == 0);
  CHECK(distance[71] == 2);      // same rack, an NVSwitch between
  CHECK(distance[72] == 6);      // next rack, same rail: NIC, leaf, spine, leaf, NIC
  CHECK(distance[9 * 72] == 8);  // another unit: over a core switch
}

TEST_CASE("what can't be reached, and one vertex") {
  fabric_graph_builder b;
  const std::uint32_t h = b.add_host("h");
  for (int i = 0; i < 3; ++i) b.add_gpu(h);
  b.connect(0, 1, link_kind::nvlink, gigabytes_per_second(5));
  const fabric_graph g = b.build();
  CHECK(hops(g, 0U) == std::vector<std::uint32_t>{0, 1, unreachable});
  CHECK(widest_paths(g, 0U, rate_of(g))[2].value == 0);
  const auto none = widest_path(g, 0U, 2U, rate_of(g));
  CHECK(none.vertices.empty());
  CHECK(none.rate.value == 0);
  const auto self = widest_path(g, 1U, 1U, rate_of(g));
  CHECK(self.vertices == std::vector<std::uint32_t>{1});
  CHECK(self.rate.value == std::numeric_limits<double>::infinity());
}

TEST_CASE("the widest path between GPUs of two hosts leaves by the NIC of its rail") {
  const regular_fabric g("dgx-h100:64");
  const auto path = widest_path(g, 0U, 63U * 8, rate_of(g));
  std::string text;
  for (const auto v : path.vertices) text += (text.empty() ? "" : " ") + name_of(v, g);
  CHECK(text == "dgx-0001.gpu0 dgx-0001.nic0 leaf0 spine0 leaf8 dgx-0064.nic0 dgx-0064.gpu0");
  CHECK(path.rate.gigabytes() == 50);
  // Within a host one path goes through one NVSwitch: five of eighteen links.
  CHECK(widest_paths(g, 0U, rate_of(g))[1].gigabytes() == doctest::Approx(125));
}

TEST_CASE("against every path, on random small graphs") {
  topoplan_test::random rng(31);
  for (int i = 0; i < 300; ++i) {
    fabric_graph_builder b;
    const std::uint32_t h = b.add_host("h");
    const auto count = static_cast<std::uint32_t>(rng.between(2, 7));
    for (std::uint32_t v = 0; v < count; ++v) b.add_gpu(h);
    for (std::uint64_t links = rng.below(14); links > 0; --links) {
      const auto x = static_cast<std::uint32_t>(rng.below(count)), y = static_cast<std::uint32_t>(rng.below(count));
      if (x != y) b.connect(x, y, link_kind::network, bytes_per_second{static_cast<double>(rng.between(1, 6))});
    }
    const fabric_graph g = b.build();
    for (std::uint32_t to = 1; to < count; ++to) {
      std::vector<bool> used(count, false);
      best found;
      try_all(g, 0, to, std::numeric_limits<double>::infinity(), 0, used, found);
      const auto path = widest_path(g, 0U, to, rate_of(g));
      CHECK(path.rate.value == found.rate);
      CHECK(widest_paths(g, 0U, rate_of(g))[to].value == found.rate);
      if (found.rate == 0) continue;
      CHECK(path.vertices.size() == found.links + 1);
      CHECK(path.vertices.front() == 0);
      CHECK(path.vertices.back() == to);
    }
  }
}

TEST_CASE("a filtered graph leaves links out; any graph type is taken") {
  const regular_fabric g("dgx-h100:2");
  struct no_nvlink {
    const regular_fabric* g = nullptr;
    bool operator()(const topoplan::fabric_arc& e) const { return (*g)[e].kind != link_kind::nvlink; }
  };
  const boost::filtered_graph<regular_fabric, no_nvlink> bare(g, {&g});
  CHECK(hops(g, 0)[7] == 2);
  CHECK(hops(bare, 0)[7] == 3);
  CHECK(hops(bare, 0)[8] == 4);

  topoplan_test::tiny_graph tiny(4);
  tiny.join(0, 1);
  tiny.join(1, 2);
  const auto rate = [](const topoplan_test::tiny_graph::edge& e) { return bytes_per_second{static_cast<double>(e.from + e.to)}; };
  CHECK(hops(tiny, 0)[2] == 2);
  CHECK(hops(tiny, 0)[3] == unreachable);
  CHECK(widest_paths(tiny, 0, rate)[2].value == 1);
  CHECK(widest_path(tiny, 0, 2, rate).vertices.size() == 3);
}
