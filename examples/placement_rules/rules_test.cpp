// Placement rules as a platform team keeps them: for every cluster and shape that it allows, no tensor-parallel group leaves
// NVLink. A shape that can't be placed has to say so; it may never be placed wrongly.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/solve/lint.hpp>
#include <topoplan/solve/place.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace topoplan;

namespace {

// What we buy, and what breaks: the same machines with a GPU down on some of them.
std::vector<cluster> clusters() {
  std::vector<cluster> all;
  for (const char* spec : {"dgx-h100:4", "dgx-h100:12", "dgx-b200:32", "gb200-nvl72:1", "gb200-nvl72:3"}) {
    all.push_back(make_cluster(spec));
    all.push_back(all.back());
    cluster& worn = all.back();
    worn.name += ", worn";
    for (std::size_t g = 3; g < worn.gpus.size(); g += 29) worn.gpus[g].health = gpu_health::unhealthy;
    worn.hosts[1].cordoned = true;
  }
  return all;
}

// The shapes that our training configurations allow.
std::vector<degrees> shapes() {
  std::vector<degrees> all;
  for (const std::uint32_t tp : {1U, 2U, 4U, 8U})
    for (const std::uint32_t pp : {1U, 2U, 4U})
      for (const std::uint32_t cp : {1U, 2U}) all.push_back({.tp = tp, .cp = cp, .pp = pp});
  all.push_back({.tp = 2, .ep = 8, .expert_tp = 1, .pp = 2});
  all.push_back({.tp = 1, .ep = 16, .expert_tp = 1});
  return all;
}

}  // namespace

TEST_CASE("no tp group of any shape that we allow leaves NVLink") {
  int placed = 0;
  for (const cluster& c : clusters())
    for (degrees d : shapes())
      for (const launcher& by : {launchers::torchrun, launchers::slurm}) {
        // Two thirds of what is usable, in whole replicas.
        d.dp = static_cast<std::uint32_t>(usable_gpus(c) * 2 / 3 / (d.tp * d.cp * d.pp));
        const std::uint32_t experts = d.ep * (d.expert_tp == 0 ? d.tp : d.expert_tp);
        while (d.dp > 0 && d.tp * d.cp * d.dp % experts != 0) --d.dp;
        if (d.dp == 0) continue;
        CAPTURE(c.name);
        CAPTURE(d.tp);
        CAPTURE(d.cp);
        CAPTURE(d.pp);
        CAPTURE(d.ep);
        const placement p = place(c, d, orders::megatron, {.launcher = by, .moves = 0});
        if (!p) {
          CHECK_FALSE(p.why().empty());
          continue;
        }
        ++placed;
        const lint_report report = lint(c, p->rank_map, p->confined, by);
        CHECK(report.keeps(rules::tp_in_domain));
        CHECK(report.kept());
      }
  CHECK(placed > 400);
}

TEST_CASE("ep groups of 64 take a rack each, also when a tray is lost") {
  cluster c = presets::gb200_nvl72(4);
  c.hosts[20].cordoned = true;
  const degrees d{.tp = 8, .ep = 64, .expert_tp = 1, .dp = 32};
  const placement p = place(c, d, orders::megatron, {.confine = {rules::tp_in_domain, rules::ep_in_domain}});
  REQUIRE_MESSAGE(p, p.why());
  CHECK(lint(c, p->rank_map).keeps(rules::tp_in_domain));
  CHECK(lint(c, p->rank_map).keeps(rules::ep_in_domain));
}

TEST_CASE("a shape that can't keep its groups together is refused, and says why") {
  const placement p = place(presets::dgx_h100(4), {.tp = 16});
  REQUIRE_FALSE(p);
  CHECK(p.why().find("tp=domain") != std::string::npos);
  CHECK(p.why().find("largest") != std::string::npos);
}
