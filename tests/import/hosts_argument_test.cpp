#include <topoplan/import/hosts_argument.hpp>

#include <doctest/doctest.h>

#include <string>

#include "summary.hpp"
#include "support/command.hpp"

using namespace topoplan_test;
using topoplan::io_error;
using topoplan::parse_error;
using topoplan::import::hosts_argument;

TEST_SUITE_BEGIN("import/hosts_argument");

TEST_CASE("a file or the list itself") {
  const temporary_file file("b\na\n");
  CHECK(hosts_argument(file.path()).hosts.size() == 2);
  CHECK(hosts_argument(file.path()).source == file.path());
  CHECK(hosts_argument("gpu-[1-3],x").hosts.size() == 4);
  CHECK(hosts_argument("gpu-[1-3],x").source == "--hosts");
  CHECK(hosts_argument("a", "--spares").source == "--spares");
}

TEST_CASE("a mistyped path is no host") {
  CHECK_THROWS_WITH_AS(hosts_argument("/nonexistent/hosts"), "/nonexistent/hosts: no such file, and no host list either",
                       io_error);
  CHECK_THROWS_AS(hosts_argument("hostz.txt"), io_error);
  CHECK_THROWS_WITH_AS(hosts_argument("gpu-[1-"), doctest::Contains("--hosts:1:8: expected a number"), parse_error);
  CHECK_THROWS_WITH_AS(hosts_argument(""), "--hosts: expected at least one host, found none", parse_error);
}

TEST_SUITE_END();
