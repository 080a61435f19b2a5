#include <topoplan/layout/megatron_options.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "support/megatron_reference.hpp"

namespace megatron = topoplan::megatron;

namespace {

// The message that refuses the options; empty if they are taken.
std::string refusal(const megatron::options& o) {
  try {
    static_cast<void>(megatron::derive(o));
  } catch (const topoplan::invalid_argument& e) {
    return e.what();
  }
  return {};
}

megatron::options with(void (*change)(megatron::options&)) {
  megatron::options o;
  o.world_size = 32;
  o.tp = 2;
  o.pp = 2;
  change(o);
  return o;
}

}  // namespace

TEST_CASE("everything that Megatron-LM refuses is refused, by rule and numbers") {
  const std::map<std::string, std::string> expected{
      {"x000", "world size 10 isn't divisible by tp*cp*pp = 4*1*1 = 4"},
      {"x001", "world size 16 isn't divisible by expert_tp*ep*pp = 2*3*1 = 6"},
      {"x002", "order tp-dp-pp doesn't name cp, and cp is 2"},
      {"x003", "order tp-cp-dp-pp doesn't name ep, and ep is 2"},
      {"x004", "dp*cp = 8 isn't divisible by 3 distributed-optimizer instances"},
      {"x005", "expert_dp = 1 isn't divisible by 2 distributed-optimizer instances"},
      {"x006",
       "gtp_remat 2 and expert_gtp_remat 1 don't go with 2 distributed-optimizer instances: Megatron-LM wants either the sizes "
       "or the instances to be 1"},
      {"x007", "vpp is 2 and pp is 1; an interleaved schedule needs a pp above 1"},
      {"x008", "the sizes of hierarchical context parallelism multiply to 2*2 = 4, and cp is 8"},
      {"x009", "hybrid context parallelism needs an even dp*cp, and dp*cp = 3*3 = 9"},
      {"x010",
       "order pp-tp-cp-dp-ep doesn't end in pp, and then Megatron-LM wants dp 4 and expert_dp 2 to be equal: make tp*cp = 2*1 = "
       "2 and expert_tp*ep = 2*2 = 4 equal, or let the order end in pp"},
      {"x011",
       "order cp-pp-tp-ep-dp puts pipeline stages 2 ranks apart for dense layers and 1 for experts, and Megatron-LM wants the "
       "same pipeline groups; let the order end in pp"},
      {"x012", "order cp-dp-pp doesn't name tp, which Megatron-LM needs in every order"},
      {"x013",
       "order tp-cp-pp-ep-dp puts pipeline stages 8 ranks apart for dense layers and 2 for experts, and Megatron-LM wants the "
       "same pipeline groups; let the order end in pp"},
      {"x014", "world size 8 isn't divisible by tp*cp*pp = 3*1*1 = 3"},
      {"x015", "world size 72 isn't divisible by tp*cp*pp = 16*1*1 = 16"},
      {"x016", "world size 64 isn't divisible by expert_tp*ep*pp = 8*8*2 = 128"},
      {"x017",
       "order tp-cp-ep-pp-dp doesn't end in pp, and then Megatron-LM wants dp 1 and expert_dp 2 to be equal: make tp*cp = 4*2 = "
       "8 and expert_tp*ep = 4*1 = 4 equal, or let the order end in pp"},
      {"x018",
       "order tp-cp-ep-pp-dp doesn't end in pp, and then Megatron-LM wants dp 2 and expert_dp 4 to be equal: make tp*cp = 8*2 = "
       "16 and expert_tp*ep = 8*1 = 8 equal, or let the order end in pp"},
      {"x019",
       "order tp-cp-ep-pp-dp doesn't end in pp, and then Megatron-LM wants dp 4 and expert_dp 1 to be equal: make tp*cp = 4*1 = "
       "4 and expert_tp*ep = 4*4 = 16 equal, or let the order end in pp"},
      {"x020",
       "order tp-pp-cp-dp doesn't end in pp, and then Megatron-LM wants dp 4 and expert_dp 8 to be equal: make tp*cp = 4*2 = 8 "
       "and expert_tp*ep = 4*1 = 4 equal, or let the order end in pp"},
      {"x021",
       "order pp-tp-cp-dp-ep doesn't end in pp, and then Megatron-LM wants dp 4 and expert_dp 8 to be equal: make tp*cp = 2*2 = "
       "4 and expert_tp*ep = 2*1 = 2 equal, or let the order end in pp"},
      {"x022",
       "order tp-cp-ep-pp-dp doesn't end in pp, and then Megatron-LM wants dp 8 and expert_dp 2 to be equal: make "
       "tp*cp*gtp_remat = 2*1*4 = 8 and expert_tp*ep*expert_gtp_remat = 1*16*2 = 32 equal, or let the order end in pp"},
      {"x023", "order cp-dp-pp doesn't name tp, which Megatron-LM needs in every order"},
      {"x024", "order tp-cp-pp-dp doesn't name ep, and ep is 3"},
      {"x025", "order 'tp-cp-ep-dp-xx' holds 'xx'; an order is made of tp, cp, ep, dp and pp, such as tp-cp-ep-dp-pp"}};
  const auto& cases = topoplan_test::megatron_reference().at("error_cases");
  CHECK(cases.size() == 26);
  CHECK(expected.size() == 26);
  for (const auto& c : cases) {
    const std::string id = c.at("id").get<std::string>();
    CAPTURE(id);
    std::string message;
    try {
      message = refusal(topoplan_test::megatron_options(c.at("args")));
    } catch (const topoplan::invalid_argument& e) {  // the order itself
      message = e.what();
    }
    CHECK(message == expected.at(id));
  }
}

