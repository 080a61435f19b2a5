#include <topoplan/import/nvidia_smi_q.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inventory_summary.hpp"
#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::gpu_mode;
using import::nvidia_smi_q;
using topoplan::parse_error;

TEST_CASE("a tray with every fault") {
  const auto read = nvidia_smi_q(data_file("smi_q/mixed_faults.txt"), "q.txt");
  CHECK(read.driver == "565.57.01");
  CHECK(read.attached == 3U);
  CHECK(is_complete(read));
  REQUIRE(read.gpus.size() == 3);
  const auto& gpu = read.gpus[0];
  CHECK(gpu.pci == "0008:01:00.0");
  CHECK(gpu.uuid == "GPU-11111111-2222-3333-4444-555555555555");
  CHECK(gpu.model == "NVIDIA GB200");
  CHECK(gpu.memory->value == std::uint64_t{189471} << 20U);
  CHECK(gpu.mig == gpu_mode::off);
  CHECK(gpu.ecc == gpu_mode::on);
  CHECK(gpu.minor == 0U);
  CHECK(gpu.module == 2U);
  CHECK(gpu.chassis == "1820224000001");
  CHECK(gpu.slot == 24U);
  CHECK(gpu.tray == 14U);
  CHECK(gpu.host == 1U);
  CHECK(gpu.line == 9);
  CHECK(domains_of(read) == "aaaaaaaa-1111-2222-3333-444444444444.32766!, still registering, registering failed");
  CHECK(read.gpus[1].mig == gpu_mode::on);
  CHECK(read.gpus[1].mig_devices == 2);
  CHECK(read.gpus[1].memory->value == std::uint64_t{189471} << 20U);
  CHECK(has_note(read.notes, "GPU 0008:01:00.0 runs its PCIe link at width 8 of 16", 32));
  CHECK(has_note(read.notes, "reports Remapped Rows, Pending", 42));
  CHECK(has_note(read.notes, "reports its NVLink fabric as of bandwidth Degraded", 44));
  CHECK(has_note(read.notes, "GPU 0009:01:00.0 is in MIG mode, cut into 2 devices", 53));
  CHECK(has_note(read.notes, "is still registering with its NVLink fabric", 67));
  CHECK(has_note(read.notes, "GPU 0018:01:00.0 answers 'Product Name' with 'Unknown Error'", 74));
  CHECK(has_note(read.notes, "couldn't register with its NVLink fabric: Unknown Error", 75));
  CHECK(std::none_of(read.notes.begin(), read.notes.end(),
                     [](const auto& n) { return n.text.find("Host Max") != std::string::npos; }));
}

TEST_CASE("driver 535 names no domain; a GPU that doesn't answer has no block") {
  const auto read = nvidia_smi_q(data_file("smi_q/no_domain_535.txt"), "q.txt");
  CHECK(domains_of(read) == "not told");
  CHECK(has_note(read.notes, "Unable to determine the device handle", 1));
  CHECK(is_complete(read));
}

TEST_CASE("a text that was cut: fewer GPUs than attached, memory of a MIG device only") {
  const auto read = nvidia_smi_q(
      "Attached GPUs : 8\nGPU 00000000:1B:00.0\n    MIG Device\n        FB Memory Usage\n            Total : 9728 MiB\n",
      "q.txt");
  CHECK(!is_complete(read));
  CHECK(has_note(read.notes, "8 GPUs are attached and 1 described", 0));
  CHECK(read.gpus[0].mig_devices == 1);
  CHECK(!read.gpus[0].memory);
}

TEST_CASE("fragments: a GPU for each pair of lines, or for each section") {
  const auto pairs = nvidia_smi_q(data_file("smi_q/grep_pairs.txt"), "q.txt");
  CHECK(domains_of(pairs) == "50000000-0000-0000-0000-000000000005.4, 50000000-0000-0000-0000-000000000005.4");
  CHECK(!is_complete(pairs));
  const auto sections = nvidia_smi_q("    Fabric\n        State : In Progress\n--\n    Fabric\n        State : N/A\n", "q.txt");
  CHECK(domains_of(sections) == "still registering, no fabric");
  const auto flat = nvidia_smi_q(
      "Fabric\nState : Completed\nStatus : Success\nCliqueId : 1\nClusterUUID : 50000000-0000-0000-0000-000000000005\n"
      "Health\nSummary : Unhealthy\n",
      "q.txt");
  CHECK(domains_of(flat) == "50000000-0000-0000-0000-000000000005.1!");
}

