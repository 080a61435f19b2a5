// Megatron-LM's process groups in words: what each is for, and which ranks form one and why.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/algebra.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/grid.hpp>
#include <topoplan/layout/megatron_family.hpp>
#include <topoplan/layout/megatron_groups.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topoplan::inline v1::megatron {

// What a family is known as beside its name, and what runs over it.
struct description {
  std::string_view name;   // # stands for the number of a numbered family
  std::string_view key;    // in the NCCL communicator configuration (--nccl-communicator-config-path)
  std::string_view field;  // of ProcessGroupCollection; empty where it has none
  std::string_view use;
};

// The description of a family. complexity: O(families). errors: invalid_argument for a name that Megatron-LM doesn't use.
// source: Megatron-LM d98e8a64, megatron/core/parallel_state.py and process_groups_config.py; the last column is ours.
[[nodiscard]] inline description describe(std::string_view name) {
  static constexpr std::array<description, 28> known{{
      {"GTP_WEIGHT_REMAT_GROUP", "gtp_remat", "gtp_remat",
       "holds the shards of a layer's weights, gathered before they are used (generalized tensor parallelism)"},
      {"DATA_PARALLEL_GROUP_WITH_CP", "dp_cp", "dp_cp",
       "ranks with the same dense weights: reduces their gradients, once a step; shards the optimizer"},
      {"INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP", "intra_dp_cp", "intra_dp_cp",
       "the part of dp_cp in one distributed-optimizer instance: shards the optimizer inside it"},
      {"HYBRID_DP_CP_GROUP_#", "dp_cp", "dp_cp", "hybrid context parallelism: a sequence split over this many ranks of dp_cp"},
      {"DATA_PARALLEL_GROUP", "dp", "dp", "replicas: the same weights and part of the sequence, other samples"},
      {"DATA_PARALLEL_GROUP_WITH_GTP_REMAT", "gtp_remat_dp", "", "dp times gtp_remat: all ranks that take other samples"},
      {"DATA_PARALLEL_GROUP_WITH_CP_WITH_GTP_REMAT", "gtp_remat_dp_cp", "dp_cp_gtp_remat",
       "dp_cp times gtp_remat: all ranks that take other samples or other parts of a sequence"},
      {"CONTEXT_PARALLEL_GROUP", "cp", "cp", "the parts of one sequence: exchanges keys and values in every attention"},
      {"HIERARCHICAL_CONTEXT_PARALLEL_GROUP_L#", "hcp", "hcp",
       "one level of hierarchical context parallelism, L0 innermost: exchanges keys and values"},
      {"MODEL_PARALLEL_GROUP", "mp", "mp", "the parts of one copy of the dense weights: sums the gradient norm"},
      {"TENSOR_MODEL_PARALLEL_GROUP", "tp", "tp",
       "splits each layer's matrices: all-reduce (or all-gather and reduce-scatter) in every layer"},
      {"PIPELINE_MODEL_PARALLEL_GROUP", "pp", "pp",
       "the stages of one pipeline: passes activations and gradients from neighbour to neighbour"},
      {"EMBEDDING_GROUP", "embd", "embd", "first and last stage: sums the gradient of word embeddings that both hold"},
      {"POSITION_EMBEDDING_GROUP", "pos_embd", "pos_embd", "the stage with the position embeddings"},
      {"TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP", "tp_dp_cp", "tp_dp_cp",
       "all ranks of one stage: FP8 scales and statistics of the expert router"},
      {"TENSOR_AND_DATA_PARALLEL_GROUP", "tp_dp", "", "the ranks of one stage with the same part of the sequence"},
      {"TENSOR_AND_CONTEXT_PARALLEL_GROUP", "tp_cp", "tp_cp", "the ranks that share a sequence: statistics of the expert router"},
      {"EXPERT_GTP_WEIGHT_REMAT_GROUP", "expt_gtp_remat", "expt_gtp_remat",
       "holds the shards of an expert's weights, gathered before they are used"},
      {"EXPERT_MODEL_PARALLEL_GROUP", "ep", "ep",
       "different experts: all-to-all sends tokens to them and back, in every MoE layer"},
      {"EXPERT_TENSOR_PARALLEL_GROUP", "ep_tp", "expt_tp", "splits each expert's matrices"},
      {"EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", "tp_ep_mp", "tp_ep",
       "all experts of a layer, with their splits: token dispatch"},
      {"EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", "tp_ep_pp", "tp_ep_pp",
       "the parts of one copy of the experts: sums their gradient norm"},
      {"EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP_WITH_EGTP", "tp_ep_gtp_remat_pp", "tp_ep_pp_with_egtp_remat",
       "the parts of one copy of the experts, shards of expert_gtp_remat among them"},
      {"EXPERT_DATA_PARALLEL_GROUP", "ep_dp", "expt_dp", "replicas of the same experts: reduces their gradients, once a step"},
      {"HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L0", "intra_ep_dp", "intra_expt_dp",
       "replicas of experts in one distributed-optimizer instance"},
      {"HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L1", "inter_ep_dp", "inter_dist_opt",
       "the same shard of the optimizer in every distributed-optimizer instance"},
      {"EXPERT_DATA_PARALLEL_GROUP_WITH_GTP_REMAT", "ep_gtp_remat_dp", "expt_dp_gtp_remat",
       "ep_dp times expert_gtp_remat: all ranks whose samples reach the same experts"},
      {"INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP", "intra_dist_opt_instance", "intra_dist_opt",
       "all ranks of one distributed-optimizer instance: gradient norm and overflow check"},
  }};
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  for (const description& d : known) {
    const std::string_view stem = d.name.substr(0, d.name.find('#'));
    if (stem.size() == d.name.size() ? name == stem : digits < name.size() && name.substr(0, digits) == stem) return d;
  }
  throw invalid_argument("Megatron-LM has no process group called " + quoted(name));
}

