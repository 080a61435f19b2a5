// Tests of `topoplan groups`: the JSON against everything recorded from Megatron-LM, and the text for people.
#include "../../examples/topoplan/groups_command.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "support/megatron_reference.hpp"

using topoplan_cli::groups_options;
using topoplan_cli::run_groups;

namespace {

groups_options options_of(const nlohmann::json& args) {
  groups_options o;
  o.world_size = args.at("world_size").get<std::uint64_t>();
  o.tp = args.at("tp").get<std::uint32_t>();
  o.cp = args.at("cp").get<std::uint32_t>();
  o.ep = args.at("ep").get<std::uint32_t>();
  o.pp = args.at("pp").get<std::uint32_t>();
  if (!args.at("expt_tp").is_null()) o.expert_tp = args.at("expt_tp").get<std::uint32_t>();
  o.order = args.at("order").get<std::string>();
  o.dist_opt_instances = args.at("num_distributed_optimizer_instances").get<std::uint32_t>();
  if (const auto& sizes = args.at("hierarchical_context_parallel_sizes"); !sizes.is_null())
    o.hierarchical_cp = sizes.get<std::vector<std::uint32_t>>();
  if (!args.at("virtual_pp").is_null()) o.vpp = args.at("virtual_pp").get<std::uint32_t>();
  o.gtp_remat = args.at("gtp_remat").get<std::uint32_t>();
  o.expert_gtp_remat = args.at("expt_gtp_remat").get<std::uint32_t>();
  o.hybrid_cp = args.at("hybrid_context_parallel").get<bool>();
  o.rank_offset = args.at("rank_offset").get<std::uint64_t>();
  return o;
}

std::string printed(const groups_options& o) {
  std::ostringstream out;
  REQUIRE(run_groups(o, out) == 0);
  return out.str();
}

// The refusal; nothing may have been printed before it.
std::string refusal(const groups_options& o) {
  std::ostringstream out;
  try {
    static_cast<void>(run_groups(o, out));
  } catch (const topoplan::invalid_argument& e) {
    CHECK(out.str().empty());
    return e.what();
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

groups_options example() {
  groups_options o;
  o.world_size = 64;
  o.tp = 4;
  o.cp = 2;
  o.ep = 4;
  o.expert_tp = 2;
  o.pp = 2;
  return o;
}

// Counts what is written without keeping it.
class counting_buffer : public std::streambuf {
 public:
  std::size_t bytes = 0;
  std::size_t lines = 0;

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    bytes += static_cast<std::size_t>(size);
    lines += static_cast<std::size_t>(std::count(text, text + size, '\n'));
    return size;
  }
  int_type overflow(int_type c) override {
    ++bytes;
    return c;
  }
};

}  // namespace

TEST_CASE("the JSON document holds what Megatron-LM creates, for every recorded configuration") {
  constexpr std::array<std::pair<const char*, const char*>, 7> axes{
      {{"tp", "tp"}, {"cp", "cp"}, {"dp", "dp"}, {"pp", "pp"}, {"ep", "ep"}, {"expert_tp", "expt_tp"}, {"expert_dp", "expt_dp"}}};
  for (const auto& c : topoplan_test::megatron_reference().at("cases")) {
    CAPTURE(c.at("id").get<std::string>());
    groups_options o = options_of(c.at("args"));
    o.json = true;
    const auto document = nlohmann::json::parse(printed(o));
    CHECK(document.size() == 3);
    CHECK(document.at("groups") == c.at("groups"));
    CHECK(document.at("creation_order") == c.at("creation_order"));
    CHECK(document.at("coordinates").size() == axes.size());
    for (const auto& [ours, theirs] : axes) CHECK(document.at("coordinates").at(ours) == c.at("coords").at(theirs));
  }
}

TEST_CASE("what Megatron-LM refuses is refused before anything is printed") {
  for (const auto& c : topoplan_test::megatron_reference().at("error_cases")) {
    CAPTURE(c.at("id").get<std::string>());
    groups_options o = options_of(c.at("args"));
    const std::string message = refusal(o);
    CHECK_FALSE(message.empty());
    o.json = true;
    CHECK(refusal(o) == message);
  }
}

TEST_CASE("for a person: sizes, numbering, and each family with its use, its rule and its first groups") {
  const std::string text = printed(example());
  CHECK(holds(
      text,
      "Megatron-LM's process groups of 64 ranks, order tp-cp-ep-dp-pp\n"
      "  dense layers  tp fastest (4, consecutive), then cp (2, 4 apart), dp (4, 8 apart) and pp (2, 32 apart)\n"
      "  experts       expert_tp fastest (2, consecutive), then ep (4, 2 apart), expert_dp (4, 8 apart) and pp (2, 32 apart)\n"
      "  derived       dp 4, expert_tp 2, expert_dp 4\n"));
  CHECK(holds(text,
              "\n 2. DATA_PARALLEL_GROUP_WITH_CP (dp_cp): 8 groups of 8 ranks\n"
              "      use      ranks with the same dense weights: reduces their gradients, once a step; shards the optimizer\n"
              "      members  ranks that differ in dp and cp only, 4 apart\n"
              "      groups   [0 4 8 12 16 20 24 28] [1 5 9 13 17 21 25 29] ... [35 39 43 47 51 55 59 63]\n"));
  CHECK(holds(text,
              "\n14. EXPERT_MODEL_PARALLEL_GROUP (ep): 16 groups of 4 ranks\n"
              "      use      different experts: all-to-all sends tokens to them and back, in every MoE layer\n"
              "      members  ranks that differ in ep only, 2 apart\n"
              "      groups   [0 2 4 6] [1 3 5 7] [8 10 12 14] [9 11 13 15] [16 18 20 22] ... [57 59 61 63]\n"));
  CHECK(holds(text,
              "\n19. EXPERT_DATA_PARALLEL_GROUP (ep_dp): 16 groups of 4 ranks\n"
              "      use      replicas of the same experts: reduces their gradients, once a step\n"
              "      members  ranks that differ in expert_dp only, 8 apart\n"
              "      groups   those of 3. DATA_PARALLEL_GROUP\n"));
  CHECK(holds(text,
              "\nGroups of one rank, with nothing to exchange: GTP_WEIGHT_REMAT_GROUP, POSITION_EMBEDDING_GROUP,\n"
              "EXPERT_GTP_WEIGHT_REMAT_GROUP.\n"));
}

TEST_CASE("families whose groups only begin alike aren't called the same") {
  groups_options o;
  o.world_size = 16;
  o.tp = 2;
  o.pp = 4;
  const std::string text = printed(o);
  CHECK(holds(text, "groups   [0 12] [1 13] [2 14] [3 15]\n"));  // embeddings: ends of [0 4 8 12] and so on
  o.pp = 2;
  CHECK(holds(printed(o),
              "the first and the last member of one PIPELINE_MODEL_PARALLEL_GROUP, 8 apart\n"
              "      groups   those of 7. PIPELINE_MODEL_PARALLEL_GROUP\n"));
}

TEST_CASE("families with the same groups in another order, or the same members in another order, aren't called the same") {
  groups_options o;
  o.world_size = 32;
  o.tp = 2;
  o.cp = 4;
  o.dist_opt_instances = 4;
  std::string text = printed(o);
  CHECK(holds(text, "PARTIAL_DATA_PARALLEL_GROUP_WITH_CP (intra_dp_cp): 8 groups of 4 ranks"));
  CHECK(holds(text, "groups   [0 2 4 6] [8 10 12 14] [16 18 20 22] [24 26 28 30] [1 3 5 7] ... [25 27 29 31]\n"));
  CHECK(holds(text, "groups   [0 2 4 6] [1 3 5 7] [8 10 12 14] [9 11 13 15] [16 18 20 22] ... [25 27 29 31]\n"));
  o = groups_options{};
  o.world_size = 16;
  o.tp = 8;
  o.pp = 2;
  o.expert_tp = 1;
  text = printed(o);
  CHECK(holds(text, " 5. MODEL_PARALLEL_GROUP (mp): 1 group of 16 ranks\n"));
  CHECK(holds(text, "after another, 2 ranks 8 apart, 8 times 1 apart\n      groups   [0 8 1 9 2 10 3 ... 15]\n"));
}

TEST_CASE("slices with a shorter last run, and ranks from an offset on") {
  groups_options o;
  o.world_size = 20;
  o.tp = 2;
  o.hybrid_cp = true;
  o.rank_offset = 100;
  const std::string text = printed(o);
  CHECK(holds(text, "  ranks         100 ... 119\n"));
  CHECK(holds(text,
              " 4. HYBRID_DP_CP_GROUP_4 (dp_cp): 6 groups of up to 4 ranks\n"
              "      use      hybrid context parallelism: a sequence split over this many ranks of dp_cp\n"
              "      members  a run of 4 members of one DATA_PARALLEL_GROUP_WITH_CP, or the last 2, 2 apart\n"
              "      groups   [100 102 104 106] [108 110 112 114] [116 118] [101 103 105 107] ... [117 119]\n"));
}

TEST_CASE("--all prints every group of every family") {
  groups_options o = example();
  o.all = true;
  const std::string text = printed(o);
  const topoplan::megatron::group_set set(topoplan_cli::megatron_options(o));
  for (const auto& f : set.families()) {
    CHECK(holds(text, ". " + f.name() + " ("));
    for (std::uint32_t g = 0; g < f.size(); ++g) {
      std::string line = "\n      " + std::to_string(g) + ":";
      for (std::uint32_t i = 0; i < f.group_size(g); ++i) line += " " + std::to_string(f.member(g, i).value);
      CHECK(holds(text, line + "\n"));
    }
  }
  CHECK_FALSE(holds(text, "..."));
}

TEST_CASE("--rank shows the groups of one rank in the order of creation") {
  groups_options o = example();
  o.rank = 45;
  const std::string text = printed(o);
  CHECK(
      text.starts_with("Rank 45 of 64, order tp-cp-ep-dp-pp\n"
                       "  dense layers  tp 1, cp 1, dp 1, pp 1\n"
                       "  experts       expert_tp 1, ep 2, expert_dp 1, pp 1\n"));
  CHECK(holds(text,
              "\n 2. DATA_PARALLEL_GROUP_WITH_CP (dp_cp): group 5 of 8, member 3 of 8\n"
              "      33 37 41 [45] 49 53 57 61\n"));
  CHECK(holds(text, "\n14. EXPERT_MODEL_PARALLEL_GROUP (ep): group 11 of 16, member 2 of 4\n      41 43 [45] 47\n"));
  CHECK(holds(text, "      32 33 34 ... 43 44 [45] 46 47 ... 63\n"));  // of 32
  CHECK(holds(text, "\nAlone in: GTP_WEIGHT_REMAT_GROUP, EXPERT_GTP_WEIGHT_REMAT_GROUP.\n"));
  CHECK(holds(text, "\nIn no group of: POSITION_EMBEDDING_GROUP.\n"));
  std::size_t at = 0;
  const topoplan::megatron::group_set set(topoplan_cli::megatron_options(o));
  for (const auto& f : set.families()) {
    if (f.group_size(0) == 1) continue;
    const std::size_t found = text.find(". " + f.name() + " (", at);
    REQUIRE(found != std::string::npos);
    at = found;
  }
  o.all = true;
  CHECK(holds(printed(o), " 43 44 [45] 46 47 48 49 "));
  o.rank = 64;
  CHECK(refusal(o) == "there is no rank 64; ranks are 0 ... 63");
  o.rank_offset = 8;
  o.rank = 7;
  CHECK(refusal(o) == "there is no rank 7; ranks are 8 ... 71");
  o.rank = 8;
  CHECK(printed(o).starts_with("Rank 8 of 64"));
}

TEST_CASE("--explain says why, by key or by name") {
  groups_options o = example();
  o.explain = "ep";
  const std::string text = printed(o);
  CHECK(text ==
        "14. EXPERT_MODEL_PARALLEL_GROUP (ep): 16 groups of 4 ranks\n"
        "      Use: different experts: all-to-all sends tokens to them and back, in every MoE layer.\n"
        "      Order tp-cp-ep-dp-pp numbers the ranks of experts expert_tp fastest (2, consecutive), then ep\n"
        "      (4, 2 apart), expert_dp (4, 8 apart) and pp (2, 32 apart). Experts don't count cp: their axes\n"
        "      run over the ranks of all parts of a sequence. A group holds ranks that differ in ep only, 2\n"
        "      apart: 0 2 4 6. The next holds 1 3 5 7.\n");
  o.explain = "EXPERT_MODEL_PARALLEL_GROUP";
  CHECK(printed(o) == text);
  o.explain = "dp_cp";
  o.hybrid_cp = true;
  const std::string several = printed(o);
  CHECK(holds(several, "DATA_PARALLEL_GROUP_WITH_CP (dp_cp)"));
  CHECK(holds(several, "HYBRID_DP_CP_GROUP_4 (dp_cp)"));
  o.explain = "edp";
  CHECK(refusal(o) ==
        "Megatron-LM creates no group called 'edp' with these options; there are gtp_remat, dp_cp, dp, cp, mp, tp, pp, embd, "
        "pos_embd, tp_dp_cp, tp_dp, tp_cp, expt_gtp_remat, ep, ep_tp, tp_ep_mp, tp_ep_pp, tp_ep_gtp_remat_pp, ep_dp, "
        "intra_dist_opt_instance");
}

TEST_CASE("options that don't go together") {
  groups_options o;
  CHECK(refusal(o) == "how many ranks? Give --world-size or --dp");
  o.dp = 4;
  o.tp = 2;
  CHECK(holds(printed(o), "process groups of 8 ranks"));
  o.world_size = 16;
  CHECK(refusal(o) == "--dp 4 contradicts --world-size 16, which makes it 8");
  o.dp = 8;
  CHECK(holds(printed(o), "process groups of 16 ranks"));
  o = example();
  o.json = true;
  o.rank = 1;
  CHECK(refusal(o) == "--json prints all groups of all ranks; it doesn't go with --rank, --explain or --all");
  o.json = false;
  o.explain = "ep";
  CHECK(refusal(o) == "--rank and --explain are two questions; ask one");
  o = groups_options{};
  o.dp = o.tp = o.cp = ~0U;
  CHECK(holds(refusal(o), "is outside 1 ... 2147483648 ranks"));
}

TEST_CASE("a large world: the text stays short, the document streams") {
  groups_options o;
  o.world_size = 131072;
  o.tp = 8;
  o.pp = 8;
  o.cp = 2;
  o.ep = 8;
  o.expert_tp = 1;
  CHECK(printed(o).size() < 10000);
  o.json = true;
  counting_buffer counter;
  std::ostream out(&counter);
  CHECK(run_groups(o, out) == 0);
  CHECK(counter.lines == 1 + 20 + 1 + 20 + 1 + 7);
  CHECK(counter.bytes > 20 * 131072 * 7);
}
