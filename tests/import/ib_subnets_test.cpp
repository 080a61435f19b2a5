#include <topoplan/import/ib_subnets.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "ib_summary.hpp"
#include "support/ib_net.hpp"

using namespace topoplan_test;
using import::ib_fabric;
using import::merge_subnets;

namespace {

// The part of a fabric that is reached from a device, as a discovery started there prints it.
ib_net part_from(const ib_net& net, std::uint32_t start) {
  std::vector<bool> reached(net.devices.size(), false);
  reached[start] = true;
  for (bool grown = true; std::exchange(grown, false);) {
    for (const auto& cable : net.cables) {
      if (reached[cable.a.device] == reached[cable.b.device]) continue;
      reached[cable.a.device] = reached[cable.b.device] = grown = true;
    }
  }
  ib_net part;
  std::vector<std::uint32_t> place(net.devices.size());
  for (std::uint32_t d = 0; d < net.devices.size(); ++d) {
    place[d] = static_cast<std::uint32_t>(part.devices.size());
    if (reached[d]) part.devices.push_back(net.devices[d]);
  }
  for (auto cable : net.cables) {
    if (!reached[cable.a.device]) continue;
    cable.a.device = place[cable.a.device];
    cable.b.device = place[cable.b.device];
    part.cables.push_back(cable);
  }
  return part;
}

ib_fabric read(const std::string& text, const std::string& source) { return import::ibnetdiscover(text, source); }

}  // namespace

TEST_SUITE_BEGIN("import/ib_subnets");

TEST_CASE("a rail-only fabric: two outputs with nothing in common are one network by their hosts") {
  const auto net = ib_net_of(graph_of({2, 4, 2, 1, 2}), "4xNDR");
  const auto low = part_from(net, net.find("leaf-su0-r0"));
  const auto high = part_from(net, net.find("leaf-su0-r7"));
  CHECK(low.devices.size() + high.devices.size() == net.devices.size());
  const auto f = merge_subnets({read(ib_net_writer(low).records(), "low"), read(ib_net_writer(high).records(), "high")});
  REQUIRE(is_sound(f));
  CHECK(f.sources == std::vector<std::string>{"low", "high"});
  CHECK(source_of(f) == "low, high");
  CHECK(cables_of(f) == cables_of(read(ib_net_writer(net).records(), "whole")));
  CHECK(f.devices.back().source == 1);

  const auto network = network_of(f, hosts_of(f));
  CHECK(network.groups.size() == 2);
  CHECK(network.rails == 8);
  CHECK(network.tree.hosts.size() == 8);
  CHECK(roots(network.tree) == 1);
  CHECK(network.faults.empty());
  REQUIRE(network.tree.notes.size() == 1);
  CHECK(network.tree.notes[0].text ==
        "the switches are in 2 parts that only hosts join, as in a rail-only fabric: rails 0, 1, 2, 3; rails 4, 5, 6, 7");

  // One of the outputs alone has half of the rails, and is no fault in itself.
  const auto half = read(ib_net_writer(low).records(), "low");
  CHECK(network_of(half, hosts_of(half)).rails == 4);
}

TEST_CASE("two scans of one subnet agree; the same device counts once") {
  const auto net = ib_net_of(graph_of({1, 2, 1, 1, 1}), "4xNDR");
  const ib_net_writer writer(net);
  const auto f = merge_subnets({read(writer.records(true), "a"), read(writer.records(false), "b")});
  CHECK(is_sound(f));
  CHECK(cables_of(f) == cables_of(read(writer.records(), "a")));
  CHECK(f.devices.size() == net.devices.size());
}

TEST_CASE("the two ports of an adapter in two subnets make one adapter") {
  const std::string left =
      "Switch 8 \"S-000000000000000a\" # \"left\"\n[1] \"H-0000000000000100\"[1](101) # \"n HCA-1\" lid 1 4xEDR\n";
  const std::string right =
      "Switch 8 \"S-000000000000000b\" # \"right\"\n[1] \"H-0000000000000100\"[2](102) # \"n HCA-1\" lid 1 4xEDR\n";
  const auto f = merge_subnets({read(left, "l"), read(right, "r")});
  CHECK(counts_of(f) == "2 switches 1 adapters 2 cables 0 idle");
  CHECK(tree_text(network_of(f, hosts_of(f)).tree) == "left,right{n}");
}

TEST_CASE("outputs that contradict each other are refused with both places") {
  const std::string one =
      "Switch 8 \"S-000000000000000a\" # \"leaf\"\n[1] \"H-0000000000000100\"[1](101) # \"n1 HCA-1\" lid 1 4xEDR\n";
  const std::string other =
      "Switch 8 \"S-000000000000000a\" # \"leaf\"\n[1] \"H-0000000000000200\"[1](201) # \"n2 HCA-1\" lid 1 4xEDR\n";
  CHECK(refusal([&] { return merge_subnets({read(one, "a"), read(other, "b")}); }) ==
        "b:2: expected the cable that a:2 has there, found another one: 'leaf' (0x000000000000000a) to 'n2 HCA-1' "
        "(0x0000000000000200); the scans aren't of one moment");
  const std::string kind = "Ca 1 \"H-000000000000000a\" # \"x HCA-1\"\n[1] \"S-0000000000000300\"[1] # \"s\" lid 1 4xEDR\n";
  CHECK(refusal([&] { return merge_subnets({read(one, "a"), read(kind, "b")}); }) ==
        "b:1: expected one kind of device for 'leaf' (0x000000000000000a), found adapter, and a:1 has switch");
  CHECK_THROWS_AS((void)merge_subnets({}), topoplan::invalid_argument);
}

TEST_CASE("notes say which output they are about; devices without a GUID stay apart") {
  const auto text = data_file("ibnetdiscover/traits.txt");
  const auto links = import::iblinkinfo(data_file("iblinkinfo/switches-only.txt"), "links");
  const auto f = merge_subnets({read(text, "traits.txt"), read("Switch 8 \"S-000000000000000a\" # \"s\"\nrubbish\n"
                                                               "[1] \"H-0000000000000b00\"[1] # \"n m_0\" lid 1 4xEDR\n",
                                                               "b")});
  CHECK(f.notes.front().text.find("traits.txt:1: 'src/query_smp.c") == 0);
  CHECK(f.notes.front().line == 0);
  CHECK(f.notes.back().text.find("b:3: 'n m_0'") == 0);
  // LIDs mean other devices in another subnet: the same switch with other neighbours is a contradiction.
  CHECK(refusal([&] { return merge_subnets({links, links}); }).find("links:2: expected the cable that links:2 has there") == 0);
}

TEST_SUITE_END();
