#include <topoplan/import/ibnetdiscover.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "ib_summary.hpp"
#include "support/ib_net.hpp"
#include "support/random.hpp"

using namespace topoplan_test;
using import::ib_kind;
using import::ibnetdiscover;

namespace {

import::ib_fabric read(const std::string& name) { return ibnetdiscover(data_file("ibnetdiscover/" + name), name); }

std::string refusal_of(std::string_view text) {
  return refusal([&] { return ibnetdiscover(text, "net"); });
}

// A switch with one adapter, as the frame of small cases.
std::string with_leaf(const std::string& ports) {
  return "Switch 36 \"S-0002c90300000a00\" # \"leaf\" base port 0 lid 1 lmc 0\n"
         "[1] \"H-0002c90300000100\"[1](2c90300000101) # \"a mlx5_0\" lid 2 4xEDR\n" +
         ports;
}

}  // namespace

TEST_SUITE_BEGIN("import/ibnetdiscover");

TEST_CASE("records with all that the tool prints beside them") {
  const auto f = read("traits.txt");
  REQUIRE(is_sound(f));
  CHECK(counts_of(f) == "2 switches 3 adapters 1 routers 7 cables 0 idle");
  CHECK(rates_of(f) == "1xSDR:1 4x???:1 4xEDR:3 4xFDR:1 ?xSDR:1");
  CHECK(f.devices[0].description == "MF0;ib-leaf-a:SB7700/U1");
  CHECK(f.devices[0].guid == 0x2c90300000a00);
  CHECK(f.devices[0].ports == 36);
  CHECK(f.devices[0].line == 17);
  // Quotes inside a description, and a number sign.
  CHECK(f.devices[3].description == "room 2 \"core\" #1");
  CHECK(f.cables[1].ends[1].number == 2);
  CHECK(f.cables[1].ends[1].guid == 0x2c90300000112);
  CHECK(has_note(f.notes, "bad status 110", 1));
  CHECK(has_note(f.notes, "complaint of the tool: devices may be missing", 1));
  CHECK(has_note(f.notes, "port 2 runs at 4xEDR, its other end, in line 21, at 1xSDR: the lower rate counts", 31));
  CHECK(has_note(f.notes, "port 2 runs at 4xFDR, its other end, in line 19, at 4xEDR: the lower rate counts", 48));
  CHECK(has_note(f.notes, "a cable joins ports 19 and 21 of 'MF0;ib-leaf-a:SB7700/U1' (0x0002c90300000a00) with each other", 22));
  CHECK(has_note(f.notes, "the rate of 2 cables isn't given", 0));
  CHECK(f.notes.size() == 5);
}

TEST_CASE("the port report: ports without a peer, rates that mean nothing there, a quote in a name") {
  const auto f = read("report.txt");
  REQUIRE(is_sound(f));
  CHECK(counts_of(f) == "2 switches 3 adapters 4 cables 2 idle");
  CHECK(rates_of(f) == "4xDDR:1 4xEDR:3");
  CHECK(f.devices[1].description == "Voltaire 4036 # 4036-8C9E");
  CHECK(f.idle_ports[0].number == 6);
  CHECK(has_note(f.notes, "'it's a spine' (0x0002c90300000b00) is named by its peers only: the text is cut or filtered", 7));
  CHECK(f.notes.size() == 1);
}

TEST_CASE("a network of ibsim: ids for GUIDs, ports of peers left out, no rates") {
  const auto f = read("two-switches.net");
  REQUIRE(is_sound(f));
  CHECK(counts_of(f) == "2 switches 2 adapters 4 cables 0 idle");
  CHECK(f.devices[0].id == "Switch1");
  CHECK(f.devices[0].guid == 0);
  CHECK(rates_of(f) == "?x???:4");
  CHECK(refusal_of("Switch 8 \"S1\"\n[1] \"H1\"[1]\n") == "net:2: expected a record of H1, which a port leads to, found none");
}

