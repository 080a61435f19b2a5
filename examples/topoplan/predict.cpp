#include <topoplan/core/error.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/layer.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "amounts.hpp"
#include "cluster_input.hpp"
#include "commands.hpp"
#include "plan_input.hpp"
#include "predict_collective.hpp"
#include "predict_job.hpp"
#include "predict_parts.hpp"
#include "predict_report.hpp"
#include "report.hpp"

namespace topoplan_cli {
namespace {

using namespace topoplan;

// Refuses options that would be ignored.
void check_question(const predict_options& o) {
  if (o.collective.empty()) {
    if (o.model.empty())
      throw invalid_argument(
          "what is predicted? Give --model config.json, or --collective all_reduce for the time of one collective");
    for (const auto& [given, name] : {std::pair{!o.bytes.empty(), "--bytes"}, {!o.group.empty(), "--group"}})
      if (given) throw invalid_argument(std::string(name) + " goes with --collective");
    return;
  }
  if (!o.model.empty())
    throw invalid_argument("--collective is about one collective, and --model about a step; give one of them");
  for (const auto& [given, name] : {std::pair{o.storage_write > 0, "--storage-write"}, {o.node_local, "--node-local"}})
    if (given) throw invalid_argument(std::string(name) + " goes with --model");
  const bool degrees = !o.degrees_given.empty() || !o.plan.empty();
  if (degrees && o.group.empty())
    throw invalid_argument("whose collective? With degrees or a plan, --group names the axis; without them all GPUs take part");
  if (!degrees && !o.group.empty())
    throw invalid_argument("--group " + o.group + ": give the degrees that make its groups, or --plan");
}

int refuse(const predict_options& o, const std::string& why, const cluster& c, std::ostream& out) {
  if (o.json) {
    write_no_prediction_json(out, why);
  } else {
    report_cluster(out, c);
    out << "No prediction: " << why << '\n';
  }
  return 1;
}

// The groups by name, in the order of messages.
std::array<std::pair<std::string_view, const group_shape*>, 8> named_groups(const axis_groups& g) {
  return {{{"tp", &g.tp},
           {"cp", &g.cp},
           {"dp", &g.dp},
           {"dp_cp", &g.dp_cp},
           {"pp", &g.pp},
           {"ep", &g.ep},
           {"expert_tp", &g.expert_tp},
           {"expert_dp", &g.expert_dp}}};
}

const group_shape& group_named(const axis_groups& g, const std::string& name) {
  for (const auto& [known, shape] : named_groups(g))
    if (known == name) return *shape;
  throw invalid_argument("--group " + quoted(name) + ": expected tp, cp, dp, dp_cp, pp, ep, expert_tp or expert_dp");
}

// Why the groups can't talk, empty when they can.
std::string why_apart(const axis_groups& g) {
  for (const auto& [name, shape] : named_groups(g))
    if (shape->ranks > 1 && !shape->in_domain() && !std::isfinite(shape->ring_load))
      return "the " + std::string(name) + " groups have ranks in parts of the network that no path joins";
  return {};
}

int predict_one_collective(const predict_options& o, const cluster& c, const interconnect& links, std::ostream& out) {
  collective_question q;
  q.what = parse_collective(o.collective);
  if (o.bytes.empty()) q.sizes = {1048576.0, 16 * 1048576.0, 256 * 1048576.0, 1073741824.0, 8 * 1073741824.0};
  else q.sizes = {parse_bytes(o.bytes, "--bytes")};
  if (o.group.empty()) {
    q.groups = tiers_of(c);
  } else {
    std::optional<rank_map> plan;
    if (!o.plan.empty()) plan = read_plan(o.plan);
    const job_degrees job = degrees_of(o.job, o.degrees_given, plan, c);
    if (const std::string why = why_no_seats(job.degrees, c); !why.empty()) return refuse(o, why, c, out);
    const axis_groups groups = groups_for(c, job, plan);
    if (const std::string why = why_apart(groups); !why.empty()) return refuse(o, why, c, out);
    const group_shape& shape = group_named(groups, o.group);
    if (shape.ranks <= 1) throw invalid_argument("--group " + o.group + ": its groups hold one rank, which sends nothing");
    q.groups = {{o.group, static_cast<std::size_t>(job.degrees.world()) / shape.ranks, shape}};
  }
  if (q.groups.empty()) throw invalid_argument(c.name + " has one usable GPU: there is nobody to talk to");
  if (o.json) write_collective_json(out, q, c, links);
  else report_collective(out, q, c, links);
  return 0;
}

}  // namespace

int run_predict(const predict_options& o, std::ostream& out) {
  check_question(o);
  const run_settings settings = settings_of(o.settings);
  const user_calibration own = read_calibration(o.calibration);
  predicted_job job;
  if (!o.model.empty()) job.model = read_model(o.model);
  job.cluster = load_cluster(o.cluster);
  const interconnect links = interconnect_of(job.cluster, settings.fabric, own.links);
  if (!o.collective.empty()) return predict_one_collective(o, job.cluster, links, out);

  std::optional<rank_map> plan;
  if (!o.plan.empty()) plan = read_plan(o.plan);
  const job_degrees degrees = degrees_of(o.job, o.degrees_given, plan, job.cluster);
  job.degrees = degrees.degrees;
  job.order = degrees.order;
  job.placed = plan.has_value();
  job.training = training_of(settings, job.degrees);
  job.gpu = machine_of(job.cluster, links, settings.power_watts);
  job.fabric_given = settings.fabric.fabric.has_value();
  check_trainable(job.model, job.training, job.degrees);
  if (const std::string why = why_no_seats(job.degrees, job.cluster); !why.empty()) return refuse(o, why, job.cluster, out);
  job.groups = groups_for(job.cluster, degrees, plan);
  if (const std::string why = why_apart(job.groups); !why.empty()) return refuse(o, why, job.cluster, out);

  storage_rates storage;
  storage.total_write = storage.total_read = bytes_per_second{o.storage_write};
  storage.node_local = o.node_local;
  const prediction_report report = predict_job(job, own, storage);
  if (o.json) write_prediction_json(out, report);
  else report_prediction(out, report);
  return report.prediction.verdict == memory_verdict::out ? 1 : 0;
}

}  // namespace topoplan_cli
