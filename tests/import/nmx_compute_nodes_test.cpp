#include <topoplan/import/nmx_compute_nodes.hpp>

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
  return read_json([](const import::document& d) { return import::nmx_compute_nodes(d); }, text, source);
}

}  // namespace

TEST_SUITE_BEGIN("import/nmx_compute_nodes");

TEST_CASE("domains by UUID in any case; what is short, unhealthy or without a domain is said") {
  const auto topology = read_text(data_file("nmx/nodes.json"), "n.json");
  CHECK(!topology.network);
  const auto& domains = topology.domains.value();
  CHECK(domains_of(domains) ==
        "aaaaaaaa-0000-0000-0000-000000000001: tray-[01-02]; bbbbbbbb-0000-0000-0000-000000000002: tray-03");
  CHECK(others_of(domains) == "tray-04: not told; tray-05: not told");
  CHECK(!domains.domains[0].key);
  CHECK(domains.hosts[0].gpus == 4);
  CHECK(domains.hosts[1].gpus == 3);
  CHECK(domains.hosts[1].line == 9);
  CHECK(has_note(domains.notes, "tray-02 lists 3 GPUs, most nodes 4", 9));
  CHECK(has_note(domains.notes, "tray-02 is reported as 'DEGRADED'", 9));
  CHECK(has_note(domains.notes, "tray-04 has no DomainUUID: it is in no domain, or not known yet", 21));
  CHECK(has_note(domains.notes, "tray-05 has no DomainUUID", 22));
  CHECK(domains.notes.size() == 5);
}

TEST_CASE("what is no such list is refused where it shows") {
  const auto refused = [](const char* text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(read_text(text, "t"), doctest::Contains(part), parse_error);
  };
  refused("{}", "t:1:1: expected NMX's list of compute nodes, found a map");
  refused("[]", "expected compute nodes with a DomainUUID, found no compute node");
  refused(R"([{"Name":"a"}])", "found none that has one");
  refused("[1]", "t:1:2: expected a compute node, a map with Name and DomainUUID, found 1");
  refused(R"([{"DomainUUID":"x"}])", "a map with 'Name'");
  refused(R"([{"Name":"a","DomainUUID":"x"}])", "t:1:27: expected a DomainUUID, 8-4-4-4-12 hex digits, found 'x'");
  refused(R"([{"Name":"a","DomainUUID":[]}])", "a text, found a list");
  refused(R"([{"Name":"a","DomainUUID":"3fbfc98b-7f95-4749-ab11-bd351a2aab3e"},{"Name":"a"}])",
          "t:1:67: expected each compute node once, found 'a' again, as in line 1");
  refused(R"([{"Name":"a b"}])", "the Name of a compute node, a text of up to 1000 letters without blanks");
  refused(R"([{"Name":"a","GpuIDList":1}])", "expected a list, found 1");
}

TEST_CASE("damaged files are read or refused") {
  const auto reader = [](const std::string& text, const std::string& source) { return read_text(text, source); };
  check_survives(reader, data_file("nmx/nodes.json"));
}

TEST_CASE("the reference file") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const auto topology = read_text(import::read_file(folder + "/corpus/topograph/netq-computeNodes.json"), "n.json");
  CHECK(domains_of(topology.domains.value()) == "3fbfc98b-7f95-4749-ab11-bd351a2aab3e: node[1-2]");
  for (const auto& host : topology.domains->hosts) CHECK(host.gpus == 4);
  CHECK(topology.domains->notes.empty());
}

TEST_SUITE_END();
