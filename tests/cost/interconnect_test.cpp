#include <topoplan/cluster/presets.hpp>
#include <topoplan/cost/collective.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/link_table.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>
#include <utility>

namespace {

using namespace topoplan;

TEST_CASE("the table is complete: every family and class, every collective, once, with a source and sane figures") {
  std::set<std::pair<int, int>> seen;
  const auto check = [](const link_parameters& p) {
    CHECK_FALSE(p.source.empty());
    CHECK(p.first > 0);
    CHECK(p.first < 1e-3);
    CHECK(p.step >= 0);
    CHECK(p.efficiency > 0.1);
    CHECK(p.efficiency < 1.15);
    CHECK(p.power > 0);
    CHECK(p.power <= 1);
    CHECK(p.lanes >= 1);
  };
  for (const link_row& row : link_table()) {
    CAPTURE(to_string(row.family));
    CAPTURE(to_string(row.what));
    CHECK(seen.insert({static_cast<int>(row.family), static_cast<int>(row.what)}).second);
    check(row.parameters);
    CHECK(parameters_of(row.family, row.what) == row.parameters);
  }
  CHECK(seen.size() == link_family_count * interconnect::collectives);
  seen.clear();
  for (const fabric_row& row : fabric_table()) {
    CAPTURE(to_string(row.fabric));
    CAPTURE(to_string(row.what));
    CHECK(seen.insert({static_cast<int>(row.fabric), static_cast<int>(row.what)}).second);
    check(row.parameters);
    CHECK(parameters_of(row.fabric, row.what) == row.parameters);
    if (row.parameters.known == evidence::assumed) CHECK(row.parameters.source.find("nccl-tests:") == std::string_view::npos);
  }
  CHECK(seen.size() == fabric_class_count * interconnect::collectives);
  for (const nvls_row& row : nvls_table()) CHECK((row.fewest == 0 || row.parameters.efficiency > 0.9));
}

TEST_CASE("names are distinct") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < fabric_class_count; ++i) names.emplace(to_string(static_cast<fabric_class>(i)));
  for (std::size_t i = 0; i < link_family_count; ++i) names.emplace(to_string(static_cast<link_family>(i)));
  CHECK(names.size() == fabric_class_count + link_family_count);
}

TEST_CASE("a cluster's product decides family and class") {
  const auto facts = [](const char* spec) { return interconnect_of(make_cluster(spec)).facts; };
  CHECK(facts("dgx-a100:4").family == link_family::ampere);
  CHECK(facts("dgx-a100:4").fabric == fabric_class::infiniband_hdr);
  CHECK(facts("dgx-h100:4").family == link_family::hopper);
  CHECK(facts("dgx-h100:4").fabric == fabric_class::infiniband_ndr);
  CHECK(facts("dgx-h100:4").domain == 8);
  CHECK(facts("dgx-h100:4").nvlink_rate == 450e9);
  CHECK(facts("dgx-h100:4").nic_rate == 50e9);
  CHECK(facts("dgx-b200:4").family == link_family::blackwell);
  CHECK(facts("dgx-b300:4").fabric == fabric_class::spectrum_x);
  CHECK(facts("dgx-b300:4 fabric=ib").fabric == fabric_class::infiniband_xdr);
  CHECK(facts("gb200-nvl72:2").fabric == fabric_class::nvl72);
  CHECK(facts("gb200-nvl72:2").domain == 72);
  CHECK(facts("aws-p4d:4").fabric == fabric_class::efa_v1);
  CHECK(facts("aws-p5:4").fabric == fabric_class::efa_v2);
  CHECK(facts("aws-p6-b200:4").fabric == fabric_class::efa_v4);
  CHECK(facts("gcp-a3-mega:4").fabric == fabric_class::tcpxo);
  CHECK(facts("gcp-a4:4").fabric == fabric_class::roce_gib);
  CHECK(facts("oci-h100:4").fabric == fabric_class::roce);
  CHECK(facts("hgx-h100:4 fabric=ethernet").fabric == fabric_class::ethernet_tcp);
  CHECK(facts("isambard-ai:4").fabric == fabric_class::slingshot);
}

