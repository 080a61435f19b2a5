// The options and environment with which Megatron-LM makes the groups of a rank map.
//
// Written against Megatron-LM d98e8a64 (main, August 2026); the options are those of core_r0.11 and newer. Megatron-LM has no
// rank map of its own: it numbers ranks by RANK, so a launcher that starts the map's ranks is all it needs beside these.
#pragma once

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/layout.hpp>
#include <topoplan/layout/megatron_options.hpp>
#include <topoplan/layout/order.hpp>
#include <topoplan/plan/plan.hpp>
#include <topoplan/rank_map/rank_map.hpp>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace topoplan::inline v1::emit {

namespace detail {

// True if two layouts number ranks alike: equal strides on every axis that has more than one position.
[[nodiscard]] inline bool same_numbering(const layout& a, const layout& b) {
  return std::all_of(all_axes.begin(), all_axes.end(),
                     [&](axis x) { return a.degrees().of(x) == 1 || a.stride(x) == b.stride(x); });
}

// True if Megatron-LM with this order makes the groups of the layout.
[[nodiscard]] inline bool reachable(const layout& l, const order& with) {
  try {
    const layout theirs(l.degrees(), with);
    (void)megatron::derive(megatron::options_for(theirs));
    return same_numbering(l, theirs);
  } catch (const invalid_argument&) {
    return false;  // Megatron-LM refuses these degrees in that order
  }
}

// Ranks of an expert-parallel group in one NVLink domain, if that number is the same everywhere; else 0.
[[nodiscard]] inline std::uint32_t ep_ranks_in_domain(const rank_map_view& map) {
  const group_family groups = map.layout().groups(axis::ep);
  std::uint32_t common = 0;
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    std::vector<std::uint32_t> domains;
    for (std::uint32_t i = 0; i < groups.group_size(); ++i) domains.push_back(map.domain_of(groups.member(g, i)).value);
    std::sort(domains.begin(), domains.end());
    for (auto first = domains.begin(); first != domains.end();) {
      const auto last = std::upper_bound(first, domains.end(), *first);
      const auto count = static_cast<std::uint32_t>(last - first);
      if (common != 0 && common != count) return 0;
      common = count;
      first = last;
    }
  }
  return common;
}

}  // namespace detail

// Writes the parallel options, one a line: `pretrain_gpt.py $(cat megatron/args.txt) ...`. Expert options stand there only for
// a job with experts (ep above 1, or expert_tp other than tp), since Megatron-LM takes them only with --num-experts.
// post: with them Megatron-LM makes the groups of map.layout(). complexity: O(1).
// errors: invalid_argument if no option reaches the map's order: Megatron-LM has tp-cp-ep-dp-pp and, with
// --use-tp-pp-dp-mapping, tp-cp-ep-pp-dp, which it refuses for pp above 1 unless tp*cp = expert_tp*ep (so with context
// parallelism always, if the model has no experts).
// source: megatron/training/initialize.py and megatron/core/parallel_state.py.
inline void megatron_options(std::ostream& out, const rank_map_view& map) {
  const resolved_degrees& d = map.degrees();
  const bool by_default = detail::reachable(map.layout(), orders::megatron);
  if (!by_default && !detail::reachable(map.layout(), orders::megatron_tp_pp_dp))
    throw invalid_argument("no option of Megatron-LM makes it number ranks in order " + to_string(map.order()) +
                           "; it has tp-cp-ep-dp-pp and, with --use-tp-pp-dp-mapping, tp-cp-ep-pp-dp. Other orders are open "
                           "to programs that call initialize_model_parallel(order=...) themselves");
  out << "--tensor-model-parallel-size " << d.tp << "\n--context-parallel-size " << d.cp << "\n--pipeline-model-parallel-size "
      << d.pp << '\n';
  if (d.ep > 1 || d.expert_tp != d.tp)
    out << "--expert-model-parallel-size " << d.ep << "\n--expert-tensor-parallel-size " << d.expert_tp << '\n';
  if (!by_default) out << "--use-tp-pp-dp-mapping\n";
}

// Writes the environment that Megatron-LM's expert dispatchers read, as lines for a shell to source: how large an NVLink domain
// of the cluster is, how many ranks of an expert-parallel group share one, and whether a domain spans hosts.
// Nothing but a comment is written for a job without expert parallelism.
// post: NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN divides ep; it is left out, with a comment, where groups are split unevenly.
// complexity: O(ranks + gpus). errors: invalid_argument if a host of the map isn't in the cluster.
// source: megatron/core/transformer/moe/fused_a2a.py (HybridEP) and the GB200 recipes of Megatron-Bridge.
inline void megatron_environment(std::ostream& out, const rank_map_view& map, const cluster& c) {
  out << "# Environment of Megatron-LM for this rank map; source it before the ranks start.\n";
  if (map.degrees().ep == 1) {
    out << "# No expert parallelism: nothing to set.\n";
    return;
  }
  std::vector<std::uint32_t> gpus(c.domains, 0);
  std::vector<std::uint32_t> a_host(c.domains, 0);
  bool spans_hosts = false;
  for (const gpu& g : c.gpus) {
    if (g.domain.value >= c.domains) continue;
    spans_hosts = spans_hosts || (gpus[g.domain.value] != 0 && a_host[g.domain.value] != g.host.value);
    a_host[g.domain.value] = g.host.value;
    ++gpus[g.domain.value];
  }
  out << "export NVLINK_DOMAIN_SIZE=" << (gpus.empty() ? 0 : *std::max_element(gpus.begin(), gpus.end())) << '\n';
  if (const std::uint32_t shared = detail::ep_ranks_in_domain(map); shared != 0)
    out << "export NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN=" << shared << '\n';
  else
    out << "# NUM_OF_HYBRID_EP_RANKS_PER_NVLINK_DOMAIN is not set: expert-parallel groups have different numbers of ranks in a\n"
           "# domain, which HybridEP can't express. Confine ep to a domain, or use another dispatcher.\n";
  out << "export USE_MNNVL=" << (spans_hosts ? 1 : 0) << '\n';
}

// The same for a plan. complexity, errors: as above.
inline void megatron_options(std::ostream& out, const plan& p) { megatron_options(out, p.rank_map); }
inline void megatron_environment(std::ostream& out, const plan& p, const cluster& c) { megatron_environment(out, p.rank_map, c); }

}  // namespace topoplan::inline v1::emit
