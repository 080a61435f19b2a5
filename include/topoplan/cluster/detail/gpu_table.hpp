// The GPUs of the catalogue.
#pragma once

#include <array>
#include <string_view>

namespace topoplan::inline v1 {

// A published figure and where it was read; unknown figures have no source.
struct figure {
  double value = 0;
  std::string_view source;

  [[nodiscard]] constexpr bool known() const noexcept { return !source.empty(); }
};

// One GPU product. Rates of arithmetic are dense, without sparsity.
struct gpu_model {
  std::string_view name;   // as options name it: "h100-sxm"
  std::string_view title;  // "H100-SXM 80GB"
  std::array<std::string_view, 4> aliases;
  std::string_view architecture;
  figure tf32;             // 10^12 operations per second
  figure bf16;             // 10^12 operations per second
  figure fp8;              // 10^12 operations per second
  figure fp4;              // 10^12 operations per second
  figure memory;           // 10^9 bytes
  figure memory_rate;      // 10^9 bytes per second
  figure nvlinks;          // links of a GPU
  figure nvlink_rate;      // 10^9 bytes per second and direction, all links together
  figure nccl_link_rate;   // 10^9 bytes per second, what NCCL reckons for one link
  figure pcie_generation;  // of its x16 slot
  figure c2c_rate;         // NVLink-C2C to its CPU, 10^9 bytes per second and direction
  figure domain;           // most GPUs of one NVLink domain in the usual product
  figure power;            // watts
  figure bf16_achieved;    // 10^12 operations per second, best matrix shape measured
  figure fp8_achieved;     // 10^12 operations per second, best matrix shape measured
};

}  // namespace topoplan::inline v1

