#include <topoplan/cluster/validate.hpp>
#include <topoplan/import/compose.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/slurm_topology.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"
#include "support/random.hpp"

using namespace topoplan_test;
using topoplan::cluster;
using topoplan::confidence;
using topoplan::host_id;
using topoplan::invalid_argument;
using topoplan::import::compose;
using topoplan::import::compose_options;
using topoplan::import::host_list;
using topoplan::import::hostfile;
using topoplan::import::network_tree;
using topoplan::import::node_topology;
using topoplan::import::nvidia_smi_topo;
using topoplan::import::slurm_topology;

namespace {

node_topology node(const std::string& name) { return nvidia_smi_topo(data_file("topo/" + name + ".txt"), name); }
node_topology example_node() { return nvidia_smi_topo(example_file("topo.txt"), "topo.txt"); }
network_tree network(std::string_view text) { return slurm_topology(text, "net"); }
host_list list(std::string_view text) { return hostfile(text, "hosts"); }

cluster checked(const node_topology& n, const std::optional<network_tree>& net, const host_list& hosts = {},
                const compose_options& options = {}) {
  auto c = compose(n, net, hosts, options);
  CHECK(validate(c) == std::nullopt);
  CHECK(c.gpus.size() == c.hosts.size() * n.gpus.size());
  return c;
}

bool noted(const cluster& c, std::string_view part) {
  return std::any_of(c.notes.begin(), c.notes.end(), [&](const auto& note) { return note.find(part) != std::string::npos; });
}

// "leaf1/spine1/core" of a host.
std::string tiers_of(const cluster& c, std::size_t h) {
  std::string out;
  for (std::size_t t = 0; t < c.tiers.size(); ++t) {
    out += (t == 0 ? "" : "/") + c.tiers[t].nodes[c.ancestor(host_id{static_cast<std::uint32_t>(h)}, t)].name;
  }
  return out;
}

void refused(const node_topology& n, const std::optional<network_tree>& net, const host_list& hosts,
             const compose_options& options, const char* part) {
  CHECK_THROWS_WITH_AS(compose(n, net, hosts, options), doctest::Contains(part), invalid_argument);
}

}  // namespace

TEST_SUITE_BEGIN("import/compose");

TEST_CASE("the example: a node, a network and an allocation") {
  const auto net = slurm_topology(example_file("topology.conf"), "topology.conf");
  const auto hosts = hostfile(example_file("hosts.txt"), "hosts.txt");
  const auto c = checked(example_node(), net, hosts, {"h100-sxm", 400});
  CHECK(c.name == "topo.txt + topology.conf + hosts.txt");
  CHECK(c.hosts.size() == 24);
  CHECK(c.domains == 24);
  CHECK(c.rails == 8);
  CHECK(c.gpu_models == std::vector<std::string>{"H100-SXM 80GB"});
  for (std::size_t h = 0; h < 24; ++h) {
    CHECK(c.hosts[h].name == hosts.hosts[h].name);
    for (std::uint32_t g = 0; g < 8; ++g) {
      const auto& seat = c.gpus[c.hosts[h].first_gpu + g];
      CHECK(seat.domain.value == h);
      CHECK(seat.rail == g);
      CHECK(seat.numa == static_cast<int>(g / 4));
    }
  }
  CHECK(tiers_of(c, 0) == "leaf4/spine2/core");
  CHECK(c.tiers[0].name == "leaf");
  CHECK(c.tiers[1].name == "pod");
  CHECK(c.tiers[2].name == "core");
  std::vector<std::size_t> of_leaf(4, 0);
  for (const auto& h : c.hosts) ++of_leaf[h.leaf];
  std::sort(of_leaf.begin(), of_leaf.end());
  CHECK(of_leaf == std::vector<std::size_t>{4, 5, 7, 8});
  CHECK(c.nvlink.rate.gigabytes() == doctest::Approx(450));
  CHECK(c.nvlink.from.how == confidence::catalogue);
  CHECK(c.nic.rate.gigabits() == doctest::Approx(400));
  CHECK(c.nic.from.how == confidence::given);
  CHECK(c.tiers[1].from.how == confidence::assumed);
  CHECK(noted(c, "8 of 32 hosts aren't in the allocation"));
}

TEST_CASE("without --gpu and --nic the rates are assumed") {
  const auto c = checked(example_node(), std::nullopt, list("a b"));
  CHECK(c.nvlink.from.how == confidence::assumed);
  CHECK(c.nvlink.rate.gigabytes() == doctest::Approx(450));
  CHECK(c.pcie.from.how == confidence::assumed);
  CHECK(c.nic.from.how == confidence::assumed);
  CHECK(c.gpu_models.front() == "unknown GPU");
  CHECK(c.tiers.size() == 1);
  CHECK(c.tiers[0].from.how == confidence::assumed);
  CHECK(c.hosts[1].name == "b");
}

