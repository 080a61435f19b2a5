#include <topoplan/import/json_documents.hpp>

#include <doctest/doctest.h>

#include <string>

#include "survives.hpp"

using topoplan::import::json_documents;

TEST_SUITE_BEGIN("import/json_documents");

TEST_CASE("texts one after another keep their lines") {
  const auto pages = json_documents("{\"a\": \"}]\\\"{\"}\n\n[1,\n 2] {\"b\": {}}{}\n", "p");
  REQUIRE(pages.size() == 4);
  CHECK(pages[0].root.find("a")->text == "}]\"{");
  CHECK(pages[1].root.items[1].line == 4);
  CHECK(pages[2].root.find("b")->line == 4);
  CHECK(pages[3].root.line == 4);
  CHECK(json_documents("7", "p").front().root.text == "7");
}

TEST_CASE("what isn't JSON is refused at its line") {
  const auto refused = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(json_documents(text, "p"), doctest::Contains(part), topoplan::parse_error);
  };
  refused("", "p:1:1: expected JSON, found the end");
  refused(" \n\n", "expected JSON, found the end");
  refused("{}\n{}\n]", "p:3:1: expected JSON, found ']'");
  refused("{}\n{\"a\"", "p:2:5: expected JSON, found the end");
  refused("{}, {}", "expected JSON, found ', {}'");
  topoplan_test::check_survives([](const std::string& text, const std::string& source) { return json_documents(text, source); },
                                "{\"a\": [1, \"b\"]}\n{}\n");
}
