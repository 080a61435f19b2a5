#include <topoplan/import/kueue_topology.hpp>
#include <topoplan/import/yaml_document.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using import::kueue_topology;
using import::yaml_documents;
using topoplan::parse_error;
using strings = std::vector<std::string>;

TEST_SUITE_BEGIN("import/kueue_topology");

TEST_CASE("labels above the host, broadest first; other kinds are skipped") {
  const auto levels = kueue_topology(yaml_documents(data_file("kueue/racks.yaml"), "racks.yaml"));
  CHECK(levels.name == "racks");
  CHECK(levels.labels == strings{"example.com/block", "example.com/rack"});
  CHECK(levels.line == 5);
  CHECK(levels.source == "racks.yaml");
}

TEST_CASE("one of several by name; what isn't one is refused") {
  const std::string two =
      "kind: Topology\nmetadata: {name: a}\nspec: {levels: [{nodeLabel: x}]}\n---\n"
      "kind: Topology\nmetadata: {name: b}\nspec: {levels: [{nodeLabel: y}]}\n";
  CHECK(kueue_topology(yaml_documents(two, "t"), "b").labels == strings{"y"});
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(kueue_topology(yaml_documents(text, "t")), doctest::Contains(part), parse_error);
  };
  refused(two, "t:5:1: expected one Topology, found another, 'b' beside 'a' of line 1; say which one is meant");
  refused("kind: Pod\n", "expected a Topology of Kueue, found none");
  refused("kind: Topology\nmetadata: {name: a}\nspec: {levels: []}\n", "t:3:16: expected levels above the host, found none");
  refused("kind: Topology\nmetadata: {name: a}\nspec: {levels: [{nodeLabel: kubernetes.io/hostname}]}\n",
          "levels above the host");
  refused("kind: Topology\nmetadata: {name: a}\nspec: {levels: [{nodeLabel: x}, {nodeLabel: x}]}\n",
          "each label once, found 'x'");
  refused("kind: Topology\nmetadata: {name: a}\nspec: {}\n", "expected a map with 'levels'");
  CHECK_THROWS_WITH_AS(kueue_topology(yaml_documents(two, "t"), "c"), doctest::Contains("expected the Topology 'c', found none"),
                       parse_error);
}

TEST_CASE("damaged files") {
  check_survives([](const std::string& text, const std::string& source) { return kueue_topology(some_documents(text, source)); },
                 data_file("kueue/racks.yaml"));
}

TEST_CASE("the reference file: three levels, of which the last is the host") {
  const auto text = reference_file("k8s-topology/kueue-topology.yaml");
  if (!text) return;
  const auto levels = kueue_topology(yaml_documents(*text, "kueue.yaml"));
  CHECK(levels.name == "default");
  CHECK(levels.labels == strings{"cloud.provider.com/topology-block", "cloud.provider.com/topology-rack"});
}