TEST_CASE("what is no fabric is refused with the reason") {
  CHECK(refusal([] { return read("adapter-only.txt"); }) ==
        "adapter-only.txt: expected the records of `ibnetdiscover`, or the lines of `ibnetdiscover -p`, found 1 adapter, 0 "
        "switches "
        "and no cable: the scan found nothing beyond them");
  CHECK(refusal_of("") == "net: expected the records of `ibnetdiscover`, or the lines of `ibnetdiscover -p`, found none");
  CHECK(refusal_of("SW 4 8 0x10 4x SDR 'leaf'\n") ==
        "net: expected the records of `ibnetdiscover`, or the lines of `ibnetdiscover -p`, found 0 adapters, 1 switch and no "
        "cable, "
        "only 1 port without a peer");
  CHECK(refusal_of("Ca\t : 0x0000000000000120 ports 2 devid 0xd2f0 vendid 0x0 \"h2 mlx5_0\"\n") ==
        "net:1:1: expected records with their ports, found a list of devices (`ibnetdiscover -l`), which shows no cables");
  CHECK(refusal_of("Switch 8 \"S-0000000000000010\"\n< [1] \"H-0000000000000100\"[1]\n") ==
        "net:2:1: expected one scan, found the difference of two (`ibnetdiscover --diff`)");
  CHECK(refusal_of("include \"other.net\"\n") ==
        "net:1:1: expected the whole network, found include, which isn't followed; put the file in its place");
  CHECK(refusal_of("Switch 8 \"S1\"\n@[1] \"alias\"\n").find("an alias of ibsim, which isn't read") != std::string::npos);
}

TEST_CASE("malformed lines are refused where they are wrong") {
  CHECK(refusal_of("SW   479 22 0x0002c9020040f161 4x QDR                                   Infiniscale-IV Mellanox\n") ==
        "net:1:73: expected - and the other end, or a name in single quotes, found 'Infiniscale-IV Mellanox'");
  CHECK(refusal_of("SW 4 8 0x10 4x EDR - CA 5 1 0x11 ( 'leaf' )\n").find("net:1:35: expected 'NAME' - 'NAME' )") == 0);
  CHECK(refusal_of("SW 4 8 0x10 4x EDR - XX 5 1 0x11 ( 'leaf' - 'a' )\n").find("expected SW, CA or RT") != std::string::npos);
  CHECK(refusal_of("SW 4 8 0x1g 4x EDR 'leaf'\n") == "net:1:8: expected a GUID, found '0x1g 4x EDR 'leaf''");
  CHECK(refusal_of("SW 4 99999 0x10 4x EDR 'leaf'\n").find("net:1:6: expected the number of a port") == 0);
  CHECK(refusal_of("Switch 36 S-0002\n") == "net:1:11: expected an id in quotes, found 'S-0002'");
  CHECK(refusal_of("Switch 36 \"S-0002\n") == "net:1:12: expected a closing quote, found 'S-0002'");
  CHECK(refusal_of("Switch 36 \"\"\n").find("an id that isn't empty") != std::string::npos);
  CHECK(refusal_of("[1] \"H-0002c90300000100\"[1]\n") ==
        "net:1:1: expected a record (Switch, Ca) before its ports, found a port");
  CHECK(refusal_of(with_leaf("[2] H-0002c90300000110[1]\n")) ==
        "net:3:5: expected the id of the other end in quotes, found 'H-0002c90300000110[1]'");
  CHECK(refusal_of(with_leaf("[2 \"H-0002c90300000110\"[1]\n")).find("net:3:4: expected ] after the number of a port") == 0);
  CHECK(refusal_of(with_leaf("[2] \"H-0002c90300000110\"[1](xyz)\n")).find("net:3:28: expected the GUID of a port") == 0);
  CHECK(refusal_of(with_leaf("[0] \"H-0002c90300000110\"[1]\n")).find("expected a port number of 1 or more, found 0") !=
        std::string::npos);
  CHECK(refusal_of(with_leaf("[37] \"H-0002c90300000110\"[1]\n"))
            .find("expected a port of the 36 that 'leaf' (0x0002c90300000a00) has, found 37") != std::string::npos);
}

TEST_CASE("contradictions are refused with both lines") {
  CHECK(refusal_of(with_leaf("[1] \"H-0002c90300000110\"[1] # \"b mlx5_0\" lid 3 4xEDR\n")) ==
        "net:3:1: expected one peer of 'leaf' (0x0002c90300000a00) port 1, found 'b mlx5_0' (0x0002c90300000110) port 1, and "
        "line 2 "
        "has 'a mlx5_0' (0x0002c90300000100) port 1; two scans in one text?");
  CHECK(refusal_of(with_leaf("[2] \"H-0002c90300000100\"[1] # \"a mlx5_0\" lid 3 4xEDR\n")).find("found 'leaf'") !=
        std::string::npos);
  CHECK(refusal_of("Switch 36 \"S-0002c90300000a00\"\n[1] \"H-0002c90300000a00\"[1]\n") ==
        "net:2:1: expected one kind of device for 0x0002c90300000a00, found adapter, and line 1 has switch");
  CHECK(refusal_of(with_leaf("SW 4 8 0x10 4x EDR 'leaf'\n")) ==
        "net:3:1: expected one form of `ibnetdiscover` in a text, found records beside the lines of `-p`");
}

