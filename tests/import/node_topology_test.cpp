#include <topoplan/import/node_topology.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

using namespace topoplan::import;

namespace {

node_topology node_of(std::size_t gpus, std::size_t nics) {
  node_topology node;
  node.gpus.resize(gpus);
  node.nics.resize(nics);
  const auto width = gpus + nics;
  node.paths.assign(width * width, path{path_kind::sys});
  for (std::size_t i = 0; i < width; ++i) node.paths[i * width + i] = path{path_kind::self};
  return node;
}

void join(node_topology& node, std::size_t a, std::size_t b, path p) {
  const auto width = node.gpus.size() + node.nics.size();
  node.paths[a * width + b] = node.paths[b * width + a] = p;
}

}  // namespace

TEST_SUITE_BEGIN("import/node_topology");

TEST_CASE("paths print as the tool prints them") {
  CHECK(to_string(path{path_kind::nvlink, 18}) == "NV18");
  CHECK(to_string(path{path_kind::self}) == "X");
  CHECK(to_string(path{path_kind::sys}) == "SYS");
  CHECK(to_string(path{}) == "unknown");
}

TEST_CASE("NVLink groups are the connected components, against a brute force over all subsets") {
  topoplan_test::random random(3);
  for (int round = 0; round < 300; ++round) {
    const auto gpus = static_cast<std::size_t>(1 + random.below(7));
    auto node = node_of(gpus, 0);
    for (std::size_t a = 0; a < gpus; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (random.below(3) == 0) join(node, a, b, path{path_kind::nvlink, static_cast<std::uint8_t>(1 + random.below(2))});
        else if (random.below(12) == 0) join(node, a, b, path{});
      }
    }
    // Reachability by repeated squaring of the relation.
    std::vector<std::vector<bool>> reach(gpus, std::vector<bool>(gpus, false));
    for (std::size_t a = 0; a < gpus; ++a) {
      for (std::size_t b = 0; b < gpus; ++b) reach[a][b] = a == b || node.between(a, b).kind == path_kind::nvlink;
    }
    for (std::size_t k = 0; k < gpus; ++k) {
      for (std::size_t a = 0; a < gpus; ++a) {
        for (std::size_t b = 0; b < gpus; ++b) reach[a][b] = reach[a][b] || (reach[a][k] && reach[k][b]);
      }
    }
    const auto groups = nvlink_groups(node);
    std::vector<std::size_t> group_of(gpus, gpus);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const auto gpu : groups[i].gpus) {
        REQUIRE(group_of[gpu] == gpus);
        group_of[gpu] = i;
      }
      if (i > 0) REQUIRE(groups[i - 1].gpus.front() < groups[i].gpus.front());
    }
    for (std::size_t a = 0; a < gpus; ++a) {
      for (std::size_t b = 0; b < gpus; ++b) REQUIRE(reach[a][b] == (group_of[a] == group_of[b]));
    }
    for (const auto& group : groups) {
      bool all = true;
      bool known = true;
      bool uniform = group.gpus.size() > 1;
      for (const auto a : group.gpus) {
        for (std::size_t b = 0; b < gpus; ++b) known = known && node.between(a, b).kind != path_kind::unknown;
        for (const auto b : group.gpus) {
          if (a == b) continue;
          all = all && node.between(a, b).kind == path_kind::nvlink;
          uniform = uniform && node.between(a, b) == node.between(group.gpus[0], group.gpus[1]);
        }
      }
      REQUIRE(group.all_to_all == all);
      REQUIRE(group.known == known);
      REQUIRE((group.links > 0) == (uniform && all && group.gpus.size() > 1));
    }
  }
}

TEST_CASE("the nearest NICs; a hole that may hide a nearer one makes them unknown") {
  auto node = node_of(1, 3);
  join(node, 0, 1, path{path_kind::node});
  join(node, 0, 2, path{path_kind::pxb});
  join(node, 0, 3, path{path_kind::pxb});
  CHECK(nearest_to(node, 0) == nearest_nics{path_kind::pxb, {1, 2}});
  join(node, 0, 1, path{});
  CHECK(nearest_to(node, 0) == nearest_nics{});
  join(node, 0, 3, path{path_kind::pix});
  CHECK(nearest_to(node, 0) == nearest_nics{path_kind::pix, {2}});
  CHECK(nearest_to(node_of(1, 0), 0) == nearest_nics{});
}

TEST_SUITE_END();
