// What a row of published runs leaves blank, by the software that its source, its notes or its sharding name.
#pragma once

#include <topoplan/workload/flops.hpp>
#include <topoplan/workload/training.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace accuracy {

// Defaults of one generation of software. The first entry whose words stand in the row counts; the last one has none.
struct software_defaults {
  std::string_view name;
  std::string_view words;  // one of these, '|' between them, in the row's source, notes or sharding; "a&b": both
  topoplan::software_profile software = topoplan::software_profile::megatron_core;
  topoplan::recomputation blank_recompute = topoplan::recomputation::none;
  topoplan::recomputation selective = topoplan::recomputation::selective;  // what "selective" stands for
  topoplan::sharding blank_sharding = topoplan::sharding::zero1;
  topoplan::sharding ddp = topoplan::sharding::zero1;  // what "DDP" stands for
  std::uint8_t gradient_bytes = 2;                     // held, of one parameter
  std::uint8_t reduction_bytes = 2;                    // sent
  bool sequence_parallel = true;                       // where the cell is blank
  topoplan::toggle tp_overlap = topoplan::toggle::by_profile;
  topoplan::toggle dp_overlap = topoplan::toggle::by_profile;
  topoplan::toggle fused_loss = topoplan::toggle::by_profile;
  bool asynchronous_tp_gradient = false;  // input gradients are reduced behind weight gradients
  bool cp_balanced = true;
  bool as_many_micro_batches_as_stages = false;  // with a pipeline, where the micro-batch is blank
  std::uint32_t virtual_stages = 1;              // where the cell is blank
  bool half_precision_states = false;            // the optimizer works on 16-bit parameters with 16-bit moments
  bool prediction_layers = false;                // builds a model's layers of multi-token prediction
  topoplan::attention_pairs counted = topoplan::attention_pairs::full;  // in the TFLOP/s and MFU that it prints
  std::string_view memory_reading = "allocator";
  std::string_view why = {};
};

[[nodiscard]] std::span<const software_defaults> all_software_defaults();

// The entry for a row. complexity: O(entries * text). errors: none.
[[nodiscard]] const software_defaults& software_of(std::string_view source, std::string_view notes, std::string_view sharding);

// What a published recipe says of runs whose rows don't: of one software, for models, GPUs, number formats and releases.
struct recipe {
  std::string_view software;      // name of its defaults
  std::string_view models;        // folded names begin so, '|' between them
  std::string_view gpus = {};     // catalogue names, '|' between them; empty: all
  std::string_view formats = {};  // names of precisions, '|' between them; empty: all
  double since = 0;               // release: year and month as 26.06
  std::uint32_t micro_batch = 0;  // only for that one; 0: all
  std::uint32_t minimum_ep = 0;
  topoplan::recomputation recompute = topoplan::recomputation::none;
  std::optional<topoplan::sharding> sharding = {};  // where the row's cell doesn't say more than FSDP, or nothing
  bool expert_overlap = false;
  bool fused_experts = false;  // grouped matrices with fused activations, whole step in one CUDA graph
  std::string_view why = {};
};

[[nodiscard]] std::span<const recipe> all_recipes();

// The last entry that fits, or nullptr. complexity: O(entries). errors: none.
[[nodiscard]] const recipe* recipe_of(const software_defaults& software, std::string_view folded_model, std::string_view gpu,
                                      std::string_view format, double release, std::uint32_t micro_batch, std::uint32_t ep);

// Of expert overheads, for recipes with fused experts.
inline constexpr double fused_expert_factor = 0.4;

// NIC rate of a GPU where the row says none. units: gigabytes per second and direction. complexity: O(1). errors: none.
[[nodiscard]] double default_nic_gigabytes(std::string_view gpu);

// Rows that contradict their neighbours, with what is odd about them; empty: none known.
// complexity: O(entries). errors: none.
[[nodiscard]] std::string_view doubt_about(int row_id);

// True if one of the words, '|' between them, stands in the text; "a&b" asks for both. complexity: O(text * words). errors: none.
[[nodiscard]] bool says(std::string_view text, std::string_view words);

// Both tables as text, one line an entry. complexity: O(entries). errors: none.
[[nodiscard]] std::string defaults_text();

}  // namespace accuracy
