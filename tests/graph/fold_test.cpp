#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/graph/fold.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.hpp"
#include "support/tiny_graph.hpp"

using topoplan::cluster;
using topoplan::fabric_graph;
using topoplan::fabric_graph_builder;
using topoplan::gigabytes_per_second;
using topoplan::gpu_id;
using topoplan::link_kind;
using topoplan::make_cluster;
using topoplan::regular_fabric;
using topoplan::vertex_kind;

namespace {

// Equal but for names, notes and where figures came from. Oversubscription is compared where the last group is full.
void check_same_structure(const cluster& folded, const cluster& preset, bool full) {
  CHECK(validate(folded).value_or("") == "");
  CHECK(folded.name == preset.name);
  CHECK(folded.hosts == preset.hosts);
  CHECK(folded.gpus == preset.gpus);
  CHECK(folded.domains == preset.domains);
  CHECK(folded.rails == preset.rails);
  CHECK(folded.fabric == preset.fabric);
  CHECK(folded.gpu_models == preset.gpu_models);
  CHECK(folded.nvlink.rate.value == doctest::Approx(preset.nvlink.rate.value));
  CHECK(folded.pcie.rate.value == doctest::Approx(preset.pcie.rate.value));
  CHECK(folded.nic.rate.value == doctest::Approx(preset.nic.rate.value));
  CHECK(folded.nic.from.how == topoplan::confidence::derived);
  REQUIRE(folded.tiers.size() == preset.tiers.size());
  for (std::size_t t = 0; t < folded.tiers.size(); ++t) {
    CHECK(folded.tiers[t].name == preset.tiers[t].name);
    CHECK(folded.tiers[t].nodes == preset.tiers[t].nodes);
    if (full) CHECK(folded.tiers[t].oversubscription == doctest::Approx(preset.tiers[t].oversubscription));
  }
  CHECK(folded.notes.empty());
}

bool noted(const cluster& c, std::string_view words) {
  return std::any_of(c.notes.begin(), c.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

// A host with 8 GPUs, a NIC a GPU, two bridges; NVLinks as the caller adds them.
std::vector<std::uint32_t> add_host(fabric_graph_builder& b, const std::string& name,
                                    std::vector<std::uint32_t>* nics = nullptr) {
  const std::uint32_t h = b.add_host(name);
  std::vector<std::uint32_t> gpus;
  for (int i = 0; i < 8; ++i) gpus.push_back(b.add_gpu(h));
  const std::uint32_t bridges[] = {b.add_host_bridge(h), b.add_host_bridge(h)};
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint32_t nic = b.add_nic(h);
    b.connect(gpus[i], nic, link_kind::pcie, gigabytes_per_second(31));
    b.connect(gpus[i], bridges[i / 4], link_kind::pcie, gigabytes_per_second(31));
    if (nics != nullptr) nics->push_back(nic);
  }
  return gpus;
}

}  // namespace

TEST_SUITE_BEGIN("graph/fold");

TEST_CASE("a preset's graph folds to the preset, computed and stored") {
  struct test {
    std::string_view spec;
    bool full;
  };
  const test tests[] = {{"dgx-h100:64", true},
                        {"dgx-h100:31", false},
                        {"dgx-h100:127", true},
                        {"dgx-a100:40", true},
                        {"dgx-b200:512", true},
                        {"dgx-b300:128", true},
                        {"dgx-b300:144 fabric=ib", true},
                        {"gb200-nvl72:16", true},
                        {"gb200-nvl72:3", false},
                        {"gb300-nvl72:8", true},
                        {"hgx-h100:96 leaf=32 oversubscription=2 fabric=roce", true},
                        {"dgx-b200:512 oversubscription=1,4", true},
                        {"dgx-h100:40 rails=2 leaf=4 oversubscription=3", true},
                        {"dgx-h100:40 rails=1 leaf=4", true},
                        {"aws-p4d:6", true},
                        {"aws-p5:6 leaf=3", true},
                        {"oci-mi300x:4", true},
                        {"isambard-ai:5 names=nid-", true}};
  for (const auto& [spec, full] : tests) {
    CAPTURE(spec);
    const regular_fabric g(spec);
    check_same_structure(fold(g), make_cluster(spec), full);
    check_same_structure(fold(to_fabric_graph(g)), make_cluster(spec), full);
  }
}

TEST_CASE("random specs fold to their presets") {
  topoplan_test::random rng(23);
  const auto systems = topoplan::system_catalogue();
  for (int i = 0; i < 60; ++i) {
    const topoplan::system_model& system = systems[rng.below(systems.size())];
    topoplan::cluster_spec spec{.product = std::string(system.name),
                                .count = static_cast<std::uint32_t>(rng.between(1, system.hosts_per_domain > 1 ? 30 : 300))};
    if (rng.below(2) == 0) spec.leaf = static_cast<std::uint32_t>(rng.between(1, 40));
    CAPTURE(to_string(spec));
    check_same_structure(fold(regular_fabric(spec)), make_cluster(spec), false);
  }
}

TEST_CASE("a graph without GPUs makes no cluster") {
  CHECK_THROWS_WITH_AS((void)fold(fabric_graph_builder("nothing").build()),
                       "nothing: the graph has no vertex of kind gpu, so it makes no cluster", topoplan::invalid_argument);
}

TEST_CASE("one GPU and nothing else") {
  fabric_graph_builder b("lone");
  b.add_gpu(b.add_host("h"));
  const cluster c = fold(b.build());
  CHECK(validate(c).value_or("") == "");
  CHECK(c.domains == 1);
  CHECK(c.gpus[0].numa == -1);
  REQUIRE(c.tiers.size() == 1);
  CHECK(c.tiers[0].nodes.size() == 1);
  CHECK(c.tiers[0].from.how == topoplan::confidence::assumed);
  CHECK(noted(c, "no switch that a NIC hangs on"));
}

TEST_CASE("a hybrid cube mesh is one domain, and the cluster says that it isn't all-to-all") {
  // DGX-1V: six links a GPU; pairs with two links, pairs with one, and twelve pairs with none.
  constexpr std::uint32_t twice[][2] = {{0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {4, 7}, {5, 6}, {6, 7}};
  constexpr std::uint32_t once[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 6}, {5, 7}};
  fabric_graph_builder b("dgx-1v");
  const auto gpus = add_host(b, "dgx1");
  for (const auto& [x, y] : twice) b.connect(gpus[x], gpus[y], link_kind::nvlink, gigabytes_per_second(50), 2);
  for (const auto& [x, y] : once) b.connect(gpus[x], gpus[y], link_kind::nvlink, gigabytes_per_second(25), 1);
  const cluster c = fold(b.build());
  CHECK(c.domains == 1);
  CHECK(c.nvlink.rate.gigabytes() == 150);
  CHECK(noted(c, "the NVLinks of the 8 GPUs from dgx1 GPU 0 on form a mesh: 12 of 28 pairs aren't joined"));
  CHECK(c.gpus[3].numa == 0);
  CHECK(c.gpus[4].numa == 1);
}

TEST_CASE("pairs joined by a bridge, and GPUs off NVLink, are domains of their own") {
  fabric_graph_builder b("pcie");
  const auto gpus = add_host(b, "h");
  b.connect(gpus[0], gpus[1], link_kind::nvlink, gigabytes_per_second(300), 12);
  b.connect(gpus[4], gpus[6], link_kind::nvlink, gigabytes_per_second(300), 12);
  const cluster c = fold(b.build());
  CHECK(validate(c).value_or("") == "");
  CHECK(c.domains == 6);
  CHECK(c.gpus[0].domain == c.gpus[1].domain);
  CHECK(c.gpus[4].domain == c.gpus[6].domain);
  CHECK(c.gpus[5].domain != c.gpus[4].domain);
  CHECK(noted(c, "h GPU 2 has no NVLink, unlike others"));
}

TEST_CASE("one GPU of an NVSwitch host has lost its links: seven stay a domain, the eighth is apart") {
  fabric_graph_builder b("b200");
  const auto gpus = add_host(b, "h");
  const std::uint32_t nvswitch = b.add_nvswitch(0);
  for (std::size_t i = 0; i < 8; ++i)
    if (i != 2) b.connect(gpus[i], nvswitch, link_kind::nvlink, gigabytes_per_second(i == 5 ? 450 : 900), i == 5 ? 9 : 18);
  const cluster c = fold(b.build());
  CHECK(c.domains == 2);
  CHECK(c.gpus[1].domain == c.gpus[3].domain);
  CHECK(c.gpus[2].domain != c.gpus[3].domain);
  CHECK(c.gpus[2].health == topoplan::gpu_health::ok);
  CHECK(noted(c, "h GPU 2 has no NVLink, unlike others"));
  CHECK(noted(c, "h GPU 5 has slower NVLinks than others of its domain"));
}

TEST_CASE("a GPU off the NVLinks of a rack holds no rank, so that hosts still nest in the domain") {
  fabric_graph_builder b("rack");
  const auto first = add_host(b, "tray1"), second = add_host(b, "tray2");
  const std::uint32_t nvswitch = b.add_nvswitch();
  for (const std::uint32_t g : first) b.connect(g, nvswitch, link_kind::nvlink, gigabytes_per_second(900), 18);
  for (std::size_t i = 0; i < 8; ++i)
    if (i != 3) b.connect(second[i], nvswitch, link_kind::nvlink, gigabytes_per_second(900), 18);
  const cluster c = fold(b.build());
  CHECK(c.domains == 1);
  CHECK(c.gpus[11].health == topoplan::gpu_health::unhealthy);
  CHECK(usable_gpus(c) == 15);
  CHECK(noted(c, "tray2 GPU 3 isn't on the NVLinks that its host shares with others: it is marked unhealthy"));
}

TEST_CASE("rails and leaf groups by the switches that NICs hang on") {
  fabric_graph_builder b("site");
  std::vector<std::vector<std::uint32_t>> nics(5);
  for (std::size_t h = 0; h < 5; ++h) {
    const auto gpus = add_host(b, "node" + std::to_string(h), &nics[h]);
    const std::uint32_t nvswitch = b.add_nvswitch(static_cast<std::uint32_t>(h));
    for (const std::uint32_t g : gpus) b.connect(g, nvswitch, link_kind::nvlink, gigabytes_per_second(300), 12);
  }
  // Hosts 0, 3 and 4 under one pair of leafs, 1 and 2 under another; even NICs on one leaf, odd NICs on the other; the cables
  // of two NICs of host 4 are swapped. A storage leaf hangs on the spines too.
  std::uint32_t leaf[2][2], spine[2];
  for (auto& group : leaf)
    for (auto& one : group) one = b.add_switch(vertex_kind::leaf);
  for (auto& one : spine) one = b.add_switch(vertex_kind::spine);
  const std::uint32_t storage = b.add_switch(vertex_kind::leaf, "storage");
  const std::size_t group_of[] = {0, 1, 1, 0, 0};
  for (std::size_t h = 0; h < 5; ++h)
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t plug = h == 4 && (i == 2 || i == 3) ? 1 - i % 2 : i % 2;
      b.connect(nics[h][i], leaf[group_of[h]][plug], link_kind::network, gigabytes_per_second(25));
    }
  for (const std::uint32_t s : spine) {
    b.connect(storage, s, link_kind::network, gigabytes_per_second(100), 4);
    for (const auto& group : leaf)
      for (const std::uint32_t one : group) b.connect(one, s, link_kind::network, gigabytes_per_second(75), 3);
  }
  const cluster c = fold(b.build());
  CHECK(validate(c).value_or("") == "");
  CHECK(c.rails == 2);
  REQUIRE(c.tiers.size() == 2);
  CHECK(c.tiers[0].nodes.size() == 2);
  CHECK(c.tiers[1].nodes.size() == 1);
  for (std::size_t h = 0; h < 5; ++h) CHECK(c.hosts[h].leaf == group_of[h]);
  CHECK(c.at(gpu_id{0}).rail == 0);
  CHECK(c.at(gpu_id{7}).rail == 1);
  CHECK(c.at(gpu_id{4 * 8 + 2}).rail == 1);
  CHECK(c.at(gpu_id{4 * 8 + 3}).rail == 0);
  CHECK(noted(c, "node4 has a NIC on the switches of rail 1, out of order"));
  // The busiest leaf has 12 NICs of 25 GB/s below and two times 75 GB/s above.
  CHECK(c.tiers[0].oversubscription == doctest::Approx(2));
  CHECK(c.nic.rate.gigabytes() == 25);
}

