#include <topoplan/core/error.hpp>

#include <doctest/doctest.h>

#include <iomanip>
#include <stdexcept>
#include <string>
#include <type_traits>

using topoplan::location;
using topoplan::parse_error;
using topoplan::quoted;

TEST_SUITE_BEGIN("core/error");

TEST_CASE("every exception is a topoplan::error and a std::runtime_error") {
  static_assert(std::is_base_of_v<std::runtime_error, topoplan::error>);
  static_assert(std::is_base_of_v<topoplan::error, topoplan::invalid_argument>);
  static_assert(std::is_base_of_v<topoplan::error, topoplan::io_error>);
  static_assert(std::is_base_of_v<topoplan::error, topoplan::parse_error>);
  CHECK_THROWS_AS(throw topoplan::invalid_argument("tp is 0, expected 1 or more"), topoplan::error);
  CHECK_THROWS_WITH(throw topoplan::invalid_argument("tp is 0, expected 1 or more"), "tp is 0, expected 1 or more");
}

TEST_CASE("a location prints what is known of it") {
  CHECK(location{"hosts", 0, 0}.str() == "hosts");
  CHECK(location{"hosts", 3, 0}.str() == "hosts:3");
  CHECK(location{"hosts", 3, 14}.str() == "hosts:3:14");
  CHECK(location{"hosts", 0, 14}.str() == "hosts");
}

TEST_CASE("an io_error names the path and the reason") {
  const topoplan::io_error e("out/rank_map.bin", "No space left on device");
  CHECK(std::string(e.what()) == "out/rank_map.bin: No space left on device");
  CHECK(e.path() == "out/rank_map.bin");
}

TEST_CASE("a parse_error says where, what was expected and what stood there") {
  const parse_error e({"topology.conf", 7, 12}, "Switches= or Nodes=", quoted("Nodez=a"));
  CHECK(std::string(e.what()) == "topology.conf:7:12: expected Switches= or Nodes=, found 'Nodez=a'");
  CHECK(e.where().source == "topology.conf");
  CHECK(e.where().line == 7);
  CHECK(e.where().column == 12);
  CHECK(e.expected() == "Switches= or Nodes=");
  CHECK(e.found() == "'Nodez=a'");
}

TEST_CASE("a parse_error without anything found ends after what was expected") {
  CHECK(std::string(parse_error({"topology.conf", 0, 0}, "at least one switch", "").what()) ==
        "topology.conf: expected at least one switch");
}

TEST_CASE("quoted shows every byte as printable ASCII") {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const std::string shown = quoted(all, all.size());
  for (const char c : shown) CHECK((c >= 0x20 && c < 0x7f));
  CHECK(quoted("") == "''");
  CHECK(quoted("GPU0\tX\r\n") == R"('GPU0\tX\r\n')");
  CHECK(quoted("\x1b[4m\x7f\xff") == R"('\x1b[4m\x7f\xff')");
}

TEST_CASE("quoted is ours for every kind of text, also beside std::quoted") {
  std::string text = "a b";
  const std::string fixed = text;
  CHECK(quoted(text) == "'a b'");
  CHECK(quoted(fixed) == "'a b'");
  CHECK(quoted(std::string_view(text)) == "'a b'");
}

TEST_CASE("quoted cuts long input and says so") {
  CHECK(quoted("abcdef", 6) == "'abcdef'");
  CHECK(quoted("abcdefg", 6) == "'abcdef...'");
  CHECK(quoted(std::string(1000, 'x')).size() == 60 + 5);
}

TEST_SUITE_END();
