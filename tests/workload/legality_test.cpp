#include <topoplan/workload/legality.hpp>

#include <doctest/doctest.h>

#include <string>

#include "workload/models.hpp"

using namespace topoplan;

namespace {

bool says(const std::string& why, const std::string& part) { return why.find(part) != std::string::npos; }

training batch(std::uint32_t global) {
  training t;
  t.global_batch = global;
  return t;
}

}  // namespace

TEST_CASE("a job that Megatron runs is legal") {
  resolved_degrees d;
  d.tp = d.expert_tp = 8;
  d.pp = 4;
  d.dp = 4;
  training t = batch(64);
  t.virtual_stages = 4;
  CHECK(why_not_trainable(topoplan_test::llama_8b(), t, d).empty());
}

TEST_CASE("each rule is named with its numbers") {
  const transformer m = topoplan_test::llama_8b();
  resolved_degrees d;
  d.tp = 3;
  CHECK(says(why_not_trainable(m, batch(8), d), "attention heads 32 isn't divisible by tp 3"));
  d = {};
  d.dp = 3;
  CHECK(says(why_not_trainable(m, batch(8), d), "the global batch 8 isn't divisible by dp 3 * micro-batch 1 = 3"));
  d = {};
  d.ep = 2;
  CHECK(says(why_not_trainable(m, batch(8), d), "the model has no experts"));
  d = {};
  d.cp = 3;
  CHECK(says(why_not_trainable(m, batch(8), d), "the sequence length 4096 isn't divisible by 2 cp = 6"));
  d = {};
  d.pp = 4;
  training t = batch(6);
  t.virtual_stages = 2;
  CHECK(says(why_not_trainable(m, t, d), "the number of micro-batches 6 isn't divisible by pp 4"));
  d.pp = 1;
  CHECK(says(why_not_trainable(m, t, d), "virtual stages need pp above 1"));
  d.pp = 33;
  CHECK(says(why_not_trainable(m, batch(33), d), "32 layers over pp 33: as many layers are needed as there are chunks, 33"));
  d = {};
  d.ep = 3;
  CHECK(says(why_not_trainable(topoplan_test::deepseek_v3(), batch(8), d), "the number of experts 256 isn't divisible by ep 3"));
  d = {};
  d.tp = 16;
  transformer few = m;
  few.kinds[0].attention.kv_heads = 6;
  CHECK(says(why_not_trainable(few, batch(16), d), "the number of key-value heads 6 and tp 16 don't divide each other"));
  CHECK_THROWS_WITH_AS(check_trainable(few, batch(16), d), doctest::Contains("llama: the number of key-value heads"),
                       invalid_argument);
}

TEST_CASE("a block without heads, width or experts has no time: it is refused") {
  const transformer m = topoplan_test::deepseek_v3();
  const auto why = [&](auto change) {
    transformer changed = m;
    change(changed.kinds[1]);
    return why_not_trainable(changed, batch(8), {});
  };
  CHECK(why([](layer_kind&) {}).empty());
  CHECK(says(why([](layer_kind& k) { k.attention.heads = 0; }), "a layer's attention has no heads"));
  CHECK(says(why([](layer_kind& k) { k.attention.head_size = 0; }), "a layer's attention has no heads"));
  CHECK(says(why([](layer_kind& k) { k.experts.top_k = 0; }), "a token goes to 0 of 256 experts"));
  CHECK(says(why([](layer_kind& k) { k.experts.top_k = 257; }), "a token goes to 257 of 256 experts"));
  CHECK(says(why([](layer_kind& k) { k.experts.size = 0; }), "the width of an expert is 0"));
  CHECK(says(why([](layer_kind& k) { k.feed_forward = feed_forward_kind::mlp; }), "the feed-forward width is 0"));
  CHECK(says(why([](layer_kind& k) { k.mixer = mixer_kind::state_space; }), "a state space layer has no heads or no groups"));
  CHECK(why([](layer_kind& k) { k.feed_forward = feed_forward_kind::none; }).empty());
}
