// Tests of `topoplan predict` and `topoplan calibrate`: what they print, refuse and write. Figures themselves belong to the
// tests of cost/ and to benchmarks/accuracy.
#include <topoplan/import/calibration_file.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "program/support.hpp"

namespace {

using nlohmann::json;
using topoplan_test::holds;
using topoplan_test::result;
using topoplan_test::run;
using topoplan_test::scratch;
using topoplan_test::text_of;

const std::string model = "--model " TOPOPLAN_EXAMPLE_DATA "/model.json ";
const std::string step = "predict --cluster dgx-h100:8 " + model + "--tp 4 --pp 2 --seq-length 4096 --global-batch-size 64 ";

// The message of a command that must end with status 2 and print nothing else.
std::string refusal(const std::string& arguments) {
  const scratch s;
  const result r = run(s.path, arguments);
  CHECK_MESSAGE(r.status == 2, arguments);
  CHECK(r.out.empty());
  CHECK(r.err.starts_with("topoplan: "));
  CHECK(r.err.find('\n') == r.err.size() - 1);
  return r.err;
}

json document(const std::string& arguments, int status = 0) {
  const scratch s;
  const result r = run(s.path, arguments + " --json");
  CHECK_MESSAGE(r.status == status, r.err);
  CHECK(r.err.empty());
  return json::parse(r.out);
}

void write(const topoplan_test::fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// Numbers become #, with the blanks around them, so that a text is compared by its structure.
std::string structure(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex("[0-9]+([.,][0-9]+)*"), "#"), std::regex(" +"), " ");
}

}  // namespace

TEST_CASE("predict: a step for a person") {
  const scratch s;
  const result r = run(s.path, step);
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  const std::string text = structure(r.out);
  CHECK(holds(text, "\nJob: # ranks on # usable GPUs; tp #, cp #, dp #, pp #; order"));
  CHECK(holds(text, "\nModel: model, # B parameters; # layers, hidden #, vocabulary #\n"));
  CHECK(holds(text,
              "\nTraining: bf#, sequence #, # samples a step in # micro-batches of # on each replica\n"
              " megatron-core, sharding zero#, adam, recompute none, sequence parallel on, virtual stages #\n"));
  CHECK(holds(text,
              "\nGroups: the best placement of these degrees is assumed; --plan takes the one that place wrote\n"
              " tp # ranks each inside one NVLink domain\n"
              " pp # ranks each over # NVLink domains, # rank in each\n"
              " dp # ranks each over # NVLink domains, # ranks in each\n"
              "Step: "));
  CHECK(holds(text, "; four runs of five take "));
  CHECK(holds(text,
              "TFLOP/s/GPU, MFU # % of the bf# peak; # tokens/s/GPU, # tokens/s\n (MFU counts matrices and the whole square of "
              "attention, "
              "as Megatron-LM does; nothing that is recomputed)\n part, by stage #, the slowest ms % hidden ms "
              "rests on\n"));
  std::size_t at = 0;
  for (const char* part :
       {"\n matrix multiplications # # fitted", "\n attention # # fitted", "\n norms, activations, casts # # fitted",
        "\n embedding, head, loss # #", "\n tensor parallel # # # links ", "\n pipeline sends # # # links ",
        "\n pipeline bubble # #", "\n data parallel # # # links ", "\n adding up gradients # #", "\n optimizer # #",
        "\n once a step # # assumed", "\n waiting for the slowest # # assumed", "\n step # #\n"}) {
    const std::size_t found = text.find(part, at);
    CHECK_MESSAGE(found != std::string::npos, part);
    if (found != std::string::npos) at = found;
  }
  CHECK_FALSE(holds(text, "context parallel"));  // what takes no time isn't listed
  CHECK_FALSE(holds(text, "routing and permutation"));
  CHECK(holds(text, "\nMemory: # of # usable GB on a GPU of stage #, the fullest: fits\n"));
  CHECK(holds(
      text, "\n stage layers weights gradients optimizer activations logits workspace context GB\n # # # # # # # # # # fits\n"));
  CHECK(holds(text, "\n tp all-gather # # MB # us # ring nvlink, "));
  CHECK(holds(text, "\n dp reduce-scatter # "));
  CHECK(holds(text, "[assumed; --storage-write GBPS says it]\n one every "));
}

