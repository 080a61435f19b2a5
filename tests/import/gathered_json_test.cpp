#include <topoplan/import/gathered_json.hpp>

#include <doctest/doctest.h>

#include <string>

#include "survives.hpp"

using namespace topoplan_test;
using topoplan::import::gathered_json;

TEST_SUITE_BEGIN("import/gathered_json");

TEST_CASE("lines of hosts mixed, and blocks of hosts") {
  const auto mixed = gathered_json("a: {\nb: {\"k\": 2}\na: \"k\": \"1\"\n a:   }\nc: no\n", "g");
  REQUIRE(mixed.hosts.size() == 2);
  CHECK(mixed.hosts[0].host == "a");
  CHECK(mixed.hosts[0].line == 1);
  CHECK(mixed.hosts[0].content.root.find("k")->line == 3);
  CHECK(mixed.hosts[0].content.root.find("k")->column == 9);
  CHECK(mixed.hosts[1].line == 2);
  CHECK(mixed.hosts[1].content.root.find("k")->column == 10);
  CHECK(has_note(mixed.notes, "c printed no JSON: 'no'", 5));
  const auto blocks = gathered_json("----\nn[1-2]\n----\n{\n \"k\": 1}\n----\nn3\n----\n{}\n", "g");
  REQUIRE(blocks.hosts.size() == 3);
  CHECK(blocks.hosts[1].host == "n2");
  CHECK(blocks.hosts[1].content.root.find("k")->line == 5);
  CHECK(blocks.hosts[2].line == 9);
}

TEST_CASE("damage is refused where it shows") {
  CHECK_THROWS_WITH_AS(gathered_json("a: {\nb: {}\na: }}\n", "g"), doctest::Contains("g:3:4: expected JSON, found '}"),
                       topoplan::parse_error);
  CHECK_THROWS_WITH_AS(gathered_json("{}\n", "g"), doctest::Contains("no line that begins with a host"), topoplan::parse_error);
  check_survives([](const std::string& text, const std::string& source) { return gathered_json(text, source); },
                 "a: {\nb: {\"k\": 2}\na: \"k\": \"1\"}\nc: no\n");
}
