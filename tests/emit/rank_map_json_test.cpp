// Tests of emit/rank_map_json.hpp: the document's exact form, and that reading it back gives an equal map.
#include <topoplan/emit/groups_json.hpp>
#include <topoplan/emit/rank_map_json.hpp>
#include <topoplan/import/rank_map_file.hpp>
#include <topoplan/layout/megatron_groups.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "emit/support.hpp"
#include "support/random.hpp"
#include "support/rank_maps.hpp"

namespace {

using namespace topoplan;
using topoplan_test::random_parts;
using topoplan_test::rank_map_parts;
using topoplan_test::regular_parts;
using topoplan_test::text_of;

std::string json_of(const rank_map& map) {
  return text_of([&](std::ostream& out) { emit::rank_map_json(out, map); });
}

TEST_CASE("the whole document, letter by letter") {
  rank_map_parts parts = regular_parts({.tp = 2, .pp = 2}, 2, 2);
  parts.spares = {{"gpu-1000", {6, 7}}, {"say \"no\"", {0}}};
  parts.made_for = {0xabc, 0};
  CHECK(json_of(parts.build()) == R"({
  "format": "topoplan.rank_map",
  "version": 1,
  "world_size": 4,
  "order": "tp-cp-ep-dp-pp",
  "degrees": {"tp": 2, "cp": 1, "ep": 1, "dp": 1, "pp": 2, "expert_tp": 2, "expert_dp": 1},
  "hosts": ["gpu-1000", "gpu-1007"],
  "ranks": {
    "host": [0, 0, 1, 1],
    "gpu": [0, 1, 0, 1],
    "local_rank": [0, 1, 0, 1],
    "domain": [0, 0, 1, 1]
  },
  "spares": [
    {"host": "gpu-1000", "gpus": [6, 7]},
    {"host": "say \"no\"", "gpus": [0]}
  ],
  "digest": {"cluster": "0000000000000abc", "workload": ""}
}
)");
}

TEST_CASE("the keys stand in the documented order, optional columns only where there are some") {
  rank_map_parts parts = regular_parts({.tp = 2}, 1, 2);
  parts.columns.rail = {0, 1};
  parts.columns.numa = {-1, 1};
  parts.columns.uuid = {"GPU-a", "GPU-b"};
  parts.columns.pci = {"0000:1b:00.0", "0000:43:00.0"};
  const auto value = nlohmann::ordered_json::parse(json_of(parts.build()));
  std::vector<std::string> keys;
  for (const auto& [key, member] : value.items()) keys.push_back(key);
  CHECK(keys ==
        std::vector<std::string>{"format", "version", "world_size", "order", "degrees", "hosts", "ranks", "spares", "digest"});
  keys.clear();
  for (const auto& [key, member] : value["ranks"].items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"host", "gpu", "local_rank", "domain", "uuid", "pci", "rail", "numa"});
  CHECK(value["ranks"]["numa"] == std::vector<int>{-1, 1});
  CHECK(value["ranks"]["pci"][1] == "0000:43:00.0");
  CHECK(value["spares"].is_array());
}

TEST_CASE("reading back gives an equal map") {
  topoplan_test::random numbers(41);
  for (int i = 0; i < 60; ++i) {
    const rank_map map = random_parts(numbers, i % 2 == 0).build();
    CHECK(import::rank_map_file(json_of(map), "rank_map.json") == map);
  }
}

TEST_CASE("with the groups that Megatron-LM would create") {
  const rank_map map = regular_parts({.tp = 2, .cp = 2, .ep = 2, .pp = 2}, 2, 8).build();
  const megatron::group_set set(megatron::options_for(map.layout()));
  const std::string text =
      text_of([&](std::ostream& out) { emit::rank_map_json(out, map, [&](std::ostream& at) { emit::groups_value(at, set); }); });
  const auto value = nlohmann::ordered_json::parse(text);
  CHECK((--value.end()).key() == "groups");
  CHECK(value["groups"].size() == set.families().size());
  CHECK(value["groups"]["TENSOR_MODEL_PARALLEL_GROUP"][1] == std::vector<int>{2, 3});
  CHECK(import::rank_map_file(text, "rank_map.json") == map);
  const auto alone = nlohmann::ordered_json::parse(text_of([&](std::ostream& out) { emit::groups_json(out, set); }));
  CHECK(alone["groups"] == value["groups"]);
}

}  // namespace
