#include <topoplan/emit/rank_map_json.hpp>
#include <topoplan/import/rank_map_file.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"
#include "support/random.hpp"

using namespace topoplan_test;
using topoplan::host_id;
using topoplan::parse_error;
using topoplan::rank_id;
using topoplan::rank_map;
using topoplan::import::rank_map_file;

namespace {

std::string printed(const rank_map& map) {
  std::ostringstream out;
  topoplan::emit::rank_map_json(out, map);
  return out.str();
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_SUITE_BEGIN("import/rank_map_file");

TEST_CASE("a file with optional columns, spares and a digest") {
  const auto map = rank_map_file(data_file("rank_map/sixteen-ranks.json"), "m.json");
  CHECK(map.world() == 16);
  CHECK(map.hosts() == 3);
  CHECK(map.host_name(host_id{2}) == "gpu-021");
  CHECK(map.degrees().expert_dp == 2);
  CHECK(to_string(map.order()) == "tp-cp-ep-dp-pp");
  CHECK(map.gpu_of(rank_id{12}) == 7);
  CHECK(map.local_rank_of(rank_id{13}) == 1);
  CHECK(map.domain_of(rank_id{15}).value == 4);
  CHECK(map.rail_of(rank_id{15}).value == 4);
  CHECK(map.numa_of(rank_id{12}) == -1);
  CHECK(!map.has_uuid());
  CHECK(map.digests().cluster == 0x00c0ffee00c0ffeeU);
  CHECK(map.digests().workload == 0);
  REQUIRE(map.spares().size() == 2);
  CHECK(map.spares()[0].host == "gpu-017");
  CHECK(map.spares()[0].gpus == std::vector<std::uint16_t>{6, 7});
  CHECK(map.spares()[1].host == "gpu-005");
  CHECK(rank_map_file(printed(map), "again") == map);
}

TEST_CASE("writing and reading back yields an equal map") {
  topoplan_test::random random(4);
  for (int round = 0; round < 100; ++round) {
    const auto hosts = static_cast<std::uint32_t>(1 + random.below(6));
    const std::uint32_t each = 4;
    const topoplan::degrees asked{.tp = 2, .cp = 1, .ep = 1, .expert_tp = 0, .dp = 0, .pp = random.below(2) == 0 ? 1U : 2U};
    const topoplan::layout l(resolve(asked, std::uint64_t{hosts} * each), topoplan::order("tp-cp-ep-dp-pp"));
    std::vector<std::string> names;
    topoplan::rank_columns columns;
    std::vector<topoplan::spare> spares;
    for (std::uint32_t h = 0; h < hosts; ++h) {
      names.push_back("h\"" + std::to_string(random.below(1000)) + "-" + std::to_string(h));
      std::vector<std::uint16_t> gpus = {0, 1, 2, 3, 4, 5};
      random.shuffle(gpus);
      for (std::uint32_t g = 0; g < each; ++g) {
        columns.host.push_back(h);
        columns.gpu.push_back(gpus[g]);
        columns.domain.push_back(h * 3);
        columns.rail.push_back(gpus[g]);
        columns.numa.push_back(static_cast<std::int16_t>(static_cast<int>(random.below(3)) - 1));
        columns.uuid.push_back("GPU-" + std::to_string(h) + "-" + std::to_string(gpus[g]));
        columns.pci.push_back("0000:" + std::to_string(gpus[g]) + "b:00.0");
      }
      if (random.below(2) == 0) spares.push_back({names.back(), {gpus[4]}});
    }
    if (random.below(2) == 0) columns.rail.clear();
    if (random.below(2) == 0) columns.numa.clear();
    if (random.below(2) == 0) columns.uuid.clear();
    if (random.below(2) == 0) columns.pci.clear();
    const rank_map map(l, names, columns, spares, {random.next(), random.next()});
    REQUIRE(rank_map_file(printed(map), "printed") == map);
  }
}

TEST_CASE("what is no rank map is refused with line, column and JSON pointer") {
  const auto text = data_file("rank_map/sixteen-ranks.json");
  const auto refused = [](const std::string& changed, const char* part) {
    CHECK_THROWS_WITH_AS(rank_map_file(changed, "m.json"), doctest::Contains(part), parse_error);
  };
  refused(with(text, "\"version\": 1", "\"version\": 3"), "m.json:1:45: expected /version to be 1");
  refused(with(text, "topoplan.rank_map", "topoplan.cluster"), "expected /format to be 'topoplan.rank_map'");
  refused(with(text, "\"world_size\": 16", "\"world_size\": 17"),
          "m.json:3:14: expected /degrees to be degrees of 17 ranks, found");
  refused(with(text, "\"dp\": 2", "\"dp\": 3"), "/degrees to be degrees of 16 ranks");
  refused(with(text, "\"expert_dp\": 2", "\"expert_dp\": 4"), "/degrees/expert_dp to be 2, as the others make it, found 4");
  refused(with(text, "\"cp\": 1, ", ""), "/degrees to be an object with 'cp'");
  refused(with(text, "\"tp-cp-ep-dp-pp\"", "\"tp-tp-pp\""), "/order to be an order for these degrees, found");
  refused(with(text, "\"tp-cp-ep-dp-pp\"", "\"tp-cp-ep-dp\""), "/order to be an order for these degrees, found");
  refused(with(text, "1, 2, 2, 2, 2]", "1, 2, 2, 2, 3]"),
          "m.json:6:65: expected /ranks/host/15 to be an integer from 0 to 2, found 3");
  refused(with(text, "7, 6, 5, 4]", "7, 6, 5, 5]"), "a rank map whose parts fit together, found");
  refused(with(text, "[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3]", "[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 1, 0, 2, 3]"),
          "/ranks/local_rank/12 to be 0, since local ranks rise with the rank on each host, found 1");
  refused(with(text, "\"gpu-003\"", "\"gpu-017\""), "a rank map whose parts fit together");
  refused(with(text, "00c0ffee00c0ffee", "00c0ffee00c0ffeeg"), "/digest/cluster to be up to 16 hexadecimal digits");
  refused(with(text, "00c0ffee00c0ffee", "100c0ffee00c0ffee"), "/digest/cluster to be up to 16 hexadecimal digits");
  refused(with(text, "[6, 7]", "[6, -7]"), "/spares/0/gpus/1 to be an integer from 0 to 65535, found -7");
  refused(with(text, "\"spares\": [", "\"spares\": [1, "), "/spares/0 to be an object, found 1");
  CHECK(rank_map_file(with(text, "\"digest\"", "\"digests\""), "m").digests().cluster == 0);
}

TEST_CASE("damaged files are read alike or refused") {
  const auto text = data_file("rank_map/sixteen-ranks.json");
  const auto whole = rank_map_file(text, "t");
  for (const auto& [damage, changed] : damaged(text)) {
    CAPTURE(damage);
    bool read = true;
    bool same = true;
    try {
      same = rank_map_file(changed, "t") == whole;
    } catch (const parse_error&) {
      read = false;
    }
    CHECK(same);
    if (damage == "CRLF" || damage == "BOM" || damage == "lines lost") CHECK(read);
  }
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    CHECK_THROWS_AS(rank_map_file(text.substr(0, length), "t"), parse_error);
  }
}

TEST_SUITE_END();
