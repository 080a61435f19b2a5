#include <topoplan/import/read_file.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/command.hpp"

using namespace topoplan_test;
using topoplan::io_error;
using topoplan::import::is_file;
using topoplan::import::read_file;

TEST_SUITE_BEGIN("import/read_file");

TEST_CASE("bytes come back as they are") {
  const std::string bytes("a\r\n\0\xef\xbb\xbf", 7);
  CHECK(read_file(temporary_file(bytes).path()) == bytes);
  CHECK(read_file(temporary_file("").path()).empty());
  const std::string large(200'001, 'x');
  CHECK(read_file(temporary_file(large).path()) == large);
}

TEST_CASE("what can't be read is an io_error with path and reason") {
  CHECK_THROWS_WITH_AS(read_file("/nonexistent/topo.txt"), "/nonexistent/topo.txt: No such file or directory", io_error);
  CHECK_THROWS_WITH_AS(read_file("/"), "/: Is a directory", io_error);
}

TEST_CASE("files, folders, standard input") {
  const temporary_file file("a");
  CHECK(is_file(file.path()));
  CHECK(is_file("-"));
  CHECK(!is_file("/"));
  CHECK(!is_file("/nonexistent"));
  CHECK(!is_file(""));
  CHECK(topoplan::import::source_name("-") == "standard input");
  CHECK(topoplan::import::source_name("a/b") == "a/b");
}

TEST_SUITE_END();
