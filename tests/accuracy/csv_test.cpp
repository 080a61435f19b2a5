#include "csv.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

std::string written(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "topoplan-accuracy-csv-test.csv";
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

}  // namespace

TEST_CASE("cells in quotes hold commas, doubled quotes and line ends") {
  const accuracy::csv_table t(
      written("name,notes,value\r\none,\"a, b\",1.5\r\ntwo,\"say \"\"so\"\"\",\"3\"\nthree,\"line\nend\",x\n"));
  REQUIRE(t.rows() == 3);
  CHECK(t.at(0, "notes") == "a, b");
  CHECK(t.at(1, "notes") == "say \"so\"");
  CHECK(t.at(2, "notes") == "line\nend");
  CHECK(t.number(0, "value") == 1.5);
  CHECK(t.number(1, "value") == 3);
  CHECK(t.number(2, "value", -1) == -1);
  CHECK(t.has("notes"));
  CHECK_FALSE(t.has("absent"));
  CHECK(t.at(0, "absent").empty());
}

TEST_CASE("a file without a last line end has all its rows") {
  const accuracy::csv_table t(written("a,b\n1,2\n3,4"));
  REQUIRE(t.rows() == 2);
  CHECK(t.number(1, "b") == 4);
}

TEST_CASE("a row with too few cells is refused with its line") {
  CHECK_THROWS_WITH(accuracy::csv_table(written("a,b\n1,2\n3\n")), doctest::Contains("2 cells"));
  CHECK_THROWS_WITH(accuracy::csv_table("/nowhere/at/all.csv"), doctest::Contains("/nowhere/at/all.csv"));
}
