// Tests of examples/topoplan/amounts.hpp: bytes, times and numbers as people write them.
#include "../../examples/topoplan/amounts.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace topoplan_cli;

TEST_CASE("bytes with and without units") {
  CHECK(parse_bytes("4096", "--bytes") == 4096);
  CHECK(parse_bytes("1e9", "--bytes") == 1e9);
  CHECK(parse_bytes("1GiB", "--bytes") == 1073741824);
  CHECK(parse_bytes("1 GiB", "--bytes") == 1073741824);
  CHECK(parse_bytes("512MB", "--bytes") == 512e6);
  CHECK(parse_bytes("512m", "--bytes") == 512e6);
  CHECK(parse_bytes("1.5k", "--bytes") == 1500);
  CHECK(parse_bytes("2TIB", "--bytes") == 2199023255552.0);
  CHECK(parse_bytes("8B", "--bytes") == 8);
  for (const char* wrong : {"", "GiB", "-1", "0", "1GX", "1GiBs", "1 2", "inf", "nan", "1e30", "0x10", "+"})
    CHECK_THROWS_WITH_AS(parse_bytes(wrong, "--bytes"), doctest::Contains("expected a number of bytes"),
                         topoplan::invalid_argument);
}

TEST_CASE("numbers, bytes and times in three digits") {
  CHECK(fixed(1234567.89, 1) == "1,234,567.9");
  CHECK(fixed(999, 0) == "999");
  CHECK(fixed(-1234, 0) == "-1,234");
  CHECK(short_number(0) == "0");
  CHECK(short_number(0.01234) == "0.0123");
  CHECK(short_number(1) == "1.00");
  CHECK(short_number(999) == "999");
  CHECK(short_number(12345) == "12,345");
  CHECK(bytes_text(512) == "512 B");
  CHECK(bytes_text(1048576) == "1.05 MB");
  CHECK(bytes_text(999999) == "1.00 MB");
  CHECK(size_text(1048576) == "1 MiB");
  CHECK(size_text(8589934592.0) == "8 GiB");
  CHECK(size_text(1e9) == "1.00 GB");
  CHECK(time_text(12.3e-6) == "12.3 us");
  CHECK(time_text(0.00456) == "4.56 ms");
  CHECK(time_text(7.8) == "7.80 s");
  CHECK(time_text(600) == "10.0 min");
  CHECK(time_text(36000) == "10.0 h");
  CHECK(time_text(864000) == "10.0 days");
}
