#include <topoplan/import/ib_network.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ib_summary.hpp"
#include "support/ib_net.hpp"
#include "support/random.hpp"

using namespace topoplan_test;
using import::hosts_of;
using import::ib_fault_kind;
using import::ib_network;
using import::network_of;

namespace {

ib_network network_in(const std::string& text, const std::string& source = "net") {
  const auto f = read_fabric(text, source);
  return network_of(f, hosts_of(f));
}
ib_network network_in(const ib_net& net) { return network_in(ib_net_writer(net).records()); }

// Groups hold each host and each leaf once; the tree is a tree over them.
bool is_sound(const import::ib_fabric& f, const import::ib_hosts& hosts, const ib_network& n) {
  bool sound = !n.groups.empty() && n.groups.size() <= n.tree.switches.size() && n.capacity.size() == n.tree.switches.size();
  std::set<std::uint32_t> leafs;
  std::set<std::uint32_t> members;
  for (const auto& group : n.groups) {
    sound = sound && !group.switches.empty() && group.switches.size() == group.rails.size();
    for (const auto s : group.switches) {
      sound = sound && f.devices[s].kind == import::ib_kind::fabric_switch && leafs.insert(s).second;
    }
    for (const auto h : group.hosts) sound = sound && h < hosts.hosts.size() && members.insert(h).second;
    for (const auto rail : group.rails) sound = sound && rail < n.rails;
    const std::set<std::uint16_t> distinct(group.rails.begin(), group.rails.end());
    sound = sound && std::is_sorted(group.rails.begin(), group.rails.end()) && distinct.size() == group.rails.size();
  }
  sound = sound && n.tree.hosts.size() == members.size();
  for (const auto& host : n.tree.hosts) sound = sound && host.leaf < n.groups.size() && n.tree.switches[host.leaf].level == 0;
  for (std::uint32_t s = 0; s < n.tree.switches.size(); ++s) {
    const auto parent = n.tree.switches[s].parent;
    sound = sound && (!parent || (*parent > s && *parent < n.tree.switches.size() &&
                                  n.tree.switches[*parent].level > n.tree.switches[s].level));
  }
  for (const auto& fault : n.faults) sound = sound && fault.source < f.sources.size() && !fault.text.empty();
  return sound;
}

}  // namespace

TEST_SUITE_BEGIN("import/ib_network");

TEST_CASE("leaf groups, rails, tiers and capacities of a rail-optimized fabric") {
  const auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  const auto f = import::ibnetdiscover(ib_net_writer(net).records(), "net");
  const auto hosts = hosts_of(f);
  const auto n = network_of(f, hosts);
  REQUIRE(is_sound(f, hosts, n));
  CHECK(tree_text(n.tree) ==
        "leaf-su0-r[0-7]{gpu-000,gpu-001,gpu-002,gpu-003}<spine-p0-[0-3] "
        "leaf-su1-r[0-7]{gpu-004,gpu-005,gpu-006,gpu-007}<spine-p0-[0-3]");
  CHECK(n.rails == 8);
  for (const auto& group : n.groups) {
    CHECK(group.rails == std::vector<std::uint16_t>{0, 1, 2, 3, 4, 5, 6, 7});
    for (std::size_t r = 0; r < 8; ++r) CHECK(f.devices[group.switches[r]].description.ends_with("-r" + std::to_string(r)));
  }
  CHECK(n.capacity[0].from_below.gigabits() == doctest::Approx(4 * 8 * 400));
  CHECK(n.capacity[0].upward.gigabits() == doctest::Approx(8 * 4 * 400));
  CHECK(n.capacity[2].from_below.gigabits() == doctest::Approx(2 * 8 * 4 * 400));
  CHECK(n.capacity[2].upward.value == 0);
  CHECK(n.tree.switches[0].count == 8);
  CHECK(n.tree.switches[2].count == 4);
  CHECK(n.faults.empty());
  CHECK(n.tree.notes.empty());
}

TEST_CASE("names of switches decide nothing") {
  const auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  auto renamed = net;
  for (auto& device : renamed.devices) {
    if (device.is_switch) device.name = "switch";
  }
  const auto a = network_in(net);
  const auto b = network_in(renamed);
  CHECK(a.groups == b.groups);
  CHECK(a.capacity == b.capacity);
  REQUIRE(a.tree.switches.size() == b.tree.switches.size());
  std::set<std::string> names;
  for (std::size_t s = 0; s < a.tree.switches.size(); ++s) {
    CHECK(a.tree.switches[s].parent == b.tree.switches[s].parent);
    CHECK(names.insert(b.tree.switches[s].name).second);
  }
}

