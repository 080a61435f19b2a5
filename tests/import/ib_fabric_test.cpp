#include <topoplan/import/ib_fabric.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace import = topoplan::import;
using import::ib_rate;
using import::ib_speed;

TEST_SUITE_BEGIN("import/ib_fabric");

TEST_CASE("rates carry what the specification says, after line coding") {
  const auto gigabits = [](std::uint8_t lanes, ib_speed speed) { return data_rate(ib_rate{lanes, speed}).gigabits(); };
  CHECK(gigabits(4, ib_speed::sdr) == doctest::Approx(8));
  CHECK(gigabits(4, ib_speed::ddr) == doctest::Approx(16));
  CHECK(gigabits(4, ib_speed::qdr) == doctest::Approx(32));
  CHECK(gigabits(4, ib_speed::fdr10) == doctest::Approx(40));
  CHECK(gigabits(4, ib_speed::fdr) == doctest::Approx(54.54).epsilon(0.001));
  CHECK(gigabits(4, ib_speed::edr) == doctest::Approx(100));
  CHECK(gigabits(2, ib_speed::hdr) == doctest::Approx(100));
  CHECK(gigabits(4, ib_speed::ndr) == doctest::Approx(400));
  CHECK(gigabits(4, ib_speed::xdr) == doctest::Approx(800));
  CHECK(gigabits(4, ib_speed::unknown) == 0);
  CHECK(gigabits(0, ib_speed::ndr) == 0);
}

TEST_CASE("rates and GUIDs are named as the tools name them") {
  CHECK(to_string(ib_rate{4, ib_speed::ndr}) == "4xNDR");
  CHECK(to_string(ib_rate{1, ib_speed::fdr10}) == "1xFDR10");
  CHECK(to_string(ib_rate{}) == "?x???");
  CHECK(import::guid_text(0x2c90301000f00) == "0x0002c90301000f00");
  CHECK(import::guid_text(0) == "0x0000000000000000");
  CHECK(import::guid_text(~std::uint64_t{0}) == "0xffffffffffffffff");
}

TEST_CASE("devices are named by description and key") {
  import::ib_device device;
  device.guid = 0x10;
  CHECK(name_of(device) == "0x0000000000000010");
  device.description = "gpu-0 mlx5_0";
  CHECK(name_of(device) == "'gpu-0 mlx5_0' (0x0000000000000010)");
  device.guid = 0;
  CHECK(name_of(device) == "'gpu-0 mlx5_0'");
  device.id = "Hca1";
  CHECK(name_of(device) == "'gpu-0 mlx5_0' (Hca1)");
  device.description = "Mellanox Technologies Aggregation Node";
  CHECK(is_aggregation_node(device));
  device.kind = import::ib_kind::fabric_switch;
  CHECK_FALSE(is_aggregation_node(device));
}

TEST_SUITE_END();