TEST_CASE("without an allocation the network's hosts are taken, in its order") {
  const auto c = checked(example_node(), network("SwitchName=l Nodes=b[1-2],a\n"));
  CHECK(c.hosts.size() == 3);
  CHECK(c.hosts[2].name == "a");
  CHECK(c.tiers.size() == 1);
  CHECK(c.tiers[0].nodes[0].name == "l");
  CHECK(c.tiers[0].from.source.find("net") != std::string::npos);
}

TEST_CASE("names match short against full, in any case, or are refused") {
  const auto net = network("SwitchName=l Nodes=GPU-1.x.example,gpu-2,gpu-3.x.example,gpu-3.y.example\n");
  const auto c = checked(example_node(), net, list("gpu-2.x.example\ngpu-1\n"));
  CHECK(c.hosts[0].name == "gpu-2.x.example");
  refused(example_node(), net, list("gpu-1\ngpu-7\n"), {}, "1 of 2 hosts of hosts aren't in net: gpu-7 (hosts:2)");
  refused(example_node(), net, list("n[1-9]"), {}, "n5 (hosts:1) and 4 more");
  refused(example_node(), net, list("gpu-3"), {},
          "hosts:1: host gpu-3 may be gpu-3.x.example or gpu-3.y.example of net; give the full name");
  refused(example_node(), net, list("gpu-1\ngpu-1.x.example\n"), {},
          "hosts:2: gpu-1.x.example and gpu-1 (hosts:1) are one host by their names; give full names if they aren't");
  refused(example_node(), std::nullopt, {}, {},
          "no hosts: neither an allocation (--hosts) nor a network (--network) nor NVLink domains (--domains) name any");
}

TEST_CASE("switches that carry none of the allocation are dropped, tiers end where all hosts meet") {
  const auto net = slurm_topology(data_file("slurm/unbalanced.conf"), "net");
  const auto all = checked(example_node(), net);
  CHECK(all.tiers.size() == 3);
  CHECK(tiers_of(all, 0) == "old1/old1/core");  // hangs on the core directly
  CHECK(tiers_of(all, 6) == "leaf01/hall/core");
  const auto hall = checked(example_node(), net, list("gpu09,gpu01"));
  CHECK(hall.tiers.size() == 2);
  CHECK(tiers_of(hall, 0) == "leaf02/hall");
  CHECK(hall.tiers[0].nodes.size() == 2);
  const auto leaf = checked(example_node(), net, list("gpu01,gpu02"));
  CHECK(leaf.tiers.size() == 1);
  CHECK(tiers_of(leaf, 1) == "leaf01");
}

TEST_CASE("hosts under different roots have no path to each other") {
  const auto c = checked(example_node(), slurm_topology(data_file("slurm/two-roots.conf"), "net"));
  CHECK(c.tiers.back().nodes.size() == 2);
  CHECK(tiers_of(c, 0) == "n1/north");
  CHECK(tiers_of(c, 8) == "lone/lone");
  CHECK(noted(c, "2 switches have none above them"));
}

TEST_CASE("groups that a source leaves unjoined for want of a label are taken to be joined above") {
  auto net = network("SwitchName=l1 Nodes=a\nSwitchName=l2 Nodes=b\n");
  net.whole = false;
  const auto c = checked(example_node(), net, list("a b"));
  REQUIRE(c.tiers.size() == 2);
  CHECK(c.tiers[1].nodes.size() == 1);
  CHECK(c.tiers[1].from.how == confidence::assumed);
  CHECK(c.ancestor(host_id{0}, 1) == c.ancestor(host_id{1}, 1));
}

