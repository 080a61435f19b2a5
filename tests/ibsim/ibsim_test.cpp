// A simulated fabric, set up by a real subnet manager and discovered by the real tools, is imported as what was simulated.
#include <topoplan/graph/fold.hpp>
#include <topoplan/import/fabric_graph_of.hpp>
#include <topoplan/import/ib_hosts.hpp>
#include <topoplan/import/ib_network.hpp>
#include <topoplan/import/ib_subnets.hpp>
#include <topoplan/import/nvidia_smi_topo.hpp>
#include <topoplan/import/read_file.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "import/ib_summary.hpp"
#include "support/command.hpp"
#include "support/ib_net.hpp"

using namespace topoplan_test;
using import::hosts_of;
using import::ib_fault_kind;
using import::network_of;
using topoplan::cluster;
using topoplan::fold;

namespace {

// Empty when the simulation can run; else why not.
const std::string& obstacle() {
  static const std::string found = [] {
    for (const char* program : {"ibsim", "opensm", "ibnetdiscover", "iblinkinfo", "smpquery", "unshare"}) {
      if (!has_program(program)) return std::string(program) + " isn't installed";
    }
    for (const std::string options : {"-n", "-rn"}) {
      if (std::system(("unshare " + options + " true 2>/dev/null").c_str()) == 0) return std::string{};
    }
    return std::string("no network namespace can be made");
  }();
  return found;
}

// A folder that goes away with the object.
class temporary_folder {
 public:
  temporary_folder() {
    path_ = (std::filesystem::temp_directory_path() / "topoplan-ibsim-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

struct discovery {
  std::string records;
  std::string report;
  std::string links;
  std::string lines;
};

std::string id_of(const ib_net& net, std::uint32_t device) {
  return std::string(net.devices[device].is_switch ? "S-" : "H-") + import::guid_text(net.devices[device].guid).substr(2);
}

// What the tools print from a device on, after the cables at those ports were unplugged.
discovery discover(const ib_net& net, const std::string& start, const std::vector<ib_net_port>& unplugged = {}) {
  const temporary_folder folder;
  const std::string file = folder.path() + "/net";
  std::ofstream(file, std::ios::binary) << ib_net_writer(net).records(false);
  std::string command = std::system("unshare -n true 2>/dev/null") == 0 ? "unshare -n" : "unshare -rn";
  command += " " TOPOPLAN_IBSIM_SCRIPT " " + file + ' ' + folder.path() + ' ' + id_of(net, net.find(start));
  for (const auto& port : unplugged) {
    command += " '\"" + id_of(net, port.device) + "\"[" + std::to_string(port.number) + "]'";
  }
  const auto log = output_of(command + " 2>&1 || echo failed");
  REQUIRE_MESSAGE(log.find("failed") == std::string::npos, log);
  const auto read = [&](const std::string& name) { return import::read_file(folder.path() + '/' + name); };
  return {read("records.txt"), read("report.txt"), read("links.txt"), read("lines.txt")};
}

cluster folded(const import::ib_fabric& f) {
  static const auto node =
      import::nvidia_smi_topo(import::read_file(TOPOPLAN_TEST_DATA "/import/topo/eight-rails.txt"), "eight-rails.txt");
  return fold(fabric_graph_of(f, hosts_of(f), node));
}

// Of each host its domain, its rails and its leaf group, by name: the tools print hosts in an order of their own.
std::map<std::string, std::string> hosts_in(const cluster& c) {
  std::map<std::string, std::string> all;
  std::map<std::uint32_t, std::string> group;  // by its first host by name
  for (const auto& host : c.hosts) {
    auto& first = group[host.leaf];
    if (first.empty() || host.name < first) first = host.name;
  }
  for (const auto& host : c.hosts) {
    std::string text = "with " + group[host.leaf] + ':';
    for (std::uint32_t g = host.first_gpu; g < host.first_gpu + host.gpu_count; ++g) {
      text += ' ' + std::to_string(c.gpus[g].rail) + (c.gpus[g].domain == c.gpus[host.first_gpu].domain ? "" : "!");
    }
    all[host.name] = text;
  }
  return all;
}

void check_same_structure(const cluster& found, const cluster& simulated) {
  CHECK(hosts_in(found) == hosts_in(simulated));
  CHECK(found.rails == simulated.rails);
  CHECK(found.domains == simulated.domains);
  REQUIRE(found.tiers.size() == simulated.tiers.size());
  for (std::size_t t = 0; t < found.tiers.size(); ++t) {
    CHECK(found.tiers[t].nodes.size() == simulated.tiers[t].nodes.size());
    CHECK(found.tiers[t].oversubscription == doctest::Approx(simulated.tiers[t].oversubscription));
  }
}

bool skipped() {
  if (!obstacle().empty()) MESSAGE("skipped: " << obstacle());
  return !obstacle().empty();
}

}  // namespace

TEST_SUITE_BEGIN("ibsim");

TEST_CASE("two leaf groups and eight rails, as every tool prints them, fold into the cluster that was simulated") {
  if (skipped()) return;
  const auto graph = graph_of({2, 4, 4, 2, 1});
  const auto net = ib_net_of(graph, "4xHDR");  // ibsim knows no NDR
  const auto simulated = fold(graph);
  const auto printed = discover(net, "gpu-000 mlx5_0");
  const auto expected = cables_of(import::ibnetdiscover(ib_net_writer(net).records(), "net"));
  for (const auto& text : {printed.records, printed.report, printed.links, printed.lines}) {
    const auto f = read_fabric(text, "discovered");
    CHECK(is_sound(f));
    CHECK(cables_of(f) == expected);
    CHECK(network_of(f, hosts_of(f)).faults.empty());
    check_same_structure(folded(f), simulated);
  }
  const auto network = network_of(read_fabric(printed.records, "n"), hosts_of(read_fabric(printed.records, "n")));
  CHECK(network.groups.size() == 2);
  CHECK(network.rails == 8);
  CHECK(roots(network.tree) == 1);
}

TEST_CASE("a rail-only fabric arrives as two outputs with nothing in common, and is merged by its hosts") {
  if (skipped()) return;
  const auto graph = graph_of({2, 4, 2, 1, 2});
  const auto net = ib_net_of(graph, "4xHDR");
  const auto low = read_fabric(discover(net, "gpu-000 mlx5_0").records, "low");
  const auto high = read_fabric(discover(net, "gpu-003 mlx5_7").records, "high");
  CHECK(low.devices.size() == net.devices.size() / 2);
  CHECK(high.devices.size() == net.devices.size() / 2);
  const auto f = import::merge_subnets({low, high});
  CHECK(is_sound(f));
  CHECK(cables_of(f) == cables_of(import::ibnetdiscover(ib_net_writer(net).records(), "net")));
  const auto network = network_of(f, hosts_of(f));
  CHECK(network.groups.size() == 2);
  CHECK(network.rails == 8);
  CHECK(network.faults.empty());
  CHECK(roots(network.tree) == 1);
  check_same_structure(folded(f), fold(graph));
}

TEST_CASE("cables unplugged while it runs show as degraded") {
  if (skipped()) return;
  auto net = ib_net_of(graph_of({2, 4, 4, 1, 1}), "4xHDR");
  const auto whole = net;
  const std::vector<ib_net_port> ends = {net.unplug("leaf-su1-r3", "gpu-005 mlx5_3"), net.unplug("leaf-su0-r2", "spine-p0-1")};
  const auto printed = discover(whole, "gpu-000 mlx5_0", ends);
  for (const auto& text : {printed.records, printed.report, printed.links, printed.lines}) {
    const auto f = read_fabric(text, "discovered");
    const auto network = network_of(f, hosts_of(f));
    CHECK(network.groups.size() == 2);
    CHECK(network.rails == 8);
    CHECK(network.faults.size() == 2);
    CHECK(has_fault(network, ib_fault_kind::missing_adapter,
                    "gpu-005 has 7 adapters on leaf switches, and 3 of 4 hosts have 8: none on leaf-su1-r3 (rail 3)"));
    CHECK(has_fault(network, ib_fault_kind::missing_uplink,
                    "leaf-su0-r2 has 3 cables to the switches above it, and 15 of 16 like it have 4: none to spine-p0-1"));
  }
}

TEST_SUITE_END();
