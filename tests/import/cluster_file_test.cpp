#include <topoplan/cluster/presets.hpp>
#include <topoplan/cluster/validate.hpp>
#include <topoplan/emit/cluster_file.hpp>
#include <topoplan/import/cluster_file.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"
#include "support/random.hpp"

using namespace topoplan_test;
using topoplan::cluster;
using topoplan::parse_error;
using topoplan::import::cluster_file;

namespace {

std::string printed(const cluster& c) {
  std::ostringstream out;
  topoplan::emit::cluster_file(out, c);
  return out.str();
}

// The text with its first `from` replaced.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// A cluster with every field at random, as wild as validate() allows.
cluster any_cluster(topoplan_test::random& random) {
  const auto text = [&] {
    return random.pick(std::vector<std::string>{"", "a", "\"q\" \\ /", "tab\tline\n", "\xc3\xbc", "x y"});
  };
  const auto rate = [&] { return topoplan::bytes_per_second{static_cast<double>(1 + random.below(1U << 30U)) * 1.1e3}; };
  const auto from = [&] { return topoplan::provenance{static_cast<topoplan::confidence>(random.below(5)), text()}; };
  const auto any_link = [&] {
    return topoplan::link{rate(), topoplan::seconds{static_cast<double>(random.below(100)) * 1e-7}, from()};
  };
  cluster c;
  c.name = text();
  c.rails = static_cast<std::uint16_t>(1 + random.below(9));
  c.fabric = static_cast<topoplan::fabric_kind>(random.below(7));
  c.gpu_models = {text(), text()};
  c.nvlink = any_link();
  c.pcie = any_link();
  c.nic = any_link();
  const auto tiers = 1 + random.below(3);
  for (std::uint64_t t = 0; t < tiers; ++t) {
    topoplan::tier level{
        "tier" + std::to_string(t), {}, 0.5 + static_cast<double>(random.below(8)) / 3, random.below(2) == 0, from()};
    level.nodes.resize(static_cast<std::size_t>(t + 1 == tiers ? 1 : 2));
    for (auto& n : level.nodes) n = {text(), static_cast<std::uint32_t>(t + 2 < tiers ? random.below(2) : 0)};
    c.tiers.push_back(level);
  }
  for (std::uint32_t h = 0, n = static_cast<std::uint32_t>(1 + random.below(5)); h < n; ++h) {
    topoplan::host added;
    added.name = "host" + std::to_string(h);
    added.address = text();
    added.first_gpu = static_cast<std::uint32_t>(c.gpus.size());
    added.leaf = static_cast<std::uint32_t>(random.below(c.tiers[0].nodes.size()));
    added.gpu_count = static_cast<std::uint16_t>(1 + random.below(4));
    added.model = static_cast<std::uint16_t>(random.below(2));
    added.cordoned = random.below(4) == 0;
    for (std::uint16_t g = 0; g < added.gpu_count; ++g) {
      topoplan::gpu seat;
      seat.host = topoplan::host_id{h};
      seat.domain = topoplan::domain_id{h};
      seat.index = g;
      seat.rail = static_cast<std::uint16_t>(random.below(c.rails));
      seat.numa = static_cast<std::int16_t>(static_cast<int>(random.below(9)) - 1);
      seat.health = random.below(4) == 0 ? topoplan::gpu_health::unhealthy : topoplan::gpu_health::ok;
      c.gpus.push_back(seat);
      c.uuid.push_back("GPU-" + std::to_string(c.gpus.size()));
      c.pci.push_back(text());
    }
    c.hosts.push_back(added);
    c.domain_names.push_back(text());
    ++c.domains;
  }
  if (random.below(2) == 0) c.uuid.clear();
  if (random.below(2) == 0) c.pci.clear();
  if (random.below(2) == 0) c.domain_names.clear();
  for (auto n = random.below(3); n > 0; --n) c.notes.push_back(text());
  return c;
}

}  // namespace

TEST_SUITE_BEGIN("import/cluster_file");

