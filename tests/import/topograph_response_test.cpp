#include <topoplan/import/topograph_response.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "document_readers.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::cluster_topology;

namespace {

cluster_topology read_text(std::string_view text, const std::string& source) {
  return read_json([](const import::document& d) { return import::topograph_response(d); }, text, source);
}

}  // namespace

TEST_SUITE_BEGIN("import/topograph_response");

TEST_CASE("leaves, nodes, their accelerated networks, and what is missing") {
  const auto topology = read_text(data_file("topograph_response/two-leaves.json"), "r.json");
  const auto& network = topology.network.value();
  CHECK(network.switches.size() == 4);
  CHECK(above(network, "1202") == "leaf2<spine");
  CHECK(network.hosts.size() == 5);
  CHECK(notes_of(network.notes) ==
        "3: 1 switch with nothing below, no hosts: leaf3\n"
        "18: the response goes on at next_page_token: what other pages hold is missing here\n");
  CHECK(domains_of(topology.domains.value()) == "nvl1: [1101-1102]; nvl2: 1201");
  CHECK(others_of(*topology.domains) == "1202: not told; 1203: not told");
  CHECK(has_note(topology.domains->notes, "1202 has no accelerated_network_id: it is in no domain, as far as this says", 13));
  CHECK(topology.domains->hosts[0].line == 6);
}

TEST_CASE("without accelerated networks there are no domains") {
  const auto topology = read_text(R"({"switches":{"s":{"nodes":[{"node_id":7}]}},"next_page_token":""})", "t");
  CHECK(!topology.domains);
  CHECK(above(topology.network.value(), "7") == "s");
  CHECK(topology.network->notes.empty());
}

TEST_CASE("what is no response is refused where it shows") {
  const auto refused = [](const char* text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(read_text(text, "t"), doctest::Contains(part), parse_error);
  };
  refused("[]", "t:1:1: expected a response of the DSX API, a map with switches and their nodes, found a list");
  refused("{}", "a map with 'switches'");
  refused(R"({"switches":[]})", "expected a map of switches, found a list");
  refused(R"({"switches":{}})", "found no node below any switch");
  refused(R"({"switches":{"a":{}}})", "found no node below any switch");
  refused(R"({"switches":{"a":{"switches":["b"]},"b":{"switches":["a"]}}})", "a cycle: a > b > a");
  refused(R"({"switches":{"a":{"nodes":{}}}})", "expected a list, found a map");
  refused(R"({"switches":{"a":{"nodes":["x"]}}})", "t:1:28: expected a map with 'node_id', found 'x'");
  refused(R"({"switches":{"a":{"nodes":[{"id":"x"}]}}})", "expected a map with 'node_id', found no such key");
  refused(R"({"switches":{"a":{"nodes":[{"node_id":"x y"}]}}})",
          "the node_id, a text of up to 1000 letters without blanks, found 'x y'");
  refused(R"({"switches":{"a":{"nodes":[{"node_id":"x"}]},"b":{"nodes":[{"node_id":"x"}]}}})", "each host under one switch");
  refused(R"({"switches":{"a":{"nodes":[{"node_id":"x","accelerated_network_id":"1"},)"
          R"({"node_id":"x","accelerated_network_id":"2"}]}}})",
          "one NVLink domain for host x");
  refused(R"({"provider":{},"engine":{}})", "a request to topograph");
  refused(R"({"nodeUID":"u","gpus":{"g":1}})", "the GPUs, NICs and rails of one node");
}

TEST_CASE("damaged files are read or refused") {
  const auto reader = [](const std::string& text, const std::string& source) { return read_text(text, source); };
  check_survives(reader, data_file("topograph_response/two-leaves.json"));
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
  const auto medium = corpus("dsx-response-medium.json");
  CHECK(medium.network->switches.size() == 7);
  CHECK(medium.network->hosts.size() == 8);
  CHECK(medium.network->switches[0].level == 2);
  CHECK(above(*medium.network, "1301") == "sw13<sw22<sw3");
  CHECK(domains_of(medium.domains.value()) == "nvl1: [1101-1102]; nvl2: [1201-1202]; nvl3: [1301-1302]; nvl4: [1401-1402]");
  const auto nvl72 = corpus("dsx-response-nvl72.json");
  CHECK(nvl72.network->switches.size() == 7);
  CHECK(nvl72.network->hosts.size() == 63);
  CHECK(nvl72.domains->domains.size() == 4);
  for (const auto& domain : nvl72.domains->domains) CHECK(domain.hosts.size() == (domain.name == "nvl-2-2" ? 18 : 15));
  CHECK(above(*nvl72.network, "2218") == "leaf-2-2<spine-2<core");
  CHECK(has_note(nvl72.domains->notes, "3 domains have fewer hosts here than the 18 of another: nvl-1-1 (15), ", 23));
  CHECK(nvl72.domains->notes.size() == 1);
  CHECK_THROWS_WITH_AS(
      corpus("payload-test-block.json"),
      doctest::Contains("payload-test-block.json:1:1: expected a response of the DSX API, a map with switches and "
                        "their nodes, found a request to topograph, with its provider and engine"),
      parse_error);
  CHECK_THROWS_WITH_AS(corpus("gpu-nic-rail-record.json"), doctest::Contains("the GPUs, NICs and rails of one node"),
                       parse_error);
}

TEST_SUITE_END();
