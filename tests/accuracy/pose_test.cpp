#include "pose.hpp"

#include <topoplan/workload/parameters.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "defaults.hpp"
#include "models.hpp"

using namespace topoplan;

namespace {

struct posed_file {
  std::vector<accuracy::unposed_run> not_posed;
  std::vector<accuracy::posed_run> runs = accuracy::pose_runs(std::string(TOPOPLAN_TEST_DATA "/accuracy/runs.csv"), not_posed);

  const accuracy::posed_run& row(int id) const {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const auto& r) { return r.row_id == id; });
    REQUIRE(found != runs.end());
    return *found;
  }
  std::string why(int id) const {
    const auto found = std::find_if(not_posed.begin(), not_posed.end(), [&](const auto& r) { return r.row_id == id; });
    return found == not_posed.end() ? "" : found->why;
  }
};

double billions(const char* name) {
  accuracy::model_cells cells;
  cells.name = name;
  const accuracy::model_shape found = accuracy::shape_of(cells);
  REQUIRE_MESSAGE(found.shape.has_value(), name, ": ", found.why);
  return static_cast<double>(parameters_of(*found.shape).total()) / 1e9;
}

}  // namespace

TEST_CASE("a run of a 2022 stack: profile, bytes of gradients, ends in the split, NICs of the host") {
  const posed_file file;
  const accuracy::posed_run& r = file.row(1001);
  CHECK(r.family == "A100");
  CHECK(r.gpu == "a100-sxm");
  CHECK(r.nic_gigabytes == doctest::Approx(6.25));
  CHECK(r.nic_stated);
  CHECK(r.fabric == "omni-path");
  CHECK(r.training.software == software_profile::megatron_2021);
  CHECK(r.training.sharding == sharding::zero1);
  CHECK(r.training.recompute == recomputation::full);
  CHECK(r.training.gradient_bytes == 6);
  CHECK(r.training.ends_count_as_layers);
  CHECK_FALSE(r.training.sequence_parallel);
  CHECK(r.degrees.dp == 8);
  CHECK(r.model_shape.vocabulary == 250880);
  CHECK(r.model_shape.layers.size() == 106);
  CHECK_FALSE(r.moe);
  CHECK(r.measured_seconds == doctest::Approx(110.5));
  CHECK(r.measured_from == "step time");
  CHECK(r.measured_peak_bytes == doctest::Approx(60 * 1073741824.0));
  CHECK(r.memory_reading == "process");
}

TEST_CASE("a run that ran out of memory has no time, and its note sets the last stage") {
  const posed_file file;
  const accuracy::posed_run& r = file.row(1002);
  CHECK(r.out_of_memory);
  CHECK(r.measured_seconds == 0);
  CHECK(r.training.gradient_bytes == 2);
  CHECK(r.training.last_stage_layers == 5);
  CHECK_FALSE(r.training.ends_count_as_layers);
}

TEST_CASE("TFLOP/s that count recomputation give the step time by equation 3 of SC21") {
  const posed_file file;
  const accuracy::posed_run& r = file.row(1003);
  const double h = 4096;
  const double flops = 96.0 * 512 * 2048 * 48 * h * h * (1 + 2048 / (6 * h) + 51200 / (16 * 48 * h));
  CHECK(r.measured_seconds == doctest::Approx(flops / (64 * 140e12)));
  CHECK(r.measured_from == "TFLOP/s");
  CHECK(r.nic_gigabytes == doctest::Approx(25));
  CHECK(r.fabric == "infiniband");
  // Without a word of the generation it is Megatron-Core, whose blank recomputation is none.
  CHECK(r.training.software == software_profile::megatron_core);
  CHECK(r.training.recompute == recomputation::none);
}

TEST_CASE("a run of a rack-scale domain: experts, prediction layer, recipe of its release") {
  const posed_file file;
  const accuracy::posed_run& r = file.row(1004);
  CHECK(r.family == "GB200");
  CHECK(r.gpu == "gb300");
  CHECK(r.gpus_per_host == 4);
  CHECK(r.domain_gpus == 72);
  CHECK(r.nic_gigabytes == doctest::Approx(100));
  CHECK_FALSE(r.nic_stated);
  CHECK(r.moe);
  CHECK(r.model_shape.prediction_layers == 1);
  CHECK(r.model_shape.kinds[0].attention.kind == attention_kind::latent);
  CHECK(r.degrees.ep == 32);
  CHECK(r.degrees.expert_tp == 1);
  CHECK(r.degrees.expert_dp == 4);
  CHECK(r.release == doctest::Approx(26.08));
  CHECK(r.training.release_factor == doctest::Approx(accuracy::fused_expert_factor));
  CHECK(r.training.expert_overlap == toggle::on);
  CHECK(r.training.precision == precision::mxfp8);
  CHECK(r.measured_from == "tokens/s");
  CHECK(r.measured_seconds == doctest::Approx(4096.0 * 4096 / (6288 * 256)));
  CHECK(r.printed_flops_per_token == doctest::Approx(1635e12 / 6288));
}

TEST_CASE("a run of PyTorch FSDP with a pipeline: micro-batches as stages, power cap, interleaving from the note") {
  const posed_file file;
  const accuracy::posed_run& r = file.row(1005);
  CHECK(r.power_watts == 500);
  CHECK(r.memory_gigabytes == 96);
  CHECK(r.nic_gigabytes == doctest::Approx(50));
  CHECK(r.training.software == software_profile::fsdp_compiled);
  CHECK(r.training.sharding == sharding::zero3_kept);
  CHECK(r.training.micro_batch == 4);
  CHECK(r.training.virtual_stages == 2);
  CHECK(r.training.tp_overlap == toggle::on);
  CHECK(r.training.sequence_parallel);
  CHECK(r.memory_reading == "reserved");
}

