#include <topoplan/cluster/fabric.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "support/random.hpp"

using topoplan::confidence;
using topoplan::count_switches;
using topoplan::design_fabric;
using topoplan::fabric_counts;
using topoplan::fabric_design;
using topoplan::parse_spec;

namespace {

fabric_design design_of(std::string_view spec) { return design_fabric(parse_spec(spec)); }
fabric_counts counts_of(std::string_view spec) { return count_switches(parse_spec(spec)); }

// Ports of a switch of that layer that lead down, when all its children are there.
std::uint64_t down_ports(const fabric_design& d, std::size_t layer) {
  if (layer == 0) {
    const std::uint64_t all = d.nics_per_host;
    const std::uint64_t nics = d.layers[0].rails_apart ? all / d.rails : all;
    return d.layers[0].children * nics * d.nic_links;
  }
  const std::uint64_t merged = d.layers[layer - 1].rails_apart && !d.layers[layer].rails_apart ? d.rails : 1;
  return d.layers[layer].children * merged * (d.layers[layer - 1].uplinks / d.layers[layer].per_bundle);
}

void check_design(const fabric_design& d) {
  REQUIRE(!d.layers.empty());
  CHECK(d.layers.back().groups == 1);
  CHECK_FALSE((d.layers.size() > 1 && d.layers.back().rails_apart));
  CHECK(d.layers.back().uplinks == 0);
  for (std::size_t l = 0; l + 1 < d.layers.size(); ++l) {
    const auto& layer = d.layers[l];
    const auto& next = d.layers[l + 1];
    CAPTURE(l);
    CHECK(layer.uplinks > 0);
    CHECK(layer.uplinks % next.per_bundle == 0);
    CHECK(next.bundles == layer.bundles * layer.per_bundle);
    CHECK(std::uint64_t{next.groups} * next.children >= layer.groups);
    CHECK(std::uint64_t{next.groups - 1} * next.children < layer.groups);
    // What comes up from below, over what leads up, is the oversubscription.
    const double below = l == 0 ? static_cast<double>(down_ports(d, 0)) * d.link_rate.value
                                : d.layers[l - 1].uplink_rate.value / layer.per_bundle *
                                      static_cast<double>(down_ports(d, l) / (d.layers[l - 1].uplinks / layer.per_bundle));
    CHECK(below / layer.uplink_rate.value == doctest::Approx(layer.oversubscription));
  }
}

}  // namespace

TEST_SUITE_BEGIN("cluster/fabric");

TEST_CASE("DGX H100: leafs and spines as the reference architecture prints them") {
  // source: reference-architecture-scalable-infrastructure-h100, network-fabrics: hosts, leafs, spines.
  CHECK(counts_of("dgx-h100:31") == fabric_counts{8, 4, 0});
  CHECK(counts_of("dgx-h100:63") == fabric_counts{16, 8, 0});
  CHECK(counts_of("dgx-h100:95") == fabric_counts{24, 16, 0});
  CHECK(counts_of("dgx-h100:127") == fabric_counts{32, 16, 0});
  CHECK(design_of("dgx-h100:31").uplinks(0) == 256);
  CHECK(design_of("dgx-h100:127").uplinks(0) == 1024);
  CHECK(design_of("dgx-h100:127").from.how == confidence::catalogue);
  CHECK(design_of("dgx-h100:128").from.how == confidence::catalogue);
  CHECK(counts_of("dgx-h100:128") == counts_of("dgx-b200:128"));
}

TEST_CASE("DGX B200: leafs, spines, cores and cables as the reference architecture prints them") {
  struct row {
    std::uint64_t units, leafs, spines, cores, leaf_spine, spine_core;
  };
  // source: reference-architecture-scalable-infrastructure-b200, dgx-superpod-architecture.
  const row rows[] = {
      {1, 8, 4, 0, 256, 0},           {2, 16, 8, 0, 512, 0},           {4, 32, 16, 0, 1024, 0},          {8, 64, 32, 0, 2048, 0},
      {16, 128, 128, 64, 4096, 4096}, {32, 256, 256, 128, 8192, 8192}, {64, 512, 512, 256, 16384, 16384}};
  for (const row& r : rows) {
    CAPTURE(r.units);
    const fabric_design d = design_of("dgx-b200:" + std::to_string(r.units * 32));
    CHECK(count_switches(d) == fabric_counts{r.leafs, r.spines, r.cores});
    CHECK(d.uplinks(0) == r.leaf_spine);
    CHECK(d.uplinks(1) == r.spine_core);
    CHECK(d.from.how == confidence::catalogue);
    CHECK(d.notes.empty());
  }
}

