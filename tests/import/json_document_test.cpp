#include <topoplan/import/json_document.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include "document_text.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::document;
using topoplan::import::json_document;

namespace {

std::string read(std::string_view text) { return text_of(json_document(text, "t").root); }

void refused(std::string_view text, const char* part) {
  CAPTURE(text);
  CHECK_THROWS_WITH_AS(json_document(text, "t"), doctest::Contains(part), parse_error);
}

}  // namespace

TEST_SUITE_BEGIN("import/json_document");

TEST_CASE("values keep their order and how they are written") {
  CHECK(read(R"({"b":1,"a":[true,null,"x",-1.50e+3,""],"":{}})") == "{b:1,a:[true,~,'x',-1.50e+3,''],:{}}");
  CHECK(read("7") == "7");
  CHECK(read("\"x\"") == "'x'");
  CHECK(read("null") == "~");
  CHECK(read(R"(["a\"b\\","\u00e9\n","\ud83d\ude00"])") == R"(['a"b\','\xc3\xa9\n','\xf0\x9f\x98\x80'])");
  CHECK(read("123456789012345678901234567890") == "123456789012345678901234567890");
  CHECK(read(" [ 1 , 2 ] ") == "[1,2]");
  CHECK(json_document("1", "name").source == "name");
}

TEST_CASE("values know their places") {
  const auto d = json_document("{\n  \"a\" : [ 1,\n    \"x]y\\\"\", {\"k\":null} ],\n\t\"b\":true}", "t");
  const auto& a = d.root.items[0];
  CHECK(place_of(d.root) == "1:1");
  CHECK(place_of(a) == "2:9");
  CHECK(place_of(a.items[0]) == "2:11");
  CHECK(place_of(a.items[1]) == "3:5");
  CHECK(place_of(a.items[2]) == "3:14");
  CHECK(place_of(a.items[2].items[0]) == "3:19");
  CHECK(place_of(d.root.items[1]) == "4:6");
  CHECK(place_of(json_document("\xef\xbb\xbf[1]", "t").root) == "1:1");
  const auto crlf = json_document("[\r\n 1,\r\n 2]\r\n", "t");
  CHECK(place_of(crlf.root.items[1]) == "3:2");
  CHECK(place_of(json_document("[\n1]", "t", 41).root.items[0]) == "42:1");
}

TEST_CASE("what isn't JSON is refused where it shows") {
  refused("", "t:1:1: expected JSON, found the end");
  refused("   ", "expected JSON, found the end");
  refused("{\n\"a\": 1", "t:2:");
  refused("[1,\n 2,,3]", "t:2:4: expected JSON, found ',3]'");
  refused("[1] x", "t:1:5: expected JSON, found 'x'");
  refused("[1][2]", "t:1:4: expected JSON, found '[2]'");
  refused("{\"a\" 1}", "t:1:6: expected JSON, found '1}'");
  refused("{a:1}", "t:1:2: expected JSON, found 'a:1}'");
  refused("['x']", "t:1:2: expected JSON");
  refused("[01]", "t:1:4: expected JSON");
  refused("[NaN]", "t:1:2: expected JSON");
  refused("// x\n1", "t:1:");
  refused("[\"\\q\"]", "t:1:");
  refused("[\"a\tb\"]", "t:1:4: expected JSON");
  refused("[\"\xff\"]", "t:1:3: expected JSON");
  refused("[1e999]", "t:1:2: expected numbers that a double holds, found '1e999'");
  refused("{\"a\":\n [2, -1e999 ]}", "t:2:6: expected numbers that a double holds, found '-1e999'");
}

TEST_CASE("keys once, a depth and a size that a reader can bear") {
  refused("{\"a\":1,\n \"b\":2, \"a\":3}", "t:2:9: expected each key of a map once, found 'a' again");
  refused("{\"a\":1,\"\\u0061\":3}", "t:1:8: expected each key of a map once, found 'a' again");
  CHECK(read(R"({"a":{"a":1},"b":{"a":1}})") == "{a:{a:1},b:{a:1}}");
  CHECK(read(std::string(100, '[') + std::string(100, ']')).size() == 200);
  refused(std::string(101, '[') + std::string(101, ']'), "t:1:101: expected lists and maps at most 100 deep, found a deeper one");
  refused(std::string(10'000'000, '['), "at most 100 deep");
  std::string many = "[0";
  for (int i = 0; i < 4194304; ++i) many += ",0";
  refused(many + "]", "a document of at most 4194304 values, found more");
}

TEST_CASE("what no text format may hold") {
  refused(std::string_view("[1]\0", 4), "t:1:4: expected text, found a NUL byte");
  refused("\xff\xfe[\x31", "UTF-16, as PowerShell writes it");
}

TEST_CASE("one byte order mark is passed over, a second refused") {
  CHECK(place_of(json_document("\xef\xbb\xbf[1]", "t").root.items[0]) == "1:2");
  refused("\xef\xbb\xbf\xef\xbb\xbf[1]", "a second byte order mark");
}

TEST_CASE("ten megabytes") {
  std::string text = "[";
  while (text.size() < 10'000'000) text += "{\"name\": \"tray-01\", \"gpus\": [0, 1, 2, 3]},\n";
  text += "{}]";
  const auto start = std::clock();
  CHECK(json_document(text, "t").root.items.size() > 200'000);
  MESSAGE((static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC) << " s of CPU");
  const std::string line = "[\"" + std::string(10'000'000, 'x') + "\", 1]";
  CHECK(place_of(json_document(line, "t").root.items[1]) == "1:10000006");
}

TEST_CASE("damaged texts") {
  const auto reader = [](const std::string& text, const std::string& source) { return json_document(text, source); };
  check_survives(reader, "{\n  \"a\": [1, -2.5e3, true, null],\n  \"b\": {\"c\": \"x\\n\\u00e9\"}\n}\n");
}

TEST_SUITE_END();