TEST_CASE("the table of models fills what a row lacks, the note switches overlap") {
  const posed_file file;
  const accuracy::posed_run& r = file.row(1006);
  CHECK(r.model_shape.kinds[0].attention.head_size == 128);
  CHECK(r.model_shape.kinds[0].experts.size == 768);
  CHECK(r.model_shape.vocabulary == 151936);
  CHECK(r.training.expert_overlap == toggle::on);
  CHECK(r.training.release_factor == 1);
  CHECK(r.assumed.find("sharding zero1") != std::string::npos);
}

TEST_CASE("a model that no table knows keeps its cells; the network's upper tier is read") {
  const posed_file file;
  const accuracy::posed_run& r = file.row(1007);
  CHECK(r.gpu == "h200-sxm");
  CHECK(r.family == "H100");
  CHECK(r.fabric == "roce");
  CHECK(r.nic_gigabytes == doctest::Approx(50));
  REQUIRE(r.oversubscription.size() == 1);
  CHECK(r.oversubscription[0] == 7);
  CHECK(r.pod_gpus == 3072);
  CHECK(r.model_shape.kinds[0].attention.kv_heads == 8);
  CHECK(r.model_shape.kinds[0].mlp.size == 24576);
  CHECK(r.training.recompute == recomputation::selective);
}

TEST_CASE("rows that can't be posed say why") {
  const posed_file file;
  CHECK(file.runs.size() == 9);
  CHECK(file.why(1008).find("shape not known") == 0);
  CHECK(file.why(1009) == "global batch not stated");
  CHECK(file.why(1010).find("isn't divisible") != std::string::npos);
  CHECK(file.why(1011).find("TPU v5") != std::string::npos);
}

TEST_CASE("models whose names state a size have it") {
  CHECK(billions("DeepSeek-V3") == doctest::Approx(671.03).epsilon(1e-4));
  CHECK(billions("Kimi-K2") == doctest::Approx(1026.4).epsilon(1e-3));
  CHECK(billions("Qwen3-235B-A22B") == doctest::Approx(235.09).epsilon(1e-4));
  CHECK(billions("Qwen3-30B-A3B") == doctest::Approx(30.53).epsilon(1e-3));
  CHECK(billions("GPT-OSS-120B") == doctest::Approx(116.83).epsilon(1e-3));
  CHECK(billions("Llama3.1-405B") == doctest::Approx(405.85).epsilon(1e-4));
  CHECK(billions("Nemotron-3-Nano") == doctest::Approx(31.58).epsilon(1e-3));
  CHECK(billions("Nemotron-3-Super") == doctest::Approx(120.7).epsilon(1e-3));
  CHECK(billions("Nemotron-3-Ultra") == doctest::Approx(549.3).epsilon(1e-3));
  CHECK(billions("Mixtral-8x7B") == doctest::Approx(46.70).epsilon(1e-3));
}

TEST_CASE("a recipe is of its software, model, GPU, format, release and micro-batch") {
  const auto& bridge = accuracy::software_of("Megatron-Bridge", "", "");
  const auto* fused = accuracy::recipe_of(bridge, "qwen3235ba22b", "gb300", "mxfp8", 26.06, 2, 32);
  REQUIRE(fused != nullptr);
  CHECK(fused->fused_experts);
  CHECK(fused->expert_overlap);
  CHECK(accuracy::recipe_of(bridge, "qwen3235ba22b", "gb300", "mxfp8", 26.04, 2, 32) == nullptr);
  CHECK(accuracy::recipe_of(bridge, "llama370b", "gb300", "mxfp8", 26.06, 1, 1) == nullptr);
  const auto* older = accuracy::recipe_of(bridge, "deepseekv3", "gb300", "mxfp8", 26.06, 2, 32);
  REQUIRE(older != nullptr);
  CHECK_FALSE(older->fused_experts);
  const auto& other = accuracy::software_of("somebody", "", "");
  CHECK(accuracy::recipe_of(other, "qwen3235ba22b", "gb300", "mxfp8", 26.06, 2, 32) == nullptr);
}

TEST_CASE("experts recomputed as a whole are half of a layer where they are most of it") {
  const posed_file file;
  CHECK(file.row(1012).training.recompute == recomputation::half);
  CHECK(file.row(1013).training.recompute == recomputation::selective);
  CHECK(file.row(1013).training.sequence == 131072);
}

TEST_CASE("the words of a row choose the software, the first entry that fits") {
  CHECK(accuracy::software_of("Narayanan et al. SC21", "", "").software == software_profile::megatron_2021);
  CHECK(accuracy::software_of("NVIDIA Megatron-Bridge docs", "", "FSDP group 64").software == software_profile::megatron_core);
  CHECK(accuracy::software_of("pytorch/torchtitan", "Table 3; FSDP; more", "FSDP2").software == software_profile::fsdp_eager);
  CHECK(accuracy::software_of("pytorch/torchtitan", "Table 3; FSDP + torch.compile; more", "FSDP2").software ==
        software_profile::fsdp_compiled);
  CHECK(accuracy::software_of("a new source", "", "FSDP").software == software_profile::fsdp_eager);
  CHECK(accuracy::software_of("a new source", "", "").software == software_profile::megatron_core);
  const std::string text = accuracy::defaults_text();
  for (const auto& s : accuracy::all_software_defaults()) CHECK(text.find(s.name) != std::string::npos);
}
