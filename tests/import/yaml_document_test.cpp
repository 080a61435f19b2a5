#include <topoplan/import/yaml_document.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include "document_text.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::yaml_documents;

namespace {

// The documents of a text, with " | " between them.
std::string read(std::string_view text) {
  std::string out;
  for (const auto& d : yaml_documents(text, "t")) out += (out.empty() ? "" : " | ") + text_of(d.root);
  return out;
}

void refused(std::string_view text, const char* part) {
  CAPTURE(text.substr(0, 100));
  CHECK_THROWS_WITH_AS(yaml_documents(text, "t"), doctest::Contains(part), parse_error);
}

}  // namespace

TEST_SUITE_BEGIN("import/yaml_document");

TEST_CASE("values keep their order, how they are written, and whether they stood in quotes") {
  CHECK(read("b: 1\na:\n- true\n- 'true'\n- \"x\"\n- node[01-02]\n- 0x10\n- ''\n") ==
        "{b:1,a:[true,'true','x',node[01-02],0x10,'']}");
  CHECK(read("{a: [1, {b: c}], d: }") == "{a:[1,{b:c}],d:~}");
  CHECK(read("a: ~\nb: null\nc:\nd: 'null'\ne: Null\nf: NULL\ng: nULL\n") == "{a:~,b:~,c:~,d:'null',e:~,f:~,g:nULL}");
  CHECK(read("just text") == "just text");
  CHECK(read("1: a\ntrue: b\n") == "{1:a,true:b}");
  CHECK(read("a: \"tab\\tand \\u00e9\"") == "{a:'tab\\tand \\xc3\\xa9'}");
  CHECK(read("a: 'it''s'") == "{a:'it's'}");
  CHECK(read("a: b # comment\n# another\nc: d#e\n") == "{a:b,c:d#e}");
  CHECK(read("a: !!str 12\nb: !mine 12\n") == "{a:'12',b:12}");
  CHECK(yaml_documents("a: 1", "name").front().source == "name");
}

TEST_CASE("block scalars and texts over lines") {
  CHECK(read("a: |\n  SwitchName=s1\n  SwitchName=s2\nb: 1\n") == "{a:'SwitchName=s1\\nSwitchName=s2\\n',b:1}");
  CHECK(read("a: |-\n  x\n  y\n") == "{a:'x\\ny'}");
  CHECK(read("a: >\n  x\n  y\n") == "{a:'x y\\n'}");
  CHECK(read("a: n1,\n  n2\n") == "{a:n1, n2}");
  CHECK(read("a: |\nb: |\n  null\n") == "{a:'',b:'null\\n'}");
}

TEST_CASE("several documents; empty ones are left out") {
  CHECK(read("---\na: 1\n---\nb: 2\n...\n---\n---\n- c\n") == "{a:1} | {b:2} | [c]");
  CHECK(yaml_documents("---\na: 1\n---\nb: 2\n", "t")[1].root.line == 4);
  CHECK(read("").empty());
  CHECK(read("# only a comment\n").empty());
  CHECK(read("---\n").empty());
}

TEST_CASE("values know their places") {
  const auto root = yaml_documents("a:\n  - x\n  - {b: 'y', c: [1]}\nd: |\n  text\n", "t").front().root;
  CHECK(place_of(root) == "1:1");
  CHECK(place_of(root.items[0]) == "2:3");
  CHECK(place_of(root.items[0].items[0]) == "2:5");
  CHECK(place_of(root.items[0].items[1]) == "3:5");
  CHECK(place_of(root.items[0].items[1].items[0]) == "3:9");
  CHECK(place_of(root.items[0].items[1].items[1].items[0]) == "3:18");
  CHECK(root.items[1].line == 4);
  CHECK(place_of(yaml_documents("\xef\xbb\xbf"
                                "a: 1",
                                "t")
                     .front()
                     .root.items[0]) == "1:4");
  CHECK(place_of(yaml_documents("a: 1\r\nb: 2\r\n", "t").front().root.items[1]) == "2:4");
}

