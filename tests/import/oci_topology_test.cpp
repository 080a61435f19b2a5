#include <topoplan/import/gathered_json.hpp>
#include <topoplan/import/json_document.hpp>
#include <topoplan/import/oci_topology.hpp>

#include <doctest/doctest.h>

#include <string>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;

namespace {

import::cluster_topology topology_of(const std::string& text, const std::string& source) {
  return import::oci_topology(import::gathered_json(text, source));
}
import::cluster_topology read_answer(const std::string& text, const std::string& source) {
  return import::oci_topology(import::json_document(text, source));
}

}  // namespace

TEST_SUITE_BEGIN("import/oci_topology");

TEST_CASE("what the metadata service says on each host, on one line or many") {
  const auto topology = topology_of(data_file("oci/metadata.txt"), "o.txt");
  CHECK(is_sound(topology));
  REQUIRE(topology.network);
  CHECK(path_above(topology.network, "gpu-1") == "lb1 < nb1 < isl");
  CHECK(path_above(topology.network, "gpu-2") == "lb2 < nb1 < isl");
  CHECK(path_above(topology.network, "gpu-4") == "lb1 < nb1 < isl");
  CHECK(topology.network->hosts.size() == 3);
  CHECK(topology.network->hosts[1].line == 2);
  CHECK(domains_in(topology.domains) == "fab9: gpu-1 gpu-4 | gpu-2: not told | gpu-5: not told");
  const auto& notes = topology.network->notes;
  CHECK(has_note(notes, "gpu-3 printed no JSON: '<html>", 8));
  CHECK(has_note(notes, "gpu-5 has no switch above it here", 10));
  CHECK(has_note(notes, "a host didn't answer: 'pdsh@mgmt: gpu-6", 11));
  CHECK(notes.size() == 3);
}

TEST_CASE("what the API answers") {
  const auto topology = read_answer(data_file("oci/compute_hosts.json"), "a.json");
  CHECK(is_sound(topology));
  CHECK(path_above(topology.network, "ocid1.instance.a") == "ocid1.lb.1 < ocid1.nb.1 < ocid1.island.1");
  CHECK(path_above(topology.network, "ocid1.instance.b") == "ocid1.lb.2 < ocid1.nb.1 < ocid1.island.1");
  CHECK(domains_in(topology.domains) == "ocid1.fabric.1: ocid1.instance.a | ocid1.instance.b: not told");
  CHECK(has_note(topology.network->notes, "1 compute hosts run no instance and are left out", 0));
}

TEST_CASE("hosts that stand twice, and what no host can mean") {
  const std::string one = R"(n1: {"customerLocalBlock": "l1", "customerNetworkBlock": "b1"})";
  CHECK(topology_of(one + "\n" + one + "\n", "o").network->hosts.size() == 1);
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(topology_of(text, "o"), doctest::Contains(part), parse_error);
  };
  refused("", "expected lines such as 'host: {...}', found no line that begins with a host");
  refused("n1: curl: (7) Failed\n", "hosts that printed no JSON");
  refused("n1: {}\n", "the tenancy must have RDMA topology data enabled");
  refused(one + "\nn1: {\"customerLocalBlock\": \"l2\"}\n", "o:2:5: expected one path up from host n1");
  refused("n0: {}\n" + one + "\nn2: {\"customerLocalBlock\": \"l1\", \"customerNetworkBlock\": 7}\n",
          "o:3:58: expected customerNetworkBlock, a text, found 7, no text");
  refused("n0: {}\n\nn1: {\"customerLocalBlock\": \n", "o:3: expected JSON, found the end");
  refused("n0: {}\n\nn1: {\nn2: {}\nn1: oops\n", "o:5:5: expected JSON, found 'oops");
  CHECK_THROWS_WITH_AS(read_answer("{\"data\": {}}", "o"), doctest::Contains("a map with 'items'"), parse_error);
}

TEST_CASE("damaged files") {
  check_survives(checked(topology_of), data_file("oci/metadata.txt"));
  check_survives(checked(read_answer), data_file("oci/compute_hosts.json"));
}

TEST_CASE("the reference files: four hosts on four fabrics; a number where a text belongs") {
  const auto fabric = reference_file("cloud-topology/oci-imds-pdsh-fabric.txt");
  const auto bad = reference_file("cloud-topology/oci-imds-pdsh-bad-type.txt");
  if (!fabric || !bad) return;
  const auto topology = topology_of(*fabric, "oci.txt");
  CHECK(is_sound(topology));
  CHECK(topology.network->hosts.size() == 4);
  CHECK(path_above(topology.network, "node3") == "loc3 < net3 < hpc3");
  CHECK(roots(*topology.network) == 4);
  CHECK(domains_in(topology.domains) == "fab1: node1; fab2: node2; fab3: node3; fab4: node4");
  CHECK_THROWS_WITH_AS(topology_of(*bad, "oci.txt"), doctest::Contains("oci.txt:1:"), parse_error);
  CHECK_THROWS_WITH_AS(topology_of(*bad, "oci.txt"),
                       doctest::Contains("expected customerHPCIslandId, a text, found 123, no text"), parse_error);
}
