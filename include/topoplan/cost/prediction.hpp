// What one step of a job costs: time by part with its interval, MFU, tokens per second, memory by stage against capacity.
#pragma once

#include <topoplan/cost/axis_groups.hpp>
#include <topoplan/cost/calibration.hpp>
#include <topoplan/cost/interval.hpp>
#include <topoplan/cost/machine.hpp>
#include <topoplan/cost/step.hpp>
#include <topoplan/layout/degrees.hpp>
#include <topoplan/workload/flops.hpp>
#include <topoplan/workload/legality.hpp>
#include <topoplan/workload/memory.hpp>
#include <topoplan/workload/stages.hpp>
#include <topoplan/workload/training.hpp>
#include <topoplan/workload/transformer.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace topoplan::inline v1 {

// What a job costs.
struct prediction {
  step_time time;
  interval range;  // of the seconds of a step: four runs of five lie within
  double tokens_per_second_per_gpu = 0;
  double model_flops_per_second_per_gpu = 0;  // attention counts the whole square, as Megatron-LM prints it
  double mfu = 0;                             // over the peak of the number format that linear layers use
  double mfu_16bit = 0;                       // over the 16-bit peak
  std::vector<stage_memory> memory;           // by pipeline stage
  std::uint32_t fullest_stage = 0;
  double capacity = 0;  // bytes of one GPU
  memory_verdict verdict = memory_verdict::fits;
};

namespace detail {

[[nodiscard]] inline double peak_of_format(const machine& m, precision p) noexcept {
  switch (p) {
    case precision::bf16:
    case precision::fp16: return m.peak_16bit;
    case precision::fp8:
    case precision::mxfp8: return m.peak_fp8;
    case precision::nvfp4: return m.peak_fp4;
  }
  return m.peak_16bit;
}

}  // namespace detail

// Predicts one step. Everything that a plan depends on comes in as values: groups say where the placement put each
// communicator (groups_of of a rank map, or ideal_groups of degrees alone).
// post: memory has d.pp entries; verdict is that of the fullest. complexity: O(layers + pp * kinds).
// errors: invalid_argument when the model can't be trained so, or the GPU lacks the number format.
// source: step.hpp and memory.hpp name theirs; MFU by PaLM, arXiv 2204.02311, appendix B.
[[nodiscard]] inline prediction predict(const transformer& model, const training& t, const resolved_degrees& d,
                                        const axis_groups& groups, const machine& m, const step_calibration& c,
                                        const memory_calibration& memory = {}) {
  check_trainable(model, t, d);
  if (!(detail::peak_of_format(m, t.precision) > 0))
    throw invalid_argument(m.gpu + " computes no " + std::string(to_string(t.precision)) + " matrix multiplication");
  const priced_layers priced = price_layers(model, t, d, groups, m, c);
  const stage_split split = split_layers(model, t, d.pp);
  prediction out;
  out.time = time_of_step(model, t, d, groups, m, c, priced, split);
  out.range = interval_of(model, m, out.time.seconds);
  const auto samples = static_cast<double>(samples_per_step(t, d.dp));
  const double gpus = static_cast<double>(d.world());
  out.tokens_per_second_per_gpu = samples * t.sequence / out.time.seconds / gpus;
  out.model_flops_per_second_per_gpu = out.tokens_per_second_per_gpu * training_flops_per_token(model, t, attention_pairs::full);
  out.mfu = out.model_flops_per_second_per_gpu / detail::peak_of_format(m, t.precision);
  out.mfu_16bit = out.model_flops_per_second_per_gpu / m.peak_16bit;
  out.capacity = m.memory;
  double most = -1;
  for (std::uint32_t stage = 0; stage < d.pp; ++stage) {
    out.memory.push_back(memory_of_stage(model, t, d, split, stage, memory));
    if (out.memory.back().total() > most) {
      most = out.memory.back().total();
      out.fullest_stage = stage;
    }
  }
  out.verdict = judge_memory(most, m.memory, memory);
  return out;
}

// True if the model can't order two plans of one job: each time lies in the interval of the other.
// complexity: O(1). errors: none.
[[nodiscard]] inline bool tied(const prediction& a, const prediction& b) noexcept {
  const auto holds = [](const interval& range, double seconds) { return range.low <= seconds && seconds <= range.high; };
  return holds(a.range, b.time.seconds) && holds(b.range, a.time.seconds);
}

}  // namespace topoplan::inline v1
