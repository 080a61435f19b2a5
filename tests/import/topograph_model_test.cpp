#include <topoplan/import/topograph_model.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "document_readers.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::cluster_topology;

namespace {

cluster_topology read_text(std::string_view text, const std::string& source) {
  return read_yaml([](const import::document& d) { return import::topograph_model(d); }, text, source);
}
cluster_topology read(const std::string& name) { return read_text(data_file("topograph_model/" + name), name); }

}  // namespace

TEST_SUITE_BEGIN("import/topograph_model");

TEST_CASE("switches, blocks, domains of blocks and of the switches above them") {
  const auto topology = read("two-halls.yaml");
  const auto& network = topology.network.value();
  CHECK(network.hosts.size() == 10);
  CHECK(network.switches.size() == 7);
  CHECK(above(network, "tray03") == "leaf-a1<hall-a<core");
  CHECK(above(network, "1101") == "leaf-b1<hall-b<core");
  CHECK(above(network, "cpu1") == "no such host");
  CHECK(network.source == "two-halls.yaml");
  CHECK(notes_of(network.notes) ==
        "14: 1 switch with nothing below, no hosts: leaf-b2\n"
        "30: 2 hosts from cpu1 in a block without a switch; the network hasn't them\n");
  const auto& domains = topology.domains.value();
  CHECK(domains_of(domains) == "nvl-a: tray[01-05,07-08]; nvl-b: 1101,tray[09-10]");
  CHECK(others_of(domains) == "cpu1: not told; cpu2: not told");
  CHECK(domains.hosts[0].line == 16);
  CHECK(!domains.domains[0].key);
  CHECK(has_note(domains.notes, "2 sub-domains of 4 hosts at most: NVLink is taken to span the whole domain", 0));
  CHECK(has_note(domains.notes, "sub-domain rack-2 of domain nvl-a has 3 hosts, another 4", 21));
  CHECK(has_note(domains.notes, "2 hosts from cpu1 in a block without the annotation of a domain", 30));
  CHECK(has_note(domains.notes, "domain nvl-b has 3 hosts here, another 7", 28));
  CHECK(domains.notes.size() == 4);
}

TEST_CASE("blocks without switches are domains without a network, and the other way round") {
  const auto blocks = read("blocks-only.yaml");
  CHECK(!blocks.network);
  CHECK(domains_of(blocks.domains.value()) == "nvl1: n[1-2]; nvl2: n3");
  const auto tree = read_text("switches: {s: {switches: [t]}}\nblocks: [{switch: t, nodes: n1}, {switch: s, nodes: n2}]\n", "t");
  CHECK(!tree.domains);
  CHECK(above(tree.network.value(), "n1") == "t<s");
  CHECK(above(tree.network.value(), "n2") == "s");
}

TEST_CASE("several roots are said") {
  const auto tree = read_text("switches: {a: , b: }\nblocks: [{switch: a, nodes: n1}, {switch: b, nodes: n2}]\n", "t");
  CHECK(has_note(tree.network->notes, "2 switches have none above them", 0));
}

TEST_CASE("what is no model is refused where it shows") {
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(read_text(text, "t"), doctest::Contains(part), parse_error);
  };
  refused("[]\n", "t:1:1: expected a topograph model, a map with switches and blocks, found a list");
  refused("switches: {}\n", "a map with 'blocks', found no such key");
  refused("blocks: {}\n", "expected a list, found a map");
  refused("blocks: []\n", "expected blocks with nodes, found no block");
  refused("blocks: [{switch: s}]\n", "a map with 'nodes'");
  refused("blocks: [{nodes: []}]\n", "expected at least one node in a block, found none");
  refused("blocks: [{nodes: n1}]\n",
          "blocks with a switch or with the annotation accelerator.topology.test/domain, found neither");
  refused("switches: {a: {}}\nblocks:\n- switch: b\n  nodes: n1\n", "t:3:11: expected a switch that `switches` names, found 'b'");
  refused("switches: [a]\nblocks: []\n", "expected a map of switches, found a list");
  refused("switches: {a: [b]}\nblocks: []\n", "a map of what is below switch a, found a list");
  refused("switches: {a: {switches: b}}\nblocks: []\n", "expected a list, found b");
  refused("switches: {'a b': {}}\nblocks: []\n",
          "the name of a switch, a text of up to 1000 letters without blanks, found 'a b'");
  refused("switches: {a: {switches: [b]}, b: {switches: [a]}, c: {}}\nblocks: [{switch: c, nodes: n1}]\n", "a cycle: a > b > a");
  refused("switches: {a: {switches: [b]}, b: {switches: [a]}}\nblocks: [{switch: a, nodes: n1}]\n", "a cycle: a > b > a");
  refused(
      "switches: {a: {annotations: {accelerator.topology.test/domain: x}, switches: [b]}, b: {switches: [a]}}\n"
      "blocks: [{switch: a, nodes: n1}]\n",
      "a cycle: a > b > a");
  refused("switches: {a: {switches: [c]}, b: {switches: [c, d]}}\nblocks: [{switch: c, nodes: n1}]\n", "one switch above 'c'");
  refused("switches: {a: , b: }\nblocks: [{switch: a, nodes: n1}, {switch: b, nodes: n1}]\n", "each host under one switch");
  refused(
      "blocks:\n- {nodes: n1, annotations: {accelerator.topology.test/domain: x}}\n"
      "- {nodes: n1, annotations: {accelerator.topology.test/domain: y}}\n",
      "t:3: expected one NVLink domain for host n1, found x and y");
  refused("blocks: [{nodes: n1, annotations: x}]\n", "a map of annotations");
  refused("blocks: [{nodes: 'n[1-', annotations: {}}]\n", "t:1:");
  refused("capacity_blocks:\n  cb1: {nodes: [n1]}\n", "capacity_blocks, as models of older versions of topograph have them");
  refused("provider: {name: test}\nengine: {name: slurm}\n",
          "a request to topograph, with its provider and engine: it asks for a");
  refused("schemaVersion: v1alpha1\nnodeUID: x\nnics: {}\ngpus: {}\n", "the GPUs, NICs and rails of one node");
}