TEST_CASE("nothing that Megatron-LM takes is refused") {
  for (const auto& c : topoplan_test::megatron_reference().at("cases")) {
    CAPTURE(c.at("id").get<std::string>());
    CHECK(refusal(topoplan_test::megatron_options(c.at("args"))).empty());
  }
}

TEST_CASE("what Megatron-LM takes and gets wrong is refused as well") {
  CHECK_THROWS_WITH_AS(topoplan::order("tp-cp-tp-dp-pp"), "order 'tp-cp-tp-dp-pp' names tp twice", topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS(topoplan::order("tp-gtp_remat-cp-ep-dp-pp"), doctest::Contains("holds 'gtp_remat'"),
                       topoplan::invalid_argument);
  using o = megatron::options;
  CHECK(refusal(with([](o& x) { x.tp = 0; })) == "tp is 0; a degree is at least 1");
  CHECK(refusal(with([](o& x) { x.ep = 0; })) == "ep is 0; a degree is at least 1");
  CHECK(refusal(with([](o& x) { x.gtp_remat = 0; })) == "gtp_remat is 0; a degree is at least 1");
  CHECK(refusal(with([](o& x) { x.dist_opt_instances = 0; })) ==
        "there are 0 distributed-optimizer instances; there is at least 1");
  CHECK(refusal(with([](o& x) { x.vpp = 0; })) == "vpp is 0; leave it out for a schedule without virtual stages");
  CHECK(refusal(with([](o& x) { x.hierarchical_cp = {0}; })) ==
        "the sizes of hierarchical context parallelism multiply to 0 = 0, and cp is 1");
  CHECK(refusal(with([](o& x) { x.world_size = 0; })) == "world size 0 from rank 0 on is outside 1 ... 2147483648 ranks");
  CHECK(refusal(with([](o& x) { x.rank_offset = 1ULL << 31U; })) ==
        "world size 32 from rank 2147483648 on is outside 1 ... 2147483648 ranks");
  CHECK(refusal(with([](o& x) { x.tp = x.cp = 1U << 20U; })) ==
        "world size 32 isn't divisible by tp*cp*pp = 1048576*1048576*2 = more than 2147483648");
  CHECK(refusal(with([](o& x) { x.dist_opt_instances = 2, x.expert_gtp_remat = 2; })) ==
        "gtp_remat 1 and expert_gtp_remat 2 don't go with 2 distributed-optimizer instances: Megatron-LM wants either the sizes "
        "or the instances to be 1");
  CHECK(refusal(with([](o& x) { x.order = topoplan::order("tp-cp-ep-pp"); })) ==
        "order tp-cp-ep-pp doesn't name dp, and dp is 8");
  CHECK(refusal(with([](o& x) {
          x.order = topoplan::order("tp-cp-ep-pp");
          x.cp = 8;
        })) == "order tp-cp-ep-pp doesn't name dp, and expert_dp is 8");
}

TEST_CASE("the grids of dense layers and experts: where gtp_remat goes") {
  const auto text = [](const char* order) {
    megatron::options o;
    o.world_size = 96;
    o.tp = 2;
    o.gtp_remat = 2;
    o.expert_gtp_remat = 3;
    o.order = topoplan::order(order);
    const megatron::derived_degrees d = megatron::derive(o);
    return dense_grid(o, d).str() + " / " + expert_grid(o, d).str();
  };
  CHECK(text("tp-cp-ep-dp-pp") ==
        "tp 2 x gtp_remat 2 x cp 1 x dp 24 x pp 1 / expert_tp 2 x ep 1 x expert_gtp_remat 3 x expert_dp 16 x pp 1");
  CHECK(text("cp-tp-dp-ep-pp") ==
        "cp 1 x tp 2 x gtp_remat 2 x dp 24 x pp 1 / expert_tp 2 x expert_dp 16 x ep 1 x expert_gtp_remat 3 x pp 1");
  CHECK(text("tp-dp") ==
        "tp 2 x gtp_remat 2 x dp 24 x cp 1 x pp 1 / expert_tp 2 x expert_gtp_remat 3 x expert_dp 16 x ep 1 x pp 1");
}

TEST_CASE("the options of a layout") {
  const topoplan::layout l(topoplan::resolve({.tp = 4, .cp = 2, .ep = 4, .expert_tp = 2, .pp = 2}, 64),
                           topoplan::orders::megatron_tp_pp_dp);
  const megatron::options o = megatron::options_for(l);
  CHECK(o.world_size == 64);
  CHECK(o.order == topoplan::orders::megatron_tp_pp_dp);
  CHECK(megatron::derive(o) == megatron::derived_degrees{4, 2, 4});
}
