#include <topoplan/import/ib_hosts.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ib_summary.hpp"

using namespace topoplan_test;
using import::ib_hosts;
using import::ib_kind;
using import::read_ib_host_table;

namespace {

// "gpu-a[mlx5_0@0] gpu-b[HCA-1@0,HCA-2@1]"
std::string text_of(const ib_hosts& found) {
  std::string out;
  for (const auto& host : found.hosts) {
    out += (out.empty() ? "" : " ") + host.name + '[';
    for (std::size_t a = 0; a < host.adapters.size(); ++a) {
      const auto& adapter = host.adapters[a];
      out += (a == 0 ? "" : ",") + adapter.name + (adapter.position ? '@' + std::to_string(*adapter.position) : "");
    }
    out += ']';
  }
  return out;
}

// Every adapter is in one host, in one refusal, or an aggregation node.
bool is_complete(const import::ib_fabric& f, const ib_hosts& found) {
  std::set<std::uint32_t> seen;
  std::size_t placed = found.aggregation_nodes;
  for (const auto& host : found.hosts) {
    for (const auto& adapter : host.adapters) placed += seen.insert(adapter.device).second ? 1U : 0U;
  }
  for (const auto& refusal : found.refused) {
    for (const auto device : refusal.devices) placed += seen.insert(device).second ? 1U : 0U;
  }
  return placed == count(f, ib_kind::adapter);
}

// Adapters with these descriptions on one switch.
import::ib_fabric fabric_with(const std::vector<std::string>& descriptions) {
  std::string text = "Switch 65 \"S-0002c90300000a00\" # \"leaf\" base port 0 lid 1 lmc 0\n";
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    text += '[' + std::to_string(i + 1) + "] \"H-" + import::guid_text((i + 1) * 16).substr(2) + "\"[1](" +
            std::to_string(i + 1) + "1) # \"" + descriptions[i] + "\" lid 2 4xEDR\n";
  }
  return import::ibnetdiscover(text, "net");
}

std::string hosts_in(const std::vector<std::string>& descriptions) { return text_of(hosts_of(fabric_with(descriptions))); }

}  // namespace

TEST_SUITE_BEGIN("import/ib_hosts");

TEST_CASE("host and adapter from the description") {
  CHECK(hosts_in({"gpu-1 mlx5_0", "gpu-1 mlx5_10", "gpu-1 mlx5_2"}) == "gpu-1[mlx5_0@0,mlx5_2@2,mlx5_10@10]");
  CHECK(hosts_in({"a HCA-2", "A HCA-1"}) == "a[HCA-1@0,HCA-2@1]");
  CHECK(hosts_in({"n1 hfi1_1", "n2 ibp12s0", "n3 qib0", "n4"}) == "n1[hfi1_1@1] n2[ibp12s0] n3[qib0@0] n4[]");
  CHECK(hosts_in({"n.cluster.example mlx5_0", "n mlx5_1"}) == "n.cluster.example[mlx5_0@0,mlx5_1@1]");
  CHECK(hosts_in({"n.a mlx5_0", "n.b mlx5_0", "n mlx5_1"}) == "n.a[mlx5_0@0] n.b[mlx5_0@0] n[mlx5_1@1]");
  CHECK(hosts_in({"n  mlx5_0 ", "(none) mlx5_0"}) == "n[mlx5_0@0]");
}

TEST_CASE("what names no host is refused by name, not merged") {
  const auto f = import::ibnetdiscover(data_file("ibnetdiscover/unnamed.txt"), "unnamed.txt");
  const auto found = hosts_of(f);
  CHECK(is_complete(f, found));
  CHECK(text_of(found) == "A05-dgx-c02[HCA-1@0] a05-dgx-c01.cluster.example[mlx5_0@0,mlx5_1@1]");
  CHECK(found.aggregation_nodes == 1);
  REQUIRE(found.refused.size() == 3);
  CHECK(found.refused[0].name == "MT4129 ConnectX7   Mellanox Technologies");
  CHECK(found.refused[0].devices.size() == 2);
  CHECK(found.refused[1].name == "localhost");
  CHECK(found.refused[2].name == "copy");
  CHECK(
      has_note(found.notes,
               "'MT4129 ConnectX7   Mellanox Technologies' names no host: the 2 adapters of that name (0x0002c90300000300, ...) "
               "can't be placed; a table of GUIDs and hosts would say whose they are",
               13));
  CHECK(has_note(found.notes, "'localhost' is what unnamed machines are called: the 1 adapter of that name", 15));
  CHECK(has_note(found.notes, "'copy' is the name of several hosts, or has an adapter name twice: the 2 adapters", 16));
}

TEST_CASE("two ports of one adapter are no twins where each port is a device") {
  const auto f = import::ibnetdiscover(data_file("ibnetdiscover/report.txt"), "report.txt");
  const auto found = hosts_of(f);
  CHECK(is_complete(f, found));
  CHECK(text_of(found) == "gpu-a[HCA-1@0] gpu-b[HCA-1@0,HCA-1@0]");
  CHECK(hosts_in({"n mlx5_0", "n mlx5_0"}).empty());
}

