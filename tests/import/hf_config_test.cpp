#include <topoplan/import/hf_config.hpp>
#include <topoplan/workload/flops.hpp>
#include <topoplan/workload/parameters.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "survives.hpp"
#include "topology_summary.hpp"

using namespace topoplan_test;
using import::hf_config;
using topoplan::parse_error;
using topoplan::transformer;

TEST_SUITE_BEGIN("import/hf_config");

namespace {

transformer read(const std::string& name) { return hf_config(data_file("hf_config/" + name), name); }

std::uint64_t total(const std::string& text) { return topoplan::parameters_of(hf_config(text, "config.json")).total(); }

// A letter a layer: what mixes its tokens (F everything, S a window, C a chunk, M Mamba-2, - nothing).
std::string mixers(const transformer& t) {
  std::string out;
  for (const auto index : t.layers) {
    const auto& k = t.kinds[index];
    const bool attention = k.mixer == topoplan::mixer_kind::attention;
    out += k.mixer == topoplan::mixer_kind::state_space ? 'M'
           : !attention                                 ? '-'
           : k.attention.window == 0                    ? 'F'
           : k.attention.chunked                        ? 'C'
                                                        : 'S';
  }
  return out;
}

// A letter a layer: d dense, e experts, - nothing.
std::string feeds(const transformer& t) {
  std::string out;
  for (const auto index : t.layers) {
    const auto kind = t.kinds[index].feed_forward;
    out += kind == topoplan::feed_forward_kind::mlp ? 'd' : kind == topoplan::feed_forward_kind::experts ? 'e' : '-';
  }
  return out;
}

constexpr std::uint64_t u(std::uint64_t n) { return n; }

// A model of the reference folder: its parameters by hand, and the billions in its name with as many digits as the name has.
struct counted {
  const char* file;
  std::uint64_t parameters;
  double billions;  // 0: the name states no size
  int digits;       // behind the point
};

// Per layer: attention, feed-forward, norms; then embedding, head and the rest.
const counted by_hand[] = {
    // 30 layers of 12 h^2 + 13 h, a table for 250880 tokens, two norms at the ends. Published: 7,069,016,064.
    {"bloomz-7b1", 30 * (u(12) * 4096 * 4096 + 13 * 4096) + u(250880) * 4096 + 4 * 4096, 7.1, 1},
    // 2 groups of keys and values, bias on q, k, v only, gated.
    {"chatglm3-6b",
     28 * ((u(4096) + 512) * 4096 + 4608 + u(4096) * 4096 + u(3) * 4096 * 13696 + 2 * 4096) + u(2) * 65024 * 4096 + 4096, 6, 0},
    // MLA without a query rank: q, kv down with its norm, kv up, o. 1 dense layer, 64 experts of 1408 and 2 shared.
    // 15,706,484,224.
    {"deepseek-v2-lite",
     27 * (u(2048) * 16 * 192 + u(2048) * 576 + 512 + u(512) * 16 * 256 + u(2048) * 2048 + 2 * 2048) + u(3) * 2048 * 10944 +
         26 * (u(66) * 3 * 2048 * 1408 + u(64) * 2048) + u(2) * 102400 * 2048 + 2048,
     0, 0},
    // With a query rank; 256 experts of 2048 and one shared, with a correction an expert; 3 dense layers; without MTP.
    {"deepseek-v3",
     61 * (u(7168) * 1536 + 1536 + u(1536) * 128 * 192 + u(7168) * 576 + 512 + u(512) * 128 * 256 + u(16384) * 7168 + 2 * 7168) +
         3 * (u(3) * 7168 * 18432) + 58 * (u(257) * 3 * 7168 * 2048 + u(256) * 7168 + 256) + u(2) * 129280 * 7168 + 7168,
     671, 0},
    // 8 groups of 64, two norms with bias a layer, parallel blocks, the head is the table.
    {"falcon-40b-refinedweb",
     60 * (u(2) * 8192 * 8192 + u(2) * 8192 * 512 + u(8) * 8192 * 8192 + 4 * 8192) + u(65024) * 8192 + 2 * 8192, 40, -1},
    // 16 heads of 256 at a width of 3584, four norms a layer, tied.
    {"gemma2-9b", 42 * (u(2) * 3584 * 4096 + u(2) * 3584 * 2048 + u(3) * 3584 * 14336 + 4 * 3584) + u(256000) * 3584 + 3584, 9,
     0},
    {"gemma3-1b-text-config",
     26 * (u(2) * 1152 * 1024 + u(2) * 1152 * 256 + 2 * 256 + u(3) * 1152 * 6912 + 4 * 1152) + u(262144) * 1152 + 1152, 1, 0},
    {"gemma3-27b-text",
     62 * (u(2) * 5376 * 4096 + u(2) * 5376 * 2048 + 2 * 128 + u(3) * 5376 * 21504 + 4 * 5376) + u(262208) * 5376 + 5376, 27, 0},
    // Biases everywhere, two tables. Published: 20,554,567,680.
    {"gpt-neox-20b", 44 * (u(12) * 6144 * 6144 + 13 * 6144) + u(2) * 50432 * 6144 + 2 * 6144, 20, -1},
    // 128 experts of 2880 with biases, a router with bias, a sink a head, biases in attention.
    {"gpt-oss-120b",
     36 * (u(2880) * 4096 + 4096 + 2 * (u(2880) * 512 + 512) + u(4096) * 2880 + 2880 + 64 +
           u(128) * (3 * 2880 * 2880 + 3 * 2880) + u(128) * 2880 + 128 + 2 * 2880) +
         u(2) * 201088 * 2880 + 2880,
     120, -1},
    {"gpt2", 12 * (u(12) * 768 * 768 + 13 * 768) + u(50257) * 768 + u(1024) * 768 + 2 * 768, 0, 0},
    {"kimi-k2",
     61 * (u(7168) * 1536 + 1536 + u(1536) * 64 * 192 + u(7168) * 576 + 512 + u(512) * 64 * 256 + u(8192) * 7168 + 2 * 7168) +
         u(3) * 7168 * 18432 + 60 * (u(385) * 3 * 7168 * 2048 + u(384) * 7168 + 384) + u(2) * 163840 * 7168 + 7168,
     1000, -2},
    {"llama-2-7b", 32 * (u(4) * 4096 * 4096 + u(3) * 4096 * 11008 + 2 * 4096) + u(2) * 32000 * 4096 + 4096, 7, 0},
    {"llama-3.1-405b",
     126 * (u(2) * 16384 * 16384 + u(2) * 16384 * 1024 + u(3) * 16384 * 53248 + 2 * 16384) + u(2) * 128256 * 16384 + 16384, 405,
     0},
    {"llama-3.1-8b",
     32 * (u(2) * 4096 * 4096 + u(2) * 4096 * 1024 + u(3) * 4096 * 14336 + 2 * 4096) + u(2) * 128256 * 4096 + 4096, 8, 0},
    // The language model alone: 16 experts and a shared one in each layer.
    {"llama-4-scout",
     48 * (u(2) * 5120 * 5120 + u(2) * 5120 * 1024 + u(17) * 3 * 5120 * 8192 + u(16) * 5120 + 2 * 5120) + u(2) * 202048 * 5120 +
         5120,
     0, 0},
    // Norms over all heads of queries and of keys; a correction an expert.
    {"minimax-m2.5",
     62 * (u(2) * 3072 * 6144 + u(2) * 3072 * 1024 + 6144 + 1024 + u(256) * 3 * 3072 * 1536 + u(256) * 3072 + 256 + 2 * 3072) +
         u(2) * 200064 * 3072 + 3072,
     0, 0},
    {"mistral-7b", 32 * (u(2) * 4096 * 4096 + u(2) * 4096 * 1024 + u(3) * 4096 * 14336 + 2 * 4096) + u(2) * 32000 * 4096 + 4096,
     7, 0},
    {"mixtral-8x7b",
     32 * (u(2) * 4096 * 4096 + u(2) * 4096 * 1024 + u(8) * 3 * 4096 * 14336 + u(8) * 4096 + 2 * 4096) + u(2) * 32000 * 4096 +
         4096,
     0, 0},
    // 54 Mamba-2 blocks of 256 heads of 64 (states of 256 in 8 groups), 10 of attention, 54 of two matrices; one norm each.
    {"nemotron-h-56b",
     54 * (u(8192) * (2 * 16384 + 2 * 8 * 256 + 256) + u(16384 + 2 * 8 * 256) * 5 + 3 * 256 + 16384 + u(16384) * 8192 + 8192) +
         10 * (u(2) * 8192 * 8192 + u(2) * 8192 * 1024 + 8192) + 54 * (u(2) * 8192 * 32768 + 8192) + u(2) * 131072 * 8192 + 8192,
     56, 0},
    // Embeddings of 512 with projections to 1024 and back, 2050 positions, no final norm. Published: 331,196,416.
    {"opt-350m-no-model-type", 24 * (u(12) * 1024 * 1024 + 13 * 1024) + u(50272) * 512 + u(2) * 512 * 1024 + u(2050) * 1024, 0,
     0},
    {"phi-3.5-mini", 32 * (u(4) * 3072 * 3072 + u(3) * 3072 * 8192 + 2 * 3072) + u(2) * 32064 * 3072 + 3072, 3.8, 1},
    {"qwen2.5-7b",
     28 * (u(2) * 3584 * 3584 + u(2) * 3584 * 512 + 3584 + 2 * 512 + u(3) * 3584 * 18944 + 2 * 3584) + u(2) * 152064 * 3584 +
         3584,
     7.6, 1},
    {"qwen3-235b-a22b",
     94 * (u(2) * 4096 * 8192 + u(2) * 4096 * 512 + 2 * 128 + u(128) * 3 * 4096 * 1536 + u(128) * 4096 + 2 * 4096) +
         u(2) * 151936 * 4096 + 4096,
     235, 0},
    {"qwen3-32b",
     64 * (u(2) * 5120 * 8192 + u(2) * 5120 * 1024 + 2 * 128 + u(3) * 5120 * 25600 + 2 * 5120) + u(2) * 151936 * 5120 + 5120, 32,
     0},
    {"qwen3-vl-235b",
     94 * (u(2) * 4096 * 8192 + u(2) * 4096 * 512 + 2 * 128 + u(128) * 3 * 4096 * 1536 + u(128) * 4096 + 2 * 4096) +
         u(2) * 151936 * 4096 + 4096,
     235, 0},
};

}  // namespace

