#include <topoplan/import/json_document.hpp>
#include <topoplan/import/kubernetes_configmap.hpp>
#include <topoplan/import/slurm_topology.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using import::kubernetes_configmap;
using import::read_embedded;
using topoplan::parse_error;

namespace {

const auto tree_of = [](std::string_view text, const std::string& source) { return import::slurm_topology(text, source); };

}  // namespace

TEST_SUITE_BEGIN("import/kubernetes_configmap");

TEST_CASE("files of a ConfigMap, and a reader that knows the lines around them") {
  const auto files = kubernetes_configmap(some_documents(data_file("kubernetes/configmap.yaml"), "cm.yaml"));
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == "topology.conf");
  CHECK(files[0].line == 8);
  CHECK(files[0].as_block);
  CHECK(files[1].text == "ConstrainDevices=yes");
  const auto tree = read_embedded(files[0], tree_of);
  CHECK(path_above(tree, "n3") == "leaf2 < top");
  CHECK(tree.source == "cm.yaml");
  CHECK(tree.hosts.front().line == 11);
  CHECK(tree.switches.front().line == 10);
}

TEST_CASE("in JSON a file is one line, so that its lines are its own") {
  const std::string text =
      "{\"kind\": \"ConfigMap\",\n \"data\": {\n \"topology.conf\": \"SwitchName=s Nodes=a\\nSwitchName=s Nodes=b\\n\"}}";
  const auto d = import::json_document(text, "cm.json");
  const auto files = kubernetes_configmap({&d, 1});
  REQUIRE(files.size() == 1);
  CHECK_FALSE(files[0].as_block);
  CHECK_THROWS_WITH_AS(read_embedded(files[0], tree_of),
                       doctest::Contains("cm.json:3:topology.conf:2:1: expected each switch once"), parse_error);
}

TEST_CASE("what holds no file is refused") {
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(kubernetes_configmap(some_documents(text, "c")), doctest::Contains(part), parse_error);
  };
  refused("kind: Pod\n", "c: expected a ConfigMap with data, found none");
  refused("kind: ConfigMap\n", "c: expected a ConfigMap with data, found none");
  refused("kind: ConfigMap\ndata: [a]\n", "c:2:7: expected data, a map, found a list");
  refused("kind: ConfigMap\ndata: {a: [b]}\n", "c:2:11: expected a text, found a list");
}

TEST_CASE("damaged files") {
  const auto reader = [](const std::string& text, const std::string& source) {
    for (const auto& file : kubernetes_configmap(some_documents(text, source))) static_cast<void>(read_embedded(file, tree_of));
    return 0;
  };
  check_survives(reader, data_file("kubernetes/configmap.yaml"));
}

TEST_CASE("the reference file: three switches, eight nodes in a block of YAML") {
  const auto text = reference_file("k8s-topology/slinky-configmap-topology.yaml");
  if (!text) return;
  const auto files = kubernetes_configmap(some_documents(*text, "slinky.yaml"));
  REQUIRE(files.size() == 1);
  const auto tree = read_embedded(files[0], tree_of);
  CHECK(tree.switches.size() == 3);
  CHECK(tree.hosts.size() == 8);
  CHECK(path_above(tree, "node5") == "sw3 < sw1");
  CHECK(tree.hosts.front().line == 20);
}

TEST_CASE("lines are those of the ConfigMap only where the file stands there as it is") {
  const auto as_block = [](std::string_view yaml) {
    return kubernetes_configmap(import::yaml_documents(yaml, "cm.yaml")).front().as_block;
  };
  CHECK(as_block("kind: ConfigMap\ndata:\n  topology.conf: |\n    SwitchName=a Nodes=b\n"));
  CHECK(as_block("kind: ConfigMap\ndata:\n  topology.conf: |-\n    SwitchName=a Nodes=b\n"));
  CHECK_FALSE(as_block("kind: ConfigMap\ndata:\n  topology.conf: \"SwitchName=a Nodes=b\\nSwitchName=c Nodes=d\\n\"\n"));
  CHECK_FALSE(as_block("kind: ConfigMap\ndata:\n  topology.conf: >\n    SwitchName=a\n    Nodes=b\n"));
  CHECK_FALSE(as_block("kind: ConfigMap\ndata:\n  topology.conf: SwitchName=a Nodes=b\n"));
}
