#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/validate.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using topoplan::cluster;
using topoplan::domain_id;
using topoplan::host_id;

TEST_SUITE_BEGIN("cluster/validate");

TEST_CASE("each invariant, broken alone, is named") {
  struct breakage {
    std::string_view spec;
    std::function<void(cluster&)> break_it;
    std::string_view says;
  };
  constexpr std::string_view dgx = "dgx-h100:40";
  constexpr std::string_view nvl = "gb200-nvl72:2";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const breakage cases[] = {
      {dgx, [](cluster& c) { c = cluster{}; }, "a cluster has at least one host"},
      {dgx, [](cluster& c) { c.gpu_models.clear(); }, "gpu_models is empty"},
      {dgx, [](cluster& c) { c.hosts[3].name.clear(); }, "host 3 has no name"},
      {dgx, [](cluster& c) { c.hosts[3].name = "dgx-0002"; }, "hosts 1 and 3 are both named 'dgx-0002'"},
      {dgx, [](cluster& c) { c.hosts[3].gpu_count = 0; }, "host 3 ('dgx-0004') has no GPU"},
      {dgx, [](cluster& c) { c.hosts[3].first_gpu = 25; }, "host 3 ('dgx-0004') begins at GPU 25, the host before it ends at 24"},
      {dgx, [](cluster& c) { c.hosts[3].model = 1; }, "host 3 ('dgx-0004') has GPU model 1, but there are 1"},
      {dgx, [](cluster& c) { c.gpus.pop_back(); }, "the hosts hold 320 GPUs, but gpus lists 319"},
      {dgx, [](cluster& c) { c.hosts.back().gpu_count = 7; }, "the hosts hold 319 GPUs, but gpus lists 320"},
      {dgx, [](cluster& c) { c.rails = 0; }, "rails is 0"},
      {dgx, [](cluster& c) { c.gpus[9].host = host_id{2}; }, "GPU 1 of host 1 ('dgx-0002') says that it is on host 2"},
      {dgx, [](cluster& c) { c.gpus[9].index = 2; }, "GPU 1 of host 1 ('dgx-0002') says that its index is 2"},
      {dgx, [](cluster& c) { c.gpus[9].domain = domain_id{40}; },
       "GPU 1 of host 1 ('dgx-0002') says domain 40, but there are 40"},
      {dgx, [](cluster& c) { c.gpus[9].rail = 8; }, "GPU 1 of host 1 ('dgx-0002') says rail 8, but there are 8"},
      {dgx, [](cluster& c) { c.gpus[9].numa = -2; }, "GPU 1 of host 1 ('dgx-0002') says NUMA node -2"},
      {dgx, [](cluster& c) { c.domains = 41; }, "domain 40 has no GPU"},
      {dgx, [](cluster& c) { c.gpus[9].domain = domain_id{0}; },
       "domain 0 spans hosts, but host 1 ('dgx-0002') has GPUs of another domain too"},
      {nvl, [](cluster& c) { c.gpus[73].domain = domain_id{0}; },
       "domain 1 spans hosts, but host 18 ('rack02-tray01') has GPUs of another domain too"},
      {nvl,
       [](cluster& c) {
         c.domains = 3;
         c.domain_names.clear();
         c.gpus[73].domain = domain_id{2};
       },
       "domain 1 spans hosts, but host 18 ('rack02-tray01') has GPUs of another domain too"},
      {dgx, [](cluster& c) { c.tiers.clear(); }, "tiers is empty"},
      {dgx, [](cluster& c) { c.tiers[1].name.clear(); }, "tier 1 has no name"},
      {dgx, [](cluster& c) { c.tiers[1].nodes.clear(); }, "group 0 of tier 0 ('leaf') has parent 0, but there are 0"},
      {dgx, [](cluster& c) { c.tiers[0].nodes.clear(); }, "tier 0 ('leaf') has no groups"},
      {dgx, [](cluster& c) { c.tiers[0].oversubscription = 0; }, "tier 0 ('leaf') has oversubscription"},
      {dgx, [&](cluster& c) { c.tiers[0].oversubscription = nan; }, "tier 0 ('leaf') has oversubscription"},
      {dgx, [](cluster& c) { c.tiers[0].nodes[1].parent = 1; }, "group 1 of tier 0 ('leaf') has parent 1, but there are 1"},
      {dgx, [](cluster& c) { c.hosts[3].leaf = 2; }, "host 3 ('dgx-0004') is in leaf group 2, but there are 2"},
      {dgx, [](cluster& c) { c.nvlink.rate = {}; }, "nvlink has rate 0, but a domain holds several GPUs"},
      {dgx, [](cluster& c) { c.nic.rate = {}; }, "nic has rate 0, but there are several hosts"},
      {dgx,
       [](cluster& c) {
         c.pcie.rate = {};
         c.domains = 41;
         c.gpus[4].domain = domain_id{40};
       },
       "pcie has rate 0, but a host holds several domains"},
      {dgx, [&](cluster& c) { c.pcie.rate.value = infinity; }, "pcie has a rate that isn't a positive number"},
      {dgx, [](cluster& c) { c.nic.rate.value = -1; }, "nic has a rate that isn't a positive number"},
      {dgx, [&](cluster& c) { c.nvlink.latency.value = nan; }, "nvlink has a latency that isn't a number of seconds"},
      {dgx, [](cluster& c) { c.domain_names = {"a"}; }, "domain_names has 1 entries for 40 domains"},
      {dgx, [](cluster& c) { c.uuid = {"a"}; }, "uuid has 1 entries for 320 GPUs"},
      {dgx, [](cluster& c) { c.pci.resize(321); }, "pci has 321 entries for 320 GPUs"},
      {dgx,
       [](cluster& c) {
         c.uuid.resize(320);
         c.uuid[7] = c.uuid[9] = "GPU-1";
       },
       "GPUs 7 and 9 have the same UUID 'GPU-1'"},
  };
  for (const breakage& b : cases) {
    cluster c = topoplan::make_cluster(b.spec);
    REQUIRE_FALSE(validate(c).has_value());
    b.break_it(c);
    CAPTURE(b.says);
    const std::string found = validate(c).value_or("nothing");
    CAPTURE(found);
    CHECK(found.find(b.says) == 0);
  }
}

TEST_CASE("what is legal although unusual") {
  cluster pairs = topoplan::make_cluster("dgx-h100:2");
  for (auto& g : pairs.gpus) g.domain = domain_id{g.host.value * 4 + g.index / 2U};
  pairs.domains = 8;
  CHECK(validate(pairs).value_or("") == "");

  cluster lone = topoplan::make_cluster("dgx-h100:1");
  for (auto& g : lone.gpus) g.domain = domain_id{g.index};
  lone.domains = 8;
  lone.nvlink = {};
  lone.nic = {};
  CHECK(validate(lone).value_or("") == "");

  cluster bare = topoplan::make_cluster("dgx-h100:1");
  bare.pcie = {};
  bare.uuid.resize(8);
  CHECK(validate(bare).value_or("") == "");
}
