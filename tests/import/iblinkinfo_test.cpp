#include <topoplan/import/iblinkinfo.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ib_summary.hpp"
#include "support/ib_net.hpp"
#include "support/random.hpp"

using namespace topoplan_test;
using import::ib_kind;
using import::iblinkinfo;

namespace {

import::ib_fabric read(const std::string& name) { return iblinkinfo(data_file("iblinkinfo/" + name), name); }

std::string refusal_of(std::string_view text) {
  return refusal([&] { return iblinkinfo(text, "links"); });
}

constexpr std::string_view leaf = "Switch: 0x0002c90300000a00 leaf:\n";
constexpr std::string_view good = "  1 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==>  2 1[  ] \"h0 mlx5_0\" ( )\n";

}  // namespace

TEST_SUITE_BEGIN("import/iblinkinfo");

TEST_CASE("by device: ports of a switch and of an adapter, joined by LID and not by name") {
  const auto f = read("devices.txt");
  REQUIRE(is_sound(f));
  CHECK(counts_of(f) == "2 switches 3 adapters 5 cables 3 idle");
  CHECK(rates_of(f) == "1xSDR:1 4xEDR:1 4xFDR10:1 4xHDR:1 4xNDR:1");
  CHECK(f.devices[0].description == "h2 mlx5_0");
  CHECK(f.devices[0].guid == 0x2c90300000121);
  CHECK(f.cables[1].ends[0].device == 0);
  CHECK(f.cables[1].ends[0].number == 2);
  CHECK(f.cables[1].ends[0].guid == 0x2c90300000122);
  CHECK(f.idle_ports[0].number == 4);
  CHECK(has_note(f.notes,
                 "'h2 mlx5_0' (0x0002c90300000121) port 1 runs at 1xSDR, below what both ends can: 'Could be 12X Could be "
                 "10.0 Gbps'",
                 2));
  CHECK(has_note(f.notes, "port 1 isn't active: 'Armed'", 5));
  CHECK(has_note(f.notes, "is called 'h0 mlx5_0' here: it is taken for the same device", 9));
  CHECK(f.notes.size() == 3);
}

TEST_CASE("line by line: peers by GUID; several ports under one GUID make a switch") {
  const auto f = read("lines.txt");
  REQUIRE(is_sound(f));
  CHECK(counts_of(f) == "1 switches 2 adapters 2 cables 1 idle");
  CHECK(f.devices[2].description == "leaf \"0\"");
  CHECK(f.devices[2].kind == ib_kind::fabric_switch);
  CHECK(f.notes.empty());
}

TEST_CASE("switches only: adapters are known by their LID") {
  const auto f = read("switches-only.txt");
  REQUIRE(is_sound(f));
  CHECK(counts_of(f) == "2 switches 2 adapters 4 cables 0 idle");
  CHECK(f.devices[1].id == "LID 2");
  CHECK(f.devices[1].description == "h0 mlx5_0");
  CHECK(f.devices[3].description == "spine");
  CHECK(f.notes.empty());
}

TEST_CASE("back to back: one cable, no switch, two names of one adapter") {
  const auto f = read("back-to-back.txt");
  REQUIRE(is_sound(f));
  CHECK(counts_of(f) == "0 switches 2 adapters 1 cables 0 idle");
  CHECK(has_note(f.notes, "'hostname mlx4_0' (0x0002c90300000002) is called 'kvm mlx4_0' here", 2));
  CHECK(refusal([&] { return network_of(f, hosts_of(f)); }) ==
        "back-to-back.txt: expected a switch, found adapters that are cabled to each other");
}

TEST_CASE("what can't be joined or shows no cable is refused with the reason") {
  CHECK(
      refusal([] { return read("no-subnet-manager.txt"); }) ==
      "no-subnet-manager.txt:2:7: expected the LID of the other end, found 0: no subnet manager has set up the fabric, and names "
      "alone don't say which port it is; take `iblinkinfo -l` or `ibnetdiscover`");
  CHECK(
      refusal([] { return read("down-only.txt"); }) ==
      "down-only.txt: expected the lines of `iblinkinfo`, found 0 adapters, 1 switch and no cable, only 2 ports without a peer");
  CHECK(refusal_of("").find("expected the lines of `iblinkinfo`, found none") != std::string::npos);
  CHECK(refusal_of("< " + std::string(good)) ==
        "links:1:1: expected one scan, found the difference of two (`iblinkinfo --diff`)");
}

TEST_CASE("malformed lines and contradictions are refused where they are") {
  CHECK(refusal_of(good) == "links:1:3: expected a heading (Switch: GUID NAME:) above the port of a switch, found none");
  CHECK(refusal_of("CA: h0 mlx5_0:\n" + std::string(good)) ==
        "links:2:3: expected the GUID of the port of an adapter, found none");
  CHECK(refusal_of("Switch: leaf:\n" + std::string(good)) == "links:1:9: expected the GUID of the switch, found 'leaf'");
  CHECK(refusal_of(std::string(leaf) + "  1 0[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==>  2 1[  ] \"h0\" ( )\n")
            .find("links:2:6: expected a port number of 1 or more") == 0);
  CHECK(refusal_of(std::string(leaf) + "  1 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp) 2 1[  ] \"h0\" ( )\n")
            .find("links:2:11: expected ==( ... )==>") == 0);
  CHECK(refusal_of(std::string(leaf) + "  1 1[  ] ==( 4X 53.125 Gbps Active)==>  2 1[  ] \"h0\" ( )\n")
            .find("expected STATE/ PHYSICAL STATE") != std::string::npos);
  CHECK(refusal_of(std::string(leaf) + "  1 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==>\n").find("expected the other end") !=
        std::string::npos);
  CHECK(refusal_of(std::string(leaf) + "  1 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 2 1[  ] \"h0\n")
            .find("expected the name of the other end in quotes") != std::string::npos);
  CHECK(refusal_of(std::string(leaf) + "  x 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 2 1[  ] \"h0\" ( )\n") ==
        "links:2:3: expected a LID, found 'x 1[  ] ==( 4X 53.125 Gbps Act...'");
  CHECK(refusal_of(std::string(leaf) + std::string(good) + "Switch: 0x0002c90300000b00 other:\n" + std::string(good)) ==
        "links:3:1: expected one device with LID 1, found another one in line 1; two subnets in one text? One file for each");
  CHECK(refusal_of(std::string(leaf) + std::string(good) +
                   "  1 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==>  3 1[  ] \"h1 mlx5_0\" ( )\n")
            .find("expected one peer of 'leaf' (0x0002c90300000a00) port 1") != std::string::npos);
}

