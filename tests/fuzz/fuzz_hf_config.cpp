// Any bytes as a HuggingFace configuration: refused, or a transformer whose layers exist and whose sizes can be counted.
#include <topoplan/core/error.hpp>
#include <topoplan/import/hf_config.hpp>
#include <topoplan/workload/flops.hpp>
#include <topoplan/workload/parameters.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fuzz.hpp"

using topoplan_fuzz::require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto t = topoplan::import::hf_config(topoplan_fuzz::text_of(data, size), "fuzz");
    require(!t.layers.empty() && !t.kinds.empty() && t.kinds.size() <= 256);
    for (const auto kind : t.layers) {
      require(kind < t.kinds.size());
      const auto& k = t.kinds[kind];
      if (k.mixer == topoplan::mixer_kind::attention) require(k.attention.heads % k.attention.kv_heads == 0);
      if (k.feed_forward == topoplan::feed_forward_kind::experts) require(k.experts.top_k <= k.experts.experts);
    }
    const auto p = topoplan::parameters_of(t);
    require(p.active <= p.total() && p.total() >= t.hidden);
    const double flops = topoplan::training_flops_per_token(t, {}, topoplan::attention_pairs::causal);
    require(std::isfinite(flops) && flops > 0);
  } catch (const topoplan::error&) {
  }
  return 0;
}
