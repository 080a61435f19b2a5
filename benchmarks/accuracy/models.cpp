// The table of model shapes, and shapes from rows.
#include "models.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace accuracy {

namespace {

constexpr std::string_view bridge = "NVIDIA-NeMo/Megatron-Bridge src/megatron/bridge/models/nemotronh/nemotron_h_provider.py";
constexpr std::string_view config = "config.json on the HuggingFace hub";
constexpr std::string_view names = "the name says the family; sizes come from the row";

// The first entry that fits counts.
constexpr std::array table{
    known_model{.words = "deepseekv3|deepseekr1",
                .layers = 61,
                .hidden = 7168,
                .mlp = 18432,
                .heads = 128,
                .kv_heads = 128,
                .head_size = 192,
                .vocabulary = 129280,
                .experts = 256,
                .top_k = 8,
                .expert_size = 2048,
                .shared_size = 2048,
                .leading_dense = 3,
                .query_rank = 1536,
                .kv_rank = 512,
                .prediction = 1,
                .source = config},
    known_model{.words = "deepseekv2",
                .layers = 60,
                .hidden = 5120,
                .mlp = 12288,
                .heads = 128,
                .kv_heads = 128,
                .head_size = 192,
                .vocabulary = 102400,
                .experts = 160,
                .top_k = 6,
                .expert_size = 1536,
                .shared_size = 3072,
                .leading_dense = 1,
                .query_rank = 1536,
                .kv_rank = 512,
                .source = config},
    known_model{.words = "kimik2",
                .layers = 61,
                .hidden = 7168,
                .mlp = 18432,
                .heads = 64,
                .kv_heads = 64,
                .head_size = 192,
                .vocabulary = 163840,
                .experts = 384,
                .top_k = 8,
                .expert_size = 2048,
                .shared_size = 2048,
                .leading_dense = 1,
                .query_rank = 1536,
                .kv_rank = 512,
                .source = config},
    known_model{.words = "qwen3235b",
                .layers = 94,
                .hidden = 4096,
                .heads = 64,
                .kv_heads = 4,
                .head_size = 128,
                .vocabulary = 151936,
                .experts = 128,
                .top_k = 8,
                .expert_size = 1536,
                .source = config},
    known_model{.words = "qwen330b",
                .layers = 48,
                .hidden = 2048,
                .heads = 32,
                .kv_heads = 4,
                .head_size = 128,
                .vocabulary = 151936,
                .experts = 128,
                .top_k = 8,
                .expert_size = 768,
                .source = config},
    known_model{.words = "gptoss120b",
                .layers = 36,
                .hidden = 2880,
                .heads = 64,
                .kv_heads = 8,
                .head_size = 64,
                .vocabulary = 201088,
                .experts = 128,
                .top_k = 4,
                .expert_size = 2880,
                .window = 128,
                .gpt_oss_biases = true,
                .source = config},
    known_model{.words = "gptoss20b",
                .layers = 24,
                .hidden = 2880,
                .heads = 64,
                .kv_heads = 8,
                .head_size = 64,
                .vocabulary = 201088,
                .experts = 32,
                .top_k = 4,
                .expert_size = 2880,
                .window = 128,
                .gpt_oss_biases = true,
                .source = config},
    known_model{.words = "mixtral8x7b",
                .layers = 32,
                .hidden = 4096,
                .heads = 32,
                .kv_heads = 8,
                .vocabulary = 32000,
                .experts = 8,
                .top_k = 2,
                .expert_size = 14336,
                .source = config},
    known_model{.words = "mixtral8x22b",
                .layers = 56,
                .hidden = 6144,
                .heads = 48,
                .kv_heads = 8,
                .vocabulary = 32768,
                .experts = 8,
                .top_k = 2,
                .expert_size = 16384,
                .source = config},
    known_model{.words = "nemotron3nano",
                .hidden = 2688,
                .heads = 32,
                .kv_heads = 2,
                .head_size = 128,
                .vocabulary = 131072,
                .form = mlp_form::plain,
                .experts = 128,
                .top_k = 6,
                .expert_size = 1856,
                .shared_size = 3712,
                .pattern = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
                .state_heads = 64,
                .source = bridge},
    known_model{.words = "nemotron3super",
                .hidden = 4096,
                .heads = 32,
                .kv_heads = 2,
                .head_size = 128,
                .vocabulary = 131072,
                .form = mlp_form::plain,
                .experts = 512,
                .top_k = 22,
                .expert_size = 2688,
                .shared_size = 5376,
                .latent_size = 1024,
                .prediction = 2,
                .pattern = "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME",
                .state_heads = 128,
                .source = bridge},
    known_model{.words = "nemotron3ultra",
                .hidden = 8192,
                .heads = 64,
                .kv_heads = 2,
                .head_size = 128,
                .vocabulary = 131072,
                .form = mlp_form::plain,
                .experts = 512,
                .top_k = 22,
                .expert_size = 5120,
                .shared_size = 10240,
                .latent_size = 2048,
                .prediction = 2,
                .pattern = "MEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEM*EMEMEM*EMEMEMEM*EMEMEMEM*EMEMEM*"
                           "EMEMEMEM*EMEMEMEME",
                .state_heads = 256,
                .source = "config.json of nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B"},
    known_model{.words = "nemotron415b",
                .layers = 32,
                .hidden = 6144,
                .mlp = 24576,
                .heads = 48,
                .kv_heads = 8,
                .vocabulary = 256000,
                .form = mlp_form::plain,
                .source = "arXiv 2402.16819, table 1"},
    known_model{.words = "nemotron22b",
                .layers = 40,
                .hidden = 6144,
                .mlp = 24576,
                .heads = 48,
                .kv_heads = 48,
                .vocabulary = 256000,
                .form = mlp_form::plain,
                .source = "NeMo recipe nemotron3_22b"},
    known_model{.words = "nemotron340b|nemotron4340b",
                .layers = 96,
                .hidden = 18432,
                .mlp = 73728,
                .heads = 96,
                .kv_heads = 8,
                .vocabulary = 256000,
                .form = mlp_form::plain,
                .source = "arXiv 2406.11704, table 1"},
    known_model{.words = "gpt35b",
                .layers = 24,
                .hidden = 4096,
                .mlp = 16384,
                .heads = 32,
                .vocabulary = 51200,
                .form = mlp_form::plain,
                .biases = true,
                .tied = true,
                .source = "NeMo-Framework-Launcher gpt3/5b"},
    known_model{.words = "gpt320b",
                .layers = 44,
                .hidden = 6144,
                .mlp = 24576,
                .heads = 48,
                .vocabulary = 51200,
                .form = mlp_form::plain,
                .biases = true,
                .tied = true,
                .source = "NeMo-Framework-Launcher gpt3/20b"},
    known_model{.words = "llama38b|llama318b",
                .layers = 32,
                .hidden = 4096,
                .mlp = 14336,
                .heads = 32,
                .kv_heads = 8,
                .vocabulary = 128256,
                .source = config},
    known_model{.words = "llama370b|llama3170b",
                .layers = 80,
                .hidden = 8192,
                .mlp = 28672,
                .heads = 64,
                .kv_heads = 8,
                .vocabulary = 128256,
                .source = config},
    known_model{.words = "llama3405b|llama31405b",
                .layers = 126,
                .hidden = 16384,
                .mlp = 53248,
                .heads = 128,
                .kv_heads = 8,
                .vocabulary = 128256,
                .source = config},
    known_model{.words = "llama27b",
                .layers = 32,
                .hidden = 4096,
                .mlp = 11008,
                .heads = 32,
                .kv_heads = 32,
                .vocabulary = 32000,
                .source = config},
    known_model{.words = "llama213b",
                .layers = 40,
                .hidden = 5120,
                .mlp = 13824,
                .heads = 40,
                .kv_heads = 40,
                .vocabulary = 32000,
                .source = config},
    known_model{.words = "llama270b",
                .layers = 80,
                .hidden = 8192,
                .mlp = 28672,
                .heads = 64,
                .kv_heads = 8,
                .vocabulary = 32000,
                .source = config},
    known_model{.words = "llama|mistral|qwen2|qwen38b|qwen314b|qwen332b", .source = names},
    known_model{.words = "bloom", .vocabulary = 250880, .form = mlp_form::plain, .biases = true, .tied = true, .source = names},
    known_model{.words = "mpt", .vocabulary = 50368, .form = mlp_form::plain, .biases = true, .tied = true, .source = names},
    known_model{.words = "opt", .vocabulary = 50272, .form = mlp_form::plain, .biases = true, .tied = true, .source = names},
    known_model{
        .words = "gpt3|gpt|mtnlg", .vocabulary = 51200, .form = mlp_form::plain, .biases = true, .tied = true, .source = names},
};

[[nodiscard]] const known_model* lookup(std::string_view name) {
  const std::string folded = folded_name(name);
  for (const known_model& m : table) {
    for (std::string_view rest = m.words; !rest.empty();) {
      const std::size_t bar = std::min(rest.find('|'), rest.size());
      if (folded.starts_with(rest.substr(0, bar))) return &m;
      rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
  }
  return nullptr;
}

// The cell, or else what the table of models knows.
[[nodiscard]] std::uint32_t first_of(std::uint32_t cell, std::uint32_t known) { return cell != 0 ? cell : known; }

[[nodiscard]] topoplan::attention_block attention_of(const known_model& m, const model_cells& cells, std::uint32_t hidden,
                                                     std::uint32_t heads) {
  topoplan::attention_block a;
  a.heads = heads;
  a.kv_heads = first_of(cells.kv_heads, m.kv_heads);
  if (a.kv_heads == 0) a.kv_heads = heads;
  a.head_size = m.head_size != 0 ? m.head_size : hidden / heads;
  a.value_size = a.head_size;
  if (m.kv_rank != 0) {
    a.kind = topoplan::attention_kind::latent;
    a.kv_heads = heads;
    a.rope_size = 64;
    a.value_size = a.head_size - a.rope_size;
    a.query_rank = m.query_rank;
    a.kv_rank = m.kv_rank;
  }
  a.qkv_bias = a.output_bias = m.biases || m.gpt_oss_biases;
  a.sinks = m.gpt_oss_biases;
  return a;
}

[[nodiscard]] topoplan::expert_block experts_of(const known_model& m, std::uint32_t experts, std::uint32_t top_k) {
  topoplan::expert_block e;
  e.experts = experts;
  e.top_k = top_k;
  e.size = m.expert_size;
  e.gated = m.form == mlp_form::gated;
  e.bias = e.router_bias = m.gpt_oss_biases;
  e.shared_size = m.shared_size;
  e.latent_size = m.latent_size;
  return e;
}

void add_hybrid_layers(topoplan::transformer& t, const known_model& m, const topoplan::layer_kind& attention,
                       const topoplan::expert_block& experts) {
  topoplan::layer_kind mixer = attention;
  mixer.feed_forward = topoplan::feed_forward_kind::none;
  mixer.norms = 1;
  topoplan::layer_kind state = mixer;
  state.mixer = topoplan::mixer_kind::state_space;
  state.state_space = {.heads = m.state_heads, .head_size = 64, .state = 128, .groups = 8};
  topoplan::layer_kind expert = mixer;
  expert.mixer = topoplan::mixer_kind::none;
  expert.feed_forward = topoplan::feed_forward_kind::experts;
  expert.experts = experts;
  t.kinds = {state, mixer, expert};
  for (const char c : m.pattern) t.layers.push_back(c == 'M' ? 0 : c == '*' ? 1 : 2);
}

}  // namespace

std::span<const known_model> known_models() { return table; }

std::string folded_name(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

model_shape shape_of(const model_cells& cells) {
  model_shape out;
  const known_model* found = lookup(cells.name);
  known_model m;
  if (found != nullptr) m = *found;
  const bool cut = cells.layers != 0 && m.layers != 0 && cells.layers < m.layers;
  const std::uint32_t layers =
      m.pattern.empty() ? first_of(cells.layers, m.layers) : static_cast<std::uint32_t>(m.pattern.size());
  const std::uint32_t hidden = first_of(cells.hidden, m.hidden);
  const std::uint32_t heads = first_of(cells.heads, m.heads);
  const std::uint32_t experts = first_of(cells.experts, m.experts);
  const std::uint32_t top_k = first_of(cells.top_k, m.top_k);
  if (layers == 0 || hidden == 0 || heads == 0) {
    out.why = "shape not known: " + cells.name + " has no " +
              (layers == 0   ? "layers"
               : hidden == 0 ? "hidden size"
                             : "heads") +
              " in the row or the table of models";
    return out;
  }
  if (experts != 0 && m.expert_size == 0) {
    out.why = "shape not known: " + cells.name + " has experts, and the table of models doesn't know it";
    return out;
  }
  // A row of a model with experts only may print the width of one expert.
  const bool only_experts = experts != 0 && m.leading_dense == 0;
  std::uint32_t width = only_experts ? 0 : first_of(cells.mlp, m.mlp);
  if (found == nullptr) {
    m.form = width == 0 || width == 4 * hidden ? mlp_form::plain : mlp_form::gated;
    m.biases = m.form == mlp_form::plain;
    out.assumed = std::string("feed-forward ") + (m.form == mlp_form::plain ? "plain" : "gated") + " by its width";
  }
  if (width == 0 && !only_experts) {
    width = 4 * hidden;
    out.assumed += std::string(out.assumed.empty() ? "" : ", ") + "feed-forward 4 hidden";
  }

  topoplan::transformer t;
  t.name = cells.name;
  t.hidden = hidden;
  t.vocabulary = first_of(cells.vocabulary, m.vocabulary);
  if (t.vocabulary == 0) {
    t.vocabulary = 51200;
    out.assumed += std::string(out.assumed.empty() ? "" : ", ") + "vocabulary 51200";
  }
  t.tied_embeddings = m.tied;
  t.positions = m.tied ? cells.positions : 0;
  t.norm_bias = m.biases;
  if (cells.prediction && !cut) t.prediction_layers = m.prediction;

  topoplan::layer_kind dense;
  dense.attention = attention_of(m, cells, hidden, heads);
  dense.mlp = {.size = width, .gated = m.form == mlp_form::gated, .bias = m.biases};
  dense.norm_bias = m.biases;
  dense.parallel_block = cells.parallel_block;
  if (!m.pattern.empty()) {
    add_hybrid_layers(t, m, dense, experts_of(m, experts, top_k));
  } else if (experts == 0) {
    t.kinds = {dense};
    t.layers.assign(layers, 0);
  } else {
    topoplan::layer_kind sparse = dense;
    sparse.feed_forward = topoplan::feed_forward_kind::experts;
    sparse.experts = experts_of(m, experts, top_k);
    t.kinds = {dense, sparse};
    t.layers.assign(layers, 1);
    // A model cut to a few layers keeps one of its leading dense ones.
    const std::uint32_t leading = cut ? std::min(1U, m.leading_dense) : m.leading_dense;
    std::fill_n(t.layers.begin(), std::min(leading, layers), std::uint8_t{0});
    if (leading == 0) {
      t.kinds = {sparse};
      t.layers.assign(layers, 0);
    }
    if (m.window != 0) {
      t.kinds.push_back(t.kinds.back());
      t.kinds.back().attention.window = m.window;
      for (std::size_t i = 0; i < t.layers.size(); i += 2) t.layers[i] = static_cast<std::uint8_t>(t.kinds.size() - 1);
    }
  }
  out.shape = std::move(t);
  return out;
}

}  // namespace accuracy