TEST_CASE("every form of the same fabric says the same") {
  const auto net = ib_net_of(graph_of({2, 3, 2, 2, 1}), "4xNDR");
  const ib_net_writer writer(net);
  const auto expected = cables_of(import::ibnetdiscover(writer.records(), "net"));
  for (const bool lines : {false, true}) {
    const auto f = iblinkinfo(writer.link_info(lines), "links");
    CHECK(counts_of(f) == "18 switches 48 adapters 112 cables 0 idle");
    CHECK(cables_of(f) == expected);
    CHECK(f.notes.empty());
  }
}

TEST_CASE("damaged texts are read alike or refused") {
  for (const std::string name : {"devices.txt", "lines.txt", "switches-only.txt", "back-to-back.txt"}) {
    const auto text = data_file("iblinkinfo/" + name);
    const auto whole = iblinkinfo(text, name);
    for (const auto& [damage, changed] : damaged(text)) {
      CAPTURE(name);
      CAPTURE(damage);
      const bool alike = damage == "CRLF" || damage == "BOM" || damage == "tabs as blanks" || damage == "a blank line each" ||
                         damage == "doubled lines" || damage == "twice";
      try {
        const auto f = iblinkinfo(changed, name);
        CHECK(is_sound(f));
        if (alike) CHECK(cables_of(f) == cables_of(whole));
        if (alike) CHECK(counts_of(f) == counts_of(whole));
      } catch (const topoplan::parse_error& e) {
        CHECK_MESSAGE(!alike, e.what());
      }
    }
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
      try {
        if (!is_sound(iblinkinfo(std::string_view(text).substr(0, cut), name))) FAIL_CHECK("cut at " << cut);
      } catch (const topoplan::parse_error&) {
      }
    }
  }
}

TEST_CASE("terminal colours, a long line and a NUL") {
  CHECK(iblinkinfo("\x1b[1m" + std::string(leaf) + std::string(good), "links").cables.size() == 1);
  const std::string many(10'000'000, 'x');
  const auto f =
      iblinkinfo(std::string(leaf) + "  1 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==>  2 1[  ] \"" + many + "\" ( )\n", "links");
  CHECK(f.devices[1].description.size() == many.size());
  CHECK(refusal_of(std::string(leaf) + "  1 1[  ] ==(" + many + '\n').size() < 400);
  CHECK(refusal_of(std::string_view("Switch\0", 7)).find("a NUL byte") != std::string::npos);
}

TEST_CASE("bytes changed anywhere never break a promise") {
  topoplan_test::random rng(11);
  std::size_t read = 0;
  for (const std::string name : {"devices.txt", "lines.txt"}) {
    const auto text = data_file("iblinkinfo/" + name);
    for (int round = 0; round < 2000; ++round) {
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
        if (!is_sound(iblinkinfo(changed, "links"))) FAIL_CHECK(changed);
        ++read;
      } catch (const topoplan::parse_error&) {
      }
    }
  }
  CHECK(read > 300);
}

namespace {

struct expectation {
  std::string_view file;
  std::string_view counts;
  std::string_view rates;
  std::vector<std::string_view> notes = {};  // parts, in order
};

}  // namespace

TEST_CASE("the reference outputs") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const std::vector<expectation> table = {
      {"iblinkinfo-4ca-1switch.txt", "1 switches 4 adapters 4 cables 6 idle", "4xQDR:4"},
      {"iblinkinfo-back-to-back.txt", "0 switches 2 adapters 1 cables 0 idle", "4xDDR:1", {"is called 'kvm mlx4_0' here"}},
      {"iblinkinfo-l-speed-notes.txt",
       "1 switches 2 adapters 2 cables 0 idle",
       "4xSDR:2",
       {"'hxa-su1-leaf-r1' (0x0000000000200002) port 1 runs at 4xSDR, below what both ends can", "port 2 runs at 4xSDR"}},
  };
  for (const auto& expected : table) {
    CAPTURE(expected.file);
    const std::string name(expected.file);
    const auto f = iblinkinfo(import::read_file(folder + "/corpus/ib-fabric/" + name), name);
    CHECK(is_sound(f));
    CHECK(counts_of(f) == expected.counts);
    CHECK(rates_of(f) == expected.rates);
    REQUIRE(f.notes.size() == expected.notes.size());
    for (std::size_t i = 0; i < f.notes.size(); ++i) CHECK(f.notes[i].text.find(expected.notes[i]) != std::string::npos);
  }
}

TEST_SUITE_END();