TEST_CASE("DGX B300 on Spectrum-X: two planes, two tiers up to 16 units") {
  // source: scalable-infrastructure-b300: units of 64 hosts, leafs, spines.
  const std::uint64_t rows[][3] = {{1, 16, 8}, {2, 32, 16}, {4, 64, 32}, {8, 128, 64}, {16, 256, 128}};
  for (const auto& [units, leafs, spines] : rows) {
    CAPTURE(units);
    CHECK(counts_of("dgx-b300:" + std::to_string(units * 64)) == fabric_counts{leafs, spines, 0});
  }
  const fabric_design d = design_of("dgx-b300:64");
  CHECK(d.planes == 2);
  CHECK(d.link_rate.gigabits() == 400);
  CHECK(d.fabric == topoplan::fabric_kind::spectrum_x);
  CHECK(d.from.how == confidence::catalogue);
}

TEST_CASE("DGX B300 on XDR InfiniBand: 144-port switches, two tiers up to 18 units") {
  // source: scalable-infrastructure-b300-xdr: units of 72 hosts, leafs, spines, cables from leaf to spine.
  const std::uint64_t rows[][4] = {{1, 8, 4, 576}, {2, 16, 8, 1152}, {4, 32, 18, 2304}, {8, 64, 36, 4608}, {18, 144, 72, 10368}};
  for (const auto& [units, leafs, spines, cables] : rows) {
    CAPTURE(units);
    const fabric_design d = design_of("dgx-b300:" + std::to_string(units * 72) + " fabric=ib");
    CHECK(count_switches(d) == fabric_counts{leafs, spines, 0});
    CHECK(d.uplinks(0) == cables);
    CHECK(d.planes == 1);
    CHECK(d.link_rate.gigabits() == 800);
    CHECK(d.from.how == confidence::catalogue);
  }
}

TEST_CASE("GB200 NVL72: four spine-leaf groups a unit, six core groups, up to 16 units") {
  // source: reference-architecture-scalable-infrastructure-gb200, network-fabrics.
  for (const std::uint64_t units : {1U, 2U, 8U, 16U}) {
    CAPTURE(units);
    const fabric_design d = design_of("gb200-nvl72:" + std::to_string(units * 8));
    REQUIRE(d.layers.size() == 3);
    CHECK(d.switches(0) == 32 * units);
    CHECK(d.switches(1) == 24 * units);
    CHECK(d.layers[0].children == 18);
    CHECK(d.layers[0].uplinks == 18);
    CHECK(d.layers[1].children == 8);
    CHECK(d.classes(1) == 4);
    CHECK(d.layers[1].per_bundle == 6);
    CHECK(d.layers[2].bundles == 6);
    CHECK(d.from.how == confidence::catalogue);
  }
  CHECK(design_of("gb200-nvl72:128").layers.size() == 3);
  CHECK(design_of("gb200-nvl72:129").layers.size() == 4);
  CHECK(design_of("gb200-nvl72:129").from.how == confidence::extrapolated);
}

TEST_CASE("radix arithmetic: a two-tier network serves radix^2 / 2 ports") {
  // source: QM9700 2,048 ports, Q3400 10,368, 64x800G split to 128x400G 8,192 a plane; eight rails each.
  CHECK(design_of("dgx-b200:256").layers.size() == 2);
  CHECK(design_of("dgx-b200:257").layers.size() == 3);
  CHECK(design_of("dgx-b300:1296 fabric=ib").layers.size() == 2);
  CHECK(design_of("dgx-b300:1297 fabric=ib").layers.size() == 3);
  CHECK(design_of("dgx-b300:1024").layers.size() == 2);
  CHECK(design_of("dgx-b300:1025").layers.size() == 3);
  // And a three-tier one radix^3 / 4.
  CHECK(design_of("dgx-b200:8192").layers.size() == 3);
  CHECK(design_of("dgx-b200:8193").layers.size() == 4);
}

TEST_CASE("a unit that isn't full keeps all its switches") {
  CHECK(counts_of("dgx-h100:1") == fabric_counts{8, 4, 0});
  CHECK(counts_of("dgx-h100:33") == counts_of("dgx-h100:64"));
  CHECK(counts_of("gb200-nvl72:1").spines == 24);
  CHECK(design_of("gb200-nvl72:9").switches(1) == 48);
}

TEST_CASE("beyond the printed sizes tiers are added at 1:1 and it says so") {
  const fabric_design d = design_of("dgx-h100:131072");
  CHECK(d.layers.size() == 4);
  CHECK(d.from.how == confidence::extrapolated);
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes[0].find("extrapolated: 131072 hosts are more than the 128") == 0);
  for (const auto& layer : d.layers) CHECK(layer.oversubscription == 1);
  CHECK(design_of("dgx-h100:129").from.how == confidence::extrapolated);
}

