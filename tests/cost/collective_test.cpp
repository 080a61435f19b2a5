#include <topoplan/cluster/presets.hpp>
#include <topoplan/cost/collective.hpp>
#include <topoplan/cost/group_shape.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/link_table.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "support/random.hpp"

namespace {

using namespace topoplan;

constexpr double mib = 1048576;
constexpr double gib = 1024 * mib;
constexpr collective all[] = {collective::all_reduce, collective::all_gather, collective::reduce_scatter, collective::all_to_all,
                              collective::send_recv};

// As many ranks on each of as many hosts that are a domain each.
group_shape hosts_of(std::uint32_t hosts, std::uint32_t each) {
  group_shape g;
  g.ranks = hosts * each;
  g.per_domain = g.per_host = each;
  g.domains = g.hosts = hosts;
  return g;
}

group_shape racks_of(std::uint32_t racks, std::uint32_t each) {
  group_shape g = hosts_of(racks, each);
  g.per_host = 4;
  g.hosts = g.ranks / 4;
  return g;
}

double bus_gigabytes(const interconnect& x, collective what, double bytes, const group_shape& g) {
  return collective_time(x, what, bytes, g).bus_bandwidth / 1e9;
}

interconnect of(const char* spec) { return interconnect_of(make_cluster(spec)); }

TEST_CASE("bus bandwidth follows nccl-tests") {
  CHECK(bus_factor(collective::all_reduce, 8) == doctest::Approx(1.75));
  CHECK(bus_factor(collective::all_gather, 8) == doctest::Approx(0.875));
  CHECK(bus_factor(collective::reduce_scatter, 2) == doctest::Approx(0.5));
  CHECK(bus_factor(collective::all_to_all, 4) == doctest::Approx(0.75));
  CHECK(bus_factor(collective::send_recv, 2) == 1);
  const interconnect x = of("dgx-h100:4");
  for (const collective what : all) {
    const collective_cost c = collective_time(x, what, gib, hosts_of(4, 8));
    CHECK(c.seconds == collective_seconds(x, what, gib, hosts_of(4, 8)));
    CHECK(c.bus_bandwidth == doctest::Approx(bus_factor(what, 32) * gib / c.seconds));
  }
}

TEST_CASE("an all-reduce between domains of a family without a row for NVSwitches takes a time") {
  link_facts f;
  f.family = link_family::pcie;
  f.nvlink_rate = 300e9;
  const double seconds = collective_seconds(interconnect_of(f), collective::all_reduce, gib, hosts_of(2, 8));
  CHECK(std::isfinite(seconds));
  CHECK(seconds > 0);
}

TEST_CASE("one rank or no bytes take no time") {
  const interconnect x = of("dgx-h100:4");
  for (const collective what : all) {
    CHECK(collective_seconds(x, what, gib, group_shape{}) == 0);
    CHECK(collective_seconds(x, what, 0, group_in_domain(8)) == 0);
    CHECK(collective_time(x, what, gib, group_shape{}).by == algorithm::none);
    CHECK(collective_time(x, what, gib, group_shape{}).bus_bandwidth == 0);
  }
}

TEST_CASE("published measurements, within what the notes call the noise") {
  const interconnect h200 = of("dgx-h200:16");
  CHECK(bus_gigabytes(h200, collective::all_reduce, 8 * gib, group_in_domain(8)) == doctest::Approx(480).epsilon(0.05));
  CHECK(bus_gigabytes(h200, collective::all_gather, 8 * gib, group_in_domain(8)) == doctest::Approx(361).epsilon(0.06));
  CHECK(bus_gigabytes(h200, collective::reduce_scatter, 8 * gib, group_in_domain(8)) == doctest::Approx(363).epsilon(0.08));
  const interconnect h100 = of("dgx-h100:256");
  CHECK(bus_gigabytes(h100, collective::all_reduce, 8 * gib, hosts_of(2, 8)) == doctest::Approx(468).epsilon(0.08));
  CHECK(bus_gigabytes(h100, collective::all_reduce, 8 * gib, hosts_of(4, 8)) == doctest::Approx(365).epsilon(0.05));
  CHECK(bus_gigabytes(h100, collective::all_reduce, 8 * gib, hosts_of(248, 8)) == doctest::Approx(370).epsilon(0.1));
  const interconnect b200 = of("hgx-b200:2 fabric=roce");
  CHECK(bus_gigabytes(b200, collective::all_reduce, 16 * gib, hosts_of(2, 8)) == doctest::Approx(718).epsilon(0.05));
  const interconnect gb200 = of("gb200-nvl72:20");
  CHECK(bus_gigabytes(gb200, collective::all_reduce, 16 * gib, racks_of(2, 64)) == doctest::Approx(676).epsilon(0.1));
  CHECK(bus_gigabytes(gb200, collective::all_reduce, 16 * gib, racks_of(20, 72)) == doctest::Approx(406).epsilon(0.2));
  CHECK(collective_seconds(h100, collective::all_reduce, 1024, hosts_of(2, 8)) == doctest::Approx(30e-6).epsilon(0.1));
  CHECK(collective_seconds(h100, collective::all_reduce, 1024, hosts_of(16, 8)) == doctest::Approx(74e-6).epsilon(0.15));
}

TEST_CASE("an all-to-all of two GB300 racks collapses, an all-reduce doesn't") {
  const interconnect x = of("gb300-nvl72:2");
  const double inside = bus_gigabytes(x, collective::all_to_all, 8 * gib, group_in_domain(64));
  CHECK(inside == doctest::Approx(667).epsilon(0.05));
  CHECK(bus_gigabytes(x, collective::all_to_all, 8 * gib, racks_of(2, 64)) == doctest::Approx(47).epsilon(0.05));
  CHECK(bus_gigabytes(x, collective::all_reduce, 8 * gib, racks_of(2, 64)) > 600);
}

TEST_CASE("NVLS carries large all-reduces of the families and groups that have it, and nothing else") {
  const auto by = [](const char* spec, collective what, double bytes, std::uint32_t ranks) {
    return collective_time(of(spec), what, bytes, group_in_domain(ranks)).by;
  };
  CHECK(by("dgx-h100:1", collective::all_reduce, gib, 8) == algorithm::nvls);
  CHECK(by("dgx-h100:1", collective::all_reduce, gib, 5) == algorithm::nvls);
  CHECK(by("dgx-h100:1", collective::all_reduce, gib, 4) == algorithm::ring);
  CHECK(by("dgx-h100:1", collective::all_reduce, 4096, 8) == algorithm::ring);
  CHECK(by("dgx-b200:1", collective::all_reduce, gib, 6) == algorithm::nvls);
  CHECK(by("dgx-b200:1", collective::all_reduce, gib, 5) == algorithm::ring);
  CHECK(by("gb200-nvl72:1", collective::all_reduce, gib, 72) == algorithm::nvls);
  CHECK(by("dgx-a100:1", collective::all_reduce, gib, 8) == algorithm::ring);
  CHECK(by("dgx-h100:1", collective::all_gather, gib, 8) == algorithm::ring);
  CHECK(by("dgx-h100:1", collective::reduce_scatter, gib, 8) == algorithm::ring);
  CHECK(by("dgx-h100:1", collective::all_to_all, gib, 8) == algorithm::direct);
}

TEST_CASE("one rank a domain: plain rings at one NIC's rate, without the bonus of two domains") {
  const interconnect x = of("dgx-h100:64");
  for (const std::uint32_t k : {2U, 3U, 4U, 16U, 64U}) {
    const double seconds = collective_seconds(x, collective::all_reduce, 64 * gib, hosts_of(k, 1));
    CHECK(seconds == doctest::Approx(2.0 * (k - 1) / k * 64 * gib / 50e9 / 0.94).epsilon(0.03));
    CHECK(collective_time(x, collective::all_reduce, gib, hosts_of(k, 1)).by == algorithm::ring);
  }
  // With eight ranks a domain, two domains send half of what four do.
  const double two = collective_seconds(x, collective::all_reduce, 64 * gib, hosts_of(2, 8));
  const double four = collective_seconds(x, collective::all_reduce, 64 * gib, hosts_of(4, 8));
  CHECK(four / two > 1.25);
  // HDR's measurements show no such bonus.
  const interconnect hdr = of("dgx-a100:4");
  CHECK(bus_gigabytes(hdr, collective::all_reduce, 8 * gib, hosts_of(2, 8)) ==
        doctest::Approx(bus_gigabytes(hdr, collective::all_reduce, 8 * gib, hosts_of(4, 8))).epsilon(0.05));
}

TEST_CASE("oversubscription, shared NICs and hashed flows slow the wires in proportion") {
  const interconnect x = of("dgx-h100:64");
  const double bytes = 256 * gib;  // latency and ramp don't show
  for (const collective what : all) {
    const bool exchange = what == collective::all_to_all;
    const group_shape alone = hosts_of(16, 8);
    group_shape loaded = alone;
    const bool tree = what == collective::all_reduce && collective_time(x, what, bytes, alone).by == algorithm::tree;
    double& own = exchange ? loaded.exchange_load : tree ? loaded.tree_load : loaded.ring_load;
    double& other = exchange || tree ? loaded.ring_load : loaded.exchange_load;
    own = 7;
    const double base = collective_seconds(x, what, bytes, alone);
    CHECK(collective_seconds(x, what, bytes, loaded) == doctest::Approx(7 * base).epsilon(0.03));
    own = 0.9;
    other = 7;  // the other pattern's load doesn't count
    CHECK(collective_seconds(x, what, bytes, loaded) == base);
    group_shape sharing = alone;
    sharing.nic_share = 0.5;
    CHECK(collective_seconds(x, what, bytes, sharing) == doctest::Approx(2 * base).epsilon(0.03));
  }
  fabric_properties hashed;
  hashed.paths = path_choice::ecmp;
  hashed.equal_paths = 8;
  hashed.flows_per_path = 16;
  const interconnect ecmp = interconnect_of(make_cluster("dgx-h100:64"), hashed);
  CHECK(ecmp.slow_down == doctest::Approx(1 + std::sqrt(2 * std::log(8.0) / 16)));
  CHECK(collective_seconds(ecmp, collective::all_gather, bytes, hosts_of(16, 8)) ==
        doctest::Approx(ecmp.slow_down * collective_seconds(x, collective::all_gather, bytes, hosts_of(16, 8))).epsilon(0.02));
  CHECK(collective_time(ecmp, collective::all_gather, bytes, hosts_of(16, 8)).known == evidence::assumed);
}

TEST_CASE("SHARP helps all-reduces of many domains only, and is called assumed") {
  cluster c = make_cluster("dgx-h100:64");
  const interconnect without = interconnect_of(c);
  c.tiers[0].sharp = true;
  const interconnect with = interconnect_of(c);
  const group_shape g = hosts_of(16, 8);
  CHECK(collective_time(with, collective::all_reduce, 8 * gib, g).by == algorithm::sharp);
  CHECK(collective_time(with, collective::all_reduce, 8 * gib, g).known == evidence::assumed);
  CHECK(collective_seconds(without, collective::all_reduce, 64 * gib, g) /
            collective_seconds(with, collective::all_reduce, 64 * gib, g) ==
        doctest::Approx(1.26).epsilon(0.05));
  CHECK(collective_seconds(with, collective::all_gather, gib, g) == collective_seconds(without, collective::all_gather, gib, g));
  CHECK(collective_time(with, collective::all_reduce, 8 * gib, hosts_of(2, 8)).by == algorithm::tree);
  CHECK(collective_seconds(interconnect_of(c, {.sharp = false}), collective::all_reduce, gib, g) ==
        collective_seconds(without, collective::all_reduce, gib, g));
}

TEST_CASE("PCIe between the GPUs of a host, the network between hosts without NVLink") {
  link_facts f;
  f.family = link_family::pcie;
  f.host_rate = 63e9;
  f.nic_rate = 50e9;
  f.fabric = fabric_class::roce;
  const interconnect x = interconnect_of(f);
  group_shape g;
  g.ranks = g.domains = 8;
  g.per_host = 8;
  CHECK(tier_of(x, g) == link_tier::host);
  CHECK(bus_gigabytes(x, collective::all_gather, gib, g) == doctest::Approx(63 * 0.37).epsilon(0.03));
  g.ranks = g.domains = 16;
  g.hosts = 2;
  CHECK(tier_of(x, g) == link_tier::network);
  // Eight NICs a host leave the network faster than PCIe inside.
  CHECK(bus_gigabytes(x, collective::all_gather, 16 * gib, g) == doctest::Approx(63 * 0.37).epsilon(0.05));
}

TEST_CASE("time rises with bytes, with ranks of rings, and with domains; it is finite") {
  topoplan_test::random numbers(4);
  const char* specs[] = {"dgx-h100:512", "dgx-a100:512", "dgx-b200:512",   "gb200-nvl72:32",
                         "aws-p5:512",   "aws-p4d:64",   "gcp-a3-mega:64", "isambard-ai:64"};
  for (const char* spec : specs) {
    const interconnect x = of(spec);
    for (const collective what : all)
      for (int round = 0; round < 40; ++round) {
        const auto k = static_cast<std::uint32_t>(1U << numbers.below(9));
        const auto d = static_cast<std::uint32_t>(numbers.between(1, x.facts.domain));
        group_shape g = hosts_of(k, d);
        if (g.ranks < 2) continue;
        g.ring_load = static_cast<double>(numbers.below(8));
        g.tree_load = static_cast<double>(numbers.below(8));
        g.exchange_load = static_cast<double>(numbers.below(8));
        CAPTURE(spec);
        CAPTURE(k);
        CAPTURE(d);
        CAPTURE(to_string(what));
        double before = 0;
        for (double bytes = 1; bytes < 2e11; bytes *= 1.7) {
          const double seconds = collective_seconds(x, what, bytes, g);
          REQUIRE(std::isfinite(seconds));
          REQUIRE(seconds > before);
          before = seconds;
        }
        CHECK(before < 2e11 * 2 / 1e8);  // at least 100 MB/s a NIC
        if (k >= 2) {
          group_shape wider = hosts_of(2 * k, d);
          wider.ring_load = g.ring_load;
          wider.tree_load = g.tree_load;
          wider.exchange_load = g.exchange_load;
          const double bytes = std::pow(10.0, static_cast<double>(numbers.between(3, 10)));
          CHECK(collective_seconds(x, what, bytes, wider) >= collective_seconds(x, what, bytes, g) * 0.999);
        }
      }
  }
}

TEST_CASE("extrapolation stays sane: no bandwidth beyond the links, no latency below a kernel's") {
  for (const char* spec : {"dgx-h100:512", "dgx-b200:512", "gb200-nvl72:32", "dgx-b300:256"}) {
    const interconnect x = of(spec);
    for (const std::uint32_t k : {2U, 8U, 128U, 256U})
      for (const collective what : all) {
        const group_shape g = hosts_of(k, std::min(8U, x.facts.domain));
        CHECK(collective_seconds(x, what, 1024, g) > 5e-6);
        CHECK(collective_seconds(x, what, 1024, g) < 10e-3);
        const double wire = what == collective::all_to_all || what == collective::send_recv ? 1 : 8;
        const double bonus = what == collective::all_reduce && k == 2 ? 2 : 1.2;
        CHECK(bus_gigabytes(x, what, 100e9, g) <
              wire * bonus * x.facts.nic_rate / 1e9 * (what == collective::all_to_all ? 2 : 1));
        CHECK(bus_gigabytes(x, what, 100e9, g) > 0.1 * x.facts.nic_rate / 1e9);
      }
  }
}

}  // namespace
