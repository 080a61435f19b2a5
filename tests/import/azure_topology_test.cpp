#include <topoplan/import/azure_topology.hpp>

#include <doctest/doctest.h>

#include <string>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using topoplan::parse_error;

namespace {

import::cluster_topology topology_of(const std::string& text, const std::string& source) {
  return import::azure_topology(text, source);
}

}  // namespace

TEST_SUITE_BEGIN("import/azure_topology");

TEST_CASE("a table with all names: blocks are domains") {
  const auto topology = topology_of(data_file("azure/blocks.txt"), "a.txt");
  CHECK(is_sound(topology));
  CHECK_FALSE(topology.network);
  CHECK(domains_in(topology.domains) == "block2: ccw-gpu-3 ccw-gpu-4; block1: ccw-gpu-1 ccw-gpu-2 ccw-gpu-9");
  CHECK(topology.domains->hosts[2].line == 4);
  CHECK(has_note(topology.domains->notes, "domain block2 has 2 hosts here, another 3", 3));
}

TEST_CASE("names cut, sizes and totals that disagree, and other texts are refused where they show") {
  const std::string head = "Block Name | Size | Nodes\n-----+----+----\n";
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(topology_of(text, "a"), doctest::Contains(part), parse_error);
  };
  refused("", "a: expected the table of `azslurm show_topology`: Block Name | Size | Nodes, found nothing");
  refused("hello\n", "a:1:1: expected the table of `azslurm show_topology`");
  refused(head, "found no block");
  refused(head + "b1 | 2 | n1, n2...\n", "a:3:10: expected all hosts of block 'b1', found names cut with \"...\"");
  refused(head + "b1 | 3 | n1, n2\n", "a:3:10: expected '3' hosts of block 'b1', found 2");
  refused(head + "b1 | x | n1, n2\n", "a:3:10: expected 'x' hosts of block 'b1', found 2");
  refused(head + "b1 | 1 | n1\nb2 | 1 | n1\n", "a:4: expected one NVLink domain for host n1, found b1 and b2");
  refused(head + "b1 | 1 | n1\nTotal nodes: 2\n", "a:4:1: expected the total of 1, found 'Total nodes: 2'");
  refused(head + "b1 | 1\n", "a:3:1: expected NAME | SIZE | HOSTS, found 'b1 | 1'");
  refused(head + " | 1 | n1\n", "a:3:1: expected the name of a block, found ''");
}

TEST_CASE("damaged files") { check_survives(checked(topology_of), data_file("azure/blocks.txt")); }

TEST_CASE("the reference file is for the eye only") {
  const auto text = reference_file("cloud-topology/azure-azslurm-show-topology.txt");
  if (!text) return;
  CHECK_THROWS_WITH_AS(topology_of(*text, "azure.txt"),
                       doctest::Contains("azure.txt:3:23: expected all hosts of block 'block3', found names cut with"),
                       parse_error);
}
