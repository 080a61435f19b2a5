#include <topoplan/import/slurm_topology.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include "domain_summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::network_tree;
using topoplan::import::slurm_topology;

namespace {

void check_postcondition(const network_tree& tree) {
  bool sound = !tree.hosts.empty();
  for (const auto& h : tree.hosts) sound = sound && h.leaf < tree.switches.size() && tree.switches[h.leaf].level == 0;
  for (const auto& s : tree.switches) {
    sound = sound && (!s.parent || (*s.parent < tree.switches.size() && tree.switches[*s.parent].level > s.level));
  }
  CHECK(sound);
}

network_tree read(const std::string& name) { return slurm_topology(data_file("slurm/" + name), name); }

}  // namespace

TEST_SUITE_BEGIN("import/slurm_topology");

TEST_CASE("the example's network") {
  const auto tree = slurm_topology(example_file("topology.conf"), "topology.conf");
  check_postcondition(tree);
  CHECK(tree.hosts.size() == 32);
  CHECK(tree.switches.size() == 7);
  CHECK(roots(tree) == 1);
  CHECK(above(tree, "gpu-006") == "leaf1<spine1<core");
  CHECK(above(tree, "gpu-028") == "leaf3<spine2<core");
  CHECK(tree.notes.empty());
  CHECK(tree.switches[3].line == 6);
  CHECK(tree.hosts.front().line == 6);
}

TEST_CASE("an unbalanced tree, keys in any case, continuation lines, quotes, comments") {
  const auto tree = read("unbalanced.conf");
  check_postcondition(tree);
  CHECK(tree.hosts.size() == 13);
  CHECK(above(tree, "cn5") == "old2<core");
  CHECK(above(tree, "gpu09") == "leaf02<hall<core");
  CHECK(above(tree, "gpu06") == "leaf03<hall<core");
  CHECK(tree.switches[0].level == 2);
}

TEST_CASE("switches with the same switches below are one group") {
  const auto tree = read("fat-tree.conf");
  check_postcondition(tree);
  CHECK(tree.switches.size() == 4);
  CHECK(above(tree, "h1") == "leaf1<spine[1-3]<core[1-2]");
  CHECK(tree.switches[2].count == 3);
  CHECK(has_note(tree.notes, "spine[1-3] have the same switches below", 4));
  CHECK(has_note(tree.notes, "core[1-2] have the same switches below", 7));
}

TEST_CASE("several roots are read and said") {
  const auto tree = read("two-roots.conf");
  check_postcondition(tree);
  CHECK(roots(tree) == 2);
  CHECK(above(tree, "b1") == "lone");
  CHECK(has_note(tree.notes, "2 switches have none above them", 0));
}

TEST_CASE("what scontrol prints of a tree is read as the file is") {
  const auto tree = read("scontrol-show-topology.txt");
  check_postcondition(tree);
  CHECK(tree.hosts.size() == 4);
  CHECK(above(tree, "n3") == "leaf1<spine");
}

TEST_CASE("what is no tree is refused where it shows") {
  const auto refused = [](std::string_view text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(slurm_topology(text, "t"), doctest::Contains(part), parse_error);
  };
  refused("", "t: expected SwitchName=NAME Nodes=HOSTS, found no switch");
  refused("SwitchName=s1\n", "switches without hosts");
  refused("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n",
          "t:2:1: expected each switch once, found 'a' again, which line 1 describes");
  refused("SwitchName=a Switches=b,c\nSwitchName=b Nodes=n1\n",
          "t:1:1: expected a switch that a line describes below 'a', found 'c'");
  refused("SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[3-4]\n",
          "t:2:1: expected each host under one switch, found 'n3' under 'b' and, in line 1, under 'a'");
  refused("SwitchName=a Switches=b\nSwitchName=b Switches=c\nSwitchName=c Switches=a\nSwitchName=d Nodes=n1\n",
          "expected a tree of switches, found a cycle: a > b > c > a");
  refused("SwitchName=a Switches=a\n", "a cycle: a > a");
  refused(
      "SwitchName=l1 Nodes=n1\nSwitchName=l2 Nodes=n2\nSwitchName=l3 Nodes=n3\nSwitchName=a Switches=l1,l2\nSwitchName=b "
      "Switches=l2,l3\n",
      "t:5:1: expected one switch above 'l2', found 'b' beside 'a' of line 4");
  refused("SwitchName=a Nodes=n1 Switches=b\nSwitchName=b Nodes=n2\n", "t:1:14: expected Nodes or Switches of 'a'");
  refused("SwitchName=a Nodez=n1\n", "t:1:14: expected SwitchName, Nodes, Switches or LinkSpeed, found 'nodez'");
  refused("SwitchName=a Nodes=n[1\n", "t:1:23: expected ',' or ']'");
  refused("SwitchName=a Nodes=n1,\\\nn[2\n", "t:2:4: expected ',' or ']'");
  refused("SwitchName=sw0 Nodes=n1,0x0002C903000A1B2C\n",
          "t:1:22: expected the names of hosts below 'sw0', found '0x0002C903000A1B2C', the GUID of a port");
  refused("SwitchName=a[1-2] Nodes=n1\n", "t:1:12: expected the name of one switch, found 'a[1-2]'");
  refused("SwitchName=a Nodes=ALL\n", "ALL, which only Slurm's own node table resolves");
  refused("SwitchName=a Nodes=\"n1\n", "a closing quote");
  refused("hello\n", "t:1:1: expected KEY=VALUE, found 'hello'");
  refused("Include /etc/slurm/topology.d\n", "KEY=VALUE");
  refused("Include=/etc/slurm/topology.d\n", "Include, which isn't followed");
  refused("RingName=r0 Nodes=n[1-8]\n", "t:1:1: expected SwitchName=NAME, as topology/tree has it, found a topology/ring file");
}