TEST_CASE("predict: the document adds up") {
  const json d = document(step);
  CHECK(d["format"] == "topoplan.prediction");
  CHECK(d["version"] == 1);
  CHECK(d["feasible"] == true);
  CHECK(d["verdict"] == "fits");
  CHECK(d["world_size"] == 64);
  CHECK(d["degrees"]["dp"] == 8);
  CHECK(d["degrees"].size() == 7);
  CHECK(d["groups_from"] == "best placement");
  CHECK(d["groups"]["tp"]["domains"] == 1);
  CHECK(d["training"]["micro_batches"] == 8);
  const json& time = d["step"];
  double sum = 0;
  double share = 0;
  std::set<std::string> evidence;
  for (const auto& part : time["parts"]) {
    sum += part["seconds"].get<double>();
    share += part["share"].get<double>();
    for (const auto& [figure, known] : part["rests_on"].items()) evidence.insert(known.get<std::string>());
  }
  CHECK(sum == doctest::Approx(time["seconds"].get<double>()).epsilon(1e-9));
  CHECK(share == doctest::Approx(1).epsilon(1e-9));
  for (const std::string& known : evidence) CHECK((known == "measured" || known == "fitted" || known == "assumed"));
  CHECK(time["low"] < time["seconds"]);
  CHECK(time["high"] > time["seconds"]);
  const double tokens = 64 * 4096 / time["seconds"].get<double>();
  CHECK(time["tokens_per_second"].get<double>() == doctest::Approx(tokens).epsilon(1e-9));
  CHECK(time["tokens_per_second_per_gpu"].get<double>() == doctest::Approx(tokens / 64).epsilon(1e-9));
  REQUIRE(d["memory"]["stages"].size() == 2);
  CHECK(d["memory"]["stages"][0]["layers"] == 20);
  double total = 0;
  for (const char* part : {"weights", "gradients", "optimizer", "activations", "logits", "workspace", "context"})
    total += d["memory"]["stages"][0][part].get<double>();
  CHECK(d["memory"]["stages"][0]["total"].get<double>() == doctest::Approx(total));
  std::set<std::string> axes;
  for (const auto& row : d["traffic"]) axes.insert(row["axis"].get<std::string>());
  CHECK(axes == std::set<std::string>{"tp", "pp", "dp"});
  // A gather before and one behind each block's passes: 20 layers, 2 blocks, 3 gathers, 8 micro-batches.
  CHECK(d["traffic"][0]["times_a_step"] == 20 * 2 * 3 * 8);
  CHECK(d["traffic"][0]["bytes"] == 4096 * 5120 * 2);
  CHECK(d["checkpoint"]["bytes"] == d["model"]["parameters"].get<std::uint64_t>() * 14);
  CHECK(d["checkpoint"]["write_rate_is"] == "assumed");
}

TEST_CASE("predict: each axis hides its own, and communication that no axis has isn't there") {
  const json d =
      document("predict --cluster dgx-h100:8 " + model + "--cp 2 --dp 32 --seq-length 8192 --recompute-granularity full");
  std::map<std::string, json> parts;
  for (const auto& part : d["step"]["parts"]) parts[part["part"]] = part;
  CHECK(parts["tp"]["seconds"] == 0);
  CHECK(parts["tp"]["hidden_seconds"] == 0);
  CHECK(parts["cp"]["hidden_seconds"] > 0);
  CHECK(parts["bubble"]["seconds"] == 0);
  CHECK(parts["tp"]["rests_on"].empty());
}

TEST_CASE("predict: what doesn't fit is an honest no") {
  const scratch s;
  const std::string large = "predict --cluster dgx-h100:1 " + model + "--seq-length 8192 --micro-batch-size 8";
  const result r = run(s.path, large);
  CHECK(r.status == 1);
  CHECK(holds(r.out, ": out of memory\n"));
  const json d = document(large, 1);
  CHECK(d["feasible"] == false);
  CHECK(d["verdict"] == "out of memory");
  CHECK(d["step"]["seconds"] > 0);
  const json none = document("predict --cluster dgx-h100:1 " + model + "--dp 16", 1);
  CHECK(none["feasible"] == false);
  CHECK(none["why"] == "the job has 16 ranks, and dgx-h100:1 has 8 usable GPUs");
  CHECK(holds(run(s.path, "predict --cluster dgx-h100:1 " + model + "--dp 16").out, "\nNo prediction: the job has 16 ranks"));
}

