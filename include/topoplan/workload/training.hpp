// How a transformer is trained: batch, sequence, number formats, recomputation, sharding of states, schedule and overlap.
#pragma once

#include <cstdint>
#include <string_view>

namespace topoplan::inline v1 {

// The number format of the matrix multiplications of linear layers; everything else computes in 16 bits.
enum class precision : std::uint8_t { bf16, fp16, fp8, mxfp8, nvfp4 };

// What the backward pass computes again instead of keeping it. `selective` is the attention core on a stack without flash
// attention and the pointwise part (norms, activations) on one with it.
enum class recomputation : std::uint8_t { none, selective, half, full };

// What data-parallel replicas share instead of each holding it: `zero1` is Megatron's distributed optimizer, `zero3` is FSDP
// with resharding after forward, `zero3_kept` FSDP that keeps the gathered parameters until the backward pass.
enum class sharding : std::uint8_t { none, zero1, zero2, zero3_kept, zero3 };

// How the optimizer stores its states.
enum class optimizer_kind : std::uint8_t { adam, adam_bf16_moments, adam_8bit, sgd_momentum, muon };

// What is trained: all parameters, or adapters of low rank beside frozen ones (`qlora`: frozen in 4 bits).
enum class finetuning : std::uint8_t { full, lora, qlora };

// Which overlaps and fusions the software has. `eager`: no fused kernels; `megatron_2021`: Megatron-LM and Megatron-DeepSpeed
// up to 2022, unfused attention, every communication exposed; `megatron_core`: flash attention, fused kernels, overlap of
// tensor and data parallel communication as switched on; `fsdp_eager` and `fsdp_compiled`: PyTorch FSDP without and with
// torch.compile.
enum class software_profile : std::uint8_t { megatron_2021, megatron_core, fsdp_eager, fsdp_compiled };

// A switch that the profile decides unless it is said.
enum class toggle : std::uint8_t { by_profile, off, on };

// Bytes of a frozen parameter in 4 bits, with a 16-bit scale for every 64 quantised once more. units: bytes.
// source: Dettmers et al., "QLoRA", arXiv 2305.14314, section 3: 4.127 bits.
inline constexpr double frozen_4bit_bytes = 4.127 / 8;

// Training settings. units: tokens, samples (sequences), as named.
struct training {
  std::uint32_t sequence = 4096;     // tokens of a sample
  std::uint32_t micro_batch = 1;     // samples of one pass of one replica
  std::uint32_t global_batch = 0;    // samples of one step of the job; 0: one micro-batch a replica
  std::uint32_t virtual_stages = 1;  // model chunks of one pipeline stage (vpp)
  topoplan::precision precision = precision::bf16;
  recomputation recompute = recomputation::none;
  topoplan::sharding sharding = sharding::zero1;
  topoplan::optimizer_kind optimizer = optimizer_kind::adam;
  std::uint8_t gradient_bytes = 4;   // of an accumulated gradient
  std::uint8_t reduction_bytes = 4;  // of a gradient on the wire
  bool master_weights = true;        // 32-bit copies of 16-bit parameters
  bool sequence_parallel = true;     // with tp > 1
  software_profile software = software_profile::megatron_core;
  toggle tp_overlap = toggle::by_profile;        // tensor-parallel communication behind matrix multiplications
  toggle dp_overlap = toggle::by_profile;        // gradient reduction and parameter gathering behind compute
  toggle expert_overlap = toggle::by_profile;    // all-to-all behind the other micro-batch's compute
  toggle pipeline_overlap = toggle::by_profile;  // sends and receives behind compute
  toggle fused_loss = toggle::by_profile;        // cross-entropy that keeps one copy of the logits
  double release_factor = 1;                     // of expert overheads: below 1 for software newer than the calibration
  finetuning tuning = finetuning::full;
  std::uint32_t lora_rank = 16;
  std::uint32_t first_stage_layers = 0;  // layers of the first and the last pipeline stage; 0: as even as can be
  std::uint32_t last_stage_layers = 0;
  bool ends_count_as_layers = false;  // embedding, head and each layer of multi-token prediction take the place of one layer
  bool cp_balanced = true;            // context-parallel ranks share the causal work evenly

  friend bool operator==(const training&, const training&) = default;
};

// Samples of one step of the job. pre: dp > 0. units: samples. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::uint64_t samples_per_step(const training& t, std::uint32_t dp) noexcept {
  return t.global_batch != 0 ? t.global_batch : std::uint64_t{t.micro_batch} * dp;
}

// Micro-batches that each replica passes in one step; a batch that doesn't divide is rounded up.
// pre: dp > 0, micro_batch > 0. complexity: O(1). errors: none.
[[nodiscard]] constexpr std::uint64_t micro_batches_per_step(const training& t, std::uint32_t dp) noexcept {
  const std::uint64_t pass = std::uint64_t{t.micro_batch} * dp;
  return (samples_per_step(t, dp) + pass - 1) / pass;
}

// What a switch amounts to. complexity: O(1). errors: none.
[[nodiscard]] constexpr bool is_on(toggle said, bool by_profile) noexcept {
  return said == toggle::by_profile ? by_profile : said == toggle::on;
}

// True if the cross-entropy keeps one copy of the logits, as Megatron's does. complexity: O(1). errors: none.
[[nodiscard]] constexpr bool loss_is_fused(const training& t) noexcept {
  return is_on(t.fused_loss, t.software == software_profile::megatron_2021 || t.software == software_profile::megatron_core);
}

// The names that options and JSON use: "bf16", "none", "zero1", "adam", "megatron-core". complexity: O(1). errors: none.
[[nodiscard]] constexpr std::string_view to_string(precision p) noexcept {
  constexpr std::string_view names[] = {"bf16", "fp16", "fp8", "mxfp8", "nvfp4"};
  return names[static_cast<std::uint8_t>(p)];
}
[[nodiscard]] constexpr std::string_view to_string(recomputation r) noexcept {
  constexpr std::string_view names[] = {"none", "selective", "half", "full"};
  return names[static_cast<std::uint8_t>(r)];
}
[[nodiscard]] constexpr std::string_view to_string(sharding s) noexcept {
  constexpr std::string_view names[] = {"none", "zero1", "zero2", "zero3-kept", "zero3"};
  return names[static_cast<std::uint8_t>(s)];
}
[[nodiscard]] constexpr std::string_view to_string(optimizer_kind o) noexcept {
  constexpr std::string_view names[] = {"adam", "adam-bf16-moments", "adam-8bit", "sgd-momentum", "muon"};
  return names[static_cast<std::uint8_t>(o)];
}
[[nodiscard]] constexpr std::string_view to_string(finetuning f) noexcept {
  constexpr std::string_view names[] = {"full", "lora", "qlora"};
  return names[static_cast<std::uint8_t>(f)];
}
[[nodiscard]] constexpr std::string_view to_string(software_profile p) noexcept {
  constexpr std::string_view names[] = {"megatron-2021", "megatron-core", "fsdp-eager", "fsdp-compiled"};
  return names[static_cast<std::uint8_t>(p)];
}

}  // namespace topoplan::inline v1
