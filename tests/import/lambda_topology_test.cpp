#include <topoplan/import/json_documents.hpp>
#include <topoplan/import/lambda_topology.hpp>

#include <doctest/doctest.h>

#include <string>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;

namespace {

import::cluster_topology topology_of(const std::string& text, const std::string& source) {
  return import::lambda_topology(import::json_documents(text, source));
}

}  // namespace

TEST_SUITE_BEGIN("import/lambda_topology");

TEST_CASE("pages: the first switch is the closest; domain and clique together name an NVLink domain") {
  const auto topology = topology_of(data_file("lambda/pages.json"), "l.json");
  CHECK(is_sound(topology));
  CHECK(path_above(topology.network, "g1") == "leafA < spineA");
  CHECK(path_above(topology.network, "g5") == "leafB < spineA");
  CHECK(topology.network->hosts.size() == 4);
  CHECK(domains_in(topology.domains) ==
        "rack-7.1: g1 g2; rack-7.2: g3; aaaaaaaa-0000-0000-0000-000000000001.3: g5 | g4: not told");
  CHECK(topology.domains->domains[2].key->clique == 3);
  CHECK_FALSE(topology.domains->domains[0].key);
  CHECK(has_note(topology.network->notes, "g4 has no switch above it here", 8));
  CHECK(topology.network->notes.size() == 1);
}

TEST_CASE("what is no answer is refused where it shows") {
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(topology_of(text, "p"), doctest::Contains(part), parse_error);
  };
  refused("{}", "p:1:1: expected a map with 'data', found no such key");
  refused(R"({"data": []})", "an empty list of data");
  refused(R"({"data": [{"id": "a"}]})", "expected instances with a networkPath, found none has any");
  refused(R"({"data": [{"networkPath": []}]})", "expected a map with 'id'");
  refused(R"({"data": [{"id": "a", "networkPath": ["leaf"]}]})", "p:1:39: expected a map with 'id', found 'leaf'");
  refused(R"({"data": [{"id": "a", "nvlink": "d1"}]})", "expected nvlink, a map, found 'd1'");
  refused(R"({"data": [{"id": "a", "nvlink": {"domain_id": "d1"}}]})", "expected a map with 'clique_id'");
  refused(R"({"data": [{"id": "a", "nvlink": {"domain_id": 5, "clique_id": "1"}}]})", "expected domain_id, a text, found 5");
}

TEST_CASE("damaged files") { check_survives(checked(topology_of), data_file("lambda/pages.json")); }

TEST_CASE("the reference file") {
  const auto text = reference_file("cloud-topology/lambda-page1.json");
  if (!text) return;
  const auto topology = topology_of(*text, "lambda.json");
  CHECK(is_sound(topology));
  CHECK(topology.network->hosts.size() == 2);
  CHECK(path_above(topology.network, "i-1") == "leaf1 < spine1 < core1");
  CHECK(path_above(topology.network, "i-2") == "leaf1 < spine1 < core1");
  CHECK(domains_in(topology.domains) == "no domains");
  CHECK(has_note(topology.network->notes, "page_token is set", 4));
}
