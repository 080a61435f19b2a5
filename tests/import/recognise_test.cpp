#include <topoplan/import/recognise.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"

using namespace topoplan_test;
using topoplan::invalid_argument;
using topoplan::parse_error;
using topoplan::import::format;
using topoplan::import::parse_format;
using topoplan::import::recognise;

namespace {

// For the macros, which drop what a call returns.
void try_recognise(std::string_view text) { static_cast<void>(recognise(text, "t")); }
void try_parse_format(std::string_view name) { static_cast<void>(parse_format(name)); }

}  // namespace

TEST_SUITE_BEGIN("import/recognise");

TEST_CASE("names of formats and back") {
  for (const format f : topoplan::import::all_formats) CHECK(parse_format(to_string(f)) == f);
  CHECK_THROWS_WITH_AS(try_parse_format("slurm"),
                       "unknown format 'slurm'; the formats are nvidia-smi-topo, slurm-topology, hostfile, topoplan.cluster, "
                       "topoplan.rank_map",
                       invalid_argument);
}

TEST_CASE("the examples need no --format") {
  CHECK(recognise(example_file("topo.txt"), "t") == format::nvidia_smi_topo);
  CHECK(recognise(example_file("topology.conf"), "t") == format::slurm_topology);
  CHECK(recognise(example_file("hosts.txt"), "t") == format::hostfile);
}

TEST_CASE("every input of tests/data is recognised") {
  const auto all = [](const std::string& folder, format expected) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TOPOPLAN_TEST_DATA) + "/import/" + folder)) {
      CAPTURE(entry.path().string());
      CHECK(recognise(import::read_file(entry.path().string()), "t") == expected);
    }
  };
  all("topo", format::nvidia_smi_topo);
  all("slurm", format::slurm_topology);
  all("hostfile", format::hostfile);
  all("cluster", format::cluster_file);
  all("rank_map", format::rank_map_file);
}

TEST_CASE("marks in texts") {
  CHECK(recognise("{\n \"version\": 1, \"format\" :\n\"topoplan.cluster\"}", "t") == format::cluster_file);
  CHECK(recognise("\xef\xbb\xbf{\"format\": \"topoplan.rank_map\"}", "t") == format::rank_map_file);
  CHECK(recognise("# c\n  switchname=a Nodes=b\n", "t") == format::slurm_topology);
  CHECK(recognise("RingName=a Nodes=b\n", "t") == format::slurm_topology);
  CHECK(recognise("BlockName=a\n", "t") == format::slurm_topology);
  CHECK(recognise("a slots=8\n", "t") == format::hostfile);
  CHECK(recognise("SwitchName\n", "t") == format::hostfile);
  CHECK(recognise("gpu-[1-3]", "t") == format::hostfile);
}

TEST_CASE("what isn't read is named") {
  const auto refused = [](std::string_view text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(try_recognise(text), doctest::Contains(part), parse_error);
  };
  refused("", "found an empty text");
  refused(" \n\n", "found an empty text");
  refused("{}", "a JSON document without a \"format\"");
  refused("{\"format\": \"topoplan.plan\"}", "a JSON document of format 'topoplan.plan'");
  refused("<system version=\"1\">", "an NCCL topology XML");
  refused("==============NVSMI LOG==============\n", "`nvidia-smi -q`");
  refused("vendid=0x2c9\n", "`ibnetdiscover`");
  refused("- topology: a\n", "a Slurm topology.yaml");
  refused("a=b\n", "found 'a=b\\n'");
  refused("<html>", "found '<html>'");
  refused("[1, 2]", "found '[1, 2]'");
  refused(std::string_view("a\0b", 3), "a NUL byte");
}

TEST_CASE("the reference files are recognised, or refused by name") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/corpus/nvidia-smi-topo")) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("ppu-")) continue;  // its rows look alike, its refusal is the reader's
    CAPTURE(name);
    CHECK(recognise(import::read_file(entry.path().string()), name) == format::nvidia_smi_topo);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/corpus/slurm-topology")) {
    CAPTURE(entry.path().string());
    if (entry.path().extension() == ".yaml") {
      CHECK_THROWS_WITH_AS(try_recognise(import::read_file(entry.path().string())), doctest::Contains("a Slurm topology.yaml"),
                           parse_error);
    } else {
      CHECK(recognise(import::read_file(entry.path().string()), "t") == format::slurm_topology);
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/corpus/nccl-topo-xml")) {
    CAPTURE(entry.path().string());
    CHECK_THROWS_AS(try_recognise(import::read_file(entry.path().string())), parse_error);
  }
}

TEST_CASE("damaged inputs get an answer") {
  for (const std::string file : {"topo/padded-blanks.txt", "slurm/unbalanced.conf", "hostfile/openmpi.txt"}) {
    const auto text = data_file(file);
    for (const auto& [damage, changed] : damaged(text)) {
      CAPTURE(damage);
      try {
        const auto found = recognise(changed, "t");
        if (damage == "CRLF" || damage == "BOM") CHECK(found == recognise(text, "t"));
      } catch (const parse_error& e) {
        CHECK_MESSAGE((damage != "CRLF" && damage != "BOM"), e.what());
      }
    }
  }
}

TEST_SUITE_END();