TEST_CASE("three tiers: spines of each pod below cores") {
  topoplan::fabric_graph_builder g("three");
  const auto rate = topoplan::gigabits_per_second(400);
  std::vector<std::uint32_t> cores;
  for (int c = 0; c < 2; ++c) cores.push_back(g.add_switch(topoplan::vertex_kind::core, "core" + std::to_string(c)));
  for (int pod = 0; pod < 2; ++pod) {
    const auto spine = g.add_switch(topoplan::vertex_kind::spine, "pod" + std::to_string(pod));
    for (const auto core : cores) g.connect(spine, core, topoplan::link_kind::network, rate);
    for (int l = 0; l < 2; ++l) {
      const auto leaf = g.add_switch(topoplan::vertex_kind::leaf, "leaf" + std::to_string(2 * pod + l));
      g.connect(leaf, spine, topoplan::link_kind::network, rate * 2, 2);
      for (int h = 0; h < 2; ++h) {
        const auto host = g.add_host("h" + std::to_string(4 * pod + 2 * l + h));
        g.connect(g.add_nic(host), leaf, topoplan::link_kind::network, rate);
      }
    }
  }
  const auto n = network_in(ib_net_of(g.build(), "4xNDR"));
  CHECK(tree_text(n.tree) ==
        "leaf0{h0,h1}<pod0<core[0-1] leaf1{h2,h3}<pod0<core[0-1] leaf2{h4,h5}<pod1<core[0-1] leaf3{h6,h7}<pod1<core[0-1]");
  CHECK(n.tree.switches.back().level == 2);
  CHECK(n.faults.empty());
}

TEST_CASE("an irregular fabric: a leaf below a leaf, a server on a spine, old adapters, a missing cable") {
  const auto n = network_in(data_file("ibnetdiscover/irregular.txt"));
  CHECK(tree_text(n.tree) ==
        "leaf 0x0002c90300001000{n1,n2,n3}<spine 0x0002c[90300002000,90300003000] "
        "spine 0x0002c90300002000{ufm}<spine 0x0002c[90300002000,90300003000] "
        "leaf 0x0002c90300001100{n4,n5}<spine 0x0002c[90300002000,90300003000] "
        "old{n6,n7,n8}<spine 0x0002c[90300002000,90300003000]");
  CHECK(n.faults.size() == 2);
  CHECK(has_fault(n, ib_fault_kind::missing_uplink,
                  "leaf 0x0002c90300001100 has 1 cable to spine 0x0002c90300003000, and 1 of 2 switches have 2"));
  CHECK(has_fault(n, ib_fault_kind::slow_cable,
                  "the cable from n3 mlx5_0 to leaf 0x0002c90300001000 runs at 4xDDR, and 2 of 3 like it at 4xQDR"));
}

TEST_CASE("leafs that are cabled to each other, and parts without a path") {
  const auto n = network_in(data_file("ibnetdiscover/two-switches.net"));
  CHECK(tree_text(n.tree) == "Switch1{Hca1}<between Switch1 and 1 more Switch2{Hca2}<between Switch1 and 1 more");
  CHECK(n.tree.switches.back().count == 0);
  const auto apart = network_in(
      "Switch 8 \"S-000000000000000a\" # \"a\"\n[1] \"H-0000000000000100\"[1] # \"n1 HCA-1\" lid 1 4xEDR\n"
      "Switch 8 \"S-000000000000000b\" # \"b\"\n[1] \"H-0000000000000200\"[1] # \"n2 HCA-1\" lid 1 4xEDR\n");
  CHECK(roots(apart.tree) == 2);
}

TEST_CASE("an adapter unplugged: its host has fewer than its peers, and it says on which rail") {
  auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  net.unplug("gpu-005 mlx5_3", "leaf-su1-r3");
  const auto n = network_in(net);
  REQUIRE(n.faults.size() == 1);
  CHECK(n.faults[0].kind == ib_fault_kind::missing_adapter);
  CHECK(n.faults[0].host == 5U);
  CHECK(n.faults[0].text == "gpu-005 has 7 adapters on leaf switches, and 3 of 4 hosts have 8: none on leaf-su1-r3 (rail 3)");
  CHECK(n.groups.size() == 2);
  CHECK(n.rails == 8);
  CHECK(has_note(n.tree.notes, n.faults[0].text, n.faults[0].line));
}