TEST_CASE("predict: a plan brings its degrees and its groups") {
  const scratch s;
  REQUIRE(run(s.path, "place --cluster dgx-h100:4 --tp 4 --pp 2 --out plan").status == 0);
  const std::string with_plan = "predict --cluster dgx-h100:4 " + model + "--global-batch-size 16 ";
  const result r = run(s.path, with_plan + "--plan plan --json");
  CHECK(r.status == 0);
  const json d = json::parse(r.out);
  CHECK(d["groups_from"] == "plan");
  CHECK(d["degrees"]["tp"] == 4);
  CHECK(d["degrees"]["dp"] == 4);
  CHECK(run(s.path, with_plan + "--plan plan/rank_map.json --tp 4 --json").out == r.out);
  CHECK(holds(run(s.path, with_plan + "--plan plan").out, "\nGroups: where the plan puts them\n"));
  CHECK(holds(run(s.path, with_plan + "--plan plan --tp 8").err, "--tp 8 contradicts the plan, which has 4"));
  CHECK(holds(run(s.path, with_plan + "--plan plan --order dp-tp-cp-ep-pp").err, "contradicts the plan"));
  CHECK(holds(run(s.path, "predict --cluster 'dgx-h100:4 names=other' " + model + "--plan plan").err,
              "topoplan: the rank map names host"));
  CHECK(run(s.path, with_plan + "--plan nowhere").status == 2);
}

TEST_CASE("predict: settings change what they are about") {
  const auto seconds = [](const json& d) { return d["step"]["seconds"].get<double>(); };
  const json plain = document(step);
  CHECK(seconds(document(step + "--recompute-granularity full")) > seconds(plain));
  CHECK(seconds(document(step + "--vpp 2")) < seconds(plain));
  CHECK(seconds(document(step + "--precision fp8")) < seconds(plain));
  CHECK(seconds(document(step + "--overlap-tp off")) > seconds(plain));
  CHECK(seconds(document(step + "--untuned")) == seconds(plain));  // the fabric isn't RoCE
  CHECK(seconds(document(step + "--fabric ethernet-tcp")) > seconds(plain));
  CHECK(seconds(document(step + "--power 350")) > seconds(plain));
  CHECK(document(step + "--no-sequence-parallel")["training"]["sequence_parallel"] == false);
  CHECK(document(step + "--use-distributed-optimizer") == plain);
  CHECK(plain["training"]["fused_loss"] == true);
  CHECK(document(step + "--no-cross-entropy-loss-fusion")["memory"]["stages"][1]["logits"] >
        plain["memory"]["stages"][1]["logits"]);
  CHECK(document(step + "--num-virtual-stages-per-pipeline-rank 2") == document(step + "--vpp 2"));
  const json given = document(step + "--storage-write 200");
  CHECK(given["checkpoint"]["write_rate"] == 200e9);
  CHECK(given["checkpoint"]["write_rate_is"] == "given");
  CHECK(document(step + "--node-local")["checkpoint"]["warnings"].size() > 0);
  const json adapters = document("predict --cluster dgx-h100:1 " + model + "--qlora --lora-rank 8 --micro-batch-size 1");
  CHECK(adapters["training"]["tuning"] == "qlora");
  CHECK(adapters["checkpoint"]["bytes"] < 2e9);
}

TEST_CASE("predict: many stages are elided, experts are listed") {
  const scratch s;
  write(s.path / "moe.json",
        R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000, "num_local_experts": 8,
            "num_experts_per_tok": 2, "tie_word_embeddings": false, "max_position_embeddings": 4096})");
  const result r = run(s.path, "predict --cluster dgx-h100:32 --model moe.json --tp 1 --ep 8 --pp 16 --global-batch-size 512");
  CHECK(r.status == 0);
  CHECK(holds(r.out, "\n    ...\n"));
  CHECK(holds(structure(r.out), "\n expert parallel # # # links "));
  CHECK(holds(structure(r.out), "\n routing and permutation # # fitted"));
  CHECK(holds(structure(r.out), "\n ep # ranks each inside one NVLink domain\n"));
  CHECK(holds(structure(r.out), "\n expert_dp # ranks each "));
  CHECK(holds(r.out, " active for a token; "));
}