TEST_CASE("networks that nobody publishes are one leaf group, assumed, unless the spec says otherwise") {
  const fabric_design d = design_of("aws-p5:64");
  CHECK(d.layers.size() == 1);
  CHECK(d.switches(0) == 8);
  CHECK(d.from.how == confidence::assumed);
  CHECK(d.notes.size() == 1);
  CHECK(design_of("aws-p5:64 leaf=16").layers[0].groups == 4);
  CHECK(design_of("dgx-a100:20").from.how == confidence::assumed);
  CHECK(design_of("gb300-nvl72:8").from.how == confidence::assumed);
  CHECK(design_of("dgx-h200:32").from.how == confidence::assumed);
  CHECK(design_of("dgx-h100:32 fabric=roce").from.how == confidence::assumed);
  CHECK(design_of("hgx-h100:32 leaf=16").from.how == confidence::given);
}

TEST_CASE("oversubscription cuts uplinks tier by tier") {
  const fabric_design leaf = design_of("hgx-h100:96 leaf=32 oversubscription=2 fabric=roce");
  CHECK(leaf.layers[0].uplinks == 16);
  CHECK(leaf.layers[0].oversubscription == 2);
  CHECK(count_switches(leaf) == fabric_counts{24, 8, 0});
  const fabric_design pod = design_of("dgx-b200:512 oversubscription=1,7");
  CHECK(pod.layers[0].uplinks == 32);
  CHECK(pod.layers[1].uplinks == 5);
  CHECK(pod.layers[1].uplink_rate.gigabits() == doctest::Approx(32 * 400.0 / 7));
  CHECK_THROWS_WITH_AS(design_of("dgx-h100:64 oversubscription=2,2"),
                       "dgx-h100:64 oversubscription=2,2: oversubscription has 2 ratios, but only 1 of the 2 tiers have uplinks",
                       topoplan::invalid_argument);
  CHECK_THROWS_WITH_AS(design_of("dgx-h100:64 rails=3"),
                       "dgx-h100:64 rails=3: rails=3 doesn't divide the 8 NIC planes of a DGX H100", topoplan::invalid_argument);
}

TEST_CASE("a spec that nobody parsed is checked too") {
  const auto refused = [](topoplan::cluster_spec spec, std::string_view says) {
    spec.product = "dgx-h100";
    CHECK_THROWS_WITH_AS((void)design_fabric(spec), std::string(says).c_str(), topoplan::invalid_argument);
  };
  refused({.count = 8, .leaf = 0}, "dgx-h100: leaf is 1 to 65536, this is 0");
  refused({.count = 8, .leaf = 65537}, "dgx-h100: leaf is 1 to 65536, this is 65537");
  refused({.count = 8, .oversubscription = {0.5}}, "dgx-h100: an oversubscription is 1 to 1000, this is 0.5");
  refused({.count = 8, .oversubscription = {std::numeric_limits<double>::quiet_NaN()}},
          "dgx-h100: an oversubscription is 1 to 1000, this is nan");
  refused({.count = 8, .rails = 0}, "dgx-h100:8 rails=0: rails=0 doesn't divide the 8 NIC planes of a DGX H100");
}

TEST_CASE("one rail: all NICs of a host hang on one leaf switch") {
  const fabric_design d = design_of("dgx-h100:64 rails=1 leaf=4");
  CHECK(d.classes(0) == 1);
  CHECK(d.switches(0) == 16);
  CHECK(down_ports(d, 0) == 32);
}

TEST_CASE("every spec's network obeys the arithmetic of its layers") {
  topoplan_test::random rng(5);
  const auto systems = topoplan::system_catalogue();
  for (int i = 0; i < 3000; ++i) {
    topoplan::cluster_spec spec;
    const topoplan::system_model& system = systems[rng.below(systems.size())];
    spec.product = system.name;
    spec.count = static_cast<std::uint32_t>(rng.between(1, rng.below(4) == 0 ? 20000 : 600));
    if (rng.below(3) == 0) spec.leaf = static_cast<std::uint32_t>(rng.between(1, 80));
    if (rng.below(3) == 0) spec.rails = static_cast<std::uint16_t>(rng.below(2) == 0 ? 1 : system.rails / 2);
    if (rng.below(3) == 0) spec.fabric = topoplan::fabric_kind::roce;
    const std::size_t tiers = design_fabric(spec).layers.size();
    for (std::size_t t = 0; t + 1 < tiers && rng.below(2) == 0; ++t)
      spec.oversubscription.push_back(1 + static_cast<double>(rng.below(30)) / 4);
    try {
      const fabric_design d = design_fabric(spec);
      CAPTURE(to_string(spec));
      check_design(d);
    } catch (const topoplan::invalid_argument& e) {
      // Fewer uplinks can make a tier unnecessary.
      CHECK(std::string(e.what()).find("tiers have uplinks") != std::string::npos);
    }
  }
}
