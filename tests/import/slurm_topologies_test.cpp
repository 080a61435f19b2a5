#include <topoplan/import/slurm_topologies.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "domain_summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::cluster_topology;
using topoplan::import::slurm_topology_yaml;

namespace {

cluster_topology read_text(std::string_view text, const std::string& source, std::string_view name = {}) {
  const auto documents = import::yaml_documents(text, source);
  if (documents.size() != 1) throw parse_error({source, 0, 0}, "one document", std::to_string(documents.size()));
  auto topology = slurm_topology_yaml(documents.front(), name);
  CHECK((topology.network || topology.domains));
  if (topology.network) check_tree(*topology.network);
  if (topology.domains) check_table(*topology.domains);
  return topology;
}

cluster_topology read(const std::string& file, std::string_view name = {}) {
  return read_text(data_file("slurm_topologies/" + file), file, name);
}

}  // namespace

TEST_SUITE_BEGIN("import/slurm_topologies");

TEST_CASE("the default is a tree, and the blocks of the same hosts are its domains") {
  const auto topology = read("cluster.yaml");
  REQUIRE(topology.network);
  CHECK(topology.network->hosts.size() == 8);
  CHECK(above(*topology.network, "tray04") == "leaf1<core");
  CHECK(above(*topology.network, "tray07") == "leaf2<core");
  CHECK(topology.network->source == "cluster.yaml");
  CHECK(topology.network->switches[1].line == 8);
  CHECK(topology.network->hosts[0].line == 8);
  CHECK(notes_of(topology.network->notes) ==
        "3: topology fabric of 7 is read; others are racks (block), visitors (block), all (flat), plain (flat), old (ring), cube "
        "(torus3d)\n");
  REQUIRE(topology.domains);
  CHECK(domains_of(*topology.domains) == "r1: tray[01-04]; r2: tray[05-08]");
  CHECK(topology.domains->hosts[4].line == 18);
  CHECK(has_note(topology.domains->notes, "the block topology racks has the hosts of the tree: its blocks are the domains", 12));
  CHECK(has_note(topology.domains->notes, "1 block without hosts: spare", 20));
  CHECK(has_note(topology.domains->notes, "2 blocks with more hosts than the base block size of 2", 0));
}

TEST_CASE("one by its name") {
  const auto racks = read("cluster.yaml", "racks");
  CHECK(!racks.network);
  CHECK(domains_of(racks.domains.value()) == "r1: tray[01-04]; r2: tray[05-08]");
  CHECK(has_note(racks.domains->notes, "topology racks of 7 is read; others are fabric (tree), visitors (block)", 12));
  CHECK(domains_of(read("cluster.yaml", "visitors").domains.value()) == "v1: v1");
}

TEST_CASE("the only one needs no default") {
  const auto topology = read("one.yaml");
  CHECK(!topology.network);
  CHECK(domains_of(topology.domains.value()) == "a: n[1-2]; b: n3");
  CHECK(has_note(topology.domains->notes, "block b is short: 1 host, where the base block size is 2", 8));
  CHECK(topology.domains->notes.size() == 2);
}

TEST_CASE("two block topologies of the same hosts: neither is taken") {
  const std::string blocks = "\n  block:\n    blocks:\n      - {block: x, nodes: 'n[1-2]'}\n";
  const auto topology =
      read_text("- topology: t\n  cluster_default: true\n  tree: {switches: [{switch: s, nodes: 'n[1-2]'}]}\n- topology: b1" +
                    blocks + "- topology: b2" + blocks,
                "t");
  CHECK(topology.network);
  CHECK(!topology.domains);
  CHECK(has_note(topology.network->notes, "2 block topologies have the hosts of the tree, which is why none gives", 0));
}

TEST_CASE("the first of several defaults is taken, as by Slurm") {
  const std::string tail = "\n  cluster_default: true\n  block: {blocks: [{block: x, nodes: n1}]}\n";
  CHECK(has_note(read_text("- topology: a" + tail + "- topology: b" + tail, "t").domains->notes, "topology a of 2 is read", 1));
}

