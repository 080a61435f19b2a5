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

// Places that the two ends take in the split: an embedding, a head and each layer of multi-token prediction one each.
struct end_places {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
[[nodiscard]] inline end_places places_of_ends(const transformer& model, const training& t) noexcept {
  return t.ends_count_as_layers ? end_places{1, 1 + model.prediction_layers} : end_places{};
}

}  // namespace detail

// Why the layers can't be split over pp stages so, in one sentence; empty when they can. complexity: O(1). errors: none.
[[nodiscard]] inline std::string why_not_split(const transformer& model, const training& t, std::uint32_t pp) {
  const auto layers = static_cast<std::uint32_t>(model.layers.size());
  const std::uint32_t v = std::max(1U, t.virtual_stages);
  if (pp == 0) return "pp is 0: a pipeline has 1 stage at least";
  const std::string what = std::to_string(layers) + " layers over pp " + std::to_string(pp) +
                           (v > 1 ? " with " + std::to_string(v) + " virtual stages" : "");
  if (t.first_stage_layers != 0 || t.last_stage_layers != 0) {
    if (v > 1) return what + ": layers of the first or last stage can't be set together with virtual stages";
    const std::uint32_t ends = t.first_stage_layers + t.last_stage_layers;
    const std::uint32_t fixed = (t.first_stage_layers != 0 ? 1U : 0U) + (t.last_stage_layers != 0 ? 1U : 0U);
    if (pp < fixed || ends > layers || (pp == fixed ? ends != layers : (layers - ends) % (pp - fixed) != 0))
      return what + ": the first and last stage take " + std::to_string(ends) + ", the rest doesn't divide by the other stages";
    return {};
  }
  if (pp == 1) return {};
  const detail::end_places ends = detail::places_of_ends(model, t);
  const std::uint64_t places = std::uint64_t{layers} + ends.first + ends.last;
  const std::uint64_t chunks = std::uint64_t{pp} * v;
  if (chunks > places) return what + ": as many layers are needed as there are chunks, " + std::to_string(chunks);
  // Chunks at the ends get no more than the rest, so that the smallest decides.
  if (places / chunks < ends.last)
    return what + ": the end of the last stage takes " + std::to_string(ends.last) + " places, a chunk has " +
           std::to_string(places / chunks);
  return {};
}

namespace detail {

// Layers of each of the pp * virtual_stages chunks, in the order that a token passes them. pre: why_not_split() is empty.
[[nodiscard]] inline std::vector<std::uint32_t> chunk_sizes(const transformer& model, std::uint32_t pp, const training& t) {
  const auto layers = static_cast<std::uint32_t>(model.layers.size());
  const std::uint32_t chunks = pp * std::max(1U, t.virtual_stages);
  if (t.first_stage_layers != 0 || t.last_stage_layers != 0) {
    const std::uint32_t ends = t.first_stage_layers + t.last_stage_layers;
    const std::uint32_t fixed = (t.first_stage_layers != 0 ? 1U : 0U) + (t.last_stage_layers != 0 ? 1U : 0U);
    std::vector<std::uint32_t> size(chunks, pp == fixed ? 0 : (layers - ends) / (pp - fixed));
    if (t.first_stage_layers != 0) size.front() = t.first_stage_layers;
    if (t.last_stage_layers != 0) size.back() = t.last_stage_layers;
    return size;
  }
  const end_places ends = pp == 1 ? end_places{} : places_of_ends(model, t);
  const std::uint32_t places = layers + ends.first + ends.last;
  const std::uint32_t over = places % chunks;
  std::vector<std::uint32_t> size(chunks, places / chunks);
  // What is over goes to chunks in the middle.
  for (std::uint32_t i = 0; i < over; ++i) ++size[(chunks - over) / 2 + i];
  size.front() -= ends.first;
  size.back() -= ends.last;
  return size;
}

}  // namespace detail

// Splits the layers over pp stages of virtual_stages chunks each; chunk c belongs to stage c mod pp.
// pre: pp >= 1. post: the counts of each kind add up to those of the model. complexity: O(layers + pp * virtual_stages).
// errors: invalid_argument when the layers of the first and last stage don't fit, or more stages than layers are asked.
[[nodiscard]] inline stage_split split_layers(const transformer& model, const training& t, std::uint32_t pp) {
  if (const std::string why = why_not_split(model, t, pp); !why.empty()) throw invalid_argument(why);
  stage_split split(pp, model.kinds.size());
  const std::vector<std::uint32_t> size = detail::chunk_sizes(model, pp, t);
  std::uint32_t at = 0;
  for (std::size_t chunk = 0; chunk < size.size(); ++chunk)
    for (std::uint32_t i = 0; i < size[chunk]; ++i) ++split.of(static_cast<std::uint32_t>(chunk % pp))[model.layers[at++]];
  return split;
}

}  // namespace topoplan::inline v1