// How the members of a group advance: "consecutive", "2 apart", "4 consecutive, 2 times 16 apart"; empty for one member.
// complexity: O(modes). errors: none.
[[nodiscard]] inline std::string in_words(const strided_layout& l) {
  const auto apart = [](std::uint64_t stride) {
    return stride == 1 ? std::string("consecutive") : std::to_string(stride) + " apart";
  };
  const std::vector<strided_mode> modes = coalesce(l).modes();
  if (modes.empty()) return {};
  std::string text = modes.size() == 1
                         ? apart(modes[0].stride)
                         : std::to_string(modes[0].extent) + (modes[0].stride == 1 ? " " : " ranks ") + apart(modes[0].stride);
  for (std::size_t i = 1; i < modes.size(); ++i)
    text += ", " + std::to_string(modes[i].extent) + " times " + std::to_string(modes[i].stride) + " apart";
  return text;
}

// The digits of a grid with their strides: "expert_tp fastest (2, consecutive), then ep (4, 2 apart) and pp (2, 32 apart)".
// Dimensions of extent 1 don't count and are left out. complexity: O(dimensions^2). errors: none.
[[nodiscard]] inline std::string numbering(const rank_grid& grid) {
  std::vector<std::string> digits;
  for (const grid_dim& d : grid.dims())
    if (d.extent > 1)
      digits.push_back(d.name + (digits.empty() ? " fastest (" : " (") + std::to_string(d.extent) + ", " +
                       in_words(strided_layout({grid.mode_of(d.name)})) + ")");
  if (digits.empty()) return "one rank";
  std::string text = digits[0];
  for (std::size_t i = 1; i < digits.size(); ++i)
    text +=
        (i + 1 < digits.size() || digits.size() == 2 ? std::string(i == 1 ? ", then " : ", ") : std::string(" and ")) + digits[i];
  return text;
}

