#include <topoplan/import/volcano_hypernodes.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using strings = std::vector<std::string>;

namespace {

const strings all_hosts = {"gpu-1", "gpu-2", "gpu-3", "gpu-10"};

import::cluster_topology topology_of(const std::string& text, const std::string& source, const strings& hosts = all_hosts) {
  return import::volcano_hypernodes(some_documents(text, source), hosts);
}

// A HyperNode of tier 1, or of another, with members as flow YAML.
std::string hypernode(const std::string& name, const std::string& members, const std::string& tier = "1") {
  return "---\nkind: HyperNode\nmetadata: {name: " + name + "}\nspec: {tier: " + tier + ", members: [" + members + "]}\n";
}
std::string node(const std::string& name) { return "{type: Node, selector: {exactMatch: {name: " + name + "}}}"; }
std::string child(const std::string& name) { return "{type: HyperNode, selector: {exactMatch: {name: " + name + "}}}"; }
std::string pattern(const std::string& text) { return "{type: Node, selector: {regexMatch: {pattern: '" + text + "'}}}"; }

}  // namespace

TEST_SUITE_BEGIN("import/volcano_hypernodes");

TEST_CASE("members by name, pattern and label; what has no node is said and left out") {
  const auto topology = topology_of(data_file("volcano/racks.yaml"), "v.yaml");
  CHECK(is_sound(topology));
  const auto& tree = *topology.network;
  CHECK(tree.hosts.size() == 4);
  CHECK(path_above(tree, "gpu-1") == "rack-a < hall");
  CHECK(path_above(tree, "gpu-3") == "rack-a < hall");
  CHECK(path_above(tree, "gpu-10") == "no such host");
  CHECK(path_above(tree, "gpu-7") == "rack-b < hall");
  CHECK(path_above(tree, "cpu-8") == "no such host");
  CHECK(has_note(tree.notes, "hall refers to rack-c, which isn't described here", 24));
  CHECK(has_note(tree.notes, "empty has no node below it here and is left out", 34));
  CHECK(tree.notes.size() == 2);
}

TEST_CASE("a pattern matches a part of a name, as in Volcano") {
  const auto topology = topology_of(hypernode("s", pattern("gpu-1")), "v");
  CHECK(topology.network->hosts.size() == 2);
  CHECK(has_note(topology.network->notes, "pattern 'gpu-1' matches a part of gpu-10, which is enough for Volcano", 4));
}

TEST_CASE("the operators of labels") {
  const auto members = [](const std::string& expression) {
    const std::string nodes =
        "---\nkind: Node\nmetadata: {name: a, labels: {x: '1'}}\n---\nkind: Node\nmetadata: {name: b, labels: {x: '2'}}\n"
        "---\nkind: Node\nmetadata: {name: c}\n";
    const auto selector = "{type: Node, selector: {labelMatch: {matchExpressions: [{key: x, " + expression + "}]}}}";
    std::string names;
    const auto topology = topology_of(hypernode("s", selector) + nodes, "v", {});
    for (const auto& host : topology.network->hosts) names += host.name;
    return names;
  };
  CHECK(members("operator: In, values: ['1', '3']") == "a");
  CHECK(members("operator: NotIn, values: ['1']") == "bc");
  CHECK(members("operator: Exists") == "ab");
  CHECK(members("operator: DoesNotExist") == "c");
  CHECK_THROWS_WITH_AS(members("operator: Gt, values: ['1']"), doctest::Contains("expected In, NotIn, Exists or DoesNotExist"),
                       parse_error);
}

TEST_CASE("what is no tree, or can't be resolved, is refused where it shows") {
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(topology_of(text, "v", {}), doctest::Contains(part), parse_error);
  };
  refused("kind: Node\nmetadata: {name: n}\n", "v: expected HyperNodes of Volcano, found none");
  refused(hypernode("s", ""), "v:2: expected HyperNodes with nodes");
  refused(hypernode("s", pattern("n-[01]")), "v:4:73: expected the names of the hosts, which a pattern is matched against");
  refused(hypernode("s", "{type: Node, selector: {labelMatch: {matchLabels: {a: b}}}}"),
          "expected the labels of the nodes, which labelMatch asks for, found no Node");
  refused(hypernode("s", "{type: Node, selector: {}}"), "expected exactMatch, regexMatch or labelMatch, found none of them");
  refused(hypernode("s", "{type: Pod, selector: {}}"), "expected Node or HyperNode, found Pod");
  refused(hypernode("s", "{type: HyperNode, selector: {regexMatch: {pattern: x}}}"), "expected exactMatch, for a member that");
  refused(hypernode("s", node("n")) + hypernode("s", node("m")), "v:7:18: expected each HyperNode once, found s");
  refused(hypernode("s", node("n")) + hypernode("t", node("n")), "expected each host under one switch, found 'n' under 't'");
  refused(hypernode("s", node("n")) + hypernode("t", child("s")),
          "expected members of 't' of a tier below 1, found 's' of tier 1");
  refused(hypernode("s", child("s")), "expected members of 's' of a tier below 1, found 's' of tier 1");
  refused(hypernode("s", node("n"), "high"), "v:4:14: expected a whole number up to 1000, found high");
  refused(hypernode("a", node("n")) + hypernode("b", node("m")) + hypernode("t", child("a") + "," + child("b"), "2") +
              hypernode("u", child("a"), "2"),
          "expected one switch above 'a', found 't' beside 'u' of line 15");
  CHECK_THROWS_WITH_AS(topology_of(hypernode("s", pattern("(?i)n")), "v"), doctest::Contains("a group with options at letter 2"),
                       parse_error);
}

TEST_CASE("damaged files") {
  const auto reader = [](const std::string& text, const std::string& source) { return topology_of(text, source); };
  check_survives(checked(reader), data_file("volcano/racks.yaml"));
}

TEST_CASE("the reference files") {
  const auto regex = reference_file("k8s-topology/volcano-hypernodes-leaf-and-root.yaml");
  const auto named = reference_file("k8s-topology/volcano-hypernodes-tiername.yaml");
  if (!regex || !named) return;
  const auto topology = topology_of(*regex, "volcano.yaml", {"node-0", "node-1", "node-2"});
  CHECK(is_sound(topology));
  CHECK(topology.network->hosts.size() == 2);
  CHECK(topology.network->switches.size() == 1);
  CHECK(path_above(topology.network, "node-0") == "s0");
  CHECK(path_above(topology.network, "node-1") == "s0");
  CHECK(has_note(topology.network->notes, "s6 refers to s4, which isn't described here", 20));
  CHECK(has_note(topology.network->notes, "s6 has no node below it here", 20));
  CHECK_THROWS_WITH_AS(topology_of(*regex, "volcano.yaml", {}), doctest::Contains("volcano.yaml:15:"), parse_error);
  CHECK_THROWS_WITH_AS(topology_of(*named, "volcano.yaml", {"node-0"}),
                       doctest::Contains("which labelMatch asks for, found no Node"), parse_error);
}