TEST_CASE("an uplink unplugged: the leaf has fewer than its peers, and it says to which spine") {
  auto net = ib_net_of(graph_of({2, 4, 4, 2, 1}), "4xNDR");
  net.unplug("leaf-su0-r2", "spine-p0-1");
  auto n = network_in(net);
  REQUIRE(n.faults.size() == 1);
  CHECK(n.faults[0].kind == ib_fault_kind::missing_uplink);
  CHECK(n.faults[0].text ==
        "leaf-su0-r2 has 7 cables to the switches above it, and 15 of 16 like it have 8: 1 of 2 to spine-p0-1");
  net.unplug("leaf-su0-r2", "spine-p0-1");
  n = network_in(net);
  REQUIRE(n.faults.size() == 1);
  CHECK(n.faults[0].text == "leaf-su0-r2 has 6 cables to the switches above it, and 15 of 16 like it have 8: none to spine-p0-1");
}

TEST_CASE("a whole rail missing in one group, and rails kept apart from each other") {
  auto net = ib_net_of(graph_of({3, 4, 4, 1, 1}), "4xNDR");
  for (int h = 4; h < 8; ++h) net.unplug("gpu-00" + std::to_string(h) + " mlx5_2", "leaf-su1-r2");
  const auto n = network_in(net);
  CHECK(count_faults(n, ib_fault_kind::missing_rail) == 1);
  CHECK(has_fault(n, ib_fault_kind::missing_rail,
                  "the leaf group of leaf-su1-r0 has 7 leafs, and 2 of 3 groups have 8: rail 2 is missing"));
  CHECK(count_faults(n, ib_fault_kind::missing_adapter) == 0);
  CHECK(n.groups[1].rails == std::vector<std::uint16_t>{0, 1, 3, 4, 5, 6, 7});

  auto split = ib_net_of(graph_of({2, 4, 1, 1, 8}), "4xNDR");
  split.unplug("leaf-su1-r5", "spine-p5-0");
  const auto m = network_in(split);
  CHECK(has_fault(m, ib_fault_kind::split_rail,
                  "rail 5 is in 2 parts without a path to each other (leaf-su0-r5, leaf-su1-r5), and other rails in 1"));
  CHECK(has_fault(m, ib_fault_kind::missing_uplink, "leaf-su1-r5 has 0 cables to the switches above it"));
  CHECK(m.groups.size() == 2);
}

TEST_CASE("crossed and stray cables keep the groups as they are") {
  const auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  auto crossed = net;
  const auto a = crossed.between("gpu-001 mlx5_0", "leaf-su0-r0").front();
  const auto b = crossed.between("gpu-001 mlx5_1", "leaf-su0-r1").front();
  std::swap(crossed.cables[a].b, crossed.cables[b].b);
  auto n = network_in(crossed);
  CHECK(n.groups.size() == 2);
  CHECK(n.faults.size() == 2);
  CHECK(has_fault(
      n, ib_fault_kind::stray_cable,
      "adapter mlx5_0 of gpu-001 hangs on leaf-su0-r1 (rail 1), which isn't leaf-su0-r0 (rail 0), as on the other hosts"));

  auto stray = net;
  const auto other = stray.between("gpu-004 mlx5_0", "leaf-su1-r0").front();
  std::swap(stray.cables[a].b, stray.cables[other].b);
  n = network_in(stray);
  REQUIRE(n.groups.size() == 2);
  for (const auto& host : n.tree.hosts) {
    CAPTURE(host.name);
    CHECK(n.tree.switches[host.leaf].name == (host.name < "gpu-004" ? "leaf-su0-r[0-7]" : "leaf-su1-r[0-7]"));
  }
  CHECK(has_fault(
      n, ib_fault_kind::stray_cable,
      "adapter mlx5_0 of gpu-001 hangs on leaf-su1-r0 (rail 0), which is of another leaf group than most of its adapters"));
  CHECK(count_faults(n, ib_fault_kind::stray_cable) == 2);
  CHECK(count_faults(n, ib_fault_kind::missing_adapter) == 0);
}