// Which ranks a group holds: "ranks that differ in ep only", "a run of 4 members of one DATA_PARALLEL_GROUP_WITH_CP".
// complexity: O(dimensions). errors: none.
[[nodiscard]] inline std::string membership_rule(const group_set& set, const group_family& f) {
  const std::string count = std::to_string(f.count());
  const std::string of_one = " of one " + f.source();
  switch (f.how()) {
    case derivation::slices: {
      const std::uint32_t last = f.group_size(f.size() - 1);
      return "a run of " + count + " members" + of_one + (last == f.count() ? "" : ", or the last " + std::to_string(last));
    }
    case derivation::level:
      return f.count() == 1  ? "one member" + of_one
             : f.step() == 1 ? "a run of " + count + " members" + of_one
                             : count + " members" + of_one + " that are " + std::to_string(f.step()) + " places apart";
    case derivation::ends: return (f.group_size(0) == 1 ? "the only member" : "the first and the last member") + of_one;
    case derivation::first: return "the first member" + of_one;
    case derivation::joined:
      if (f.count() == 1) return "all members" + of_one;
      return f.size() == 1 ? "all ranks, one " + f.source() + " after another"
                           : "the members of " + count + " " + f.source() + "S in a row";
    case derivation::whole: break;
  }
  if (f.size() == 1) return f.group_size(0) == 1 ? "the only rank" : "all ranks";
  std::vector<std::string> varying;
  const rank_grid& grid = set.grid_of(f);
  for (const std::string& name : f.dims())
    if (grid.mode_of(name).extent > 1) varying.push_back(name);
  std::string text = varying.empty() ? "one rank" : "ranks that differ in " + varying[0];
  if (varying.empty())
    for (const std::string& name : f.dims()) text += (name == f.dims().front() ? ", since " : ", ") + name + " is 1";
  for (std::size_t i = 1; i < varying.size(); ++i) text += (i + 1 < varying.size() ? ", " : " and ") + varying[i];
  return varying.empty() ? text : text + " only";
}

// How the members of the family's groups advance: "2 apart", "in uneven steps"; empty for groups of one rank.
// complexity: O(dimensions^2). errors: none.
[[nodiscard]] inline std::string advance_in_words(const group_set& set, const group_family& f) {
  if (const auto strides = f.strides()) return in_words(*strides);
  if (f.how() == derivation::slices)  // the last run may be shorter and step like the others
    if (const auto whole = set.family(f.source()).strides(); whole && whole->modes().size() == 1) return in_words(*whole);
  return "in uneven steps";
}

// The members of a group: all if they are at most `most`, else the first ones and the last. pre: group < f.size(), most >= 3.
// complexity: O(most). errors: none.
[[nodiscard]] inline std::string members_text(const group_family& f, std::uint32_t group, std::uint32_t most = 8) {
  const std::uint32_t size = f.group_size(group);
  std::string text;
  for (std::uint32_t i = 0; i < (size <= most ? size : most - 1); ++i)
    (text += text.empty() ? "" : " ") += std::to_string(f.member(group, i).value);
  return size <= most ? text : text + " ... " + std::to_string(f.member(group, size - 1).value);
}

// Why a group holds the ranks it does, as a paragraph: how the order numbers ranks, what the members share, which strides
// follow, with the first groups as examples. complexity: O(dimensions^2). errors: none.
[[nodiscard]] inline std::string explain(const group_set& set, const group_family& f) {
  const rank_grid& grid = set.grid_of(f);
  const bool expert = &grid == &set.expert();
  const options& o = set.given();
  std::string text =
      "Order " + to_string(o.order) + " numbers the ranks of " + (expert ? "experts " : "dense layers ") + numbering(grid);
  if (o.rank_offset != 0) text += ", from rank " + std::to_string(o.rank_offset) + " on";
  text += ".";
  if (expert && o.cp > 1) text += " Experts don't count cp: their axes run over the ranks of all parts of a sequence.";
  if (!expert && o.ep > 1) text += " Dense layers don't count ep: to them its ranks are those of the other axes.";
  text += " A group holds " + membership_rule(set, f);
  if (!f.source().empty()) text += " (" + membership_rule(set, set.family(f.source())) + ")";
  if (const std::string advance = advance_in_words(set, f); !advance.empty()) text += ", " + advance;
  text += ": " + members_text(f, 0) + ".";
  if (f.size() > 1) text += " The next holds " + members_text(f, 1) + ".";
  return text;
}

}  // namespace topoplan::inline v1::megatron