TEST_CASE("a file with every key") {
  const auto c = cluster_file(data_file("cluster/two-hosts.json"), "c.json");
  CHECK(c.name == "two trays of one domain, one host beside");
  CHECK(c.fabric == topoplan::fabric_kind::spectrum_x);
  CHECK(c.hosts.size() == 3);
  CHECK(c.hosts[0].address == "10.0.0.1");
  CHECK(c.hosts[2].first_gpu == 4);
  CHECK(c.hosts[2].model == 1);
  CHECK(c.hosts[2].cordoned);
  CHECK(!c.hosts[1].cordoned);
  CHECK(c.gpus[3].health == topoplan::gpu_health::unhealthy);
  CHECK(c.gpus[3].domain.value == 0);
  CHECK(c.gpus[3].host.value == 1);
  CHECK(c.gpus[5].index == 1);
  CHECK(c.gpus[5].numa == 8);
  CHECK(c.gpus[4].numa == -1);
  CHECK(c.uuid[4] == "GPU-e");
  CHECK(c.pci.empty());
  CHECK(c.tiers[0].sharp);
  CHECK(c.tiers[0].oversubscription == 2);
  CHECK(c.tiers[0].from.source == "net:3");
  CHECK(c.tiers[0].nodes[1].name == "l2");
  CHECK(c.nvlink.rate.gigabytes() == 900);
  CHECK(c.nvlink.latency.value == 1.5e-6);
  CHECK(c.nic.from.how == topoplan::confidence::given);
  CHECK(c.domain_names[0] == "rack7");
  CHECK(c.notes.size() == 1);
  CHECK(cluster_file(printed(c), "again") == c);
}

TEST_CASE("optional keys have their defaults") {
  const auto c = cluster_file(data_file("cluster/least.json"), "c.json");
  CHECK(c.gpus[0].numa == -1);
  CHECK(c.hosts[0].address.empty());
  CHECK(c.hosts[0].model == 0);
  CHECK(c.domain_names.empty());
  CHECK(c.notes.empty());
}

TEST_CASE("printing and reading back yields an equal cluster") {
  topoplan_test::random random(23);
  for (int round = 0; round < 200; ++round) {
    const auto c = any_cluster(random);
    REQUIRE(validate(c) == std::nullopt);
    REQUIRE(cluster_file(printed(c), "printed") == c);
  }
  for (const std::string spec : {"dgx-h100:32", "gb200-nvl72:2", "hgx-h100:9 leaf=4 oversubscription=2 fabric=roce"}) {
    CAPTURE(spec);
    const auto c = topoplan::make_cluster(spec);
    REQUIRE(cluster_file(printed(c), "printed") == c);
  }
}