TEST_CASE("a line tells the format") {
  const auto known = [](std::string_view line) { return import::detail::is_line_of_ibnetdiscover(line); };
  CHECK(known("Switch\t40 \"S-0002c90301000f00\"\t\t# \"leaf\" enhanced port 0 lid 21 lmc 0"));
  CHECK(known("Hca 2 \"Hca1\""));
  CHECK(known("SW     1  6 0x0002c90300000a00 4x ???      'leaf'"));
  CHECK_FALSE(known("CA: h2 mlx5_0:"));
  CHECK_FALSE(known("CA type: MT4129"));
  CHECK_FALSE(known("SwitchName=leaf Nodes=gpu-[1-4]"));
  CHECK_FALSE(known("Switch 40"));
  CHECK_FALSE(known(""));
}

TEST_CASE("cables that one end only prints, and strange lines, are noted") {
  const auto f = ibnetdiscover(with_leaf("garbage here\nCa 1 \"H-0002c90300000100\" # \"a mlx5_0\"\n"), "net");
  CHECK(has_note(f.notes, "'garbage here' is no line of `ibnetdiscover`: left out", 3));
  CHECK(has_note(f.notes, "isn't printed by its other end: the text is cut or edited", 2));
  CHECK(f.notes.size() == 2);
  std::string many = with_leaf("");
  for (int i = 0; i < 1000; ++i) many += "garbage " + std::to_string(i) + '\n';
  const auto g = ibnetdiscover(many, "net");
  CHECK(g.notes.size() == 9);
  CHECK(has_note(g.notes, "; and 992 more like it", 10));
}

TEST_CASE("records in any order, and in any form, are one fabric") {
  const auto net = ib_net_of(graph_of({2, 3, 2, 2, 1}), "4xNDR");
  const ib_net_writer writer(net);
  const auto f = ibnetdiscover(writer.records(true), "net");
  CHECK(counts_of(f) == "18 switches 48 adapters 112 cables 0 idle");
  CHECK(f.notes.empty());
  CHECK(rates_of(f) == "4xNDR:112");
  CHECK(cables_of(ibnetdiscover(writer.records(false), "net")) == cables_of(f));
  const auto report = ibnetdiscover(writer.report(), "net");
  CHECK(cables_of(report) == cables_of(f));
  CHECK(report.notes.empty());
}

TEST_CASE("damaged texts are read alike or refused") {
  for (const std::string name : {"traits.txt", "report.txt", "two-switches.net", "unnamed.txt", "irregular.txt"}) {
    const auto text = data_file("ibnetdiscover/" + name);
    const auto whole = ibnetdiscover(text, name);
    for (const auto& [damage, changed] : damaged(text)) {
      CAPTURE(name);
      CAPTURE(damage);
      const bool same = damage == "CRLF" || damage == "BOM" || damage == "tabs as blanks" || damage == "tabs lost" ||
                        damage == "a blank line each";
      const bool alike = damage == "doubled lines" || damage == "twice";
      try {
        const auto f = ibnetdiscover(changed, name);
        CHECK(is_sound(f));
        if (same || alike) {
          CHECK(cables_of(f) == cables_of(whole));
          CHECK(counts_of(f) == counts_of(whole));
        }
      } catch (const topoplan::parse_error& e) {
        const bool expected = same || alike;
        CHECK_MESSAGE(!expected, e.what());
      }
    }
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
      try {
        if (!is_sound(ibnetdiscover(std::string_view(text).substr(0, cut), name))) FAIL_CHECK("cut at " << cut);
      } catch (const topoplan::parse_error&) {
      }
    }
  }
}

TEST_CASE("terminal colours, a long line and a NUL") {
  const std::string colour = "\x1b[1m";
  auto f = ibnetdiscover(colour + with_leaf(""), "net");
  CHECK(f.cables.size() == 1);
  f = ibnetdiscover(with_leaf("[2] \"H-0002c90300000110\"[1] # \"" + std::string(10'000'000, 'x') + "\" lid 3 4xEDR\n"), "net");
  CHECK(rates_of(f) == "4xEDR:2");
  CHECK(refusal_of(with_leaf("[2]" + std::string(10'000'000, '[') + '\n')).size() < 400);
  CHECK(refusal_of(std::string_view("Switch\0", 7)).find("a NUL byte") != std::string::npos);
}

