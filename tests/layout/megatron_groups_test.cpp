#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/megatron_groups.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/megatron_reference.hpp"
#include "support/random.hpp"

namespace megatron = topoplan::megatron;
using topoplan::axis;
using topoplan::rank_id;
using lists = std::vector<std::vector<std::uint32_t>>;

namespace {

lists members(const megatron::group_family& f) {
  lists all(f.size());
  for (std::uint32_t g = 0; g < f.size(); ++g)
    for (std::uint32_t i = 0; i < f.group_size(g); ++i) all[g].push_back(f.member(g, i).value);
  return all;
}

// What the header promises of every family: find() is the inverse of member(), no rank stands twice, strides() tells how
// all groups advance.
void check_family(const megatron::group_set& set, const megatron::group_family& f) {
  CAPTURE(f.name());
  const std::uint32_t first = set.dense().rank_offset();
  const std::uint32_t world = set.dense().size();
  std::set<std::uint32_t> seen;
  const auto strides = f.strides();
  for (std::uint32_t g = 0; g < f.size(); ++g) {
    REQUIRE(f.group_size(g) > 0);
    if (strides) REQUIRE(strides->size() == f.group_size(g));
    for (std::uint32_t i = 0; i < f.group_size(g); ++i) {
      const rank_id r = f.member(g, i);
      REQUIRE(r.value >= first);
      REQUIRE(r.value - first < world);
      REQUIRE(seen.insert(r.value).second);
      REQUIRE(f.find(r) == megatron::membership{g, i});
      if (strides) REQUIRE(r.value == f.member(g, 0).value + (*strides)(i));
    }
  }
  const bool everyone = f.how() != megatron::derivation::ends && f.how() != megatron::derivation::first;
  if (everyone) CHECK(seen.size() == world);
  for (std::uint32_t r = 0; r < world; ++r) CHECK(f.find(rank_id{first + r}).has_value() == (seen.count(first + r) != 0));
  CHECK_FALSE(f.find(rank_id{first + world}).has_value());
  if (first > 0) CHECK_FALSE(f.find(rank_id{first - 1}).has_value());
}

}  // namespace

TEST_CASE("every recorded configuration: names, creation order, members, derived degrees and coordinates") {
  std::size_t compared = 0;
  for (const auto& c : topoplan_test::megatron_reference().at("cases")) {
    CAPTURE(c.at("id").get<std::string>());
    const megatron::group_set set(topoplan_test::megatron_options(c.at("args")));
    const auto& derived = c.at("derived");
    CHECK(set.degrees() == megatron::derived_degrees{derived.at("dp"), derived.at("expt_tp"), derived.at("expt_dp")});

    std::vector<std::string> names;
    for (const auto& f : set.families()) names.push_back(f.name());
    CHECK(names == c.at("creation_order").get<std::vector<std::string>>());
    CHECK(names.size() == c.at("groups").size());
    for (const auto& f : set.families()) {
      CAPTURE(f.name());
      CHECK(members(f) == c.at("groups").at(f.name()).get<lists>());
      check_family(set, f);
      ++compared;
    }

    const std::array<std::pair<const char*, axis>, 7> coordinates{{{"tp", axis::tp},
                                                                   {"cp", axis::cp},
                                                                   {"dp", axis::dp},
                                                                   {"pp", axis::pp},
                                                                   {"ep", axis::ep},
                                                                   {"expt_tp", axis::expert_tp},
                                                                   {"expt_dp", axis::expert_dp}}};
    CHECK(c.at("coords").size() == coordinates.size());
    for (const auto& [name, a] : coordinates) {
      std::vector<std::uint32_t> positions;
      for (std::uint32_t r = 0; r < set.dense().size(); ++r)
        positions.push_back(set.position(rank_id{set.dense().rank_offset() + r}, a));
      CHECK(positions == c.at("coords").at(name).get<std::vector<std::uint32_t>>());
    }
  }
  CHECK(topoplan_test::megatron_reference().at("cases").size() == 74);
  CHECK(compared > 74 * 20);
}

TEST_CASE("groups of one axis are those of the layout with the same degrees") {
  for (const auto& c : topoplan_test::megatron_reference().at("cases")) {
    const megatron::options o = topoplan_test::megatron_options(c.at("args"));
    if (o.gtp_remat > 1 || o.expert_gtp_remat > 1 || o.rank_offset != 0) continue;
    const topoplan::layout l(
        topoplan::resolve({.tp = o.tp, .cp = o.cp, .ep = o.ep, .expert_tp = o.expert_tp, .pp = o.pp}, o.world_size), o.order);
    const megatron::group_set set(megatron::options_for(l));
    const std::array<std::pair<const char*, axis>, 7> families{{{"TENSOR_MODEL_PARALLEL_GROUP", axis::tp},
                                                                {"CONTEXT_PARALLEL_GROUP", axis::cp},
                                                                {"DATA_PARALLEL_GROUP", axis::dp},
                                                                {"PIPELINE_MODEL_PARALLEL_GROUP", axis::pp},
                                                                {"EXPERT_MODEL_PARALLEL_GROUP", axis::ep},
                                                                {"EXPERT_TENSOR_PARALLEL_GROUP", axis::expert_tp},
                                                                {"EXPERT_DATA_PARALLEL_GROUP", axis::expert_dp}}};
    for (const auto& [name, a] : families) {
      const topoplan::group_family of_layout = l.groups(a);
      const auto& of_megatron = set.family(name);
      REQUIRE(of_layout.size() == of_megatron.size());
      for (std::uint32_t g = 0; g < of_layout.size(); ++g)
        for (std::uint32_t i = 0; i < of_layout.group_size(); ++i) REQUIRE(of_layout.member(g, i) == of_megatron.member(g, i));
    }
  }
}