TEST_CASE("predict: bad usage and illegal jobs, by message") {
  const std::string base = "predict --cluster dgx-h100:2 ";
  CHECK(holds(refusal("predict " + model), "no cluster: give --cluster"));
  CHECK(holds(refusal(base), "what is predicted? Give --model config.json, or --collective"));
  CHECK(holds(refusal(base + model + "--tp 3"), "aren't divisible by tp*cp*pp"));
  CHECK(holds(refusal(base + model + "--tp 16"), "the number of attention heads 40 isn't divisible by tp 16"));
  CHECK(holds(refusal(base + model + "--ep 2"), "the model has no experts"));
  CHECK(holds(refusal(base + model + "--global-batch-size 3"), "the global batch 3 isn't divisible by dp 16"));
  CHECK(holds(refusal(base + model + "--seq-length 4k"), "--seq-length '4k': expected a whole number from 1 to"));
  CHECK(holds(refusal(base + model + "--precision int8"), "--precision 'int8': expected bf16, fp16, fp8, mxfp8 or nvfp4"));
  CHECK(holds(refusal(base + model + "--precision nvfp4"), "computes no nvfp4 matrix multiplication"));
  CHECK(holds(refusal(base + model + "--fabric myrinet"), "--fabric 'myrinet': expected infiniband-edr, "));
  CHECK(holds(refusal(base + model + "--overlap-dp yes"), "--overlap-dp 'yes': expected on or off"));
  CHECK(holds(refusal(base + model + "--grad-reduce-bytes 3"), "expected 2 or 4"));
  CHECK(holds(refusal(base + model + "--lora-rank 8"), "give --lora or --qlora too"));
  CHECK(holds(refusal(base + model + "--lora --qlora"), "--lora excludes --qlora"));
  CHECK(holds(refusal(base + model + "--account-for-loss-in-pipeline-split"), "give both"));
  CHECK(holds(refusal(base + model + "--use-distributed-optimizer --sharding zero3"), "give one of them"));
  CHECK(holds(refusal(base + model + "--calibration " TOPOPLAN_EXAMPLE_DATA "/model.json"),
              "model.json:1:1: expected a document with"));
  CHECK(holds(refusal(base + model + "--bytes 1GiB"), "--bytes goes with --collective"));
  CHECK(holds(refusal(base + "--model " TOPOPLAN_EXAMPLE_DATA "/topo.txt"), "topo.txt"));
  CHECK(holds(refusal(base + "--model nowhere.json"), "nowhere.json"));
  CHECK(holds(refusal(base + model + "--collective all_reduce"), "give one of them"));
  CHECK(holds(refusal(base + "--collective allreduce"), "expected one of all_reduce, all_gather"));
  CHECK(holds(refusal(base + "--collective all_reduce --bytes 1GX"), "--bytes '1GX': expected a number of bytes"));
  CHECK(holds(refusal(base + "--collective all_reduce --tp 8"), "--group names the axis"));
  CHECK(holds(refusal(base + "--collective all_reduce --group dp"), "give the degrees"));
  CHECK(holds(refusal(base + "--collective all_reduce --tp 8 --group px"), "expected tp, cp, dp"));
  CHECK(holds(refusal(base + "--collective all_reduce --tp 8 --group pp"), "hold one rank"));
}

