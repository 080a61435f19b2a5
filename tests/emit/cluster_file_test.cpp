// Tests of emit/cluster_file.hpp: reading back gives an equal cluster, for every product and with everything set.
#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/emit/cluster_file.hpp>
#include <topoplan/import/cluster_file.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "emit/support.hpp"

namespace {

using namespace topoplan;
using topoplan_test::contains;
using topoplan_test::text_of;

std::string json_of(const cluster& c) {
  return text_of([&](std::ostream& out) { emit::cluster_file(out, c); });
}

void check_round_trip(const cluster& c) {
  const cluster back = import::cluster_file(json_of(c), "cluster.json");
  CHECK(back == c);
  CHECK(json_of(back) == json_of(c));
}

TEST_CASE("presets and specs come back") {
  for (const char* spec :
       {"dgx-h100:1", "dgx-h100:128", "dgx-a100:40", "gb200-nvl72:4", "hgx-h100:96 leaf=32 oversubscription=2 fabric=roce"}) {
    CAPTURE(spec);
    check_round_trip(make_cluster(spec));
  }
}

// Every field with a value that is not its default.
cluster everything() {
  cluster c = make_cluster("dgx-h100:2");
  c.name = "two \"hosts\"\n";
  c.hosts[0].address = "10.0.0.1";
  c.hosts[1].cordoned = true;
  c.hosts[1].model = 1;
  c.gpu_models = {"H100-SXM 80GB", "H200-SXM 141GB"};
  c.gpus[3].health = gpu_health::unhealthy;
  c.gpus[5].numa = 1;
  c.domain_names = {"first", ""};
  c.notes = {"link 3 is degraded", "sch\xc3\xb6n"};
  c.nic.latency = seconds{1.25e-6};
  c.nic.rate = bytes_per_second{50012500000.125};
  c.nvlink.from = {confidence::given, "topo.txt:3"};
  c.tiers[0].sharp = true;
  c.tiers[0].oversubscription = 1.7;
  for (std::size_t g = 0; g < c.gpus.size(); ++g) {
    c.uuid.push_back("GPU-" + std::to_string(g));
    c.pci.push_back("0000:" + std::to_string(g + 10) + ":00.0");
  }
  return c;
}

TEST_CASE("a cluster in which every field is set comes back") { check_round_trip(everything()); }

TEST_CASE("what holds nothing but defaults is left out") {
  const std::string text = json_of(make_cluster("dgx-h100:2"));
  for (const char* key : {"\"address\"", "\"cordoned\"", "\"model\"", "\"unhealthy\"", "\"uuid\"", "\"pci\""})
    CHECK(!contains(text, key));
  const auto value = nlohmann::json::parse(text);
  CHECK(value["format"] == "topoplan.cluster");
  CHECK(value["version"] == 1);
  CHECK(value["hosts"]["gpu_count"] == std::vector<int>{8, 8});
  CHECK(value["links"]["nvlink"]["rate"].is_number());
}

}  // namespace
