#include <topoplan/layout/grid.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/megatron_reference.hpp"

using topoplan::grid_dim;
using topoplan::rank_grid;
using topoplan::rank_id;
using lists = std::vector<std::vector<std::uint32_t>>;

namespace {

lists members(const topoplan::grid_groups& groups) {
  lists all(groups.size());
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    for (std::uint32_t i = 0; i < groups.group_size(); ++i) all[g].push_back(groups.member(g, i).value);
  return all;
}

std::vector<grid_dim> dims_of(const nlohmann::json& grid) {
  std::vector<grid_dim> dims;
  for (std::size_t i = 0; i < grid.at("shape").size(); ++i) dims.push_back({grid.at("dim_names").at(i), grid.at("shape").at(i)});
  return dims;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t dash = std::min(text.find('-', at), text.size());
    names.push_back(text.substr(at, dash - at));
    at = dash + 1;
  }
  return names;
}

void check_groups(const rank_grid& grid, const std::vector<std::string>& names) {
  const auto groups = grid.groups(names);
  const auto strides = groups.strides();
  std::vector<bool> seen(grid.size(), false);
  for (std::uint32_t g = 0; g < groups.size(); ++g)
    for (std::uint32_t i = 0; i < groups.group_size(); ++i) {
      const rank_id r = groups.member(g, i);
      REQUIRE(grid.holds(r));
      REQUIRE(!seen[r.value - grid.rank_offset()]);
      seen[r.value - grid.rank_offset()] = true;
      REQUIRE(groups.group_of(r) == g);
      REQUIRE(groups.index_in_group(r) == i);
      REQUIRE(r.value == grid.rank_offset() + strides.outer(g) + strides.inner(i));
      for (const grid_dim& d : grid.dims())
        if (std::find(names.begin(), names.end(), d.name) == names.end())
          REQUIRE(grid.position(r, d.name) == grid.position(groups.member(g, 0), d.name));
    }
}

