#include <topoplan/import/topograph_instances.hpp>

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
  return read_json([](const import::document& d) { return import::topograph_instances(d); }, text, source);
}

}  // namespace

TEST_SUITE_BEGIN("import/topograph_instances");

TEST_CASE("layers, closest first, and domains by attribute or label") {
  const auto topology = read_text(data_file("topograph_instances/four.json"), "i.json");
  CHECK(above(topology.network.value(), "i-2") == "leaf-a<spine");
  CHECK(above(*topology.network, "i-3") == "leaf-b<spine");
  CHECK(topology.network->hosts.size() == 3);
  CHECK(topology.network->hosts[2].line == 5);
  CHECK(has_note(topology.network->notes, "i-4 has no switch above it here", 7));
  const auto& domains = topology.domains.value();
  CHECK(domains.domains.size() == 2);
  CHECK(domains.domains[0].name == "nvl-1");
  CHECK(!domains.domains[0].key);
  CHECK(domains.domains[1].key.value().clique == 7);
  CHECK(others_of(domains) == "i-4: not told");
}

TEST_CASE("one of the two is enough") {
  CHECK(!read_text(R"({"instances":[{"id":"a","network_layers":["s"]}]})", "t").domains);
  CHECK(!read_text(R"({"instances":[{"id":"a","attributes":{"nvlink":"n"}}]})", "t").network);
}

TEST_CASE("what is no such answer is refused where it shows") {
  const auto refused = [](const char* text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(read_text(text, "t"), doctest::Contains(part), parse_error);
  };
  refused("[]", "expected the answer of topograph's graph engine, a map with instances, found a list");
  refused(R"({"instances":[]})", "instances with network_layers or attributes.nvlink, found none that has either");
  refused(R"({"instances":[{"id":"a"}]})", "found none that has either");
  refused(R"({"instances":[{}]})", "a map with 'id'");
  refused(R"({"instances":[{"id":"a","attributes":[]}]})", "a map of attributes");
  refused(R"({"instances":[{"id":"a","network_layers":["s","s"]}]})", "each switch once above host a");
  refused(R"({"provider":{},"engine":{}})", "a request to topograph");
}

TEST_CASE("damaged files are read or refused") {
  const auto reader = [](const std::string& text, const std::string& source) { return read_text(text, source); };
  check_survives(reader, data_file("topograph_instances/four.json"));
}

TEST_SUITE_END();
