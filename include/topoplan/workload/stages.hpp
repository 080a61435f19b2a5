// Which layers a pipeline stage holds: as even as can be, or with shorter ends, in one chunk or interleaved.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace topoplan::inline v1 {

// How many layers of each kind every stage holds. units: layers.
class stage_split {
 public:
  stage_split() = default;
  stage_split(std::uint32_t stages, std::size_t kinds) : kinds_(kinds), counts_(stages * kinds) {}

  [[nodiscard]] std::uint32_t stages() const noexcept {
    return kinds_ == 0 ? 0 : static_cast<std::uint32_t>(counts_.size() / kinds_);
  }
  // Layers of each kind on a stage. pre: stage < stages(). complexity: O(1). errors: none.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t stage) const noexcept {
    return {counts_.data() + stage * kinds_, kinds_};
  }
  [[nodiscard]] std::span<std::uint32_t> of(std::uint32_t stage) noexcept { return {counts_.data() + stage * kinds_, kinds_}; }
  // Layers of all kinds on a stage. pre: stage < stages(). complexity: O(kinds). errors: none.
  [[nodiscard]] std::uint32_t layers(std::uint32_t stage) const noexcept {
    std::uint32_t n = 0;
    for (const std::uint32_t count : of(stage)) n += count;
    return n;
  }

 private:
  std::size_t kinds_ = 0;
  std::vector<std::uint32_t> counts_;
};

namespace detail {

// Layers of each of the pp * virtual_stages chunks, in the order that a token passes them.
[[nodiscard]] inline std::vector<std::uint32_t> chunk_sizes(const transformer& model, std::uint32_t pp, const training& t) {
  const auto layers = static_cast<std::uint32_t>(model.layers.size());
  const std::uint32_t v = std::max(1U, t.virtual_stages);
  const std::uint32_t chunks = pp * v;
  const auto refuse = [&](const std::string& why) {
    throw invalid_argument(std::to_string(layers) + " layers over pp " + std::to_string(pp) +
                           (v > 1 ? " with " + std::to_string(v) + " virtual stages" : "") + ": " + why);
  };
  std::vector<std::uint32_t> size(chunks, 0);
  if (t.first_stage_layers != 0 || t.last_stage_layers != 0) {
    if (v > 1) refuse("layers of the first or last stage can't be set together with virtual stages");
    const std::uint32_t ends = t.first_stage_layers + t.last_stage_layers;
    const std::uint32_t fixed = (t.first_stage_layers != 0 ? 1U : 0U) + (t.last_stage_layers != 0 ? 1U : 0U);
    if (pp < fixed || ends > layers || (pp == fixed ? ends != layers : (layers - ends) % (pp - fixed) != 0))
      refuse("the first and last stage take " + std::to_string(ends) + ", the rest doesn't divide by the other stages");
    const std::uint32_t middle = pp == fixed ? 0 : (layers - ends) / (pp - fixed);
    std::fill(size.begin(), size.end(), middle);
    if (t.first_stage_layers != 0) size.front() = t.first_stage_layers;
    if (t.last_stage_layers != 0) size.back() = t.last_stage_layers;
    return size;
  }
  // An end that counts as a layer takes the place of one in its chunk; what is over goes to chunks in the middle.
  const std::uint32_t head = 1 + model.prediction_layers;
  const std::uint32_t places = layers + (t.ends_count_as_layers ? 1 + head : 0U);
  const std::uint32_t base = places / chunks;
  const std::uint32_t over = places % chunks;
  std::fill(size.begin(), size.end(), base);
  for (std::uint32_t i = 0; i < over; ++i) ++size[(chunks - over) / 2 + i];
  if (t.ends_count_as_layers) {
    const auto take = [&](std::uint32_t& end, std::uint32_t taken) {
      if (end < taken)
        refuse("an end that counts as " + std::to_string(taken) + " layers finds " + std::to_string(end) + " places");
      end -= taken;
    };
    take(size.front(), 1);
    take(size.back(), head);
  }
  return size;
}

}  // namespace detail

// Splits the layers over pp stages of virtual_stages chunks each; chunk c belongs to stage c mod pp.
// pre: pp >= 1. post: the counts of each kind add up to those of the model. complexity: O(layers + pp * virtual_stages).
// errors: invalid_argument when the layers of the first and last stage don't fit, or more stages than layers are asked.
[[nodiscard]] inline stage_split split_layers(const transformer& model, const training& t, std::uint32_t pp) {
  const auto layers = static_cast<std::uint32_t>(model.layers.size());
  if (pp == 0) throw invalid_argument("pp is 0: a pipeline has 1 stage at least");
  if (pp > 1 &&
      std::uint64_t{pp} * std::max(1U, t.virtual_stages) > layers + (t.ends_count_as_layers ? 2U + model.prediction_layers : 0U))
    throw invalid_argument("pp " + std::to_string(pp) + " with " + std::to_string(std::max(1U, t.virtual_stages)) +
                           " virtual stages needs as many layers; the model has " + std::to_string(layers));
  stage_split split(pp, model.kinds.size());
  const std::vector<std::uint32_t> size = detail::chunk_sizes(model, pp, t);
  std::uint32_t at = 0;
  for (std::size_t chunk = 0; chunk < size.size(); ++chunk)
    for (std::uint32_t i = 0; i < size[chunk]; ++i) ++split.of(static_cast<std::uint32_t>(chunk % pp))[model.layers[at++]];
  return split;
}

}  // namespace topoplan::inline v1
