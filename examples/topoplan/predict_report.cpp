#include "predict_report.hpp"

#include <topoplan/layout/layout.hpp>
#include <topoplan/workload/parameters.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "amounts.hpp"
#include "report.hpp"
#include "table.hpp"

namespace topoplan_cli {
namespace {

using namespace topoplan;

std::string percent(double share) { return fixed(100 * share, 1); }

std::string rests_text(const part& p) {
  std::string text;
  for (const basis& b : p.rests_on) {
    if (!text.empty()) text += ", ";
    text +=
        p.rests_on.size() == 1 ? std::string(to_string(b.known)) : std::string(b.figure) + ' ' + std::string(to_string(b.known));
  }
  return text;
}

// Every part is as sure as its weakest figure.
evidence weakest(const part& p) {
  evidence worst = evidence::measured;
  for (const basis& b : p.rests_on) worst = std::max(worst, b.known);
  return worst;
}

void report_model(std::ostream& out, const prediction_report& r) {
  const transformer& m = r.job.model;
  const model_parameters n = parameters_of(m);
  const auto billions = [](std::uint64_t count) { return short_number(static_cast<double>(count) / 1e9) + " B"; };
  out << "Model: " << m.name << ", " << billions(n.total()) << " parameters";
  if (n.active != n.total()) out << ", " << billions(n.active) << " active for a token";
  out << "; " << counted(m.layers.size(), "layer") << ", hidden " << fixed(m.hidden, 0) << ", vocabulary "
      << fixed(m.vocabulary, 0) << '\n';
}

void report_training(std::ostream& out, const prediction_report& r) {
  const training& t = r.job.training;
  out << "Training: " << to_string(t.precision) << ", sequence " << fixed(t.sequence, 0) << ", " << fixed(r.samples, 0)
      << " samples a step in " << counted(static_cast<std::size_t>(r.micro_batches), "micro-batch", "micro-batches") << " of "
      << t.micro_batch << " on each replica\n  " << to_string(t.software) << ", sharding " << to_string(t.sharding) << ", "
      << to_string(t.optimizer) << ", recompute " << to_string(t.recompute);
  if (r.job.degrees.tp > 1) out << ", sequence parallel " << (t.sequence_parallel ? "on" : "off");
  if (r.job.degrees.pp > 1) out << ", virtual stages " << std::max(1U, t.virtual_stages);
  if (t.tuning != finetuning::full) out << ", " << to_string(t.tuning) << " of rank " << t.lora_rank;
  for (const auto& [name, how] :
       {std::pair{"tp", t.tp_overlap}, {"dp", t.dp_overlap}, {"ep", t.expert_overlap}, {"pp", t.pipeline_overlap}})
    if (how != toggle::by_profile) out << ", overlap of " << name << (how == toggle::on ? " on" : " off");
  out << '\n';
  const machine& m = r.job.gpu;
  out << "Priced as: " << m.gpu << (m.power < 1 ? " capped at " + percent(m.power) + " % of its power" : std::string{})
      << "; NVLink " << to_string(m.links.facts.family) << "; network " << to_string(m.links.facts.fabric)
      << (r.job.fabric_given ? "  [given: --fabric]" : "  [from the cluster's network and NIC rate; --fabric says otherwise]")
      << '\n';
}

void report_groups(std::ostream& out, const prediction_report& r) {
  const predicted_job& j = r.job;
  out << "Groups: "
      << (j.placed ? "where the plan puts them\n"
                   : "the best placement of these degrees is assumed; --plan takes the one that place wrote\n");
  table t({1});
  const bool experts = j.degrees.ep > 1;
  for (const auto& [name, shape, shown] : {std::tuple{"tp", j.groups.tp, true},
                                           {"cp", j.groups.cp, true},
                                           {"pp", j.groups.pp, true},
                                           {j.degrees.cp > 1 ? "dp x cp" : "dp", j.groups.dp_cp, true},
                                           {"ep", j.groups.ep, true},
                                           {"expert_tp", j.groups.expert_tp, experts},
                                           {"expert_dp", j.groups.expert_dp, experts}})
    if (shown && shape.ranks > 1) t.row({name, counted(shape.ranks, "rank") + " each", seats_text(shape, j.gpu.links)});
  t.print(out);
}

void report_step(std::ostream& out, const prediction_report& r) {
  const prediction& p = r.prediction;
  const predicted_job& j = r.job;
  const double seconds = p.time.seconds;
  const auto whole = [&](double s) {
    return seconds < 1 ? fixed(s * 1000, seconds < 0.1 ? 1 : 0) + " ms" : fixed(s, seconds < 10 ? 2 : 1) + " s";
  };
  const error_band band = band_of(j.gpu.family, has_experts(j.model));
  out << "Step: " << whole(seconds) << "; four runs of five take " << whole(p.range.low) << " to " << whole(p.range.high)
      << (band.runs > 0 ? " (by the errors on " + counted(band.runs, "run") + " that the fit hadn't seen" +
                              (r.own_factors ? ", with topoplan's own factors)\n" : ")\n")
                        : " (assumed)\n");
  out << "  " << fixed(p.model_flops_per_second_per_gpu / 1e12, 0) << " TFLOP/s/GPU, MFU " << percent(p.mfu) << " % of the "
      << to_string(j.training.precision) << " peak";
  if (p.mfu != p.mfu_16bit) out << " (" << percent(p.mfu_16bit) << " % of the 16-bit one)";
  out << "; " << fixed(p.tokens_per_second_per_gpu, p.tokens_per_second_per_gpu < 100 ? 1 : 0) << " tokens/s/GPU, "
      << fixed(p.tokens_per_second_per_gpu * static_cast<double>(j.degrees.world()), 0)
      << " tokens/s\n  (MFU counts matrices and the whole square of attention, as Megatron-LM does; nothing that is "
         "recomputed)\n";
  const auto ms = [&](double s) { return fixed(s * 1000, seconds < 10 ? 1 : 0); };
  table t({1, 2, 3});
  t.row({j.degrees.pp > 1 ? "part, by stage " + std::to_string(r.slowest_stage) + ", the slowest" : "part", "ms", "%",
         "hidden ms", "rests on"});
  std::array<double, 3> by_evidence{};
  for (const part& q : r.parts) {
    by_evidence[static_cast<std::size_t>(weakest(q))] += q.seconds;
    if (!(q.seconds > 0) && !(q.hidden.value_or(0) > 0)) continue;
    t.row({std::string(q.label), ms(q.seconds), percent(q.seconds / seconds), q.hidden ? ms(*q.hidden) : "", rests_text(q)});
  }
  t.row({"step", ms(seconds), "100.0"});
  t.print(out);
  out << (std::any_of(r.parts.begin(), r.parts.end(), [](const part& q) { return q.hidden.value_or(0) > 0; })
              ? "  hidden: what overlap takes away from communication, not part of the step\n"
              : "")
      << "  measured: published measurements of such links; fitted: to published runs; assumed: neither\n  of the step,";
  std::string separator = " ";
  for (const evidence e : {evidence::measured, evidence::fitted, evidence::assumed}) {
    if (!(by_evidence[static_cast<std::size_t>(e)] > 0)) continue;
    out << separator << percent(by_evidence[static_cast<std::size_t>(e)] / seconds) << " % rests on " << to_string(e)
        << " figures";
    separator = ", ";
  }
  out << (r.own_factors ? "; factors of kernels are your own\n" : "\n");
}

std::vector<std::string> memory_cells(const prediction_report& r, std::uint32_t stage) {
  const stage_memory& m = r.prediction.memory[stage];
  std::vector<std::string> cells;
  cells.push_back(fixed(r.split.layers(stage), 0));
  for (const double bytes : {m.weights, m.gradients, m.optimizer, m.activations, m.logits, m.workspace, m.context, m.total()})
    cells.push_back(fixed(bytes / 1e9, 1));
  cells.emplace_back(to_string(judge_memory(m.total(), r.prediction.capacity, r.memory)));
  return cells;
}

void report_memory(std::ostream& out, const prediction_report& r) {
  struct stretch {
    std::uint32_t first;
    std::uint32_t last;
    std::vector<std::string> cells;
  };
  std::vector<stretch> rows;
  for (std::uint32_t stage = 0; stage < r.prediction.memory.size(); ++stage) {
    auto cells = memory_cells(r, stage);
    if (!rows.empty() && rows.back().cells == cells) rows.back().last = stage;
    else rows.push_back({stage, stage, std::move(cells)});
  }
  const double full = r.prediction.memory[r.prediction.fullest_stage].total();
  out << "Memory: " << fixed(full / 1e9, 1) << " of " << fixed(r.prediction.capacity * r.memory.usable / 1e9, 1)
      << " usable GB on a GPU"
      << (r.prediction.memory.size() > 1 ? " of stage " + std::to_string(r.prediction.fullest_stage) + ", the fullest"
                                         : std::string{})
      << ": " << to_string(r.prediction.verdict);
  if (r.prediction.verdict == memory_verdict::tight)
    out << " (from " << fixed(r.prediction.capacity * r.memory.usable * r.memory.tight / 1e9, 1) << " to "
        << fixed(r.prediction.capacity * r.memory.usable * r.memory.out / 1e9, 1)
        << " GB the prediction can't tell; it may run out)";
  out << '\n';
  table t({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  t.row({"stage", "layers", "weights", "gradients", "optimizer", "activations", "logits", "workspace", "context", "GB", ""});
  constexpr std::size_t most_rows = 8;
  bool elided = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool fullest = rows[i].first <= r.prediction.fullest_stage && r.prediction.fullest_stage <= rows[i].last;
    if (rows.size() > most_rows && i >= 3 && i + 2 < rows.size() && !fullest) {
      if (!elided) t.row({"..."});
      elided = true;
      continue;
    }
    elided = false;
    std::vector<std::string> cells{rows[i].first == rows[i].last
                                       ? std::to_string(rows[i].first)
                                       : std::to_string(rows[i].first) + '-' + std::to_string(rows[i].last)};
    cells.insert(cells.end(), rows[i].cells.begin(), rows[i].cells.end());
    t.row(std::move(cells));
  }
  t.print(out);
  out << "  all but context is counted tensor by tensor; context (CUDA, communicators, fragments) is assumed\n";
}

void report_traffic(std::ostream& out, const prediction_report& r) {
  if (r.traffic.empty()) return;
  out << "Traffic of a GPU of stage " << r.slowest_stage << ", a step\n";
  table t({2, 3, 4, 5});
  t.row({"axis", "collective", "times", "bytes each", "each alone", "bus GB/s", "algorithm", "links", "can hide behind"});
  for (const traffic_row& row : r.traffic)
    t.row({std::string(to_string(row.over)), std::string(to_string(row.what)), fixed(row.times, 0), bytes_text(row.bytes),
           time_text(row.cost.seconds), short_number(row.cost.bus_bandwidth / 1e9), std::string(to_string(row.cost.by)),
           std::string(to_string(row.cost.over)) + ", " + std::string(to_string(row.cost.known)), std::string(row.behind)});
  t.print(out);
  out << "  alone: on idle links, as nccl-tests measures; inside a step fitted factors make of it what the table of parts "
         "charges.\n"
         "  bus GB/s is over all NICs of a host; expert tokens are charged once for each other domain, not once for each "
         "expert\n";
}

void report_storage(std::ostream& out, const prediction_report& r) {
  const storage_report& s = r.storage;
  out << "Checkpoint: " << bytes_text(static_cast<double>(s.what.total.value)) << " with all states, "
      << bytes_text(static_cast<double>(s.what.per_writer.value)) << " a GPU; written in " << time_text(s.writing.value) << " at "
      << short_number(s.write.gigabytes()) << " GB/s " << (s.assumed ? "[assumed; --storage-write GBPS says it]" : "[given]")
      << "\n  one every " << time_text(s.plan.interval.value) << " loses least (a failure every "
      << time_text(s.plan.between_failures.value) << "); each stops the step for " << time_text(s.plan.stall.value) << ", "
      << short_number(100 * s.plan.lost) << " % of the time is lost in all\n";
  for (const std::string& warning : s.plan.warnings) out << "  warning: " << warning << '\n';
  out << "Data: tokens are read at " << bytes_text(s.data.value) << "/s by all hosts together\n";
}

}  // namespace

std::string seats_text(const group_shape& g, const interconnect& x, std::optional<collective> what) {
  const bool nvlink = x.facts.nvlink_rate > 0;
  std::string text;
  if (g.in_domain() && nvlink) text = "inside one NVLink domain";
  else if (g.hosts <= 1) text = "inside one host, over PCIe";
  else if (nvlink) text = "over " + counted(g.domains, "NVLink domain") + ", " + counted(g.per_domain, "rank") + " in each";
  else text = "over " + counted(g.hosts, "host") + ", " + counted(g.per_host, "rank") + " on each";
  const double load = what == collective::all_to_all ? g.exchange_load
                      : what                         ? g.ring_load
                                                     : std::max(g.ring_load, g.exchange_load);
  if (load > 1.005 && !(g.in_domain() && nvlink)) {
    text += "; uplinks asked for ";
    const bool rings = g.ring_load > 1.005 && what != collective::all_to_all;
    const bool exchanges = g.exchange_load > 1.005 && what.value_or(collective::all_to_all) == collective::all_to_all;
    if (rings) text += short_number(g.ring_load) + " x their rate by rings";
    if (exchanges) text += std::string(rings ? ", " : "") + short_number(g.exchange_load) + " x their rate by all-to-all";
  }
  return text;
}

void report_prediction(std::ostream& out, const prediction_report& r) {
  report_cluster(out, r.job.cluster);
  report_job(out, layout(r.job.degrees, r.job.order), r.job.cluster);
  report_model(out, r);
  report_training(out, r);
  report_groups(out, r);
  report_step(out, r);
  report_memory(out, r);
  report_traffic(out, r);
  report_storage(out, r);
  for (const std::string& note : r.notes) out << "note: " << note << '\n';
}

}  // namespace topoplan_cli
