// The process groups that Megatron-LM creates: every family with its name, in creation order, without storing a group.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/core/ids.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/layout/grid.hpp>
#include <topoplan/layout/megatron_family.hpp>
#include <topoplan/layout/megatron_options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topoplan::inline v1::megatron {

// Every group that initialize_model_parallel() creates for some options, with the default rule for embeddings (first and last
// stage) and without Gloo twins. Where Megatron-LM creates the groups of two families in turns (slices and levels with the
// group that they divide, embeddings with their pipeline), each family is listed at its first group; the groups of one rank
// come in the order of creation all the same. Pipelines of an encoder before the decoder, which Megatron-LM had up to
// core_r0.13, aren't modelled.
// source: Megatron-LM d98e8a64, megatron/core/parallel_state.py.
class group_set {
 public:
  // complexity: O(families). errors: as derive().
  explicit group_set(options o)
      : options_(std::move(o)),
        degrees_(derive(options_)),
        dense_(dense_grid(options_, degrees_)),
        expert_(expert_grid(options_, degrees_)) {
    add_dense();
    add_model();
    add_expert();
  }

  [[nodiscard]] const megatron::options& given() const noexcept { return options_; }
  [[nodiscard]] const derived_degrees& degrees() const noexcept { return degrees_; }
  [[nodiscard]] const rank_grid& dense() const noexcept { return dense_; }
  [[nodiscard]] const rank_grid& expert() const noexcept { return expert_; }
  // The families in creation order.
  [[nodiscard]] std::span<const group_family> families() const noexcept { return families_; }
  // The family of that name. complexity: O(families). errors: invalid_argument for a name that isn't among families().
  [[nodiscard]] const group_family& family(std::string_view name) const {
    for (const group_family& f : families_)
      if (f.name() == name) return f;
    throw invalid_argument("Megatron-LM creates no " + quoted(name) + " with these options");
  }
  // The grid whose dimensions a family of this set names. complexity: O(1). errors: none.
  [[nodiscard]] const rank_grid& grid_of(const group_family& f) const noexcept {
    return f.dims().front() == "ep" || f.dims().front().starts_with("expert_") ? expert_ : dense_;
  }
  // The rank's position on an axis. pre: dense().holds(r). complexity: O(dimensions). errors: none.
  [[nodiscard]] std::uint32_t position(rank_id r, axis a) const {
    const bool expert = a == axis::ep || a == axis::expert_tp || a == axis::expert_dp;
    return (expert ? expert_ : dense_).position(r, to_string(a));
  }

 private:
  void add(std::string name, const rank_grid& grid, std::vector<std::string> dims) {
    families_.emplace_back(std::move(name), grid, std::move(dims));
  }
  // A family that cuts the groups of the one of that name.
  void derive_from(std::string_view source, std::string name, const rank_grid& grid, derivation how, std::uint32_t count = 1,
                   std::uint32_t step = 1) {
    families_.emplace_back(std::move(name), grid, family(source).dims(), how, count, step, std::string(source));
  }
  void add_levels(const std::string& source, const rank_grid& grid, const std::vector<std::uint32_t>& sizes) {
    std::uint32_t step = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      derive_from(source, "HIERARCHICAL_" + source + "_L" + std::to_string(i), grid, derivation::level, sizes[i], step);
      step *= sizes[i];
    }
  }

  void add_dense() {
    const std::uint32_t dp_cp = degrees_.dp * options_.cp;
    add("GTP_WEIGHT_REMAT_GROUP", dense_, {"gtp_remat"});
    add("DATA_PARALLEL_GROUP_WITH_CP", dense_, {"dp", "cp"});
    if (options_.dist_opt_instances > 1)
      derive_from("DATA_PARALLEL_GROUP_WITH_CP", "INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP", dense_, derivation::slices,
                  dp_cp / options_.dist_opt_instances);
    if (options_.hybrid_cp)
      for (std::uint32_t size = 2; size <= dp_cp / 2; size *= 2)
        derive_from("DATA_PARALLEL_GROUP_WITH_CP", "HYBRID_DP_CP_GROUP_" + std::to_string(size), dense_, derivation::slices,
                    size);
    add("DATA_PARALLEL_GROUP", dense_, {"dp"});
    if (options_.gtp_remat > 1) {
      add("DATA_PARALLEL_GROUP_WITH_GTP_REMAT", dense_, {"gtp_remat", "dp"});
      add("DATA_PARALLEL_GROUP_WITH_CP_WITH_GTP_REMAT", dense_, {"gtp_remat", "dp", "cp"});
    }
    add("CONTEXT_PARALLEL_GROUP", dense_, {"cp"});
    add_levels("CONTEXT_PARALLEL_GROUP", dense_, options_.hierarchical_cp);
  }
  void add_model() {
    add("MODEL_PARALLEL_GROUP", dense_, {"tp", "gtp_remat", "pp"});
    add("TENSOR_MODEL_PARALLEL_GROUP", dense_, {"tp"});
    add("PIPELINE_MODEL_PARALLEL_GROUP", dense_, {"pp"});
    derive_from("PIPELINE_MODEL_PARALLEL_GROUP", "EMBEDDING_GROUP", dense_, derivation::ends);
    derive_from("PIPELINE_MODEL_PARALLEL_GROUP", "POSITION_EMBEDDING_GROUP", dense_, derivation::first);
    add("TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP", dense_, {"tp", "gtp_remat", "dp", "cp"});
    add("TENSOR_AND_DATA_PARALLEL_GROUP", dense_, {"tp", "gtp_remat", "dp"});
    add("TENSOR_AND_CONTEXT_PARALLEL_GROUP", dense_, {"tp", "cp"});
  }
  void add_expert() {
    add("EXPERT_GTP_WEIGHT_REMAT_GROUP", expert_, {"expert_gtp_remat"});
    add("EXPERT_MODEL_PARALLEL_GROUP", expert_, {"ep"});
    add("EXPERT_TENSOR_PARALLEL_GROUP", expert_, {"expert_tp"});
    add("EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP", expert_, {"expert_tp", "ep"});
    add("EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", expert_, {"expert_tp", "ep", "pp"});
    add("EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP_WITH_EGTP", expert_, {"expert_tp", "ep", "expert_gtp_remat", "pp"});
    add("EXPERT_DATA_PARALLEL_GROUP", expert_, {"expert_dp"});
    const std::uint32_t share = degrees_.expert_dp / options_.dist_opt_instances;
    if (options_.dist_opt_instances > 1) add_levels("EXPERT_DATA_PARALLEL_GROUP", expert_, {share, options_.dist_opt_instances});
    if (options_.expert_gtp_remat > 1)
      add("EXPERT_DATA_PARALLEL_GROUP_WITH_GTP_REMAT", expert_, {"expert_gtp_remat", "expert_dp"});
    if (options_.gtp_remat > 1 || options_.expert_gtp_remat > 1)
      add("INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP", dense_, {"tp", "gtp_remat", "cp", "dp", "pp"});
    else
      derive_from("EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP", "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP", expert_,
                  derivation::joined, share);
  }

  megatron::options options_;
  derived_degrees degrees_;
  rank_grid dense_;
  rank_grid expert_;
  std::vector<group_family> families_;
};

}  // namespace topoplan::inline v1::megatron
