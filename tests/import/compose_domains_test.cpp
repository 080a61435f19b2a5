#include <topoplan/cluster/validate.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/nvlink_domains.hpp>
#include <topoplan/import/slurm_topology.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "summary.hpp"
#include "support/random.hpp"

using namespace topoplan_test;
using import::cluster_parts;
using import::compose;
using import::domain_table;
using import::fabric_standing;
using import::hostfile;
using import::node_topology;
using import::nvidia_smi_topo;
using topoplan::cluster;
using topoplan::gpu_health;
using topoplan::invalid_argument;

namespace {

node_topology node(const std::string& name) { return nvidia_smi_topo(data_file("topo/" + name + ".txt"), name); }

// Hosts of a table by their domains: {{"a", "b"}, {"c"}}; a domain is called d0, d1, ...
domain_table table_of(const std::vector<std::vector<std::string>>& domains) {
  domain_table table;
  table.source = "domains";
  for (std::uint32_t d = 0; d < domains.size(); ++d) {
    table.domains.push_back({"d" + std::to_string(d), std::nullopt, {}});
    for (const auto& host : domains[d]) {
      table.domains.back().hosts.push_back(static_cast<std::uint32_t>(table.hosts.size()));
      table.hosts.push_back({host, d, fabric_standing::in_domain, 0, 0, table.hosts.size() + 1, {}});
    }
  }
  return table;
}

cluster_parts parts_of(node_topology n, domain_table table, std::string_view hosts = {}, std::string gpu = {}) {
  cluster_parts parts;
  parts.classes.push_back({{}, std::move(n)});
  parts.domains = std::move(table);
  if (!hosts.empty()) parts.hosts = hostfile(hosts, "hosts");
  parts.options.gpu = std::move(gpu);
  return parts;
}

// Domain of every GPU of every host: "0,0,0,0 1,1,1,1"; a GPU that takes no rank has a '!'.
std::string domains_of(const cluster& c) {
  std::string out;
  for (const auto& host : c.hosts) {
    out += out.empty() ? "" : " ";
    for (std::uint32_t g = host.first_gpu; g < host.first_gpu + host.gpu_count; ++g) {
      out += (g == host.first_gpu ? "" : ",") + std::to_string(c.gpus[g].domain.value) +
             (c.gpus[g].health == gpu_health::ok ? "" : "!");
    }
  }
  return out;
}

std::string notes_of(const cluster& c) {
  std::string out;
  for (const auto& note : c.notes) out += note + '\n';
  return out;
}

cluster checked(const cluster_parts& parts) {
  auto c = compose(parts);
  CHECK(validate(c) == std::nullopt);
  return c;
}

void refused(const cluster_parts& parts, const std::string& words) {
  CHECK_THROWS_WITH_AS((void)compose(parts), words.c_str(), invalid_argument);
}

}  // namespace

TEST_SUITE_BEGIN("import/compose_domains");

TEST_CASE("the trays of a table share the domains that it gives them") {
  const auto c = checked(parts_of(node("grace-tray"), table_of({{"a", "b"}, {"c"}}), "c B a", "gb200"));
  CHECK(domains_of(c) == "0,0,0,0 1,1,1,1 1,1,1,1");
  CHECK(c.domain_names == std::vector<std::string>{"d1", "d0"});
  CHECK(c.gpu_models.front().find("GB200") != std::string::npos);
  CHECK(notes_of(c).find("domains: NVLink domains that are short, where a whole one of GB200 has 72 GPUs: d0 (2 hosts, 8 GPUs), "
                         "d1 (1 host, 4 GPUs)") != std::string::npos);
}

TEST_CASE("without an allocation or a network the table's hosts are taken") {
  const auto c = checked(parts_of(node("grace-tray"), table_of({{"a"}, {"b"}})));
  REQUIRE(c.hosts.size() == 2);
  CHECK(c.hosts[1].name == "b");
  CHECK(c.name == "grace-tray + domains");
}

TEST_CASE("a host that is its own fabric, or has none, keeps the groups of its matrix") {
  auto table = table_of({{"a"}});
  table.domains.clear();
  table.hosts[0].domain.reset();
  for (const auto standing : {fabric_standing::own_host, fabric_standing::none, fabric_standing::not_told}) {
    CAPTURE(to_string(standing));
    table.hosts[0].standing = standing;
    const auto c = checked(parts_of(node("eight-rails"), table, "a", "h100-sxm"));
    CHECK(domains_of(c) == "0,0,0,0,0,0,0,0");
    CHECK(c.domain_names == std::vector<std::string>{"a"});
  }
  table.hosts[0].standing = fabric_standing::own_host;
  CHECK(domains_of(checked(parts_of(node("grace-tray"), table, "a", "gb200"))) == "0,0,0,0");
  for (const auto standing : {fabric_standing::none, fabric_standing::not_told}) {
    table.hosts[0].standing = standing;
    for (const std::string gpu : {"gb200", ""}) {
      CHECK_THROWS_WITH_AS((void)compose(parts_of(node("grace-tray"), table, "a", gpu)),
                           doctest::Contains("domains:1: host a doesn't say its NVLink domain ("), invalid_argument);
    }
  }
}