namespace topoplan::inline v1::detail {

namespace gpu_source {
inline constexpr std::string_view volta =
    "github cli99/llm-analysis gpu_configs; github stas00/ml-engineering@744d01e compute/accelerator + network README";
inline constexpr std::string_view mle = "github stas00/ml-engineering@744d01e compute/accelerator + network README";
inline constexpr std::string_view a100 =
    "github stas00/ml-engineering@744d01e compute/accelerator + network README; github Azure/AI-benchmarking-guide@8fd0c6e "
    "ND_A100_v4; github cli99/llm-analysis gpu_configs";
inline constexpr std::string_view aic =
    "github stas00/ml-engineering@744d01e compute/accelerator + network README; github ai-dynamo/aiconfigurator@095f58a systems";
inline constexpr std::string_view h100 =
    "github stas00/ml-engineering@744d01e compute/accelerator + network README; github Azure/AI-benchmarking-guide@8fd0c6e "
    "ND_H100_v5";
inline constexpr std::string_view h100_pcie =
    "github stas00/ml-engineering@744d01e compute/accelerator + network README; techpowerup.com/news-tags/chip";
inline constexpr std::string_view h200 =
    "github stas00/ml-engineering@744d01e compute/accelerator + network README; github Azure/AI-benchmarking-guide@8fd0c6e "
    "ND_H200_v5";
inline constexpr std::string_view a800 = "https://aiwiki.ai/wiki/nvidia_a800; techpowerup.com/news-tags/chip";
inline constexpr std::string_view h20 =
    "https://willitrunai.com/es/gpus/h20-96gb; https://zangshuxian.com/new/674733024499207168";
inline constexpr std::string_view h800 =
    "https://aiwiki.ai/wiki/nvidia_h800; https://www.philisun.com/technical-analysis (H800 vs H100)";
inline constexpr std::string_view b100 = "https://glennklockwood.com/garden/processors/B200";
inline constexpr std::string_view b200 =
    "github stas00/ml-engineering@744d01e compute/accelerator + network README; github ai-dynamo/aiconfigurator@095f58a systems; "
    "https://glennklockwood.com/garden/processors/B200; MLPerf inference v6.0 Nebius system file";
inline constexpr std::string_view gb200 =
    "github stas00/ml-engineering@744d01e compute/accelerator + network README; github ai-dynamo/aiconfigurator@095f58a systems; "
    "Azure GB200 benchmark page";
inline constexpr std::string_view rtx4090 = "https://waredb.com/processor/nvidia-geforce-rtx-4090; https://hmc-tech.com";
inline constexpr std::string_view rtx5090 = "https://www.spheron.network/blog/nvidia-rtx-5090-specs/";
inline constexpr std::string_view rtx6000 = "github ai-dynamo/aiconfigurator@095f58a systems";
}  // namespace gpu_source

// One row as the sources print it, in the order of gpu_model; a negative number: not known, or not verified.
struct gpu_row {
  std::string_view name, title;
  std::array<std::string_view, 4> aliases;
  std::string_view architecture;
  std::string_view source;
  double tf32, bf16, fp8, fp4, memory, memory_rate;
  double nvlinks, nvlink_rate, nccl_link_rate, pcie_generation, c2c_rate, domain, power, bf16_achieved, fp8_achieved;
};

[[nodiscard]] constexpr gpu_model to_gpu_model(const gpu_row& r) noexcept {
  const auto of = [&](double value) { return value < 0 ? figure{} : figure{value, r.source}; };
  return {r.name,
          r.title,
          r.aliases,
          r.architecture,
          of(r.tf32),
          of(r.bf16),
          of(r.fp8),
          of(r.fp4),
          of(r.memory),
          of(r.memory_rate),
          of(r.nvlinks),
          of(r.nvlink_rate),
          of(r.nccl_link_rate),
          of(r.pcie_generation),
          of(r.c2c_rate),
          of(r.domain),
          of(r.power),
          of(r.bf16_achieved),
          of(r.fp8_achieved)};
}

// clang-format off
inline constexpr gpu_row gpu_rows[] = {
  // name, title, aliases, architecture, source
  //   tf32, bf16, fp8, fp4, memory, memory rate, nvlinks, nvlink rate, NCCL link, PCIe, C2C, domain, power, bf16 and fp8 achieved
  {"v100-sxm", "V100-SXM 32GB", {"v100", "v100-sxm2", "v100-sxm3", "tesla v100-sxm2-32gb"}, "Volta sm70", gpu_source::volta,
   -1, -1, -1, -1, 32, 900, 6, 150, 20, 3, -1, 8, -1, -1, -1},
  {"a100-sxm-40gb", "A100-SXM 40GB", {"a100-40gb", "a100-sxm4-40gb"}, "Ampere sm80", gpu_source::a100,
   156, 312, -1, -1, 40, 1555, 12, 300, 20, 4, -1, 8, 400, 253.7, -1},
  {"a100-sxm", "A100-SXM 80GB", {"a100", "a100-80gb", "a100-sxm4-80gb", "a100-sxm4"}, "Ampere sm80", gpu_source::aic,
   156, 312, -1, -1, 80, 2039, 12, 300, 20, 4, -1, 8, 400, 271.2, -1},
  {"a800-sxm", "A800-SXM 80GB", {"a800", "a800-sxm4-80gb"}, "Ampere sm80", gpu_source::a800,
   156, 312, -1, -1, 80, 2039, -1, 200, 20, 4, -1, 8, 400, -1, -1},
  {"h100-sxm", "H100-SXM 80GB", {"h100", "h100-sxm5", "h100 80gb hbm3", "h100-80gb"}, "Hopper sm90", gpu_source::h100,
   494.5, 989, 1979, -1, 80, 3350, 18, 450, 20.6, 5, -1, 8, 700, 794.5, 1402.6},
  {"h100-pcie", "H100-PCIe 80GB", {"h100 pcie"}, "Hopper sm90", gpu_source::h100_pcie,
   378, 756, 1513, -1, 80, 2000, -1, 300, 20.6, 5, -1, 2, -1, -1, -1},
  {"h200-sxm", "H200-SXM 141GB", {"h200", "h200-sxm5"}, "Hopper sm90", gpu_source::h200,
   494.5, 989, 1979, -1, 141, 4800, 18, 450, 20.6, 5, -1, 8, 700, -1, 1453.4},
  {"h20", "H20 96GB", {"h20-sxm"}, "Hopper sm90", gpu_source::h20,
   74, 148, 296, -1, 96, 4000, 18, 450, 20.6, 5, -1, 8, 400, -1, -1},
  {"h800-sxm", "H800-SXM 80GB", {"h800", "h800-sxm5"}, "Hopper sm90", gpu_source::h800,
   494.5, 989, 1979, -1, 80, 3350, -1, 200, 20.6, 5, -1, 8, 700, -1, -1},
  {"gh200", "GH200 96GB", {"gh200-96gb"}, "Hopper sm90 + Grace", gpu_source::mle,
   494.5, 989, 1979, -1, 96, 4000, 18, 450, 20.6, -1, 450, 4, -1, 828.6, 1535},
  {"gh200-141gb", "GH200 141GB", {"gh200-144gb"}, "Hopper sm90 + Grace", gpu_source::mle,
   494.5, 989, 1979, -1, 141, 4800, 18, 450, 20.6, -1, 450, 4, 900, 828.6, 1535},
  {"b100", "B100", {"b100-sxm"}, "Blackwell sm100", gpu_source::b100,
   -1, -1, -1, -1, 192, 8000, 18, 900, 40.1, 5, -1, 8, 700, -1, -1},
  {"b200-sxm", "B200-SXM 180GB", {"b200", "b200-sxm6", "b200-180gb"}, "Blackwell sm100", gpu_source::b200,
   1125, 2250, 4500, 9000, 180, 8000, 18, 900, 40.1, 5, -1, 8, 1000, 1745, 3432.5},
  {"b300-sxm", "B300-SXM 288GB", {"b300", "b300-sxm6", "b300-288gb"}, "Blackwell Ultra sm103", gpu_source::aic,
   1125, 2250, 4500, -1, 288, 8000, 18, 900, 40.1, 6, -1, 8, 1100, 1769, 3353.3},
  {"gb200", "GB200", {"gb200-nvl72"}, "Blackwell sm100 + Grace", gpu_source::gb200,
   1250, 2500, 5000, 10000, 186, 8000, 18, 900, 40.1, -1, 450, 72, 1200, 1822, 3615.6},
  {"gb300", "GB300", {"gb300-nvl72"}, "Blackwell Ultra sm103 + Grace", gpu_source::aic,
   1250, 2500, 5000, 15000, 288, 8000, 18, 900, 40.1, -1, 450, 72, 1400, -1, -1},
  {"l40s", "L40S 48GB", {}, "Ada sm89", gpu_source::aic,
   183, 362, 733, -1, 48, 864, 0, 0, -1, 4, -1, 1, 350, -1, -1},
  {"rtx-4090", "RTX 4090 24GB", {"4090", "geforce rtx 4090"}, "Ada sm89", gpu_source::rtx4090,
   82.6, 165.2, 330.3, -1, 24, 1008, 0, 0, -1, 4, -1, 1, 450, -1, -1},
  {"rtx-5090", "RTX 5090 32GB", {"5090", "geforce rtx 5090"}, "Blackwell sm120", gpu_source::rtx5090,
   -1, -1, -1, 1676, 32, 1792, 0, 0, -1, 5, -1, 1, 575, -1, -1},
  {"rtx-pro-6000", "RTX PRO 6000 Server 96GB", {"rtx pro 6000 blackwell server edition"}, "Blackwell sm120", gpu_source::rtx6000,
   -1, 467.8, 935.6, 1871.2, 96, 1792, 0, 0, -1, 5, -1, 1, 600, -1, -1},
  {"mi300x", "MI300X 192GB", {"mi300"}, "CDNA3", gpu_source::mle,
   653.7, 1307, 2614, -1, 192, 5300, 7, 448, -1, 5, -1, 8, 750, 668.4, -1},
};
// clang-format on

inline constexpr auto gpu_table = [] {
  std::array<gpu_model, sizeof gpu_rows / sizeof gpu_rows[0]> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = to_gpu_model(gpu_rows[i]);
  return table;
}();

}  // namespace topoplan::inline v1::detail
