#include <topoplan/import/aws_topology.hpp>
#include <topoplan/import/json_documents.hpp>

#include <doctest/doctest.h>

#include <string>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;

namespace {

import::cluster_topology topology_of(const std::string& text, const std::string& source) {
  return import::aws_topology(import::json_documents(text, source));
}

}  // namespace

TEST_SUITE_BEGIN("import/aws_topology");

TEST_CASE("pages of UltraServers: the last network node is the closest, a capacity block is a domain") {
  const auto topology = topology_of(data_file("aws/ultraservers.json"), "t.json");
  CHECK(is_sound(topology));
  REQUIRE(topology.network);
  const auto& tree = *topology.network;
  CHECK(path_above(tree, "i-0a") == "nn-low1 < nn-mid1 < nn-top");
  CHECK(path_above(tree, "i-0c") == "nn-low2 < nn-mid2 < nn-top");
  CHECK(path_above(tree, "i-0e") == "nn-mid2 < nn-top");
  CHECK(path_above(tree, "i-0d") == "no such host");
  CHECK(tree.hosts.size() == 4);
  CHECK(tree.hosts.back().line == 32);
  CHECK(domains_in(topology.domains) == "cb-1: i-0a i-0b; cb-2: i-0c i-0e | i-0d: not told");
  CHECK(has_note(tree.notes, "i-0d has no switch above it here; it isn't in the network", 22));
  CHECK(has_note(tree.notes, "i-0e has 2 levels of switches above it, others have 3", 32));
  CHECK(has_note(tree.notes, "instances of 2 types: m5.large 1, p6e-gb200.36xlarge 4", 0));
  CHECK(tree.notes.size() == 3);
}

TEST_CASE("a page that isn't the last is said, in any order of pages") {
  const std::string first = R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["a", "b"]}], "NextToken": "more"})";
  const std::string last = R"({"Instances": [{"InstanceId": "i-2", "NetworkNodes": ["a", "c"]}]})";
  CHECK(has_note(topology_of(first, "p").network->notes, "NextToken is set: there are more instances than these", 1));
  CHECK(topology_of(first + last, "p").network->notes.empty());
  CHECK(topology_of(last + "\n" + first, "p").network->notes.empty());
  CHECK(topology_of("[" + first + "," + last + "]", "p").network->hosts.size() == 2);
  CHECK(topology_of(first, "p").domains.has_value() == false);
}

TEST_CASE("what is no answer, or no tree, is refused where it shows") {
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(topology_of(text, "p"), doctest::Contains(part), parse_error);
  };
  const auto instance = [](const std::string& id, const std::string& nodes) {
    return R"({"InstanceId": ")" + id + R"(", "NetworkNodes": [)" + nodes + "]}";
  };
  const auto answer = [](const std::string& instances) { return "{\"Instances\": [\n" + instances + "]}"; };
  refused("", "p:1:1: expected JSON, found the end");
  refused("{}", "p:1:1: expected a map with 'Instances', found no such key");
  refused("[]", "expected instances, found an empty list of Instances");
  refused("{\"Instances\": []}", "found an empty list of Instances");
  refused("{\"Instances\": 3}", "p:1:15: expected a list, found 3");
  refused(answer(R"({"NetworkNodes": ["a"]})"), "p:2:1: expected a map with 'InstanceId'");
  refused(answer(R"({"InstanceId": 17})"), "p:2:16: expected InstanceId, a text, found 17, no text");
  refused(answer(R"({"InstanceId": "i", "NetworkNodes": "a"})"), "expected NetworkNodes, a list, found 'a'");
  refused(answer(instance("i", "\"a\", 4")), "expected the name of a network node, a text, found 4");
  refused(answer(R"({"InstanceId": "i"})"), "expected instances with NetworkNodes, found none has any");
  refused(answer(instance("i", "\"a\", \"b\", \"a\"")), "p:2:1: expected each switch once above host i, found 'a' twice");
  refused(answer(instance("i", "\"a\", \"b\"") + ",\n" + instance("i", "\"a\", \"c\"")),
          "p:3:1: expected one path up from host i, found 'c < a', and 'b < a' in line 2");
  refused(answer(instance("i", "\"a\", \"b\"") + ",\n" + instance("j", "\"c\", \"b\"")),
          "p:3:1: expected one switch above 'b', found 'c' by host j, and 'a' by host i in line 2");
  refused(answer(instance("i", "\"a\", \"b\"") + ",\n" + instance("j", "\"b\", \"a\"")), "a cycle: 'b < a < b'");
  refused(answer(R"({"InstanceId": "i", "CapacityBlockId": "cb-1"}, {"InstanceId": "i", "CapacityBlockId": "cb-2"})"),
          "expected one NVLink domain for host i, found cb-1 and cb-2");
  std::string deep;
  for (int i = 0; i < 17; ++i) deep += (i == 0 ? "\"n" : ", \"n") + std::to_string(i) + "\"";
  refused(answer(instance("i", deep)), "at most 16 switches above host i, found 17");
}

TEST_CASE("damaged files") { check_survives(checked(topology_of), data_file("aws/ultraservers.json")); }

TEST_CASE("the reference file") {
  const auto text = reference_file("cloud-topology/aws-describe-instance-topology-cli.json");
  if (!text) return;
  const auto topology = topology_of(*text, "aws.json");
  CHECK(is_sound(topology));
  const auto& tree = *topology.network;
  CHECK(tree.hosts.size() == 4);
  CHECK(path_above(tree, "i-1111111111example") == "nn-3333333333example < nn-2222222222example < nn-1111111111example");
  CHECK(path_above(tree, "i-2222222222example") == path_above(tree, "i-1111111111example"));
  CHECK(path_above(tree, "i-444444444example") == "nn-1235301234example < nn-5434334334example < nn-1111111111example");
  CHECK(path_above(tree, "i-3333333333example") == "nn-1311133311example < nn-1211122211example < nn-1212121212example");
  CHECK(roots(tree) == 2);
  CHECK(domains_in(topology.domains) == "no domains");
  CHECK(has_note(tree.notes, "NextToken is set", 49));
  CHECK(has_note(tree.notes, "instances of 3 types: p4d.24xlarge 2, trn1.2xlarge 1, trn1.32xlarge 1", 0));
  CHECK(has_note(tree.notes, "2 switches have none above them", 0));
}