TEST_CASE("predict --collective: every tier that differs, several sizes or one") {
  const scratch s;
  const result r = run(s.path, "predict --cluster 'dgx-h100:64 leaf=16' --collective all_reduce");
  CHECK(r.status == 0);
  const std::string text = structure(r.out);
  CHECK(holds(text, "\nCollective: all-reduce, as hopper and infiniband-ndr run it; all groups of a row work at once\n"));
  CHECK(holds(text, "\n NVLink domain (host) # groups, the fullest of # GPUs inside one NVLink domain\n"));
  CHECK(holds(text, "\n leaf group # groups, the fullest of # GPUs over # NVLink domains, # ranks in each\n"));
  CHECK(holds(text, "\n cluster # group of # GPUs over # NVLink domains, # ranks in each\n"));
  CHECK(holds(r.out, "within"));
  for (const char* size : {"1 MiB", "16 MiB", "256 MiB", "1 GiB", "8 GiB"}) CHECK_MESSAGE(holds(r.out, size), size);
  const json d = document("predict --cluster 'dgx-h100:64 leaf=16' --collective all-reduce --bytes 1GiB");
  REQUIRE(d["times"].size() == 3);
  CHECK(d["times"][0]["gpus"] == 8);
  CHECK(d["times"][1]["gpus"] == 128);
  CHECK(d["times"][1]["groups"] == 4);
  CHECK(d["times"][2]["gpus"] == 512);
  for (const auto& row : d["times"]) {
    const double n = row["gpus"];
    CHECK(row["bytes"] == 1073741824);
    CHECK(row["bus_bytes_per_second"].get<double>() ==
          doctest::Approx(2 * (n - 1) / n * 1073741824 / row["seconds"].get<double>()));
  }
  CHECK(d["times"][0]["seconds"] < d["times"][2]["seconds"]);
  const json racks = document("predict --cluster gb200-nvl72:2 --collective all_gather --bytes 1e9");
  REQUIRE(racks["times"].size() == 3);
  CHECK(racks["times"][0]["within"] == "host");
  CHECK(racks["times"][0]["links"] == "nvlink");
  CHECK(racks["times"][1]["gpus"] == 72);
  const json one = document("predict --cluster dgx-h100:8 --tp 8 --pp 2 --collective all_reduce --bytes 64MiB --group dp");
  REQUIRE(one["times"].size() == 1);
  CHECK(one["times"][0]["gpus"] == 4);
  CHECK(one["times"][0]["groups"] == 16);
}

