// Priors, and a small Levenberg-Marquardt.
#include "fit.hpp"

#include <topoplan/cluster/cluster.hpp>
#include <topoplan/cluster/hardware.hpp>
#include <topoplan/cost/ideal_groups.hpp>
#include <topoplan/cost/interconnect.hpp>
#include <topoplan/cost/step.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

namespace accuracy {

namespace {

using namespace topoplan;
using c = step_calibration;

// Means are round numbers that hold for every family; deviations say how far families lie apart.
constexpr std::array priors{
    prior{"matmul_16bit", &c::matmul_16bit, 0.75, 0.15},
    prior{"matmul_fp8", &c::matmul_fp8, 0.75, 0.12},
    prior{"matmul_mxfp8", &c::matmul_mxfp8, 0.75, 0.12},
    prior{"matmul_nvfp4", &c::matmul_nvfp4, 0.65, 0.15},
    prior{"matmul_side", &c::matmul_side, 150, 0.5},
    prior{"board", &c::board, 1.05, 0.1},
    prior{"board_fp4", &c::board_fp4, 1.05, 0.1},
    prior{"expert_matmul", &c::expert_matmul, 0.85, 0.15},
    prior{"attention", &c::attention, 0.52, 0.2},
    prior{"state_space", &c::state_space, 1.5, 0.5},
    prior{"memory", &c::memory, 0.8, 0.06},
    prior{"pointwise_2021", &c::pointwise_2021, 1, 0.3},
    prior{"pointwise_fused", &c::pointwise_fused, 1.6, 0.35},
    prior{"pointwise_eager", &c::pointwise_eager, 2.6, 0.25},
    prior{"quantization", &c::quantization, 0.7, 0.5},
    prior{"layer", &c::layer, 8e-5, 0.6},
    prior{"expert_layer", &c::expert_layer, 8e-4, 0.5},
    prior{"expert_traffic", &c::expert_traffic, 1.3, 0.4},
    prior{"straggler", &c::straggler, 0.003, 0.5},
    prior{"tp_exposed", &c::tp_exposed, 0.4, 0.4},
    prior{"tp_exposed_plain", &c::tp_exposed_plain, 0.8, 0.35},
    prior{"tp_exposed_backward", &c::tp_exposed_backward, 0.4, 0.5},
    prior{"tp_across_domains", &c::tp_across_domains, 1.1, 0.2},
    prior{"cp_exposed", &c::cp_exposed, 0.6, 0.5},
    prior{"expert_exposed", &c::expert_exposed, 0.5, 0.5},
    prior{"expert_exposed_overlapped", &c::expert_exposed_overlapped, 0.2, 0.5},
    prior{"pp_exposed_plain", &c::pp_exposed_plain, 1.3, 0.3},
    prior{"pp_exposed", &c::pp_exposed, 0.4, 0.5},
    prior{"dp_rate", &c::dp_rate, 0.7, 0.35},
    prior{"dp_exposed", &c::dp_exposed, 0.25, 0.6},
    prior{"gather_rate", &c::gather_rate, 0.9, 0.15},
    prior{"gather_hidden", &c::gather_hidden, 0.55, 0.3},
    prior{"gather_hidden_prefetched", &c::gather_hidden_prefetched, 0.6, 0.5},
    prior{"power", &c::power, 0.9, 0.3},
};

struct family_fit {
  std::string_view family;
  std::string_view factors;  // separated by blanks
  double trust;              // in the priors against runs: runs of one source aren't independent
};

constexpr std::array families{
    family_fit{"A100",
               "matmul_16bit matmul_side attention memory pointwise_2021 pointwise_eager pointwise_fused tp_exposed "
               "tp_exposed_plain tp_exposed_backward tp_across_domains pp_exposed_plain pp_exposed dp_rate dp_exposed "
               "gather_rate gather_hidden straggler layer",
               0.6},
    family_fit{"H100",
               "matmul_16bit matmul_fp8 matmul_side attention state_space memory pointwise_fused pointwise_eager tp_exposed "
               "tp_exposed_plain dp_exposed dp_rate gather_rate gather_hidden gather_hidden_prefetched expert_exposed "
               "expert_exposed_overlapped expert_layer expert_traffic expert_matmul pp_exposed power layer cp_exposed "
               "quantization straggler",
               0.7},
    family_fit{"B200",
               "matmul_16bit matmul_fp8 matmul_mxfp8 board matmul_side attention state_space memory pointwise_fused tp_exposed "
               "tp_exposed_plain dp_exposed dp_rate expert_exposed expert_exposed_overlapped expert_layer expert_traffic "
               "expert_matmul pp_exposed cp_exposed quantization layer",
               0.4},
    family_fit{"GB200",
               "matmul_16bit matmul_fp8 matmul_mxfp8 matmul_nvfp4 board board_fp4 matmul_side attention state_space memory "
               "pointwise_fused tp_exposed dp_exposed dp_rate gather_hidden_prefetched expert_exposed expert_exposed_overlapped "
               "expert_layer expert_traffic expert_matmul pp_exposed quantization layer cp_exposed",
               0.3},
};

[[nodiscard]] const family_fit& family_of(std::string_view name) {
  const auto at = std::find_if(families.begin(), families.end(), [&](const family_fit& f) { return f.family == name; });
  return at == families.end() ? families[1] : *at;
}

[[nodiscard]] fabric_kind kind_of(std::string_view fabric) {
  if (fabric == "infiniband") return fabric_kind::infiniband;
  if (fabric == "roce") return fabric_kind::roce;
  if (fabric == "efa") return fabric_kind::efa;
  if (fabric == "ethernet" || fabric == "tcpx") return fabric_kind::ethernet;
  return fabric_kind::unknown;
}

// A cluster of whole hosts that the job fills, with pods where the row tells of them.
[[nodiscard]] cluster cluster_of(const posed_run& run, const gpu_model& model) {
  cluster out;
  const auto world = static_cast<std::uint32_t>(run.degrees.world());
  const std::uint32_t per_host = std::min(run.gpus_per_host, world);
  const std::uint32_t per_domain = std::max(per_host, std::min(run.used_domain_gpus, world));
  const std::uint32_t pod = run.pod_gpus != 0 && run.pod_gpus < world ? run.pod_gpus : world;
  out.gpu_models = {std::string(model.title)};
  out.fabric = kind_of(run.fabric);
  out.nvlink = nvlink_of(model);
  out.pcie = host_link_of(model);
  out.nic.rate = gigabytes_per_second(run.nic_gigabytes);
  out.tiers.resize(pod < world ? 2 : 1);
  out.tiers[0].nodes.resize((world + pod - 1) / pod);
  if (pod < world) {
    out.tiers[0].oversubscription = run.oversubscription.empty() ? 1 : run.oversubscription.front();
    out.tiers[1].nodes.resize(1);
  }
  for (std::uint32_t g = 0; g < world; ++g) {
    if (g % per_host == 0) {
      host h;
      h.first_gpu = g;
      h.gpu_count = static_cast<std::uint16_t>(std::min(per_host, world - g));
      h.leaf = g / pod;
      out.hosts.push_back(h);
    }
    gpu one;
    one.host = host_id{static_cast<std::uint32_t>(out.hosts.size() - 1)};
    one.domain = domain_id{g / per_domain};
    one.index = static_cast<std::uint16_t>(g % per_host);
    out.gpus.push_back(one);
  }
  out.domains = (world + per_domain - 1) / per_domain;
  return out;
}

// Solves the symmetric system a x = b of n unknowns by Cholesky's method. pre: a is positive definite.
void solve(std::vector<double>& a, std::vector<double>& b, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double d = a[j * n + j];
    for (std::size_t k = 0; k < j; ++k) d -= a[j * n + k] * a[j * n + k];
    const double root = std::sqrt(d);
    a[j * n + j] = root;
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = sum / root;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

// The residuals of a fit at the logarithms of its factors.
class residuals {
 public:
  residuals(std::span<const problem* const> runs, std::string_view family)
      : runs_(runs), start_(unfitted(family)), factors_(factors_of(family)), trust_(family_of(family).trust) {
    std::map<std::string, double> votes;
    for (const problem* p : runs) votes[p->configuration] += 1;
    for (const problem* p : runs) weights_.push_back(1 / std::sqrt(votes[p->configuration]));
  }

  [[nodiscard]] std::size_t unknowns() const { return factors_.size(); }
  [[nodiscard]] step_calibration at(std::span<const double> x) const {
    step_calibration out = start_;
    for (std::size_t i = 0; i < factors_.size(); ++i) out.*(factors_[i]->factor) = std::exp(x[i]);
    return out;
  }
  [[nodiscard]] std::vector<double> start() const {
    std::vector<double> x;
    for (const prior* p : factors_) x.push_back(std::log(p->mean));
    return x;
  }
  [[nodiscard]] std::vector<double> operator()(std::span<const double> x) const {
    constexpr double knee = 0.05;
    constexpr double noise = 0.08;  // of one run
    const step_calibration now = at(x);
    std::vector<double> out;
    out.reserve(runs_.size() + x.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const double e = std::log(seconds_of(*runs_[i], now) / runs_[i]->run->measured_seconds) * weights_[i] / knee;
      out.push_back(std::copysign(knee * std::sqrt(2 * (std::sqrt(1 + e * e) - 1)), e));
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      out.push_back(trust_ * noise * (x[i] - std::log(factors_[i]->mean)) / factors_[i]->deviation);
    return out;
  }

 private:
  std::span<const problem* const> runs_;
  step_calibration start_;
  std::vector<const prior*> factors_;
  std::vector<double> weights_;
  double trust_;
};

[[nodiscard]] double squares(std::span<const double> r) {
  double sum = 0;
  for (const double v : r) sum += v * v;
  return sum;
}

}  // namespace

problem problem_of(const posed_run& run) {
  problem p;
  p.run = &run;
  const gpu_model& model = find_gpu(run.gpu);
  const cluster where = cluster_of(run, model);
  fabric_properties properties;
  if (run.fabric == "omni-path") properties.fabric = fabric_class::omni_path;
  p.gpu = machine_of(model, interconnect_of(where, properties), run.power_watts);
  if (run.memory_gigabytes > 0) p.gpu.memory = run.memory_gigabytes * 1e9;
  if (run.memory_gigabytes_per_second > 0) p.gpu.memory_rate = run.memory_gigabytes_per_second * 1e9;
  p.groups = ideal_groups(where, run.degrees);
  p.split = split_layers(run.model_shape, run.training, run.degrees.pp);
  const training& t = run.training;
  const resolved_degrees& d = run.degrees;
  std::ostringstream text;
  text << run.model << ' ' << run.gpu << ' ' << d.tp << ' ' << d.cp << ' ' << d.ep << ' ' << d.dp << ' ' << d.pp << ' '
       << t.virtual_stages << ' ' << t.micro_batch << ' ' << t.global_batch << ' ' << t.sequence << ' ' << to_string(t.precision)
       << ' ' << to_string(t.recompute) << ' ' << to_string(t.sharding) << ' ' << t.sequence_parallel
       << run.model_shape.layers.size() << ' ' << run.software;
  p.configuration = text.str();
  return p;
}

double seconds_of(const problem& p, const step_calibration& factors) {
  const posed_run& r = *p.run;
  const priced_layers priced = price_layers(r.model_shape, r.training, r.degrees, p.groups, p.gpu, factors);
  return time_of_step(r.model_shape, r.training, r.degrees, p.groups, p.gpu, factors, priced, p.split).seconds;
}

std::vector<const problem*> calibration_set(std::span<const problem> problems) {
  std::vector<const problem*> out;
  std::set<std::string> seen;
  for (const problem& p : problems) {
    const posed_run& r = *p.run;
    const resolved_degrees& d = r.degrees;
    std::ostringstream key;
    key << r.group << ' ' << r.model << ' ' << r.gpu << ' ' << to_string(r.training.precision) << ' ' << d.tp << ' ' << d.pp
        << ' ' << d.cp << ' ' << d.ep;
    if (seen.insert(key.str()).second) out.push_back(&p);
  }
  return out;
}

std::span<const prior> all_priors() { return priors; }

std::vector<const prior*> factors_of(std::string_view family) {
  std::vector<const prior*> out;
  std::istringstream words{std::string(family_of(family).factors)};
  for (std::string word; words >> word;)
    for (const prior& p : priors)
      if (p.name == word) out.push_back(&p);
  return out;
}

step_calibration unfitted(std::string_view family) {
  step_calibration out;
  for (const prior& p : priors) out.*(p.factor) = p.mean;
  // Host code of 2021 starts kernels one by one; DeepSpeed prefetches what it gathers.
  if (family == "A100") {
    out.launch = 9e-6;
    out.gather_hidden_prefetched = 0.9;
  }
  return out;
}

step_calibration fit(std::span<const problem* const> runs, std::string_view family) {
  const residuals r(runs, family);
  const std::size_t n = r.unknowns();
  std::vector<double> x = r.start();
  std::vector<double> now = r(x);
  double cost = squares(now);
  double damping = 1e-3;
  for (int iteration = 0; iteration < 60; ++iteration) {
    constexpr double step = 1e-4;
    std::vector<double> slopes(now.size() * n);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> moved = x;
      moved[j] += step;
      const std::vector<double> there = r(moved);
      for (std::size_t i = 0; i < now.size(); ++i) slopes[i * n + j] = (there[i] - now[i]) / step;
    }
    std::vector<double> normal(n * n, 0);
    std::vector<double> down(n, 0);
    for (std::size_t i = 0; i < now.size(); ++i)
      for (std::size_t j = 0; j < n; ++j) {
        down[j] -= slopes[i * n + j] * now[i];
        for (std::size_t k = 0; k <= j; ++k) normal[j * n + k] += slopes[i * n + j] * slopes[i * n + k];
      }
    bool better = false;
    double gained = 0;
    while (damping < 1e6) {
      std::vector<double> a = normal;
      for (std::size_t j = 0; j < n; ++j) a[j * n + j] *= 1 + damping;
      std::vector<double> moved = down;
      solve(a, moved, n);
      for (std::size_t j = 0; j < n; ++j) moved[j] = x[j] + std::clamp(moved[j], -0.7, 0.7);
      const std::vector<double> there = r(moved);
      const double then = squares(there);
      if (then < cost) {
        gained = cost - then;
        x = moved;
        now = there;
        cost = then;
        damping = std::max(1e-9, damping / 5);
        better = true;
        break;
      }
      damping *= 4;
    }
    if (!better || gained < 1e-9 * cost) break;
  }
  return r.at(x);
}

}  // namespace accuracy
