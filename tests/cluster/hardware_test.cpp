#include <topoplan/cluster/hardware.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/csv.hpp"

using topoplan::figure;
using topoplan::gpu_model;
using topoplan::system_model;

namespace {

std::string message_of(auto&& call) {
  try {
    call();
  } catch (const topoplan::invalid_argument& e) {
    return e.what();
  }
  return "no exception";
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The number that a cell begins with, none when it begins otherwise. "9 switch trays x 2 chips" and "9x2" are products,
// "96 / 141" holds one number a variant.
std::optional<double> leading_number(std::string cell, std::size_t variant = 0) {
  if (const std::size_t slash = cell.find(" / "); variant == 1 && slash != std::string::npos) cell = cell.substr(slash + 3);
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (end == cell.c_str()) return std::nullopt;
  const std::string rest(end);
  if (rest.starts_with("x2") || rest.starts_with(" switch trays x 2")) return value * 2;
  return value;
}

}  // namespace

TEST_SUITE_BEGIN("cluster/hardware");

TEST_CASE("every way that people write a GPU's name finds it") {
  const std::pair<std::string_view, std::string_view> names[] = {
      {"h100-sxm", "H100-SXM 80GB"},
      {"H100-SXM 80GB", "H100-SXM 80GB"},
      {"H100", "H100-SXM 80GB"},
      {"h100_sxm5", "H100-SXM 80GB"},
      {"NVIDIA H100 80GB HBM3", "H100-SXM 80GB"},
      {"h100-pcie", "H100-PCIe 80GB"},
      {"NVIDIA H100 PCIe", "H100-PCIe 80GB"},
      {"gb200", "GB200"},
      {"NVIDIA GB200", "GB200"},
      {"b200-sxm", "B200-SXM 180GB"},
      {"B300", "B300-SXM 288GB"},
      {"NVIDIA A100-SXM4-80GB", "A100-SXM 80GB"},
      {"NVIDIA A100-SXM4-40GB", "A100-SXM 40GB"},
      {"a100-sxm", "A100-SXM 80GB"},
      {"Tesla V100-SXM2-32GB", "V100-SXM 32GB"},
      {"AMD Instinct MI300X", "MI300X 192GB"},
      {"rtx 4090", "RTX 4090 24GB"},
  };
  for (const auto& [name, title] : names) {
    CAPTURE(name);
    CHECK(topoplan::find_gpu(name).title == title);
    CHECK(topoplan::lookup_gpu(name) == &topoplan::find_gpu(name));
  }
}

TEST_CASE("an unknown name says which known ones are near, or all") {
  const std::string near = message_of([] { (void)topoplan::find_gpu("h10-sxm"); });
  CHECK(contains(near, "unknown GPU 'h10-sxm'"));
  CHECK(contains(near, "did you mean h100-sxm"));
  const std::string far = message_of([] { (void)topoplan::find_gpu("quadro-zx"); });
  for (const gpu_model& m : topoplan::gpu_catalogue()) CHECK(contains(far, m.name));
  CHECK(contains(message_of([] { (void)topoplan::find_gpu(""); }), "unknown GPU ''"));
  CHECK(contains(message_of([] { (void)topoplan::find_gpu("nvidia"); }), "unknown GPU 'nvidia'"));
  CHECK(contains(message_of([] { (void)topoplan::find_system("dgx-h10"); }), "did you mean dgx-h100"));
  CHECK(topoplan::lookup_gpu("quadro-zx") == nullptr);
  CHECK(topoplan::lookup_system("cray-1") == nullptr);
}

TEST_CASE("no two entries answer to one name") {
  std::map<std::string, std::string_view> owner;
  for (const gpu_model& m : topoplan::gpu_catalogue()) {
    std::set<std::string> own{topoplan::detail::folded(m.name), topoplan::detail::folded(m.title)};
    for (const std::string_view alias : m.aliases)
      if (!alias.empty()) own.insert(topoplan::detail::folded(alias));
    for (const std::string& name : own) {
      CAPTURE(name);
      CHECK(owner.emplace(name, m.name).second);
    }
  }
}

TEST_CASE("every system's GPU is in the catalogue, and its counts fit each other") {
  for (const system_model& s : topoplan::system_catalogue()) {
    CAPTURE(s.name);
    REQUIRE(topoplan::lookup_gpu(s.gpu) != nullptr);
    CHECK(topoplan::lookup_gpu(s.gpu)->name == s.gpu);
    CHECK(s.gpus_per_host % s.rails == 0);
    CHECK(static_cast<int>(s.nics.value) % s.rails == 0);
    if (s.numa_nodes != 0) CHECK(s.gpus_per_host % s.numa_nodes == 0);
    const double links = topoplan::lookup_gpu(s.gpu)->nvlinks.value;
    if (s.nvswitches.value > 0 && topoplan::lookup_gpu(s.gpu)->nvlinks.known())
      CHECK(links * s.gpus_per_host >= s.nvswitches.value);
    CHECK(topoplan::nic_rate_per_gpu(s).value > 0);
  }
}

TEST_CASE("figures are known exactly when they have a source") {
  const gpu_model& h100 = topoplan::find_gpu("h100-sxm");
  CHECK(h100.bf16.value == 989);
  CHECK(contains(h100.bf16.source, "ml-engineering"));
  CHECK_FALSE(h100.fp4.known());
  CHECK(h100.fp4.value == 0);
  CHECK_FALSE(topoplan::find_gpu("b100").bf16.known());
  CHECK_FALSE(topoplan::find_gpu("v100").power.known());
  CHECK_FALSE(topoplan::find_gpu("h800").nvlinks.known());
  CHECK_FALSE(topoplan::find_system("dgx-b200").nvswitches.known());
  CHECK(topoplan::find_system("oci-mi300x").nvswitches.known());
}

TEST_CASE("links of a GPU carry their rate and where it came from") {
  const topoplan::link nvlink = topoplan::nvlink_of(topoplan::find_gpu("h100-sxm"));
  CHECK(nvlink.rate.gigabytes() == 450);
  CHECK(nvlink.from.how == topoplan::confidence::catalogue);
  CHECK(contains(nvlink.from.source, "H100-SXM 80GB"));
  CHECK(topoplan::nvlink_of(topoplan::find_gpu("l40s")).rate.value == 0);
  // PCIe 5.0 x16: 32 GT/s x 16 lanes x 128/130.
  CHECK(topoplan::host_link_of(topoplan::find_gpu("h100-sxm")).rate.gigabytes() == doctest::Approx(63.015).epsilon(1e-4));
  CHECK(topoplan::host_link_of(topoplan::find_gpu("a100")).rate.gigabytes() == doctest::Approx(31.508).epsilon(1e-4));
  CHECK(topoplan::host_link_of(topoplan::find_gpu("v100")).rate.gigabytes() == doctest::Approx(15.754).epsilon(1e-4));
  CHECK(topoplan::host_link_of(topoplan::find_gpu("b300")).rate.gigabytes() == doctest::Approx(118));
  CHECK(topoplan::host_link_of(topoplan::find_gpu("gb200")).rate.gigabytes() == 450);
  CHECK(topoplan::nic_rate_per_gpu(topoplan::find_system("aws-p5")).gigabytes() == 50);
  CHECK(topoplan::nic_rate_per_gpu(topoplan::find_system("aws-p4d")).gigabytes() == 6.25);
}

TEST_CASE("the GPU table says what the reference table says, and leaves out what that marks as not verified") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("TOPOPLAN_REFERENCE_DIR is empty: not compared");
    return;
  }
  const auto rows = topoplan_test::read_csv(folder + "/data/gpus.csv");
  REQUIRE(rows.size() == 20);
  using member = figure gpu_model::*;
  const std::pair<const char*, member> columns[] = {{"tf32_dense_TFLOPS", &gpu_model::tf32},
                                                    {"bf16_dense_TFLOPS", &gpu_model::bf16},
                                                    {"fp8_dense_TFLOPS", &gpu_model::fp8},
                                                    {"fp4_dense_TFLOPS", &gpu_model::fp4},
                                                    {"mem_GB", &gpu_model::memory},
                                                    {"mem_bw_GBps", &gpu_model::memory_rate},
                                                    {"nvlink_links", &gpu_model::nvlinks},
                                                    {"nvlink_GBps_per_dir", &gpu_model::nvlink_rate},
                                                    {"nccl_per_link_GBps", &gpu_model::nccl_link_rate},
                                                    {"max_nvlink_domain", &gpu_model::domain},
                                                    {"tdp_W", &gpu_model::power},
                                                    {"achieved_bf16_TFLOPS", &gpu_model::bf16_achieved},
                                                    {"achieved_fp8_TFLOPS", &gpu_model::fp8_achieved}};
  // Cells with a number that the table must not take, with the reason.
  const std::set<std::pair<std::string, std::string>> left_out = {
      {"V100-SXM 32GB", "bf16_dense_TFLOPS"},  // fp16
      {"V100-SXM 32GB", "tdp_W"},              // from memory
      {"H100-PCIe 80GB", "nvlink_links"},      // no number
      {"H100-PCIe 80GB", "tdp_W"},             // from memory
      {"A800-SXM 80GB", "nvlink_links"},       // from memory
      {"H800-SXM 80GB", "nvlink_links"},       // from memory
      {"B100", "tf32_dense_TFLOPS"},           // from memory
      {"B100", "bf16_dense_TFLOPS"},           // from memory
      {"B100", "fp8_dense_TFLOPS"},            // from memory
      {"B100", "fp4_dense_TFLOPS"},            // from memory
      {"RTX 5090 32GB", "tf32_dense_TFLOPS"},  // from memory
      {"RTX 5090 32GB", "bf16_dense_TFLOPS"},  // from memory
      {"RTX 5090 32GB", "fp8_dense_TFLOPS"},   // from memory
      {"B300-SXM 288GB", "fp4_dense_TFLOPS"},  // sources differ
      {"GH200 96GB", "tdp_W"},                 // of the 141 GB version
  };
  std::size_t compared = 0;
  std::size_t expected_models = 0;
  for (const auto& row : rows) {
    const bool variants = row.at("gpu") == "GH200 96/141GB";
    for (std::size_t variant = 0; variant < (variants ? 2U : 1U); ++variant) {
      const std::string title = variants ? (variant == 0 ? "GH200 96GB" : "GH200 141GB") : row.at("gpu");
      CAPTURE(title);
      ++expected_models;
      const gpu_model* model = topoplan::lookup_gpu(title);
      REQUIRE(model != nullptr);
      CHECK(model->title == title);
      CHECK(model->architecture == row.at("arch"));
      for (const auto& [column, where] : columns) {
        CAPTURE(column);
        const auto number = leading_number(row.at(column), variant);
        const figure& known = model->*where;
        const bool out = left_out.contains({title, column});
        if (contains(row.at(column), "from memory")) CHECK_FALSE(known.known());
        if (!number || out) {
          CHECK_FALSE(known.known());
          continue;
        }
        CHECK(known.known());
        CHECK(known.value == *number);
        ++compared;
      }
      const std::string& pcie = row.at("pcie");
      CAPTURE(pcie);
      if (pcie.starts_with("C2C")) CHECK(model->c2c_rate.value == std::strtod(pcie.c_str() + 4, nullptr));
      else CHECK(model->pcie_generation.value == std::strtod(pcie.c_str(), nullptr));
    }
  }
  CHECK(topoplan::gpu_catalogue().size() == expected_models);
  CHECK(compared > 180);
}

