#include <topoplan/import/detail/xml.hpp>

#include <doctest/doctest.h>

#include <string>

#include "survives.hpp"

using topoplan::parse_error;
using topoplan::import::detail::attribute;
using topoplan::import::detail::child_named;
using topoplan::import::detail::children_of;
using topoplan::import::detail::text_of;
using topoplan::import::detail::xml_document;

namespace {

void refuse(const std::string& text, const char* message) {
  INFO(text.substr(0, 100));
  CHECK_THROWS_WITH_AS(xml_document(text, "x.xml"), doctest::Contains(message), parse_error);
}

}  // namespace

TEST_CASE("elements know their line and column") {
  const xml_document document(
      "\xef\xbb\xbf<?xml version=\"1.0\"?>\r\n<!DOCTYPE a SYSTEM \"a.dtd\">\r\n<!-- <b/> -->\r\n<a x=\" 1 \">\r\n  <B> text "
      "</B><c/>\r\n</a>\r\n",
      "x.xml");
  const auto root = document.root();
  CHECK(document.where(root).str() == "x.xml:4:1");
  CHECK(document.where(child_named(root, "b")).str() == "x.xml:5:3");
  CHECK(document.where(children_of(root)[1]).str() == "x.xml:5:16");
  CHECK(text_of(root, "b") == "text");
  CHECK(attribute(root, "x") == "1");
  CHECK(document.numeric(root, "x") == 1U);
  CHECK(!document.numeric(root, "y"));
}

TEST_CASE("what isn't one well-formed document is refused where it breaks") {
  refuse("", "x.xml:1:1: expected well-formed XML");
  refuse("no XML at all", "expected well-formed XML");
  refuse("<a>\n <b>\n", "the text breaks off, so the file was cut");
  refuse("<a>\n <b></c>\n</a>", "x.xml:2:");
  refuse("<a/>\n<a/>", "x.xml:2:1: expected one XML document, found a second one that begins with 'a'");
  refuse(std::string("<a>\0</a>", 8), "a NUL byte");
  refuse("\xff\xfe<\0a\0", "UTF-16");
}

TEST_CASE("what only an attack holds is refused before it costs anything") {
  refuse("<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]><a>&c;</a>", "XML without entities of its own");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<a>";
  for (int i = 0; i < 300; ++i) deep += "</a>";
  refuse(deep, "at most 200 nested elements");
  std::string deeper;
  for (int i = 0; i < 300'000; ++i) deeper += "<a>";
  for (int i = 0; i < 300'000; ++i) deeper += "</a>";
  refuse(deeper, "at most 200 nested elements");
  std::string wide = "<a>";
  for (int i = 0; i < 2'000'001; ++i) wide += "<b/>";
  refuse(wide + "</a>", "at most 2000000 elements and attributes");
  refuse("<a>" + std::string(std::size_t{65} << 20U, ' ') + "</a>", "at most 64 MiB of XML");
  const xml_document unknown("<a>&lol;</a>", "x.xml");
  CHECK(text_of(unknown.root()) == "&lol;");
}
