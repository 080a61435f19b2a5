// The table of defaults by software, the table of recipes, and the rows that contradict their neighbours.
#include "defaults.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace accuracy {

namespace {

using topoplan::attention_pairs;
using topoplan::recomputation;
using topoplan::sharding;
using topoplan::software_profile;
using topoplan::toggle;

constexpr std::array software_table{
    software_defaults{.name = "Megatron-LM 2021",
                      .words = "SC21|MT-NLG",
                      .software = software_profile::megatron_2021,
                      .blank_recompute = recomputation::full,
                      .blank_sharding = sharding::none,
                      .ddp = sharding::none,
                      .sequence_parallel = false,
                      .why = "2021: unfused attention, every communication exposed, recomputation as those papers describe it"},
    software_defaults{.name = "Megatron-DeepSpeed, February 2022",
                      .words = "bigscience",
                      .software = software_profile::megatron_2021,
                      .blank_recompute = recomputation::full,
                      .blank_sharding = sharding::zero1,
                      .ddp = sharding::none,
                      .sequence_parallel = false,
                      .memory_reading = "process",
                      .why = "a fork of Megatron-LM 2021; peaks are nvidia-smi readings"},
    software_defaults{.name = "Megatron-LM and forks, 2022",
                      .words = "arXiv 22|Megatron-DeepSpeed|vTrain",
                      .software = software_profile::megatron_2021,
                      .blank_recompute = recomputation::full,
                      .blank_sharding = sharding::none,
                      .ddp = sharding::none,
                      .sequence_parallel = false,
                      .asynchronous_tp_gradient = true,
                      .why = "as 2021, but input gradients are reduced while weight gradients are computed (Megatron-LM v3.0)"},
    software_defaults{.name = "SimuMax",
                      .words = "SimuMax",
                      .gradient_bytes = 4,
                      .reduction_bytes = 4,
                      .tp_overlap = toggle::off,
                      .why = "Megatron-Core started without tensor-parallel overlap, gradients in 32 bits"},
    software_defaults{.name = "Megatron-Bridge",
                      .words = "Megatron-Bridge",
                      .prediction_layers = true,
                      .counted = attention_pairs::causal,
                      .why = "performance recipes: distributed optimizer, gradients in 16 bits; \"DDP\" is that optimizer"},
    software_defaults{.name = "NeMo Automodel",
                      .words = "Automodel",
                      .software = software_profile::fsdp_compiled,
                      .blank_sharding = sharding::zero3,
                      .gradient_bytes = 2,
                      .reduction_bytes = 2,
                      .half_precision_states = true,
                      .counted = attention_pairs::causal,
                      .why =
                          "PyTorch FSDP2 with Transformer Engine kernels, torch.optim.Adam on 16-bit parameters, without layers "
                          "of multi-token prediction"},
    software_defaults{.name = "torchtitan without compile",
                      .words = "torchtitan&; FSDP;",
                      .software = software_profile::fsdp_eager,
                      .selective = recomputation::half,
                      .blank_sharding = sharding::zero3,
                      .gradient_bytes = 4,
                      .reduction_bytes = 4,
                      .tp_overlap = toggle::off,
                      .cp_balanced = false,
                      .as_many_micro_batches_as_stages = true,
                      .memory_reading = "reserved",
                      .why = "the note names FSDP alone; selective keeps every second matrix; gradients are reduced in 32 bits"},
    software_defaults{.name = "torchtitan",
                      .words = "torchtitan",
                      .software = software_profile::fsdp_compiled,
                      .selective = recomputation::half,
                      .blank_sharding = sharding::zero3,
                      .gradient_bytes = 4,
                      .reduction_bytes = 4,
                      .tp_overlap = toggle::off,
                      .cp_balanced = false,
                      .as_many_micro_batches_as_stages = true,
                      .memory_reading = "reserved",
                      .why = "as above with torch.compile; pipeline_parallel_microbatches defaults to the degree"},
    software_defaults{.name = "Llama 3",
                      .words = "Llama 3 Herd",
                      .gradient_bytes = 4,
                      .reduction_bytes = 4,
                      .virtual_stages = 4,
                      .counted = attention_pairs::causal,
                      .why = "section 3.3: interleaved schedule (V not stated), gradients reduced in 32 bits; counting the whole "
                             "square would leave 27 % of the peak for the 128k row"},
    software_defaults{.name = "MegaScale",
                      .words = "MegaScale",
                      .counted = attention_pairs::causal,
                      .why = "Megatron-Core's generation; step times and MFU of table 2 agree on causal attention"},
    software_defaults{.name = "Megatron-Core 2025",
                      .words = "Megatron-MoE-ModelZoo",
                      .counted = attention_pairs::causal,
                      .why = "flash attention, fused kernels; step times and TFLOP/s agree on causal attention"},
    software_defaults{.name = "Megatron-Core with FSDP",
                      .words = "Megatron&FSDP",
                      .blank_sharding = sharding::zero3,
                      .why = "Megatron-FSDP: fused kernels"},
    software_defaults{.name = "llm-foundry",
                      .words = "llm-foundry",
                      .software = software_profile::fsdp_eager,
                      .selective = recomputation::half,
                      .blank_sharding = sharding::zero3,
                      .gradient_bytes = 4,
                      .fused_loss = toggle::on,
                      .why = "eager kernels, flash attention, loss_fn fused_crossentropy; gradients are reduced in 16 bits"},
    software_defaults{.name = "PyTorch FSDP",
                      .words = "FSDP",
                      .software = software_profile::fsdp_eager,
                      .selective = recomputation::half,
                      .blank_sharding = sharding::zero3,
                      .gradient_bytes = 4,
                      .why = "eager kernels, flash attention; gradients are reduced in 16 bits"},
    software_defaults{.name = "Megatron-Core with PP overlap",
                      .words = "PP communication overlapped",
                      .virtual_stages = 4,
                      .why = "overlap of sends and receives needs the interleaved schedule; V is not stated"},
    software_defaults{.name = "Megatron-Core", .words = "", .why = "flash attention, fused kernels, distributed optimizer"},
};

constexpr std::string_view bridge = "Megatron-Bridge";
constexpr std::string_view automodel = "NeMo Automodel";
constexpr std::string_view full_iteration = "overlap_moe_expert_parallel_comm, cutedsl_fused_grouped_mlp, full_iteration graph";

// source: NVIDIA-NeMo/Megatron-Bridge scripts/performance/configs/*/*_workload_base_configs.py and src/megatron/bridge/
// perf_recipes; NVIDIA-NeMo/Automodel examples/benchmark/configs. Releases are those in which the published times change.
constexpr std::array recipe_table{
    recipe{.software = bridge,
           .models = "deepseekv3",
           .recompute = recomputation::selective,
           .why = "recompute_modules mla_up_proj, mlp of dense layers"},
    recipe{.software = bridge, .models = "kimik2", .recompute = recomputation::selective, .why = "recompute_modules mla_up_proj"},
    recipe{.software = bridge,
           .models = "deepseekv3",
           .gpus = "b200-sxm",
           .formats = "mxfp8",
           .since = 26.04,
           .minimum_ep = 32,
           .recompute = recomputation::selective,
           .expert_overlap = true,
           .why = "V2: moe_a2a_overlap, deepep"},
    recipe{.software = bridge,
           .models = "deepseekv3",
           .gpus = "gb200|gb300",
           .formats = "mxfp8",
           .since = 26.06,
           .micro_batch = 1,
           .expert_overlap = true,
           .fused_experts = true,
           .why = full_iteration},
    recipe{.software = bridge,
           .models = "kimik2",
           .gpus = "gb200|gb300",
           .formats = "mxfp8",
           .since = 26.06,
           .micro_batch = 1,
           .expert_overlap = true,
           .fused_experts = true,
           .why = full_iteration},
    recipe{.software = bridge,
           .models = "gptoss",
           .gpus = "gb200|b200-sxm|h100-sxm",
           .formats = "bf16",
           .recompute = recomputation::selective,
           .why = "recompute_modules layernorm, moe_act"},
    recipe{.software = bridge,
           .models = "gptoss120b",
           .gpus = "gb200",
           .formats = "bf16",
           .since = 26.02,
           .recompute = recomputation::selective,
           .expert_overlap = true,
           .why = "V2: moe_a2a_overlap"},
    recipe{.software = bridge,
           .models = "gptoss",
           .gpus = "gb200|gb300|b300-sxm",
           .formats = "mxfp8",
           .since = 26.06,
           .expert_overlap = true,
           .fused_experts = true,
           .why = full_iteration},
    recipe{.software = bridge,
           .models = "qwen3235b",
           .gpus = "h100-sxm",
           .since = 25.11,
           .expert_overlap = true,
           .why = "moe_a2a_overlap"},
    recipe{.software = bridge,
           .models = "qwen3",
           .gpus = "gb200|gb300|b300-sxm",
           .formats = "mxfp8",
           .since = 26.06,
           .expert_overlap = true,
           .fused_experts = true,
           .why = full_iteration},
    recipe{.software = bridge,
           .models = "nemotron3nano",
           .gpus = "h100-sxm",
           .recompute = recomputation::half,
           .why = "recompute_modules moe, layernorm, core_attn, moe_act"},
    recipe{.software = bridge,
           .models = "nemotron3super",
           .gpus = "b200-sxm",
           .formats = "bf16|fp8|mxfp8",
           .recompute = recomputation::selective,
           .why = "recompute_modules moe_act, layernorm"},
    recipe{.software = bridge,
           .models = "nemotron3ultra",
           .recompute = recomputation::selective,
           .sharding = sharding::zero3,
           .fused_experts = true,
           .why = "use_megatron_fsdp, cutedsl_fused_grouped_mlp, recompute_modules moe_act"},
    recipe{.software = automodel,
           .models = "deepseekv3|kimik2",
           .recompute = recomputation::full,
           .sharding = sharding::zero3_kept,
           .why = "activation_checkpointing, reshard_after_forward false"},
    recipe{.software = automodel, .models = "qwen330b", .recompute = recomputation::full, .why = "activation_checkpointing"},
    recipe{.software = automodel, .models = "gptoss", .why = "no activation_checkpointing"},
};

constexpr auto doubts = std::to_array<std::pair<int, std::string_view>>({
    {173, "26-48 % above its neighbours"},
    {175, "26-48 % above its neighbours"},
    {180, "26-48 % above its neighbours"},
    {201, "31-33 % above; time isn't monotone in the micro-batch"},
    {203, "31-33 % above; time isn't monotone in the micro-batch"},
    {210, "31-33 % above; time isn't monotone in the micro-batch"},
    {207, "above its neighbours"},
    {240, "above its neighbours"},
    {84, "65 GB at micro-batch 2 where like rows print 52-56 at 4; also slow"},
    {99, "13-19 % slow, its micro-batch 4 twin isn't"},
    {102, "13-19 % slow, its micro-batch 4 twin isn't"},
    {120, "13-19 % slow, its micro-batch 4 twin isn't"},
    {124, "104 heads slower than 64 and 128 on the same shape"},
    {150, "head size 108"},
    {153, "head size 108"},
    {141, "out of memory where 140 with like bytes fits"},
    {140, "fits where 141 with like bytes ran out of memory"},
    {9, "8.7-10 % from row 27, the same pipeline and batch"},
    {10, "8.7-10 % from row 29, the same pipeline and batch"},
    {12, "doubling GPUs changes nothing: gathers bound"},
    {13, "doubling GPUs changes nothing: gathers bound"},
    {15, "doubling GPUs changes nothing: gathers bound"},
    {16, "doubling GPUs changes nothing: gathers bound"},
    {72, "micro-batch, recompute and schedule blank"},
    {73, "micro-batch, recompute and schedule blank"},
    {74, "micro-batch, recompute and schedule blank"},
    {695, "26 % above while its siblings fit"},
    {714, "18 % above while its siblings fit"},
    {639, "fits only as many micro-batches as stages"},
    {640, "fits only as many micro-batches as stages"},
    {632, "fits only without causal balance of context parallelism"},
    {633, "fits only without causal balance of context parallelism"},
    {644, "fits only without causal balance of context parallelism"},
    {275, "104.3 GB fits one leading dense layer"},
    {283, "104.3 GB fits one leading dense layer"},
    {291, "104.3 GB fits one leading dense layer"},
    {654, "47 GB where the same local configuration prints 62-77"},
    {529, "51.3 s against 28.9 in the next release"},
    {561, "24.9 s against 12.5 of row 578"},
    {579, "27.2 s against 20.8 of row 562"},
    {332, "one release slower than both neighbours"},
    {333, "one release slower than both neighbours"},
    {522, "EP 64 over 8-GPU domains, same time as with half the NIC rate"},
    {523, "EP 64 over 8-GPU domains, same time as with twice the NIC rate"},
    {392, "almost no exposed all-to-all"},
    {608, "FSDP gathers hidden better than elsewhere"},
    {466, "70B on every GPU doesn't fit 288 GB; releases before and after print pp 4 and vpp 5"},
    {35, "DP over 48 nodes hidden with 4 micro-batches"},
    {50, "changes the algorithm: parallel block, window of unknown size, LAMB"},
    {51, "changes the algorithm"},
    {52, "changes the algorithm"},
    {53, "changes the algorithm"},
    {58, "changes the algorithm"},
    {59, "changes the algorithm"},
    {60, "changes the algorithm"},
    {61, "changes the algorithm"},
    {45, "micro-batches, recompute and FLOP count not stated"},
});

[[nodiscard]] bool one_of(std::string_view words, std::string_view word) {
  for (std::string_view rest = words; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    if (rest.substr(0, bar) == word) return true;
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return words.empty();
}

[[nodiscard]] bool begins_with_one(std::string_view words, std::string_view text) {
  for (std::string_view rest = words; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    if (text.starts_with(rest.substr(0, bar))) return true;
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return words.empty();
}

}  // namespace

bool says(std::string_view text, std::string_view words) {
  for (std::string_view rest = words; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    std::string_view word = rest.substr(0, bar);
    rest.remove_prefix(std::min(bar + 1, rest.size()));
    const std::size_t both = word.find('&');
    const bool found = both == word.npos
                           ? text.find(word) != text.npos
                           : text.find(word.substr(0, both)) != text.npos && text.find(word.substr(both + 1)) != text.npos;
    if (found) return true;
  }
  return false;
}

std::span<const software_defaults> all_software_defaults() { return software_table; }
std::span<const recipe> all_recipes() { return recipe_table; }

const software_defaults& software_of(std::string_view source, std::string_view notes, std::string_view sharding) {
  std::string text(source);
  text.append(" ; ").append(notes).append("; ").append(sharding);
  for (const software_defaults& s : software_table)
    if (s.words.empty() || says(text, s.words)) return s;
  return software_table.back();
}

const recipe* recipe_of(const software_defaults& software, std::string_view folded_model, std::string_view gpu,
                        std::string_view format, double release, std::uint32_t micro_batch, std::uint32_t ep) {
  const recipe* found = nullptr;
  for (const recipe& r : recipe_table)
    if (r.software == software.name && begins_with_one(r.models, folded_model) && one_of(r.gpus, gpu) &&
        one_of(r.formats, format) && release >= r.since - 1e-9 && (r.micro_batch == 0 || r.micro_batch == micro_batch) &&
        ep >= r.minimum_ep)
      found = &r;
  return found;
}

double default_nic_gigabytes(std::string_view gpu) {
  if (gpu.starts_with("a100")) return 25;
  if (gpu.starts_with("b300") || gpu.starts_with("gb300")) return 100;
  return 50;
}

std::string_view doubt_about(int row_id) {
  for (const auto& [id, text] : doubts)
    if (id == row_id) return text;
  return {};
}

std::string defaults_text() {
  std::string out = "defaults by software (first entry whose words stand in source, notes or sharding):\n";
  for (const software_defaults& s : software_table) {
    out.append("  ").append(s.name).append(": ");
    out.append(s.words.empty() ? std::string_view("everything else") : s.words);
    out.append("; profile ").append(to_string(s.software));
    out.append(", recompute ").append(to_string(s.blank_recompute));
    out.append(", selective is ").append(to_string(s.selective));
    out.append(", sharding ").append(to_string(s.blank_sharding)).append(", DDP is ").append(to_string(s.ddp));
    out += ", gradient " + std::to_string(s.gradient_bytes) + " and " + std::to_string(s.reduction_bytes) + " bytes";
    if (s.sequence_parallel) out += ", sequence parallel";
    if (s.virtual_stages > 1) out += ", vpp " + std::to_string(s.virtual_stages);
    if (s.tp_overlap == toggle::off) out += ", no TP overlap";
    if (s.asynchronous_tp_gradient) out += ", asynchronous TP gradients";
    if (!s.cp_balanced) out += ", CP not balanced";
    if (s.as_many_micro_batches_as_stages) out += ", micro-batches as stages";
    if (s.half_precision_states) out += ", 16-bit states";
    if (s.prediction_layers) out += ", prediction layers";
    if (s.counted == attention_pairs::causal) out += ", causal FLOPs";
    out.append(". ").append(s.why).append("\n");
  }
  out += "recipes (last entry that fits):\n";
  for (const recipe& r : recipe_table) {
    out.append("  ").append(r.software).append(" ").append(r.models).append(" ").append(r.gpus).append(" ").append(r.formats);
    if (r.since > 0) out += " since " + std::to_string(r.since).substr(0, 5);
    if (r.micro_batch != 0) out += " micro-batch " + std::to_string(r.micro_batch);
    out.append(": recompute ").append(to_string(r.recompute));
    if (r.sharding) out.append(", sharding ").append(to_string(*r.sharding));
    if (r.expert_overlap) out += ", all-to-all overlap";
    if (r.fused_experts) out += ", fused experts (" + std::to_string(fused_expert_factor).substr(0, 4) + ")";
    out.append(". ").append(r.why).append("\n");
  }
  return out;
}

}  // namespace accuracy
