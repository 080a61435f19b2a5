#include <topoplan/import/slurm_blocks.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include "domain_summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::domain_table;
using topoplan::import::slurm_blocks;

namespace {

domain_table read(const std::string& name) {
  auto table = slurm_blocks(data_file("slurm_blocks/" + name), name);
  check_table(table);
  for (const auto& domain : table.domains) CHECK(!domain.key);
  return table;
}

}  // namespace

TEST_SUITE_BEGIN("import/slurm_blocks");

TEST_CASE("racks: keys in any case, comments, continuation lines, spares") {
  const auto table = read("racks.conf");
  CHECK(domains_of(table) == "rack1: tray[01-18]; rack2: tray[19-36]");
  CHECK(others_of(table).empty());
  CHECK(table.source == "racks.conf");
  CHECK(table.hosts[0].line == 3);
  CHECK(table.hosts[20].line == 5);
  CHECK(notes_of(table.notes) ==
        "0: 2 blocks with more hosts than the base block size of 16: Slurm counts on that many and takes the others as spares\n");
}

TEST_CASE("placeholders and blocks short of hosts are said") {
  const auto table = read("uneven.conf");
  CHECK(domains_of(table) == "b1: n[1-4]; b2: n[5-7]; b5: n[8-9]");
  CHECK(has_note(table.notes, "2 blocks without hosts: b3, b4", 3));
  CHECK(has_note(table.notes, "block b2 is short: 3 hosts, where the base block size is 4", 2));
  CHECK(has_note(table.notes, "block b5 is short: 2 hosts", 5));
  CHECK(has_note(table.notes, "2 domains have fewer hosts here than the 4 of another: b2 (3), b5 (2)", 2));
  CHECK(table.notes.size() == 4);
}

TEST_CASE("what scontrol prints: a block size for each, aggregated blocks left out") {
  const auto table = read("scontrol.txt");
  CHECK(domains_of(table) == "r1: t[01-18]; r2: t[19-36]");
  CHECK(has_note(table.notes, "2 blocks with more hosts than the base block size of 16", 0));
}

TEST_CASE("a single block without sizes, and hosts listed twice in it") {
  const auto table = slurm_blocks("BlockName=b Nodes=n1,n2,n1\n", "t");
  check_table(table);
  CHECK(domains_of(table) == "b: n[1-2]");
  CHECK(table.notes.empty());
}

TEST_CASE("three errors of one file, each by itself") {
  const auto refused = [](std::string_view text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(slurm_blocks(text, "t"), doctest::Contains(part), parse_error);
  };
  refused("BlockSizes=16,64\nBblockName=bb[1-16] Nodes=node[00\n",
          "t:2:1: expected BlockName=NAME Nodes=HOSTS or BlockSizes=SIZES, as topology/block has them, found 'bblockname'");
  refused("BlockSizes=16,64\nBlockName=bb[1-16] Nodes=node[00-15]\n",
          "t:2:11: expected the name of one block, found 'bb[1-16]', which are 16");
  refused("BlockSizes=16,64\nBlockName=bb1 Nodes=node[00\n", "t:2:28: expected ',' or ']'");
}

TEST_CASE("what isn't topology/block is refused where it shows") {
  const auto refused = [](std::string_view text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(slurm_blocks(text, "t"), doctest::Contains(part), parse_error);
  };
  refused("", "t: expected blocks with hosts, found no block");
  refused("BlockSizes=4\n", "found no block");
  refused("BlockName=b1\nBlockName=b2\n", "t: expected blocks with hosts, found blocks without any");
  refused("BlockName=a Nodes=n1\nBlockName=a Nodes=n2\n",
          "t:2:1: expected each block once, found 'a' again, which line 1 describes");
  refused("BlockName=a Nodes=n[1-3]\nBlockName=b Nodes=n[3-4]\n", "t:2: expected one NVLink domain for host n3, found a and b");
  refused("BlockName=a Nodez=n1\n", "t:1:13: expected BlockName or Nodes, found 'nodez'");
  refused("BlockName=a BlockName=b Nodes=n1\n", "expected the name of one block, found 'b'");
  refused("BlockName=a Nodes=ALL\n", "ALL, which only Slurm's own node table resolves");
  refused("BlockName=\"\" Nodes=n1\n", "expected the name of one block, found ''");
  refused("BlockSizes=18 BlockName=a Nodes=n1\n", "t:1:15: expected BlockSizes alone on its line, found 'blockname'");
  refused("BlockSizes=a\n", "t:1:12: expected sizes such as 16,32, found 'a'");
  refused("BlockSizes=16,\n", "sizes such as 16,32");
  refused("BlockSizes=0\n", "sizes such as 16,32");
  refused("SwitchName=s1 Nodes=n[1-8]\n", "found a topology/tree file; switches say how the network is built");
  refused("RingName=r0 Nodes=n[1-8]\n",
          "t:1:1: expected BlockName=NAME Nodes=HOSTS or BlockSizes=SIZES, as topology/block has "
          "them, found a topology/ring file");
  refused("TorusName=t0 Nodes=n[1-8]\n", "found a topology/torus file");
  refused("Include=/etc/slurm/topology.d\n", "Include, which isn't followed");
  refused("hello\n", "t:1:1: expected KEY=VALUE, found 'hello'");
}