TEST_CASE("what isn't `nvidia-smi -q` of one host is refused") {
  const auto refuse = [](const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(nvidia_smi_q(text, "q.txt")), doctest::Contains(message), parse_error);
  };
  refuse("", "the output of `nvidia-smi -q`");
  refuse("hello\nState : Active\n", "none of its fields");
  refuse("<?xml version=\"1.0\" ?>\n<nvidia_smi_log/>", "a document in XML, as `nvidia-smi -q -x` writes it");
  refuse("Attached GPUs : many\n", "q.txt:1: expected a number of attached GPUs, found 'many'");
  refuse("Attached GPUs : 1\nAttached GPUs : 1\n", "q.txt:2: expected the GPUs of one host");
  refuse("GPU 00000000:1B:00.0\nGPU 0000:1b:00.0\n",
         "q.txt:2: expected each GPU of one host once, found 0000:1b:00.0 as in line 1");
  refuse("CliqueId : -1\n", "q.txt:1: expected a number up to 4294967295 as CliqueId");
  refuse("ClusterUUID : 17\n", "a UUID as ClusterUUID, found '17'");
}

TEST_CASE("damaged files") {
  const auto reader = [](const std::string& text, const std::string& source) { return nvidia_smi_q(text, source); };
  check_survives(reader, data_file("smi_q/mixed_faults.txt"));
  check_survives(reader, data_file("smi_q/grep_pairs.txt"));
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  struct expectation {
    std::string_view file;
    std::string_view driver;
    std::size_t attached;  // 0: not told
    std::string_view model;
    std::string_view domains;
    std::string_view first_pci;
    std::string_view last_pci;
    std::string_view note;
  };
  const std::vector<expectation> files = {
      {"fabric-in-progress-wide.txt", "", 0, "", "still registering", "", "", "its domain isn't known yet"},
      {"fabric-unhealthy-grep.txt", "", 0, "", "00000000-0000-4000-8000-000000000001.2!", "", "",
       "reports its NVLink fabric as Unhealthy"},
      {"h100-1gpu-driver590.txt", "590.48.01", 1, "NVIDIA H100 80GB HBM3", "a fabric of its own host", "0000:00:09.0",
       "0000:00:09.0", ""},
      {"h100-8gpu-driver535.161.txt", "535.161.08", 8, "NVIDIA H100 80GB HBM3",
       "not told, not told, not told, not told, not told, not told, not told, not told", "0000:19:00.0", "0000:db:00.0", ""},
      {"h100-attached8-cut.txt", "535.183.01", 8, "NVIDIA H100 80GB HBM3", "not told", "0000:53:00.0", "0000:53:00.0",
       "8 GPUs are attached and 1 described"},
      {"h200-1gpu-zero-uuid.txt", "550.90.12", 1, "NVIDIA H200", "a fabric of its own host", "0000:03:00.0", "0000:03:00.0", ""},
      {"l40s-driver595.txt", "595.80", 1, "NVIDIA L40S", "no fabric", "0000:01:00.0", "0000:01:00.0", ""},
      {"v100-8gpu-fabric-na.txt", "550.127.05", 8, "Tesla V100-SXM2-16GB",
       "no fabric, no fabric, no fabric, no fabric, no fabric, no fabric, no fabric, no fabric", "0000:00:04.0", "0000:00:0b.0",
       ""},
  };
  for (const auto& expected : files) {
    INFO(expected.file);
    const auto read = nvidia_smi_q(
        import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/nvidia-smi-q/" + std::string(expected.file)), "q.txt");
    CHECK(read.driver == expected.driver);
    CHECK(read.attached.value_or(0) == expected.attached);
    CHECK(read.gpus.front().model == expected.model);
    CHECK(domains_of(read) == expected.domains);
    CHECK(read.gpus.front().pci == expected.first_pci);
    CHECK(read.gpus.back().pci == expected.last_pci);
    if (expected.note.empty()) {
      CHECK(read.notes.empty());
    } else {
      REQUIRE(read.notes.size() == 1);
      CHECK(read.notes.front().text.find(expected.note) != std::string::npos);
    }
  }
}
