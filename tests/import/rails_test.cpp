#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/rails.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "summary.hpp"

using namespace topoplan_test;
using topoplan::import::nvidia_smi_topo;
using topoplan::import::rails_of;

namespace {

// "0 1 2: 0|2|3" rail of each GPU, NICs of each rail; or why there are none.
std::string rails_text(const import::node_topology& node) {
  const auto rails = rails_of(node);
  if (!rails.unknown.empty()) {
    for (const auto rail : rails.of_gpu) CHECK(rail == 0);
    CHECK(rails.nics.empty());
    return rails.unknown;
  }
  std::string out;
  std::size_t next = 0;
  for (const auto rail : rails.of_gpu) {
    CHECK(rail <= next);  // numbered by their first GPU
    next = rail == next ? next + 1 : next;
    out += std::to_string(rail) + " ";
  }
  CHECK(next == rails.nics.size());
  out += ":";
  for (std::size_t rail = 0; rail < rails.nics.size(); ++rail) {
    out += rail == 0 ? " " : "|";
    for (std::size_t i = 0; i < rails.nics[rail].size(); ++i) out += (i == 0 ? "" : ",") + std::to_string(rails.nics[rail][i]);
  }
  return out + (rails.paired ? " paired" : "");
}

std::string rails_text(const std::string& matrix) { return rails_text(nvidia_smi_topo(matrix, "t")); }
std::string rails_of_file(const std::string& name) { return rails_text(data_file("topo/" + name + ".txt")); }

}  // namespace

TEST_SUITE_BEGIN("import/rails");

TEST_CASE("one nearest NIC for each GPU; storage NICs are no rail") {
  CHECK(rails_text(example_file("topo.txt")) == "0 1 2 3 4 5 6 7 : 0|2|3|4|5|7|8|9");
  CHECK(rails_of_file("peers-only") == "0 1 2 3 : 0|1|3|4");
  CHECK(rails_of_file("tail-only") == "0 1 2 3 : 0|1|2|3");
}

TEST_CASE("GPUs that share their nearest NIC share a rail") {
  CHECK(rails_of_file("pairs-annotated") == "0 0 1 1 : 0|1");
  CHECK(rails_of_file("mesh-glued-header-soc") == "0 0 1 2 : 0|1|2");
}

TEST_CASE("as many GPUs as equally near NICs are paired, and that is said") {
  CHECK(rails_of_file("equally-near-pairs") == "0 1 2 3 : 0|1|2|3 paired");
}

TEST_CASE("ports of one card are one rail") {
  CHECK(rails_text("\tGPU0\tNIC0\tNIC1\nGPU0\t X \tPHB\tPHB\nNIC0\tPHB\t X \tPIX\nNIC1\tPHB\tPIX\t X \n") == "0 : 0,1");
}

TEST_CASE("a node's only NIC carries all, however far it is") {
  CHECK(rails_of_file("comment-and-grep-prefix") == "0 0 : 0");
  CHECK(rails_of_file("blank-cpu-affinity") == "0 0 : 0");
}

TEST_CASE("what can't be told is said") {
  CHECK(rails_of_file("one-pair-narrower") == "no NIC is shown");
  CHECK(rails_of_file("rows-missing") == "the NIC nearest to GPU3 isn't shown");
  CHECK(rails_text("\tGPU0\tGPU1\tNIC0\tNIC1\nGPU0\t X \tSYS\tSYS\tSYS\nGPU1\tSYS\t X \tPHB\tNODE\n") ==
        "GPU0 has no NIC on its own NUMA node");
  CHECK(rails_text("\tGPU0\tGPU1\tNIC0\tNIC1\nGPU0\t X \tSYS\tPHB\tPHB\nGPU1\tSYS\t X \tPHB\tNODE\n") ==
        "GPU0 and GPU1 share some of their nearest NICs, but not all");
  CHECK(rails_text("\tGPU0\tGPU1\tGPU2\tNIC0\tNIC1\nGPU0\t X \tSYS\tSYS\tPHB\tPHB\nGPU1\tSYS\t X \tSYS\tPHB\tPHB\n"
                   "GPU2\tSYS\tSYS\t X \tPHB\tPHB\n") == "3 GPUs from GPU0 on are equally near to 2 NICs");
}

TEST_SUITE_END();
