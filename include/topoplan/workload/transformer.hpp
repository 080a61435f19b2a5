// A decoder-only transformer as numbers: which blocks its layers hold, how wide they are, and what stands at its two ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace topoplan::inline v1 {

// How a block of attention is built: `grouped` covers multi-head, grouped-query and multi-query attention, `latent` is
// multi-head latent attention (MLA).
enum class attention_kind : std::uint8_t { grouped, latent };

// One block of self-attention. units: heads, elements, tokens.
struct attention_block {
  attention_kind kind = attention_kind::grouped;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;    // as heads with latent attention
  std::uint32_t head_size = 0;   // of queries and keys, rotary part included
  std::uint32_t value_size = 0;  // of values, per head
  std::uint32_t rope_size = 0;   // latent attention: the part of head_size that one rotary key for all heads gives
  std::uint32_t query_rank = 0;  // latent attention: 0 when queries come straight from the hidden state
  std::uint32_t kv_rank = 0;     // latent attention
  std::uint32_t window = 0;      // a token sees that many tokens at most; 0: all before it
  bool qkv_bias = false;
  bool output_bias = false;
  std::uint32_t qk_norm = 0;  // parameters of the norms of queries and keys, in all
  bool sinks = false;         // one learned logit a head
  bool chunked = false;       // the window is a chunk: a token sees what is before it in its own chunk of that many tokens

  friend bool operator==(const attention_block&, const attention_block&) = default;
};

// One Mamba-2 block. units: heads, elements, tokens.
struct state_space_block {
  std::uint32_t heads = 0;
  std::uint32_t head_size = 0;
  std::uint32_t state = 0;  // size of a head's state, per channel
  std::uint32_t groups = 1;
  std::uint32_t convolution = 4;  // width of the causal convolution
  std::uint32_t chunk = 128;      // tokens of one chunk of the scan
  bool convolution_bias = true;
  bool projection_bias = false;

  friend bool operator==(const state_space_block&, const state_space_block&) = default;
};

// One dense feed-forward block.
struct mlp_block {
  std::uint32_t size = 0;  // intermediate width
  bool gated = false;      // three matrices (SwiGLU, GeGLU) instead of two
  bool bias = false;

  friend bool operator==(const mlp_block&, const mlp_block&) = default;
};

// One block of experts.
struct expert_block {
  std::uint32_t experts = 0;
  std::uint32_t top_k = 0;
  std::uint32_t size = 0;  // intermediate width of one routed expert
  bool gated = true;
  bool bias = false;
  std::uint32_t shared_size = 0;  // intermediate width of the shared experts together; 0: there are none
  bool shared_gate = false;       // a sigmoid gate on the shared expert's output
  bool router_bias = false;       // one learned bias an expert
  std::uint32_t latent_size = 0;  // routed experts work on a projection of that width; 0: on the hidden state
  friend bool operator==(const expert_block&, const expert_block&) = default;
};

// What mixes tokens in a layer, and what works on each token alone.
enum class mixer_kind : std::uint8_t { none, attention, state_space };
enum class feed_forward_kind : std::uint8_t { none, mlp, experts };

// A layer of one kind; only the blocks that mixer and feed_forward name count.
struct layer_kind {
  mixer_kind mixer = mixer_kind::attention;
  feed_forward_kind feed_forward = feed_forward_kind::mlp;
  attention_block attention;
  state_space_block state_space;
  mlp_block mlp;
  expert_block experts;
  std::uint32_t norms = 2;      // norms over the hidden width
  bool norm_bias = false;       // LayerNorm has weight and bias, RMSNorm weight only
  bool parallel_block = false;  // attention and feed-forward work on the same input, their outputs are added once

  friend bool operator==(const layer_kind&, const layer_kind&) = default;
};

// A decoder-only transformer. Layers of one kind share an entry of `kinds`.
struct transformer {
  std::string name;
  std::uint32_t hidden = 0;
  std::uint32_t vocabulary = 0;
  std::uint32_t positions = 0;       // rows of a learned position table; 0: rotary or ALiBi
  std::uint32_t embedding_size = 0;  // width of the token table when it is projected to hidden; 0: hidden
  bool tied_embeddings = false;      // the head uses the token table
  bool head_bias = false;
  std::uint32_t end_norms = 1;  // norms over the hidden width outside the layers
  bool norm_bias = false;       // of those
  std::vector<layer_kind> kinds;
  std::vector<std::uint8_t> layers;     // one entry a layer, first to last: index into kinds
  std::uint32_t prediction_layers = 0;  // layers of multi-token prediction, each of the kind of the last layer, with a
                                        // projection from 2 hidden to hidden and three norms; they use the embedding and head
  std::vector<std::string> notes;       // what a reader of the configuration left out of this value, and why that is harmless

  friend bool operator==(const transformer&, const transformer&) = default;
};

}  // namespace topoplan::inline v1