TEST_CASE("the 26 reference configurations have the parameters that their families give by hand") {
  if (!reference_file("hf-config/gpt2.json")) return;
  for (const auto& model : by_hand) {
    CAPTURE(model.file);
    const auto text = reference_file("hf-config/" + std::string(model.file) + ".json");
    REQUIRE(text);
    const auto t = hf_config(*text, model.file);
    const auto p = topoplan::parameters_of(t);
    CHECK(p.total() == model.parameters);
    if (model.billions == 0) continue;
    // Names round, or cut: 405.85 billion are 405B.
    const double unit = 1e9 * std::pow(10.0, -model.digits);
    const double count = static_cast<double>(p.total()) / unit;
    const auto stated = std::llround(model.billions * 1e9 / unit);
    CHECK((std::llround(count) == stated || std::llround(std::floor(count)) == stated));
  }
}

TEST_CASE("published counts") {
  const auto is = [](const char* file, std::uint64_t parameters) {
    CAPTURE(file);
    const auto text = reference_file("hf-config/" + std::string(file) + ".json");
    if (text) CHECK(total(*text) == parameters);
  };
  is("bloomz-7b1", 7'069'016'064);
  is("chatglm3-6b", 6'243'584'000);
  is("deepseek-v2-lite", 15'706'484'224);
  is("deepseek-v3", 671'026'419'200);
  is("gemma2-9b", 9'241'705'984);
  is("gpt-neox-20b", 20'554'567'680);
  is("gpt2", 124'439'808);
  is("llama-2-7b", 6'738'415'616);
  is("llama-3.1-8b", 8'030'261'248);
  is("mistral-7b", 7'241'732'096);
  is("mixtral-8x7b", 46'702'792'704);
  is("opt-350m-no-model-type", 331'196'416);
  is("qwen2.5-7b", 7'615'616'512);
  is("qwen3-32b", 32'762'123'264);
  // Families whose code their models bring along.
  CHECK(total(R"({"model_type": "exaone", "hidden_size": 4096, "num_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 102400})") == 7'818'448'896);
  CHECK(total(R"({"model_type": "baichuan", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
      "intermediate_size": 11008, "vocab_size": 125696})") == 7'505'973'248);
  CHECK(total(R"({"model_type": "internlm2", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
      "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 92544, "bias": false})") == 7'737'708'544);
  CHECK(
      total(R"({"model_type": "qwen", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "kv_channels": 128,
      "intermediate_size": 22016, "vocab_size": 151936, "no_bias": true, "tie_word_embeddings": false})") == 7'721'324'544);
  CHECK(total(R"({"model_type": "deepseek", "hidden_size": 2048, "num_hidden_layers": 28, "num_attention_heads": 16,
      "num_key_value_heads": 16, "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64,
      "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1, "vocab_size": 102400})") == 16'375'728'128);
  CHECK(total(R"({"model_type": "RefinedWebModel", "hidden_size": 4544, "n_head": 71, "n_layer": 32, "multi_query": true,
      "parallel_attn": true, "bias": false, "vocab_size": 65024})") == 6'921'720'704);
  CHECK(total(R"({"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32, "expansion_ratio": 4, "max_seq_len": 2048,
      "vocab_size": 50432, "no_bias": true, "learned_pos_emb": true, "attn_config": {"alibi": true, "qk_ln": false}})") ==
        6'649'286'656);
}

TEST_CASE("small configurations of every family, counted by building the models that they describe") {
  std::istringstream lines(data_file("hf_config/counted.tsv"));
  std::size_t n = 0;
  for (std::string line; std::getline(lines, line); ++n) {
    CAPTURE(line);
    const auto first = line.find('\t');
    const auto second = line.find('\t', first + 1);
    const auto windows = line.substr(first + 1, second - first - 1);
    const auto t = hf_config(line.substr(second + 1), "counted");
    CHECK(topoplan::parameters_of(t).total() == std::stoull(line.substr(0, first)));
    if (windows != "-") CHECK(mixers(t) == windows);
  }
  CHECK(n == 213);
}

TEST_CASE("layers of the reference configurations") {
  const auto of = [](const std::string& name) { return reference_file("hf-config/" + name + ".json"); };
  if (!of("gpt2")) return;
  const auto load = [&](const std::string& name) { return hf_config(*of(name), name); };
  const auto v3 = load("deepseek-v3");
  CHECK(feeds(v3) == "ddd" + std::string(58, 'e'));
  CHECK(v3.prediction_layers == 1);
  const auto& mla = v3.kinds[1].attention;
  CHECK(mla.kind == topoplan::attention_kind::latent);
  CHECK(mla.head_size == 192);
  CHECK(mla.value_size == 128);
  CHECK(mla.query_rank == 1536);
  CHECK(v3.kinds[1].experts.top_k == 8);
  CHECK(load("kimi-k2").prediction_layers == 0);
  CHECK(load("minimax-m2.5").prediction_layers == 3);
  CHECK(mixers(load("gemma2-9b")).substr(0, 6) == "SFSFSF");
  CHECK(mixers(load("gemma3-27b-text")).substr(0, 13) == "SSSSSFSSSSSFS");
  CHECK(mixers(load("gpt-oss-120b")).substr(0, 4) == "SFSF");
  CHECK(mixers(load("llama-4-scout")).substr(0, 8) == "CCCFCCCF");
  CHECK(mixers(load("mistral-7b")) == std::string(32, 'S'));
  CHECK(mixers(load("mixtral-8x7b")) == std::string(32, 'F'));
  CHECK(mixers(load("qwen2.5-7b")) == std::string(28, 'F'));
  const auto hybrid = load("nemotron-h-56b");
  CHECK(mixers(hybrid).substr(0, 10) == "M-M-M-MF-M");
  CHECK(feeds(hybrid).substr(0, 10) == "-d-d-d--d-");
  CHECK(hybrid.layers.size() == 118);
  CHECK(load("falcon-40b-refinedweb").kinds[0].parallel_block);
  const auto vl = load("qwen3-vl-235b");
  REQUIRE(vl.notes.size() == 1);
  CHECK(vl.notes[0].find("tower for images") != std::string::npos);
  CHECK(vl.layers.size() == 94);
  const auto opt = load("opt-350m-no-model-type");
  REQUIRE(opt.notes.size() == 1);
  CHECK(opt.notes[0].find("read as opt, since no other family has word_embed_proj_dim") != std::string::npos);
}

TEST_CASE("small files, each with a trait of its own") {
  const auto nested = read("nested.json");
  CHECK(nested.name == "gemma3");
  CHECK(nested.hidden == 48);
  CHECK(nested.tied_embeddings);
  CHECK(mixers(nested) == "SSSSSFS");
  CHECK(nested.notes.size() == 1);

  const auto latent = read("latent.json");
  CHECK(feeds(latent) == "dded");
  CHECK(latent.notes.empty());
  CHECK(latent.kinds[0].attention.query_rank == 0);
  CHECK(latent.kinds[0].attention.head_size == 12);
  CHECK(latent.prediction_layers == 1);
  const std::uint64_t attention = 64 * 4 * 12 + 64 * 14 + 10 + 10 * 4 * (8 + 6) + 4 * 6 * 64;
  CHECK(topoplan::parameters_of(latent).total() ==
        4 * (attention + 2 * 64) + 3 * (3 * 64 * 128) + 10 * 3 * 64 * 16 + 8 * 64 + 8 + 2 * 100 * 64 + 64);

  const auto hybrid = read("hybrid.json");
  CHECK(mixers(hybrid) == "M-MFM-");
  CHECK(feeds(hybrid) == "-d---e");
  CHECK(hybrid.kinds.size() == 4);
  const std::uint64_t mamba = 64 * (2 * 128 + 2 * 2 * 32 + 8) + (128 + 2 * 2 * 32) * 5 + 3 * 8 + 128 + 128 * 64;
  const std::uint64_t experts = 4 * 64 + 4 + 2 * 64 * 12 + 4 * 2 * 12 * 24 + 2 * 64 * 40;
  CHECK(topoplan::parameters_of(hybrid).total() ==
        3 * mamba + 2 * 64 * 100 + (2 * 64 * 64 + 2 * 64 * 32) + experts + 6 * 64 + 2 * 100 * 64 + 64);

  const auto projected = read("projected.json");
  CHECK(projected.embedding_size == 16);
  CHECK(projected.positions == 66);
  CHECK(projected.end_norms == 0);
  CHECK(topoplan::parameters_of(projected).total() == 2 * (12 * 32 * 32 + 13 * 32) + 100 * 16 + 2 * 16 * 32 + 66 * 32);

  const auto chunked = read("chunked.json");
  CHECK(mixers(chunked) == "CCCFC");
  CHECK(feeds(chunked) == "deded");
  CHECK(chunked.kinds[0].mlp.size == 48);
  CHECK(topoplan::parameters_of(chunked).total() ==
        5 * (2 * 64 * 64 + 2 * 64 * 32 + 2 * 64) + 3 * (3 * 64 * 48) + 2 * (5 * 3 * 64 * 24 + 4 * 64) + 2 * 100 * 64 + 64);

  const auto listed = read("listed.json");
  CHECK(mixers(listed) == "FSS");
  CHECK(listed.kinds[0].experts.top_k == 2);
  CHECK(listed.kinds[0].experts.bias);
  CHECK(listed.kinds[0].attention.sinks);

  const auto old = read("old_names.json");
  CHECK(old.kinds[0].attention.kv_heads == 1);
  CHECK(old.kinds[0].norms == 1);
  CHECK(topoplan::parameters_of(old).total() == 2 * (64 * (64 + 32) + 64 * 64 + 8 * 64 * 64 + 2 * 64) + 100 * 64 + 2 * 64);

  const auto other = read("other_names.json");
  CHECK(topoplan::parameters_of(other).total() == 2 * (64 * 128 + 128 + 64 * 64 + 3 * 64 * 100 + 2 * 64) + 2 * 128 * 64 + 64);
}

TEST_CASE("what is refused, where, and by which name") {
  const auto refused = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(hf_config(text, "c.json"), doctest::Contains(part.c_str()), parse_error);
  };
  const auto type = [&](const char* name, const std::string& part) {
    refused("{\n  \"model_type\": \"" + std::string(name) + "\"}",
            "c.json:2:17: expected a decoder-only transformer that is modelled");
    refused("{\n  \"model_type\": \"" + std::string(name) + "\"}", "model_type '" + std::string(name) + "': " + part);
  };
  type("t5", "an encoder and a decoder");
  type("bert", "an encoder");
  type("mamba", "Mamba-1");
  type("jamba", "Mamba-1");
  type("rwkv", "RWKV");
  type("qwen3_next", "layers of linear attention");
  type("minimax_text_01", "layers of linear attention");
  type("deepseek_v32", "sparse attention with an indexer");
  type("vit", "images, no language model");
  type("gemma3n", "embeddings of every layer");
  refused("{\"model_type\": \"flux\"}", "c.json:1:16: expected a model_type that is known (");
  refused("{\"model_type\": \"flux\"}", ", llama4, llama4_text, ");
  refused("{\"model_type\": \"flux\"}", "), found 'flux'");
  refused("{\"model_type\": \"llama\",\n \"is_encoder_decoder\": true}",
          "c.json:2:24: expected a decoder-only transformer, found model_type 'llama'");
  refused("{\"hidden_size\": 64}", "c.json:1:1: expected model_type, which says what the other keys mean, found no such key");
  refused("{\"architectures\": [\"NobodysForCausalLM\"]}", "expected model_type");
  refused("[]", "c.json:1:1: expected a map of settings of a model, found a list");
  refused("{", "expected JSON");
  refused("{\"model_type\": 5}", "expected model_type, a text, found 5");
  refused("{\"model_type\": \"llama\"}",
          "c.json:1:1: expected hidden_size among the settings of model_type 'llama', found no such key");
  refused("{\"model_type\": \"kimi_k25\",\n \"text_config\": {\"model_type\": \"t5\"}}",
          "c.json:2:32: expected a decoder-only transformer");
  refused(R"({"model_type": "mistral3", "text_config": {"hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 1,
      "num_attention_heads": 8, "intermediate_size": 8}})",
          "c.json:1:43: expected tie_word_embeddings, for which versions of model_type 'mistral3' take different values");

  const std::string llama =
      "{\"model_type\": \"llama\", \"vocab_size\": 100, \"num_hidden_layers\": 2, \"intermediate_size\": 64,\n";
  const auto sized = [&](const std::string& rest, const std::string& part) { refused(llama + rest + "}", part); };
  sized("\"hidden_size\": -64", "c.json:2:16: expected hidden_size, a whole number from 1 to 262144, found -64");
  sized("\"hidden_size\": 0", "found 0");
  sized("\"hidden_size\": 64.5", "found 64.5");
  sized("\"hidden_size\": \"64\"", "found '64'");
  sized("\"hidden_size\": [64]", "found a list");
  sized("\"hidden_size\": 99999999999999999999", "whole number from 1 to 262144");
  sized("\"hidden_size\": 64, \"num_attention_heads\": 10",
        "c.json:2:43: expected heads that divide the hidden width 64, or head_dim beside them, found 10");
  CHECK(total(llama + "\"hidden_size\": 64, \"num_attention_heads\": 10, \"head_dim\": 8}") ==
        2 * (4 * 64 * 80 + 3 * 64 * 64 + 2 * 64) + 2 * 100 * 64 + 64);
  sized("\"hidden_size\": 64, \"num_attention_heads\": 8, \"num_key_value_heads\": 3",
        "c.json:2:69: expected heads for keys and values that divide the 8 heads for queries, found 3");
  sized("\"hidden_size\": 64, \"num_attention_heads\": 8, \"tie_word_embeddings\": 1",
        "tie_word_embeddings, true or false, found 1");
  sized("\"hidden_size\": 64, \"num_attention_heads\": 8, \"layer_types\": [\"full_attention\"]",
        "one entry of layer_types for each of the 2 layers, found 1");
  sized("\"hidden_size\": 64, \"num_attention_heads\": 8, \"layer_types\": [\"full_attention\", \"linear_attention\"]",
        "other layers of model_type 'llama' aren't modelled, found 'linear_attention'");
  sized("\"hidden_size\": 64, \"num_attention_heads\": 8, \"layer_types\": [\"full_attention\", \"sliding_attention\"]",
        "full_attention where sliding_window isn't set");

  refused(R"({"model_type": "mixtral", "hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 1, "num_attention_heads": 8,
 "intermediate_size": 8, "num_local_experts": 4, "num_experts_per_tok": 5})",
          "c.json:2:73: expected at most the 4 experts for each token, found 5");
  refused(R"({"model_type": "gpt2", "add_cross_attention": true})",
          "a model_type 'gpt2' without cross-attention, which isn't modelled");
  refused(R"({"model_type": "falcon", "hidden_size": 64, "vocab_size": 9, "n_head": 8, "n_layer": 2, "num_hidden_layers": 3})",
          "expected n_layer as num_hidden_layers says, 3, found 2");
  refused(R"({"model_type": "nemotron_h", "hidden_size": 64, "vocab_size": 9, "hybrid_override_pattern": "MX"})",
          "M (Mamba-2), * (attention), - (feed-forward) or E (experts) for each layer, found 'X'");
  refused(
      R"({"model_type": "nemotron_h", "hidden_size": 64, "vocab_size": 9, "hybrid_override_pattern": "--", "num_hidden_layers": 3,
 "intermediate_size": 8})",
      "as many layers as the pattern has, 2, found 3");
  refused(R"({"model_type": "llama4", "tie_word_embeddings": true,
 "text_config": {"tie_word_embeddings": false}})",
          "c.json:2:41: expected tie_word_embeddings as line 1 says, true, found false");
  refused(R"({"model_type": "mistral3", "vision_config": {}})", "expected text_config of a model_type 'mistral3'");
  refused(R"({"model_type": "qwen2_moe", "hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 1, "num_attention_heads": 8,
 "mlp_only_layers": [1]})",
          "c.json:2:22: expected a layer of 0 to 0, found 1");
}

TEST_CASE("windows as the families lay them out") {
  const auto laid_out = [](const std::string& type, const std::string& rest) {
    return mixers(hf_config("{\"model_type\": \"" + type + R"(", "hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 6,
        "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 8, )" +
                                rest + "}",
                            "c"));
  };
  CHECK(laid_out("qwen2", R"("sliding_window": 16, "use_sliding_window": true, "max_window_layers": 4)") == "FFFFSS");
  CHECK(laid_out("qwen2", R"("sliding_window": 16, "use_sliding_window": false, "max_window_layers": 4)") == "FFFFFF");
  CHECK(laid_out("qwen3_moe", R"("sliding_window": 16, "use_sliding_window": true, "num_experts": 2, "num_experts_per_tok": 1,
      "moe_intermediate_size": 4)") == "SSSSSS");
  CHECK(laid_out("exaone4", R"("sliding_window": 16, "sliding_window_pattern": "LLLG")") == "SSSFSS");
  CHECK(laid_out("exaone4", R"("sliding_window": 16, "sliding_window_pattern": 2)") == "SFSFSF");
  CHECK(laid_out("exaone4", R"("sliding_window": null)") == "FFFFFF");
  CHECK_THROWS_WITH_AS(laid_out("exaone4", R"("sliding_window_pattern": "LX")"), doctest::Contains("a number or letters L and G"),
                       parse_error);
  CHECK(laid_out("mistral", R"("head_dim": 8)") == "SSSSSS");
  CHECK(laid_out("mistral", R"("sliding_window": null)") == "FFFFFF");
  const std::string llama4 = R"("intermediate_size_mlp": 8, "num_local_experts": 2, "num_experts_per_tok": 1, )";
  CHECK(laid_out("llama4_text", llama4 + R"("no_rope_layers": [1, 0, 1, 1, 0, 0])") == "CFCCFF");
  CHECK(laid_out("llama4_text", llama4 + R"("no_rope_layer_interval": 3)") == "CCFCCF");
  CHECK(laid_out("llama4_text", llama4 + R"("attention_chunk_size": null)") == "FFFFFF");
  CHECK(feeds(hf_config(R"({"model_type": "llama4_text", "hidden_size": 64, "vocab_size": 9, "num_hidden_layers": 3,
      "num_attention_heads": 8, "intermediate_size": 8, "moe_layers": [1], )" +
                            llama4 + R"("x": 0})",
                        "c")) == "ded");
  CHECK(laid_out("gpt_neo", R"("max_position_embeddings": 32, "attention_types": [[["global", "local", "local"], 2]])") ==
        "FSSFSS");
  CHECK(laid_out("gpt_neo", R"("max_position_embeddings": 32)") == "FSFSFS");
}

TEST_CASE("dense and sparse layers by a list, and prediction layers under their other name") {
  auto text = data_file("hf_config/latent.json");
  const auto put = [&](const std::string& what, const std::string& by) { text.replace(text.find(what), what.size(), by); };
  put("\"num_nextn_predict_layers\": 1", "\"num_mtp_layers\": 2");
  put("\"moe_layer_freq\": 2", "\"mlp_layer_types\": [\"sparse\", \"dense\", \"sparse\", \"dense\"]");
  CHECK(feeds(hf_config(text, "c")) == "eded");
  CHECK(hf_config(text, "c").prediction_layers == 2);
  put("\"sparse\", \"dense\"]", "\"sparse\"]");
  CHECK_THROWS_WITH_AS(hf_config(text, "c"), doctest::Contains("c:13:22: expected one entry for each of the 4 layers, found 3"),
                       parse_error);
  put("\"sparse\"]", "\"odd\", \"dense\"]");
  CHECK_THROWS_WITH_AS(hf_config(text, "c"), doctest::Contains("expected dense or sparse, found 'odd'"), parse_error);
}

TEST_CASE("the largest sizes that are taken don't overflow a count") {
  const auto t =
      hf_config(R"({"model_type": "deepseek_v3", "hidden_size": 262144, "vocab_size": 67108864, "num_hidden_layers": 10000,
      "num_attention_heads": 16384, "qk_nope_head_dim": 16384, "qk_rope_head_dim": 16384, "v_head_dim": 16384,
      "kv_lora_rank": 262144, "q_lora_rank": 262144, "n_routed_experts": 4096, "num_experts_per_tok": 4096,
      "moe_intermediate_size": 262144, "n_shared_experts": 1000})",
                "c");
  // Every expert is active, so that a token is multiplied with every matrix.
  const auto f = topoplan::forward_flops(t, 1, topoplan::attention_pairs::causal);
  CHECK(static_cast<double>(topoplan::parameters_of(t).layers.total()) == doctest::Approx(f.layers_linear / 2).epsilon(1e-3));
}