TEST_CASE("a cable at half rate") {
  auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  net.cables[net.between("gpu-002 mlx5_6", "leaf-su0-r6").front()].rate = "2xNDR";
  net.cables[net.between("leaf-su1-r1", "spine-p0-3").front()].rate = "4xHDR";
  const auto n = network_in(net);
  REQUIRE(n.faults.size() == 2);
  CHECK(n.faults[0].host == 2U);
  CHECK(n.faults[0].text == "the cable from gpu-002 mlx5_6 to leaf-su0-r6 runs at 2xNDR, and 3 of 4 like it at 4xNDR");
  CHECK(n.faults[1].text == "a cable from leaf-su1-r1 to spine-p0-3 runs at 4xHDR, and 63 of 64 like it at 4xNDR");
}

TEST_CASE("a management server across two groups joins nothing") {
  auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xNDR");
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto leaf = net.find("leaf-su" + std::to_string(i) + "-r0");
    const auto device = static_cast<std::uint32_t>(net.devices.size());
    net.devices.push_back({false, "ufm mlx5_" + std::to_string(i), 0x7700 + 16 * std::uint64_t{i}, 1, device + 1});
    net.cables.push_back({{device, 1}, {leaf, ++net.devices[leaf].ports}, "4xNDR"});
  }
  const auto n = network_in(net);
  CHECK(n.groups.size() == 2);
  CHECK(n.tree.hosts.size() == 9);
  CHECK(has_fault(n, ib_fault_kind::missing_adapter, "ufm has 2 adapters"));
}

TEST_CASE("a fabric without named hosts is refused with the name, and read with a table") {
  const std::string text =
      "Switch 8 \"S-000000000000000a\" # \"leaf\"\n"
      "[1] \"H-0000000000000100\"[1](101) # \"MT4129 ConnectX7 Mellanox Technologies\" lid 1 4xNDR\n"
      "[2] \"H-0000000000000200\"[1](201) # \"MT4129 ConnectX7 Mellanox Technologies\" lid 2 4xNDR\n";
  const auto f = read_fabric(text, "net");
  CHECK(
      refusal([&] { return network_of(f, hosts_of(f)); }) ==
      "net: expected an adapter of a host that has a name, found adapters called 'MT4129 ConnectX7 Mellanox Technologies', which "
      "names no host; give a table of GUIDs and hosts");
  const auto hosts = hosts_of(f, import::read_ib_host_table("0x100 n1\n0x201 n2\n", "names"));
  CHECK(tree_text(network_of(f, hosts).tree) == "leaf{n1,n2}");
}

TEST_CASE("any damage leaves a sound network or a refusal") {
  topoplan_test::random rng(23);
  const auto net = ib_net_of(graph_of({2, 2, 2, 1, 1}), "4xNDR");
  std::size_t read = 0;
  for (int round = 0; round < 300; ++round) {
    auto damaged_net = net;
    auto& cables = damaged_net.cables;
    for (auto edits = rng.between(1, 40); edits > 0 && cables.size() > 2; --edits) {
      auto& cable = cables[static_cast<std::size_t>(rng.below(cables.size()))];
      auto& other = cables[static_cast<std::size_t>(rng.below(cables.size()))];
      switch (rng.below(4)) {
        case 0: std::swap(cable.b, other.b); break;
        case 1: std::swap(cable.a, other.b); break;
        case 2: cable.rate = "1xSDR"; break;
        default: cables.erase(cables.begin() + static_cast<std::ptrdiff_t>(rng.below(cables.size())));
      }
    }
    const auto f = read_fabric(ib_net_writer(damaged_net).records(), "net");
    const auto hosts = hosts_of(f);
    try {
      if (!is_sound(f, hosts, network_of(f, hosts))) FAIL_CHECK("round " << round);
      ++read;
    } catch (const topoplan::parse_error&) {
    }
  }
  CHECK(read > 200);
}

TEST_CASE("sizes out of all proportion stay quick") {
  // One host on many switches, which form a chain; and a chain with one host at its end.
  std::string text;
  const auto id = [](char letter, std::size_t i) {
    return std::string("\"") + letter + '-' + import::guid_text(i).substr(2) + '"';
  };
  constexpr std::size_t many = 20'000;
  for (std::size_t i = 0; i < many; ++i) {
    const auto number = std::to_string(i);
    text += "Switch 9 " + id('S', 1 + i) + " # \"s" + number + "\"\n[1] " + id('H', 1'000'000 + i) + "[1] # \"big mlx5_" +
            number + "\" lid 1 4xEDR\n";
    if (i + 1 < many) text += "[2] " + id('S', 2 + i) + "[3] # \"\" lid 1 4xEDR\n";
    text += "[4] " + id('H', 2'000'000 + i) + "[1] # \"n" + number + " mlx5_0\" lid 1 4xEDR\n";
  }
  const auto f = read_fabric(text, "net");
  const auto hosts = hosts_of(f);
  CHECK(is_sound(f, hosts, network_of(f, hosts)));
  std::string chain = "Switch 9 " + id('S', 1) + " # \"s\"\n[1] " + id('H', 1'000'000) + "[1] # \"n mlx5_0\" lid 1 4xEDR\n";
  for (std::size_t i = 1; i < many; ++i) chain += "[2] " + id('S', i + 1) + "[1]\nSwitch 9 " + id('S', i + 1) + " # \"s\"\n";
  const auto g = read_fabric(chain, "net");
  CHECK(network_of(g, hosts_of(g)).groups.size() == 1);
}

