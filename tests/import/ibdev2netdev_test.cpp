#include <topoplan/import/ibdev2netdev.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "nic_summary.hpp"
#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::ibdev2netdev;
using topoplan::parse_error;

namespace {

std::string netdevs_of(const import::nic_inventory& nics) {
  std::string out;
  for (const auto& device : nics.devices) {
    for (const auto& port : device.ports) out += (out.empty() ? "" : " ") + port.netdev + (*port.netdev_up ? "+" : "-");
  }
  return out;
}

}  // namespace

TEST_CASE("(Down) is the interface's state, not the port's") {
  const auto nics = ibdev2netdev(data_file("ib_host/ibdev2netdev.txt"), "d.txt");
  CHECK(names_of(nics) == "mlx5_0 mlx5_10 mlx5_1");
  CHECK(netdevs_of(nics) == "ibp26s0- eth2+ net1+");
  CHECK(ports_of(nics) == "unknown/InfiniBand/- unknown/Ethernet/- unknown/unknown/-");
  CHECK(has_note(nics.notes, "network interfaces down: 1; the ports under them may work", 0));
}

TEST_CASE("-v tells address, type and the port's state") {
  const auto nics = ibdev2netdev(data_file("ib_host/ibdev2netdev_v.txt"), "d.txt");
  CHECK(names_of(nics) == "mlx5_0 mlx5_1");
  CHECK(nics.devices[1].pci == "0000:1a:00.1");
  CHECK(nics.devices[1].type == "MT4129");
  CHECK(ports_of(nics) == "active/InfiniBand/- down/InfiniBand/-");
  CHECK(has_note(nics.notes, "mlx5_1 is down", 2));
}

TEST_CASE("what isn't ibdev2netdev is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(ibdev2netdev("", "d")), doctest::Contains("d: expected the output of `ibdev2netdev`"),
                       parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(ibdev2netdev("mlx5_0 ==> ib0 (Up)\n", "d")),
                       doctest::Contains("d:1:1: expected a line such as"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(ibdev2netdev("a port 1 ==> b (Up)\nc port 1 ==> d (Up)\na port 1 ==> b (Up)\n", "d")),
                       doctest::Contains("d:3: expected each device of one host once"), parse_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(ibdev2netdev("a port 1 ==> b (Up)\na port 1 ==> c (Up)\n", "d")),
                       doctest::Contains("d:2: expected each port of a once"), parse_error);
}

TEST_CASE("damaged files") {
  const auto reader = [](const std::string& text, const std::string& source) { return ibdev2netdev(text, source); };
  check_survives(reader, data_file("ib_host/ibdev2netdev.txt"));
  check_survives(reader, data_file("ib_host/ibdev2netdev_v.txt"));
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  const auto read = [](const std::string& name) {
    return ibdev2netdev(import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/ib-host/" + name), name);
  };
  const auto comments = read("ibdev2netdev-column-t-comments.txt");
  CHECK(names_of(comments) == "mlx5_0 mlx5_1 mlx5_10 mlx5_11 mlx5_2 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_7 mlx5_8 mlx5_9");
  CHECK(compute_of(comments) == "mlx5_0 mlx5_10 mlx5_11 mlx5_3 mlx5_4 mlx5_5 mlx5_6 mlx5_9");
  CHECK(netdevs_of(comments) ==
        "ibp26s0- enp27s0f0np0+ ibp204s0- ibp220s0- enp27s0f1np1- ibp60s0- ibp77s0- ibp94s0- ibp156s0- enp157s0f0np0+ "
        "enp157s0f1np1- ibp188s0-");
  CHECK(has_note(comments.notes, "network interfaces down: 10; the ports under them may work", 0));
  const auto pod = read("ibdev2netdev-pod-8rail.txt");
  CHECK(netdevs_of(pod) == "net1+ net2+ net3+ net4+ net5+ net6+ net7+ net8+");
  CHECK(pod.notes.empty());
}