TEST_CASE("a table comes before the description, by GUID of the adapter or of the port") {
  const auto f = import::ibnetdiscover(data_file("ibnetdiscover/unnamed.txt"), "unnamed.txt");
  const auto found = hosts_of(f, read_ib_host_table("0x0002c90300000300 a05-dgx-c03 mlx5_0\n"
                                                    "0x0002c90300000400 a05-dgx-c04\n"
                                                    "0x0002c90300000500 a05-dgx-c05\n"
                                                    "0x0002c90300000600 a05-dgx-c06 mlx5_4\n"
                                                    "0x0002c90300000999 a05-dgx-c09\n",
                                                    "names"));
  CHECK(is_complete(f, found));
  CHECK(text_of(found) ==
        "A05-dgx-c02[HCA-1@0] a05-dgx-c03[mlx5_0@0] a05-dgx-c04[] a05-dgx-c05[mlx5_0@0] a05-dgx-c06[mlx5_4@4] copy[mlx5_0@0] "
        "a05-dgx-c01.cluster.example[mlx5_0@0,mlx5_1@1]");
  CHECK(found.refused.empty());
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].text == "names:5: no device of the fabric has 0x0002c90300000999");

  const auto g = import::ibnetdiscover(data_file("ibnetdiscover/traits.txt"), "traits.txt");
  CHECK(text_of(hosts_of(g, read_ib_host_table("0x2c90300000112 renamed mlx5_7\n", "names"))) ==
        "gpu-a[mlx5_0@0] renamed[mlx5_7@7]");
  CHECK(refusal([&] {
          return hosts_of(g, read_ib_host_table("0x2c90300000110 one mlx5_7\n0x2c90300000112 two mlx5_7\n", "names"));
        }) ==
        "names:2: expected one host for the ports of 'gpu-b HCA-1' (0x0002c90300000110), found 'two', and line 1 has 'one'");
  // Both GUIDs of an adapter that the fabric shows by one of them.
  CHECK(hosts_of(g, read_ib_host_table("0x2c90300000110 b mlx5_7\n0x2c90300000111 b mlx5_7\n", "names")).notes.empty());
}

TEST_CASE("the reference outputs") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("skipped: TOPOPLAN_REFERENCE_DIR is empty");
    return;
  }
  struct expectation {
    std::string_view file;
    std::map<std::size_t, std::size_t> hosts;  // by number of adapters
    std::vector<std::pair<std::string_view, std::size_t>> refused;
    std::size_t aggregation_nodes = 0;
  };
  const std::vector<expectation> table = {
      {"ibnetdiscover-dgx-ndr.txt",
       {{2, 2}, {3, 10}, {4, 109}},
       {{"MT4129 ConnectX7   Mellanox Technologies", 69}, {"localhost", 3}},
       40},
      {"ibnetdiscover-ibtopotool-1.txt", {}, {{"MT23108 InfiniHost Mellanox Technologies", 4}}},
      {"ibnetdiscover-ibtopotool-3.txt", {{1, 4}, {2, 1}}, {}},
      {"ibnetdiscover-p-avakas-0000.txt", {{1, 281}}, {}},
      {"ibnetdiscover-p-plafrim-0000.txt", {{1, 125}}, {}},
      {"ibnetdiscover-p-treydock-test.txt", {{1, 3}}, {}},
      {"ibsim-2sw2path.net", {{1, 2}}, {}},
      {"ibsim-2sw2path4hca.net", {{1, 4}}, {}},
      {"ibsim-2sw2path4hca2port.net", {{1, 2}}, {}},
      {"iblinkinfo-4ca-1switch.txt", {{1, 4}}, {}},
      {"iblinkinfo-back-to-back.txt", {{1, 1}}, {{"MT25408 ConnectX Mellanox Technologies", 1}}},
      {"iblinkinfo-l-speed-notes.txt", {{1, 2}}, {}},
  };
  for (const auto& expected : table) {
    CAPTURE(expected.file);
    const auto f =
        read_fabric(import::read_file(folder + "/corpus/ib-fabric/" + std::string(expected.file)), std::string(expected.file));
    const auto found = hosts_of(f);
    CHECK(is_complete(f, found));
    std::map<std::size_t, std::size_t> hosts;
    for (const auto& host : found.hosts) ++hosts[host.adapters.size()];
    CHECK(hosts == expected.hosts);
    CHECK(found.aggregation_nodes == expected.aggregation_nodes);
    REQUIRE(found.refused.size() == expected.refused.size());
    for (std::size_t i = 0; i < found.refused.size(); ++i) {
      CHECK(found.refused[i].name == expected.refused[i].first);
      CHECK(found.refused[i].devices.size() == expected.refused[i].second);
    }
  }
}

TEST_SUITE_END();