template <class Call> std::string refusal(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const topoplan::invalid_argument& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("every recorded grid: enumerations of the base and of its views") {
  const auto& cases = topoplan_test::megatron_reference().at("hyper_comm_grid_cases");
  CHECK(cases.size() == 8);
  std::size_t views = 0;
  for (const auto& c : cases) {
    const rank_grid grid(dims_of(c), c.at("rank_offset").get<std::uint64_t>(), c.at("world_size").get<std::uint64_t>());
    CAPTURE(grid.str());
    for (const auto& [names, expected] : c.at("enums").items()) {
      CHECK(members(grid.groups(split(names))) == expected.get<lists>());
      std::vector<std::string> backwards = split(names);
      std::reverse(backwards.begin(), backwards.end());
      CHECK(members(grid.groups(backwards)) == expected.get<lists>());
      check_groups(grid, split(names));
    }
    for (const auto& [name, view] : c.at("views").items()) {
      const rank_grid other = grid.view(dims_of(view), view.at("shared_dims").get<std::vector<std::string>>());
      for (const auto& [names, expected] : view.at("enums").items())
        CHECK(members(other.groups(split(names))) == expected.get<lists>());
      ++views;
    }
  }
  CHECK(views == 2);
}

TEST_CASE("a grid is read by name") {
  const rank_grid grid({{"tp", 2}, {"cp", 3}, {"pp", 4}}, 10);
  CHECK(grid.size() == 24);
  CHECK(grid.str() == "tp 2 x cp 3 x pp 4");
  CHECK(grid.mode_of("pp") == topoplan::strided_mode{4, 6});
  CHECK(grid.position(rank_id{10 + 6 * 3 + 2 * 1 + 1}, "pp") == 3);
  CHECK(grid.position(rank_id{10 + 6 * 3 + 2 * 1 + 1}, "cp") == 1);
  CHECK(grid.holds(rank_id{10}));
  CHECK(grid.holds(rank_id{33}));
  CHECK_FALSE(grid.holds(rank_id{9}));
  CHECK_FALSE(grid.holds(rank_id{34}));
  CHECK(rank_grid(std::vector<grid_dim>{}).size() == 1);
}

TEST_CASE("grids that aren't are refused") {
  CHECK(refusal([] { return rank_grid({{"tp", 2}, {"tp", 2}}); }) == "grid tp 2 x tp 2 names dimension tp twice");
  CHECK(refusal([] { return rank_grid({{"tp", 0}}); }) == "dimension tp of grid tp 0 has extent 0");
  CHECK(refusal([] { return rank_grid({{"", 2}}); }) == "dimension 0 of a grid has no name");
  CHECK(refusal([] { return rank_grid({{"tp", 8}, {"dp", 8}}, 8, 64); }) ==
        "grid tp 8 x dp 8 holds 64 ranks from rank 8 on; the limit is 64");
  CHECK(refusal([] { return rank_grid({{"tp", 1U << 31U}, {"dp", 8}}); }) ==
        "grid tp 2147483648 x dp 8 holds more than 2147483648 ranks from rank 0 on; the limit is 2147483648");
  CHECK(refusal([] { return rank_grid({{"tp", 8}}, 1ULL << 40U); }) ==
        "grid tp 8 holds 8 ranks from rank 1099511627776 on; the limit is 2147483648");
  const rank_grid grid({{"tp", 2}, {"dp", 4}});
  CHECK(refusal([&] { return grid.groups({"ep"}); }) == "grid tp 2 x dp 4 has no dimension 'ep'");
  CHECK(refusal([&] { return grid.groups({"tp", "tp"}); }) == "the groups of dimension tp were asked for twice in one set");
  CHECK(refusal([&] { return grid.groups({}); }) == "the groups of no dimension of grid tp 2 x dp 4 were asked for");
  CHECK(refusal([&] { return grid.position(rank_id{0}, "pp"); }) == "grid tp 2 x dp 4 has no dimension 'pp'");
}

TEST_CASE("views that disagree are refused") {
  const rank_grid grid({{"tp", 4}, {"dp", 4}, {"pp", 2}});
  CHECK(grid.view({{"expert_tp", 2}, {"ep", 8}, {"pp", 2}}, {"pp"}).mode_of("pp").stride == 16);
  CHECK(grid.view({{"pp", 2}, {"ep", 16}}).size() == 32);  // nothing is said to be shared
  CHECK(refusal([&] { return grid.view({{"ep", 8}, {"pp", 2}}, {"pp"}); }) ==
        "view ep 8 x pp 2 has 16 ranks, grid tp 4 x dp 4 x pp 2 has 32");
  CHECK(refusal([&] { return grid.view({{"pp", 2}, {"ep", 16}}, {"pp"}); }) ==
        "dimension pp has other groups in view pp 2 x ep 16 than in grid tp 4 x dp 4 x pp 2");
  CHECK(refusal([&] { return grid.view({{"ep", 8}, {"pp", 4}}, {"pp"}); }) ==
        "dimension pp has other groups in view ep 8 x pp 4 than in grid tp 4 x dp 4 x pp 2");
  CHECK(refusal([&] { return grid.view({{"ep", 16}, {"pp", 1}, {"more", 2}}, {"pp"}); }) ==
        "dimension pp has other groups in view ep 16 x pp 1 x more 2 than in grid tp 4 x dp 4 x pp 2");
  CHECK(refusal([&] { return grid.view({{"ep", 16}, {"pp", 2}}, {"ep"}); }) == "grid tp 4 x dp 4 x pp 2 has no dimension 'ep'");
  CHECK(refusal([&] { return grid.view({{"ep", 16}, {"stage", 2}}, {"pp"}); }) == "grid ep 16 x stage 2 has no dimension 'pp'");
  CHECK(refusal([&] { return grid.view({{"ep", 16}, {"pp", 2}}, {"pp", "pp"}); }) ==
        "the groups of dimension pp were asked for twice in one set");
  CHECK(refusal([&] { return grid.view({{"ep", 16}, {"ep", 2}}); }) == "grid ep 16 x ep 2 names dimension ep twice");
  const rank_grid one({{"tp", 4}, {"pp", 1}});
  CHECK(one.view({{"pp", 1}, {"tp", 4}}, {"pp", "tp"}).size() == 4);  // an extent of 1 has the same groups at any stride
}
