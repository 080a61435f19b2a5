#include <topoplan/layout/megatron_words.hpp>

#include <doctest/doctest.h>

#include <string>

#include "support/megatron_reference.hpp"

namespace megatron = topoplan::megatron;

namespace {

megatron::group_set example() {
  megatron::options o;
  o.world_size = 64;
  o.tp = 4;
  o.cp = 2;
  o.ep = 4;
  o.expert_tp = 2;
  o.pp = 2;
  return megatron::group_set(o);
}

std::string rule(const megatron::group_set& set, const char* name) { return membership_rule(set, set.family(name)); }

}  // namespace

TEST_CASE("every family that Megatron-LM creates has its keys and a use") {
  const auto& known = topoplan_test::megatron_reference().at("meta").at("group_desc_to");
  CHECK(known.size() == 32);
  for (const auto& [name, keys] : known.items()) {
    CAPTURE(name);
    const megatron::description d = megatron::describe(name);
    CHECK(std::string(d.key) == keys.at("nccl_config_key").get<std::string>());
    const auto& field = keys.at("ProcessGroupCollection_field");
    CHECK(std::string(d.field) == (field.is_null() ? "" : field.get<std::string>()));
    CHECK_FALSE(d.use.empty());
  }
  CHECK(megatron::describe("HYBRID_DP_CP_GROUP_16").key == "dp_cp");
  CHECK(megatron::describe("HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L7").key == "hcp");
  for (const char* wrong : {"", "TP", "HYBRID_DP_CP_GROUP", "HYBRID_DP_CP_GROUP_", "HYBRID_DP_CP_GROUP_#",
                            "HYBRID_DP_CP_GROUP_2X", "DATA_PARALLEL_GROUP_2"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(static_cast<void>(megatron::describe(wrong)),
                         ("Megatron-LM has no process group called " + topoplan::quoted(wrong)).c_str(),
                         topoplan::invalid_argument);
  }
}

TEST_CASE("strides in words") {
  using topoplan::strided_layout;
  CHECK(megatron::in_words(strided_layout()).empty());
  CHECK(megatron::in_words(strided_layout({{8, 1}})) == "consecutive");
  CHECK(megatron::in_words(strided_layout({{4, 2}})) == "2 apart");
  CHECK(megatron::in_words(strided_layout({{4, 1}, {2, 32}})) == "4 consecutive, 2 times 32 apart");
  CHECK(megatron::in_words(strided_layout({{2, 4}, {2, 32}, {3, 80}})) == "2 ranks 4 apart, 2 times 32 apart, 3 times 80 apart");
}

TEST_CASE("how an order numbers ranks") {
  const megatron::group_set set = example();
  CHECK(megatron::numbering(set.dense()) ==
        "tp fastest (4, consecutive), then cp (2, 4 apart), dp (4, 8 apart) and pp (2, 32 apart)");
  CHECK(megatron::numbering(set.expert()) ==
        "expert_tp fastest (2, consecutive), then ep (4, 2 apart), expert_dp (4, 8 apart) and pp (2, 32 apart)");
  CHECK(megatron::numbering(topoplan::rank_grid({{"tp", 8}, {"dp", 1}})) == "tp fastest (8, consecutive)");
  CHECK(megatron::numbering(topoplan::rank_grid({{"tp", 8}, {"dp", 2}})) == "tp fastest (8, consecutive), then dp (2, 8 apart)");
  CHECK(megatron::numbering(topoplan::rank_grid({{"tp", 1}})) == "one rank");
}

TEST_CASE("which ranks form an EP, an expert-DP, a CP and a DP group, and why") {
  const megatron::group_set set = example();
  const auto why = [&](const char* name) { return explain(set, set.family(name)); };
  CHECK(why("EXPERT_MODEL_PARALLEL_GROUP") ==
        "Order tp-cp-ep-dp-pp numbers the ranks of experts expert_tp fastest (2, consecutive), then ep (4, 2 apart), expert_dp "
        "(4, 8 apart) and pp (2, 32 apart). Experts don't count cp: their axes run over the ranks of all parts of a sequence. A "
        "group holds ranks that differ in ep only, 2 apart: 0 2 4 6. The next holds 1 3 5 7.");
  CHECK(why("EXPERT_DATA_PARALLEL_GROUP").find("ranks that differ in expert_dp only, 8 apart: 0 8 16 24. The next holds 1 9") !=
        std::string::npos);
  CHECK(why("CONTEXT_PARALLEL_GROUP") ==
        "Order tp-cp-ep-dp-pp numbers the ranks of dense layers tp fastest (4, consecutive), then cp (2, 4 apart), dp (4, 8 "
        "apart) and pp (2, 32 apart). Dense layers don't count ep: to them its ranks are those of the other axes. A group holds "
        "ranks that differ in cp only, 4 apart: 0 4. The next holds 1 5.");
  CHECK(why("DATA_PARALLEL_GROUP").find("ranks that differ in dp only, 8 apart: 0 8 16 24. The next holds 1 9 17 25.") !=
        std::string::npos);
  CHECK(why("TENSOR_AND_DATA_PARALLEL_GROUP")
            .find("differ in tp and dp only, 4 consecutive, 4 times 8 apart: 0 1 2 3 8 9 10 "
                  "... 27. The next holds 4 5 6 7 12 13 14 ... 31.") != std::string::npos);
}

TEST_CASE("derived families say what they are derived from") {
  megatron::options o;
  o.world_size = 80;
  o.tp = 2;
  o.cp = 4;
  o.pp = 2;
  o.order = topoplan::order("cp-tp-ep-dp-pp");
  o.hierarchical_cp = {2, 2};
  o.hybrid_cp = true;
  o.rank_offset = 100;
  const megatron::group_set set(o);
  CHECK(rule(set, "HYBRID_DP_CP_GROUP_4") == "a run of 4 members of one DATA_PARALLEL_GROUP_WITH_CP");
  CHECK(rule(set, "HYBRID_DP_CP_GROUP_8") == "a run of 8 members of one DATA_PARALLEL_GROUP_WITH_CP, or the last 4");
  CHECK(rule(set, "HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L0") == "a run of 2 members of one CONTEXT_PARALLEL_GROUP");
  CHECK(rule(set, "HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L1") == "2 members of one CONTEXT_PARALLEL_GROUP that are 2 places apart");
  CHECK(rule(set, "EMBEDDING_GROUP") == "the first and the last member of one PIPELINE_MODEL_PARALLEL_GROUP");
  CHECK(rule(set, "POSITION_EMBEDDING_GROUP") == "the first member of one PIPELINE_MODEL_PARALLEL_GROUP");
  CHECK(rule(set, "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP") ==
        "all ranks, one EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP after another");
  CHECK(advance_in_words(set, set.family("INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP")) ==
        "2 consecutive, 2 times 40 apart, 20 times 2 apart");
  CHECK(advance_in_words(set, set.family("HYBRID_DP_CP_GROUP_8")) == "in uneven steps");
  CHECK(advance_in_words(set, set.family("POSITION_EMBEDDING_GROUP")).empty());
  CHECK(rule(set, "EXPERT_MODEL_PARALLEL_GROUP") == "one rank, since ep is 1");
  CHECK(rule(set, "EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP") == "ranks that differ in expert_tp only");
  CHECK(explain(set, set.family("HYBRID_DP_CP_GROUP_8")) ==
        "Order cp-tp-ep-dp-pp numbers the ranks of dense layers cp fastest (4, consecutive), then tp (2, 4 apart), dp (5, 8 "
        "apart) and pp (2, 40 apart), from rank 100 on. A group holds a run of 8 members of one DATA_PARALLEL_GROUP_WITH_CP, or "
        "the last 4 (ranks that differ in dp and cp only), in uneven steps: 100 101 102 103 108 109 110 111. The next holds 116 "
        "117 118 119 124 125 126 127.");

  o.dist_opt_instances = 2;
  CHECK(rule(megatron::group_set(o), "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP") ==
        "the members of 10 EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUPS in a row");

  megatron::options ragged;
  ragged.world_size = 10;
  ragged.hybrid_cp = true;
  const megatron::group_set runs(ragged);
  CHECK(advance_in_words(runs, runs.family("HYBRID_DP_CP_GROUP_4")) == "consecutive");

  megatron::options one;
  CHECK(rule(megatron::group_set(one), "DATA_PARALLEL_GROUP") == "the only rank");
  CHECK(rule(megatron::group_set(one), "EMBEDDING_GROUP") == "the only member of one PIPELINE_MODEL_PARALLEL_GROUP");
  CHECK(rule(megatron::group_set(one), "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP") ==
        "all members of one EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP");
  one.world_size = 8;
  CHECK(rule(megatron::group_set(one), "DATA_PARALLEL_GROUP") == "all ranks");
  one.cp = 4;
  one.hierarchical_cp = {4, 1};
  CHECK(rule(megatron::group_set(one), "HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L1") == "one member of one CONTEXT_PARALLEL_GROUP");
}

TEST_CASE("members of a group, cut in the middle") {
  const megatron::group_set set = example();
  const auto& f = set.family("TENSOR_AND_CONTEXT_PARALLEL_GROUP");
  CHECK(members_text(f, 1) == "8 9 10 11 12 13 14 15");
  CHECK(members_text(f, 1, 4) == "8 9 10 ... 15");
  CHECK(members_text(f, 1, 3) == "8 9 ... 15");
}
