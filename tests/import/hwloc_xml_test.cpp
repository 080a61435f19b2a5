#include <topoplan/import/device_paths.hpp>
#include <topoplan/import/hwloc_xml.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::device_kind;
using import::host_devices;
using import::hwloc_xml;
using import::node_topology_of;
using topoplan::parse_error;

namespace {

std::string packages_of(const host_devices& host) {
  std::vector<std::string> all;
  for (const auto gpu : devices_of(host, device_kind::gpu)) {
    const auto& package = host.devices[gpu].package;
    all.push_back(package ? std::to_string(*package) : "?");
  }
  return runs(all);
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen((command + " 2>/dev/null").c_str(), "r"), ::pclose);
  std::string text;
  char buffer[4096];
  while (pipe) {
    const auto got = std::fread(buffer, 1, sizeof buffer, pipe.get());
    if (got == 0) break;
    text.append(buffer, got);
  }
  return text;
}

using matrix = std::map<std::pair<std::string, std::string>, std::uint64_t>;

// What libhwloc makes of the file: the cells of NVLinkBandwidth that aren't on the diagonal and not 0.
matrix nvlinks_of_hwloc(const std::string& file) {
  std::istringstream text(output_of("lstopo-no-graphics -i '" + file + "' --distances"));
  std::vector<std::string> columns;
  matrix cells;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "Relative") inside = line.find("NVLinkBandwidth") != std::string::npos;
    if (!inside || name == "Relative") continue;
    if (name == "index") {
      for (std::string column; words >> column;) columns.push_back(column);
      continue;
    }
    for (const auto& column : columns) {
      std::uint64_t value = 0;
      words >> value;
      if (column != name && value != 0) cells[{name, column}] = value;
    }
  }
  return cells;
}

std::string name_of(const import::host_device& device) { return device.kind == device_kind::gpu ? device.name : device.pci; }

matrix nvlinks_of(const host_devices& host) {
  matrix cells;
  for (const auto& bundle : host.nvlinks) {
    const auto a = name_of(host.devices[bundle.a]);
    const auto b = name_of(host.devices[bundle.b]);
    cells[{a, b}] = cells[{b, a}] = static_cast<std::uint64_t>(bundle.rate->value / 1e6 + 0.5);
  }
  return cells;
}

// Compares with libhwloc 2: matrix, and package of every GPU.
void check_as_hwloc(const std::string& text) {
  if (output_of("lstopo-no-graphics --version").find("lstopo-no-graphics 2") == std::string::npos) {
    MESSAGE("lstopo-no-graphics 2 (Debian: hwloc-nox) isn't installed: nothing to compare with");
    return;
  }
  const auto path = std::filesystem::temp_directory_path() / ("topoplan-hwloc-" + std::to_string(::getpid()) + ".xml");
  std::ofstream(path) << text;
  const auto host = hwloc_xml(text, "small.xml");
  const auto ours = nvlinks_of(host);
  CHECK(!ours.empty());
  CHECK(ours == nvlinks_of_hwloc(path.string()));
  for (const auto gpu : devices_of(host, device_kind::gpu)) {
    const auto& device = host.devices[gpu];
    const auto told = output_of("hwloc-calc -i '" + path.string() + "' --po os=" + device.name + " -I package");
    INFO(device.name);
    CHECK(told == std::to_string(*device.package) + "\n");
  }
  std::filesystem::remove(path);
}

// libhwloc 2 doesn't read version 3, which differs in how OS devices are numbered.
std::string as_version_2(std::string text) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("<topology version=\"3.0\">", "<topology version=\"2.0\">");
  replace("osdev_type=\"12\"", "osdev_type=\"1\"");
  return text;
}

}  // namespace

TEST_CASE("packages, NUMA nodes, bridges, NVLink direct and by a switch, NICs") {
  const auto text = data_file("hwloc/small.xml");
  const auto host = hwloc_xml(text, "small.xml");
  CHECK(host.host == "Four GPUs");
  CHECK(host.bridges_are_ports);
  CHECK(host.nvlinks_given);
  CHECK(packages_of(host) == "0x2 1x2");
  CHECK(devices_of(host, device_kind::nvswitch).size() == 1);
  const auto node = node_topology_of(host);
  CHECK(pairs_of(node) == "NV2:1 NV3:1 SYS:4");
  CHECK(groups_of(node) == "0,1 NV2; 2,3 NV3");
  CHECK(numa_of(node) == "0x2 1x2");
  CHECK(cpus_of(node) == "0-1x2 2-3x2");
  CHECK(nics_of(node) == "mlx5_0");
  CHECK(nearest_of(node) == "PIX:0 NODE:0 SYS:0x2");
  CHECK(node.gpus[0].uuid == "GPU-aaaaaaaa-0000-0000-0000-000000000000");
  CHECK(node.gpus[0].model == "Tesla V100");
  CHECK(node.nics[0].guid == "0xec0d9a0300123456");
  CHECK(has_note(node.notes, "NIC mlx5_0: port 1 isn't active", 26));
  CHECK(has_note(node.notes, "network devices without RDMA are left out: 1", 0));
  check_as_hwloc(text);
}