TEST_CASE("bytes changed anywhere never break a promise") {
  topoplan_test::random rng(7);
  const auto text = data_file("ibnetdiscover/traits.txt");
  std::size_t read = 0;
  for (int round = 0; round < 3000; ++round) {
    auto changed = text;
    for (auto edits = rng.between(1, 4); edits > 0; --edits) {
      const auto at = static_cast<std::size_t>(rng.below(changed.size()));
      switch (rng.below(3)) {
        case 0: changed[at] = static_cast<char>(rng.between(1, 255)); break;
        case 1: changed.erase(at, rng.between(1, 40)); break;
        default: changed.insert(at, changed.substr(static_cast<std::size_t>(rng.below(changed.size())), 30));
      }
    }
    try {
      if (!is_sound(ibnetdiscover(changed, "net"))) FAIL_CHECK(changed);
      ++read;
    } catch (const topoplan::parse_error&) {
    }
  }
  CHECK(read > 300);
}

TEST_CASE("2,000 hosts with 8 adapters") {
  const auto net = ib_net_of(graph_of({63, 32, 64, 1, 1}), "4xNDR");
  const auto text = ib_net_writer(net).records();
  const auto start = std::clock();  // of this process: others may be busy
  const auto f = ibnetdiscover(text, "net");
  const auto network = network_of(f, hosts_of(f));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(network.tree.hosts.size() == 2016);
  CHECK(network.groups.size() == 63);
  MESSAGE(text.size() << " bytes, " << seconds << " s");
}

namespace {

struct expectation {
  std::string_view file;
  std::string_view counts;
  std::string_view rates;
  std::vector<std::string_view> notes = {};  // parts, in order; of refused files, the message
};

}  // namespace

TEST_CASE("the reference outputs") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const std::vector<expectation> table = {
      {"ibnetdiscover-dgx-ndr.txt", "40 switches 582 adapters 1114 cables 0 idle", "4xNDR:1114"},
      {"ibnetdiscover-ibtopotool-1.txt",
       "2 switches 4 adapters 7 cables 0 idle",
       "1xSDR:2 4xSDR:5",
       {"port 1 runs at 1xSDR, its other end, in line 15, at 4xSDR",
        "port 1 runs at 1xSDR, its other end, in line 18, at 4xSDR"}},
      {"ibnetdiscover-ibtopotool-3.txt",
       "2 switches 6 adapters 10 cables 0 idle",
       "4xEDR:4 4xFDR:3 4xQDR:2 4xSDR:1",
       {"a complaint of the tool: devices may be missing", "joins ports 1 and 2", "joins ports 19 and 21",
        "joins ports 29 and 30"}},
      {"ibnetdiscover-p-avakas-0000.txt", "25 switches 281 adapters 569 cables 43 idle", "4xDDR:1 4xQDR:568"},
      {"ibnetdiscover-p-plafrim-0000.txt", "9 switches 125 adapters 201 cables 35 idle", "4xDDR:32 4xQDR:163 4xSDR:6"},
      // One switch more than are described: the peer of ib-i1l1s01, which the excerpt names and leaves out.
      {"ibnetdiscover-p-treydock-test.txt", "4 switches 3 adapters 4 cables 2 idle", "4xEDR:4", {"'ib-i1l2s01'"}},
      {"ibsim-2sw2path.net", "2 switches 2 adapters 4 cables 0 idle", "?x???:4", {"the rate of 4 cables isn't given"}},
      {"ibsim-2sw2path4hca.net", "2 switches 4 adapters 6 cables 0 idle", "?x???:6", {"the rate of 6 cables isn't given"}},
      {"ibsim-2sw2path4hca2port.net", "2 switches 2 adapters 6 cables 0 idle", "?x???:6", {"the rate of 6 cables isn't given"}},
      {"ibnetdiscover-ca-only.txt", "", "", {"found 1 adapter, 0 switches and no cable: the scan found nothing beyond them"}},
      {"ibnetdiscover-p-treydock-test3.txt", "", "", {":1:73: expected - and the other end, or a name in single quotes"}},
  };
  for (const auto& expected : table) {
    CAPTURE(expected.file);
    const std::string name(expected.file);
    const auto text = import::read_file(folder + "/corpus/ib-fabric/" + name);
    if (expected.counts.empty()) {
      CHECK(refusal([&] { return ibnetdiscover(text, name); }).find(expected.notes.front()) != std::string::npos);
      continue;
    }
    const auto f = ibnetdiscover(text, name);
    CHECK(is_sound(f));
    CHECK(counts_of(f) == expected.counts);
    CHECK(rates_of(f) == expected.rates);
    REQUIRE(f.notes.size() == expected.notes.size());
    for (std::size_t i = 0; i < f.notes.size(); ++i) {
      CAPTURE(f.notes[i].text);
      CHECK(f.notes[i].text.find(expected.notes[i]) != std::string::npos);
    }
  }
}

TEST_SUITE_END();