TEST_CASE("groups of hosts that only have a name are no proof of NVLink") {
  const auto table = table_of({{"a", "b"}});
  refused(parts_of(node("eight-rails"), table, "a b"),
          "domains:1: host a is in group d0, and eight-rails doesn't show that its NVLink leaves the host; name the product with "
          "--gpu, or, where such groups share no NVLink, leave the file out or give --domains none");
  CHECK(notes_of(checked(parts_of(node("grace-tray"), table, "a b"))).find("groups of hosts with a name, but no UUID") !=
        std::string::npos);
  auto with_key = table;
  with_key.domains[0].key = import::domain_key{"aaaaaaaa-0000-0000-0000-000000000001", 1};
  CHECK(domains_of(checked(parts_of(node("eight-rails"), with_key, "a b"))) == "0,0,0,0,0,0,0,0 0,0,0,0,0,0,0,0");
}

TEST_CASE("a host under two names is refused") {
  for (const char* list : {"a a.x", "a.x a", "A.x,a"}) {
    auto table = table_of({{"a"}});
    CHECK_THROWS_WITH_AS((void)compose(parts_of(node("grace-tray"), table, list, "gb200")),
                         doctest::Contains("are one host by their names"), invalid_argument);
  }
}

TEST_CASE("hosts that a scheduler keeps from use take no rank") {
  auto parts = parts_of(node("grace-tray"), table_of({{"a", "b", "c", "d"}}), "a b c d", "gb200");
  parts.states = import::host_states{"nodes.json", {{"a", "not ready", {}, {}, 3}, {"b.x", "", 4, 3, 9}, {"c", "", 4, 4, 12}}};
  const auto c = checked(parts);
  CHECK(c.hosts[0].cordoned);
  CHECK(c.hosts[1].cordoned);
  CHECK_FALSE(c.hosts[2].cordoned);
  CHECK_FALSE(c.hosts[3].cordoned);
  CHECK(usable_gpus(c) == 8);
  CHECK(notes_of(c).find("nodes.json:3: host a takes no rank: not ready") != std::string::npos);
  CHECK(notes_of(c).find("nodes.json:9: host b takes no rank: only 3 of 4 GPUs may be used") != std::string::npos);
  parts.states->hosts[2].gpus = 8;
  refused(parts, "nodes.json:12 and grace-tray disagree: host c has 8 GPUs there, 4 here");
}

TEST_CASE("a fabric that isn't ready is no domain, and no fabric either") {
  for (const auto& [standing, words] :
       {std::pair{fabric_standing::not_ready, "still registering"}, std::pair{fabric_standing::failed, "registering failed"}}) {
    auto table = table_of({{"a"}, {"b"}});
    table.hosts[1].domain.reset();
    table.hosts[1].standing = standing;
    const auto c = checked(parts_of(node("grace-tray"), table, "a b", "gb200"));
    CHECK(domains_of(c) == "0,0,0,0 1!,1!,1!,1!");
    CHECK(notes_of(c).find("domains:2: host b: " + std::string(words)) != std::string::npos);
  }
}

TEST_CASE("GPUs of a host that aren't on its fabric take no rank") {
  auto table = table_of({{"a"}});
  table.hosts[0].gpus = 4;
  table.hosts[0].unready = {2};
  const auto c = checked(parts_of(node("grace-tray"), table, "a", "gb200"));
  CHECK(domains_of(c) == "0,0,0!,0");
  CHECK(notes_of(c).find("1 GPU of 4 isn't on its NVLink fabric") != std::string::npos);
  table.hosts[0].gpus = 3;
  CHECK(domains_of(checked(parts_of(node("grace-tray"), table, "a", "gb200"))) == "0!,0!,0!,0!");
}