TEST_CASE("hwloc 1: NUMA nodes that hold sockets, no version, no matrix") {
  const auto host = hwloc_xml(data_file("hwloc/v1.xml"), "v1.xml");
  CHECK(packages_of(host) == "0 1");
  const auto node = node_topology_of(host);
  CHECK(pairs_of(node) == "SYS:1");
  CHECK(nvlink_of(node) == "unknown");
  CHECK(numa_of(node) == "0 1");
}

TEST_CASE("a bandwidth that is no multiple of a link's joins and counts nothing") {
  auto text = data_file("hwloc/small.xml");
  for (auto at = text.find("75000"); at != std::string::npos; at = text.find("75000", at)) text.replace(at, 5, "12345");
  const auto node = node_topology_of(hwloc_xml(text, "odd.xml"));
  CHECK(node.between(2, 3) == import::path{import::path_kind::nvlink, 0});
}

TEST_CASE("what isn't hwloc's is refused") {
  const auto refuse = [](const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(hwloc_xml(text, "h.xml")), doctest::Contains(message), parse_error);
  };
  const std::string head = "<topology version=\"2.0\"><object type=\"Machine\">";
  refuse("<system/>", "found an NCCL topology XML");
  refuse("<topology version=\"4.0\"/>", "version 2 or 3, or none");
  refuse("<topology version=\"2.0\"/>", "an <object> in <topology>");
  refuse(head + "<object type=\"NUMANode\" os_index=\"0\"/>\n<object type=\"NUMANode\" os_index=\"0\"/></object></topology>",
         "h.xml:2:1: expected each NUMA node once");
  refuse(head + "<object type=\"Package\" os_index=\"0\" cpuset=\"0xg\"/></object></topology>", "a mask in hex words as cpuset");
  refuse(head + "</object><distances2hetero nbobjs=\"2\" name=\"NVLinkBandwidth\"/></topology>",
         "2 indexes and 4 values, found 0 and 0");
  refuse(head + "</object><distances2hetero nbobjs=\"9999\" name=\"NVLinkBandwidth\"/></topology>", "1 to 1024, found '9999'");
  refuse(head +
             "</object><distances2hetero nbobjs=\"1\" name=\"NVLinkBandwidth\"><indexes>a</indexes><u64values>b</u64values>"
             "</distances2hetero></topology>",
         "bandwidths in MB/s, found 'b'");
}

TEST_CASE("damaged files") {
  check_survives([](const std::string& text, const std::string& source) { return node_topology_of(hwloc_xml(text, source)); },
                 data_file("hwloc/small.xml"));
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  const auto file = [](const std::string& name) { return import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/" + name); };
  const auto dgx2 = file("corpus/hwloc/dgx2-16gpu-12nvswitch.xml");
  const auto host = hwloc_xml(dgx2, "dgx2");
  CHECK(host.host == "NVIDIA DGX-2H");
  CHECK(packages_of(host) == "0x8 1x8");
  CHECK(devices_of(host, device_kind::numa_node).size() == 2);
  CHECK(devices_of(host, device_kind::nvswitch).size() == 12);
  CHECK(host.nvlinks.size() == 96);
  for (const auto& bundle : host.nvlinks) {
    CHECK(bundle.rate->value == 25e9);
    CHECK(bundle.count == 1);
  }
  const auto node = node_topology_of(host);
  CHECK(pairs_of(node) == "NV6:120");
  CHECK(groups_of(node) == "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 NV6");
  CHECK(has_note(node.notes, "the NVSwitches fall into 2 groups that no listed link joins", 0));
  check_as_hwloc(as_version_2(dgx2));
  check_as_hwloc(file("clients/hwloc_8gpu_nvswitch.xml"));
  const auto sample = hwloc_xml(file("clients/hwloc_8gpu_nvswitch.xml"), "sample");
  CHECK(packages_of(sample) == "0x4 1x4");
  CHECK(pairs_of(node_topology_of(sample)) == "NV18:28");
  CHECK(nearest_of(node_topology_of(sample)) == "PHB:0 PHB:1 PHB:2 PHB:3 PHB:4 PHB:5 PHB:6 PHB:7");
  for (const auto* name : {"dgx-gb10.xml", "dgx-gb10-nomidr.xml"}) {
    INFO(name);
    const auto spark = hwloc_xml(file(std::string("corpus/hwloc/") + name), name);
    CHECK(spark.host == "NVIDIA_DGX_Spark");
    CHECK(spark.devices.size() == 1);
    CHECK(has_note(spark.notes, "no GPU is listed", 0));
    CHECK_THROWS_WITH_AS(static_cast<void>(node_topology_of(spark)), doctest::Contains("expected GPUs, found none"), parse_error);
  }
}
