// Tests of emit/groups_json.hpp: the documents are those of Megatron-LM's own groups.
#include <topoplan/emit/groups_json.hpp>
#include <topoplan/layout/megatron_groups.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "emit/support.hpp"
#include "support/megatron_reference.hpp"

namespace {

using namespace topoplan;
using topoplan_test::text_of;

TEST_CASE("all recorded cases: groups, creation order and coordinates") {
  int cases = 0;
  for (const auto& recorded : topoplan_test::megatron_reference().at("cases")) {
    CAPTURE(recorded.at("id").get<std::string>());
    const megatron::group_set set(topoplan_test::megatron_options(recorded.at("args")));
    const auto value = nlohmann::json::parse(text_of([&](std::ostream& out) { emit::groups_json(out, set); }));
    CHECK(value.size() == 3);
    CHECK(value["groups"] == recorded.at("groups"));
    CHECK(value["creation_order"] == recorded.at("creation_order"));
    const auto& coordinates = recorded.at("coords");
    CHECK(value["coordinates"].size() == 7);
    for (const char* axis : {"tp", "cp", "dp", "pp", "ep"}) CHECK(value["coordinates"][axis] == coordinates.at(axis));
    CHECK(value["coordinates"]["expert_tp"] == coordinates.at("expt_tp"));
    CHECK(value["coordinates"]["expert_dp"] == coordinates.at("expt_dp"));
    ++cases;
  }
  CHECK(cases == 74);
}

}  // namespace