TEST_CASE("a GPU off NVLink in a domain of several hosts takes no rank") {
  auto tray = node("grace-tray");
  const auto size = tray.gpus.size() + tray.nics.size();
  for (std::size_t other = 0; other < 4; ++other) {
    if (other == 3) continue;
    tray.paths[3 * size + other] = tray.paths[other * size + 3] = {import::path_kind::sys, 0};
  }
  const auto c = checked(parts_of(tray, table_of({{"a", "b"}}), "a b", "gb200"));
  CHECK(domains_of(c) == "0,0,0,0! 0,0,0,0!");
  CHECK(notes_of(c).find("GPU3 of host a takes no rank: off the NVLink of domain d0") != std::string::npos);
}

TEST_CASE("a table tells what the matrix hides") {
  auto hidden = node("grace-tray");
  hidden.nvlink = import::nvlink_view::unknown;
  for (auto& p : hidden.paths) {
    if (p.kind == import::path_kind::nvlink) p = {import::path_kind::sys, 0};
  }
  const auto c = checked(parts_of(hidden, table_of({{"a", "b"}}), "a b", "gb200"));
  CHECK(domains_of(c) == "0,0,0,0 0,0,0,0");
  CHECK(c.nvlink.rate.gigabytes() == doctest::Approx(900));
}

TEST_CASE("table, node and allocation that disagree are named") {
  refused(parts_of(node("grace-tray"), table_of({{"a"}}), "a x"),
          "hosts:1: host x isn't in domains, which gives the NVLink domains");
  refused(parts_of(node("grace-tray"), table_of({{"a.x", "a.y"}}), "a"),
          "hosts:1: host a may be a.x or a.y of domains; give the full name");
  auto more = table_of({{"a"}});
  more.hosts[0].gpus = 8;
  refused(parts_of(node("grace-tray"), more, "a"), "domains:1 and grace-tray disagree: host a has 8 GPUs there, 4 here");
  refused(parts_of(node("eight-rails"), table_of({{"a", "b"}}), "a b", "h100-sxm"),
          "domains: with host b domain d0 has 16 GPUs, and H100-SXM 80GB has NVLink domains of 8: these groups of hosts share no "
          "NVLink; leave the file out, or give --domains none");
  refused(parts_of(node("pairs-annotated"), table_of({{"a", "b"}}), "a b"),
          "domains:1 and pairs-annotated disagree: host a is in NVLink domain d0 there, and its GPUs fall into 2 NVLink groups "
          "here, which a domain of several hosts would join; leave the file out, or give --domains none");
  auto none = node("eight-rails");
  none.nvlink = import::nvlink_view::absent;
  for (auto& p : none.paths) {
    if (p.kind == import::path_kind::nvlink) p = {import::path_kind::sys, 0};
  }
  refused(parts_of(none, table_of({{"a"}}), "a"),
          "domains:1 and eight-rails disagree: host a is in NVLink domain d0 there, and no NVLink is shown here");
}

TEST_CASE("domains gathered with pdsh, by UUID and clique") {
  const auto table = import::nvlink_domains(data_file("domains/gathered.txt"), "gathered");
  const auto c = checked(parts_of(node("grace-tray"), table, "tray-04,tray-01,tray-05", "gb200"));
  CHECK(domains_of(c) == "0,0,0,0 1,1,1,1 1,1,1,1");
}

TEST_CASE("hosts in any order fall into the domains of the table, whatever the table's order") {
  topoplan_test::random rng(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::vector<std::string>> domains(1 + rng.below(4));
    std::vector<std::pair<std::string, std::size_t>> hosts;
    for (std::size_t d = 0; d < domains.size(); ++d) {
      const auto count = 1 + rng.below(5);
      for (std::size_t i = 0; i < count; ++i) {
        domains[d].push_back("h" + std::to_string(hosts.size()));
        hosts.emplace_back(domains[d].back(), d);
      }
    }
    for (std::size_t i = hosts.size(); i > 1; --i) std::swap(hosts[i - 1], hosts[rng.below(i)]);
    std::string list;
    for (const auto& [name, d] : hosts) list += name + '\n';
    const auto c = checked(parts_of(node("grace-tray"), table_of(domains), list, "gb200"));
    CHECK(c.domains == domains.size());
    for (std::size_t a = 0; a < hosts.size(); ++a) {
      CHECK(c.domain_names[c.gpus[c.hosts[a].first_gpu].domain.value] == "d" + std::to_string(hosts[a].second));
      for (std::size_t b = 0; b < hosts.size(); ++b) {
        const bool same = c.gpus[c.hosts[a].first_gpu].domain == c.gpus[c.hosts[b].first_gpu + 3].domain;
        CHECK(same == (hosts[a].second == hosts[b].second));
      }
    }
  }
}

TEST_SUITE_END();