TEST_CASE("what is no cluster file is refused with line, column and JSON pointer") {
  const auto text = data_file("cluster/two-hosts.json");
  const auto refused = [](const std::string& changed, const char* part) {
    CHECK_THROWS_WITH_AS(cluster_file(changed, "c.json"), doctest::Contains(part), parse_error);
  };
  refused("", "c.json:1:1: expected JSON, found the end");
  refused("[1]", "c.json:1:1: expected the document to be an object, found an array");
  refused("{\"a\": }", "c.json:1:7: expected JSON, found '}'");
  refused("{}", "expected the document to be an object with 'format', found no such key");
  refused(with(text, "\"version\": 1", "\"version\": 2"),
          "c.json:1:44: expected /version to be 1, the version that is read here, found 2");
  refused(with(text, "\"version\": 1", "\"version\": \"1\""), "expected /version to be an integer from 0");
  refused(with(text, "topoplan.cluster", "topoplan.plan"), "expected /format to be 'topoplan.cluster', found 'topoplan.plan'");
  refused(with(text, "spectrum-x", "token-ring"),
          "c.json:3:13: expected /fabric to be one of unknown, infiniband, roce, spectrum-x");
  refused(with(text, "\"rails\": 2", "\"rails\": 0"), "c.json:4:12: expected /rails to be an integer from 1 to 65535, found 0");
  const auto odd_name = with(text, "two trays of one domain, one host beside", "a \\\" }, \\\\");  // a " }, \ as JSON writes it
  refused(with(odd_name, "\"rails\": 2", "\"rails\": 0"), "c.json:4:12: expected /rails");
  refused(with(text, "\"rails\": 2", "\"rails\": 2.5"), "an integer from 1 to 65535, found 2.5");
  refused(with(text, "\"rails\": 2", "\"rails\": 99999999999999999999"), "/rails to be an integer");
  refused(with(text, "\"domains\": 3", "\"domains\": 4"), "/domain_names to be an array of 4, found 3 elements");
  refused(with(text, "\"rate\": 50000000000", "\"rate\": -1"),
          "c.json:10:21: expected /links/nic/rate to be a number that isn't negative, found -1");
  refused(with(text, "\"rate\": 50000000000", "\"rate\": 1e999"), "c.json");
  refused(with(text, "\"how\": \"catalogue\"", "\"how\": \"guess\""), "/links/nvlink/from/how to be one of given, derived");
  refused(with(text, "\"sharp\": true", "\"sharp\": 1"), "/tiers/0/sharp to be true or false, found 1");
  refused(with(text, "\"parent\": [0, 0]", "\"parent\": [0, 1]"),
          "/tiers/0/nodes/parent/1 to be a node of the next tier, which has 1, found 1");
  refused(with(text, "\"parent\": [0, 0]", "\"parent\": [0]"), "/tiers/0/nodes/parent to be an array of 2, found 1 elements");
  refused(with(text, "\"leaf\": [0, 0, 1]", "\"leaf\": [0, 0, 2]"),
          "c.json:17:59: expected /hosts/leaf/2 to be an integer from 0 to 1, found 2");
  refused(with(text, "\"cordoned\": [2]", "\"cordoned\": [3]"), "/hosts/cordoned/0 to be an integer from 0 to 2");
  refused(with(text, "\"domain\": [0, 0, 0, 0, 1, 2]", "\"domain\": [0, 0, 0, 0, 1]"),
          "/gpus/domain to be an array of 6, found 5 elements");
  refused(with(text, "\"unhealthy\": [3]", "\"unhealthy\": [6]"), "/gpus/unhealthy/0 to be an integer from 0 to 5");
  refused(with(text, "\"domain\": [0, 0, 0, 0, 1, 2]", "\"domain\": [0, 0, 0, 0, 1, 1]"),
          "to be a cluster whose parts fit together, found domain 2 has no GPU");
  refused(with(text, "\"tray-2\"", "\"tray-1\""), "both named 'tray-1'");
  refused(with(text, "\"uuid\": [\"GPU-a\"", "\"uuid\": [7"), "/gpus/uuid/0 to be a string, found 7");
  refused(with(data_file("cluster/least.json"), "\"domains\":1", "\"domains\":4000000000"),
          "/domains to be at most the number of GPUs, 1");
  refused(with(data_file("cluster/least.json"), "\"tiers\":[{", "\"tiers\":[],\"x\":[{"),
          "/tiers to be an array with at least one tier, found an array");
  refused(text.substr(0, 100) + '\0' + text.substr(100), "a NUL byte");
}

TEST_CASE("deep nesting and long lines neither recurse nor hang") {
  CHECK_THROWS_AS(cluster_file(std::string(100000, '['), "t"), parse_error);
  CHECK_THROWS_AS(cluster_file(std::string(100000, '[') + std::string(100000, ']'), "t"), parse_error);
  std::string nested = "{\"x\": " + std::string(100000, '[') + std::string(100000, ']') + ", \"format\": 1}";
  CHECK_THROWS_WITH_AS(cluster_file(nested, "t"), doctest::Contains("/format to be a string, found 1"), parse_error);
}

TEST_CASE("damaged files are read alike or refused") {
  for (const std::string name : {"two-hosts", "least"}) {
    const auto text = data_file("cluster/" + name + ".json");
    const auto whole = cluster_file(text, "t");
    for (const auto& [damage, changed] : damaged(text)) {
      CAPTURE(damage);
      bool read = true;
      bool same = true;
      try {
        same = cluster_file(changed, "t") == whole;
      } catch (const parse_error&) {
        read = false;
      }
      CHECK(same);
      if (damage == "CRLF" || damage == "BOM" || damage == "lines lost" || damage == "a blank line each") CHECK(read);
    }
    for (std::size_t length = 0; length + 1 < text.size(); ++length) {
      CHECK_THROWS_AS(cluster_file(text.substr(0, length), "t"), parse_error);
    }
  }
}

TEST_CASE("a file of a hundred thousand GPUs") {
  const auto c = topoplan::make_cluster("dgx-h100:12500");
  const auto text = printed(c);
  const auto start = std::clock();
  CHECK((cluster_file(text, "t") == c));
  MESSAGE((static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC) << " s of CPU");
}

TEST_SUITE_END();
