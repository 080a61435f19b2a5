#include <topoplan/import/ibv_devinfo.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "nic_summary.hpp"
#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::ibv_devinfo;
using topoplan::parse_error;

TEST_CASE("-v tells rate and lanes; a card of another vendor, cut") {
  const auto nics = ibv_devinfo(data_file("ib_host/ibv_devinfo_v.txt"), "ibv.txt");
  CHECK(names_of(nics) == "mlx5_0 cxgb4_0");
  CHECK(ports_of(nics) == "active/InfiniBand/400 down/unknown/-");
  CHECK(compute_of(nics) == "mlx5_0");
  CHECK(nics.devices[0].type == "MT4129");
  CHECK(nics.devices[0].node_guid == "0xa088c20300000010");
  CHECK(nics.devices[0].transport == "InfiniBand");
  CHECK(nics.devices[0].ports[0].lanes == 4U);
  CHECK(nics.devices[0].ports[0].lid == 17U);
  CHECK(nics.devices[0].ports[0].physical == "LINK_UP");
  CHECK(nics.devices[1].type == "25608");
  CHECK(nics.devices[1].transport == "iWARP");
  CHECK(has_note(nics.notes, "cxgb4_0 has 2 ports, 1 described", 22));
  CHECK(has_note(nics.notes, "cxgb4_0 port 1 is down", 28));
}

TEST_CASE("what isn't ibv_devinfo is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(ibv_devinfo("No IB devices found\n", "i")),
                       doctest::Contains("i: expected the output of `ibv_devinfo`"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(ibv_devinfo("hca_id: a\nhca_id: a\n", "i")),
                       doctest::Contains("i:2: expected each device of one host once"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(ibv_devinfo("hca_id: a\nport: 1\nport: 1\n", "i")),
                       doctest::Contains("each port of a once"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(ibv_devinfo("hca_id: a\nport: one\n", "i")), doctest::Contains("the number of a port"),
                       parse_error);
}

TEST_CASE("damaged files") {
  check_survives([](const std::string& text, const std::string& source) { return ibv_devinfo(text, source); },
                 data_file("ib_host/ibv_devinfo_v.txt"));
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  const auto read = [](const std::string& name) {
    return ibv_devinfo(import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/ib-host/" + name), name);
  };
  const auto one = read("ibv_devinfo-ib-1dev.txt");
  CHECK(names_of(one) == "mlx5_0");
  CHECK(ports_of(one) == "active/InfiniBand/-");
  CHECK(one.devices[0].ports[0].lid == 35U);
  CHECK(one.notes.empty());
  const auto mixed = read("ibv_devinfo-mixed-vendors.txt");
  CHECK(names_of(mixed) == "mlx5_0 cxgb4_0");
  CHECK(ports_of(mixed) == "down/Ethernet/- down/unknown/-");
  CHECK(mixed.devices[0].type == "MT4119");
  CHECK(mixed.devices[1].transport == "iWARP");
  CHECK(mixed.devices[1].promised_ports == 2U);
  CHECK(has_note(mixed.notes, "mlx5_0 is down", 11));
  CHECK(has_note(mixed.notes, "cxgb4_0 has 2 ports, 1 described: the text was cut", 20));
}
