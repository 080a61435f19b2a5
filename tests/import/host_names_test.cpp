#include <topoplan/import/host_names.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <vector>

using found = std::vector<std::uint32_t>;

TEST_SUITE_BEGIN("import/host_names");

TEST_CASE("names match short against full, in any case") {
  topoplan::import::host_names names;
  names.add("gpu-1", 0);
  names.add("GPU-2.a.example", 1);
  names.add("gpu-3.a.example", 2);
  names.add("gpu-3.b.example", 3);
  names.add("10.0.0.1", 4);
  const auto find = [&](std::string_view name) { return names.find(name).hosts; };
  CHECK(find("gpu-1") == found{0});
  CHECK(find("Gpu-1") == found{0});
  CHECK(find("gpu-1.a.example") == found{0});
  CHECK(find("gpu-2") == found{1});
  CHECK(find("gpu-2.A.example") == found{1});
  CHECK(find("gpu-2.b.example").empty());
  CHECK(find("gpu-3") == found{2, 3});
  CHECK(names.find("gpu-3").ambiguous());
  CHECK(find("gpu-3.b.example") == found{3});
  CHECK(find("10.0.0.1") == found{4});
  CHECK(find("10").empty());
  CHECK(find("10.0.0.2").empty());
  CHECK(find("gpu").empty());
  CHECK(names.find("gpu-4").none());
}

TEST_CASE("the same name wins over its long forms") {
  topoplan::import::host_names names;
  names.add("n1.a", 0);
  names.add("n1", 1);
  CHECK(names.find("n1").hosts == found{1});
  CHECK(names.find("n1.b").hosts == found{1});
  CHECK(names.find("n1.a").hosts == found{0});
}

TEST_SUITE_END();