TEST_CASE("two hosts meet at the tier of their lowest common switch, on random trees and allocations") {
  topoplan_test::random random(17);
  for (int round = 0; round < 200; ++round) {
    // A random forest: switch i hangs on a later one, or on none; those without children carry hosts.
    const auto count = static_cast<std::uint32_t>(1 + random.below(12));
    network_tree net;
    net.source = "net";
    net.switches.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      auto& s = net.switches[i];
      s.name = "s" + std::to_string(i);
      if (i + 1 < count && random.below(8) != 0) s.parent = static_cast<std::uint32_t>(random.between(i + 1, count - 1));
      if (s.parent) net.switches[*s.parent].level = std::max(net.switches[*s.parent].level, s.level + 1);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (net.switches[i].level > 0) continue;
      for (auto n = 1 + random.below(3); n > 0; --n) net.hosts.push_back({"h" + std::to_string(net.hosts.size()), i, 1});
    }
    host_list hosts{"hosts", {}};
    std::vector<std::uint32_t> taken;
    for (std::uint32_t h = 0; h < net.hosts.size(); ++h) {
      if (random.below(3) != 0) taken.push_back(h);
    }
    if (taken.empty()) taken.push_back(0);
    random.shuffle(taken);
    for (const auto h : taken) hosts.hosts.push_back({net.hosts[h].name, 1, {}});
    const auto c = checked(node("pairs-annotated"), net, hosts);
    for (std::size_t a = 0; a < taken.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        auto meets = std::numeric_limits<std::size_t>::max();
        for (std::optional<std::uint32_t> s = net.hosts[taken[a]].leaf; s; s = net.switches[*s].parent) {
          for (std::optional<std::uint32_t> r = net.hosts[taken[b]].leaf; r; r = net.switches[*r].parent) {
            if (*s == *r) meets = std::min<std::size_t>(meets, net.switches[*s].level);
          }
        }
        for (std::size_t t = 0; t < c.tiers.size(); ++t) {
          const bool same =
              c.ancestor(host_id{static_cast<std::uint32_t>(a)}, t) == c.ancestor(host_id{static_cast<std::uint32_t>(b)}, t);
          REQUIRE(same == (t >= meets));
        }
        REQUIRE((meets == std::numeric_limits<std::size_t>::max() || meets < c.tiers.size()));
      }
    }
    for (const auto& tier : c.tiers) {  // nothing stands empty
      for (std::uint32_t n = 0; n < tier.nodes.size(); ++n) {
        bool used = false;
        for (const auto h : c.all_hosts()) used = used || c.ancestor(h, static_cast<std::size_t>(&tier - c.tiers.data())) == n;
        REQUIRE(used);
      }
    }
  }
}

TEST_CASE("NVLink domains inside a host") {
  const auto pairs = checked(node("pairs-annotated"), std::nullopt, list("a b"));
  CHECK(pairs.domains == 4);
  CHECK(pairs.gpus[2].domain.value == 1);
  CHECK(pairs.gpus[4].domain.value == 2);
  CHECK(pairs.rails == 2);
  CHECK(pairs.nic.rate.gigabits() == doctest::Approx(200));  // a NIC for two GPUs
  CHECK(pairs.fabric == topoplan::fabric_kind::unknown);
  const auto none = checked(node("padded-blanks"), std::nullopt, list("a"), {"l40s", 200});
  CHECK(none.domains == 3);
  CHECK(none.fabric == topoplan::fabric_kind::roce);
  const auto off =
      checked(nvidia_smi_topo("\tGPU0\tGPU1\tGPU2\nGPU0\t X \tSYS\tNV18\nGPU1\tSYS\t X \tSYS\nGPU2\tNV18\tSYS\t X \n", "t"),
              std::nullopt, list("a"), {"h100-sxm", 400});
  CHECK(off.domains == 2);
  CHECK(off.gpus[0].domain == off.gpus[2].domain);
  CHECK(off.gpus[1].domain.value == 1);
  CHECK(noted(off, "t:3: GPU1 has no NVLink"));
}

TEST_CASE("domains that the matrix can't show are refused, never guessed") {
  const auto hosts = list("a b");
  refused(node("grace-tray"), std::nullopt, hosts, {}, "GPU0...GPU3 are joined by NV18, and look like a tray of an NVL72 rack");
  refused(node("grace-tray"), std::nullopt, hosts, {"gb200", 400}, "GB200 has NVLink domains of 72 GPUs");
  refused(nvidia_smi_topo("\tGPU0\nGPU0\t X \n", "t"), std::nullopt, hosts, {"gb200", 400}, "GPU0 is alone, and GB200 has");
  refused(node("peers-only"), std::nullopt, hosts, {}, "the text doesn't show whether the GPUs are joined by NVLink");
  refused(node("peers-only"), std::nullopt, hosts, {"h100-sxm", 400}, "the text doesn't show whether");
  CHECK(checked(node("peers-only"), std::nullopt, hosts, {"l40s", 400}).domains == 8);
  refused(node("mesh-glued-header-soc"), std::nullopt, hosts, {}, "form a mesh in which not every pair is joined");
  refused(node("tail-only"), std::nullopt, hosts, {}, "the NVLinks of GPU0...GPU3 are shown in part");
  // The same matrix on x86 with a product that ends at its host is a domain of four.
  CHECK(checked(node("grace-tray"), std::nullopt, hosts, {"h100-sxm", 400}).domains == 2);
}