TEST_CASE("names that are numbers, a hostlist over lines, no hosts but placeholders' neighbours") {
  const auto topology = read_text(
      "- topology: 1\n  tree:\n    switches:\n      - switch: 10\n        nodes: >\n          n1,n2,\n"
      "          n3\n",
      "t");
  CHECK(topology.network->hosts.size() == 3);
  CHECK(above(*topology.network, "n3") == "10");
}

TEST_CASE("what is no such file, or means no topology, is refused where it shows") {
  const auto refused = [](const std::string& text, const char* part, std::string_view name = {}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(read_text(text, "t", name), doctest::Contains(part), parse_error);
  };
  const auto file = data_file("slurm_topologies/cluster.yaml");
  refused(file,
          "t:27:9: expected a tree or block topology, found 'all', which is flat: it says that all hosts are equal, and no "
          "more; others are fabric (tree)",
          "all");
  refused(file, "'plain', which is flat", "plain");
  refused(file, "found 'old', a ring, whose network is no tree", "old");
  refused(file, "found 'cube', a torus3d, whose network is no tree", "cube");
  refused(file, "t: expected a topology 'racs', found only fabric (tree), racks (block)", "racs");
  const std::string a = "- topology: a\n  block: {blocks: [{block: x, nodes: n1}]}\n";
  const std::string b = "- topology: b\n  block: {blocks: [{block: x, nodes: n1}]}\n";
  refused(a + b,
          "t: expected one topology with cluster_default: true, or the name of the one that is meant, found several, and "
          "none is the default: a (block), b (block)");
  refused(a + a, "t:3:3: expected each topology once, found 'a' again, which line 1 describes");
  refused("a: 1\n", "expected a list of topologies, as Slurm's topology.yaml has it, found a map");
  refused("SwitchName=s1 Nodes=n1\n", "expected a list of topologies");
  refused("[]\n", "expected a list of topologies, found an empty one");
  refused("- topology: a\n", "t:1:3: expected tree, block, flat, ring or torus3d for 'a', found none of them");
  refused("- topology: a\n  flat: false\n", "none of them");
  refused("- topology: a\n  flat: maybe\n", "t:2:9: expected true or false, found maybe");
  refused("- topology: a\n  block: {}\n  tree: {}\n", "expected one kind of topology for 'a', found tree and block");
  refused("- topology: a\n  tree:\n  block: {}\n", "found tree and block");
  refused("- topology: a\n  tree: \"SwitchName=s1 Nodes=n1\"\n",
          "t:2:9: expected a map with switches, found 'SwitchName=s1 Nodes=n1'");
  refused("- topology: a\n  tree:\n", "expected a map with switches, found nothing");
  refused("- topology: a\n  tree: {switches: {}}\n", "expected a list, found a map");
  refused("- topology: a\n  tree: {switches: []}\n", "expected switches with nodes, found no switch");
  refused("- topology: a\n  tree: {switches: [{switch: s}]}\n", "expected switches with nodes, found switches without any");
  refused("- topology: a\n  tree: {switches: [{nodes: n1}]}\n", "a map with 'switch'");
  refused("- topology: a\n  tree: {switches: [{switch: s, node: n1}]}\n",
          "expected switch, children, nodes, found the key 'node'");
  refused("- topology: a\n  tree: {switches: [{switch: s, nodes: n1, children: t}]}\n", "nodes or children of 's'");
  refused("- topology: a\n  tree: {switches: [{switch: s, children: t}]}\n", "below 's', found 't'");
  refused("- topology: a\n  tree: {switches: [{switch: s, nodes: ALL}]}\n", "ALL, which only Slurm's own node table");
  refused("- topology: a\n  tree: {switches: [{switch: s, nodes: {a: b}}]}\n", "names, as a hostlist or a list of them");
  refused("- topology: a\n  tree: {switches: [{switch: s, nodes: [[n1]]}]}\n", "names, as a hostlist");
  refused("- topology: a\n  tree:\n    switches:\n    - switch: s\n      nodes: 'n[1'\n", "t:5:18: expected ',' or ']'");
  refused("- topology: a\n  tree:\n    switches:\n    - switch: s\n      nodes: n[1\n", "t:5:17: expected ',' or ']'");
  refused("- topology: a\n  block: {}\n", "a map with 'blocks'");
  refused("- topology: a\n  block: {blocks: [{block: x}]}\n", "blocks with hosts, found blocks without any");
  refused("- topology: a\n  block: {block_sizes: [0], blocks: []}\n", "a number of hosts");
  refused("- topology: a\n  block: {block_sizes: [x], blocks: []}\n", "a whole number");
  refused("- topology: a\n  block: {blocks: [{block: x, nodes: n1}, {block: y, nodes: n1}]}\n", "one NVLink domain for host n1");
  refused("- topology: a b\n  flat: true\n",
          "t:1:13: expected the name of a topology, a text of up to 1000 letters without blanks, found 'a b'");
  refused("- topolgy: a\n  flat: true\n",
          "expected topology, cluster_default, tree, block, flat, ring, torus3d, found the key "
          "'topolgy'");
  refused("- a\n", "expected a map with topology, cluster_default");
}

