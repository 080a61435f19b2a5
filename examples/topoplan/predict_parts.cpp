#include "predict_parts.hpp"

#include <topoplan/workload/parameters.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "amounts.hpp"

namespace topoplan_cli {
namespace {

using namespace topoplan;

// The weakest evidence of the links that the messages of some axes use.
std::optional<evidence> links_of(const prediction_report& r, axis_set axes) {
  std::optional<evidence> worst;
  for (const traffic_row& row : r.traffic)
    if (axes.contains(row.over)) worst = std::max(worst.value_or(evidence::measured), row.cost.known);
  return worst;
}

void add_parts(prediction_report& r) {
  const step_time& t = r.prediction.time;
  const training& how = r.job.training;
  const evidence kernels = r.own_factors || r.job.gpu.family != gpu_family::other ? evidence::fitted : evidence::assumed;
  const evidence rare = evidence::assumed;  // no published run tells these apart
  const auto work = [&](std::string_view key, std::string_view label, double seconds, evidence known) {
    r.parts.push_back({key, label, seconds, std::nullopt, {{"kernels", known}}});
  };
  const auto communication = [&](std::string_view key, std::string_view label, double seconds, double hidden, axis_set axes,
                                 evidence exposure) {
    part p{key, label, seconds, std::max(0.0, hidden), {}};
    if (const auto links = links_of(r, axes)) p.rests_on = {{"links", *links}, {"exposure", exposure}};
    r.parts.push_back(std::move(p));
  };
  const bool stages_overlap =
      is_on(how.pipeline_overlap, how.software != software_profile::megatron_2021 && how.virtual_stages > 1);
  work("matrices", "matrix multiplications", t.layers.matrices, kernels);
  work("attention", "attention", t.layers.attention, kernels);
  work("state_space", "state space scan", t.layers.state_space, rare);
  work("pointwise", "norms, activations, casts", t.layers.pointwise, kernels);
  work("experts", "routing and permutation", t.layers.experts, kernels);
  work("recomputation", "recomputation", t.again, kernels);
  work("ends", "embedding, head, loss", t.ends, kernels);
  communication("tp", "tensor parallel", t.layers.tp, t.hidden.tp, axis_set{axis::tp, axis::expert_tp}, kernels);
  communication("cp", "context parallel", t.layers.cp, t.hidden.cp, axis::cp, rare);
  communication("ep", "expert parallel", t.layers.ep, t.hidden.ep, axis::ep, kernels);
  communication("pp", "pipeline sends", t.pp, t.hidden.pp, axis::pp, stages_overlap ? rare : kernels);
  work("bubble", "pipeline bubble", t.bubble, kernels);
  communication("dp", "data parallel", t.dp, t.hidden.dp, axis_set{axis::dp, axis::expert_dp}, kernels);
  work("accumulation", "adding up gradients", t.accumulate, kernels);
  work("optimizer", "optimizer", t.optimizer, kernels);
  work("fixed", "once a step", t.fixed, rare);
  work("straggler", "waiting for the slowest", t.straggler, rare);
}

std::string_view words(hidden_behind h) {
  switch (h) {
    case hidden_behind::own_matrices: return "matrices of the same block";
    case hidden_behind::attention: return "attention";
    case hidden_behind::other_micro_batch: return "another micro-batch";
  }
  return {};
}

void add_message(prediction_report& r, axis over, collective what, double bytes, double times, std::string_view behind) {
  const group_shape& g = detail::shape_of(r.job.groups, over);
  if (!(bytes > 0) || !(times > 0) || g.ranks <= 1) return;
  for (traffic_row& row : r.traffic)
    if (row.over == over && row.what == what && row.bytes == bytes && row.behind == behind) {
      row.times += times;
      return;
    }
  r.traffic.push_back({over, what, bytes, times, collective_time(r.job.gpu.links, what, bytes, g), behind});
}

void add_layer_traffic(prediction_report& r) {
  const predicted_job& j = r.job;
  const double again = j.training.recompute == recomputation::full ? 1 : j.training.recompute == recomputation::half ? 0.5 : 0;
  const std::span<const std::uint32_t> count = r.split.of(r.slowest_stage);
  for (std::size_t k = 0; k < count.size(); ++k)
    if (count[k] != 0)
      for (const message& m : traffic_of_layer(j.model, j.model.kinds[k], j.training, j.degrees)) {
        // The model of time counts a gather that hides by construction in part; it is sent whole.
        const double backward = m.forward > 0 ? std::ceil(m.backward / m.forward) * m.forward : m.backward;
        add_message(r, m.over, m.what, m.bytes, r.micro_batches * count[k] * ((1 + again) * m.forward + backward),
                    words(m.behind));
      }
}

void add_pipeline_traffic(prediction_report& r) {
  const predicted_job& j = r.job;
  if (j.degrees.pp <= 1) return;
  const double state = tokens_per_pass(j.training, j.degrees.cp) * j.model.hidden * 2;
  const bool scattered =
      j.degrees.tp > 1 && (j.training.sequence_parallel || j.training.software == software_profile::megatron_2021);
  add_message(r, axis::pp, collective::send_recv, scattered ? state / j.degrees.tp : state,
              2 * r.micro_batches * std::max(1U, j.training.virtual_stages), "another micro-batch");
}

void add_replica_traffic(prediction_report& r, const priced_layers& priced) {
  const predicted_job& j = r.job;
  const training& t = j.training;
  if (t.tuning != finetuning::full) return;
  double dense = 0;  // of the fullest stage
  double experts = 0;
  double layers = 1;
  for (std::uint32_t stage = 0; stage < r.split.stages(); ++stage) {
    double d = (stage == 0 ? priced.embedding_parameters : 0) + (stage + 1 == r.split.stages() ? priced.head_parameters : 0);
    double e = stage + 1 == r.split.stages() ? priced.expert_parameters_of_head : 0;
    const std::span<const std::uint32_t> count = r.split.of(stage);
    for (std::size_t k = 0; k < count.size(); ++k) {
      d += count[k] * priced.parameters[k].dense;
      e += count[k] * priced.parameters[k].experts;
    }
    if (d + e > dense + experts) layers = 1.0 + r.split.layers(stage);
    dense = std::max(dense, d);
    experts = std::max(experts, e);
  }
  const double reduction = t.reduction_bytes;
  for (const auto& [over, parameters] : {std::pair{axis::dp, dense}, {axis::expert_dp, experts}}) {
    if (t.sharding == sharding::none) {
      add_message(r, over, collective::all_reduce, parameters * reduction, 1, "the backward pass");
    } else if (t.sharding < sharding::zero3_kept) {
      add_message(r, over, collective::reduce_scatter, parameters * reduction, 1, "the backward pass");
      add_message(r, over, collective::all_gather, parameters * 2, 1, "the next forward pass");
    } else {
      const double passes = j.degrees.pp > 1 ? 1 : r.micro_batches;
      add_message(r, over, collective::all_gather, parameters / layers * 2,
                  passes * layers * (t.sharding == sharding::zero3 ? 2 : 1), "the layer before");
      add_message(r, over, collective::reduce_scatter, parameters / layers * reduction, passes * layers, "the backward pass");
    }
  }
}

std::uint64_t trained_parameters(const predicted_job& j) {
  if (j.training.tuning == finetuning::full) {
    const model_parameters all = parameters_of(j.model);
    return all.total() + all.prediction;
  }
  std::uint64_t adapters = 0;
  for (const std::uint8_t kind : j.model.layers)
    adapters += adapter_parameters(j.model.kinds[kind], j.model.hidden, j.training.lora_rank);
  return adapters;
}

void add_storage(prediction_report& r, storage_rates rates) {
  const predicted_job& j = r.job;
  const auto world = static_cast<std::uint32_t>(j.degrees.world());
  std::uint32_t per_host = 1;
  for (const host& h : j.cluster.hosts) per_host = std::max<std::uint32_t>(per_host, h.gpu_count);
  checkpoint_request request;
  request.hosts = (world + per_host - 1) / per_host;
  request.gpus_per_host = per_host;
  request.what = checkpoint_of(trained_parameters(j), j.training, j.degrees.tp * j.degrees.cp * j.degrees.pp, world);
  r.storage.assumed = !(rates.total_write.value > 0);
  if (r.storage.assumed) rates.total_write = storage_target_of(storage_grade::good, world / 8.0).write;
  request.storage = rates;
  if (j.gpu.family != gpu_family::ampere) request.snapshot_rate = snapshot_rate_pcie5;
  r.storage.what = request.what;
  r.storage.plan = plan_checkpoints(request);
  r.storage.write = rates.total_write;
  r.storage.writing = write_time(request.what, rates, per_host);
  r.storage.data = data_rate(r.prediction.tokens_per_second_per_gpu * world, bytes_per_token(j.model.vocabulary));
}

void add_notes(prediction_report& r) {
  const predicted_job& j = r.job;
  for (const std::string& note : j.model.notes) r.notes.push_back("model: " + note);
  if (j.gpu.family == gpu_family::other && !r.own_factors)
    r.notes.push_back(j.gpu.gpu + " has no calibration of its own: times are those of Hopper's factors on its peaks");
  if (j.gpu.links.assumed_network && j.groups.dp_cp.domains + j.groups.pp.domains + j.groups.ep.domains > 3)
    r.notes.push_back("the network's rate or mode rests on no measurement; --calibration takes your own");
  if (j.training.global_batch == 0)
    r.notes.push_back("without --global-batch-size a step is one micro-batch a replica" +
                      std::string(j.degrees.pp > 1 ? ", which makes the pipeline bubble as large as it gets" : ""));
  const std::size_t unused = usable_gpus(j.cluster) - static_cast<std::size_t>(j.degrees.world());
  if (unused > 0) r.notes.push_back("GPUs that the job leaves unused: " + fixed(static_cast<double>(unused), 0));
}

}  // namespace

prediction_report predict_job(const predicted_job& job, const user_calibration& own, storage_rates storage) {
  prediction_report r;
  r.job = job;
  r.factors = own.factors_of(job.gpu.family);
  r.own_factors = own.replaces(job.gpu.family);
  r.memory = own.memory;
  r.prediction = predict(job.model, job.training, job.degrees, job.groups, job.gpu, r.factors, own.memory);
  r.split = split_layers(job.model, job.training, job.degrees.pp);
  const training& t = job.training;
  r.samples = static_cast<double>(samples_per_step(t, job.degrees.dp));
  r.micro_batches = static_cast<double>(micro_batches_per_step(t, job.degrees.dp));
  const priced_layers priced = price_layers(job.model, t, job.degrees, job.groups, job.gpu, r.factors);
  r.slowest_stage = r.prediction.time.slowest_stage;
  add_layer_traffic(r);
  add_pipeline_traffic(r);
  add_replica_traffic(r, priced);
  add_parts(r);
  add_storage(r, storage);
  add_notes(r);
  return r;
}

}  // namespace topoplan_cli
