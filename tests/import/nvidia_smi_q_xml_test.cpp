#include <topoplan/import/nvidia_smi_q_xml.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "inventory_summary.hpp"
#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::gpu_mode;
using import::nvidia_smi_q_xml;
using topoplan::parse_error;

TEST_CASE("the same fields and faults as in the text") {
  const auto read = nvidia_smi_q_xml(data_file("smi_q_xml/two_gpus.xml"), "q.xml");
  CHECK(read.driver == "565.57.01");
  CHECK(read.attached == 4U);
  CHECK(!is_complete(read));
  REQUIRE(read.gpus.size() == 2);
  const auto& gpu = read.gpus[0];
  CHECK(gpu.pci == "0008:01:00.0");
  CHECK(gpu.uuid == "GPU-11111111-2222-3333-4444-555555555555");
  CHECK(gpu.model == "NVIDIA GB200");
  CHECK(gpu.memory->value == std::uint64_t{189471} << 20U);
  CHECK(gpu.mig == gpu_mode::on);
  CHECK(gpu.mig_devices == 1);
  CHECK(gpu.ecc == gpu_mode::on);
  CHECK(gpu.chassis == "1820224000001");
  CHECK(gpu.slot == 24U);
  CHECK(gpu.tray == 14U);
  CHECK(gpu.host == 1U);
  CHECK(gpu.module == 2U);
  CHECK(gpu.line == 8);
  CHECK(read.gpus[1].mig == gpu_mode::not_given);
  CHECK(domains_of(read) == "aaaaaaaa-1111-2222-3333-444444444444.7!, still registering");
  CHECK(has_note(read.notes, "4 GPUs are attached and 2 described", 0));
  CHECK(has_note(read.notes, "is in MIG mode, cut into 1 device", 8));
  CHECK(has_note(read.notes, "runs its PCIe link at width 8 of 16", 24));
  CHECK(has_note(read.notes, "reports remapped_row_pending", 28));
  CHECK(has_note(read.notes, "reports its NVLink fabric as Unhealthy", 29));
  CHECK(has_note(read.notes, "GPU 0009:01:00.0 asks for recovery: 'Reset'", 40));
  CHECK(has_note(read.notes, "still registering", 41));
}

TEST_CASE("what isn't `nvidia-smi -q -x` is refused") {
  const auto refuse = [](const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(nvidia_smi_q_xml(text, "q.xml")), doctest::Contains(message), parse_error);
  };
  refuse("GPU 00000000:1B:00.0\n", "q.xml:");
  refuse("<system/>", "found an NCCL topology XML");
  refuse("<nvidia_smi_log><gpu/></nvidia_smi_log>", "a PCI address as id of <gpu>");
  refuse("<nvidia_smi_log><attached_gpus>x</attached_gpus></nvidia_smi_log>", "a number of attached GPUs");
  refuse("<nvidia_smi_log><gpu id=\"0000:01:00.0\"/>\n<gpu id=\"00000000:01:00.0\"/></nvidia_smi_log>",
         "q.xml:2: expected each GPU of one host once");
  refuse("<nvidia_smi_log><gpu id=\"0:1:0.0\"><fabric><cliqueId>x</cliqueId></fabric></gpu></nvidia_smi_log>",
         "as CliqueId, found 'x'");
}

TEST_CASE("damaged files") {
  check_survives([](const std::string& text, const std::string& source) { return nvidia_smi_q_xml(text, source); },
                 data_file("smi_q_xml/two_gpus.xml"));
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  const auto read = [](const std::string& name) {
    return nvidia_smi_q_xml(import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/nvidia-smi-q/" + name), name);
  };
  const auto a100 = read("telegraf-a100-sxm4-v12.xml");
  CHECK(a100.attached == 4U);
  REQUIRE(a100.gpus.size() == 1);
  CHECK(a100.gpus[0].mig_devices == 4);
  CHECK(a100.gpus[0].model == "NVIDIA A100-SXM4-80GB");
  CHECK(a100.gpus[0].memory->value == std::uint64_t{81920} << 20U);
  CHECK(domains_of(a100) == "no fabric");
  CHECK(has_note(a100.notes, "4 GPUs are attached and 1 described", 0));
  CHECK(has_note(a100.notes, "is in MIG mode, cut into 4 devices", 8));
  const auto rtx = read("telegraf-rtx-3080-v13.xml");
  CHECK(is_complete(rtx));
  CHECK(rtx.gpus[0].pci == "0000:0c:00.0");
  CHECK(rtx.gpus[0].mig == gpu_mode::none);
  CHECK(domains_of(rtx) == "no fabric");
  CHECK(rtx.notes.empty());
}