TEST_CASE("Python's Infinity and NaN are no sizes, and stay text inside texts") {
  const std::string rest =
      ", \"model_type\": \"llama\", \"hidden_size\": 64, \"vocab_size\": 100, \"num_hidden_layers\": 1, \"num_attention_heads\": "
      "8, "
      "\"intermediate_size\": 64}";
  CHECK(total("{\"a\": [Infinity, -Infinity, NaN], \"b\": \"\\\"Infinity\"" + rest) == total("{\"a\": 0" + rest));
  CHECK_THROWS_WITH_AS(hf_config("{\"model_type\": \"Infinity\"}", "c"), doctest::Contains("found 'Infinity'"), parse_error);
}

TEST_CASE("the head's table where a key is missing: each family's own") {
  const auto tied = [](const std::string& type) {
    return hf_config("{\"model_type\": \"" + type + R"(", "hidden_size": 64, "vocab_size": 100, "num_hidden_layers": 1,
        "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 64})",
                     "c")
        .tied_embeddings;
  };
  for (const auto* type : {"gemma", "gemma2", "gemma3_text", "cohere", "cohere2", "starcoder2", "smollm3", "ernie4_5"})
    CHECK(tied(type));
  for (const auto* type : {"llama", "mistral", "qwen2", "qwen3", "phi3", "phi", "gpt_neox", "nemotron", "granite", "stablelm"})
    CHECK_FALSE(tied(type));
}

TEST_CASE("damaged files") {
  const auto reader = [](const std::string& text, const std::string& source) {
    const auto t = hf_config(text, source);
    for (const auto index : t.layers) CHECK(index < t.kinds.size());
    return t;
  };
  for (const auto* name : {"nested.json", "latent.json", "hybrid.json", "chunked.json", "other_names.json"})
    check_survives(reader, data_file("hf_config/" + std::string(name)));
}