TEST_CASE("slices that don't come out even: the last of each group is shorter") {
  megatron::options o;
  o.world_size = 20;
  o.tp = 2;
  o.hybrid_cp = true;
  const megatron::group_set set(o);
  CHECK(members(set.family("HYBRID_DP_CP_GROUP_4")) ==
        lists{{0, 2, 4, 6}, {8, 10, 12, 14}, {16, 18}, {1, 3, 5, 7}, {9, 11, 13, 15}, {17, 19}});
  CHECK_FALSE(set.family("HYBRID_DP_CP_GROUP_4").strides().has_value());
  CHECK_THROWS_WITH_AS(static_cast<void>(set.family("HYBRID_DP_CP_GROUP_8")),
                       "Megatron-LM creates no 'HYBRID_DP_CP_GROUP_8' with these options", topoplan::invalid_argument);
}

TEST_CASE("slices across an axis that doesn't divide: no strides are claimed, the members are right") {
  megatron::options o;
  o.world_size = 24;
  o.tp = 2;
  o.cp = 4;
  o.order = topoplan::order("cp-tp-ep-dp-pp");
  o.dist_opt_instances = 2;
  const megatron::group_set set(o);
  const auto& f = set.family("INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP");
  CHECK(members(f) == lists{{0, 1, 2, 3, 8, 9}, {10, 11, 16, 17, 18, 19}, {4, 5, 6, 7, 12, 13}, {14, 15, 20, 21, 22, 23}});
  CHECK_FALSE(f.strides().has_value());
  check_family(set, f);
}

TEST_CASE("strides of derived families") {
  megatron::options o;
  o.world_size = 64;
  o.tp = 2;
  o.cp = 8;
  o.pp = 2;
  o.hierarchical_cp = {2, 2, 2};
  o.dist_opt_instances = 2;
  const megatron::group_set set(o);
  const auto strides = [&](const char* name) { return to_string(set.family(name).strides().value()); };
  CHECK(strides("TENSOR_AND_DATA_PARALLEL_GROUP") == "2:1,2:16");
  CHECK(strides("HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L2") == "2:8");
  CHECK(strides("INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP") == "8:2");
  CHECK(strides("EMBEDDING_GROUP") == "2:32");
  CHECK(strides("POSITION_EMBEDDING_GROUP") == "1:0");
  CHECK(strides("INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP") == "2:1,2:32,8:2");
}

TEST_CASE("random options: every family keeps its promises, whatever the sizes") {
  topoplan_test::random rng(11);
  const std::vector<const char*> orders{"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "cp-tp-ep-dp-pp", "dp-cp-tp-ep-pp",
                                        "ep-tp-cp-dp-pp", "pp-tp-cp-ep-dp", "tp-dp-pp-cp-ep"};
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    megatron::options o;
    o.tp = static_cast<std::uint32_t>(rng.between(1, 3));
    o.cp = static_cast<std::uint32_t>(rng.between(1, 4));
    o.ep = static_cast<std::uint32_t>(rng.between(1, 4));
    o.expert_tp = static_cast<std::uint32_t>(rng.between(0, 2));
    o.pp = static_cast<std::uint32_t>(rng.between(1, 3));
    o.gtp_remat = rng.below(4) == 0 ? 2 : 1;
    o.expert_gtp_remat = rng.below(4) == 0 ? 2 : 1;
    o.world_size = std::uint64_t{o.tp} * o.cp * o.pp * o.gtp_remat * rng.between(1, 6);
    o.order = topoplan::order(rng.pick(orders));
    o.dist_opt_instances = static_cast<std::uint32_t>(rng.between(1, 3));
    o.hybrid_cp = rng.below(2) == 0;
    if (o.cp == 4 && rng.below(2) == 0) o.hierarchical_cp = {2, 2};
    o.rank_offset = rng.below(2) * 7;
    try {
      static_cast<void>(megatron::derive(o));
    } catch (const topoplan::invalid_argument&) {
      continue;
    }
    ++accepted;
    const megatron::group_set set(o);
    for (const auto& f : set.families()) check_family(set, f);
  }
  CHECK(accepted > 100);
}