TEST_CASE("damaged files are read or refused") {
  const auto reader = [](const std::string& text, const std::string& source) { return read_text(text, source); };
  for (const auto* name : {"two-halls.yaml", "blocks-only.yaml"}) {
    INFO(name);
    const auto text = data_file(std::string("topograph_model/") + name);
    check_survives(reader, text);
    for (const auto& [damage, changed] : damaged(text)) {
      INFO(damage);
      if (damage != "CRLF" && damage != "BOM") continue;
      CHECK(domains_of(read_text(changed, "t").domains.value()) == domains_of(read_text(text, "t").domains.value()));
    }
  }
}

TEST_CASE("ten thousand hosts") {
  std::string text = "switches:\n  core:\n    switches:\n";
  for (int l = 0; l < 600; ++l) text += "    - leaf" + std::to_string(l) + "\n";
  text += "blocks:\n";
  for (int l = 0; l < 600; ++l) {
    const auto id = std::to_string(l);
    text += "- switch: leaf" + id + "\n  nodes: [\"r" + id + "-[01-18]\"]\n  annotations:\n";
    text += "    accelerator.topology.test/domain: nvl" + id + "\n";
  }
  const auto topology = read_text(text, "t");
  CHECK(topology.network->hosts.size() == 10800);
  CHECK(topology.domains->domains.size() == 600);
}

TEST_CASE("the reference files are read as their conclusions say, or refused with the right reason") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const auto corpus = [&](const std::string& file) {
    return read_text(import::read_file(folder + "/corpus/topograph/" + file), file);
  };
  const auto small = corpus("model-small-tree.yaml");
  CHECK(small.network->switches.size() == 3);
  CHECK(small.network->hosts.size() == 6);
  CHECK(above(*small.network, "I25") == "S2<S1");
  CHECK(domains_of(small.domains.value()) == "nvl2: I[21-22,25]; nvl3: I[34-36]");
  const auto nvl72 = corpus("model-nvl72.yaml");
  CHECK(nvl72.network->switches.size() == 7);
  CHECK(nvl72.network->hosts.size() == 72);
  CHECK(above(*nvl72.network, "node2118") == "leaf-2-1<spine-2<core");
  CHECK(domains_of(nvl72.domains.value()) ==
        "nvl-1-1: node[1101-1118]; nvl-1-2: node[1201-1218]; nvl-2-1: node[2101-2118]; nvl-2-2: node[2201-2218]");
  CHECK(nvl72.network->notes.empty());
  CHECK(nvl72.domains->notes.empty());
  const auto large = corpus("model-large.yaml");
  CHECK(large.network->switches.size() == 19);
  CHECK(large.network->hosts.size() == 96);
  CHECK(large.domains->domains.size() == 12);
  CHECK(above(*large.network, "srv6208") == "leaf-6-2<spine-6<core");
  const auto irregular = corpus("model-dual-xclr-irregular.yaml");
  CHECK(irregular.network->switches.size() == 34);
  CHECK(irregular.network->hosts.size() == 255);
  CHECK(above(*irregular.network, "node0271") == "rack-2-15<sw-02<core");
  CHECK(notes_of(irregular.network->notes) == "32: 2 switches with nothing below, no hosts: rack-1-03, rack-1-13\n");
  const auto& domains = irregular.domains.value();
  CHECK(domains.domains.size() == 2);
  CHECK(domains.domains[0].name == "domain-01");
  CHECK(domains.domains[0].hosts.size() == 124);
  CHECK(domains.domains[1].hosts.size() == 131);
  CHECK(has_note(domains.notes, "domain domain-01 has 124 hosts here, another 131", 66));
  CHECK(has_note(domains.notes, "sub-domain rack-1-04 of domain domain-01 has 7 hosts, another 9", 78));
  CHECK(has_note(domains.notes, "sub-domain rack-2-15 of domain domain-02 has 5 hosts, another 9", 230));
  CHECK(has_note(domains.notes, "29 sub-domains of 9 hosts at most", 0));
  const auto refused = [&](const char* file, const char* part) {
    CAPTURE(file);
    CHECK_THROWS_WITH_AS(corpus(file), doctest::Contains(part), parse_error);
  };
  refused("payload-test-block.json",
          "payload-test-block.json:1:1: expected a topograph model, a map with switches and blocks, found "
          "a request to topograph");
  refused("gpu-nic-rail-record.json", "the GPUs, NICs and rails of one node, as topograph drafts its record");
}

TEST_SUITE_END();
