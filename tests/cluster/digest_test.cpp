#include <topoplan/cluster/digest.hpp>
#include <topoplan/cluster/presets.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

using topoplan::cluster;
using topoplan::digest;

TEST_SUITE_BEGIN("cluster/digest");

TEST_CASE("what a placement depends on changes the digest") {
  const cluster c = topoplan::make_cluster("dgx-h100:40");
  std::set<std::uint64_t> seen{digest(c)};
  const std::function<void(cluster&)> changes[] = {
      [](cluster& x) { x.hosts[3].name = "other"; },
      [](cluster& x) { x.hosts[3].address = "10.0.0.3"; },
      [](cluster& x) { x.hosts[3].leaf = 1; },
      [](cluster& x) { x.hosts[3].cordoned = true; },
      [](cluster& x) { x.hosts[3].model = 1; },
      [](cluster& x) { std::swap(x.hosts[3].name, x.hosts[4].name); },
      [](cluster& x) { x.gpus[5].health = topoplan::gpu_health::unhealthy; },
      [](cluster& x) { x.gpus[5].domain = topoplan::domain_id{1}; },
      [](cluster& x) { x.gpus[5].rail = 1; },
      [](cluster& x) { x.gpus[5].numa = -1; },
      [](cluster& x) { x.gpus[5].index = 6; },
      [](cluster& x) { x.rails = 9; },
      [](cluster& x) { x.domains = 41; },
      [](cluster& x) { x.tiers[0].oversubscription = 2; },
      [](cluster& x) { x.tiers[0].sharp = true; },
      [](cluster& x) { x.tiers[0].nodes[1].parent = 1; },
      [](cluster& x) { x.tiers.pop_back(); },
      [](cluster& x) { x.gpu_models[0] = "B200"; },
      [](cluster& x) { x.fabric = topoplan::fabric_kind::roce; },
      [](cluster& x) { x.nvlink.rate.value += 1; },
      [](cluster& x) { x.pcie.rate.value += 1; },
      [](cluster& x) { x.nic.latency.value = 1e-6; },
      [](cluster& x) { x.uuid.assign(x.gpus.size(), "a"); },
      [](cluster& x) { x.pci.assign(x.gpus.size(), "a"); },
      [](cluster& x) { x.hosts.pop_back(); },
  };
  std::size_t count = 1;
  for (const auto& change : changes) {
    cluster x = c;
    change(x);
    seen.insert(digest(x));
    CHECK(seen.size() == ++count);
  }
}

TEST_CASE("what people call things doesn't") {
  const cluster c = topoplan::make_cluster("gb200-nvl72:2");
  cluster x = c;
  x.name = "my cluster";
  x.notes.push_back("a note");
  x.domain_names.clear();
  x.tiers[0].name = "rack";
  x.tiers[0].nodes[0].name = "r";
  x.tiers[0].from = {};
  x.nic.from = {};
  CHECK(digest(x) == digest(c));
}

TEST_CASE("the value is the same on every machine") {
  CHECK(digest(topoplan::make_cluster("dgx-h100:4")) == 7941233051033716173U);
}
