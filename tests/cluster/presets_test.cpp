#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/validate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.hpp"

using topoplan::cluster;
using topoplan::cluster_spec;
using topoplan::confidence;
using topoplan::domain_id;
using topoplan::gpu_id;
using topoplan::host_id;
using topoplan::make_cluster;

namespace {

// The post-condition of make_cluster, over all hosts and GPUs.
void check_make_cluster(const cluster_spec& spec) {
  const cluster c = make_cluster(spec);
  const topoplan::system_model& system = topoplan::find_system(spec.product);
  const topoplan::fabric_design design = topoplan::design_fabric(spec);
  CAPTURE(c.name);
  CHECK(validate(c).value_or("") == "");
  CHECK(c.name == to_string(spec));
  CHECK(c == make_cluster(c.name));
  REQUIRE(c.hosts.size() == std::size_t{spec.count} * system.hosts_per_domain);
  CHECK(c.gpus.size() == c.hosts.size() * system.gpus_per_host);
  CHECK(c.domains == spec.count);
  CHECK(c.rails == design.rails);
  REQUIRE(c.tiers.size() == design.layers.size());
  bool sorted = true, right = true;
  for (const host_id h : c.all_hosts()) {
    if (h.value > 0) sorted = sorted && c.hosts[h.value - 1].name < c.at(h).name && c.hosts[h.value - 1].leaf <= c.at(h).leaf;
    for (const gpu_id g : c.gpus_of(h)) {
      right = right && c.at(g).domain == domain_id{h.value / system.hosts_per_domain} && c.at(g).rail < c.rails;
    }
    std::uint32_t group = h.value;
    for (std::size_t t = 0; t < c.tiers.size(); ++t) {
      group /= design.layers[t].children;
      right = right && c.ancestor(h, t) == group;
    }
  }
  CHECK(sorted);
  CHECK(right);
  CHECK(c.tiers.back().nodes.size() == 1);
  for (std::size_t t = 0; t < c.tiers.size(); ++t) {
    CHECK(c.tiers[t].oversubscription == design.layers[t].oversubscription);
    CHECK(c.tiers[t].nodes.size() == design.layers[t].groups);
  }
}

}  // namespace

TEST_SUITE_BEGIN("cluster/presets");

TEST_CASE("dgx-h100:128 as a person would describe it") {
  const cluster c = topoplan::presets::dgx_h100(128);
  CHECK(c == make_cluster("dgx-h100:128"));
  CHECK(c.hosts.size() == 128);
  CHECK(c.gpus.size() == 1024);
  CHECK(c.domains == 128);
  CHECK(c.rails == 8);
  CHECK(c.hosts.front().name == "dgx-0001");
  CHECK(c.hosts.back().name == "dgx-0128");
  CHECK(c.gpu_models == std::vector<std::string>{"H100-SXM 80GB"});
  CHECK(c.fabric == topoplan::fabric_kind::infiniband);
  CHECK(c.nvlink.rate.gigabytes() == 450);
  CHECK(c.nic.rate.gigabits() == 400);
  CHECK(c.nic.from.how == confidence::catalogue);
  REQUIRE(c.tiers.size() == 2);
  CHECK(c.tiers[0].name == "leaf");
  CHECK(c.tiers[0].nodes.size() == 4);
  CHECK(c.tiers[1].name == "pod");
  CHECK(c.tiers[0].from.how == confidence::catalogue);
  CHECK(c.notes.empty());
  for (const gpu_id g : c.all_gpus()) {
    REQUIRE(c.at(g).rail == c.at(g).index);
    REQUIRE(c.at(g).numa == c.at(g).index / 4);
  }
}

TEST_CASE("gb200-nvl72:16: trays are hosts, racks are domains and leaf groups") {
  const cluster c = topoplan::presets::gb200_nvl72(16);
  CHECK(c.hosts.size() == 288);
  CHECK(c.gpus.size() == 1152);
  CHECK(c.domains == 16);
  CHECK(c.rails == 4);
  CHECK(c.hosts[0].name == "rack01-tray01");
  CHECK(c.hosts[17].name == "rack01-tray18");
  CHECK(c.hosts[18].name == "rack02-tray01");
  CHECK(c.name_of(domain_id{15}) == "rack16");
  REQUIRE(c.tiers.size() == 3);
  CHECK(c.tiers[0].nodes.size() == 16);
  CHECK(c.tiers[1].nodes.size() == 2);
  CHECK(c.tiers[2].name == "core");
  CHECK(c.nvlink.rate.gigabytes() == 900);
  CHECK(c.at(gpu_id{2}).numa == 1);
}

