#include <topoplan/emit/detail/json_writer.hpp>
#include <topoplan/layout/axis.hpp>
#include <topoplan/workload/parameters.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>

#include "predict_report.hpp"

namespace topoplan_cli {
namespace {

using namespace topoplan;
using topoplan::emit::detail::json_writer;
using topoplan::emit::detail::spread;

void begin(json_writer& json, bool feasible) {
  json.open('{', spread::lines);
  json.member("format", "topoplan.prediction");
  json.member("version", 1);
  json.member("feasible", feasible);
}

void write_job(json_writer& json, const prediction_report& r) {
  const predicted_job& j = r.job;
  json.key("cluster");
  json.open('{');
  json.member("name", j.cluster.name);
  json.member("gpu", j.gpu.gpu);
  json.member("gpus", j.cluster.gpus.size());
  json.member("usable_gpus", usable_gpus(j.cluster));
  json.member("fabric", to_string(j.gpu.links.facts.fabric));
  json.close();
  const model_parameters n = parameters_of(j.model);
  json.key("model");
  json.open('{');
  json.member("name", j.model.name);
  json.member("parameters", n.total());
  json.member("active_parameters", n.active);
  json.member("layers", j.model.layers.size());
  json.member("hidden", j.model.hidden);
  json.member("vocabulary", j.model.vocabulary);
  json.close();
  json.member("world_size", j.degrees.world());
  json.member("order", to_string(j.order));
  json.key("degrees");
  json.open('{');
  for (const axis a : all_axes) json.member(to_string(a), j.degrees.of(a));
  json.close();
}

std::string_view to_text(toggle t) { return t == toggle::by_profile ? "by profile" : t == toggle::on ? "on" : "off"; }

void write_training(json_writer& json, const prediction_report& r) {
  const training& t = r.job.training;
  json.key("training");
  json.open('{', spread::lines);
  json.member("seq_length", t.sequence);
  json.member("micro_batch_size", t.micro_batch);
  json.member("global_batch_size", r.samples);
  json.member("micro_batches", r.micro_batches);
  json.member("num_virtual_stages_per_pipeline_rank", t.virtual_stages);
  json.member("precision", to_string(t.precision));
  json.member("recompute_granularity", to_string(t.recompute));
  json.member("sharding", to_string(t.sharding));
  json.member("optimizer", to_string(t.optimizer));
  json.member("tuning", to_string(t.tuning));
  json.member("grad_bytes", unsigned{t.gradient_bytes});
  json.member("grad_reduce_bytes", unsigned{t.reduction_bytes});
  json.member("sequence_parallel", t.sequence_parallel);
  json.member("software", to_string(t.software));
  json.member("overlap_tp", to_text(t.tp_overlap));
  json.member("overlap_dp", to_text(t.dp_overlap));
  json.member("overlap_ep", to_text(t.expert_overlap));
  json.member("overlap_pp", to_text(t.pipeline_overlap));
  json.member("fused_loss", loss_is_fused(t));
  json.member("release_factor", t.release_factor);
  json.close();
}

void write_groups(json_writer& json, const prediction_report& r) {
  const axis_groups& g = r.job.groups;
  json.member("groups_from", r.job.placed ? "plan" : "best placement");
  json.key("groups");
  json.open('{', spread::lines);
  for (const auto& [name, shape] : {std::tuple{"tp", g.tp},
                                    {"cp", g.cp},
                                    {"dp", g.dp},
                                    {"dp_cp", g.dp_cp},
                                    {"pp", g.pp},
                                    {"ep", g.ep},
                                    {"expert_tp", g.expert_tp},
                                    {"expert_dp", g.expert_dp}}) {
    json.key(name);
    json.open('{');
    json.member("ranks", shape.ranks);
    json.member("per_domain", shape.per_domain);
    json.member("per_host", shape.per_host);
    json.member("domains", shape.domains);
    json.member("hosts", shape.hosts);
    json.member("nic_share", shape.nic_share);
    json.member("ring_load", shape.ring_load);
    json.member("tree_load", shape.tree_load);
    json.member("exchange_load", shape.exchange_load);
    json.close();
  }
  json.close();
}

void write_step(json_writer& json, const prediction_report& r) {
  const prediction& p = r.prediction;
  json.key("step");
  json.open('{', spread::lines);
  json.member("seconds", p.time.seconds);
  json.member("low", p.range.low);
  json.member("high", p.range.high);
  json.member("interval", 0.8);
  json.member("mfu", p.mfu);
  json.member("mfu_16bit", p.mfu_16bit);
  json.member("tflops_per_gpu", p.model_flops_per_second_per_gpu / 1e12);
  json.member("tokens_per_second_per_gpu", p.tokens_per_second_per_gpu);
  json.member("tokens_per_second", p.tokens_per_second_per_gpu * static_cast<double>(r.job.degrees.world()));
  json.member("slowest_stage", r.slowest_stage);
  json.key("parts");
  json.open('[', spread::lines);
  for (const part& q : r.parts) {
    json.open('{');
    json.member("part", q.key);
    json.member("seconds", q.seconds);
    json.member("share", q.seconds / p.time.seconds);
    if (q.hidden) json.member("hidden_seconds", *q.hidden);
    json.key("rests_on");
    json.open('{');
    for (const basis& b : q.rests_on) json.member(b.figure, to_string(b.known));
    json.close();
    json.close();
  }
  json.close();
  json.close();
}

void write_memory(json_writer& json, const prediction_report& r) {
  const prediction& p = r.prediction;
  json.key("memory");
  json.open('{', spread::lines);
  json.member("verdict", to_string(p.verdict));
  json.member("capacity_bytes", p.capacity);
  json.member("tight_above_bytes", p.capacity * r.memory.usable * r.memory.tight);
  json.member("out_above_bytes", p.capacity * r.memory.usable * r.memory.out);
  json.member("fullest_stage", p.fullest_stage);
  json.key("rests_on");
  json.open('{');
  for (const char* counted : {"weights", "gradients", "optimizer", "activations", "logits", "workspace"})
    json.member(counted, "counted");
  json.member("context", "assumed");
  json.close();
  json.key("stages");
  json.open('[', spread::lines);
  for (std::uint32_t stage = 0; stage < p.memory.size(); ++stage) {
    const stage_memory& m = p.memory[stage];
    json.open('{');
    json.member("stage", stage);
    json.member("layers", r.split.layers(stage));
    json.member("weights", m.weights);
    json.member("gradients", m.gradients);
    json.member("optimizer", m.optimizer);
    json.member("activations", m.activations);
    json.member("logits", m.logits);
    json.member("workspace", m.workspace);
    json.member("context", m.context);
    json.member("total", m.total());
    json.member("verdict", to_string(judge_memory(m.total(), p.capacity, r.memory)));
    json.close();
  }
  json.close();
  json.close();
}

void write_traffic(json_writer& json, const prediction_report& r) {
  json.key("traffic");
  json.open('[', spread::lines);
  for (const traffic_row& row : r.traffic) {
    json.open('{');
    json.member("axis", to_string(row.over));
    json.member("collective", to_string(row.what));
    json.member("bytes", row.bytes);
    json.member("times_a_step", row.times);
    json.member("seconds_each", row.cost.seconds);
    json.member("bus_bytes_per_second", row.cost.bus_bandwidth);
    json.member("algorithm", to_string(row.cost.by));
    json.member("links", to_string(row.cost.over));
    json.member("evidence", to_string(row.cost.known));
    json.member("hides_behind", row.behind);
    json.close();
  }
  json.close();
}

void write_texts(json_writer& json, const char* key, const std::vector<std::string>& texts) {
  json.column(key, texts.size(), [&](std::size_t i) { return std::string_view(texts[i]); });
}

void write_storage(json_writer& json, const prediction_report& r) {
  const storage_report& s = r.storage;
  json.key("checkpoint");
  json.open('{', spread::lines);
  json.member("bytes", s.what.total.value);
  json.member("bytes_per_gpu", s.what.per_writer.value);
  json.member("write_rate", s.write.value);
  json.member("write_rate_is", s.assumed ? "assumed" : "given");
  json.member("write_seconds", s.writing.value);
  json.member("stall_seconds", s.plan.stall.value);
  json.member("interval_seconds", s.plan.interval.value);
  json.member("seconds_between_failures", s.plan.between_failures.value);
  json.member("restart_seconds", s.plan.restart.value);
  json.member("lost_share", s.plan.lost);
  json.member("data_rate", s.data.value);
  write_texts(json, "warnings", s.plan.warnings);
  json.close();
}

}  // namespace

void write_prediction_json(std::ostream& out, const prediction_report& r) {
  json_writer json(out);
  begin(json, r.prediction.verdict != memory_verdict::out);
  json.member("verdict", to_string(r.prediction.verdict));
  write_job(json, r);
  write_training(json, r);
  write_groups(json, r);
  write_step(json, r);
  write_memory(json, r);
  write_traffic(json, r);
  write_storage(json, r);
  write_texts(json, "notes", r.notes);
  json.close();
  json.finish();
}

void write_no_prediction_json(std::ostream& out, const std::string& why) {
  json_writer json(out);
  begin(json, false);
  json.member("why", why);
  json.close();
  json.finish();
}

}  // namespace topoplan_cli