TEST_CASE("damaged files are read or refused") {
  const auto reader = [](const std::string& text, const std::string& source) { return read_text(text, source); };
  for (const auto* name : {"cluster.yaml", "one.yaml"}) {
    INFO(name);
    const auto text = data_file(std::string("slurm_topologies/") + name);
    check_survives(reader, text);
    for (const auto& [damage, changed] : damaged(text)) {
      INFO(damage);
      if (damage != "CRLF" && damage != "BOM") continue;
      const auto same = read_text(changed, "t");
      CHECK(domains_of(same.domains.value()) == domains_of(read_text(text, "t").domains.value()));
    }
  }
}

TEST_CASE("the reference files are read as their conclusions say, or refused with the right reason") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const auto corpus = [&](const std::string& file, std::string_view name = {}) {
    return read_text(import::read_file(folder + "/corpus/slurm-topology/" + file), file, name);
  };
  const auto refused = [&](const char* file, const char* part, std::string_view name = {}) {
    CAPTURE(file);
    CHECK_THROWS_WITH_AS(corpus(file, name), doctest::Contains(part), parse_error);
  };
  const auto man = corpus("slurm-man-topology.yaml");
  CHECK(man.network->switches.size() == 3);
  CHECK(man.network->hosts.size() == 4);
  CHECK(above(*man.network, "node03") == "s2<sw_root");
  CHECK(!man.domains);
  CHECK(has_note(
      man.network->notes,
      "topology topo1 of 6 is read; others are topo2 (block), topo3 (flat), topo3a (flat), topo4 (ring), topo5 (torus3d)", 2));
  CHECK(domains_of(corpus("slurm-man-topology.yaml", "topo2").domains.value()) ==
        "b1: node[01-04]; b2: node[05-08]; b3: node[09-12]; b4: node[13-16]");
  refused("slurm-man-topology.yaml", "'topo3', which is flat", "topo3");
  refused("slurm-man-topology.yaml", "'topo3a', which is flat", "topo3a");
  refused("slurm-man-topology.yaml", "'topo4', a ring", "topo4");
  refused("slurm-man-topology.yaml", "'topo5', a torus3d", "topo5");
  refused("slurm-doc-torus-regions.yaml",
          "slurm-doc-torus-regions.yaml:4:5: expected a tree or block topology, found "
          "'topo-torus', a torus3d, whose network is no tree");
  refused("slurm-bad-tree-mutually-exclusive.yaml",
          "expected one kind of topology for 'tree_mutually_exclusive', found tree and "
          "block");
  refused("slurm-bad-tree-not-dict.yaml",
          "slurm-bad-tree-not-dict.yaml:8:9: expected a map with switches, found "
          "'SwitchName=s1 Nodes=node[1-16]'");
  const auto two = corpus("topograph-yaml-tree-two-topos.yaml");
  CHECK(above(*two.network, "Node305") == "S3<S1");
  CHECK(two.network->hosts.size() == 2);
  CHECK(above(corpus("topograph-yaml-tree-two-topos.yaml", "topo1").network.value(), "Node205") == "S2<S1");
}

TEST_SUITE_END();