TEST_CASE("aliases of texts are copies; of anything else they are refused") {
  CHECK(read("a: &x 1\nb: *x\nc: [*x, *x]\n") == "{a:1,b:1,c:[1,1]}");
  CHECK(read("a: &x '1'\nb: *x\n") == "{a:'1',b:'1'}");
  CHECK(read("a: &x\nb: *x\n") == "{a:~,b:~}");
  CHECK(place_of(yaml_documents("a: &x 1\nb: *x\n", "t").front().root.items[1]) == "2:4");
  CHECK(read("a: &x [1]\nb: &x 2\nc: *x\n") == "{a:[1],b:2,c:2}");
  refused("a: &x [1]\nb: *x\n", "t:2:4: expected an alias of a text, found an alias of a list or map");
  refused("a: &x {k: 1}\nb:\n  <<: *x\n", "t:3:7: expected an alias of a text");
  refused("a: &x 1\n*x : 2\n", "expected a text as key, found an alias");
  refused("a: *x\n", "t:1:4: expected YAML, found what isn't: the referenced anchor is not defined");
  std::string bomb = "a: &x " + std::string(1'000'000, 'x') + "\nb: [";
  for (int i = 0; i < 100'000; ++i) bomb += "*x,";
  refused(bomb + "]", "aliases of at most 4194304 characters, found more");
}

TEST_CASE("what isn't YAML is refused where it shows") {
  refused("a: [1, 2\nb: 3\n", "t:2:");
  refused("a: 'x", "illegal EOF in scalar");
  refused("a: b: c", "t:1:5: expected YAML, found what isn't: illegal map value");
  refused("a:\n\tb: 1", "t:2:3: expected YAML");
  refused("a: @x", "t:1:4: expected YAML, found what isn't: unknown token");
  refused("]", "t:1:1: expected YAML, found what isn't: illegal flow end");
  refused("{\"a\": 1", "t:1:1: expected a text as key, found a map, perhaps one that is never closed");
  refused("[a, b", "a list, perhaps one that is never closed");
  refused("? [a]\n: b\n", "t:1:3: expected a text as key, found a list");
  refused(": a\n", "t:1:1: expected a text as key, found nothing");
}

TEST_CASE("what begins nothing ends in a refusal, not in endless empty documents") {
  refused("[1], x", "t:1:4: expected YAML, found what begins no value");
  refused("{a: b}\n,", "t:2:1: expected YAML, found what begins no value");
}

TEST_CASE("keys once, a depth and a size that a reader can bear") {
  refused("a: 1\nb: 2\na: 3\n", "t:3:1: expected each key of a map once, found 'a' again");
  refused("{a: 1, \"a\": 2}", "t:1:8: expected each key of a map once");
  CHECK(read("a: {a: 1}\nb: {a: 1}\n") == "{a:{a:1},b:{a:1}}");
  refused(std::string(101, '[') + std::string(101, ']'), "lists and maps at most 100 deep");
  std::string dashes;
  for (int i = 0; i < 1'000'000; ++i) dashes += "- ";
  refused(dashes, "t:1:201: expected lists and maps at most 100 deep");
  std::string deep;
  for (std::size_t i = 0; i < 200; ++i) deep += std::string(i, ' ') + "a:\n";
  refused(deep, "t:101:101: expected lists and maps at most 100 deep");
}

TEST_CASE("what no text format may hold") {
  refused(std::string_view("a: 1\0", 5), "t:1:5: expected text, found a NUL byte");
  refused(
      "\xff\xfe"
      "a",
      "UTF-16, as PowerShell writes it");
}

TEST_CASE("large documents") {
  std::string text;
  while (text.size() < 4'000'000) text += "- name: tray-01\n  gpus: [0, 1, 2, 3]\n";
  const auto start = std::clock();
  CHECK(yaml_documents(text, "t").front().root.items.size() > 100'000);
  MESSAGE((static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC) << " s of CPU");
}

TEST_CASE("damaged texts") {
  const auto reader = [](const std::string& text, const std::string& source) {
    const auto documents = yaml_documents(text, source);
    return documents.size();
  };
  check_survives(reader, "---\na: [1, &x \"b\", *x]\nc:\n  - d: |\n      text\n    e: {f: g}\n---\nh: 'i'\n");
}

TEST_SUITE_END();