namespace {

struct expectation {
  std::string_view file;
  std::size_t groups;
  std::uint16_t rails;
  std::size_t hosts;
  std::size_t switches;  // leaf groups and groups above
  std::size_t roots;
  std::vector<std::pair<ib_fault_kind, std::size_t>> faults;
};

}  // namespace

TEST_CASE("the reference outputs") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  using enum ib_fault_kind;
  const std::vector<expectation> table = {
      // 31 leafs in 8 groups of 4 rails, one of which lacks a leaf, under 9 spines.
      {"ibnetdiscover-dgx-ndr.txt",
       8,
       4,
       121,
       9,
       1,
       {{missing_adapter, 2}, {missing_rail, 1}, {missing_uplink, 12}, {stray_cable, 2}}},
      {"ibnetdiscover-ibtopotool-3.txt", 2, 1, 5, 3, 1, {{slow_cable, 1}}},
      {"ibnetdiscover-p-avakas-0000.txt", 16, 1, 281, 17, 1, {{slow_cable, 1}}},
      {"ibnetdiscover-p-plafrim-0000.txt", 7, 1, 125, 8, 1, {{missing_uplink, 1}, {slow_cable, 11}}},
      {"ibnetdiscover-p-treydock-test.txt", 2, 1, 3, 3, 2, {{missing_uplink, 1}}},
      {"ibsim-2sw2path.net", 2, 1, 2, 3, 1, {}},
      {"ibsim-2sw2path4hca.net", 2, 1, 4, 3, 1, {}},
      {"ibsim-2sw2path4hca2port.net", 2, 1, 2, 3, 1, {}},
      {"iblinkinfo-4ca-1switch.txt", 1, 1, 4, 1, 1, {}},
      {"iblinkinfo-l-speed-notes.txt", 1, 1, 2, 1, 1, {}},
  };
  for (const auto& expected : table) {
    CAPTURE(expected.file);
    const std::string name(expected.file);
    const auto f = read_fabric(import::read_file(folder + "/corpus/ib-fabric/" + name), name);
    const auto hosts = hosts_of(f);
    const auto n = network_of(f, hosts);
    CHECK(is_sound(f, hosts, n));
    CHECK(n.groups.size() == expected.groups);
    CHECK(n.rails == expected.rails);
    CHECK(n.tree.hosts.size() == expected.hosts);
    CHECK(n.tree.switches.size() == expected.switches);
    CHECK(roots(n.tree) == expected.roots);
    std::size_t faults = 0;
    for (const auto& [kind, count] : expected.faults) {
      CAPTURE(to_string(kind));
      CHECK(count_faults(n, kind) == count);
      faults += count;
    }
    CHECK(n.faults.size() == faults);
  }
  const auto dgx = network_in(import::read_file(folder + "/corpus/ib-fabric/ibnetdiscover-dgx-ndr.txt"));
  CHECK(dgx.tree.switches.back().count == 9);
  CHECK(has_fault(dgx, missing_rail, "rail 2 is missing"));
  CHECK(has_fault(dgx, stray_cable, "adapter HCA-5 of b08-p1-dgx-08-c01 hangs on B09-P1-IBLEAF-04-08 (rail 3)"));
  CHECK(refusal([&] {
          return network_in(import::read_file(folder + "/corpus/ib-fabric/ibnetdiscover-ibtopotool-1.txt"));
        }).find("found adapters called 'MT23108 InfiniHost Mellanox Technologies', which names no host") != std::string::npos);
  CHECK(refusal([&] {
          return network_in(import::read_file(folder + "/corpus/ib-fabric/iblinkinfo-back-to-back.txt"));
        }).find("expected a switch, found adapters that are cabled to each other") != std::string::npos);
}

TEST_SUITE_END();
