// Models written out by hand, and layers drawn at random whose sizes any split up to 8 divides.
#pragma once

#include <topoplan/workload/transformer.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/random.hpp"

namespace topoplan_test {

inline topoplan::transformer llama_8b() {
  topoplan::transformer t;
  t.name = "llama";
  t.hidden = 4096;
  t.vocabulary = 128256;
  topoplan::layer_kind k;
  k.attention = {.heads = 32, .kv_heads = 8, .head_size = 128, .value_size = 128};
  k.mlp = {.size = 14336, .gated = true};
  t.kinds = {k};
  t.layers.assign(32, 0);
  return t;
}

inline topoplan::transformer gpt2() {
  topoplan::transformer t;
  t.name = "gpt2";
  t.hidden = 768;
  t.vocabulary = 50257;
  t.positions = 1024;
  t.tied_embeddings = true;
  t.norm_bias = true;
  topoplan::layer_kind k;
  k.attention = {.heads = 12, .kv_heads = 12, .head_size = 64, .value_size = 64, .qkv_bias = true, .output_bias = true};
  k.mlp = {.size = 3072, .bias = true};
  k.norm_bias = true;
  t.kinds = {k};
  t.layers.assign(12, 0);
  return t;
}

inline topoplan::transformer deepseek_v3() {
  topoplan::transformer t;
  t.name = "deepseek_v3";
  t.hidden = 7168;
  t.vocabulary = 129280;
  topoplan::layer_kind dense;
  dense.attention = {.kind = topoplan::attention_kind::latent,
                     .heads = 128,
                     .kv_heads = 128,
                     .head_size = 192,
                     .value_size = 128,
                     .rope_size = 64,
                     .query_rank = 1536,
                     .kv_rank = 512};
  dense.mlp = {.size = 18432, .gated = true};
  auto sparse = dense;
  sparse.feed_forward = topoplan::feed_forward_kind::experts;
  sparse.mlp = {};
  sparse.experts = {.experts = 256, .top_k = 8, .size = 2048, .shared_size = 2048, .router_bias = true};
  t.kinds = {dense, sparse};
  t.layers.assign(61, 1);
  for (std::size_t i = 0; i < 3; ++i) t.layers[i] = 0;
  t.prediction_layers = 1;
  return t;
}

inline topoplan::layer_kind random_layer(random& rng) {
  const auto power = [&](std::uint32_t least, std::uint32_t most) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(rng.between(least, most));
  };
  const auto some = [&](std::uint64_t most) { return static_cast<std::uint32_t>(rng.between(1, most)); };
  const auto maybe = [&] { return rng.below(2) == 0; };
  topoplan::layer_kind k;
  k.norms = some(4);
  k.norm_bias = maybe();
  k.mixer = maybe() ? topoplan::mixer_kind::attention : topoplan::mixer_kind::state_space;
  k.feed_forward = maybe() ? topoplan::feed_forward_kind::mlp : topoplan::feed_forward_kind::experts;
  auto& a = k.attention;
  a.kind = maybe() ? topoplan::attention_kind::grouped : topoplan::attention_kind::latent;
  a.heads = power(3, 6);
  a.kv_heads = a.kind == topoplan::attention_kind::grouped ? power(0, 3) : a.heads;
  a.rope_size = a.kind == topoplan::attention_kind::grouped ? 0 : some(32);
  a.head_size = a.rope_size + some(64);
  a.value_size = some(64);
  a.query_rank = a.kind == topoplan::attention_kind::latent && maybe() ? some(100) : 0;
  a.kv_rank = a.kind == topoplan::attention_kind::latent ? some(100) : 0;
  a.qkv_bias = (a.kind == topoplan::attention_kind::grouped || a.query_rank != 0) && maybe();
  a.output_bias = maybe();
  a.qk_norm = some(100);
  a.sinks = maybe();
  k.state_space = {.heads = power(3, 6),
                   .head_size = some(64),
                   .state = some(64),
                   .groups = power(0, 3),
                   .convolution = some(6),
                   .chunk = 128,
                   .convolution_bias = maybe(),
                   .projection_bias = maybe()};
  k.mlp = {.size = 8 * some(100), .gated = maybe(), .bias = maybe()};
  k.experts = {.experts = 8 * some(16),
               .top_k = some(8),
               .size = 8 * some(100),
               .gated = maybe(),
               .bias = maybe(),
               .shared_size = maybe() ? 8 * some(100) : 0,
               .shared_gate = maybe(),
               .router_bias = maybe(),
               .latent_size = maybe() ? some(100) : 0};
  return k;
}

}  // namespace topoplan_test
