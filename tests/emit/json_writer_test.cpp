// Tests of emit/detail/json_writer.hpp: every byte and number comes back from a reader as it went in.
#include <topoplan/emit/detail/json_writer.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "emit/support.hpp"
#include "support/random.hpp"

namespace {

using topoplan::emit::detail::hash_text;
using topoplan::emit::detail::json_writer;
using topoplan::emit::detail::spread;
using topoplan_test::text_of;

template <class Value> std::string written(const Value& value) {
  return text_of([&](std::ostream& out) {
    json_writer json(out);
    json.value(value);
    json.finish();
  });
}
template <class Value> nlohmann::json reread(const Value& value) { return nlohmann::json::parse(written(value)); }

TEST_CASE("every ASCII text comes back") {
  std::string all;
  for (int c = 0; c < 128; ++c) {
    const std::string one(1, static_cast<char>(c));
    CHECK(reread(one).get<std::string>() == one);
    all += one;
  }
  CHECK(reread(all).get<std::string>() == all);
  CHECK(written("a\"b\\c\n\t\r\x01\x7f/") == "\"a\\\"b\\\\c\\n\\t\\r\\u0001\x7f/\"\n");
}

TEST_CASE("UTF-8 comes back as it is; what isn't UTF-8 becomes U+FFFD") {
  for (const std::string good :
       {"sch\xc3\xb6n", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "\xc2\x80"})
    CHECK(reread(good).get<std::string>() == good);
  const std::string gone = "\xef\xbf\xbd";
  for (const std::string bad : {"\x80", "\xff", "\xc0", "\xc1", "\xf5"}) CHECK(reread(bad).get<std::string>() == gone);
  CHECK(reread("\xc3(").get<std::string>() == gone + "(");                            // cut
  CHECK(reread("\xe2\x82").get<std::string>() == gone + gone);                        // ends early
  CHECK(reread("\xc0\xaf").get<std::string>() == gone + gone);                        // overlong
  CHECK(reread("\xe0\x80\xaf").get<std::string>() == gone + gone + gone);             // overlong
  CHECK(reread("\xed\xa0\x80").get<std::string>() == gone + gone + gone);             // a surrogate
  CHECK(reread("\xf4\x90\x80\x80").get<std::string>() == gone + gone + gone + gone);  // beyond U+10FFFF
  topoplan_test::random numbers(31);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (std::uint64_t n = numbers.between(1, 12); n > 0; --n) bytes += static_cast<char>(numbers.below(256));
    CHECK_NOTHROW(reread(bytes));  // the reader refuses what isn't UTF-8
  }
}

TEST_CASE("numbers come back exactly") {
  CHECK(reread(std::numeric_limits<std::uint64_t>::max()) == std::numeric_limits<std::uint64_t>::max());
  CHECK(reread(std::numeric_limits<std::int64_t>::min()) == std::numeric_limits<std::int64_t>::min());
  CHECK(written(-1) == "-1\n");
  CHECK(written(true) == "true\n");
  CHECK(written(450e9) == "450000000000\n");
  CHECK(written(0.0) == "0\n");
  CHECK(written(1.5) == "1.5\n");
  CHECK(written(std::numeric_limits<double>::infinity()) == "null\n");
  CHECK(written(std::nan("")) == "null\n");
  topoplan_test::random numbers(32);
  for (int i = 0; i < 5000; ++i) {
    const double number = std::bit_cast<double>(numbers.next());
    if (std::isfinite(number)) CHECK(reread(number).get<double>() == number);
    const auto whole = static_cast<double>(numbers.below(1ULL << numbers.below(60)));
    CHECK(reread(whole).get<double>() == whole);
  }
}

TEST_CASE("a document larger than the buffer, nested, on one line and on many") {
  const std::string text = text_of([](std::ostream& out) {
    json_writer json(out);
    json.open('{', spread::lines);
    json.member("empty", "");
    json.column("numbers", 20000, [](std::size_t i) { return i; });
    json.column("texts", 5000, [](std::size_t i) { return std::to_string(i); });
    json.column("nothing", 0, [](std::size_t) { return 0; });
    json.key("list");
    json.open('[', spread::lines);
    json.open('{');
    json.member("a", 1);
    json.member("b", false);
    json.close();
    json.null();
    json.close();
    json.key("raw");
    json.raw_value() << "[1, 2]";
    json.member("long", std::string(50000, 'x'));
    json.close();
    json.finish();
  });
  const auto value = nlohmann::json::parse(text);
  CHECK(value.size() == 7);
  CHECK(value["numbers"][19999] == 19999);
  CHECK(value["texts"][4999] == "4999");
  CHECK(value["nothing"].empty());
  CHECK(value["list"][0]["b"] == false);
  CHECK(value["list"][1].is_null());
  CHECK(value["raw"][1] == 2);
  CHECK(value["long"].get<std::string>().size() == 50000);
  CHECK(text.ends_with("\n}\n"));
}

TEST_CASE("hashes as text") {
  CHECK(std::string(hash_text(0).data()).empty());
  CHECK(std::string(hash_text(0x0123456789abcdefU).data()) == "0123456789abcdef");
  CHECK(std::string(hash_text(1).data()) == "0000000000000001");
}

}  // namespace