TEST_CASE("networks that aren't joined, hosts without a cable, and NICs that differ") {
  fabric_graph_builder b("islands");
  std::vector<std::vector<std::uint32_t>> nics(3);
  for (std::size_t h = 0; h < 3; ++h) (void)add_host(b, "n" + std::to_string(h), &nics[h]);
  const std::uint32_t left = b.add_switch(vertex_kind::leaf), right = b.add_switch(vertex_kind::leaf);
  for (std::size_t i = 0; i < 8; ++i) {
    b.connect(nics[0][i], left, link_kind::network, gigabytes_per_second(50));
    b.connect(nics[1][i], right, link_kind::network, gigabytes_per_second(25));
  }
  const cluster c = fold(b.build());
  CHECK(c.tiers.size() == 1);
  CHECK(c.tiers[0].nodes.size() == 3);
  CHECK(c.rails == 1);
  CHECK(c.nic.rate.value == 0);
  CHECK(noted(c, "hosts differ in NIC rate per GPU; the smallest is taken"));
}

TEST_CASE("GPUs that share a bridge with NICs share them out") {
  fabric_graph_builder b("shared");
  const std::uint32_t h = b.add_host("h"), bridge = b.add_host_bridge(h);
  std::vector<std::uint32_t> gpus, leafs;
  for (int i = 0; i < 4; ++i) gpus.push_back(b.add_gpu(h));
  for (const std::uint32_t g : gpus) b.connect(g, bridge, link_kind::pcie, gigabytes_per_second(63));
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t nic = b.add_nic(h), leaf = b.add_switch(vertex_kind::leaf);
    b.connect(nic, bridge, link_kind::pcie, gigabytes_per_second(63));
    b.connect(nic, leaf, link_kind::network, gigabytes_per_second(50));
  }
  const cluster c = fold(b.build());
  CHECK(c.rails == 2);
  for (std::size_t i = 0; i < 4; ++i) CHECK(c.gpus[i].rail == i / 2);
  CHECK(c.nic.rate.gigabytes() == 25);
}

