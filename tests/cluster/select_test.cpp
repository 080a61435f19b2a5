#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/select.hpp>
#include <topoplan/cluster/validate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.hpp"

using topoplan::cluster;
using topoplan::gpu_health;
using topoplan::gpu_id;
using topoplan::host_id;
using topoplan::make_cluster;

namespace {

std::string message_of(auto&& call) {
  try {
    (void)call();
  } catch (const topoplan::invalid_argument& e) {
    return e.what();
  }
  return "no exception";
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The post-condition of select_hosts: everything about the named hosts is as before, but for numbers.
void check_select(const cluster& c, const std::vector<std::string>& names) {
  const cluster s = topoplan::select_hosts(c, names);
  CHECK(validate(s).value_or("") == "");
  REQUIRE(s.hosts.size() == names.size());
  CHECK(s.tiers.size() == c.tiers.size());
  std::map<std::uint32_t, std::uint32_t> domain;
  std::vector<std::map<std::uint32_t, std::uint32_t>> group(c.tiers.size());
  std::uint32_t seen = 0;
  for (std::uint32_t h = 0; h < names.size(); ++h) {
    const host_id now{h};
    const host_id old = *topoplan::find_host(c, names[h]);
    REQUIRE(s.at(now).name == names[h]);
    CHECK(s.at(now).address == c.at(old).address);
    CHECK(s.at(now).cordoned == c.at(old).cordoned);
    REQUIRE(s.at(now).gpu_count == c.at(old).gpu_count);
    for (std::uint32_t i = 0; i < s.at(now).gpu_count; ++i) {
      const std::uint32_t g = s.at(now).first_gpu + i, f = c.at(old).first_gpu + i;
      CHECK(s.gpus[g].health == c.gpus[f].health);
      CHECK(s.gpus[g].rail == c.gpus[f].rail);
      CHECK(s.gpus[g].numa == c.gpus[f].numa);
      if (!c.uuid.empty()) CHECK(s.uuid[g] == c.uuid[f]);
      if (!c.pci.empty()) CHECK(s.pci[g] == c.pci[f]);
      const auto [at, fresh] = domain.emplace(c.gpus[f].domain.value, s.gpus[g].domain.value);
      CHECK(at->second == s.gpus[g].domain.value);
      if (fresh) CHECK(at->second == seen++);
      if (!c.domain_names.empty()) CHECK(s.name_of(s.gpus[g].domain) == c.name_of(c.gpus[f].domain));
    }
    for (std::size_t t = 0; t < c.tiers.size(); ++t) {
      const auto [at, fresh] = group[t].emplace(c.ancestor(old, t), s.ancestor(now, t));
      CHECK(at->second == s.ancestor(now, t));
      if (fresh) CHECK(at->second + 1 == group[t].size());
      CHECK(s.tiers[t].nodes[at->second].name == c.tiers[t].nodes[at->first].name);
    }
  }
  CHECK(s.domains == domain.size());
  for (std::size_t t = 0; t < c.tiers.size(); ++t) CHECK(s.tiers[t].nodes.size() == group[t].size());
}

}  // namespace

TEST_SUITE_BEGIN("cluster/select");

TEST_CASE("the allocation's order is the order of the hosts; domains and groups that are gone are gone") {
  const cluster c = make_cluster("dgx-h100:128");
  const std::vector<std::string> names{"dgx-0128", "dgx-0001", "dgx-0127"};
  const cluster s = topoplan::select_hosts(c, names);
  CHECK(s.hosts[0].name == "dgx-0128");
  CHECK(s.hosts[1].name == "dgx-0001");
  CHECK(s.domains == 3);
  CHECK(s.tiers[0].nodes.size() == 2);
  CHECK(s.tiers[0].nodes[0].name == "leaf4");
  CHECK(s.hosts[2].leaf == 0);
  CHECK(s.notes.back() == "3 of the 128 hosts of dgx-h100:128");
}

TEST_CASE("part of an NVL72 rack stays one domain") {
  const cluster c = make_cluster("gb200-nvl72:2");
  const std::vector<std::string_view> names{"rack02-tray03", "rack01-tray01", "rack02-tray01"};
  const cluster s = topoplan::select_hosts(c, names);
  CHECK(s.domains == 2);
  CHECK(s.gpus[0].domain == s.gpus[8].domain);
  CHECK(s.name_of(s.gpus[0].domain) == "rack02");
}

TEST_CASE("random allocations of random clusters") {
  topoplan_test::random rng(17);
  for (const char* spec : {"dgx-h100:100 leaf=7", "gb200-nvl72:20", "dgx-b200:600", "aws-p5:10", "gb200-nvl72:1"}) {
    cluster c = make_cluster(spec);
    for (auto& h : c.hosts) h.address = h.name + ".example";
    for (std::size_t g = 0; g < c.gpus.size(); ++g) {
      if (rng.below(2) == 0) c.gpus[g].health = rng.below(9) == 0 ? gpu_health::unhealthy : gpu_health::ok;
      c.uuid.push_back("GPU-" + std::to_string(g));
      c.pci.push_back("0000:" + std::to_string(g % 8) + ":00.0");
    }
    c.hosts[0].cordoned = true;
    for (int i = 0; i < 5; ++i) {
      std::vector<std::string> names;
      for (const auto& h : c.hosts) names.push_back(h.name);
      rng.shuffle(names);
      names.resize(rng.between(1, names.size()));
      check_select(c, names);
    }
  }
}

TEST_CASE("selecting every host in its order changes nothing") {
  for (const char* spec : {"dgx-h100:100", "gb200-nvl72:9"}) {
    const cluster c = make_cluster(spec);
    std::vector<host_id> all;
    for (const host_id h : c.all_hosts()) all.push_back(h);
    CHECK(topoplan::select_hosts(c, all) == c);
  }
}

TEST_CASE("unknown, repeated and no hosts are refused by name") {
  const cluster c = make_cluster("dgx-h100:16");
  using list = std::vector<std::string>;
  const std::string unknown = message_of([&] { return topoplan::select_hosts(c, list{"dgx-0001", "dgx-0017", "login"}); });
  CHECK(contains(unknown, "dgx-h100:16 has no host 'dgx-0017' (did you mean dgx-0007, dgx-0010, dgx-0011?), 'login'"));
  CHECK(contains(message_of([&] { return topoplan::select_hosts(c, list{"dgx-0001", "dgx-0002", "dgx-0001"}); }),
                 "host 'dgx-0001' is named twice"));
  CHECK(contains(message_of([&] { return topoplan::select_hosts(c, list{}); }), "no host of dgx-h100:16 is selected"));
  const std::string many = message_of([&] { return topoplan::select_hosts(c, list{"u1", "u2", "u3", "u4", "u5", "u6", "u7"}); });
  CHECK(contains(many, "'u5' and 2 more"));
  CHECK(contains(message_of([&] { return topoplan::exclude_hosts(c, list{"dgx-17"}); }), "no host 'dgx-17'"));
}

TEST_CASE("exclude_hosts keeps the others in their order") {
  const cluster c = make_cluster("dgx-h100:40");
  const std::vector<std::string> out{"dgx-0039", "dgx-0001"};
  const cluster s = topoplan::exclude_hosts(c, out);
  CHECK(s.hosts.size() == 38);
  CHECK(s.hosts.front().name == "dgx-0002");
  CHECK(s.hosts.back().name == "dgx-0040");
  std::vector<std::string> all;
  for (const auto& h : c.hosts) all.push_back(h.name);
  CHECK(contains(message_of([&] { return topoplan::exclude_hosts(c, all); }), "all 40 hosts of dgx-h100:40 are excluded"));
  CHECK(topoplan::exclude_hosts(c, std::vector<std::string>{}) == c);
}

TEST_CASE("an unhealthy GPU and a cordoned host hold no rank") {
  const cluster c = make_cluster("dgx-h100:4");
  const cluster hurt = topoplan::mark_unhealthy(c, "dgx-0003", 5);
  CHECK(usable_gpus(c) == 32);
  CHECK(usable_gpus(hurt) == 31);
  CHECK_FALSE(hurt.usable(gpu_id{2 * 8 + 5}));
  CHECK(usable_gpus(topoplan::cordon_hosts(hurt, std::vector<std::string>{"dgx-0001"})) == 23);
  CHECK(contains(message_of([&] { return topoplan::mark_unhealthy(c, "dgx-0003", 8); }),
                 "host 'dgx-0003' has no GPU 8; it has 8, counted from 0"));
  CHECK(contains(message_of([&] { return topoplan::mark_unhealthy(c, "dgx-3", 0); }), "no host 'dgx-3'"));
}

TEST_CASE("find_host") {
  const cluster c = make_cluster("dgx-h100:4");
  CHECK(topoplan::find_host(c, "dgx-0003") == host_id{2});
  CHECK_FALSE(topoplan::find_host(c, "dgx-3").has_value());
}