TEST_CASE("inputs that disagree are named") {
  refused(example_node(), std::nullopt, list("a"), {"a100-sxm", 400},
          "--gpu and topo.txt disagree: A100-SXM 80GB has 12 NVLinks, topo.txt:2 shows NV18");
  refused(example_node(), std::nullopt, list("a"), {"l40s", 400}, "L40S 48GB has no NVLink, topo.txt:2 shows NV18");
  refused(example_node(), std::nullopt, list("a"), {"h1000", 400}, "unknown GPU 'h1000'");
  refused(example_node(), std::nullopt, list("a slots=16"), {}, "hosts:1: a has 16 slots, and topo.txt shows 8 GPUs a host");
  refused(example_node(), std::nullopt, list("a"), {"", -1}, "--nic is a rate in Gb/s");
  refused(example_node(), std::nullopt, list("a"), {"", std::numeric_limits<double>::quiet_NaN()}, "--nic is a rate in Gb/s");
  refused(example_node(), std::nullopt, list("n[1-600000]"), {}, "more than 4194304 GPUs");
  CHECK(noted(checked(example_node(), std::nullopt, list("a slots=4\nb slots=8\n")), "1 hosts have fewer slots than GPUs"));
}

TEST_CASE("NVLinks that are down lower the rate and are said") {
  const auto c = checked(node("one-pair-narrower"), std::nullopt, list("a"), {"h100-sxm", 400});
  CHECK(c.nvlink.rate.gigabytes() == doctest::Approx(450.0 * 16 / 18));
  CHECK(c.nvlink.from.how == confidence::derived);
  CHECK(noted(c, "shows NV16, H100-SXM 80GB has 18 NVLinks: 2 are down or unused"));
  CHECK(noted(c, "different numbers of NVLinks"));
  const auto direct = nvidia_smi_topo(
      "\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\t X \tNV4\tNV4\tNV4\nGPU1\tNV4\t X \tNV4\tNV4\nGPU2\tNV4\tNV4\t X "
      "\tNV4\nGPU3\tNV4\tNV4\tNV4\t X \n",
      "t");
  CHECK(checked(direct, std::nullopt, list("a"), {"a100-sxm", 400}).nvlink.rate.gigabytes() == doctest::Approx(300));
  CHECK(checked(direct, std::nullopt, list("a")).nvlink.rate.gigabytes() == doctest::Approx(300));
}

TEST_CASE("rails that can't be told count as one, and are said") {
  const auto c = checked(node("rows-missing"), std::nullopt, list("a"), {"", 400});
  CHECK(c.rails == 1);
  CHECK(c.nic.from.how == confidence::assumed);
  CHECK(noted(c, "the rails can't be told, all GPUs count as on one: the NIC nearest to GPU3 isn't shown"));
  CHECK(noted(checked(node("equally-near-pairs"), std::nullopt, list("a")), "paired in order"));
  CHECK(checked(node("colours-blank-affinities"), std::nullopt, list("a")).gpus[0].numa == -1);
  CHECK(checked(node("colours-blank-affinities"), std::nullopt, list("a")).gpus[1].numa == 3);
}

TEST_CASE("whatever is read composes to a valid cluster, or is refused") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  const auto corpus = [&](const std::string& name) {
    return nvidia_smi_topo(import::read_file(folder + "/corpus/nvidia-smi-topo/" + name), name);
  };
  refused(corpus("gb200-tray-4gpu.txt"), std::nullopt, list("a"), {}, "look like a tray of an NVL72 rack");
  refused(corpus("dgx1-v100-8gpu-4hca-tabs.txt"), std::nullopt, list("a"), {}, "form a mesh");
  refused(corpus("sxm-8gpu-10nic-all-sys.txt"), std::nullopt, list("a"), {"h200-sxm", 400}, "doesn't show whether");
  const auto off = checked(corpus("b200-8gpu-one-gpu-off-nvlink-no-header.txt"), std::nullopt, list("a"), {"b200", 400});
  CHECK(off.domains == 2);
  CHECK(off.gpus[2].domain.value == 1);
  CHECK(checked(corpus("h200nvl-4gpu-2nic-rails-annotated.txt"), std::nullopt, list("a"), {"", 400}).domains == 2);
  CHECK(checked(corpus("polaris-4gpu-2hca-no-tab-header.txt"), std::nullopt, list("a"), {"a100-sxm-40gb", 100}).domains == 1);
}

TEST_SUITE_END();
