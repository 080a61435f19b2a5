#include <topoplan/import/hostlist.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"
#include "support/command.hpp"
#include "support/random.hpp"

using namespace topoplan_test;
using topoplan::parse_error;
using topoplan::import::expand_hostlist;
using topoplan::import::fold_hostlist;
using names = std::vector<std::string>;

namespace {

std::string joined(const names& all, std::string_view separator) {
  std::string out;
  for (const auto& name : all) (out += out.empty() ? "" : separator) += name;
  return out;
}

std::string expanded(std::string_view expression) { return joined(expand_hostlist(expression), " "); }

std::string padded(std::uint64_t number, std::size_t width) {
  auto digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

// Makes expressions; the flags say what only one of the two programs takes.
struct generator {
  topoplan_test::random random;
  bool suffixes;
  bool steps;
  bool uneven_padding;

  std::string text() {
    static const names pieces = {"n", "gpu-", "a", "rack_", "h.x", "node", "b-c", "x0y", "DGX", "z-9-"};
    return random.pick(pieces);
  }
  std::string range() {
    const auto first = random.below(4) == 0 ? random.below(3) : random.below(130);
    const auto width = random.below(2) == 0 ? std::size_t{1} : static_cast<std::size_t>(1 + random.below(4));
    auto out = padded(first, width);
    if (random.below(2) == 0) return out;
    const auto last = first + random.below(13);
    if (!uneven_padding && std::to_string(last).size() > out.size() && out.size() > 1 && out[0] == '0') return out;
    out += '-' + padded(last, uneven_padding && random.below(3) == 0 ? 1 : width);
    if (steps && random.below(3) == 0) out += '/' + std::to_string(1 + random.below(5));
    return out;
  }
  std::string bracket() {
    std::string out = "[" + range();
    for (auto more = random.below(3); more > 0; --more) out += ',' + range();
    return out + ']';
  }
  std::string item() {
    std::string out = text();
    for (auto brackets = random.below(3); brackets > 0; --brackets)
      out += bracket() + (brackets > 1 ? random.pick(names{"-r", "x", "_"}) : "");
    if (suffixes && random.below(3) == 0) out += random.pick(names{"-ib", ".cluster", "x"});
    return out.ends_with(']') || random.below(2) == 0 ? out
                                                      : out + padded(random.below(30), static_cast<std::size_t>(random.below(4)));
  }
  std::string expression() {
    std::string out = item();
    for (auto more = random.below(3); more > 0; --more) out += ',' + item();
    return out;
  }
};

const std::string slurm_conf = "ClusterName=x\nSlurmctldHost=localhost\nAuthType=auth/none\n";

}  // namespace

TEST_SUITE_BEGIN("import/hostlist");

TEST_CASE("expressions mean what Slurm means by them") {
  CHECK(expanded("n5") == "n5");
  CHECK(expanded("n[1-3,2]") == "n1 n2 n3 n2");
  CHECK(expanded("n[001-003,007,010-012]") == "n001 n002 n003 n007 n010 n011 n012");
  CHECK(expanded("n[09-11],n[099-101]") == "n09 n10 n11 n099 n100 n101");
  CHECK(expanded("r[0-1]n[0-2]") == "r0n0 r0n1 r0n2 r1n0 r1n1 r1n2");
  CHECK(expanded("n[0-2]-ib[0-1],z5") == "n0-ib0 n0-ib1 n1-ib0 n1-ib1 n2-ib0 n2-ib1 z5");
  CHECK(expanded("n[9-011]") == "n9 n10 n11");
  CHECK(expanded("n[001-3]") == "n001 n002 n003");
  CHECK(expanded("a,b,,c,") == "a b c");
  CHECK(expanded("a[1] b\n c") == "a1 b c");
  CHECK(expanded("a[1-2][3-4]") == "a13 a14 a23 a24");
  CHECK(expanded("n[0,00,000]") == "n0 n00 n000");
  CHECK(expanded("") == "");
  CHECK(expanded(" ,\n") == "");
}

TEST_CASE("three brackets: the last varies fastest, then the one before") {
  CHECK(expanded("a[1-2]b[1-2]c[1-2]") == "a1b1c1 a1b1c2 a1b2c1 a1b2c2 a2b1c1 a2b1c2 a2b2c1 a2b2c2");
}

TEST_CASE("text after the last bracket and steps mean what nodeset means by them") {
  CHECK(expanded("n[1-2].cluster") == "n1.cluster n2.cluster");
  CHECK(expanded("r[0-1]-n[00-02]-x") == "r0-n00-x r0-n01-x r0-n02-x r1-n00-x r1-n01-x r1-n02-x");
  CHECK(expanded("n[0-10/2]") == "n0 n2 n4 n6 n8 n10");
  CHECK(expanded("n[00-10/3]") == "n00 n03 n06 n09");
  CHECK(expanded("n[0-2]5") == "n05 n15 n25");
}

TEST_CASE("the example's allocation") {
  const auto hosts = expand_hostlist(example_file("hosts.txt"), "hosts.txt");
  CHECK(hosts.size() == 24);
  CHECK(hosts.front() == "gpu-002");
  CHECK(std::is_sorted(hosts.begin(), hosts.end()));
  CHECK(fold_hostlist(hosts) + "\n" == example_file("hosts.txt"));
}

TEST_CASE("what is no expression is refused at its column") {
  const auto refused = [](std::string_view expression, const char* message) {
    CAPTURE(expression);
    CHECK_THROWS_WITH_AS(expand_hostlist(expression), message, parse_error);
  };
  refused("n[3-1]", "hostlist:1:3: expected a range that rises, found '3-1'");
  refused("n[3-2]", "hostlist:1:3: expected a range that rises, found '3-2'");
  refused("n[]", "hostlist:1:3: expected a number, found ']'");
  refused("n[a-c]", "hostlist:1:3: expected a number, found 'a'");
  refused("n[1,]", "hostlist:1:5: expected a number, found ']'");
  refused("n[1-", "hostlist:1:5: expected a number, found the end");
  refused("n[1", "hostlist:1:4: expected ',' or ']' for the bracket of column 2, found the end");
  refused("n1]", "hostlist:1:3: expected a host name, ',' or '[', found ']'");
  refused("*2", "hostlist:1:1: expected a host name, ',' or '[', found '*'");
  refused("n[1 - 2]", "hostlist:1:4: expected ',' or ']' for the bracket of column 2, found ' '");
  refused("n[[1]]", "hostlist:1:3: expected a number, found '['");
  refused("n[0-10/0]", "hostlist:1:8: expected a step of at least 1, found 0");
  refused("n[1-2-3]", "hostlist:1:6: expected ',' or ']' for the bracket of column 2, found '-'");
  refused("n1!n2", "hostlist:1:3: expected a host name, ',' or '[', found '!'");
  refused("@gpus", "hostlist:1:1: expected a host name, ',' or '[', found '@'");
  refused("a,b\n  c[1", "hostlist:2:6: expected ',' or ']' for the bracket of column 4, found the end");
  refused("n[99999999999999999999]", "hostlist:1:3: expected a number of at most 18 digits, found '99999999999999999999'");
  CHECK_THROWS_WITH_AS(expand_hostlist("a,n[", topoplan::location{"topology.conf", 7, 20}),
                       "topology.conf:7:24: expected a number, found the end", parse_error);
}

TEST_CASE("a typing error that names millions is refused before it takes memory") {
  CHECK_THROWS_WITH_AS(expand_hostlist("n[1-999999999999999999]"), doctest::Contains("at most 2000000 hosts"), parse_error);
  CHECK_THROWS_AS(expand_hostlist("a[1-99999]b[1-99999]c[1-99999]d[1-99999]e[1-99999]"), parse_error);
  CHECK_THROWS_AS(expand_hostlist("n[0-9,0-999999999999999999,0-999999999999999999,0-999999999999999999]"), parse_error);
  CHECK_THROWS_AS(expand_hostlist("n[1-100]", "t", {99, 1000}), parse_error);
  CHECK(expand_hostlist("n[1-100]", "t", {100, 1000}).size() == 100);
  CHECK_THROWS_AS(expand_hostlist("n[1-100]", "t", {100, 300}), parse_error);
  CHECK_THROWS_WITH_AS(expand_hostlist(std::string(300, 'a')), doctest::Contains("names of at most 255 characters"), parse_error);
  std::string brackets = "n";
  for (int i = 0; i < 10; ++i) brackets += "[1]";
  CHECK_THROWS_WITH_AS(expand_hostlist(brackets), doctest::Contains("8 brackets"), parse_error);
  CHECK(expand_hostlist("n[0-999999]").size() == 1'000'000);
}

TEST_CASE("folding keeps order and duplicates, and expands to the same names") {
  const auto folded = [](const names& all) { return fold_hostlist(all); };
  CHECK(folded({}) == "");
  CHECK(folded({"n3", "n1", "n2"}) == "n[3,1-2]");
  CHECK(folded({"n1", "n1", "n2"}) == "n[1,1-2]");
  CHECK(folded({"n01", "n02", "n3"}) == "n[01-02,3]");
  CHECK(folded({"n9", "n10"}) == "n[9-10]");
  CHECK(folded({"n09", "n10", "n100"}) == "n[09-10,100]");
  CHECK(folded({"a1b1", "a1b2", "a2b1", "a2b2"}) == "a1b[1-2],a2b[1-2]");
  CHECK(folded({"gpu-017.c2.x", "gpu-003.c2.x", "login"}) == "gpu-[017,003].c2.x,login");
  CHECK(folded({"n1-ib", "n2-ib", "n4-ib"}) == "n[1-2,4]-ib");
  CHECK(folded({"host", "host"}) == "host,host");
  CHECK(folded({"n123456789012345678901", "n123456789012345678902"}) == "n123456789012345678901,n123456789012345678902");
  generator make{topoplan_test::random(11), true, true, true};
  for (int i = 0; i < 2000; ++i) {
    auto all = expand_hostlist(make.expression());
    if (i % 3 == 0) make.random.shuffle(all);
    const auto text = fold_hostlist(all);
    CAPTURE(text);
    REQUIRE(expand_hostlist(text) == all);
  }
}

TEST_CASE("scontrol expands alike, as a sequence") {
  if (!has_program("scontrol")) {
    MESSAGE("skipped: scontrol (Debian: slurm-client) isn't installed");
    return;
  }
  const temporary_file conf(slurm_conf);
  generator make{topoplan_test::random(1), false, false, true};
  std::size_t compared = 0;
  for (int batch = 0; batch < 50; ++batch) {
    names expressions;
    for (int i = 0; i < 200; ++i) expressions.push_back(make.expression());
    const auto all = joined(expressions, ",SEPARATOR,");
    const auto printed = output_of("SLURM_CONF=" + conf.path() + " scontrol show hostnames '" + all + "' 2>&1");
    const auto ours = expand_hostlist(all);
    REQUIRE_MESSAGE(lines_of(printed) == ours, printed.substr(0, 200));
    compared += expressions.size();
  }
  CHECK(compared == 10000);
}

TEST_CASE("scontrol folds alike") {
  if (!has_program("scontrol")) {
    MESSAGE("skipped: scontrol (Debian: slurm-client) isn't installed");
    return;
  }
  const temporary_file conf(slurm_conf);
  topoplan_test::random random(5);
  for (int i = 0; i < 60; ++i) {
    names all;
    for (auto n = 1 + random.below(12); n > 0; --n) {
      all.push_back(random.pick(names{"n", "gpu-"}) + padded(random.below(30), static_cast<std::size_t>(1 + random.below(2))));
    }
    const auto printed = output_of("SLURM_CONF=" + conf.path() + " scontrol show hostlist '" + joined(all, ",") + "' 2>&1");
    CHECK(fold_hostlist(all) + "\n" == printed);
  }
}

TEST_CASE("nodeset expands alike, as a set") {
  const std::string program =
      "/usr/bin/python3 -c \"\nimport sys\nfrom ClusterShell.NodeSet import NodeSet\n"
      "for line in open(sys.argv[1]):\n    print(' '.join(sorted(NodeSet(line.strip()))))\n\" ";
  const temporary_file probe("n[1-2]\n");
  if (output_of(program + probe.path() + " 2>/dev/null") != "n1 n2\n") {
    MESSAGE("skipped: ClusterShell (Debian: python3-clustershell) isn't installed");
    return;
  }
  generator make{topoplan_test::random(2), true, true, false};
  names expressions;
  for (int i = 0; i < 10000; ++i) expressions.push_back(make.expression());
  const temporary_file input(joined(expressions, "\n") + "\n");
  const auto printed = lines_of(output_of(program + input.path() + " 2>&1"));
  REQUIRE_MESSAGE(printed.size() == expressions.size(), printed.back());
  for (std::size_t i = 0; i < printed.size(); ++i) {
    auto ours = expand_hostlist(expressions[i]);
    std::sort(ours.begin(), ours.end());
    ours.erase(std::unique(ours.begin(), ours.end()), ours.end());
    CAPTURE(expressions[i]);
    REQUIRE(joined(ours, " ") == printed[i]);
  }
}

TEST_SUITE_END();