TEST_CASE("a block file is refused by name") {
  CHECK_THROWS_WITH_AS(read("blocks.conf"),
                       doctest::Contains("blocks.conf:2:1: expected SwitchName=NAME, as topology/tree has it, "
                                         "found a topology/block file; blocks say which hosts share NVLink, not how the network "
                                         "is built: give it as the NVLink domains"),
                       parse_error);
  CHECK_THROWS_WITH_AS(slurm_topology("BlockSizes=18\n", "t"), doctest::Contains("a topology/block file"), parse_error);
}

TEST_CASE("ten thousand hosts") {
  std::string text = "SwitchName=core Switches=spine[1-40]\n";
  for (int s = 1; s <= 40; ++s) {
    const auto leaf = std::to_string(s * 16 - 15) + "-" + std::to_string(s * 16);
    text += "SwitchName=spine" + std::to_string(s) + " Switches=leaf[" + leaf + "]\n";
  }
  for (int l = 1; l <= 640; ++l) {
    text += "SwitchName=leaf" + std::to_string(l) + " Nodes=";
    for (int h = 0; h < 16; ++h) text += "gpu" + std::to_string((h * 640 + l) * 7) + (h < 15 ? "," : "\n");
  }
  const auto start = std::clock();
  const auto tree = slurm_topology(text, "t");
  MESSAGE((static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC) << " s of CPU");
  CHECK(tree.hosts.size() == 10240);
  CHECK(tree.switches[0].level == 2);
}

TEST_CASE("deep chains and long lists neither recurse nor blow up") {
  std::string chain = "SwitchName=s0 Nodes=n1\n";
  for (int i = 1; i < 20000; ++i) chain += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i - 1) + "\n";
  CHECK(slurm_topology(chain, "t").switches.back().level == 19999);
  CHECK_THROWS_AS(slurm_topology("SwitchName=s0 Nodes=n[1-60]\nSwitchName=s1 Nodes=m[1-60]\n", "t", {100, 10000}), parse_error);
}

TEST_CASE("damaged files are read or refused") {
  for (const std::string name :
       {"unbalanced.conf", "fat-tree.conf", "two-roots.conf", "scontrol-show-topology.txt", "blocks.conf"}) {
    const auto text = data_file("slurm/" + name);
    CAPTURE(name);
    for (const auto& [damage, changed] : damaged(text)) {
      CAPTURE(damage);
      try {
        check_postcondition(slurm_topology(changed, "t"));
      } catch (const parse_error& e) {
        CHECK_MESSAGE((name == "blocks.conf" || (damage != "CRLF" && damage != "BOM" && damage != "tabs as blanks")), e.what());
      }
    }
    for (std::size_t length = 0; length < text.size(); ++length) {
      try {
        check_postcondition(slurm_topology(text.substr(0, length), "t"));
      } catch (const parse_error&) {
      }
    }
  }
}

TEST_CASE("the reference files are read as their conclusions say, or refused with the right reason") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const auto corpus = [&](const std::string& name) {
    return slurm_topology(import::read_file(folder + "/corpus/slurm-topology/" + name), name);
  };
  CHECK(corpus("slurm-test133-case1.conf").hosts.size() == 10000);
  CHECK(corpus("slurm-test133-case1.conf").switches.size() == 529);
  CHECK(above(corpus("slurm-test133-case1.conf"), "peta19999") == "leaf599<grp35<im1<root");
  CHECK(above(corpus("slurm-test133-case2.conf"), "peta19999") == "leaf599<grp35<root");
  CHECK(above(corpus("slurm-test133-case2.conf"), "peta10000") == "leaf100<grp10<im0<root");
  CHECK(roots(corpus("slurm-test133-case6.conf")) == 3);
  CHECK(corpus("slurm-test133-case6.conf").hosts.size() == 40);
  CHECK(above(corpus("slurm-doc-multi-parent-linkspeed.conf"), "tux13") == "s3<s[4-7]");
  CHECK(above(corpus("topograph-slinky-oci-tree.conf"), "srv6208") == "switch.1.12<switch.2.6<switch.3.1");
  CHECK(above(corpus("topograph-tree-small.conf"), "Node205") == "S2<S1");
  CHECK_THROWS_WITH_AS(corpus("sharp-topology-guid-nodes.conf"),
                       doctest::Contains("sharp-topology-guid-nodes.conf:1:24: expected the names of hosts below 'ibsw2', found "
                                         "'0x155dfffd341acb', the GUID of a port, as `sharp_cmd topology` prints it"),
                       parse_error);
  for (const std::string block : {"slurm-man-block.conf", "slurm-block-check.conf", "topograph-block-uneven.conf",
                                  "topograph-block-empty-blocks.conf", "hyperpod-two-ultraservers-blank-lines.conf",
                                  "scontrol-show-topology-gb300-block.txt", "doc-typo-blocksizes-first.conf"}) {
    CHECK_THROWS_WITH_AS(corpus(block), doctest::Contains("a topology/block file"), parse_error);
  }
  CHECK_THROWS_WITH_AS(corpus("slurm-man-ring.conf"), doctest::Contains("a topology/ring file"), parse_error);
}

TEST_SUITE_END();