TEST_CASE("the system table says what the reference table says") {
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (folder.empty()) {
    MESSAGE("TOPOPLAN_REFERENCE_DIR is empty: not compared");
    return;
  }
  const auto rows = topoplan_test::read_csv(folder + "/data/systems.csv");
  REQUIRE(rows.size() > 30);
  // Entry, row; rows that no entry takes are listed with the reason below.
  const std::map<std::string, std::string> row_of = {{"DGX A100", "DGX A100 / HGX A100"},
                                                     {"HGX A100", "DGX A100 / HGX A100"},
                                                     {"DGX B200", "DGX B200 / HGX B200"},
                                                     {"HGX B200", "DGX B200 / HGX B200"},
                                                     {"DGX B300", "DGX B300 / HGX B300"},
                                                     {"HGX B300", "DGX B300 / HGX B300"},
                                                     {"HGX H100", "CoreWeave HGX H100"},
                                                     {"HGX H200", "DGX H200"},
                                                     {"AWS p4d", "AWS p4d / p4de"},
                                                     {"AWS p4de", "AWS p4d / p4de"},
                                                     {"AWS p5", "AWS p5 / p5e"},
                                                     {"AWS p5e", "AWS p5 / p5e"},
                                                     {"OCI BM.GPU.A100-v2.8", "OCI BM.GPU.A100-v2.8 / B4.8 / GPU4.8"}};
  std::set<std::string> unused;
  for (const auto& row : rows) unused.insert(row.at("system"));
  for (const system_model& s : topoplan::system_catalogue()) {
    const std::string title(s.title);
    CAPTURE(title);
    const std::string wanted = row_of.contains(title) ? row_of.at(title) : title;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.at("system") == wanted; });
    REQUIRE(row != rows.end());
    unused.erase(wanted);
    const auto cell = [&](const char* column) { return leading_number(row->at(column)); };
    CHECK(s.gpus_per_host == cell("gpus_per_node"));
    CHECK(s.gpus_per_host * s.hosts_per_domain == cell("nvlink_domain_gpus"));
    CHECK(s.hosts_per_domain == cell("nodes_per_nvlink_domain"));
    CHECK(s.nics.value == cell("nics_per_node"));
    CHECK(topoplan::nic_rate_per_gpu(s).gigabytes() == doctest::Approx(*cell("GBps_per_gpu_per_dir")));
    CHECK(s.nic_gigabits.value == cell("nic_Gbps"));
    const std::string& nvswitch = row->at("nvswitch");
    CAPTURE(nvswitch);
    if (nvswitch.empty() || contains(nvswitch, "from memory")) CHECK_FALSE(s.nvswitches.known());
    else CHECK(s.nvswitches.value == leading_number(nvswitch).value_or(0));
    CHECK(contains(row->at("gpu"), std::string(topoplan::find_gpu(s.gpu).title).substr(0, 4)));
    CHECK_FALSE(contains(row->at("confidence_and_notes"), "not verified"));
    CHECK_FALSE(contains(row->at("confidence_and_notes"), "unresolved"));
    const std::string& fabric = row->at("fabric");
    CAPTURE(fabric);
    using topoplan::fabric_kind;
    if (s.fabric == fabric_kind::infiniband) CHECK(contains(fabric, "IB"));
    if (s.fabric == fabric_kind::roce) CHECK(contains(fabric, "RoCE"));
    if (s.fabric == fabric_kind::efa) CHECK(contains(fabric, "EFA"));
    if (s.fabric == fabric_kind::slingshot) CHECK(contains(fabric, "Slingshot"));
    if (s.fabric == fabric_kind::ethernet) CHECK(contains(fabric, "TCP"));
    if (s.fabric == fabric_kind::spectrum_x) CHECK(contains(fabric, "Spectrum-X"));
  }
  CHECK(unused == std::set<std::string>{"DGX-1V",                        // from memory, not verified
                                        "DGX-2",                         // how its two boards are joined is not given
                                        "GB200 NVL36 / NVL36x2",         // two products in one row
                                        "AWS p6e-gb200.36xlarge",        // sources disagree
                                        "Rubin NVL8 (for reference)"});  // its GPU isn't in the catalogue
}
