#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/document.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

#include "document_text.hpp"

using namespace topoplan::import;
using topoplan::parse_error;
using namespace topoplan_test;

namespace {

document_value text(std::string value, bool plain) {
  document_value v;
  v.kind = document_kind::text;
  v.text = std::move(value);
  v.plain = plain;
  v.line = 7;
  v.column = 3;
  return v;
}

// {a: 1, b: [x, "y"], c: ~}
document sample() {
  document d;
  d.source = "s";
  d.root.kind = document_kind::map;
  d.root.line = 1;
  d.root.column = 1;
  d.root.keys = {"a", "b", "c"};
  document_value list;
  list.kind = document_kind::list;
  list.line = 2;
  list.column = 4;
  list.items = {text("x", true), text("y", false)};
  document_value none;
  none.line = 9;
  none.column = 9;
  d.root.items = {text("1", true), list, none};
  return d;
}

}  // namespace

TEST_SUITE_BEGIN("import/document");

TEST_CASE("values by key and index") {
  const auto d = sample();
  const document_reader root(d);
  CHECK(text_of(d.root) == "{a:1,b:[x,'y'],c:~}");
  CHECK(root.has("a"));
  CHECK(!root.has("c"));
  CHECK(!root.has("d"));
  CHECK(root.at("b").size() == 2);
  CHECK(root.at("b")[1].text() == "y");
  CHECK(root[0].count(5) == 1);
  CHECK(root.at("b").where().str() == "s:2:4");
  CHECK(root.at("b").line() == 2);
  CHECK(d.root.find("b") == &d.root.items[1]);
  CHECK(d.root.find("x") == nullptr);
  CHECK(d.root.items[0].find("a") == nullptr);
}

TEST_CASE("what stands there is shown as it is written, and nothing that a terminal obeys") {
  const std::string source = "s";
  const auto shown = [&](const document_value& v) { return document_reader(source, v).shown(); };
  CHECK(shown(text("12", true)) == "12");
  CHECK(shown(text("12", false)) == "'12'");
  CHECK(shown(text("\x1b[2J", true)) == "'\\x1b[2J'");
  CHECK(shown(text(std::string(70, 'a'), true)) == "'" + std::string(60, 'a') + "...'");
  const auto d = sample();
  CHECK(shown(d.root) == "a map");
  CHECK(shown(d.root.items[1]) == "a list");
  CHECK(shown(d.root.items[2]) == "nothing");
}

TEST_CASE("refusals name the place, what was expected and what stands there") {
  const auto d = sample();
  const document_reader root(d);
  CHECK_THROWS_WITH_AS(root.refuse("more"), "s:1:1: expected more, found a map", parse_error);
  CHECK_THROWS_WITH_AS(root.refuse("more", "less"), "s:1:1: expected more, found less", parse_error);
  CHECK_THROWS_WITH_AS(root.at("d"), "s:1:1: expected a map with 'd', found no such key", parse_error);
  CHECK_THROWS_WITH_AS(root.at("b").at("d"), "s:2:4: expected a map with 'd', found a list", parse_error);
  CHECK_THROWS_WITH_AS(root.size(), "s:1:1: expected a list, found a map", parse_error);
  CHECK_THROWS_WITH_AS(root.at("c").size(), "s:9:9: expected a list, found nothing", parse_error);
  CHECK_THROWS_WITH_AS(root.at("b").text(), "s:2:4: expected a text, found a list", parse_error);
  CHECK_THROWS_WITH_AS(root.at("a").count(0), "s:7:3: expected a whole number up to 0, found 1", parse_error);
  const std::string source = "s";
  for (const auto* word : {"", "-1", "1.5", "99999999999", "x", " 1"}) {
    CAPTURE(word);
    CHECK_THROWS_AS(document_reader(source, text(word, true)).count(4000000000U), parse_error);
  }
  CHECK(document_reader(source, text("12", false)).count(12) == 12);
}

TEST_CASE("one rule of names; numbers and truth values are some where a reader takes them") {
  using topoplan::import::detail::name_in;
  using topoplan::import::detail::unquoted;
  const std::string source = "s";
  const auto name = [&](const std::string& word, bool plain, unquoted scalars) {
    return name_in(document_reader(source, text(word, plain)), "the switch", scalars);
  };
  for (const auto scalars : {unquoted::refused, unquoted::taken}) {
    CHECK(name("leaf-1", true, scalars) == "leaf-1");
    CHECK(name("12", false, scalars) == "12");
    CHECK(name(std::string(1000, 'a'), true, scalars).size() == 1000);
    CHECK_THROWS_WITH_AS(name("", false, scalars), "s:7:3: expected the switch, a text, found ''", parse_error);
    for (const auto& word : {std::string("a b"), std::string("a\x1b"), std::string("\xc3\xa4"), std::string(1001, 'a')}) {
      CAPTURE(word);
      CHECK_THROWS_WITH_AS(name(word, true, scalars),
                           doctest::Contains("s:7:3: expected the switch, a text of up to 1000 letters without blanks, found "),
                           parse_error);
    }
    const auto d = sample();
    CHECK_THROWS_WITH_AS(name_in(document_reader(d).at("b"), "b", scalars), "s:2:4: expected b, a text, found a list",
                         parse_error);
  }
  for (const auto* word : {"12", "-1.5e3", "true", "False", ".5"}) {
    CAPTURE(word);
    CHECK(name(word, true, unquoted::taken) == word);
    CHECK_THROWS_WITH_AS(name(word, true, unquoted::refused),
                         doctest::Contains((std::string("a text, found ") + word + ", no text").c_str()), parse_error);
  }
}

TEST_SUITE_END();
