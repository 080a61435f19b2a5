#include <topoplan/import/ibstat.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "nic_summary.hpp"
#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::ibstat;
using topoplan::parse_error;

TEST_CASE("what is degraded is said: down, half rate, not active yet, a tool that stopped") {
  const auto nics = ibstat(data_file("ib_host/ibstat_degraded.txt"), "ibstat.txt");
  CHECK(names_of(nics) == "mlx5_0 mlx5_10 mlx5_1 mlx5_2 mlx5_3");
  CHECK(ports_of(nics) ==
        "active/InfiniBand/400 active/InfiniBand/200 active/Ethernet/400 down/InfiniBand/- init/InfiniBand/400");
  CHECK(compute_of(nics) == "mlx5_0 mlx5_10 mlx5_2 mlx5_3");
  const auto& device = nics.devices[0];
  CHECK(device.type == "MT4129");
  CHECK(device.node_guid == "0xa088c20300000010");
  CHECK(device.system_guid == "0xa088c20300000010");
  CHECK(device.ports[0].guid == "0xa088c20300000010");
  CHECK(device.ports[0].lid == 17U);
  CHECK(device.ports[0].physical == "LinkUp");
  CHECK(nics.devices[2].ports[0].guid.empty());
  CHECK(has_note(nics.notes, "mlx5_10 runs at 200 Gb/s, another MT4129 at 400 Gb/s", 25));
  CHECK(has_note(nics.notes, "mlx5_2 is down: 'Polling'", 59));
  CHECK(has_note(nics.notes, "mlx5_3 isn't active yet", 76));
  CHECK(has_note(nics.notes, "ibstat stopped", 86));
}

TEST_CASE("ibstatus: two ports, two lanes") {
  const auto nics = ibstat(data_file("ib_host/ibstatus_split.txt"), "ibstatus.txt");
  CHECK(names_of(nics) == "mlx5_0");
  CHECK(ports_of(nics) == "active/InfiniBand/200 down/InfiniBand/-");
  CHECK(nics.devices[0].ports[0].lanes == 2U);
  CHECK(nics.devices[0].ports[0].lid == 108U);
  CHECK(has_note(nics.notes, "mlx5_0 port 1 runs on 2 lanes", 1));
  CHECK(has_note(nics.notes, "mlx5_0 port 2 is down: 'Disabled'", 10));
}

TEST_CASE("what isn't ibstat is refused") {
  const auto refuse = [](const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(ibstat(text, "i.txt")), doctest::Contains(message), parse_error);
  };
  refuse("", "i.txt: expected the output of `ibstat` or `ibstatus`");
  refuse("ibpanic: [1] main: can't list IB device names\n",
         "i.txt:1: expected the output of `ibstat` or `ibstatus`, found ibstat stopped");
  refuse("CA 'a'\n\tPort 1:\nCA 'a'\n", "i.txt:3: expected each device of one host once, found a as in line 1");
  refuse("CA 'a'\n\tPort 1:\n\tPort 1:\n", "i.txt:3: expected each port of a once");
  refuse("CA 'a'\n\tPort x:\n", "the number of a port, found 'x'");
  refuse("CA 'a b'\n", "the name of a device");
  refuse("CA 'a'\n\tPort 1:\n\t\tRate: fast\n", "i.txt:3: expected a rate in Gb/s, found 'fast'");
}

TEST_CASE("damaged files") {
  const auto reader = [](const std::string& text, const std::string& source) { return ibstat(text, source); };
  check_survives(reader, data_file("ib_host/ibstat_degraded.txt"));
  check_survives(reader, data_file("ib_host/ibstatus_split.txt"));
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  struct expectation {
    std::string_view file;
    std::string_view ports;
    std::string_view compute;
    std::vector<std::string_view> notes;
  };
  constexpr std::string_view eight_of_twelve = "mlx5_0 mlx5_10 mlx5_11 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_9";
  const std::vector<expectation> files = {
      {"ibstat-a100-9ca.txt",
       "active/Ethernet/200 active/InfiniBand/200x8",
       "mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7 mlx5_8",
       {}},
      {"ibstat-a100-ibpanic-tail.txt",
       "active/InfiniBand/200x8",
       "mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7",
       {"ibstat stopped"}},
      {"ibstat-h100-polling.txt",
       "active/Ethernet/400 active/Ethernet/100 active/Ethernet/400 down/Ethernet/- active/Ethernet/100 active/Ethernet/400x2 "
       "down/Ethernet/- active/Ethernet/400 active/Ethernet/100x2 active/Ethernet/400",
       eight_of_twelve,
       {"mlx5_11 is down: 'Polling'", "mlx5_5 is down: 'Disabled'"}},
      {"ibstat-h100-roce-12ca.txt",
       "active/Ethernet/400 active/Ethernet/100 active/Ethernet/400x2 active/Ethernet/100 active/Ethernet/400x4 "
       "active/Ethernet/100x2 "
       "active/Ethernet/400",
       eight_of_twelve,
       {}},
      {"ibstat-h20-2xndr-200.txt", "active/InfiniBand/200", "mlx5_7", {"mlx5_7 runs on 2 lanes"}},
  };
  for (const auto& expected : files) {
    INFO(expected.file);
    const auto nics =
        ibstat(import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/ib-host/" + std::string(expected.file)), "i");
    CHECK(ports_of(nics) == expected.ports);
    CHECK(compute_of(nics) == expected.compute);
    REQUIRE(nics.notes.size() == expected.notes.size());
    for (std::size_t n = 0; n < nics.notes.size(); ++n) CHECK(nics.notes[n].text.find(expected.notes[n]) == 0);
  }
}