TEST_CASE("figures and structures that nobody published are marked, never silent") {
  const auto noted = [](std::string_view spec, std::string_view words) {
    const cluster c = make_cluster(spec);
    return std::any_of(c.notes.begin(), c.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
  };
  CHECK(noted("gb300-nvl72:8", "assumed"));
  CHECK(noted("dgx-a100:20", "assumed"));
  CHECK(noted("aws-p5:16", "isn't published"));
  CHECK(noted("hgx-h100:32", "assumed"));
  CHECK(noted("dgx-h100:4096", "extrapolated"));
  CHECK(make_cluster("dgx-h100:4096").tiers[0].from.how == confidence::extrapolated);
  CHECK(make_cluster("gb300-nvl72:8").tiers[0].from.how == confidence::assumed);
}

TEST_CASE("options change what they say") {
  const cluster c = make_cluster("hgx-h100:96 leaf=32 oversubscription=2 fabric=roce names=gpu-");
  CHECK(c.hosts[95].name == "gpu-0096");
  CHECK(c.fabric == topoplan::fabric_kind::roce);
  CHECK(c.tiers[0].oversubscription == 2);
  CHECK(c.tiers[0].nodes.size() == 3);
  CHECK(c.tiers[1].oversubscription == 1);
  CHECK(make_cluster("dgx-h100:8 rails=4").at(gpu_id{5}).rail == 2);
  CHECK(make_cluster("gb200-nvl72:2 names=su1-r").hosts[18].name == "su1-r02-tray01");
  CHECK(make_cluster("gb200-nvl72:4 leaf=2").tiers[0].nodes.size() == 2);
  CHECK(make_cluster("aws-p4d:2").at(gpu_id{5}).rail == 2);
}

TEST_CASE("every product builds at several sizes") {
  topoplan_test::random rng(3);
  for (const topoplan::system_model& s : topoplan::system_catalogue()) {
    const std::uint32_t counts[] = {1, 2, 31, static_cast<std::uint32_t>(rng.between(33, 300))};
    for (const std::uint32_t count : counts) check_make_cluster({.product = std::string(s.name), .count = count});
  }
  check_make_cluster({.product = "dgx-b200", .count = 1000, .oversubscription = {1, 4}});
  check_make_cluster({.product = "dgx-h100", .count = 100, .leaf = 7, .rails = 2, .names = "n"});
}

TEST_CASE("sizes that no cluster has are refused") {
  CHECK_THROWS_WITH_AS((void)topoplan::presets::dgx_h100(0), "dgx-h100:0: a spec makes 1 to 16777216 GPUs, this is 0",
                       topoplan::invalid_argument);
  CHECK_THROWS_AS((void)topoplan::presets::dgx_h100(2097153), topoplan::invalid_argument);
  CHECK_THROWS_AS((void)make_cluster({.product = "cray-1", .count = 1}), topoplan::invalid_argument);
  CHECK_THROWS_AS((void)make_cluster("dgx-h100:0"), topoplan::parse_error);
}

TEST_CASE("a million GPUs: names need no memory of their own, and building and checking are fast") {
  const auto start = std::chrono::steady_clock::now();
  const cluster c = make_cluster("dgx-h100:131072");
  const auto built = std::chrono::steady_clock::now();
  CHECK_FALSE(validate(c).has_value());
  const auto checked = std::chrono::steady_clock::now();
  CHECK(c.gpus.size() == 1048576);
  CHECK(c.hosts.back().name == "dgx-131072");
  const std::size_t inside = std::string().capacity();
  CHECK(std::all_of(c.hosts.begin(), c.hosts.end(), [&](const auto& h) { return h.name.capacity() <= inside; }));
  for (const auto& tier : c.tiers)
    CHECK(std::all_of(tier.nodes.begin(), tier.nodes.end(), [&](const auto& n) { return n.name.capacity() <= inside; }));
  const cluster racks = make_cluster("gb200-nvl72:2000");
  CHECK(std::all_of(racks.hosts.begin(), racks.hosts.end(), [&](const auto& h) { return h.name.capacity() <= inside; }));
  CHECK(sizeof(topoplan::gpu) == 16);
  CHECK(sizeof(topoplan::host) <= 80);
  using ms = std::chrono::duration<double, std::milli>;
  MESSAGE("built in " << ms(built - start).count() << " ms, checked in " << ms(checked - built).count() << " ms");
}