TEST_CASE("lists over the limits are refused before they take memory") {
  CHECK_THROWS_AS(slurm_blocks("BlockName=a Nodes=n[1-999999999]\n", "t"), parse_error);
  CHECK_THROWS_AS(slurm_blocks("BlockName=a Nodes=n[1-60]\nBlockName=b Nodes=m[1-60]\n", "t", {100, 10000}), parse_error);
}

TEST_CASE("a million hosts") {
  std::string text;
  for (int b = 0; b < 1000; ++b) text += "BlockName=b" + std::to_string(b) + " Nodes=r" + std::to_string(b) + "-[000-999]\n";
  const auto start = std::clock();
  const auto table = slurm_blocks(text, "t");
  MESSAGE((static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC) << " s of CPU");
  CHECK(table.hosts.size() == 1000000);
  CHECK(table.domains.size() == 1000);
}

TEST_CASE("damaged files are read or refused") {
  const auto reader = [](const std::string& text, const std::string& source) {
    auto table = slurm_blocks(text, source);
    check_table(table);
    return table;
  };
  for (const auto* name : {"racks.conf", "uneven.conf", "scontrol.txt"}) {
    INFO(name);
    const auto text = data_file(std::string("slurm_blocks/") + name);
    check_survives(reader, text);
    const auto whole = domains_of(slurm_blocks(text, "t"));
    for (const auto& [damage, changed] : damaged(text)) {
      INFO(damage);
      if (damage == "CRLF" || damage == "BOM" || damage == "tabs as blanks")
        CHECK(domains_of(slurm_blocks(changed, "t")) == whole);
    }
  }
}

TEST_CASE("the reference files are read as their conclusions say, or refused with the right reason") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const auto corpus = [&](const std::string& name) {
    auto table = slurm_blocks(import::read_file(folder + "/corpus/slurm-topology/" + name), name);
    check_table(table);
    return table;
  };
  CHECK(domains_of(corpus("hyperpod-two-ultraservers-blank-lines.conf")) == "us1: ultraserver1-[0-17]; us2: ultraserver2-[0-17]");
  CHECK(corpus("hyperpod-two-ultraservers-blank-lines.conf").notes.empty());
  CHECK(domains_of(corpus("scontrol-show-topology-gb300-block.txt")) ==
        "nvlinstancegroup-a00k8tjbm2mxdxbza8: worker-rack0-[0-17]; nvlinstancegroup-a00sjc41t7jgwx6hsm: worker-rack1-[0-17]");
  CHECK(has_note(corpus("scontrol-show-topology-gb300-block.txt").notes,
                 "2 blocks with more hosts than the base block size of 16", 0));
  const auto check = corpus("slurm-block-check.conf");
  CHECK(check.domains.size() == 8);
  CHECK(check.hosts.size() == 32);
  CHECK(check.hosts[31].name == "node32");
  CHECK(check.domains[7].name == "b8");
  CHECK(check.notes.empty());
  const auto man = corpus("slurm-man-block.conf");
  CHECK(domains_of(man) == "block1: node[1-32]; block2: node[33-64]; block3: node[65-96]; block4: node[97-128]");
  CHECK(has_note(man.notes, "4 blocks with more hosts than the base block size of 30", 0));
  const auto uneven = corpus("topograph-block-uneven.conf");
  CHECK(domains_of(uneven) == "block001: Node[104-106]; block002: Node[201-202,205-206]");
  CHECK(has_note(uneven.notes, "domain block001 has 3 hosts here, another 4", 2));
  const auto padded = corpus("topograph-block-empty-blocks.conf");
  CHECK(padded.hosts.size() == 72);
  CHECK(padded.domains.size() == 6);
  CHECK(padded.domains[3].name == "block004");
  CHECK(padded.hosts[35].name == "a-sd3-h8");
  CHECK(padded.hosts[36].name == "b-h00");
  CHECK(has_note(padded.notes, "10 blocks without hosts: block007, block008", 13));
  CHECK(has_note(padded.notes, "block block001 is short: 9 hosts, where the base block size is 18", 2));
  const auto refused = [&](const char* name, const char* part) {
    CAPTURE(name);
    CHECK_THROWS_WITH_AS(corpus(name), doctest::Contains(part), parse_error);
  };
  refused("doc-typo-blocksizes-first.conf", "doc-typo-blocksizes-first.conf:2:1: expected BlockName=NAME");
  refused("slurm-man-ring.conf", "found a topology/ring file");
  refused("topograph-tree-small.conf", "found a topology/tree file");
}

TEST_SUITE_END();
