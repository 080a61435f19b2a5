#include <topoplan/import/ib_host_table.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ib_summary.hpp"

using namespace topoplan_test;
using import::read_ib_host_table;

namespace {

std::string refusal_of(std::string_view text) {
  return refusal([&] { return read_ib_host_table(text, "names"); });
}

}  // namespace

TEST_SUITE_BEGIN("import/ib_host_table");

TEST_CASE("words, or a name map of the diagnostics") {
  const auto table = read_ib_host_table(
      "# which host\n\n0x0002c90300000470 gpu-004 mlx5_7\n  0002c90300000570\tgpu-005  # no adapter\n"
      "0x0002c90300000670 \"gpu-006 HCA-8\"\n",
      "names");
  REQUIRE(table.entries.size() == 3);
  CHECK(table.entries[0] == import::ib_host_entry{0x2c90300000470, "gpu-004", "mlx5_7", 3});
  CHECK(table.entries[1] == import::ib_host_entry{0x2c90300000570, "gpu-005", "", 4});
  CHECK(table.entries[2] == import::ib_host_entry{0x2c90300000670, "gpu-006", "HCA-8", 5});
}

TEST_CASE("what is neither is refused where it is wrong") {
  CHECK(refusal_of("") == "names: expected lines such as 0x0002c90303000470 gpu-004 mlx5_7, found none");
  CHECK(refusal_of("gpu-004 0x0002c90300000470\n") ==
        "names:1:1: expected the GUID of an adapter or of its port, found 'gpu-004 0x0002c90300000470'");
  CHECK(refusal_of("0x10\n") == "names:1:5: expected the name of the host, found the end of the line");
  CHECK(refusal_of("0x10 a b c\n").find("names:1:6: expected HOST and ADAPTER, nothing more") == 0);
  CHECK(refusal_of("0x10 a\n0x0010 b\n") ==
        "names:2:1: expected each GUID once, found 0x0000000000000010 again, which line 1 has");
}

TEST_CASE("what ibstat prints on a host becomes part of the table") {
  import::nic_inventory nics;
  nics.source = "ibstat.txt";
  import::nic_device device;
  device.name = "mlx5_0";
  device.node_guid = "0x0002c90300000470";
  device.line = 1;
  device.ports.resize(2);
  device.ports[0].guid = "0x0002c90300000471";
  device.ports[0].line = 9;
  nics.devices.push_back(device);
  import::ib_host_table table;
  add_host(table, "gpu-004", nics);
  REQUIRE(table.entries.size() == 2);
  CHECK(table.source == "ibstat.txt");
  CHECK(table.entries[1] == import::ib_host_entry{0x2c90300000471, "gpu-004", "mlx5_0", 9});
  add_host(table, "gpu-004", nics);
  CHECK(table.entries.size() == 2);
  CHECK(refusal([&] { add_host(table, "gpu-005", nics); }) ==
        "ibstat.txt:1: expected a GUID of gpu-005 alone, found 0x0002c90300000470, which gpu-004 has");
}

TEST_SUITE_END();
