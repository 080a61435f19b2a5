#include <topoplan/import/nvidia_smi_nvlink.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "summary.hpp"
#include "survives.hpp"

using namespace topoplan_test;
using import::active_nvlinks;
using import::nvidia_smi_nvlink;
using import::nvlink_answer;
using topoplan::parse_error;

namespace {

// Active links of each GPU, ? where the text doesn't tell.
std::string active_of(const import::nvlink_status& status) {
  std::vector<std::string> all;
  for (const auto& gpu : status.gpus) {
    const auto active = active_nvlinks(gpu);
    all.push_back(active ? std::to_string(*active) : "?");
  }
  return runs(all);
}

}  // namespace

TEST_CASE("every answer under a heading") {
  const auto status = nvidia_smi_nvlink(data_file("nvlink_status/answers.txt"), "nvlink.txt");
  REQUIRE(status.gpus.size() == 7);
  CHECK(active_of(status) == "3 2 ? 0x2 ?x2");
  CHECK(status.gpus[0].links[2].rate->gigabytes() == doctest::Approx(26.562));
  CHECK(!status.gpus[1].links[1].rate);
  CHECK(status.gpus[1].model == "NVIDIA H100 80GB HBM3");
  CHECK(status.gpus[1].uuid == "GPU-11111111-0000-0000-0000-000000000001");
  CHECK(status.gpus[2].answer == nvlink_answer::incomplete);
  CHECK(status.gpus[3].answer == nvlink_answer::mig);
  CHECK(status.gpus[4].answer == nvlink_answer::inactive);
  CHECK(status.gpus[5].answer == nvlink_answer::other);
  CHECK(status.gpus[6].answer == nvlink_answer::nothing);
  CHECK(has_note(status.notes, "GPU1 has 2 active NVLinks, another GPU of this host 3", 5));
  CHECK(has_note(status.notes, "GPU2: the text breaks off after 1 link", 9));
  CHECK(has_note(status.notes, "GPU3 is in MIG mode", 12));
  CHECK(has_note(status.notes, "GPU4 has 0 active NVLinks", 14));
  CHECK(has_note(status.notes, "GPU5: 'NVML: Unable to retrieve NVLink information: Unknown Error'", 17));
  CHECK(has_note(status.notes, "GPU6: the text breaks off after 0 links", 18));
}

TEST_CASE("a link that is down on every GPU, and a text cut inside a link") {
  const auto down = nvidia_smi_nvlink("GPU 0: A (UUID: GPU-1)\n Link 0: 25 GB/s\n Link 1: <inactive>\n", "n");
  CHECK(has_note(down.notes, "GPU0: 1 of 2 NVLinks are inactive", 1));
  const auto cut = nvidia_smi_nvlink("GPU 0: A (UUID: GPU-1)\n Link 0: 25 GB/s\n Link 1: 2", "n");
  CHECK(cut.gpus[0].answer == nvlink_answer::incomplete);
  CHECK(!active_nvlinks(cut.gpus[0]));
}

TEST_CASE("what isn't `nvlink -s` is refused") {
  const auto refuse = [](const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_WITH_AS(static_cast<void>(nvidia_smi_nvlink(text, "n.txt")), doctest::Contains(message), parse_error);
  };
  refuse("", "n.txt: expected the output of `nvidia-smi nvlink -s`");
  refuse("GPU 0: A (UUID: GPU-1)\n Link 0: fast\n",
         "n.txt:2:2: expected a link such as 'Link 0: 26.562 GB/s', found 'Link 0: fast'");
  refuse("GPU 0: A (UUID: GPU-1)\n Link 0: 25 GB/s\n Link 0: 25 GB/s\n", "n.txt:3: expected each link of GPU 0 once");
  refuse("GPU 0: A (UUID: GPU-1)\nGPU 0: A (UUID: GPU-1)\n", "n.txt:2: expected each GPU once, found GPU 0 as in line 1");
}

TEST_CASE("damaged files") {
  check_survives([](const std::string& text, const std::string& source) { return nvidia_smi_nvlink(text, source); },
                 data_file("nvlink_status/answers.txt"));
}

TEST_CASE("the reference files") {
  if (std::string_view(TOPOPLAN_REFERENCE_DIR).empty()) {
    MESSAGE("no reference folder: the real files aren't read");
    return;
  }
  struct expectation {
    std::string_view file;
    std::string_view active;
    double rate;  // GB/s of every link; 0: none
    std::string_view note;
  };
  for (const auto& expected :
       std::vector<expectation>{{"a100-8gpu-12links.txt", "12x8", 25, ""},
                                {"gb200-elided.txt", "18 ?", 53.125, "GPU1: the text breaks off after 2 links"},
                                {"h100-1gpu-18links.txt", "18", 26.562, ""},
                                {"h100-mig-not-supported.txt", "0", 0, "GPU0 is in MIG mode"},
                                {"rtx2080s-windows.txt", "0", 0, ""}}) {
    INFO(expected.file);
    const auto status = nvidia_smi_nvlink(
        import::read_file(std::string(TOPOPLAN_REFERENCE_DIR) + "/corpus/nvidia-smi-nvlink/" + std::string(expected.file)), "n");
    CHECK(active_of(status) == expected.active);
    for (const auto& gpu : status.gpus) {
      for (const auto& link : gpu.links) CHECK(link.rate->gigabytes() == doctest::Approx(expected.rate));
    }
    CHECK(status.notes.size() == (expected.note.empty() ? 0 : 1));
    if (!expected.note.empty()) CHECK(status.notes.front().text.find(expected.note) == 0);
  }
}