TEST_CASE("any graph type, properties as functions, hosts by number or by name") {
  topoplan_test::tiny_graph g(9);  // GPUs 0-3, 5-8; an NVSwitch 4
  for (const std::size_t v : {0U, 1U, 2U, 3U}) g.join(v, 4);
  const auto kind = [](std::size_t v) { return v == 4 ? vertex_kind::nvswitch : vertex_kind::gpu; };
  const auto link = [](const topoplan_test::tiny_graph::edge&) { return link_kind::nvlink; };
  const auto rate = [](const topoplan_test::tiny_graph::edge&) { return gigabytes_per_second(450); };
  const auto number = [](std::size_t v) { return v < 5 ? 7U : 9U; };
  const cluster by_number = topoplan::fold(g, kind, number, link, rate, {.name = "mine", .gpu_model = "H100"});
  REQUIRE(by_number.hosts.size() == 2);
  CHECK(by_number.name == "mine");
  CHECK(by_number.gpu_models[0] == "H100");
  CHECK(by_number.hosts[0].name == "host-7");
  CHECK(by_number.hosts[1].gpu_count == 4);
  CHECK(by_number.domains == 5);
  const auto name = [](std::size_t v) { return std::string(v < 5 ? "a" : "b"); };
  const cluster by_name = topoplan::fold(g, kind, name, link, rate);
  CHECK(by_name.hosts[1].name == "b");
  CHECK(by_name.gpus == by_number.gpus);
}