TEST_CASE("calibrate: fits, writes, and predict takes it") {
  const scratch s;
  const std::string runs = R"({"format": "topoplan.runs", "version": 1, "runs": [
    {"name": "a \"quoted\" name", "model": "m.json", "cluster": "dgx-h100:4", "degrees": {"tp": 4, "pp": 2},
     "training": {"seq_length": 4096, "global_batch_size": 32, "sequence_parallel": false}, "seconds": SECONDS},
    {"model": {"model_type": "llama", "hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 40,
               "num_attention_heads": 40, "num_key_value_heads": 8, "vocab_size": 64000, "tie_word_embeddings": false},
     "cluster": "dgx-h100:4", "degrees": {"tp": 8},
     "training": {"seq-length": 4096, "global-batch-size": 32}, "seconds": SECONDS},
    {"model": "m.json", "gpu": "h100-sxm", "nic": 200, "degrees": {"tp": 2, "dp": 16},
     "training": {"seq_length": 4096, "global_batch_size": 32, "micro_batch_size": 2, "use_distributed_optimizer": true},
     "seconds": SECONDS}]})";
  topoplan_test::fs::create_directory(s.path / "mine");
  topoplan_test::fs::copy(TOPOPLAN_EXAMPLE_DATA "/model.json", s.path / "mine/m.json");
  write(s.path / "mine/runs.json", std::regex_replace(runs, std::regex("SECONDS"), "1"));
  // Runs that take 15 % longer than is predicted.
  std::string measured = runs;
  const json predicted = json::parse(run(s.path, "calibrate --runs mine/runs.json --json").out);
  for (const auto& row : predicted["runs"])
    measured.replace(measured.find("SECONDS"), 7, std::to_string(1.15 * row["before"].get<double>()));
  write(s.path / "mine/runs.json", measured);
  const result r = run(s.path, "calibrate --runs mine/runs.json --out own.json");
  CHECK_MESSAGE(r.status == 0, r.err);
  const std::string text = structure(r.out);
  CHECK(text.starts_with("Runs: # of H#/H#; predicted over measured\n run measured s before s error % after s error %\n"));
  CHECK(holds(text, "\n a \"quoted\" name # # "));
  CHECK(holds(text, "\n llama tp# dp# # # "));
  CHECK(holds(text, "\n mean of absolute errors # #\n"));
  CHECK(holds(text, "\n matmul_#bit # -> #\n"));
  CHECK(holds(r.out, "Wrote own.json; predict takes it as --calibration own.json\n"));
  const auto own = topoplan::import::calibration_file(text_of(s.path / "own.json"), "own.json");
  CHECK(own.replaces(topoplan::gpu_family::hopper));

  const std::string job =
      "predict --cluster dgx-h100:4 --model mine/m.json --tp 4 --pp 2 --seq-length 4096 --global-batch-size 32 "
      "--no-sequence-parallel --json";
  const json fitted = json::parse(run(s.path, job + " --calibration own.json").out);
  const json plain = json::parse(run(s.path, job).out);
  const json report = json::parse(run(s.path, "calibrate --runs mine/runs.json --json").out);
  CHECK(report["format"] == "topoplan.calibration_fit");
  CHECK(report["runs"][0]["name"] == "a \"quoted\" name");
  CHECK(report["runs"][0]["before"].get<double>() == doctest::Approx(plain["step"]["seconds"].get<double>()));
  CHECK(report["runs"][0]["after"].get<double>() == doctest::Approx(fitted["step"]["seconds"].get<double>()));
  CHECK(report["error_after"] < report["error_before"]);
  CHECK(report["factors"]["matmul_16bit"]["after"] == own.factors_of(topoplan::gpu_family::hopper).matmul_16bit);

  CHECK(holds(run(s.path, "calibrate --runs mine/runs.json --out own.json").err, "own.json exists; --force replaces it"));
  CHECK(run(s.path, "calibrate --runs mine/runs.json --out own.json --force").status == 0);
  CHECK(run(s.path, "calibrate --runs mine/runs.json --calibration own.json --json").status == 0);
  CHECK(holds(run(s.path, "calibrate --runs mine/runs.json").out, "Nothing was written; --out FILE"));
  CHECK(run(s.path, "calibrate --runs mine/runs.json --force").status == 2);

  const auto refused = [&](const std::string& document) {
    write(s.path / "mine/bad.json", document);
    const result bad = run(s.path, "calibrate --runs mine/bad.json --out bad.out");
    CHECK(bad.status == 2);
    CHECK(bad.out.empty());
    CHECK_FALSE(topoplan_test::fs::exists(s.path / "bad.out"));
    return bad.err;
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    return refused(std::regex_replace(measured, std::regex(from), to));
  };
  CHECK(holds(refused("{\"format\": \"topoplan.runs\", \"version\": 1, \"runs\": []}"),
              "calibrating takes 3 runs at least, there are 0"));
  CHECK(holds(changed("\"version\": 1", "\"version\": 2"), "expected version 1, found 2"));
  CHECK(holds(changed("topoplan.runs", "topoplan.plan"), "topoplan.runs"));
  CHECK(holds(changed("dgx-h100", "dgx-a100"), "calibrate one GPU family at a time"));
  CHECK(holds(changed("\"seconds\"", "\"second\""), "bad.json:3:"));
  CHECK(holds(changed("\"seconds\"", "\"second\""), "found the key 'second'"));
  CHECK(holds(changed("\"seconds\": [0-9.]+", "\"seconds\": 0"), "the seconds of a step, a number above 0, found 0"));
  CHECK(holds(changed("\"tp\": 8", "\"tp\": 7"), "bad.json:4:"));
  CHECK(holds(changed("global-batch-size", "globalbatch"), "such as seq_length, found the key 'globalbatch'"));
  CHECK(holds(changed("\"micro_batch_size\": 2", "\"micro_batch_size\": 1.5"), "expected a whole number from 1"));
  CHECK(holds(changed(", \"dp\": 16", ""), "dp among the degrees"));
  CHECK(holds(changed("\"gpu\": \"h100-sxm\", ", ""), "\"cluster\" or \"gpu\", one of them, found neither"));
  CHECK(holds(changed("m\\.json", "no.json"), "no.json"));
}

TEST_CASE("predict and calibrate explain their options") {
  const scratch s;
  const result r = run(s.path, "predict --help");
  CHECK(r.status == 0);
  for (const char* option :
       {"--seq-length", "--num-virtual-stages-per-pipeline-rank", "--recompute-granularity", "--sharding", "--software",
        "--overlap-tp", "--fabric", "--no-sharp", "--collective", "--calibration", "Examples:"})
    CHECK_MESSAGE(holds(r.out, option), option);
  CHECK(holds(run(s.path, "calibrate --help").out, "topoplan.runs"));
  CHECK(holds(run(s.path, "--help").out, "predict"));
}