TEST_CASE("properties that the kind of fabric doesn't tell") {
  const cluster c = make_cluster("hgx-h100:16 fabric=roce");
  CHECK(interconnect_of(c, {.tuned = false}).facts.fabric == fabric_class::roce_untuned);
  CHECK(interconnect_of(c, {.fabric = fabric_class::ethernet_tcp}).facts.fabric == fabric_class::ethernet_tcp);
  group_shape g;
  g.ranks = 32;
  g.per_domain = g.per_host = 8;
  g.domains = g.hosts = 4;
  const auto seconds = [&](const fabric_properties& p) {
    return collective_seconds(interconnect_of(c, p), collective::all_reduce, 4e9, g);
  };
  const double tuned = seconds({});
  CHECK(seconds({.tuned = false}) > 1.3 * tuned);
  CHECK(seconds({.gpudirect = false}) == doctest::Approx(2 * tuned).epsilon(0.05));
  CHECK(seconds({.fabric = fabric_class::ethernet_tcp}) > 1.5 * tuned);
  CHECK(seconds({.paths = path_choice::ecmp}) > 1.2 * tuned);
  CHECK(seconds({.paths = path_choice::adaptive}) == tuned);
  // NVLink doesn't care.
  CHECK(collective_seconds(interconnect_of(c, {.gpudirect = false}), collective::all_reduce, 4e9, group_in_domain(8)) ==
        collective_seconds(interconnect_of(c), collective::all_reduce, 4e9, group_in_domain(8)));
}

TEST_CASE("an unknown NIC rate is that of the usual product, and said to be assumed") {
  cluster c = make_cluster("dgx-h100:4");
  c.nic.rate = {};
  const interconnect x = interconnect_of(c);
  CHECK(x.facts.nic_rate == 50e9);
  group_shape g;
  g.ranks = g.domains = g.hosts = 4;
  CHECK(collective_time(x, collective::all_reduce, 1e9, g).known == evidence::assumed);
  CHECK(collective_time(interconnect_of(make_cluster("dgx-h100:4")), collective::all_reduce, 1e9, g).known == evidence::measured);
}

TEST_CASE("of two GPU models the slower one decides") {
  cluster c = make_cluster("dgx-h100:2");
  c.gpu_models.emplace_back("A100-SXM 80GB");
  c.hosts[1].model = 1;
  CHECK(interconnect_of(c).facts.family == link_family::ampere);
}

TEST_CASE("a user's own figures replace the table's, where they are given") {
  link_calibration own;
  own.rows.push_back({.fabric = fabric_class::roce, .what = collective::all_gather, .first = 50e-6, .efficiency = 0.5});
  own.rows.push_back({.family = link_family::hopper, .what = collective::all_to_all, .half_size = 1e6, .power = 3});
  const cluster c = make_cluster("hgx-h100:16 fabric=roce");
  const interconnect before = interconnect_of(c);
  const interconnect after = interconnect_of(c, {}, own);
  const auto gather = static_cast<std::size_t>(collective::all_gather);
  const auto exchange = static_cast<std::size_t>(collective::all_to_all);
  CHECK(after.network[gather].first == 50e-6);
  CHECK(after.network[gather].efficiency == 0.5);
  CHECK(after.network[gather].half_size == before.network[gather].half_size);
  CHECK(after.network[gather].known == evidence::measured);
  CHECK(after.network[gather].source == "calibration");
  CHECK(after.nvlink[exchange].half_size == 1e6);
  CHECK(after.nvlink[exchange].power == 1);  // more would let time fall with bytes
  CHECK(after.network[exchange] == before.network[exchange]);
  CHECK(after.network[0] == before.network[0]);
  const interconnect other = interconnect_of(make_cluster("dgx-h100:16"), {}, own);
  CHECK(other.network[gather] == parameters_of(fabric_class::infiniband_ndr, collective::all_gather));
}

}  // namespace
